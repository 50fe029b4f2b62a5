/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-pane.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/runs/run-settings.h"
#include "app/runs/seed-heading.h"
#include "app/window-state.h"
#include "ui/chart/sparkline.h"
#include "ui/chart/ticks.h"
#include "ui/common/paint.h"
#include "ui/common/widget.h"

#define MOST_SETTINGS 3   /* in a row; its tooltip has all */
#define MOST_ROWS     200 /* more of them nobody looks through here: the table has all */

/* ---- a row ---- */

#define SLUICE_TYPE_RUN_ROW (sluice_run_row_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunRow, sluice_run_row, SLUICE, RUN_ROW, GtkListBoxRow)

struct _SluiceRunRow
{
  GtkListBoxRow parent;
  GtkWidget *content;
  GtkWidget *heading; /* (nullable): in its stead, where it stands for all runs of its group */
  GtkToggleButton *shown;
  GtkDrawingArea *dot;
  GtkLabel *name, *status, *settings;
  SluiceSparkline *sparkline;
  SluiceRun *run;
  SluiceRunSet *set;
  GHashTable *differing; /* (nullable): names of the settings that tell it apart */
  gboolean has_curve;
  SluiceColor color; /* of dot and curve */
};

G_DEFINE_FINAL_TYPE (SluiceRunRow, sluice_run_row, GTK_TYPE_LIST_BOX_ROW)

/* Full where the run's curves are shown, a ring where they are not, and of a draft, which has none:
 * a shape, not only a colour. */
static void
draw_dot (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  SluiceRunRow *self = data;
  SluiceColor color = sluice_run_get_color (self->run);
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  sluice_cairo_set_color (cr, sluice_color_readable (color, theme.card, 3));
  cairo_set_line_width (cr, 1.5);
  cairo_arc (cr, width / 2., height / 2., 4.5, 0, 2 * G_PI);
  if (sluice_run_get_shown (self->run)
      && sluice_run_get_info (self->run)->state != SLUICE_RUN_DRAFT)
    cairo_fill (cr);
  else
    cairo_stroke (cr);
}

static void
points_added_cb (SluiceRunRow *self)
{
  SluiceRunSeries *loss = sluice_run_find_series (self->run, "loss");
  SluiceColor color = sluice_run_get_color (self->run);
  gboolean is_other = memcmp (&color, &self->color, sizeof color) != 0;
  if (is_other)
    gtk_widget_queue_draw (GTK_WIDGET (self->dot));
  if (loss != NULL && loss->buffer != NULL && (!self->has_curve || is_other))
    {
      self->has_curve = TRUE;
      gtk_widget_set_visible (GTK_WIDGET (self->sparkline), TRUE);
      sluice_sparkline_set_source (self->sparkline, sluice_series_buffer_as_source (loss->buffer),
                                   color);
    }
  self->color = color;
  sluice_sparkline_refresh (self->sparkline);
}

static char *
dup_own_settings (SluiceRunRow *self, guint most)
{
  return self->differing != NULL ? sluice_run_dup_own_settings (self->run, self->differing, most)
                                 : g_strdup ("");
}

/* What a screen reader says of the row. */
static void
status_changed_cb (SluiceRunRow *self)
{
  g_autofree char *status = NULL;
  g_object_get (self->run, "status", &status, NULL);
  g_autofree char *label =
      self->heading != NULL
          ? g_strdup (sluice_seed_heading_get_name (self->heading))
          : g_strdup_printf ("%s, %s", sluice_run_get_info (self->run)->name, status);
  points_added_cb (self); /* in another colour, if it has one */
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
state_changed_cb (SluiceRunRow *self)
{
  gboolean failed = sluice_run_get_info (self->run)->state == SLUICE_RUN_FAILED;
  const char *said_last = failed ? sluice_run_get_info (self->run)->message : NULL;
  g_autofree char *message = said_last != NULL ? sluice_failure_sentence (said_last) : NULL;
  g_autofree char *all = dup_own_settings (self, G_MAXUINT);
  const char *own = g_str_equal (all, gtk_label_get_label (self->settings)) ? "" : all;
  g_autofree char *tooltip = message != NULL && *own != '\0'
                                 ? g_strdup_printf ("%s\n%s", message, own)
                                 : g_strdup (message != NULL ? message : own);
  const char *said = *tooltip != '\0' ? tooltip : NULL;
  if (g_strcmp0 (said, gtk_widget_get_tooltip_text (GTK_WIDGET (self))) != 0)
    gtk_widget_set_tooltip_text (GTK_WIDGET (self), said); /* which asks the display */
  if (failed)
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self->status), "dim-label");
      gtk_widget_add_css_class (GTK_WIDGET (self->status), "error");
    }
  else
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self->status), "error");
      gtk_widget_add_css_class (GTK_WIDGET (self->status), "dim-label");
    }
}

static void
shown_clicked_cb (SluiceRunRow *self)
{
  sluice_run_set_set_checked (self->set, sluice_run_get_info (self->run)->id,
                              gtk_toggle_button_get_active (self->shown));
}

static GtkWidget *
run_row_new (SluiceRun *run, SluiceRunSet *set)
{
  SluiceRunRow *self = g_object_new (SLUICE_TYPE_RUN_ROW, NULL);
  self->run = g_object_ref (run);
  self->set = g_object_ref (set);
  g_autofree char *label =
      g_strdup_printf (_ ("Show the curves of %s"), sluice_run_get_info (run)->name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->shown), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  g_object_bind_property (run, "name", self->name, "label", G_BINDING_SYNC_CREATE);
  g_object_bind_property (run, "status", self->status, "label", G_BINDING_SYNC_CREATE);
  g_object_bind_property (run, "shown", self->shown, "active", G_BINDING_SYNC_CREATE);
  g_signal_connect_swapped (self->shown, "clicked", G_CALLBACK (shown_clicked_cb), self);
  g_signal_connect_object (run, "notify::shown", G_CALLBACK (gtk_widget_queue_draw), self->dot,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (run, "notify::status", G_CALLBACK (status_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (run, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (run, "points-added", G_CALLBACK (points_added_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_drawing_area_set_draw_func (self->dot, draw_dot, self, NULL);
  state_changed_cb (self);
  status_changed_cb (self);
  points_added_cb (self);
  return GTK_WIDGET (self);
}

/* @differing: (nullable); @member: of a group, whose heading says what all have alike. */
static void
run_row_set_differing (SluiceRunRow *self, GHashTable *differing, gboolean member)
{
  g_clear_pointer (&self->differing, g_hash_table_unref);
  self->differing = differing != NULL ? g_hash_table_ref (differing) : NULL;
  g_autofree char *own = dup_own_settings (self, member ? 0 : MOST_SETTINGS);
  gtk_label_set_label (self->settings, own);
  gtk_widget_set_visible (GTK_WIDGET (self->settings), *own != '\0');
  if (member)
    gtk_widget_add_css_class (GTK_WIDGET (self), "seed-member");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "seed-member");
  state_changed_cb (self);
}

/* @heading: (nullable) (transfer floating) */
static void
run_row_set_heading (SluiceRunRow *self, GtkWidget *heading)
{
  if (self->heading == heading)
    return;
  self->heading = heading;
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), heading != NULL ? heading : self->content);
}

static void
sluice_run_row_dispose (GObject *object)
{
  SLUICE_RUN_ROW (object)->heading = NULL;
  g_clear_object (&SLUICE_RUN_ROW (object)->run);
  g_clear_object (&SLUICE_RUN_ROW (object)->set);
  g_clear_pointer (&SLUICE_RUN_ROW (object)->differing, g_hash_table_unref);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (object), NULL);
  g_clear_object (&SLUICE_RUN_ROW (object)->content);
  gtk_widget_dispose_template (GTK_WIDGET (object), SLUICE_TYPE_RUN_ROW);
  G_OBJECT_CLASS (sluice_run_row_parent_class)->dispose (object);
}

static void
sluice_run_row_class_init (SluiceRunRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_run_row_dispose;
  g_type_ensure (SLUICE_TYPE_SPARKLINE);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/run-row.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceRunRow, content);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunRow, shown);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunRow, dot);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunRow, name);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunRow, status);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunRow, settings);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunRow, sparkline);
}

static void
sluice_run_row_init (SluiceRunRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_object_ref (self->content);
}

/* ---- the pane ---- */

struct _SluiceRunsPane
{
  GtkWidget parent;
  GtkBox *box;
  GtkListBox *list;
  GMenuModel *row_menu;
  GtkButton *rest; /* to those that have no row */
  SluiceWorkspace *workspace;
  SluiceRunSet *shown;
  GListStore *rows;      /* of SluiceRun: the runs, those of a group together */
  GPtrArray *groups;     /* of SluiceSeedGroup */
  GHashTable *folded;    /* keys of those that are one row */
  GHashTable *differing; /* project -> set of the names of settings in which its runs differ */
  guint64 arranged;      /* hash of the runs when they were put in order */
  gboolean arranging;
  GtkWidget *popover; /* over the row that was asked for its menu */
};

G_DEFINE_FINAL_TYPE (SluiceRunsPane, sluice_runs_pane, GTK_TYPE_WIDGET)

static GtkWidget *
create_row (gpointer item, gpointer data)
{
  return run_row_new (item, data);
}

static void
row_selected_cb (SluiceRunsPane *self, GtkListBoxRow *row)
{
  SluiceRun *run = row != NULL ? SLUICE_RUN_ROW (row)->run : NULL;
  if (self->arranging)
    return; /* the row of the same run is made anew */
  sluice_run_set_set_front (self->shown, run != NULL ? sluice_run_get_info (run)->id : 0);
}

/* A run that begins is in front, and so selected. */
static void
select_front (SluiceRunsPane *self)
{
  gint64 front = sluice_run_set_get_front (self->shown);
  SluiceRun *selected = sluice_runs_pane_get_selected (self);
  GtkListBoxRow *row;
  if (front == 0 || (selected != NULL && sluice_run_get_info (selected)->id == front))
    return;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    if (sluice_run_get_info (SLUICE_RUN_ROW (row)->run)->id == front)
      {
        gtk_list_box_select_row (self->list, row);
        return;
      }
  /* One that only the table has. */
  gboolean arranging = self->arranging;
  self->arranging = TRUE;
  gtk_list_box_unselect_all (self->list);
  self->arranging = arranging;
}

/* ---- their order ---- */

/* (nullable) */
static GHashTable *
get_differing (SluiceRunsPane *self, SluiceRun *run)
{
  const char *project = sluice_run_get_info (run)->project;
  return project != NULL ? g_hash_table_lookup (self->differing, project) : NULL;
}

static const SluiceSeedGroup *
get_group (SluiceRunsPane *self, GtkListBoxRow *row)
{
  return sluice_seed_groups_find (self->groups, SLUICE_RUN_ROW (row)->run);
}

static gboolean
is_folded (SluiceRunsPane *self, const SluiceSeedGroup *group)
{
  return group != NULL && g_hash_table_contains (self->folded, sluice_seed_group_get_key (group));
}

/* Of a folded group one row is left, that of its newest run. */
static gboolean
has_row (SluiceRunsPane *self, SluiceRun *run)
{
  const SluiceSeedGroup *group = sluice_seed_groups_find (self->groups, run);
  return !is_folded (self, group) || group->runs->pdata[group->runs->len - 1] == run;
}

static void
update_heading (SluiceRunsPane *self, GtkWidget *heading, SluiceRun *run)
{
  GHashTable *differing = get_differing (self, run);
  g_autofree char *settings =
      differing != NULL ? sluice_run_dup_own_settings (run, differing, MOST_SETTINGS) : NULL;
  sluice_seed_heading_update (heading, settings,
                              is_folded (self, sluice_seed_groups_find (self->groups, run)));
}

static void
header_cb (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  SluiceRunsPane *self = data;
  const SluiceSeedGroup *group = get_group (self, row);
  const SluiceSeedGroup *above = before != NULL ? get_group (self, before) : NULL;
  GtkWidget *heading = gtk_list_box_row_get_header (row);
  if (group == NULL || group == above || is_folded (self, group))
    gtk_list_box_row_set_header (row, NULL);
  else if (heading == NULL || !sluice_seed_heading_is_of (heading, group))
    {
      heading = sluice_seed_heading_new (group, self->shown);
      update_heading (self, heading, SLUICE_RUN_ROW (row)->run);
      gtk_list_box_row_set_header (row, heading);
    }
}

/* Rows that stay where they are stay as they are. */
static void
set_rows (SluiceRunsPane *self, GPtrArray *sorted)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows)), start = 0, end = 0;
  for (; start < MIN (n, sorted->len); start++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (G_LIST_MODEL (self->rows), start);
      if (run != sorted->pdata[start])
        break;
    }
  for (; end < MIN (n, sorted->len) - start; end++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (G_LIST_MODEL (self->rows), n - 1 - end);
      if (run != sorted->pdata[sorted->len - 1 - end])
        break;
    }
  g_list_store_splice (self->rows, start, n - start - end, sorted->pdata + start,
                       sorted->len - start - end);
}

/* (transfer full): project -> set of the names of the settings in which its runs differ. */
static GHashTable *
find_differing (GPtrArray *runs)
{
  g_autoptr (GHashTable) of_project =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  GHashTable *differing =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_hash_table_unref);
  GHashTableIter iter;
  gpointer project, list;
  for (guint i = 0; i < runs->len; i++)
    {
      SluiceRun *run = runs->pdata[i];
      const char *name = sluice_run_get_info (run)->project;
      if (name == NULL || sluice_run_get_settings (run)->len == 0)
        continue;
      list = g_hash_table_lookup (of_project, name);
      if (list == NULL)
        {
          list = g_ptr_array_new ();
          g_hash_table_insert (of_project, (gpointer) name, list);
        }
      g_ptr_array_add (list, run);
    }
  g_hash_table_iter_init (&iter, of_project);
  while (g_hash_table_iter_next (&iter, &project, &list))
    g_hash_table_insert (differing, g_strdup (project), sluice_runs_find_differing (list));
  return differing;
}

/* Of the row that stands for its group, if it does. */
static void
update_folded (SluiceRunsPane *self, SluiceRunRow *row, const SluiceSeedGroup *group)
{
  if (!is_folded (self, group))
    run_row_set_heading (row, NULL);
  else if (row->heading == NULL || !sluice_seed_heading_is_of (row->heading, group))
    run_row_set_heading (row, sluice_seed_heading_new (group, self->shown));
  if (row->heading != NULL)
    update_heading (self, row->heading, row->run);
  status_changed_cb (row); /* it is called otherwise */
}

static void
update_rows (SluiceRunsPane *self)
{
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      const SluiceSeedGroup *group = get_group (self, row);
      run_row_set_differing (SLUICE_RUN_ROW (row), get_differing (self, SLUICE_RUN_ROW (row)->run),
                             group != NULL && !is_folded (self, group));
      update_folded (self, SLUICE_RUN_ROW (row), group);
    }
  gtk_list_box_invalidate_headers (self->list);
}

static void
show_rest (SluiceRunsPane *self, GPtrArray *sorted)
{
  guint n_rest = sorted->len > MOST_ROWS ? sorted->len - MOST_ROWS : 0;
  g_autofree char *n = sluice_format_step (n_rest);
  g_autofree char *words = g_strdup_printf (ngettext ("%s older run", "%s older runs", n_rest), n);
  gtk_button_set_label (self->rest, words);
  gtk_widget_set_visible (GTK_WIDGET (self->rest), n_rest > 0);
  g_ptr_array_set_size (sorted, (int) MIN (sorted->len, MOST_ROWS));
}

static void
arrange (SluiceRunsPane *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  GPtrArray *groups = sluice_seed_groups_new (runs, TRUE);
  g_autoptr (GPtrArray) sorted = sluice_seed_groups_sort (groups, runs);
  gint64 front = sluice_run_set_get_front (self->shown);
  self->arranging = TRUE;
  g_ptr_array_unref (self->groups);
  self->groups = groups;
  show_rest (self, sorted);
  g_clear_pointer (&self->differing, g_hash_table_unref);
  self->differing = find_differing (sorted);
  for (guint i = sorted->len; i-- > 0;)
    if (!has_row (self, sorted->pdata[i]))
      g_ptr_array_remove_index (sorted, i);
  set_rows (self, sorted);
  update_rows (self);
  select_front (self);
  self->arranging = FALSE;
  /* The run that was selected is gone. */
  g_autoptr (SluiceRun) selected = sluice_workspace_dup_run (self->workspace, front);
  if (front != 0 && selected == NULL)
    sluice_run_set_set_front (self->shown, 0);
}

/* ---- folding ---- */

/* The focus stays with the group: what had it may be gone. */
static void
focus_group (SluiceRunsPane *self, const char *key)
{
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      const SluiceSeedGroup *group = get_group (self, row);
      if (group != NULL && g_str_equal (sluice_seed_group_get_key (group), key))
        {
          gtk_widget_grab_focus (GTK_WIDGET (row));
          return;
        }
    }
}

static void
fold_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceRunsPane *self = SLUICE_RUNS_PANE (widget);
  g_autofree char *key = g_variant_dup_string (parameter, NULL); /* of a button that goes */
  if (!g_hash_table_remove (self->folded, key))
    g_hash_table_add (self->folded, g_strdup (key));
  arrange (self);
  focus_group (self, key);
}

/* Left folds the group of the row that has the focus, Right shows its runs. */
static gboolean
fold_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  SluiceRunsPane *self = SLUICE_RUNS_PANE (widget);
  gboolean folds = g_variant_get_boolean (args);
  GtkWidget *focus = gtk_widget_get_focus_child (GTK_WIDGET (self->list));
  const SluiceSeedGroup *group =
      SLUICE_IS_RUN_ROW (focus) ? get_group (self, GTK_LIST_BOX_ROW (focus)) : NULL;
  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    folds = !folds;
  if (group == NULL || folds == is_folded (self, group))
    return FALSE;
  gtk_widget_activate_action (widget, "runs-pane.fold", "s", sluice_seed_group_get_key (group));
  return TRUE;
}

void
sluice_runs_pane_keep_state (SluiceRunsPane *self, GKeyFile *state, gboolean saves)
{
  sluice_state_keep_set (state, saves, "runs-pane", "folded", self->folded);
  if (!saves)
    arrange (self);
}

/* What the rows are ordered by is read by and by; results come all the time. */
static void
changed_cb (SluiceRunsPane *self)
{
  /* Which of them are shown changes nothing of it. 0 is what nobody has seen. */
  guint64 hash = 1 + sluice_workspace_get_contents (self->workspace);
  GtkListBoxRow *row;
  if (hash != self->arranged)
    arrange (self);
  self->arranged = hash;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      GtkWidget *heading = SLUICE_RUN_ROW (row)->heading != NULL
                               ? SLUICE_RUN_ROW (row)->heading
                               : gtk_list_box_row_get_header (row);
      if (heading != NULL)
        update_heading (self, heading, SLUICE_RUN_ROW (row)->run);
    }
}

void
sluice_runs_pane_set_runs (SluiceRunsPane *self, SluiceWorkspace *workspace, SluiceRunSet *shown)
{
  g_assert (self->shown == NULL);
  self->workspace = g_object_ref (workspace);
  self->shown = g_object_ref (shown);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (self->rows), create_row, shown, NULL);
  gtk_list_box_set_header_func (self->list, header_cb, self, NULL);
  g_signal_connect_swapped (self->list, "row-selected", G_CALLBACK (row_selected_cb), self);
  /* Before the set looks at them: it wants their rows to be there. */
  g_signal_connect_object (sluice_workspace_get_runs (workspace), "items-changed",
                           G_CALLBACK (arrange), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (shown, "changed", G_CALLBACK (select_front), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (shown, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  arrange (self);
}

SluiceRun *
sluice_runs_pane_get_selected (SluiceRunsPane *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  return row != NULL ? SLUICE_RUN_ROW (row)->run : NULL;
}

void
sluice_runs_pane_search (SluiceRunsPane *self, const SluiceQuery *query, SluiceHits *hits)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const char *name = sluice_run_get_info (run)->name;
      if (sluice_query_matches_text (query, name))
        sluice_hits_add (hits, G_OBJECT (self), "media-record-symbolic", name, _ ("run"));
    }
}

void
sluice_runs_pane_select (SluiceRunsPane *self, const char *name)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const SluiceSeedGroup *group = sluice_seed_groups_find (self->groups, run);
      if (!g_str_equal (sluice_run_get_info (run)->name, name))
        continue;
      if (is_folded (self, group))
        gtk_widget_activate_action (GTK_WIDGET (self), "runs-pane.fold", "s",
                                    sluice_seed_group_get_key (group));
      sluice_run_set_set_front (self->shown, sluice_run_get_info (run)->id);
    }
}

/* (nullable): the next row from @at on, exclusive, whose run is shown. */
static GtkListBoxRow *
find_shown (SluiceRunsPane *self, int at, int by)
{
  GtkListBoxRow *row;
  for (int i = at + by; i >= 0 && (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL;
       i += by)
    if (sluice_run_get_shown (SLUICE_RUN_ROW (row)->run))
      return row;
  return NULL;
}

void
sluice_runs_pane_leave_selected (SluiceRunsPane *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  if (row == NULL)
    return;
  int at = gtk_list_box_row_get_index (row);
  GtkListBoxRow *next = find_shown (self, at, 1);
  next = next != NULL ? next : find_shown (self, at, -1);
  GtkListBoxRow *beside = next;
  beside = beside != NULL ? beside : gtk_list_box_get_row_at_index (self->list, at + 1);
  beside = beside != NULL || at == 0 ? beside : gtk_list_box_get_row_at_index (self->list, at - 1);
  /* Left to GTK the focus would take the selection with it, too. */
  self->arranging = TRUE;
  if (beside != NULL && gtk_widget_has_focus (GTK_WIDGET (row)))
    gtk_widget_grab_focus (GTK_WIDGET (beside));
  gtk_list_box_unselect_all (self->list);
  self->arranging = FALSE;
  if (next != NULL)
    gtk_list_box_select_row (self->list, next);
  else
    sluice_run_set_set_front (self->shown, 0);
}

static void
open_menu (SluiceRunsPane *self, GtkListBoxRow *row, double x, double y)
{
  graphene_point_t at;
  gtk_list_box_select_row (self->list, row);
  if (!gtk_widget_compute_point (GTK_WIDGET (self->list), GTK_WIDGET (self),
                                 &GRAPHENE_POINT_INIT (x, y), &at))
    return;
  gtk_popover_set_pointing_to (GTK_POPOVER (self->popover), &(GdkRectangle){ at.x, at.y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->popover));
}

static void
pressed_cb (GtkGestureClick *gesture, int n, double x, double y, SluiceRunsPane *self)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_y (self->list, y);
  if (row != NULL)
    open_menu (self, row, x, y);
}

/* The Menu key and Shift+F10. */
static gboolean
menu_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  SluiceRunsPane *self = SLUICE_RUNS_PANE (widget);
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  graphene_rect_t bounds;
  if (row == NULL
      || !gtk_widget_compute_bounds (GTK_WIDGET (row), GTK_WIDGET (self->list), &bounds))
    return FALSE;
  open_menu (self, row, bounds.origin.x + 24, bounds.origin.y + bounds.size.height);
  return TRUE;
}

static void
sluice_runs_pane_dispose (GObject *object)
{
  SluiceRunsPane *self = SLUICE_RUNS_PANE (object);
  if (self->shown != NULL)
    g_signal_handlers_disconnect_by_data (self->list, self);
  g_clear_object (&self->shown);
  g_clear_object (&self->workspace);
  g_clear_object (&self->rows);
  g_clear_pointer (&self->groups, g_ptr_array_unref);
  g_clear_pointer (&self->folded, g_hash_table_unref);
  g_clear_pointer (&self->differing, g_hash_table_unref);
  g_clear_pointer (&self->popover, gtk_widget_unparent);
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_RUNS_PANE);
  G_OBJECT_CLASS (sluice_runs_pane_parent_class)->dispose (object);
}

static void
sluice_runs_pane_class_init (SluiceRunsPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_runs_pane_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/runs-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPane, box);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPane, list);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPane, rest);
  gtk_widget_class_bind_template_child (widget_class, SluiceRunsPane, row_menu);
  gtk_widget_class_install_action (widget_class, "runs-pane.fold", "s", fold_action);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Left, 0, fold_key_cb, "b", TRUE);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Right, 0, fold_key_cb, "b", FALSE);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Menu, 0, menu_key_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, menu_key_cb, NULL);
}

static void
sluice_runs_pane_init (SluiceRunsPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_list_store_new (SLUICE_TYPE_RUN);
  self->groups = g_ptr_array_new ();
  self->folded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->differing = g_hash_table_new (g_str_hash, g_str_equal);
  self->popover = gtk_popover_menu_new_from_model (self->row_menu);
  gtk_popover_set_has_arrow (GTK_POPOVER (self->popover), FALSE);
  gtk_widget_set_parent (self->popover, GTK_WIDGET (self));
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->list), GTK_EVENT_CONTROLLER (click));
}
