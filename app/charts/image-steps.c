/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/image-steps.h"

#include <string.h>

struct _SluiceImageSteps
{
  GObject parent;
  GtkAdjustment *adjustment;
  GArray *steps; /* of gint64, ascending, each once */
  gint64 step;   /* G_MAXINT64: the newest, whichever that is */
};

G_DEFINE_FINAL_TYPE (SluiceImageSteps, sluice_image_steps, G_TYPE_OBJECT)

static guint step_changed_signal;

static gint
by_step (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static void
moved_cb (SluiceImageSteps *self)
{
  guint i = (guint) (gtk_adjustment_get_value (self->adjustment) + 0.5);
  if (i >= self->steps->len)
    return;
  self->step = i + 1 == self->steps->len ? G_MAXINT64 : g_array_index (self->steps, gint64, i);
  g_signal_emit (self, step_changed_signal, 0, g_array_index (self->steps, gint64, i));
}

void
sluice_image_steps_take (SluiceImageSteps *self, GArray *steps)
{
  guint n = 0, at = 0;
  g_array_sort (steps, by_step);
  for (guint i = 0; i < steps->len; i++)
    if (n == 0 || g_array_index (steps, gint64, i) != g_array_index (steps, gint64, n - 1))
      g_array_index (steps, gint64, n++) = g_array_index (steps, gint64, i);
  g_array_set_size (steps, n);
  for (guint i = 0; i < n; i++)
    if (g_array_index (steps, gint64, i) <= self->step)
      at = i;
  gboolean same =
      n == self->steps->len && (n == 0 || memcmp (steps->data, self->steps->data, n * 8) == 0);
  g_array_unref (self->steps);
  self->steps = steps;
  if (same)
    return;
  g_signal_handlers_block_by_func (self->adjustment, moved_cb, self);
  gtk_adjustment_configure (self->adjustment, at, 0, n > 0 ? n - 1 : 0, 1, 10, 0);
  g_signal_handlers_unblock_by_func (self->adjustment, moved_cb, self);
  if (n > 0)
    g_signal_emit (self, step_changed_signal, 0, g_array_index (steps, gint64, at));
}

gint64
sluice_image_steps_get_step (SluiceImageSteps *self)
{
  return self->step;
}

GtkAdjustment *
sluice_image_steps_get_adjustment (SluiceImageSteps *self)
{
  return self->adjustment;
}

/* Before it has steps: they come with the images. */
void
sluice_image_steps_keep (SluiceImageSteps *self, GKeyFile *state, gboolean saves)
{
  g_autoptr (GError) error = NULL;
  if (saves && self->step != G_MAXINT64)
    g_key_file_set_int64 (state, "charts", "image-step", self->step);
  gint64 step = saves ? 0 : g_key_file_get_int64 (state, "charts", "image-step", &error);
  if (!saves && error == NULL)
    self->step = step;
}

static void
sluice_image_steps_finalize (GObject *object)
{
  g_array_unref (SLUICE_IMAGE_STEPS (object)->steps);
  g_object_unref (SLUICE_IMAGE_STEPS (object)->adjustment);
  G_OBJECT_CLASS (sluice_image_steps_parent_class)->finalize (object);
}

static void
sluice_image_steps_class_init (SluiceImageStepsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_image_steps_finalize;
  step_changed_signal = g_signal_new ("step-changed", SLUICE_TYPE_IMAGE_STEPS, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
sluice_image_steps_init (SluiceImageSteps *self)
{
  self->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->step = G_MAXINT64;
  self->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 0, 1, 10, 0));
  g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (moved_cb), self,
                           G_CONNECT_SWAPPED);
}

SluiceImageSteps *
sluice_image_steps_new (void)
{
  return g_object_new (SLUICE_TYPE_IMAGE_STEPS, NULL);
}
