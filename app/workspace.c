/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/workspace.h"

#include <malloc.h>
#include <stdatomic.h>

#include "app/workspace-read.h"
#include "engine/base/thread.h"
#include "engine/store/draft.h"
#include "engine/train/reindex.h"
#include "engine/train/run-edit.h"

/* Another program may train into this workspace: its commits announce nothing here. */
/* News of other programs: a file of the database is written, and a moment later they are committed.
 * Where the system does not tell that, they are looked for now and then. */
#define POLL_SECONDS 1
#define NEWS_MS      20
/* What this program writes itself is announced by its store. */
#define OWN_NEWS_US G_USEC_PER_SEC
#define FRAME_US    16000
#define SLICE_US    2000
/* What was there when the workspace was opened has nothing else to make room for. */
#define FIRST_SLICE_US 8000
/* Who listens may take long, of a million tags: between slices they are told only so seldom that it
 * takes a tenth of the time. */
#define TELL_SHARE 10
/* A reading that computed for long is followed by a rest of so many times as long. */
#define REST_SHARE   4
#define LONG_READ_US 20000
/* What comes in and goes leaves holes between what stays, in the C library's heap: 10 MB after ten
 * minutes of training. Their pages are given back so often. */
#define TRIM_US (10 * G_USEC_PER_SEC)

struct _SluiceWorkspace
{
  GObject parent;
  char *folder;
  char *failure; /* why it could not be opened */
  char *told;    /* (nullable): the failure since then that was told last */
  SluiceStore *store;
  GListStore *runs;
  GHashTable *by_id; /* gint64 -> SluiceRun of the list */
  guint n_lost;      /* run folders that the database does not know */
  GSource *announce; /* wakes the main loop from the store's thread */
  gboolean reading;  /* a worker is reading */
  gboolean again;    /* news came meanwhile */
  gboolean unread;   /* of what is wanted there is more than was read */
  SluiceWorkspaceReader *reader;
  SluiceWorkspaceAsk ask; /* with the next reading */
  gint64 rest_until;      /* nothing is read before, unless somebody waits for it */
  gint64 quiet_until;     /* no slice is told before */
  gint64 trimmed;         /* the heap; 0: not yet */
  guint64 contents;
  gboolean has_read;   /* everything once */
  guint n_trashed;     /* deletions and restorations: what was read before one is out of date */
  GQueue pending;      /* of Reading: not yet applied */
  GHashTable *awaited; /* set of gint64 series that are wanted and not here yet */
  guint apply_source, poll_source, news_source;
  GFileMonitor *monitor; /* (nullable): of the folder */
  gint64 announced;      /* when the store had news last */
  GArray *fresh;         /* (nullable) */
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
  gint64 start = g_get_monotonic_time ();
  g_signal_emit (self, signals[CHANGED], 0);
  gint64 now = g_get_monotonic_time ();
  self->quiet_until = now + TELL_SHARE * (now - start);
}

static SluiceWorkspaceAsk
ask_new (void)
{
  return (SluiceWorkspaceAsk){ g_array_new (FALSE, FALSE, sizeof (SluiceSeriesWant)),
                               g_array_new (FALSE, FALSE, sizeof (gint64)), FALSE };
}

static void
ask_clear (SluiceWorkspaceAsk *ask)
{
  g_array_unref (ask->wants);
  g_array_unref (ask->unlisted);
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

/* What is read, and what came of it. */
typedef struct
{
  SluiceWorkspaceReader *reader;
  SluiceWorkspaceAsk ask;
  guint n_trashed; /* when reading began */
  gboolean trims;  /* the heap, after it */
  gint64 took_us;  /* of a processor */
  SluiceWorkspaceNews *news;
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;
  sluice_workspace_reader_unref (reading->reader);
  ask_clear (&reading->ask);
  g_clear_pointer (&reading->news, sluice_workspace_news_free);
  g_free (reading);
}

static void
read_in_worker (GTask *gtask, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  GError *error = NULL;
  gint64 start = sluice_thread_get_cpu_us ();
  reading->news = sluice_workspace_reader_read (reading->reader, &reading->ask, &error);
  reading->took_us = sluice_thread_get_cpu_us () - start;
  if (reading->trims)
    malloc_trim (0);
  if (reading->news != NULL)
    g_task_return_boolean (gtask, TRUE);
  else
    g_task_return_error (gtask, error);
}

/* ---- applying it ---- */

SluiceRun *
sluice_workspace_dup_run (SluiceWorkspace *self, gint64 id)
{
  SluiceRun *run = g_hash_table_lookup (self->by_id, &id);
  return run != NULL ? g_object_ref (run) : NULL;
}

static void
take_off_list (SluiceWorkspace *self, guint at)
{
  g_autoptr (SluiceRun) run = g_list_model_get_item (G_LIST_MODEL (self->runs), at);
  g_hash_table_remove (self->by_id, &sluice_run_get_info (run)->id);
  g_list_store_remove (self->runs, at);
}

/* Those that are not in @infos. */
static void
take_others_off_list (SluiceWorkspace *self, GPtrArray *infos)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < infos->len; i++)
    g_hash_table_add (ids, &((SluiceRunInfo *) infos->pdata[i])->id);
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->runs)); i-- > 0;)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (G_LIST_MODEL (self->runs), i);
      if (!g_hash_table_contains (ids, &sluice_run_get_info (run)->id))
        take_off_list (self, i);
    }
}

/* The list in the order of the store; rows that stay keep their object. */
static void
apply_runs (SluiceWorkspace *self, SluiceWorkspaceNews *news)
{
  GPtrArray *infos = news->runs;
  if (news->has_all_runs)
    {
      self->contents++;
      take_others_off_list (self, infos);
    }
  g_autoptr (GPtrArray) all_added = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < infos->len; i++)
    {
      SluiceRunInfo *info = infos->pdata[i];
      g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self, info->id);
      if (run != NULL)
        {
          /* What is drawn in the colour that it had is no longer the same. */
          self->contents += g_strcmp0 (sluice_run_get_info (run)->color, info->color) != 0;
          sluice_run_update (run, info);
          continue;
        }
      SluiceRun *added = sluice_run_new (info);
      g_hash_table_insert (self->by_id, g_memdup2 (&info->id, sizeof info->id), added);
      g_ptr_array_add (all_added, added);
    }
  /* At once: whoever listens looks at all runs. */
  if (all_added->len > 0)
    g_list_store_splice (self->runs, 0, 0, all_added->pdata, all_added->len);
}

static void
apply_events (SluiceWorkspace *self, SluiceWorkspaceNews *news)
{
  for (guint i = 0; i < news->events->len; i++)
    {
      SluiceEventNews *came = news->events->pdata[i];
      g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self, came->run);
      if (run != NULL)
        self->contents += sluice_run_take_events (run, g_steal_pointer (&came->events), came->anew);
    }
}

/* FALSE where time ran out; call again. */
static gboolean
apply_points (SluiceWorkspace *self,
              SluiceRun *run,
              SluiceRunSeries *series,
              SluiceSeriesNews *news,
              gint64 deadline)
{
  while (news->n_applied < news->points->len)
    {
      SluiceScalar *p = &g_array_index (news->points, SluiceScalar, news->n_applied++);
      sluice_series_buffer_append (series->buffer, p->step, p->wall, p->value);
      sluice_run_note_time (run, series, p->wall);
      series->last_step = p->step;
      if (self->fresh != NULL)
        g_array_append_val (self->fresh, p->wall);
      if (news->n_applied % 256 == 0 && g_get_monotonic_time () > deadline)
        return FALSE;
    }
  return TRUE;
}

static void
apply_items (SluiceRunSeries *series, SluiceSeriesNews *news)
{
  series->last_step = news->info->last_step;
  sluice_run_series_take_items (series, g_steal_pointer (&news->items));
}

static gboolean
apply_series (SluiceWorkspace *self, SluiceSeriesNews *news, gint64 deadline)
{
  g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self, news->run);
  if (run == NULL)
    return TRUE;
  guint n_before = sluice_run_get_n_series (run);
  SluiceRunSeries *series = sluice_run_ensure_series (run, self->store, news->info);
  self->contents += sluice_run_get_n_series (run) != n_before
                    || series->kind == SLUICE_SERIES_HPARAMS; /* which make settings */
  if (news->restart)
    {
      sluice_run_clear_series (run, series);
      news->restart = FALSE;
    }
  series->n_segments = news->info->n_segments;
  if (news->items != NULL)
    apply_items (series, news);
  guint n = news->points != NULL ? news->points->len : 0;
  gboolean done = n == 0 || apply_points (self, run, series, news, deadline);
  if (n > 0)
    sluice_run_points_added (run);
  return done && g_get_monotonic_time () <= deadline;
}

/* Everything of one reading is applied. */
static void
finish_reading (SluiceWorkspace *self, Reading *reading)
{
  GArray *caught_up = reading->news->caught_up;
  for (guint i = 0; i < caught_up->len; i++)
    g_hash_table_remove (self->awaited, &g_array_index (caught_up, gint64, i));
  self->unread = reading->news->more;
  self->has_read |= !reading->news->more;
}

static void refresh_rested (SluiceWorkspace *self);

static gboolean
apply_cb (gpointer data)
{
  SluiceWorkspace *self = data;
  gint64 deadline = g_get_monotonic_time () + (self->has_read ? SLICE_US : FIRST_SLICE_US);
  Reading *reading = g_queue_peek_head (&self->pending);
  SluiceWorkspaceNews *news = reading->news;
  if (reading->n_trashed != self->n_trashed)
    {
      /* Read again: it still has what was deleted meanwhile. */
      self->again = self->ask.anew = TRUE;
      g_ptr_array_set_size (news->series, 0);
      g_array_set_size (news->caught_up, 0);
    }
  else if (news->runs != NULL)
    {
      apply_runs (self, news);
      apply_events (self, news);
      g_clear_pointer (&news->runs, g_ptr_array_unref);
    }
  while (news->series->len > 0)
    {
      SluiceSeriesNews *last = news->series->pdata[news->series->len - 1];
      gboolean in_time = apply_series (self, last, deadline);
      if (last->points == NULL || last->n_applied == last->points->len)
        g_ptr_array_set_size (news->series, news->series->len - 1);
      if (!in_time)
        break;
    }
  if (news->series->len == 0)
    {
      finish_reading (self, reading);
      reading_free (g_queue_pop_head (&self->pending));
    }
  if (self->pending.length == 0 || g_get_monotonic_time () >= self->quiet_until)
    changed (self);
  if (self->pending.length > 0)
    return G_SOURCE_CONTINUE;
  self->apply_source = 0;
  self->reading = FALSE;
  if (g_hash_table_size (self->awaited) > 0 || self->ask.anew || self->unread)
    sluice_workspace_refresh (self);
  else if (self->again)
    refresh_rested (self);
  return G_SOURCE_REMOVE;
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWorkspace *self = SLUICE_WORKSPACE (object);
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  if (self->store != NULL)
    sluice_store_rearm (self->store);
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      self->reading = FALSE;
      self->has_read = TRUE;
      self->ask.anew = TRUE;
      g_hash_table_remove_all (self->awaited); /* what cannot be read is not waited for */
      failed (self, error);
      return;
    }
  g_clear_pointer (&self->told, g_free);
  Reading *taken = g_new (Reading, 1);
  *taken = *reading;
  taken->reader = sluice_workspace_reader_ref (reading->reader);
  taken->ask = ask_new (); /* it was answered */
  reading->news = NULL;
  if (reading->took_us > LONG_READ_US)
    self->rest_until = g_get_monotonic_time () + REST_SHARE * reading->took_us;
  g_queue_push_tail (&self->pending, taken);
  /* The first of it for the next frame, the rest a slice a frame. */
  if (self->apply_source == 0 && apply_cb (self))
    self->apply_source = g_timeout_add (FRAME_US / 1000, apply_cb, self);
}

/* Not with the first reading, which is waited for. */
static gboolean
is_time_to_trim (SluiceWorkspace *self)
{
  gint64 now = g_get_monotonic_time ();
  gboolean is_first = self->trimmed == 0;
  if (now < self->trimmed + TRIM_US)
    return FALSE;
  self->trimmed = now;
  return !is_first;
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
  Reading *reading = g_new0 (Reading, 1);
  if (self->reader == NULL)
    self->reader = sluice_workspace_reader_new (self->store);
  reading->reader = sluice_workspace_reader_ref (self->reader);
  reading->n_trashed = self->n_trashed;
  reading->trims = is_time_to_trim (self);
  reading->ask = self->ask;
  self->ask = ask_new ();
  g_autoptr (GTask) gtask = g_task_new (self, NULL, read_done, NULL);
  g_task_set_task_data (gtask, reading, reading_free);
  g_task_run_in_thread (gtask, read_in_worker);
}

static gboolean
news_cb (gpointer data)
{
  SLUICE_WORKSPACE (data)->news_source = 0;
  sluice_workspace_refresh (data);
  return G_SOURCE_REMOVE;
}

/* There may be news, for which nobody waits. */
static void
refresh_rested (SluiceWorkspace *self)
{
  gint64 left = self->rest_until - g_get_monotonic_time ();
  if (left <= 0)
    sluice_workspace_refresh (self);
  else if (self->news_source == 0)
    self->news_source = g_timeout_add ((guint) (left / 1000) + 1, news_cb, self);
}

void
sluice_workspace_want (SluiceWorkspace *self, SluiceRunSeries *series, gboolean wanted)
{
  if (series->wanted == wanted)
    return;
  const SluiceSeriesWant want = { series->run, series->id, wanted };
  series->wanted = wanted;
  g_array_append_val (self->ask.wants, want);
  if (!wanted)
    {
      g_hash_table_remove (self->awaited, &series->id);
      return;
    }
  g_hash_table_add (self->awaited, g_memdup2 (&series->id, sizeof series->id));
  sluice_workspace_refresh (self);
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
  SLUICE_WORKSPACE (data)->announced = g_get_monotonic_time ();
  refresh_rested (data);
  return G_SOURCE_CONTINUE;
}

static void
written_cb (SluiceWorkspace *self, GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  if (self->news_source == 0 && g_str_has_suffix (name, "-wal")
      && g_get_monotonic_time () - self->announced > OWN_NEWS_US)
    self->news_source = g_timeout_add (
        (guint) MAX (NEWS_MS, (self->rest_until - g_get_monotonic_time ()) / 1000), news_cb, self);
}

static void
watch_folder (SluiceWorkspace *self)
{
  g_autoptr (GFile) folder = g_file_new_for_path (self->folder);
  self->monitor = g_file_monitor_directory (folder, G_FILE_MONITOR_NONE, NULL, NULL);
  if (self->monitor == NULL)
    return;
  g_file_monitor_set_rate_limit (self->monitor, NEWS_MS);
  g_signal_connect_swapped (self->monitor, "changed", G_CALLBACK (written_cb), self);
}

static gboolean
poll_cb (gpointer data)
{
  refresh_rested (data);
  return G_SOURCE_CONTINUE;
}

static void
open_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  SluiceStore *store = sluice_store_open (data, &error);
  if (store != NULL)
    {
      g_auto (GStrv) mended = sluice_run_mend_edits (store); /* the runs' events say so */
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
      watch_folder (self);
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

guint64
sluice_workspace_get_contents (SluiceWorkspace *self)
{
  return self->contents;
}

gboolean
sluice_workspace_is_settled (SluiceWorkspace *self)
{
  return self->failure != NULL || (self->has_read && g_hash_table_size (self->awaited) == 0);
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
    take_off_list (self, at);
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
  g_array_append_val (self->ask.unlisted, task->run);
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
  g_clear_handle_id (&self->news_source, g_source_remove);
  if (self->monitor != NULL)
    g_signal_handlers_disconnect_by_data (self->monitor, self);
  g_clear_object (&self->monitor);
  if (self->store != NULL)
    sluice_store_set_notify (self->store, NULL, NULL);
  if (self->announce != NULL)
    {
      g_source_destroy (self->announce);
      g_source_unref (self->announce);
    }
  g_queue_clear_full (&self->pending, reading_free);
  g_hash_table_unref (self->awaited);
  ask_clear (&self->ask);
  g_clear_pointer (&self->reader, sluice_workspace_reader_unref);
  g_clear_object (&self->store);
  g_clear_object (&self->runs);
  g_hash_table_unref (self->by_id);
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
  self->by_id = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->ask = ask_new ();
  g_queue_init (&self->pending);
  self->awaited = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}
