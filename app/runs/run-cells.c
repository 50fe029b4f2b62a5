/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-cells.h"

#include <glib/gi18n.h>

#include "ui/chart/sparkline.h"
#include "ui/chart/ticks.h"
#include "ui/common/color.h"
#include "ui/common/widget.h"

#define MOST_PILLS  3
#define N_HUES      7 /* of pills: app/style.css */
#define CURVE_WIDTH 66

/* One cell, which shows one run after the other. */
typedef struct
{
  SluiceRunCells *cells;
  SluiceRunColumn *column;
  GtkListItem *place;
  GtkWidget *box, *icon, *label, *detail; /* (nullable) but for the box */
  SluiceRunItem *item;                    /* (nullable) */
  SluiceRun *run;                         /* (nullable): whose curve is drawn */
  gulong listed; /* of the workspace, as long as it does not list the run; 0: none */
  gulong changed, points_added;
} Cell;

static const struct
{
  const char *icon, *css;
} states[] = {
  [SLUICE_RUN_DRAFT] = { "document-edit-symbolic", "state-quiet" },
  [SLUICE_RUN_RUNNING] = { "sluice-start-symbolic", "state-running" },
  [SLUICE_RUN_PAUSED] = { "sluice-pause-symbolic", "state-quiet" },
  [SLUICE_RUN_STOPPED] = { "sluice-stop-symbolic", "state-quiet" },
  [SLUICE_RUN_FINISHED] = { "object-select-symbolic", "state-finished" },
  [SLUICE_RUN_FAILED] = { "window-close-symbolic", "state-failed" },
  [SLUICE_RUN_CRASHED] = { "sluice-crash-symbolic", "state-failed" },
  [SLUICE_RUN_WAITING] = { "document-open-recent-symbolic", "state-quiet" },
};

const char *
sluice_run_cells_get_icon (SluiceRunState state)
{
  return states[state].icon;
}

/* ---- what they show ---- */

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* "lenet-2, finished, starred": the row, which GTK 4.8 gives no name. */
static void
name_row (Cell *self, const SluiceRunInfo *info)
{
  GtkWidget *cell = gtk_widget_get_parent (self->box);
  GtkWidget *row = cell != NULL ? gtk_widget_get_parent (cell) : NULL;
  if (row == NULL)
    return;
  const char *state = _ (sluice_run_state_name (info->state));
  g_autofree char *name = info->is_starred
                              ? g_strdup_printf (_ ("%s, %s, starred"), info->name, state)
                              : g_strdup_printf ("%s, %s", info->name, state);
  name_widget (row, name);
}

static void
show_star (Cell *self, const SluiceRunInfo *info)
{
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon),
                                info->is_starred ? "starred-symbolic" : "non-starred-symbolic");
  if (info->is_starred)
    gtk_widget_add_css_class (self->icon, "run-starred");
  else
    gtk_widget_remove_css_class (self->icon, "run-starred");
}

static void
show_state (Cell *self, const SluiceRunEntry *entry)
{
  SluiceRunState state = entry->info->state;
  g_autofree char *detail = sluice_run_column_dup_detail (self->column, entry);
  const char *classes[] = { states[state].css, NULL };
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), states[state].icon);
  gtk_widget_set_css_classes (self->icon, classes);
  gtk_label_set_label (GTK_LABEL (self->detail), detail != NULL ? detail : "");
  if (state == SLUICE_RUN_FAILED || state == SLUICE_RUN_CRASHED)
    gtk_widget_add_css_class (self->label, "error");
  else
    gtk_widget_remove_css_class (self->label, "error");
  gtk_widget_set_tooltip_text (self->box, entry->info->message);
}

static void
points_added_cb (Cell *self)
{
  SluiceRunSeries *series =
      self->run != NULL ? sluice_run_find_series (self->run, SLUICE_RUN_CURVE_TAG) : NULL;
  if (series != NULL && series->buffer != NULL)
    sluice_sparkline_set_source (SLUICE_SPARKLINE (self->icon),
                                 sluice_series_buffer_as_source (series->buffer),
                                 sluice_palette_color (sluice_run_get_color (self->run)));
}

static void
leave_run (Cell *self)
{
  if (self->listed != 0)
    g_clear_signal_handler (&self->listed, self->cells->workspace);
  if (self->run == NULL)
    return;
  g_clear_signal_handler (&self->points_added, self->run);
  g_clear_object (&self->run);
}

/* The table may be read before the workspace lists its runs, whose points are drawn. */
static void
find_run (Cell *self)
{
  SluiceWorkspace *workspace = self->cells->workspace;
  const SluiceRunInfo *info = sluice_run_item_get_entry (self->item)->info;
  self->run = workspace != NULL ? sluice_workspace_dup_run (workspace, info->id) : NULL;
  if (self->run == NULL && workspace != NULL && self->listed == 0)
    self->listed = g_signal_connect_swapped (workspace, "changed", G_CALLBACK (find_run), self);
  if (self->run == NULL)
    return;
  if (self->listed != 0)
    g_clear_signal_handler (&self->listed, workspace);
  self->points_added =
      g_signal_connect_swapped (self->run, "points-added", G_CALLBACK (points_added_cb), self);
  points_added_cb (self);
}

static void
show_curve (Cell *self)
{
  const SluiceRunCells *all = self->cells;
  leave_run (self);
  sluice_sparkline_set_source (SLUICE_SPARKLINE (self->icon), NULL, sluice_palette_color (0));
  if (all->has_scale)
    sluice_sparkline_set_scale (SLUICE_SPARKLINE (self->icon), all->least, all->greatest,
                                all->last_step);
  find_run (self);
}

static void
show_tags (Cell *self, const SluiceRunInfo *info)
{
  GtkWidget *child;
  guint n = info->tags != NULL ? g_strv_length (info->tags) : 0;
  while ((child = gtk_widget_get_first_child (self->box)) != NULL)
    gtk_box_remove (GTK_BOX (self->box), child);
  for (guint i = 0; i < MIN (n, MOST_PILLS); i++)
    {
      GtkWidget *pill = gtk_label_new (info->tags[i]);
      g_autofree char *hue = g_strdup_printf ("tag-%u", g_str_hash (info->tags[i]) % N_HUES);
      gtk_label_set_ellipsize (GTK_LABEL (pill), PANGO_ELLIPSIZE_END);
      gtk_widget_set_valign (pill, GTK_ALIGN_CENTER);
      gtk_widget_add_css_class (pill, "run-tag");
      gtk_widget_add_css_class (pill, hue);
      gtk_box_append (GTK_BOX (self->box), pill);
    }
  if (n > MOST_PILLS)
    {
      g_autofree char *rest = g_strdup_printf ("+%u", n - MOST_PILLS);
      GtkWidget *label = gtk_label_new (rest);
      gtk_widget_add_css_class (label, "dim-label");
      gtk_box_append (GTK_BOX (self->box), label);
    }
}

/* The best value where the last one stands, and the other way round. */
static void
tell_more (Cell *self, const SluiceRunEntry *entry)
{
  for (guint i = 0; i < entry->results->len; i++)
    {
      const SluiceRunResult *result = entry->results->pdata[i];
      double best;
      gint64 step;
      if (g_strcmp0 (result->tag, self->column->name) != 0)
        continue;
      if (!sluice_run_result_get_best (result, &best, &step))
        break;
      SluiceRunColumn other = *self->column;
      other.kind = SLUICE_RUN_COLUMN_BEST;
      g_autofree char *best_text = sluice_run_column_dup_text (&other, entry);
      other.kind = SLUICE_RUN_COLUMN_LAST;
      g_autofree char *last_text = sluice_run_column_dup_text (&other, entry);
      g_autofree char *step_text = sluice_format_step (step);
      g_autofree char *words = g_strdup_printf (_ ("%s: last %s, best %s at step %s"), result->tag,
                                                last_text, best_text, step_text);
      gtk_widget_set_tooltip_text (self->box, words);
      return;
    }
  gtk_widget_set_tooltip_text (self->box, NULL);
}

static void
update_cell (Cell *self)
{
  const SluiceRunEntry *entry = sluice_run_item_get_entry (self->item);
  g_autofree char *text = sluice_run_column_dup_text (self->column, entry);
  GtkWidget *cell = gtk_widget_get_parent (self->box);
  if (self->label != NULL)
    gtk_label_set_label (GTK_LABEL (self->label), text);
  if (cell != NULL)
    {
      g_autofree char *name = g_strdup_printf ("%s: %s", self->column->title, text);
      name_widget (cell, name);
    }
  switch (self->column->kind)
    {
    case SLUICE_RUN_COLUMN_STAR:
      show_star (self, entry->info);
      break;
    case SLUICE_RUN_COLUMN_NAME:
      sluice_dot_set_color (self->icon, sluice_palette_color ((guint) (entry->info->id - 1)));
      gtk_widget_set_tooltip_text (self->box, entry->info->name);
      name_row (self, entry->info);
      break;
    case SLUICE_RUN_COLUMN_STATE:
      show_state (self, entry);
      break;
    case SLUICE_RUN_COLUMN_CURVE:
      show_curve (self);
      break;
    case SLUICE_RUN_COLUMN_TAGS:
      show_tags (self, entry->info);
      break;
    case SLUICE_RUN_COLUMN_BEST:
    case SLUICE_RUN_COLUMN_LAST:
      tell_more (self, entry);
      break;
    default:
      break;
    }
}

/* ---- their widgets ---- */

static void
star_clicked_cb (Cell *self)
{
  if (self->item != NULL)
    self->cells->star (self->item, self->cells->data);
}

/* By keys the star is an action of the table: a stop in each row is one too many. */
static GtkWidget *
new_icon (Cell *self)
{
  GtkWidget *icon;
  switch (self->column->kind)
    {
    case SLUICE_RUN_COLUMN_STAR:
      icon = gtk_image_new ();
      GtkGesture *click = gtk_gesture_click_new ();
      g_signal_connect_swapped (click, "released", G_CALLBACK (star_clicked_cb), self);
      gtk_widget_add_controller (icon, GTK_EVENT_CONTROLLER (click));
      return icon;
    case SLUICE_RUN_COLUMN_NAME:
      return sluice_dot_new ();
    case SLUICE_RUN_COLUMN_STATE:
      return gtk_image_new ();
    case SLUICE_RUN_COLUMN_CURVE:
      icon = sluice_sparkline_new ();
      gtk_widget_set_size_request (icon, CURVE_WIDTH, -1);
      gtk_widget_set_valign (icon, GTK_ALIGN_CENTER);
      return icon;
    default:
      return NULL;
    }
}

static gboolean
has_label (SluiceRunColumnKind kind)
{
  return kind != SLUICE_RUN_COLUMN_STAR && kind != SLUICE_RUN_COLUMN_CURVE
         && kind != SLUICE_RUN_COLUMN_TAGS;
}

static void
add_label (Cell *self)
{
  gboolean is_state = self->column->kind == SLUICE_RUN_COLUMN_STATE;
  self->label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->label), self->column->is_number ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->label),
                           is_state ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_label_set_single_line_mode (GTK_LABEL (self->label), TRUE);
  gtk_widget_set_hexpand (self->label, !is_state);
  if (self->column->is_number)
    gtk_widget_add_css_class (self->label, "numeric");
  if (self->column->kind == SLUICE_RUN_COLUMN_NAME || self->column->kind == SLUICE_RUN_COLUMN_BEST)
    gtk_widget_add_css_class (self->label, "run-strong");
  gtk_box_append (GTK_BOX (self->box), self->label);
  if (!is_state)
    return;
  self->detail = gtk_label_new (NULL);
  gtk_label_set_single_line_mode (GTK_LABEL (self->detail), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (self->detail), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->detail, "dim-label");
  gtk_widget_add_css_class (self->detail, "numeric");
  gtk_widget_add_css_class (self->detail, "caption");
  gtk_box_append (GTK_BOX (self->box), self->detail);
}

static void
cell_free (gpointer data)
{
  Cell *self = data;
  leave_run (self);
  if (self->item != NULL)
    g_clear_signal_handler (&self->changed, self->item);
  g_clear_object (&self->item);
  sluice_run_column_free (self->column);
  g_free (self);
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *place, gpointer data)
{
  Cell *self = g_new0 (Cell, 1);
  self->cells = data;
  self->column = sluice_run_column_copy (g_object_get_data (G_OBJECT (factory), "column"));
  self->place = place;
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->icon = new_icon (self);
  if (self->icon != NULL)
    gtk_box_append (GTK_BOX (self->box), self->icon);
  if (has_label (self->column->kind))
    add_label (self);
  g_object_set_data_full (G_OBJECT (place), "cell", self, cell_free);
  gtk_list_item_set_child (place, self->box);
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *place, gpointer data)
{
  Cell *self = g_object_get_data (G_OBJECT (place), "cell");
  self->item = g_object_ref (gtk_list_item_get_item (place));
  self->changed = g_signal_connect_swapped (self->item, "changed", G_CALLBACK (update_cell), self);
  update_cell (self);
}

static void
unbind_cb (GtkSignalListItemFactory *factory, GtkListItem *place, gpointer data)
{
  Cell *self = g_object_get_data (G_OBJECT (place), "cell");
  leave_run (self);
  g_clear_signal_handler (&self->changed, self->item);
  g_clear_object (&self->item);
}

GtkListItemFactory *
sluice_run_cells_new_factory (SluiceRunCells *cells, const SluiceRunColumn *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_object_set_data_full (G_OBJECT (factory), "column", sluice_run_column_copy (column),
                          (GDestroyNotify) sluice_run_column_free);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), cells);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), cells);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), cells);
  return factory;
}
