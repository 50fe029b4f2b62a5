/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/workspace.h"

#include <stdatomic.h>

#include "engine/store/draft.h"
#include "engine/train/reindex.h"

/* Another program may train into this workspace: its commits announce nothing here. */
#define POLL_SECONDS 1
#define FRAME_US     16000
#define SLICE_US     2000
/* Histograms and images a series holds in memory; thinned evenly by the store where there are more.
 */
#define MAX_ITEMS 200
/* Points read at once: a slice of a long series, so that the first ones show while the rest is on
 * its way. */
#define MAX_POINTS 200000

struct _SluiceWorkspace
{
  GObject parent;
  char *folder;
  char *failure; /* why it could not be opened */
  char *told;    /* (nullable): the failure since then that was told last */
  SluiceStore *store;
  GListStore *runs;
  guint n_colors;    /* given out so far */
  guint n_lost;      /* run folders that the database does not know */
  GSource *announce; /* wakes the main loop from the store's thread */
  gboolean reading;  /* a worker is reading */
  gboolean again;    /* news came meanwhile */
  gboolean has_read; /* everything once */
  guint n_trashed;   /* deletions and restorations: what was read before one is out of date */
  GQueue pending;    /* of Batch: read, not yet applied */
  guint apply_source, poll_source;
  GArray *fresh; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SluiceWorkspace, sluice_workspace, G_TYPE_OBJECT)

enum
{
  CHANGED,
  FAILED,
  RUN_DELETED,
  RUN_RESTORED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

static void
changed (SluiceWorkspace *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

/* The same thing again and again, once a second, is told once. */
static void
failed (SluiceWorkspace *self, const GError *error)
{
  if (g_strcmp0 (self->told, error->message) == 0)
    return;
  g_free (self->told);
  self->told = g_strdup (error->message);
  g_signal_emit (self, signals[FAILED], 0, self->told);
}

/* ---- what a worker reads ---- */

typedef struct
{
  gint64 run;
  SluiceSeriesInfo *info;
  gboolean restart; /* the series was cut back: forget what is in memory */
  GArray *points;   /* of SluiceScalar */
  GPtrArray *items; /* histograms or images */
  guint n_applied;
} SeriesNews;

typedef struct
{
  GPtrArray *runs;    /* of SluiceRunInfo; NULL once applied */
  GPtrArray *series;  /* of SeriesNews */
  GHashTable *events; /* gint64 run -> GPtrArray */
  gboolean more;      /* a series had more points than one read takes */
  guint n_trashed;    /* when reading began */
} Batch;

typedef struct
{
  SluiceStore *store;
  GHashTable *known;  /* gint64 series -> gint64 last step */
  GHashTable *hidden; /* set of gint64 runs whose curves are not drawn; a run that is new here is */
  guint n_trashed;
} ReadTask;

static void
series_news_free (gpointer data)
{
  SeriesNews *news = data;
  sluice_series_info_free (news->info);
  g_clear_pointer (&news->points, g_array_unref);
  g_clear_pointer (&news->items, g_ptr_array_unref);
  g_free (news);
}

static void
batch_free (gpointer data)
{
  Batch *batch = data;
  g_clear_pointer (&batch->runs, g_ptr_array_unref);
  g_ptr_array_unref (batch->series);
  g_hash_table_unref (batch->events);
  g_free (batch);
}

static void
read_task_free (gpointer data)
{
  ReadTask *task = data;
  g_object_unref (task->store);
  g_hash_table_unref (task->known);
  g_hash_table_unref (task->hidden);
  g_free (task);
}

static gboolean
read_series (ReadTask *task, Batch *batch, SluiceSeriesInfo *info, GError **error)
{
  gint64 *last = g_hash_table_lookup (task->known, &info->id);
  SeriesNews *news = g_new0 (SeriesNews, 1);
  news->run = info->run;
  news->info = info;
  g_ptr_array_add (batch->series, news);
  news->restart = last != NULL && *last != G_MININT64 && info->last_step < *last;
  gint64 from = last == NULL || *last == G_MININT64 || news->restart ? G_MININT64 : *last + 1;
  if (info->n_points == 0 || (from != G_MININT64 && info->last_step < from))
    return TRUE;
  switch (info->kind)
    {
    case SLUICE_SERIES_SCALAR:
      news->points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
      if (!sluice_store_read_points (task->store, info->id, from, MAX_POINTS, news->points, error))
        return FALSE;
      batch->more |= news->points->len == MAX_POINTS;
      return TRUE;
    default:
      news->items = sluice_store_read_records (task->store, info, from, MAX_ITEMS, error);
      return news->items != NULL;
    }
}

/* Of the other kinds there are no cards yet. */
static gboolean
has_card (const SluiceSeriesInfo *info)
{
  return info->kind == SLUICE_SERIES_SCALAR || info->kind == SLUICE_SERIES_HISTOGRAM
         || info->kind == SLUICE_SERIES_IMAGE;
}

/* Of a run that is not drawn only the loss is read, for its sparkline. */
static gboolean
read_run (ReadTask *task, Batch *batch, const SluiceRunInfo *run, GError **error)
{
  gboolean shown = !g_hash_table_contains (task->hidden, &run->id);
  g_autoptr (GPtrArray) series = sluice_store_dup_series (task->store, run->id, error);
  GPtrArray *events =
      series != NULL ? sluice_store_read_events (task->store, run->id, error) : NULL;
  if (events == NULL)
    return FALSE;
  g_hash_table_insert (batch->events, g_memdup2 (&run->id, sizeof run->id), events);
  while (series->len > 0)
    {
      SluiceSeriesInfo *info = g_ptr_array_steal_index (series, 0);
      if (!has_card (info) || (!shown && g_strcmp0 (info->tag, "loss") != 0))
        sluice_series_info_free (info);
      else if (!read_series (task, batch, info, error))
        return FALSE;
    }
  return TRUE;
}

static void
read_in_worker (GTask *gtask, gpointer source, gpointer data, GCancellable *cancellable)
{
  ReadTask *task = data;
  GError *error = NULL;
  Batch *batch = g_new0 (Batch, 1);
  batch->n_trashed = task->n_trashed;
  batch->series = g_ptr_array_new_with_free_func (series_news_free);
  batch->events = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                         (GDestroyNotify) g_ptr_array_unref);
  batch->runs = sluice_store_dup_runs (task->store, &error);
  for (guint i = 0; error == NULL && i < batch->runs->len; i++)
    read_run (task, batch, batch->runs->pdata[i], &error);
  if (error == NULL)
    {
      g_task_return_pointer (gtask, batch, batch_free);
      return;
    }
  batch_free (batch);
  g_task_return_error (gtask, error);
}

/* ---- applying it ---- */

SluiceRun *
sluice_workspace_dup_run (SluiceWorkspace *self, gint64 id)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->runs)); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (G_LIST_MODEL (self->runs), i);
      if (sluice_run_get_info (run)->id == id)
        return g_steal_pointer (&run);
    }
  return NULL;
}

static gboolean
has_info (GPtrArray *infos, gint64 id)
{
  for (guint i = 0; i < infos->len; i++)
    if (((SluiceRunInfo *) infos->pdata[i])->id == id)
      return TRUE;
  return FALSE;
}

/* The list in the order of the store; rows that stay keep their object. */
static void
apply_runs (SluiceWorkspace *self, GPtrArray *infos)
{
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->runs)); i-- > 0;)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (G_LIST_MODEL (self->runs), i);
      if (!has_info (infos, sluice_run_get_info (run)->id))
        g_list_store_remove (self->runs, i);
    }
  for (guint i = infos->len; i-- > 0;)
    {
      SluiceRunInfo *info = infos->pdata[i];
      g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self, info->id);
      if (run != NULL)
        {
          sluice_run_update (run, info);
          continue;
        }
      g_autoptr (SluiceRun) added = sluice_run_new (info, self->n_colors++);
      g_list_store_insert (self->runs, 0, added);
    }
}

static void
apply_events (SluiceWorkspace *self, Batch *batch)
{
  GHashTableIter iter;
  gpointer id, events;
  g_hash_table_iter_init (&iter, batch->events);
  while (g_hash_table_iter_next (&iter, &id, &events))
    {
      g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self, *(gint64 *) id);
      if (run != NULL)
        sluice_run_take_events (run, g_ptr_array_ref (events));
    }
}

/* FALSE where time ran out; call again. */
static gboolean
apply_points (SluiceWorkspace *self, SluiceRunSeries *series, SeriesNews *news, gint64 deadline)
{
  while (news->n_applied < news->points->len)
    {
      SluiceScalar *p = &g_array_index (news->points, SluiceScalar, news->n_applied++);
      sluice_series_buffer_append (series->buffer, p->step, p->wall, p->value);
      series->last_step = p->step;
      if (self->fresh != NULL)
        g_array_append_val (self->fresh, p->wall);
      if (news->n_applied % 256 == 0 && g_get_monotonic_time () > deadline)
        return FALSE;
    }
  return TRUE;
}

static void
apply_items (SluiceRunSeries *series, SeriesNews *news)
{
  series->last_step = news->info->last_step;
  g_ptr_array_extend_and_steal (series->items, g_steal_pointer (&news->items));
}

static gboolean
apply_series (SluiceWorkspace *self, SeriesNews *news, gint64 deadline)
{
  g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self, news->run);
  if (run == NULL)
    return TRUE;
  SluiceRunSeries *series = sluice_run_ensure_series (run, self->store, news->info);
  if (news->restart)
    {
      sluice_run_clear_series (series);
      news->restart = FALSE;
    }
  if (news->items != NULL)
    apply_items (series, news);
  guint n = news->points != NULL ? news->points->len : 0;
  gboolean done = n == 0 || apply_points (self, series, news, deadline);
  if (n > 0)
    sluice_run_points_added (run);
  return done;
}

static gboolean
apply_cb (gpointer data)
{
  SluiceWorkspace *self = data;
  gint64 deadline = g_get_monotonic_time () + SLICE_US;
  Batch *batch = g_queue_peek_head (&self->pending);
  if (batch->n_trashed != self->n_trashed)
    {
      /* Read again: it still has what was deleted meanwhile. */
      self->again = TRUE;
      g_ptr_array_set_size (batch->series, 0);
    }
  else if (batch->runs != NULL)
    {
      apply_runs (self, batch->runs);
      apply_events (self, batch);
      g_clear_pointer (&batch->runs, g_ptr_array_unref);
    }
  while (batch->series->len > 0
         && apply_series (self, batch->series->pdata[batch->series->len - 1], deadline))
    g_ptr_array_set_size (batch->series, batch->series->len - 1);
  gboolean done = batch->series->len == 0;
  if (done)
    {
      self->again |= batch->more;
      batch_free (g_queue_pop_head (&self->pending));
    }
  changed (self);
  if (!done || self->pending.length > 0)
    return G_SOURCE_CONTINUE;
  self->apply_source = 0;
  self->reading = FALSE;
  if (self->again)
    sluice_workspace_refresh (self);
  else
    self->has_read = TRUE;
  return G_SOURCE_REMOVE;
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWorkspace *self = SLUICE_WORKSPACE (object);
  g_autoptr (GError) error = NULL;
  Batch *batch = g_task_propagate_pointer (G_TASK (result), &error);
  if (self->store != NULL)
    sluice_store_rearm (self->store);
  if (batch == NULL)
    {
      self->reading = FALSE;
      self->has_read = TRUE;
      failed (self, error);
      return;
    }
  g_clear_pointer (&self->told, g_free);
  g_queue_push_tail (&self->pending, batch);
  if (self->apply_source == 0)
    self->apply_source = g_timeout_add (FRAME_US / 1000, apply_cb, self);
}

void
sluice_workspace_refresh (SluiceWorkspace *self)
{
  if (self->store == NULL)
    return;
  self->again = self->reading;
  if (self->reading)
    return;
  self->reading = TRUE;
  ReadTask *task = g_new0 (ReadTask, 1);
  task->store = g_object_ref (self->store);
  task->n_trashed = self->n_trashed;
  task->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  task->hidden = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->runs)); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (G_LIST_MODEL (self->runs), i);
      GPtrArray *series = sluice_run_get_series (run);
      if (!sluice_run_get_shown (run))
        g_hash_table_add (task->hidden,
                          g_memdup2 (&sluice_run_get_info (run)->id, sizeof (gint64)));
      for (guint k = 0; k < series->len; k++)
        {
          SluiceRunSeries *s = series->pdata[k];
          g_hash_table_insert (task->known, g_memdup2 (&s->id, sizeof s->id),
                               g_memdup2 (&s->last_step, sizeof s->last_step));
        }
    }
  g_autoptr (GTask) gtask = g_task_new (self, NULL, read_done, NULL);
  g_task_set_task_data (gtask, task, read_task_free);
  g_task_run_in_thread (gtask, read_in_worker);
}

/* ---- opening ---- */

/* On the store's thread: a ready time may be set from any thread. */
static void
store_has_news (gpointer data)
{
  g_source_set_ready_time (data, 0);
}

static gboolean
announce_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  g_source_set_ready_time (source, -1);
  return callback (data);
}

static gboolean
announced_cb (gpointer data)
{
  sluice_workspace_refresh (data);
  return G_SOURCE_CONTINUE;
}

static gboolean
poll_cb (gpointer data)
{
  sluice_workspace_refresh (data);
  return G_SOURCE_CONTINUE;
}

static void
open_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  SluiceStore *store = sluice_store_open (data, &error);
  if (store != NULL)
    {
      g_autoptr (GArray) lost = sluice_store_dup_lost_runs (store, NULL);
      SLUICE_WORKSPACE (source)->n_lost = lost != NULL ? lost->len : 0; /* read when it is done */
    }
  if (store != NULL)
    g_task_return_pointer (task, store, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
open_done (GObject *object, GAsyncResult *result, gpointer data)
{
  static GSourceFuncs funcs = { .dispatch = announce_dispatch };
  SluiceWorkspace *self = SLUICE_WORKSPACE (object);
  g_autoptr (GError) error = NULL;
  self->store = g_task_propagate_pointer (G_TASK (result), &error);
  if (self->store == NULL)
    self->failure = g_strdup (error->message);
  else
    {
      self->announce = g_source_new (&funcs, sizeof (GSource));
      g_source_set_callback (self->announce, announced_cb, self, NULL);
      g_source_attach (self->announce, NULL);
      sluice_store_set_notify (self->store, store_has_news, self->announce);
      self->poll_source = g_timeout_add_seconds (POLL_SECONDS, poll_cb, self);
      sluice_workspace_refresh (self);
    }
  changed (self);
}

/* ---- runs whose rows were lost ---- */

static void
reindex_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  SluiceStore *store = data;
  GError *error = NULL;
  g_autoptr (GArray) lost = sluice_store_dup_lost_runs (store, &error);
  for (guint i = 0; lost != NULL && i < lost->len; i++)
    {
      gint64 run = g_array_index (lost, gint64, i);
      g_autoptr (GError) local = NULL;
      g_autoptr (SluiceRunInfo) info = sluice_reindex_run (store, run, &local);
      if (info == NULL && error == NULL)
        error = g_steal_pointer (&local); /* the others are listed all the same */
    }
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
reindex_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWorkspace *self = SLUICE_WORKSPACE (object);
  g_autoptr (GError) error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    failed (self, error);
  sluice_workspace_refresh (self);
}

gboolean
sluice_workspace_take_news_of_lost (SluiceWorkspace *self)
{
  gboolean has_lost = self->store != NULL && self->n_lost > 0;
  if (has_lost)
    self->n_lost = 0;
  return has_lost;
}

void
sluice_workspace_reindex (SluiceWorkspace *self)
{
  if (self->store == NULL)
    return; /* not open yet */
  g_autoptr (GTask) task = g_task_new (self, NULL, reindex_done, NULL);
  g_task_set_task_data (task, g_object_ref (self->store), g_object_unref);
  g_task_run_in_thread (task, reindex_in_worker);
}

SluiceWorkspace *
sluice_workspace_new (const char *folder)
{
  SluiceWorkspace *self = g_object_new (SLUICE_TYPE_WORKSPACE, NULL);
  self->folder = g_strdup (folder);
  g_autoptr (GTask) task = g_task_new (self, NULL, open_done, NULL);
  g_task_set_task_data (task, g_strdup (folder), g_free);
  g_task_run_in_thread (task, open_in_worker);
  return self;
}

SluiceStore *
sluice_workspace_get_store (SluiceWorkspace *self)
{
  return self->store;
}

const char *
sluice_workspace_get_folder (SluiceWorkspace *self)
{
  return self->folder;
}

const char *
sluice_workspace_get_failure (SluiceWorkspace *self)
{
  return self->failure;
}

GListModel *
sluice_workspace_get_runs (SluiceWorkspace *self)
{
  return G_LIST_MODEL (self->runs);
}

gboolean
sluice_workspace_is_settled (SluiceWorkspace *self)
{
  return self->has_read || self->failure != NULL;
}

void
sluice_workspace_set_fresh (SluiceWorkspace *self, GArray *fresh)
{
  if (fresh != NULL)
    g_array_ref (fresh);
  g_clear_pointer (&self->fresh, g_array_unref);
  self->fresh = fresh;
}

/* ---- trash ---- */

typedef struct
{
  gint64 run;
  gboolean restore;
} TrashTask;

static void
trash_in_worker (GTask *gtask, gpointer source, gpointer data, GCancellable *cancellable)
{
  SluiceWorkspace *self = source;
  TrashTask *task = data;
  GError *error = NULL;
  gboolean ok = task->restore ? sluice_store_restore_run (self->store, task->run, &error)
                              : sluice_store_delete_run (self->store, task->run, &error);
  if (ok)
    g_task_return_boolean (gtask, TRUE);
  else
    g_task_return_error (gtask, error);
}

/* Said when it is so: the run is not in the list any more. */
static void
remove_run (SluiceWorkspace *self, gint64 id)
{
  guint at;
  g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self, id);
  if (run == NULL)
    return; /* asked for twice */
  if (g_list_store_find (self->runs, run, &at))
    g_list_store_remove (self->runs, at);
  changed (self);
  g_signal_emit (self, signals[RUN_DELETED], 0, id, sluice_run_get_info (run)->name);
}

static void
trash_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWorkspace *self = SLUICE_WORKSPACE (object);
  const TrashTask *task = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      failed (self, error);
      return;
    }
  self->n_trashed++;
  if (task->restore)
    g_signal_emit (self, signals[RUN_RESTORED], 0, task->run);
  else
    remove_run (self, task->run);
  sluice_workspace_refresh (self);
}

static void
trash (SluiceWorkspace *self, gint64 run, gboolean restore)
{
  TrashTask *data = g_new0 (TrashTask, 1);
  *data = (TrashTask){ run, restore };
  g_autoptr (GTask) task = g_task_new (self, NULL, trash_done, NULL);
  g_task_set_task_data (task, data, g_free);
  g_task_run_in_thread (task, trash_in_worker);
}

void
sluice_workspace_delete_run (SluiceWorkspace *self, gint64 run)
{
  g_return_if_fail (self->store != NULL);
  trash (self, run, FALSE);
}

void
sluice_workspace_restore_run (SluiceWorkspace *self, gint64 run)
{
  g_return_if_fail (self->store != NULL);
  trash (self, run, TRUE);
}

static void
sluice_workspace_finalize (GObject *object)
{
  SluiceWorkspace *self = SLUICE_WORKSPACE (object);
  g_clear_handle_id (&self->apply_source, g_source_remove);
  g_clear_handle_id (&self->poll_source, g_source_remove);
  if (self->store != NULL)
    sluice_store_set_notify (self->store, NULL, NULL);
  if (self->announce != NULL)
    {
      g_source_destroy (self->announce);
      g_source_unref (self->announce);
    }
  g_queue_clear_full (&self->pending, batch_free);
  g_clear_object (&self->store);
  g_clear_object (&self->runs);
  g_clear_pointer (&self->fresh, g_array_unref);
  g_free (self->folder);
  g_free (self->failure);
  g_free (self->told);
  G_OBJECT_CLASS (sluice_workspace_parent_class)->finalize (object);
}

static void
sluice_workspace_class_init (SluiceWorkspaceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_workspace_finalize;
  signals[CHANGED] = g_signal_new ("changed", SLUICE_TYPE_WORKSPACE, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", SLUICE_TYPE_WORKSPACE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[RUN_DELETED] =
      g_signal_new ("run-deleted", SLUICE_TYPE_WORKSPACE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_STRING);
  signals[RUN_RESTORED] = g_signal_new ("run-restored", SLUICE_TYPE_WORKSPACE, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
sluice_workspace_init (SluiceWorkspace *self)
{
  self->runs = g_list_store_new (SLUICE_TYPE_RUN);
  g_queue_init (&self->pending);
}
