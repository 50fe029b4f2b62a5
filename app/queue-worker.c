/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/queue-worker.h"

#include "app/failure-words.h"

#define SOON_MS 200  /* from news of the workspace to a look at the queue */
#define LOOK_MS 2000 /* from look to look while others train runs of it */

struct _SluiceQueueWorker
{
  GObject parent;
  SluiceWorkspace *workspace;
  SluiceRunController *controller;
  GPtrArray *entries; /* of SluiceQueueEntry */
  GPtrArray *dropped; /* of Dropped */
  gboolean paused, works;
  gboolean has_read;
  gboolean stands;     /* nothing could be taken when it was tried last */
  guint n_jobs;        /* that change it */
  gboolean is_reading; /* a reading is under way */
  gboolean again;      /* what it finds is old */
  guint source;        /* of the look that comes; 0: none */
};

G_DEFINE_FINAL_TYPE (SluiceQueueWorker, sluice_queue_worker, G_TYPE_OBJECT)

enum
{
  CHANGED,
  FAILED,
  DROPPED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- what was taken out ---- */

typedef struct
{
  SluiceRunInfo *info;
  SluiceQueueNeeds needs; /* devices: owned */
  gint64 next;            /* the run before which it stood; 0: none */
} Dropped;

static void
dropped_free (gpointer data)
{
  Dropped *self = data;
  sluice_run_info_free (self->info);
  g_free ((char *) self->needs.devices);
  g_free (self);
}

/* (nullable): it waits not */
static Dropped *
new_dropped (SluiceQueueWorker *self, gint64 run)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const SluiceQueueEntry *entry = self->entries->pdata[i];
      const SluiceQueueEntry *next =
          i + 1 < self->entries->len ? self->entries->pdata[i + 1] : NULL;
      if (entry->info->id != run)
        continue;
      Dropped *dropped = g_new (Dropped, 1);
      *dropped =
          (Dropped){ sluice_run_info_copy (entry->info),
                     { entry->after, g_strdup (entry->devices), entry->memory, entry->threads },
                     next != NULL ? next->info->id : 0 };
      return dropped;
    }
  return NULL;
}

/* run: 0: the last one. (transfer full) (nullable) */
static Dropped *
steal_dropped (SluiceQueueWorker *self, gint64 run)
{
  for (guint i = self->dropped->len; i-- > 0;)
    if (run == 0 || ((Dropped *) self->dropped->pdata[i])->info->id == run)
      return g_ptr_array_steal_index (self->dropped, i);
  return NULL;
}

/* ---- what is to be done with it, in a worker ---- */

typedef enum
{
  JOB_READ,
  JOB_PAUSE,
  JOB_RESUME,
  JOB_MOVE,
  JOB_DROP,
  JOB_RESTORE,
  JOB_AFTER,
} JobKind;

typedef struct
{
  JobKind kind;
  SluiceStore *store;
  gint64 run, other;
  gboolean before;
  Dropped *dropped;   /* (nullable): by this job, or to be restored */
  GPtrArray *entries; /* what was read */
  gboolean paused;
} Job;

static void
job_free (gpointer data)
{
  Job *self = data;
  g_object_unref (self->store);
  g_clear_pointer (&self->dropped, dropped_free);
  g_clear_pointer (&self->entries, g_ptr_array_unref);
  g_free (self);
}

static SluiceRunInfo *
dup_run (SluiceStore *store, gint64 id, GError **error)
{
  g_autofree char *number = g_strdup_printf ("#%" G_GINT64_FORMAT, id);
  return sluice_store_dup_run (store, number, error);
}

static gboolean
move (const Job *self, GError **error)
{
  g_autoptr (SluiceRunInfo) run = dup_run (self->store, self->run, error);
  g_autoptr (SluiceRunInfo) other = run != NULL ? dup_run (self->store, self->other, error) : NULL;
  return other != NULL && sluice_run_queue_move (self->store, run, other, self->before, error);
}

static gboolean
drop (const Job *self, GError **error)
{
  g_autoptr (SluiceRunInfo) run = dup_run (self->store, self->run, error);
  return run != NULL && sluice_run_queue_drop (self->store, run, error);
}

static gboolean
set_after (const Job *self, GError **error)
{
  g_autoptr (SluiceRunInfo) run = dup_run (self->store, self->run, error);
  g_autoptr (SluiceRunInfo) other =
      run != NULL && self->other != 0 ? dup_run (self->store, self->other, error) : NULL;
  return run != NULL && (other != NULL || self->other == 0)
         && sluice_run_queue_set_after (self->store, run, other, error);
}

static gboolean
do_job (Job *self, GError **error)
{
  switch (self->kind)
    {
    case JOB_PAUSE:
    case JOB_RESUME:
      return sluice_run_queue_set_paused (self->store, self->kind == JOB_PAUSE, error);
    case JOB_MOVE:
      return move (self, error);
    case JOB_DROP:
      return drop (self, error);
    case JOB_RESTORE:
      return sluice_run_queue_restore (self->store, self->dropped->info, &self->dropped->needs,
                                       self->dropped->next, error);
    case JOB_AFTER:
      return set_after (self, error);
    default:
      self->entries = sluice_run_queue_dup_entries (self->store, error);
      return self->entries != NULL
             && sluice_run_queue_get_paused (self->store, &self->paused, error);
    }
}

static void
job_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  if (do_job (data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* (nullable): the workspace is not open */
static Job *
new_job (SluiceQueueWorker *self, JobKind kind)
{
  SluiceStore *store = sluice_workspace_get_store (self->workspace);
  if (store == NULL)
    return NULL;
  Job *job = g_new0 (Job, 1);
  job->kind = kind;
  job->store = g_object_ref (store);
  return job;
}

static void
run_job (SluiceQueueWorker *self, Job *take_job, GAsyncReadyCallback done)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, done, NULL);
  g_task_set_task_data (task, take_job, job_free);
  g_task_run_in_thread (task, job_in_worker);
}

/* ---- what is trained next ---- */

static gboolean
is_under_way (const SluiceQueueEntry *entry)
{
  return entry->info->state == SLUICE_RUN_RUNNING || entry->info->state == SLUICE_RUN_PAUSED;
}

static guint
count_under_way (SluiceQueueWorker *self)
{
  guint n = 0;
  for (guint i = 0; i < self->entries->len; i++)
    n += is_under_way (self->entries->pdata[i]);
  return n;
}

static void
work (SluiceQueueWorker *self)
{
  if (self->works && !self->paused && !self->stands && self->n_jobs == 0
      && self->entries->len > count_under_way (self) && count_under_way (self) == 0)
    sluice_run_controller_take_next (self->controller);
}

static void
controller_changed_cb (SluiceQueueWorker *self)
{
  SluiceQueueClaim claim = sluice_run_controller_get_claim (self->controller);
  if (sluice_run_controller_get_state (self->controller) != SLUICE_CONTROL_IDLE)
    return;
  self->stands = claim != SLUICE_QUEUE_CLAIMED && claim != SLUICE_QUEUE_SKIPPED
                 && claim != SLUICE_QUEUE_DROPPED;
  sluice_queue_worker_refresh (self);
}

/* ---- reading ---- */

static gboolean
look_cb (gpointer data)
{
  SluiceQueueWorker *self = data;
  self->source = 0;
  if (self->is_reading)
    {
      self->again = TRUE;
      return G_SOURCE_REMOVE;
    }
  sluice_queue_worker_refresh (self);
  return G_SOURCE_REMOVE;
}

static void
look_after (SluiceQueueWorker *self, guint ms)
{
  if (self->source == 0)
    self->source = g_timeout_add (ms, look_cb, self);
}

static gboolean
is_same (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const SluiceQueueEntry *x = a->pdata[i], *y = b->pdata[i];
      if (x->info->id != y->info->id || x->info->state != y->info->state
          || x->info->step != y->info->step || x->after != y->after
          || g_strcmp0 (x->info->name, y->info->name) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceQueueWorker *self = SLUICE_QUEUE_WORKER (object);
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  self->is_reading = FALSE;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_autofree char *words = sluice_failure_words (error);
      g_signal_emit (self, signals[FAILED], 0, words);
      return;
    }
  gboolean same =
      self->has_read && self->paused == job->paused && is_same (self->entries, job->entries);
  if (!same)
    self->stands = FALSE;
  g_ptr_array_unref (self->entries);
  self->entries = g_steal_pointer (&job->entries);
  self->paused = job->paused;
  self->has_read = TRUE;
  work (self);
  if (self->again)
    sluice_queue_worker_refresh (self);
  else if (count_under_way (self) > 0
           && sluice_run_controller_get_state (self->controller) == SLUICE_CONTROL_IDLE)
    look_after (self, LOOK_MS);
  if (!same)
    g_signal_emit (self, signals[CHANGED], 0);
}

void
sluice_queue_worker_refresh (SluiceQueueWorker *self)
{
  if (self->is_reading)
    {
      self->again = TRUE;
      return;
    }
  Job *job = new_job (self, JOB_READ);
  if (job == NULL)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  self->is_reading = TRUE;
  self->again = FALSE;
  run_job (self, job, read_done);
}

static void
workspace_changed_cb (SluiceQueueWorker *self)
{
  if (!self->has_read)
    sluice_queue_worker_refresh (self);
  else
    look_after (self, SOON_MS);
}

/* ---- verbs ---- */

static void
job_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceQueueWorker *self = SLUICE_QUEUE_WORKER (object);
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  self->n_jobs--;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_autofree char *words = sluice_failure_words (error);
      g_signal_emit (self, signals[FAILED], 0, words);
    }
  else if (job->kind == JOB_DROP && job->dropped != NULL)
    {
      const SluiceRunInfo *info = job->dropped->info;
      g_ptr_array_add (self->dropped, g_steal_pointer (&job->dropped));
      g_signal_emit (self, signals[DROPPED], 0, info->id, info->name);
    }
  sluice_workspace_refresh (self->workspace);
  sluice_queue_worker_refresh (self);
}

/* what: its dropped run is taken */
static void
change (SluiceQueueWorker *self, Job what)
{
  Job *job = new_job (self, what.kind);
  if (job == NULL)
    {
      g_clear_pointer (&what.dropped, dropped_free);
      return;
    }
  what.store = job->store;
  *job = what;
  self->n_jobs++;
  run_job (self, job, job_done);
}

void
sluice_queue_worker_set_paused (SluiceQueueWorker *self, gboolean paused)
{
  change (self, (Job){ .kind = paused ? JOB_PAUSE : JOB_RESUME });
}

void
sluice_queue_worker_move (SluiceQueueWorker *self, gint64 run, gint64 other, gboolean before)
{
  change (self, (Job){ .kind = JOB_MOVE, .run = run, .other = other, .before = before });
}

void
sluice_queue_worker_drop (SluiceQueueWorker *self, gint64 run)
{
  change (self, (Job){ .kind = JOB_DROP, .run = run, .dropped = new_dropped (self, run) });
}

gint64
sluice_queue_worker_restore (SluiceQueueWorker *self, gint64 run)
{
  Dropped *dropped = steal_dropped (self, run);
  gint64 restored = dropped != NULL ? dropped->info->id : 0;
  if (dropped != NULL)
    change (self, (Job){ .kind = JOB_RESTORE, .run = restored, .dropped = dropped });
  return restored;
}

void
sluice_queue_worker_set_after (SluiceQueueWorker *self, gint64 run, gint64 other)
{
  change (self, (Job){ .kind = JOB_AFTER, .run = run, .other = other });
}

void
sluice_queue_worker_set_works (SluiceQueueWorker *self, gboolean works)
{
  if (self->works == works)
    return;
  self->works = works;
  self->stands = FALSE;
  sluice_queue_worker_refresh (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- accessors ---- */

GPtrArray *
sluice_queue_worker_get_entries (SluiceQueueWorker *self)
{
  return self->entries;
}

gboolean
sluice_queue_worker_get_paused (SluiceQueueWorker *self)
{
  return self->paused;
}

gboolean
sluice_queue_worker_get_works (SluiceQueueWorker *self)
{
  return self->works;
}

gboolean
sluice_queue_worker_is_settled (SluiceQueueWorker *self)
{
  return self->has_read && !self->is_reading && self->n_jobs == 0;
}

/* ---- life ---- */

SluiceQueueWorker *
sluice_queue_worker_new (SluiceWorkspace *workspace, SluiceRunController *controller)
{
  SluiceQueueWorker *self = g_object_new (SLUICE_TYPE_QUEUE_WORKER, NULL);
  self->workspace = g_object_ref (workspace);
  self->controller = g_object_ref (controller);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (workspace_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (controller, "changed", G_CALLBACK (controller_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

static void
sluice_queue_worker_finalize (GObject *object)
{
  SluiceQueueWorker *self = SLUICE_QUEUE_WORKER (object);
  g_clear_handle_id (&self->source, g_source_remove);
  g_ptr_array_unref (self->entries);
  g_ptr_array_unref (self->dropped);
  g_object_unref (self->workspace);
  g_object_unref (self->controller);
  G_OBJECT_CLASS (sluice_queue_worker_parent_class)->finalize (object);
}

static void
sluice_queue_worker_class_init (SluiceQueueWorkerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_queue_worker_finalize;
  signals[CHANGED] = g_signal_new ("changed", SLUICE_TYPE_QUEUE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", SLUICE_TYPE_QUEUE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[DROPPED] = g_signal_new ("dropped", SLUICE_TYPE_QUEUE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_STRING);
}

static void
sluice_queue_worker_init (SluiceQueueWorker *self)
{
  self->entries = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_queue_entry_free);
  self->dropped = g_ptr_array_new_with_free_func (dropped_free);
}
