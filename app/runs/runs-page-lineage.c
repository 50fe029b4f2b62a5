/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/status-text.h"
#include "ui/chart/ticks.h"

enum
{
  MOST_LINES = 24,
  MOST_WANTED = 24,  /* selected runs whose families are looked for */
  MOST_CHANGES = 2,  /* settings that are told of a fork */
  MOST_HEIGHT = 240, /* pixels; more lines scroll */
};

/* ---- what came of what: on a worker ---- */

typedef struct
{
  SluiceStore *store;
  GArray *wanted; /* of gint64: none: all that were forked */
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_object_unref (self->store);
  g_array_unref (self->wanted);
  g_free (self);
}

/* Newest first. */
static void
add_forked (GArray *wanted, GPtrArray *infos)
{
  for (guint i = 0; i < infos->len && wanted->len < MOST_WANTED; i++)
    {
      const SluiceRunInfo *info = infos->pdata[i];
      if (info->parent != 0)
        g_array_append_val (wanted, info->id);
    }
}

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  GError *error = NULL;
  g_autoptr (GPtrArray) infos = sluice_store_dup_runs (question->store, &error);
  if (infos != NULL && question->wanted->len == 0)
    add_forked (question->wanted, infos);
  SluiceLineage *lineage =
      infos != NULL ? sluice_lineage_new (infos, question->wanted, MOST_LINES) : NULL;
  if (lineage != NULL && sluice_lineage_read (lineage, question->store, &error))
    {
      g_task_return_pointer (task, lineage, (GDestroyNotify) sluice_lineage_free);
      return;
    }
  g_clear_pointer (&lineage, sluice_lineage_free);
  g_task_return_error (task, error);
}

/* (transfer full) (nullable): what it has otherwise than its parent: the first few settings. */
static char *
dup_change (SluiceRunsPage *self, const SluiceRunEntry *entry, const SluiceRunEntry *parent)
{
  GPtrArray *columns = sluice_run_table_get_columns (self->table);
  g_autoptr (GString) words = g_string_new (NULL);
  guint n = 0;
  for (guint i = 0; i < columns->len && n < MOST_CHANGES; i++)
    {
      const SluiceRunColumn *column = columns->pdata[i];
      if (column->kind != SLUICE_RUN_COLUMN_SETTING)
        continue;
      g_autofree char *is = sluice_run_column_dup_text (column, entry);
      g_autofree char *was = sluice_run_column_dup_text (column, parent);
      if (strcmp (is, was) != 0)
        g_string_append_printf (words, "%s%s %s", n++ > 0 ? ", " : "", column->name,
                                *is != '\0' ? is : "–");
    }
  return n > 0 ? g_string_free (g_steal_pointer (&words), FALSE) : NULL;
}

/* (transfer full) (nullable): the best value of the result that tells most. */
static char *
dup_outcome (const SluiceRunEntry *entry)
{
  g_autoptr (GPtrArray) alone = g_ptr_array_new ();
  double best;
  gint64 step;
  g_ptr_array_add (alone, (gpointer) entry);
  const char *tag = sluice_importance_choose_result (alone);
  for (guint i = 0; tag != NULL && i < entry->results->len; i++)
    {
      const SluiceRunResult *result = entry->results->pdata[i];
      if (strcmp (result->tag, tag) == 0 && sluice_run_result_get_best (result, &best, &step))
        return sluice_format_value (best, sluice_tag_unit (tag));
    }
  return NULL;
}

/* What the table knows of them. */
static void
tell_lines (SluiceRunsPage *self, SluiceLineage *lineage)
{
  for (guint i = 0; i < lineage->lines->len; i++)
    {
      SluiceLineageLine *line = lineage->lines->pdata[i];
      SluiceRunItem *item = sluice_run_table_find (self->table, line->run);
      const SluiceLineageLine *from =
          line->parent >= 0 ? lineage->lines->pdata[line->parent] : NULL;
      SluiceRunItem *parent = from != NULL ? sluice_run_table_find (self->table, from->run) : NULL;
      if (item == NULL)
        continue; /* it began meanwhile */
      line->outcome = dup_outcome (sluice_run_item_get_entry (item));
      line->plan = sluice_status_plan_text (sluice_run_item_get_entry (item)->info);
      if (parent != NULL && line->state != SLUICE_RUN_DRAFT) /* whose settings are in its form */
        line->change =
            dup_change (self, sluice_run_item_get_entry (item), sluice_run_item_get_entry (parent));
    }
}

static void
lineage_read (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (object);
  SluiceLineage *lineage = g_task_propagate_pointer (G_TASK (result), NULL);
  self->tracing = FALSE;
  if (self->lineage == NULL) /* the page goes */
    {
      g_clear_pointer (&lineage, sluice_lineage_free);
      return;
    }
  gboolean is_there = lineage != NULL && lineage->lines->len > 0;
  if (is_there)
    tell_lines (self, lineage);
  sluice_lineage_view_take (self->lineage, lineage);
  gtk_widget_set_visible (self->lineage_box, is_there);
  if (self->traces_again)
    sluice_runs_page_update_lineage (self);
}

void
sluice_runs_page_update_lineage (SluiceRunsPage *self)
{
  SluiceStore *store =
      self->workspace != NULL ? sluice_workspace_get_store (self->workspace) : NULL;
  self->traces_again = self->tracing;
  if (self->tracing || store == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  /* Unasked it tells of the newest runs, which are none of the trash. */
  if (items->len == 0 && sluice_run_table_get_trash (self->table))
    {
      gtk_widget_set_visible (self->lineage_box, FALSE);
      return;
    }
  Question *question = g_new (Question, 1);
  *question = (Question){ g_object_ref (store), g_array_new (FALSE, FALSE, sizeof (gint64)) };
  for (guint i = 0; i < MIN (items->len, MOST_WANTED); i++)
    g_array_append_val (question->wanted, sluice_run_item_get_entry (items->pdata[i])->info->id);
  self->tracing = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, lineage_read, NULL);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, read_in_worker);
}

/* ---- its place below the table ---- */

static void
fork_cb (SluiceRunsPage *self, gint64 run, gint64 step)
{
  if (!sluice_run_table_get_trash (self->table))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.fork-run", "(xx)", run, step);
}

static void
run_chosen_cb (SluiceRunsPage *self, gint64 run)
{
  sluice_run_set_set_front (self->shown, run);
}

GtkWidget *
sluice_runs_page_add_below (SluiceRunsPage *self,
                            const char *title,
                            const char *hint,
                            GtkWidget *content)
{
  GtkWidget *scroller = gtk_scrolled_window_new (), *head = gtk_label_new (NULL);
  GtkWidget *expander = gtk_expander_new (NULL);
  g_autofree char *markup = g_markup_printf_escaped (
      " <b>%s</b>   <span alpha=\"70%%\" size=\"small\">%s</span>", title, hint);
  gtk_label_set_markup (GTK_LABEL (head), markup);
  gtk_label_set_ellipsize (GTK_LABEL (head), PANGO_ELLIPSIZE_END);
  gtk_expander_set_label_widget (GTK_EXPANDER (expander), head);
  gtk_expander_set_expanded (GTK_EXPANDER (expander), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (expander), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), MOST_HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), content);
  gtk_expander_set_child (GTK_EXPANDER (expander), scroller);
  gtk_widget_add_css_class (expander, "lineage");
  gtk_widget_set_visible (expander, FALSE);
  gtk_box_append (self->box, expander);
  return expander;
}

void
sluice_runs_page_init_lineage (SluiceRunsPage *self)
{
  self->lineage = SLUICE_LINEAGE_VIEW (sluice_lineage_view_new ());
  self->lineage_box = sluice_runs_page_add_below (
      self, _ ("Lineage"), _ ("a ring is a checkpoint: drag it out to fork from there"),
      GTK_WIDGET (self->lineage));
  g_signal_connect_object (self->lineage, "fork", G_CALLBACK (fork_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->lineage, "run-chosen", G_CALLBACK (run_chosen_cb), self,
                           G_CONNECT_SWAPPED);
}
