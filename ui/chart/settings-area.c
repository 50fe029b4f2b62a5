/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/settings-area.h"

#include "ui/common/paint.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

struct _SluiceSettingsArea
{
  GtkWidget parent_instance;
  const SluiceSettingsTable *table; /* (nullable) */
  SluiceSettingsPlotKind kind;
  guint x, y;
  gint64 marked;
};

G_DEFINE_FINAL_TYPE (SluiceSettingsArea, sluice_settings_area, GTK_TYPE_WIDGET)

static guint run_marked_signal;

/* ---- the marked run ---- */

char *
sluice_settings_area_dup_text (SluiceSettingsArea *self)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; self->table != NULL && i < self->table->rows->len; i++)
    {
      const SluiceSettingsRow *row = g_ptr_array_index (self->table->rows, i);

      if (self->marked != 0 && row->run != self->marked)
        continue;
      g_string_append_printf (out, "%s%s:", out->len > 0 ? "; " : "", row->name);
      for (guint k = 0; k < self->table->columns->len; k++)
        {
          const SluiceSettingsColumn *column = g_ptr_array_index (self->table->columns, k);
          g_autofree char *value = sluice_settings_table_format (self->table, row, k);

          g_string_append_printf (out, "%s %s %s", k > 0 ? "," : "", column->name, value);
        }
    }
  return g_string_free (out, FALSE);
}

static void
describe (SluiceSettingsArea *self)
{
  g_autofree char *text = sluice_settings_area_dup_text (self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  self->kind == SLUICE_SETTINGS_SCATTER
                                      ? _ ("A result over a setting of each run")
                                      : _ ("Settings and results of each run"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

void
sluice_settings_area_set_marked (SluiceSettingsArea *self, gint64 run)
{
  if (self->marked == run)
    return;
  self->marked = run;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  describe (self);
}

static void
mark (SluiceSettingsArea *self, gint64 run)
{
  if (self->marked == run)
    return;
  sluice_settings_area_set_marked (self, run);
  g_signal_emit (self, run_marked_signal, 0, run);
}

/* ---- what is drawn ---- */

static gboolean
has_plot (SluiceSettingsArea *self)
{
  return self->table != NULL && self->table->columns->len > 0;
}

static SluiceSettingsPlot
get_plot (SluiceSettingsArea *self)
{
  guint last = self->table->columns->len - 1;

  return (SluiceSettingsPlot){ .kind = self->kind,
                               .x = MIN (self->x, last),
                               .y = MIN (self->y, last),
                               .width = gtk_widget_get_width (GTK_WIDGET (self)),
                               .height = gtk_widget_get_height (GTK_WIDGET (self)),
                               .marked = self->marked };
}

static void
sluice_settings_area_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceSettingsArea *self = SLUICE_SETTINGS_AREA (widget);
  SluiceTheme theme;

  if (!has_plot (self))
    return;
  SluiceSettingsPlot plot = get_plot (self);
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) plot.width, (float) plot.height));
  sluice_theme_from_widget (&theme, widget);
  sluice_settings_plot_draw (&plot, self->table, cr, &theme);
  cairo_destroy (cr);
  if (gtk_widget_has_visible_focus (widget))
    sluice_snapshot_focus_ring (snapshot, widget);
}

void
sluice_settings_area_set_table (SluiceSettingsArea *self, const SluiceSettingsTable *table)
{
  self->table = table;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  describe (self);
}

void
sluice_settings_area_set_kind (SluiceSettingsArea *self,
                               SluiceSettingsPlotKind kind,
                               guint x,
                               guint y)
{
  self->kind = kind;
  self->x = x;
  self->y = y;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  describe (self);
}

/* ---- pointer and keys ---- */

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, SluiceSettingsArea *self)
{
  if (!has_plot (self))
    return;
  SluiceSettingsPlot plot = get_plot (self);
  mark (self, sluice_settings_plot_find (&plot, self->table, x, y));
}

static void
leave_cb (SluiceSettingsArea *self)
{
  mark (self, 0);
}

/* Up and Down go from run to run. */
static gboolean
key_cb (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        SluiceSettingsArea *self)
{
  int direction = key == GDK_KEY_Down ? 1 : key == GDK_KEY_Up ? -1 : 0;
  int n = has_plot (self) ? (int) self->table->rows->len : 0;
  int at = -1;

  if (key == GDK_KEY_Escape && self->marked != 0)
    {
      mark (self, 0);
      return TRUE;
    }
  if (direction == 0 || n == 0)
    return FALSE;
  for (int i = 0; i < n; i++)
    if (((SluiceSettingsRow *) g_ptr_array_index (self->table->rows, i))->run == self->marked)
      at = i;
  at = at < 0 ? (direction > 0 ? 0 : n - 1) : (at + direction + n) % n;
  mark (self, ((SluiceSettingsRow *) g_ptr_array_index (self->table->rows, at))->run);
  return TRUE;
}

/* ---- life ---- */

static void
sluice_settings_area_class_init (SluiceSettingsAreaClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = sluice_settings_area_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  run_marked_signal = g_signal_new ("run-marked", SLUICE_TYPE_SETTINGS_AREA, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
sluice_settings_area_init (SluiceSettingsArea *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  describe (self);
}

GtkWidget *
sluice_settings_area_new (void)
{
  return g_object_new (SLUICE_TYPE_SETTINGS_AREA, NULL);
}
