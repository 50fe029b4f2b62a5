/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/sweep-view.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/status-text.h"
#include "engine/store/kinds/hparams.h"
#include "ui/chart/settings-area.h"
#include "ui/chart/ticks.h"
#include "ui/common/paint.h"
#include "ui/common/widget.h"
#include "ui/common/wrap.h"

enum
{
  MOST_AXES = 8,     /* settings that are drawn: those that decide most */
  MOST_SHARES = 6,   /* that are listed */
  MOST_LETTERS = 18, /* of a setting's name */
  PLOT_WIDTH = 260,  /* pixels, at least */
  PLOT_HEIGHT = 180,
  BAR_WIDTH = 90,
  BAR_HEIGHT = 10,
};

struct _SluiceSweepView
{
  GtkWidget parent;
  GtkWidget *wrap;
  SluiceSettingsArea *area;
  GtkBox *side;
  GtkLabel *marked_label;
  SluiceSettingsTable *table; /* (nullable) */
  SluiceImportance *found;    /* (nullable) */
  gint64 marked;
};

G_DEFINE_FINAL_TYPE (SluiceSweepView, sluice_sweep_view, GTK_TYPE_WIDGET)

static guint run_chosen_signal;

/* ---- the lines ---- */

static void
add_row (SluiceSettingsTable *table, const SluiceRunEntry *entry, const char *result)
{
  SluiceColor color = sluice_run_info_get_color (entry->info);
  SluiceSettingsRow *row =
      sluice_settings_table_add_row (table, entry->info->id, entry->info->name, color);
  const SluiceRunResult *outcome = sluice_run_entry_get_result (entry, result);
  for (guint i = 0; i < table->columns->len; i++)
    {
      const SluiceSettingsColumn *column = table->columns->pdata[i];
      const SluiceSetting *setting =
          column->is_result ? NULL : sluice_run_entry_get_setting (entry, column->name);
      if (column->is_result)
        row->cells[i].number = outcome != NULL ? outcome->last : NAN;
      else if (setting != NULL)
        row->cells[i] = (SluiceSettingsCell){ setting->number, g_strdup (setting->text) };
    }
}

static SluiceSettingsTable *
make_table (const SluiceImportance *found, GPtrArray *entries)
{
  SluiceSettingsTable *table = sluice_settings_table_new ();
  const char *slash = strrchr (found->result, '/'); /* an axis has little room for its name */
  for (guint i = 0; i < MIN (found->settings->len, MOST_AXES); i++)
    {
      const SluiceSettingImportance *setting = found->settings->pdata[i];
      sluice_settings_table_add_column (table, setting->name, FALSE, SLUICE_UNIT_NONE);
    }
  sluice_settings_table_add_column (table, slash != NULL ? slash + 1 : found->result, TRUE,
                                    sluice_tag_unit (found->result));
  for (guint i = 0; i < entries->len; i++)
    add_row (table, entries->pdata[i], found->result);
  return table;
}

/* ---- the shares ---- */

static GtkWidget *
new_label (const char *words, const char *style)
{
  GtkWidget *label = gtk_label_new (words);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  return label;
}

/* The share as a bar, ± as a whisker. */
static void
draw_bar (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const SluiceSettingImportance *setting = data;
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (area)) == GTK_TEXT_DIR_RTL;
  double y = height / 2.0, from = MAX (setting->share - setting->plus_minus, 0) * width;
  double to = MIN (setting->share + setting->plus_minus, 1) * width;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  if (mirrored)
    {
      cairo_translate (cr, width, 0);
      cairo_scale (cr, -1, 1);
    }
  sluice_cairo_set_color (cr, sluice_color_with_alpha (theme.dim, 0.2));
  sluice_cairo_rounded_rect (cr, &(SluiceRect){ 0, y - 3, width, 6 }, 3);
  cairo_fill (cr);
  sluice_cairo_set_color (cr, theme.accent);
  sluice_cairo_rounded_rect (cr, &(SluiceRect){ 0, y - 3, MAX (setting->share * width, 3), 6 }, 3);
  cairo_fill (cr);
  sluice_cairo_set_color (cr, theme.text);
  cairo_set_line_width (cr, 1.5);
  cairo_move_to (cr, from, y);
  cairo_line_to (cr, to, y);
  cairo_stroke (cr);
}

static GtkWidget *
new_bar (const SluiceSettingImportance *setting)
{
  GtkWidget *bar = gtk_drawing_area_new ();
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (bar), BAR_WIDTH);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (bar), BAR_HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (bar), draw_bar, (gpointer) setting, NULL);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (bar, TRUE);
  gtk_accessible_update_state (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  return bar;
}

/* (transfer full): "87 % ± 16" */
static char *
dup_share (const SluiceSettingImportance *setting)
{
  return g_strdup_printf ("%.0f\u202f%% ± %.0f", 100 * setting->share, 100 * setting->plus_minus);
}

/* (transfer full): which way it goes, as far as that can be said of all of them. */
static char *
dup_direction (const SluiceSettingImportance *setting, const char *result)
{
  if (isnan (setting->correlation))
    return g_strdup_printf (ngettext ("%s: %u value", "%s: %u values", setting->n_values),
                            setting->name, setting->n_values);
  return g_strdup_printf (setting->correlation < 0 ? _ ("%s: %s falls with it (correlation %+.2f)")
                                                   : _ ("%s: %s rises with it (correlation %+.2f)"),
                          setting->name, result, setting->correlation);
}

static void
add_share (SluiceSweepView *self, GtkGrid *grid, int at, const SluiceSettingImportance *setting)
{
  g_autofree char *share = setting->why != NULL ? NULL : dup_share (setting);
  g_autofree char *direction = dup_direction (setting, self->found->result);
  GtkWidget *name = new_label (setting->name, NULL);
  GtkWidget *words = new_label (share != NULL ? share : _ ("not known"), "numeric");
  if (g_utf8_strlen (setting->name, -1) > MOST_LETTERS)
    {
      gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_width_chars (GTK_LABEL (name), MOST_LETTERS);
    }
  gtk_label_set_xalign (GTK_LABEL (words), 1);
  gtk_widget_set_tooltip_text (name, direction);
  gtk_widget_set_tooltip_text (words, setting->why != NULL ? _ (setting->why) : direction);
  if (share == NULL)
    gtk_widget_add_css_class (words, "dim-label");
  gtk_grid_attach (grid, name, 0, at, 1, 1);
  if (share != NULL)
    gtk_grid_attach (grid, new_bar (setting), 1, at, 1, 1);
  gtk_grid_attach (grid, words, 2, at, 1, 1);
}

static gboolean
knows_any (const SluiceImportance *found)
{
  for (guint i = 0; i < found->settings->len; i++)
    if (((const SluiceSettingImportance *) found->settings->pdata[i])->why == NULL)
      return TRUE;
  return FALSE;
}

static void
add_wrapped (SluiceSweepView *self, const char *words)
{
  GtkWidget *label = new_label (words, "dim-label");
  gtk_widget_add_css_class (label, "caption");
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 40);
  gtk_box_append (self->side, label);
}

static void
show_shares (SluiceSweepView *self)
{
  const SluiceImportance *found = self->found;
  GtkWidget *child, *grid = gtk_grid_new ();
  guint n = MIN (found->settings->len, MOST_SHARES);
  g_autofree char *head = g_strdup_printf (_ ("What decides %s"), found->result);
  g_autofree char *few = g_strdup_printf (
      ngettext ("Too few runs to say it: %u. Each value wants several runs.",
                "Too few runs to say it: %u. Each value wants several runs.", found->n),
      found->n);
  g_autofree char *how = g_strdup_printf (
      ngettext ("Share of the order of %u run that a setting explains by itself, ± 95 %%",
                "Share of the order of %u runs that a setting explains by itself, ± 95 %%",
                found->n),
      found->n);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->side))) != NULL)
    gtk_box_remove (self->side, child);
  gtk_box_append (self->side, new_label (head, "heading"));
  gtk_grid_set_column_spacing (GTK_GRID (grid), 10);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  for (guint i = 0; i < n && knows_any (found); i++)
    add_share (self, GTK_GRID (grid), (int) i, found->settings->pdata[i]);
  gtk_box_append (self->side, grid);
  add_wrapped (self, knows_any (found) ? how : few);
}

/* ---- all of it ---- */

gboolean
sluice_sweep_view_show (SluiceSweepView *self, GPtrArray *entries, const char *result)
{
  const char *tag = result != NULL ? result : sluice_importance_choose_result (entries);
  SluiceImportance *found = tag != NULL ? sluice_importance_new (entries, tag) : NULL;
  gboolean any = found != NULL && found->settings->len > 0 && found->n > 0;
  SluiceSettingsTable *table = any ? make_table (found, entries) : NULL;
  /* What is drawn points into what is freed now. */
  if (any)
    {
      g_autoptr (SluiceImportance) before = self->found;
      g_autoptr (SluiceSettingsTable) old = self->table;
      self->found = found;
      self->table = table;
      sluice_settings_area_set_table (self->area, table);
      show_shares (self);
    }
  else
    g_clear_pointer (&found, sluice_importance_free);
  return any;
}

char *
sluice_sweep_view_dup_text (SluiceSweepView *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; self->found != NULL && i < self->found->settings->len; i++)
    {
      const SluiceSettingImportance *setting = self->found->settings->pdata[i];
      g_autofree char *share = setting->why == NULL ? dup_share (setting) : NULL;
      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", setting->name,
                              share != NULL ? share : _ ("not known"));
    }
  return g_string_free (text, FALSE);
}

/* ---- the marked run ---- */

static void
marked_cb (SluiceSweepView *self, gint64 run)
{
  g_autofree char *text = run != 0 ? sluice_settings_area_dup_text (self->area) : NULL;
  self->marked = run;
  gtk_label_set_label (self->marked_label, text != NULL ? text : "");
}

static void
choose (SluiceSweepView *self)
{
  if (self->marked != 0)
    g_signal_emit (self, run_chosen_signal, 0, self->marked);
}

static gboolean
key_cb (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        SluiceSweepView *self)
{
  if (self->marked == 0 || (key != GDK_KEY_Return && key != GDK_KEY_KP_Enter))
    return FALSE;
  choose (self);
  return TRUE;
}

/* ---- life ---- */

static void
sluice_sweep_view_dispose (GObject *object)
{
  SluiceSweepView *self = SLUICE_SWEEP_VIEW (object);
  g_clear_pointer (&self->wrap, gtk_widget_unparent);
  g_clear_pointer (&self->table, sluice_settings_table_free);
  g_clear_pointer (&self->found, sluice_importance_free);
  G_OBJECT_CLASS (sluice_sweep_view_parent_class)->dispose (object);
}

static void
sluice_sweep_view_class_init (SluiceSweepViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_sweep_view_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  run_chosen_signal = g_signal_new ("run-chosen", SLUICE_TYPE_SWEEP_VIEW, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

static GtkWidget *
new_plot (SluiceSweepView *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  self->area = SLUICE_SETTINGS_AREA (sluice_settings_area_new ());
  self->marked_label = GTK_LABEL (new_label (NULL, "dim-label"));
  gtk_label_set_ellipsize (self->marked_label, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->marked_label), "caption");
  gtk_widget_set_size_request (GTK_WIDGET (self->area), PLOT_WIDTH, PLOT_HEIGHT);
  gtk_widget_set_hexpand (box, TRUE);
  g_signal_connect_object (self->area, "run-marked", G_CALLBACK (marked_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (click, "released", G_CALLBACK (choose), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_cb), self, 0);
  gtk_widget_add_controller (GTK_WIDGET (self->area), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self->area), keys);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->area));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->marked_label));
  return box;
}

static void
sluice_sweep_view_init (SluiceSweepView *self)
{
  self->wrap = sluice_wrap_new (16, FALSE);
  self->side = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_widget_set_valign (GTK_WIDGET (self->side), GTK_ALIGN_CENTER);
  sluice_wrap_append (SLUICE_WRAP (self->wrap), new_plot (self));
  sluice_wrap_append (SLUICE_WRAP (self->wrap), GTK_WIDGET (self->side));
  gtk_widget_set_parent (self->wrap, GTK_WIDGET (self));
}

GtkWidget *
sluice_sweep_view_new (void)
{
  return g_object_new (SLUICE_TYPE_SWEEP_VIEW, NULL);
}
