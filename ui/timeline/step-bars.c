/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/step-bars.h"

#include <glib/gi18n-lib.h>

#include "ui/common/number.h"
#include "ui/common/widget.h"
#include "ui/timeline/lanes-draw.h"
#include "ui/timeline/steps-draw.h"

#define HEIGHT 56

struct _SluiceStepBars
{
  GtkWidget parent_instance;
  GArray *steps; /* of SluiceTraceStep */
  guint64 chosen;
  char *words; /* (nullable) */
  char *range; /* (nullable): "934 to 1 133" */
};

G_DEFINE_FINAL_TYPE (SluiceStepBars, sluice_step_bars, GTK_TYPE_WIDGET)

static guint chosen_signal;

/* ---- what is drawn ---- */

static guint
find_chosen (SluiceStepBars *self)
{
  guint i = 0;

  while (i < self->steps->len
         && g_array_index (self->steps, SluiceTraceStep, i).step != self->chosen)
    i++;
  return i;
}

static SluiceStepsPicture
get_picture (SluiceStepBars *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  double width = gtk_widget_get_width (widget) / sluice_widget_get_text_scale (widget);

  return (SluiceStepsPicture){
    .steps = (const SluiceTraceStep *) self->steps->data,
    .n = self->steps->len,
    .chosen = find_chosen (self),
    .x0 = SLUICE_LANES_NAMES,
    .x1 = MAX (width - SLUICE_LANES_END, SLUICE_LANES_NAMES + 1),
    .height = HEIGHT,
    .words = self->words,
    .heading = _ ("Steps"),
    .range = self->range,
    .mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL,
  };
}

static void
sluice_step_bars_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceStepsPicture picture = get_picture (SLUICE_STEP_BARS (widget));
  double width;
  double height;
  SluiceTheme theme;
  cairo_t *cr = sluice_snapshot_begin_units (snapshot, widget, &theme);

  sluice_widget_get_units (widget, &width, &height);
  sluice_steps_draw (&picture, cr, width, &theme);
  cairo_destroy (cr);
  sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_step_bars_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  double scale = sluice_widget_get_text_scale (widget);

  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? (int) (HEIGHT * scale) : 0;
  *natural = *minimum;
}

static void
describe (SluiceStepBars *self)
{
  double first = 0;
  double last = 0;

  if (self->steps->len > 0)
    {
      first = (double) g_array_index (self->steps, SluiceTraceStep, 0).step;
      last = (double) g_array_index (self->steps, SluiceTraceStep, self->steps->len - 1).step;
    }
  gtk_accessible_update_property (
      GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Steps"),
      GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, first, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, last,
      GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, (double) self->chosen, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
      self->words != NULL ? self->words : "", -1);
}

void
sluice_step_bars_set_steps (
    SluiceStepBars *self, const SluiceTraceStep *steps, guint n, guint64 chosen, const char *words)
{
  g_array_set_size (self->steps, 0);
  g_array_append_vals (self->steps, steps, n);
  self->chosen = chosen;
  g_free (self->words);
  self->words = g_strdup (words);
  g_clear_pointer (&self->range, g_free);
  if (n > 0)
    {
      g_autofree char *first = sluice_format_step ((gint64) steps[0].step);
      g_autofree char *last = sluice_format_step ((gint64) steps[n - 1].step);
      self->range = n > 1 ? g_strdup_printf (_ ("%s to %s"), first, last) : g_strdup (first);
    }
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- choosing ---- */

static void
choose (SluiceStepBars *self, guint place)
{
  if (place < self->steps->len)
    g_signal_emit (self, chosen_signal, 0,
                   g_array_index (self->steps, SluiceTraceStep, place).step);
}

static void
choose_at (SluiceStepBars *self, double x)
{
  SluiceStepsPicture picture = get_picture (self);
  double scale = sluice_widget_get_text_scale (GTK_WIDGET (self));
  double at = picture.mirrored ? gtk_widget_get_width (GTK_WIDGET (self)) - x : x;

  choose (self, sluice_steps_pick (&picture, at / scale));
}

static void
drag_begin_cb (SluiceStepBars *self, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  choose_at (self, x);
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, SluiceStepBars *self)
{
  double x;
  double y;

  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  choose_at (self, x + dx);
}

static gboolean
key_cb (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        SluiceStepBars *self)
{
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  guint at = find_chosen (self);
  guint last = self->steps->len - 1;

  if (self->steps->len == 0 || (modifiers & gtk_accelerator_get_default_mod_mask ()) != 0)
    return FALSE;
  if (key == GDK_KEY_Home)
    choose (self, 0);
  else if (key == GDK_KEY_End)
    choose (self, last);
  else if (key == (mirrored ? GDK_KEY_Right : GDK_KEY_Left))
    choose (self, at > 0 ? at - 1 : 0);
  else if (key == (mirrored ? GDK_KEY_Left : GDK_KEY_Right))
    choose (self, MIN (at + 1, last));
  else
    return FALSE;
  return TRUE;
}

/* ---- life ---- */

static void
sluice_step_bars_finalize (GObject *object)
{
  SluiceStepBars *self = SLUICE_STEP_BARS (object);

  g_array_unref (self->steps);
  g_free (self->words);
  g_free (self->range);
  G_OBJECT_CLASS (sluice_step_bars_parent_class)->finalize (object);
}

static void
sluice_step_bars_class_init (SluiceStepBarsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_step_bars_finalize;
  widget_class->snapshot = sluice_step_bars_snapshot;
  widget_class->measure = sluice_step_bars_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
  chosen_signal = g_signal_new ("chosen", SLUICE_TYPE_STEP_BARS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_UINT64);
}

static void
sluice_step_bars_init (SluiceStepBars *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->steps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceStep));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  describe (self);
}

GtkWidget *
sluice_step_bars_new (void)
{
  return g_object_new (SLUICE_TYPE_STEP_BARS, NULL);
}
