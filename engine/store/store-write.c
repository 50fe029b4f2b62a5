/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>
#include <time.h>

#include "engine/base/error.h"
#include "engine/base/thread.h"
#include "engine/store/chunks.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/event.h"
#include "engine/store/sql.h"

/* How long a value waits for its commit. Where somebody looks at it (set_notify) as short as leaves
 * the processors to those who log: a commit every so many times what the last one computed. */
#define COMMIT_NS      (100 * 1000 * 1000)
#define LIVE_COMMIT_NS (30 * 1000 * 1000)
#define LIVE_SHARE     10

typedef struct
{
  gint64 series;
  SluiceScalar point;
} QueuedPoint;

/* What is rarer than points: of any other kind. */
typedef struct
{
  gint64 series; /* of an event: the run */
  SluiceRecord *record;
} QueuedRecord;

typedef struct
{
  GArray *points;  /* of QueuedPoint */
  GArray *records; /* of QueuedRecord */
  gsize bytes;     /* of the records */
} Queue;

/* Somebody waits for a function to be run. */
typedef struct
{
  StoreFunc func;
  gpointer data;
  GError **error;
  gboolean ok, done;
} Call;

struct _StoreWriter
{
  sqlite3 *db; /* the writer thread's */
  pthread_t thread;
  GHashTable *series; /* gint64 -> SeriesWriter; the writer thread's */

  pthread_mutex_t lock; /* guards everything below */
  pthread_cond_t wake;  /* of the writer */
  pthread_cond_t done;  /* of those who wait for a commit or a call */
  GPtrArray *logs;      /* of SluiceRunLog */
  GQueue calls;         /* of Call */
  gboolean quit, hurry;
  gboolean forget;  /* drop cached chunks before the next batch */
  gboolean working; /* the writer uses the logs, the lock not held */
  gint64 commit_ns; /* that the last commit computed */
  GError *error;    /* of the last try to commit */
  guint64 n_tries;  /* commits tried, so that waiters can tell a new failure */
  void (*notify) (gpointer data);
  gpointer notify_data;
  gboolean armed;
  gboolean announcing; /* notify runs, the lock not held */
};

struct _SluiceRunLog
{
  SluiceStore *store;
  StoreWriter *writer;
  gint64 run;
  GHashTable *ids;       /* tag -> gint64 series; the logging thread's */
  GHashTable *described; /* set of gint64 series with metadata; the logging thread's */
  Queue queue;           /* under writer->lock: logged, not yet taken */
  Queue batch;           /* the writer thread's: taken, not yet committed */
  guint64 n_logged;      /* under writer->lock */
  guint64 n_committed;
  gsize n_bytes; /* of records that wait; under writer->lock */
};

static Queue
queue_new (void)
{
  return (Queue){ g_array_new (FALSE, FALSE, sizeof (QueuedPoint)),
                  g_array_new (FALSE, FALSE, sizeof (QueuedRecord)), 0 };
}

static void
queue_clear (Queue *queue)
{
  for (guint i = 0; i < queue->records->len; i++)
    sluice_record_free (g_array_index (queue->records, QueuedRecord, i).record);
  g_array_set_size (queue->records, 0);
  g_array_set_size (queue->points, 0);
  queue->bytes = 0;
}

static void
queue_free (Queue *queue)
{
  queue_clear (queue);
  g_array_unref (queue->points);
  g_array_unref (queue->records);
}

static guint
queue_length (const Queue *queue)
{
  return queue->points->len + queue->records->len;
}

/* ---- the writer's thread ---- */

static SeriesWriter *
get_series (StoreWriter *self, gint64 id)
{
  SeriesWriter *series = g_hash_table_lookup (self->series, &id);
  if (series == NULL)
    {
      series = sluice_series_writer_new (id);
      g_hash_table_insert (self->series, &series->id, series);
    }
  return series;
}

static void
forget_series (StoreWriter *self)
{
  g_hash_table_remove_all (self->series);
}

static gboolean
write_batch (StoreWriter *self, const Queue *batch, GError **error)
{
  for (guint i = 0; i < batch->points->len; i++)
    {
      QueuedPoint *queued = &g_array_index (batch->points, QueuedPoint, i);
      if (!sluice_series_writer_put (get_series (self, queued->series), self->db, &queued->point))
        return sluice_sql_fail (self->db, "points could not be written", error);
    }
  for (guint i = 0; i < batch->records->len; i++)
    {
      const QueuedRecord *queued = &g_array_index (batch->records, QueuedRecord, i);
      const SluiceRecord *record = queued->record;
      if (!record->kind->write (self->db, queued->series, record, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_series (StoreWriter *self, GError **error)
{
  GHashTableIter iter;
  gpointer series;
  g_hash_table_iter_init (&iter, self->series);
  while (g_hash_table_iter_next (&iter, NULL, &series))
    if (!sluice_series_writer_write (series, self->db))
      return sluice_sql_fail (self->db, "points could not be written", error);
  return TRUE;
}

gboolean
sluice_store_note_change (sqlite3 *db, gint64 run, GError **error)
{
  return sluice_sql_change (db, error,
                            "INSERT INTO run_changes (run, number) VALUES (?, 1) ON CONFLICT (run) "
                            "DO UPDATE SET number = number + 1",
                            "i", run);
}

static gboolean
write_log (StoreWriter *self, const SluiceRunLog *log, GError **error)
{
  return queue_length (&log->batch) == 0
         || (write_batch (self, &log->batch, error)
             && sluice_store_note_change (self->db, log->run, error));
}

/* One transaction: all batches. After a failure nothing is in the database and the batches stay for
 * the next try. */
static gboolean
commit_batches (StoreWriter *self, GPtrArray *logs, GError **error)
{
  gboolean ok = sluice_sql_begin (self->db, error);
  for (guint i = 0; ok && i < logs->len; i++)
    ok = write_log (self, logs->pdata[i], error);
  ok = ok && write_series (self, error) && sluice_sql_exec (self->db, "COMMIT", error);
  if (!ok)
    {
      sluice_sql_roll_back (self->db);
      forget_series (self);
      return FALSE;
    }
  GHashTableIter iter;
  gpointer series;
  g_hash_table_iter_init (&iter, self->series);
  while (g_hash_table_iter_next (&iter, NULL, &series))
    sluice_series_writer_settle (series);
  return TRUE;
}

static void
run_call (StoreWriter *self, Call *call)
{
  call->ok = sluice_sql_begin (self->db, call->error);
  if (call->ok)
    {
      call->ok = call->func (self->db, call->data, call->error)
                 && sluice_sql_exec (self->db, "COMMIT", call->error);
      if (!call->ok)
        sluice_sql_roll_back (self->db);
    }
}

/* Takes what is queued; appends where an earlier batch still waits for its commit. */
static guint
take_queue (SluiceRunLog *log)
{
  if (queue_length (&log->batch) == 0)
    {
      Queue empty = log->batch;
      log->batch = log->queue;
      log->queue = empty;
    }
  else
    {
      g_array_append_vals (log->batch.points, log->queue.points->data, log->queue.points->len);
      g_array_append_vals (log->batch.records, log->queue.records->data, log->queue.records->len);
      log->batch.bytes += log->queue.bytes;
      log->queue.bytes = 0;
      g_array_set_size (log->queue.points, 0);
      g_array_set_size (log->queue.records, 0);
    }
  return queue_length (&log->batch);
}

/* Called and returns with the lock held, but not while the function runs: it may ask the store. */
static void
announce (StoreWriter *self)
{
  void (*notify) (gpointer data) = self->notify;
  gpointer data = self->notify_data;
  if (!self->armed || notify == NULL)
    return;
  self->armed = FALSE;
  self->announcing = TRUE;
  pthread_mutex_unlock (&self->lock);
  notify (data);
  pthread_mutex_lock (&self->lock);
  self->announcing = FALSE;
  pthread_cond_broadcast (&self->done);
}

/* Called and returns with the lock held. */
static void
work_once (StoreWriter *self)
{
  g_autoptr (GPtrArray) logs = g_ptr_array_new ();
  guint n = 0;
  for (guint i = 0; i < self->logs->len; i++)
    {
      n += take_queue (self->logs->pdata[i]);
      g_ptr_array_add (logs, self->logs->pdata[i]);
    }
  gboolean forget = self->forget;
  self->forget = FALSE;
  self->hurry = FALSE;
  self->working = TRUE;
  pthread_mutex_unlock (&self->lock);

  g_autoptr (GError) error = NULL;
  if (forget)
    forget_series (self);
  gint64 start = sluice_thread_get_cpu_us ();
  gboolean ok = n == 0 || commit_batches (self, logs, &error);
  gint64 took = (sluice_thread_get_cpu_us () - start) * 1000;

  pthread_mutex_lock (&self->lock);
  self->commit_ns = n > 0 ? took : self->commit_ns;
  self->working = FALSE;
  for (guint i = 0; ok && i < logs->len; i++)
    {
      SluiceRunLog *log = logs->pdata[i];
      log->n_committed += queue_length (&log->batch);
      log->n_bytes -= log->batch.bytes;
      queue_clear (&log->batch);
    }
  g_clear_error (&self->error);
  self->error = g_steal_pointer (&error);
  self->n_tries++;
  pthread_cond_broadcast (&self->done);
  if (ok && n > 0)
    announce (self);
}

static gboolean
has_queued (StoreWriter *self)
{
  for (guint i = 0; i < self->logs->len; i++)
    {
      SluiceRunLog *log = self->logs->pdata[i];
      if (queue_length (&log->queue) > 0 || queue_length (&log->batch) > 0)
        return TRUE;
    }
  return FALSE;
}

static gint64
get_interval (const StoreWriter *self)
{
  return self->notify == NULL ? COMMIT_NS
                              : CLAMP (LIVE_SHARE * self->commit_ns, LIVE_COMMIT_NS, COMMIT_NS);
}

static void *
writer_main (void *data)
{
  StoreWriter *self = data;
  pthread_mutex_lock (&self->lock);
  for (;;)
    {
      struct timespec until;
      clock_gettime (CLOCK_MONOTONIC, &until);
      until.tv_nsec += get_interval (self);
      until.tv_sec += until.tv_nsec / 1000000000;
      until.tv_nsec %= 1000000000;
      int rc = 0;
      while (!self->quit && !self->hurry && self->calls.head == NULL && rc == 0)
        rc = has_queued (self) ? pthread_cond_timedwait (&self->wake, &self->lock, &until)
                               : pthread_cond_wait (&self->wake, &self->lock);
      gboolean quit = self->quit;
      work_once (self);
      Call *call;
      while ((call = g_queue_pop_head (&self->calls)) != NULL)
        {
          pthread_mutex_unlock (&self->lock);
          run_call (self, call);
          pthread_mutex_lock (&self->lock);
          call->done = TRUE;
          pthread_cond_broadcast (&self->done);
        }
      if (quit)
        break;
    }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

static void
writer_free (StoreWriter *self)
{
  g_hash_table_unref (self->series);
  g_ptr_array_unref (self->logs);
  g_clear_error (&self->error);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->wake);
  pthread_cond_destroy (&self->done);
  sqlite3_close (self->db);
  g_free (self);
}

StoreWriter *
sluice_store_writer_new (StoreAccess *access,
                         gboolean (*prepare) (sqlite3 *db, const char *path, GError **error),
                         GError **error)
{
  sqlite3 *db = sluice_store_connect (access, TRUE, error);
  if (db == NULL || !prepare (db, access->path, error))
    {
      sqlite3_close (db);
      return NULL;
    }
  StoreWriter *self = g_new0 (StoreWriter, 1);
  self->db = db;
  self->series =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, sluice_series_writer_free);
  self->logs = g_ptr_array_new ();
  self->armed = TRUE;
  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_t attr;
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_cond_init (&self->wake, &attr);
  pthread_cond_init (&self->done, &attr);
  pthread_condattr_destroy (&attr);
  if (sluice_thread_start (&self->thread, writer_main, self, "writing to the store", NULL, error))
    return self;
  writer_free (self);
  return NULL;
}

void
sluice_store_writer_free (StoreWriter *self)
{
  pthread_mutex_lock (&self->lock);
  self->quit = TRUE;
  pthread_cond_signal (&self->wake);
  pthread_mutex_unlock (&self->lock);
  pthread_join (self->thread, NULL);
  writer_free (self);
}

gboolean
sluice_store_writer_run (StoreWriter *self, StoreFunc func, gpointer data, GError **error)
{
  Call call = { func, data, error, FALSE, FALSE };
  if (self == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "the workspace was opened to be read, and nothing can be written to it");
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (&self->calls, &call);
  pthread_cond_signal (&self->wake);
  while (!call.done)
    pthread_cond_wait (&self->done, &self->lock);
  pthread_mutex_unlock (&self->lock);
  return call.ok;
}

void
sluice_store_writer_set_notify (StoreWriter *self, void (*func) (gpointer data), gpointer data)
{
  pthread_mutex_lock (&self->lock);
  /* The caller may free what the function before was given. */
  while (self->announcing && !pthread_equal (pthread_self (), self->thread))
    pthread_cond_wait (&self->done, &self->lock);
  self->notify = func;
  self->notify_data = data;
  self->armed = TRUE;
  pthread_mutex_unlock (&self->lock);
}

void
sluice_store_writer_rearm (StoreWriter *self)
{
  pthread_mutex_lock (&self->lock);
  self->armed = TRUE;
  pthread_mutex_unlock (&self->lock);
}

void
sluice_store_writer_forget_series (StoreWriter *self)
{
  pthread_mutex_lock (&self->lock);
  self->forget = TRUE;
  pthread_mutex_unlock (&self->lock);
}

/* ---- the log of a run ---- */

SluiceRunLog *
sluice_run_log_new (SluiceStore *store, gint64 run)
{
  SluiceRunLog *self = g_new0 (SluiceRunLog, 1);
  self->store = g_object_ref (store);
  self->writer = sluice_store_get_writer (store);
  self->run = run;
  self->ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->described = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->queue = queue_new ();
  self->batch = queue_new ();
  pthread_mutex_lock (&self->writer->lock);
  g_ptr_array_add (self->writer->logs, self);
  pthread_mutex_unlock (&self->writer->lock);
  return self;
}

gboolean
sluice_run_log_close (SluiceRunLog *self, GError **error)
{
  gboolean ok = sluice_run_log_flush (self, error);
  pthread_mutex_lock (&self->writer->lock);
  while (self->writer->working)
    pthread_cond_wait (&self->writer->done, &self->writer->lock);
  g_ptr_array_remove (self->writer->logs, self);
  /* A chunk of each series, tens of kilobytes: who resumes reads it again. */
  self->writer->forget |= self->writer->logs->len == 0;
  pthread_mutex_unlock (&self->writer->lock);
  queue_free (&self->queue);
  queue_free (&self->batch);
  g_hash_table_unref (self->ids);
  g_hash_table_unref (self->described);
  g_object_unref (self->store);
  g_free (self);
  return ok;
}

typedef struct
{
  gint64 run;
  const char *tag;
  SluiceSeriesKind kind;
  gint64 id;
} SeriesRequest;

static gboolean
find_or_add_series (sqlite3 *db, gpointer data, GError **error)
{
  SeriesRequest *request = data;
  if (!sluice_sql_change (db, error,
                          "INSERT OR IGNORE INTO series (run, tag, kind) VALUES (?, ?, ?)", "isi",
                          request->run, request->tag, (gint64) request->kind)
      || (sqlite3_changes (db) > 0 && !sluice_store_note_change (db, request->run, error)))
    return FALSE;
  sqlite3_stmt *statement =
      sluice_sql_prepare (db, error, "SELECT id, kind FROM series WHERE run = ? AND tag = ?", "is",
                          request->run, request->tag);
  if (statement == NULL)
    return FALSE;
  gboolean found = sqlite3_step (statement) == SQLITE_ROW;
  if (found)
    request->id = sqlite3_column_int64 (statement, 0);
  gboolean same_kind = found && sqlite3_column_int (statement, 1) == (int) request->kind;
  sqlite3_finalize (statement);
  if (!found)
    return sluice_sql_fail (db, "series", error);
  if (!same_kind)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' was logged as another kind of series before; give it another tag",
                        request->tag);
  return TRUE;
}

gint64
sluice_run_log_series (SluiceRunLog *self, const char *tag, SluiceSeriesKind kind, GError **error)
{
  gint64 *known = g_hash_table_lookup (self->ids, tag);
  if (known != NULL)
    return *known;
  SeriesRequest request = { self->run, tag, kind, -1 };
  if (!sluice_store_writer_run (self->writer, find_or_add_series, &request, error))
    return -1;
  g_hash_table_insert (self->ids, g_strdup (tag), g_memdup2 (&request.id, sizeof request.id));
  return request.id;
}

/* The writer sleeps without a limit while nothing is queued: the first value wakes it. */
static void
after_append (SluiceRunLog *self)
{
  self->n_logged++;
  guint n = queue_length (&self->queue);
  if (n == 1 || n == SLUICE_STORE_QUEUE / 4)
    {
      self->writer->hurry |= n > 1;
      pthread_cond_signal (&self->writer->wake);
    }
}

void
sluice_run_log_scalar (SluiceRunLog *self, gint64 series, gint64 step, double wall, double value)
{
  QueuedPoint queued = { series, { step, wall, value } };
  pthread_mutex_lock (&self->writer->lock);
  g_array_append_val (self->queue.points, queued);
  after_append (self);
  pthread_mutex_unlock (&self->writer->lock);
}

static void
append_record (SluiceRunLog *self, gint64 series, SluiceRecord *record)
{
  QueuedRecord queued = { series, record };
  gsize bytes = sluice_record_get_size (record);
  pthread_mutex_lock (&self->writer->lock);
  g_array_append_val (self->queue.records, queued);
  self->queue.bytes += bytes;
  self->n_bytes += bytes;
  after_append (self);
  if (self->queue.bytes > SLUICE_STORE_QUEUE_BYTES / 4)
    {
      self->writer->hurry = TRUE;
      pthread_cond_signal (&self->writer->wake);
    }
  pthread_mutex_unlock (&self->writer->lock);
}

void
sluice_run_log_record (SluiceRunLog *self, gint64 series, SluiceRecord *take)
{
  g_return_if_fail (take->kind->write != NULL);
  append_record (self, series, take);
}

void
sluice_run_log_event (
    SluiceRunLog *self, gint64 step, double wall, const char *kind, const char *text)
{
  append_record (self, self->run, &sluice_event_new (step, wall, kind, text)->base);
}

typedef struct
{
  gint64 series;
  GBytes *metadata;
} MetadataRequest;

static gboolean
set_metadata (sqlite3 *db, gpointer data, GError **error)
{
  MetadataRequest *request = data;
  return sluice_sql_change (db, error,
                            "UPDATE series SET metadata = ? WHERE id = ? AND metadata IS NULL",
                            "bi", request->metadata, request->series);
}

gboolean
sluice_run_log_set_metadata (SluiceRunLog *self, gint64 series, GBytes *metadata, GError **error)
{
  MetadataRequest request = { series, metadata };
  if (g_hash_table_contains (self->described, &series))
    return TRUE;
  if (!sluice_store_writer_run (self->writer, set_metadata, &request, error))
    return FALSE;
  g_hash_table_add (self->described, g_memdup2 (&series, sizeof series));
  return TRUE;
}

/* Waits, the lock held, until no more than `most` values and bytes wait. FALSE after a try to
 * commit that failed meanwhile. */
static gboolean
wait_for_queue (SluiceRunLog *self, guint most, gsize most_bytes, GError **error)
{
  StoreWriter *writer = self->writer;
  guint64 failed_tries = 0, tries = writer->n_tries;
  while (self->n_logged - self->n_committed > most || self->n_bytes > most_bytes)
    {
      writer->hurry = TRUE;
      pthread_cond_signal (&writer->wake);
      pthread_cond_wait (&writer->done, &writer->lock);
      if (writer->n_tries != tries && writer->error != NULL && ++failed_tries > 1)
        {
          if (error != NULL)
            *error = g_error_copy (writer->error);
          return FALSE;
        }
      tries = writer->n_tries;
    }
  /* Who is told of commits has been told of this one. */
  while (writer->announcing)
    pthread_cond_wait (&writer->done, &writer->lock);
  return TRUE;
}

gboolean
sluice_run_log_end_step (SluiceRunLog *self, double *waited_seconds, GError **error)
{
  *waited_seconds = 0;
  pthread_mutex_lock (&self->writer->lock);
  gboolean ok = TRUE;
  if (self->n_logged - self->n_committed > SLUICE_STORE_QUEUE
      || self->n_bytes > SLUICE_STORE_QUEUE_BYTES)
    {
      gint64 start = g_get_monotonic_time ();
      ok = wait_for_queue (self, SLUICE_STORE_QUEUE / 2, SLUICE_STORE_QUEUE_BYTES / 2, error);
      *waited_seconds = (g_get_monotonic_time () - start) * 1e-6;
    }
  else if (self->writer->error != NULL)
    {
      g_propagate_error (error, g_error_copy (self->writer->error));
      ok = FALSE;
    }
  pthread_mutex_unlock (&self->writer->lock);
  return ok;
}

gboolean
sluice_run_log_flush (SluiceRunLog *self, GError **error)
{
  pthread_mutex_lock (&self->writer->lock);
  gboolean ok = wait_for_queue (self, 0, 0, error);
  pthread_mutex_unlock (&self->writer->lock);
  return ok;
}

guint64
sluice_run_log_get_n_logged (SluiceRunLog *self)
{
  pthread_mutex_lock (&self->writer->lock);
  guint64 n = self->n_logged;
  pthread_mutex_unlock (&self->writer->lock);
  return n;
}

guint64
sluice_run_log_get_n_committed (SluiceRunLog *self)
{
  pthread_mutex_lock (&self->writer->lock);
  guint64 n = self->n_committed;
  pthread_mutex_unlock (&self->writer->lock);
  return n;
}

typedef struct
{
  gint64 run, step;
  const char *path;
  gint64 bytes;
  GArray *forgotten; /* (nullable) of gint64 */
} CheckpointRequest;

static gboolean
add_checkpoint (sqlite3 *db, gpointer data, GError **error)
{
  CheckpointRequest *r = data;
  for (guint i = 0; r->forgotten != NULL && i < r->forgotten->len; i++)
    if (!sluice_sql_change (
            db, error,
            "DELETE FROM checkpoints WHERE run = ?1 AND step = ?2 AND NOT EXISTS (SELECT 1 FROM "
            "events WHERE run = ?1 AND step = ?2 AND kind = 'pin')",
            "ii", r->run, g_array_index (r->forgotten, gint64, i)))
      return FALSE;
  /* Its row may be written no more: the program is killed, and the run not let go on. */
  return sluice_sql_change (
             db, error,
             "INSERT OR REPLACE INTO checkpoints (run, step, wall, path, bytes) VALUES (?, ?, ?, "
             "?, ?)",
             "iidsi", r->run, r->step, g_get_real_time () * 1e-6, r->path, r->bytes)
         && sluice_sql_change (db, error, "UPDATE runs SET step = max (step, ?) WHERE id = ?", "ii",
                               r->step, r->run);
}

gboolean
sluice_run_log_publish_checkpoint (SluiceRunLog *self,
                                   gint64 step,
                                   const char *path,
                                   gsize bytes,
                                   GArray *forgotten,
                                   GError **error)
{
  CheckpointRequest request = { self->run, step, path, (gint64) bytes, forgotten };
  return sluice_run_log_flush (self, error)
         && sluice_store_writer_run (self->writer, add_checkpoint, &request, error);
}

static gboolean
truncate_kind (sqlite3 *db, const SluiceKind *kind, gint64 run, gint64 after_step, GError **error)
{
  g_autofree char *sql = NULL;
  if (kind->truncate == NULL)
    sql = g_strdup_printf ("DELETE FROM %s WHERE step > ?2 AND series IN "
                           "(SELECT id FROM series WHERE run = ?1)",
                           kind->table);
  return sluice_sql_change (db, error, sql != NULL ? sql : kind->truncate, "ii", run, after_step)
         && (kind->cut == NULL || kind->cut (db, run, after_step, error));
}

gboolean
sluice_store_cut_run (sqlite3 *db, gint64 run, gint64 after_step, GError **error)
{
  const SluiceKind *kind;
  gboolean orphans = FALSE;
  SLUICE_EACH_KIND (kind)
  {
    if (!truncate_kind (db, kind, run, after_step, error))
      return FALSE;
    orphans |= kind->has_blobs && sqlite3_changes (db) > 0;
  }
  return sluice_store_note_change (db, run, error)
         && sluice_sql_change (db, error, "DELETE FROM checkpoints WHERE run = ?1 AND step > ?2",
                               "ii", run, after_step)
         && (!orphans || sluice_blobs_drop_orphans (db, error));
}

static gboolean
truncate_run (sqlite3 *db, gpointer data, GError **error)
{
  CheckpointRequest *r = data;
  return sluice_store_cut_run (db, r->run, r->step, error);
}

gboolean
sluice_run_log_truncate (SluiceRunLog *self, gint64 after_step, GError **error)
{
  CheckpointRequest request = { .run = self->run, .step = after_step };
  if (!sluice_run_log_flush (self, error))
    return FALSE;
  sluice_store_writer_forget_series (self->writer);
  return sluice_store_writer_run (self->writer, truncate_run, &request, error);
}
