/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-set.h"

#include <string.h>

#include "engine/base/error.h"

struct _SluiceRunSet
{
  GObject parent;
  SluiceWorkspace *workspace;
  char *project;      /* (nullable) */
  GHashTable *chosen; /* gint64 run -> GINT_TO_POINTER (gboolean): checked or hidden by somebody */
  gint64 front, solo; /* 0: none */
  gboolean follows;   /* the front has begun; nobody chose it */
  guint64 n_changes;  /* how often other runs were shown */
};

G_DEFINE_FINAL_TYPE (SluiceRunSet, sluice_run_set, G_TYPE_OBJECT)

static guint changed_signal;

static gboolean
is_checked (SluiceRunSet *self, const SluiceRunInfo *info)
{
  gpointer checked;
  if (g_hash_table_lookup_extended (self->chosen, &info->id, NULL, &checked))
    return GPOINTER_TO_INT (checked);
  /* An imported run is of no project, and so of none that would be in its way. */
  return info->id == self->front || self->project == NULL || info->project == NULL
         || strcmp (info->project, self->project) == 0;
}

/* Says to each run whether it is shown. */
static void
update (SluiceRunSet *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  gboolean reads_more = FALSE;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      const SluiceRunInfo *info = sluice_run_get_info (run);
      gboolean shown = self->solo != 0 ? info->id == self->solo : is_checked (self, info);
      reads_more |= shown && !sluice_run_get_shown (run);
      self->n_changes += shown != sluice_run_get_shown (run);
      sluice_run_set_shown (run, shown);
    }
  if (reads_more)
    sluice_workspace_refresh (self->workspace); /* of a run that is not shown little is read */
  g_signal_emit (self, changed_signal, 0);
}

/* Runs came or went. */
static void
items_changed_cb (SluiceRunSet *self)
{
  if (self->solo != 0)
    {
      g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self->workspace, self->solo);
      if (run == NULL)
        self->solo = 0;
    }
  self->n_changes++; /* one that went may have been shown */
  update (self);
}

SluiceRunSet *
sluice_run_set_new (SluiceWorkspace *workspace)
{
  SluiceRunSet *self = g_object_new (SLUICE_TYPE_RUN_SET, NULL);
  self->workspace = g_object_ref (workspace);
  g_signal_connect_object (sluice_workspace_get_runs (workspace), "items-changed",
                           G_CALLBACK (items_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER); /* rows are there by then */
  return self;
}

void
sluice_run_set_set_project (SluiceRunSet *self, const char *project)
{
  if (g_strcmp0 (self->project, project) == 0)
    return;
  g_free (self->project);
  self->project = g_strdup (project);
  update (self);
}

static void
put_front (SluiceRunSet *self, gint64 run, gboolean follows)
{
  if (self->front == run) /* a list that shows what is in front says so again */
    return;
  self->front = run;
  self->follows = follows;
  update (self);
}

void
sluice_run_set_set_front (SluiceRunSet *self, gint64 run)
{
  put_front (self, run, FALSE);
}

void
sluice_run_set_follow (SluiceRunSet *self, gint64 run)
{
  put_front (self, run, TRUE);
}

gboolean
sluice_run_set_is_following (SluiceRunSet *self)
{
  return self->follows;
}

gint64
sluice_run_set_get_front (SluiceRunSet *self)
{
  return self->front;
}

SluiceRun *
sluice_run_set_dup_front (SluiceRunSet *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  g_autoptr (SluiceRun) front = sluice_workspace_dup_run (self->workspace, self->front);
  if (front != NULL && sluice_run_get_shown (front))
    return g_steal_pointer (&front);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      if (sluice_run_get_shown (run) && sluice_run_get_info (run)->state != SLUICE_RUN_DRAFT)
        return g_steal_pointer (&run);
    }
  return NULL;
}

GError *
sluice_run_set_dup_failure (SluiceRunSet *self)
{
  g_autoptr (SluiceRun) front = sluice_run_set_dup_front (self);
  const SluiceRunInfo *info = front != NULL ? sluice_run_get_info (front) : NULL;
  if (info == NULL || info->state != SLUICE_RUN_FAILED || info->message == NULL
      || info->failed_node == NULL || g_strcmp0 (info->project, self->project) != 0)
    return NULL;
  const SluiceErrorPlace place = { .node = info->failed_node };
  GError *failure = g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_UNKNOWN, info->message);
  sluice_error_set_place (failure, &place);
  return failure;
}

gboolean
sluice_run_set_front_leads (SluiceRunSet *self)
{
  g_autoptr (SluiceRun) front = sluice_run_set_dup_front (self);
  const SluiceRunInfo *info = front != NULL ? sluice_run_get_info (front) : NULL;
  return info != NULL
         && (info->id == self->front || info->state == SLUICE_RUN_RUNNING
             || info->state == SLUICE_RUN_PAUSED);
}

static void
choose (SluiceRunSet *self, gint64 run, gboolean checked)
{
  g_hash_table_insert (self->chosen, g_memdup2 (&run, sizeof run), GINT_TO_POINTER (checked));
}

static void
choose_all (SluiceRunSet *self, gboolean checked)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      choose (self, sluice_run_get_info (run)->id, checked);
    }
}

void
sluice_run_set_set_checked (SluiceRunSet *self, gint64 run, gboolean checked)
{
  self->solo = 0;
  choose (self, run, checked);
  update (self);
}

void
sluice_run_set_check_many (SluiceRunSet *self, const gint64 *runs, guint n, gboolean only)
{
  self->solo = 0;
  if (only)
    choose_all (self, FALSE);
  for (guint i = 0; i < n; i++)
    choose (self, runs[i], TRUE);
  update (self);
}

void
sluice_run_set_isolate (SluiceRunSet *self, gint64 run)
{
  sluice_run_set_check_many (self, &run, 1, TRUE);
}

void
sluice_run_set_reset (SluiceRunSet *self)
{
  self->solo = 0;
  g_hash_table_remove_all (self->chosen);
  update (self);
}

void
sluice_run_set_check_all (SluiceRunSet *self)
{
  self->solo = 0;
  choose_all (self, TRUE);
  update (self);
}

void
sluice_run_set_set_solo (SluiceRunSet *self, gint64 run)
{
  if (self->solo == run)
    return;
  self->solo = run;
  update (self);
}

gint64
sluice_run_set_get_solo (SluiceRunSet *self)
{
  return self->solo;
}

guint64
sluice_run_set_hash (SluiceRunSet *self)
{
  /* Both only grow, so the sum differs whenever one of them does. 0 is what nobody has seen. */
  return 1 + sluice_workspace_get_contents (self->workspace) + self->n_changes;
}

guint
sluice_run_set_get_n_hidden (SluiceRunSet *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  guint n = 0;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      n += !sluice_run_get_shown (run);
    }
  return n;
}

static void
sluice_run_set_finalize (GObject *object)
{
  SluiceRunSet *self = SLUICE_RUN_SET (object);
  g_clear_object (&self->workspace);
  g_hash_table_unref (self->chosen);
  g_free (self->project);
  G_OBJECT_CLASS (sluice_run_set_parent_class)->finalize (object);
}

static void
sluice_run_set_class_init (SluiceRunSetClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_run_set_finalize;
  changed_signal = g_signal_new ("changed", SLUICE_TYPE_RUN_SET, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static void
sluice_run_set_init (SluiceRunSet *self)
{
  self->chosen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}
