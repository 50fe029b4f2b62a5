/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-cells.h"

#include <glib/gi18n.h>

#include "ui/chart/mean-source.h"
#include "ui/chart/sparkline.h"
#include "ui/chart/ticks.h"
#include "ui/common/cell-label.h"
#include "ui/common/color.h"
#include "ui/common/widget.h"

#define MOST_PILLS   3
#define MOST_LETTERS 18 /* of a pill */
#define N_HUES       7  /* of pills: app/style.css */
#define CURVE_WIDTH  66
#define MOST_CURVES  64 /* of a group, of which the mean is drawn */
#define INDENT       26 /* of a group's members, in pixels */

/* One cell, which shows one run after the other. */
typedef struct
{
  SluiceRunCells *cells;
  SluiceRunColumn *column;
  GtkListItem *place;
  GtkWidget *box, *icon, *label; /* (nullable) but for the box */
  GtkWidget *arrow;              /* (nullable): of the name of a group */
  SluiceRunItem *item;           /* (nullable) */
  GPtrArray *runs; /* of SluiceRun: whose curve is drawn, or the mean of whose curves */
  gulong listed;   /* of the workspace, as long as it does not list them all; 0: none */
  gulong changed;
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

const char *
sluice_run_cells_get_style (SluiceRunState state)
{
  return states[state].css;
}

/* ---- what they show ---- */

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* "lenet-2, finished, starred": (transfer full) */
static char *
dup_row_name (SluiceRunItem *item, const SluiceRunInfo *info)
{
  GPtrArray *members = sluice_run_item_get_members (item);
  const char *state = _ (sluice_run_state_name (info->state));
  if (members != NULL)
    return g_strdup_printf (
        ngettext ("%s, group of %u run, %s", "%s, group of %u runs, %s", members->len), info->name,
        members->len, state);
  return info->is_starred ? g_strdup_printf (_ ("%s, %s, starred"), info->name, state)
                          : g_strdup_printf ("%s, %s", info->name, state);
}

/* The row, which GTK 4.8 gives no name. */
static void
name_row (Cell *self, const SluiceRunInfo *info)
{
  GtkWidget *cell = gtk_widget_get_parent (self->box);
  GtkWidget *row = cell != NULL ? gtk_widget_get_parent (cell) : NULL;
  if (row == NULL)
    return;
  g_autofree char *name = dup_row_name (self->item, info);
  name_widget (row, name);
  g_object_set_data_full (G_OBJECT (row), "item", g_object_ref (self->item), g_object_unref);
  if (sluice_run_item_get_members (self->item) == NULL)
    {
      gtk_accessible_reset_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED);
      gtk_widget_remove_css_class (row, "run-group");
      return;
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED,
                               sluice_run_item_get_open (self->item), -1);
  gtk_widget_add_css_class (row, "run-group");
}

SluiceRunItem *
sluice_run_cells_get_item_of (GtkWidget *focus)
{
  for (; focus != NULL; focus = gtk_widget_get_parent (focus))
    if (g_object_get_data (G_OBJECT (focus), "item") != NULL)
      return g_object_get_data (G_OBJECT (focus), "item");
  return NULL;
}

/* GTK 4.8 has the whole row measured, and its style found, even where nothing is another. */
static void
set_icon (GtkWidget *image, const char *name)
{
  if (g_strcmp0 (gtk_image_get_icon_name (GTK_IMAGE (image)), name) != 0)
    gtk_image_set_from_icon_name (GTK_IMAGE (image), name);
}

static void
arrow_clicked_cb (GtkGesture *gesture, int n, double x, double y, Cell *self)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  if (self->item != NULL)
    self->cells->toggle (self->item, self->cells->data);
}

/* By keys a group is opened by an action of the table. */
static void
add_arrow (Cell *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  self->arrow = gtk_image_new ();
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->arrow), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  g_signal_connect (click, "pressed", G_CALLBACK (arrow_clicked_cb), self);
  gtk_widget_add_controller (self->arrow, GTK_EVENT_CONTROLLER (click));
  gtk_box_prepend (GTK_BOX (self->box), self->arrow);
}

/* Only rows that have been a group's have one: each widget is styled whenever its row comes into
 * sight, which is most of what scrolling costs. */
static void
show_arrow (Cell *self, gboolean is_group)
{
  if (is_group && self->arrow == NULL)
    add_arrow (self);
  if (self->arrow == NULL)
    return;
  gtk_widget_set_visible (self->arrow, is_group);
  set_icon (self->arrow,
            sluice_run_item_get_open (self->item) ? "pan-down-symbolic" : "pan-end-symbolic");
}

static void
show_name (Cell *self, const SluiceRunInfo *info)
{
  GPtrArray *members = sluice_run_item_get_members (self->item);
  sluice_dot_set_color (self->icon, sluice_palette_color ((guint) (info->id - 1)));
  sluice_dot_set_square (self->icon, members != NULL);
  show_arrow (self, members != NULL);
  gtk_widget_set_margin_start (self->box, sluice_run_item_is_member (self->item) ? INDENT : 0);
  name_row (self, info);
}

static void
show_star (Cell *self, const SluiceRunInfo *info)
{
  set_icon (self->icon, info->is_starred ? "starred-symbolic" : "non-starred-symbolic");
  if (info->is_starred)
    gtk_widget_add_css_class (self->icon, "run-starred");
  else
    gtk_widget_remove_css_class (self->icon, "run-starred");
}

static void
show_state (Cell *self, const SluiceRunEntry *entry)
{
  SluiceRunState state = entry->info->state;
  const char *classes[] = { states[state].css, NULL };
  set_icon (self->icon, states[state].icon);
  if (!gtk_widget_has_css_class (self->icon, states[state].css))
    gtk_widget_set_css_classes (self->icon, classes);
  if (state == SLUICE_RUN_FAILED || state == SLUICE_RUN_CRASHED)
    gtk_widget_add_css_class (self->label, "error");
  else
    gtk_widget_remove_css_class (self->label, "error");
}

static const char *
get_curve_tag (const Cell *self)
{
  return self->column->name != NULL ? self->column->name : SLUICE_RUN_CURVE_TAG;
}

/* (nullable) (transfer full): the series that is drawn, or their mean. What is in sight is read. */
static SluiceSeriesSource *
dup_source (Cell *self)
{
  SluiceSeriesSource *mean = NULL;
  for (guint i = 0; i < self->runs->len; i++)
    {
      SluiceRunSeries *series = sluice_run_find_series (self->runs->pdata[i], get_curve_tag (self));
      if (series == NULL)
        continue;
      if (!series->wanted)
        sluice_workspace_want (self->cells->workspace, series, TRUE);
      if (series->buffer == NULL)
        continue;
      SluiceSeriesSource *source = sluice_series_buffer_as_source (series->buffer);
      if (self->runs->len == 1)
        return sluice_series_source_ref (source);
      if (mean == NULL)
        mean = sluice_mean_source_new (SLUICE_SPREAD_DEVIATION);
      sluice_mean_source_add (mean, sluice_run_get_info (self->runs->pdata[i])->name, source);
    }
  return mean;
}

static void
points_added_cb (Cell *self)
{
  SluiceSeriesSource *source = dup_source (self);
  if (source == NULL)
    return;
  sluice_sparkline_set_banded (SLUICE_SPARKLINE (self->icon), self->runs->len > 1);
  sluice_sparkline_set_source (SLUICE_SPARKLINE (self->icon), source,
                               sluice_palette_color (sluice_run_get_color (self->runs->pdata[0])));
  sluice_series_source_unref (source);
}

static void
leave_runs (Cell *self)
{
  if (self->listed != 0)
    g_clear_signal_handler (&self->listed, self->cells->workspace);
  for (guint i = 0; i < self->runs->len; i++)
    g_signal_handlers_disconnect_by_data (self->runs->pdata[i], self);
  g_ptr_array_set_size (self->runs, 0);
}

/* FALSE: the workspace does not list it yet. */
static gboolean
add_run (Cell *self, SluiceRunItem *item)
{
  SluiceRun *run =
      sluice_workspace_dup_run (self->cells->workspace, sluice_run_item_get_entry (item)->info->id);
  if (run == NULL)
    return FALSE;
  g_ptr_array_add (self->runs, run);
  g_signal_connect_swapped (run, "points-added", G_CALLBACK (points_added_cb), self);
  return TRUE;
}

/* The table may be read before the workspace lists its runs, whose points are drawn. */
static void
find_runs (Cell *self)
{
  SluiceWorkspace *workspace = self->cells->workspace;
  GPtrArray *members = sluice_run_item_get_members (self->item);
  gboolean all = TRUE;
  if (workspace == NULL)
    return;
  gulong listed = self->listed;
  self->listed = 0;
  leave_runs (self);
  self->listed = listed;
  for (guint i = 0; i < (members != NULL ? MIN (members->len, MOST_CURVES) : 1); i++)
    all &= add_run (self, members != NULL ? members->pdata[i] : self->item);
  if (!all && self->listed == 0)
    self->listed = g_signal_connect_swapped (workspace, "changed", G_CALLBACK (find_runs), self);
  else if (all && self->listed != 0)
    g_clear_signal_handler (&self->listed, workspace);
  points_added_cb (self);
}

static void
scale_curve (Cell *self)
{
  const SluiceRunCells *all = self->cells;
  if (all->has_scale)
    sluice_sparkline_set_scale (SLUICE_SPARKLINE (self->icon), all->least, all->greatest,
                                all->last_step);
}

void
sluice_run_cells_set_scale (SluiceRunCells *cells, double least, double greatest, double last_step)
{
  GHashTableIter iter;
  gpointer cell;
  if (cells->has_scale && cells->least == least && cells->greatest == greatest
      && cells->last_step == last_step)
    return;
  cells->has_scale = TRUE;
  cells->least = least;
  cells->greatest = greatest;
  cells->last_step = last_step;
  if (cells->curves == NULL)
    return;
  g_hash_table_iter_init (&iter, cells->curves);
  while (g_hash_table_iter_next (&iter, &cell, NULL))
    scale_curve (cell);
}

static void
show_curve (Cell *self)
{
  leave_runs (self);
  sluice_sparkline_set_source (SLUICE_SPARKLINE (self->icon), NULL, sluice_palette_color (0));
  scale_curve (self);
  find_runs (self);
}

GtkWidget *
sluice_run_cells_new_pill (const char *tag, const char *words)
{
  GtkWidget *pill = gtk_label_new (NULL);
  g_autofree char *hue = g_strdup_printf ("tag-%u", g_str_hash (tag) % N_HUES);
  sluice_run_cells_set_pill (pill, words);
  gtk_widget_set_valign (pill, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (pill, "run-tag");
  gtk_widget_add_css_class (pill, hue);
  return pill;
}

void
sluice_run_cells_set_pill (GtkWidget *pill, const char *words)
{
  gboolean is_long = g_utf8_strlen (words, -1) > MOST_LETTERS;
  gtk_label_set_label (GTK_LABEL (pill), words);
  gtk_label_set_ellipsize (GTK_LABEL (pill),
                           is_long ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_width_chars (GTK_LABEL (pill), is_long ? MOST_LETTERS : -1);
  gtk_label_set_max_width_chars (GTK_LABEL (pill), is_long ? MOST_LETTERS : -1);
}

static void
show_tags (Cell *self, const SluiceRunInfo *info)
{
  GtkWidget *child;
  guint n = info->tags != NULL ? g_strv_length (info->tags) : 0;
  while ((child = gtk_widget_get_first_child (self->box)) != NULL)
    gtk_box_remove (GTK_BOX (self->box), child);
  for (guint i = 0; i < MIN (n, MOST_PILLS); i++)
    gtk_box_append (GTK_BOX (self->box), sluice_run_cells_new_pill (info->tags[i], info->tags[i]));
  if (n > MOST_PILLS)
    {
      g_autofree char *rest = g_strdup_printf ("+%u", n - MOST_PILLS);
      GtkWidget *label = gtk_label_new (rest);
      gtk_widget_add_css_class (label, "dim-label");
      gtk_box_append (GTK_BOX (self->box), label);
    }
}

/* (transfer full) (nullable): the best value where the last one stands, and the other way round. */
static char *
dup_more (Cell *self, const SluiceRunEntry *entry)
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
      return g_strdup_printf (_ ("%s: last %s, best %s at step %s"), result->tag, last_text,
                              best_text, step_text);
    }
  return NULL;
}

/* Made when it is asked for: rows that scroll by have many cells. */
static gboolean
query_tooltip_cb (GtkWidget *box, int x, int y, gboolean by_key, GtkTooltip *tooltip, Cell *self)
{
  g_autofree char *words = NULL;
  if (self->item == NULL)
    return FALSE;
  const SluiceRunEntry *entry = sluice_run_item_get_entry (self->item);
  if (self->column->kind == SLUICE_RUN_COLUMN_NAME)
    words = g_strdup (entry->info->name);
  else if (self->column->kind == SLUICE_RUN_COLUMN_STATE)
    words = g_strdup (entry->info->message);
  else if (self->column->kind == SLUICE_RUN_COLUMN_BEST
           || self->column->kind == SLUICE_RUN_COLUMN_LAST)
    words = dup_more (self, entry);
  gtk_tooltip_set_text (tooltip, words);
  return words != NULL;
}

/* (transfer full) (nullable): faint, behind the words: of a group how many it has. */
static char *
dup_detail (Cell *self)
{
  GPtrArray *members = sluice_run_item_get_members (self->item);
  if (self->column->kind == SLUICE_RUN_COLUMN_NAME)
    return members != NULL ? g_strdup_printf ("· %u", members->len) : NULL;
  return sluice_run_item_dup_detail (self->item, self->column);
}

static void
update_cell (Cell *self)
{
  const SluiceRunEntry *entry = sluice_run_item_get_entry (self->item);
  g_autofree char *text = sluice_run_item_dup_text (self->item, self->column);
  g_autofree char *detail = dup_detail (self);
  GtkWidget *cell = gtk_widget_get_parent (self->box);
  if (self->label != NULL)
    sluice_cell_label_set (SLUICE_CELL_LABEL (self->label), text, detail);
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
      show_name (self, entry->info);
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

static GtkWidget *
new_label (Cell *self)
{
  SluiceRunColumnKind kind = self->column->kind;
  GtkWidget *label = sluice_cell_label_new (
      self->column->is_number, kind == SLUICE_RUN_COLUMN_STATE ? PANGO_ELLIPSIZE_NONE
                               : kind == SLUICE_RUN_COLUMN_NAME
                                   ? PANGO_ELLIPSIZE_MIDDLE /* a sweep's differ at their end */
                                   : PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  if (kind == SLUICE_RUN_COLUMN_NAME || kind == SLUICE_RUN_COLUMN_BEST)
    gtk_widget_add_css_class (label, "run-strong");
  return label;
}

/* One widget where that is all: two hundred rows are kept, and each widget of theirs costs when the
 * list is scrolled. */
static void
make_content (Cell *self)
{
  SluiceRunColumnKind kind = self->column->kind;
  self->icon = new_icon (self);
  if (kind == SLUICE_RUN_COLUMN_STAR || kind == SLUICE_RUN_COLUMN_CURVE)
    self->box = self->icon;
  else if (kind == SLUICE_RUN_COLUMN_TAGS)
    self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  else
    self->box = self->label = new_label (self);
  if (kind != SLUICE_RUN_COLUMN_NAME && kind != SLUICE_RUN_COLUMN_STATE)
    return;
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append (GTK_BOX (self->box), self->icon);
  gtk_box_append (GTK_BOX (self->box), self->label);
}

static void
cell_free (gpointer data)
{
  Cell *self = data;
  leave_runs (self);
  g_ptr_array_unref (self->runs);
  if (self->cells->curves != NULL)
    g_hash_table_remove (self->cells->curves, self);
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
  self->runs = g_ptr_array_new_with_free_func (g_object_unref);
  make_content (self);
  gtk_widget_set_has_tooltip (self->box, TRUE);
  g_signal_connect (self->box, "query-tooltip", G_CALLBACK (query_tooltip_cb), self);
  if (self->column->kind == SLUICE_RUN_COLUMN_CURVE && self->cells->curves != NULL)
    g_hash_table_add (self->cells->curves, self);
  /* In GTK 4.8 cells are items of a list as their row is: both would toggle it on Ctrl+click, and
   * nothing would come of that. */
  gtk_list_item_set_selectable (place, FALSE);
  gtk_list_item_set_activatable (place, FALSE);
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
  leave_runs (self);
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
