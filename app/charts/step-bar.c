/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/step-bar.h"

#include <glib/gi18n.h>
#include <string.h>

#include "ui/chart/ticks.h"
#include "ui/common/widget.h"

struct _SluiceStepBar
{
  GtkBox parent;
  GtkWidget *scale, *label;
  GArray *steps; /* of gint64, ascending, each once */
  gint64 step;   /* G_MAXINT64: the newest, whichever that is */
};

G_DEFINE_FINAL_TYPE (SluiceStepBar, sluice_step_bar, GTK_TYPE_BOX)

static guint step_changed_signal;

static gint
by_step (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static void
show_step (SluiceStepBar *self, guint i)
{
  gint64 step = g_array_index (self->steps, gint64, i);
  g_autofree char *number = sluice_format_step (step);
  g_autofree char *text = g_strdup_printf (_ ("step %s"), number);
  gtk_label_set_label (GTK_LABEL (self->label), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  text, -1);
  g_signal_emit (self, step_changed_signal, 0, step);
}

static void
moved_cb (SluiceStepBar *self)
{
  guint i = (guint) (gtk_range_get_value (GTK_RANGE (self->scale)) + 0.5);
  if (i >= self->steps->len)
    return;
  self->step = i + 1 == self->steps->len ? G_MAXINT64 : g_array_index (self->steps, gint64, i);
  show_step (self, i);
}

void
sluice_step_bar_take_steps (SluiceStepBar *self, GArray *steps)
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
  gtk_widget_set_visible (GTK_WIDGET (self), n > 0);
  if (n == 0 || same)
    return;
  g_signal_handlers_block_by_func (self->scale, moved_cb, self);
  gtk_range_set_range (GTK_RANGE (self->scale), 0, MAX (1, n - 1));
  gtk_range_set_value (GTK_RANGE (self->scale), at);
  g_signal_handlers_unblock_by_func (self->scale, moved_cb, self);
  gtk_widget_set_sensitive (self->scale, n > 1);
  show_step (self, at);
}

gint64
sluice_step_bar_get_step (SluiceStepBar *self)
{
  return self->step;
}

/* Before it has steps: they come with the images. */
void
sluice_step_bar_keep (SluiceStepBar *self, GKeyFile *state, gboolean saves)
{
  g_autoptr (GError) error = NULL;
  if (saves && self->step != G_MAXINT64)
    g_key_file_set_int64 (state, "charts", "image-step", self->step);
  gint64 step = saves ? 0 : g_key_file_get_int64 (state, "charts", "image-step", &error);
  if (!saves && error == NULL)
    self->step = step;
}

static void
sluice_step_bar_finalize (GObject *object)
{
  g_array_unref (SLUICE_STEP_BAR (object)->steps);
  G_OBJECT_CLASS (sluice_step_bar_parent_class)->finalize (object);
}

static void
sluice_step_bar_class_init (SluiceStepBarClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_step_bar_finalize;
  step_changed_signal = g_signal_new ("step-changed", SLUICE_TYPE_STEP_BAR, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
sluice_step_bar_init (SluiceStepBar *self)
{
  GtkWidget *name = gtk_label_new (_ ("Images"));
  self->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->step = G_MAXINT64;
  self->scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 1);
  self->label = gtk_label_new (NULL);
  gtk_scale_set_draw_value (GTK_SCALE (self->scale), FALSE);
  gtk_range_set_round_digits (GTK_RANGE (self->scale), 0);
  gtk_widget_set_hexpand (self->scale, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Step of the images"), -1);
  sluice_widget_release_wheel (self->scale);
  gtk_label_set_width_chars (GTK_LABEL (self->label), 12);
  gtk_label_set_xalign (GTK_LABEL (self->label), 1);
  gtk_widget_add_css_class (self->label, "numeric");
  gtk_widget_add_css_class (self->label, "dim-label");
  gtk_widget_add_css_class (name, "dim-label");
  gtk_box_set_spacing (GTK_BOX (self), 12);
  gtk_box_append (GTK_BOX (self), name);
  gtk_box_append (GTK_BOX (self), self->scale);
  gtk_box_append (GTK_BOX (self), self->label);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  g_signal_connect_swapped (self->scale, "value-changed", G_CALLBACK (moved_cb), self);
}
