/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/run-queue.h"
#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include "engine/base/error.h"
#include "engine/device/device.h"
#include "engine/store/column.h"

void
sluice_queue_entry_free (SluiceQueueEntry *self)
{
  g_clear_pointer (&self->info, sluice_run_info_free);
  g_free (self->after_name);
  g_free (self->devices);
  g_free (self);
}

/* ---- rows ---- */

gboolean
sluice_run_queue_insert (sqlite3 *db, gint64 run, const SluiceQueueNeeds *needs, GError **error)
{
  return sluice_sql_change (
      db, error,
      "INSERT INTO queue (run, place, after, devices, memory, threads) VALUES (?, (SELECT coalesce "
      "(max (place), 0) + 1 FROM queue), nullif (?, 0), ?, nullif (?, 0), nullif (?, 0))",
      "iisii", run, needs->after, needs->devices, needs->memory, needs->threads);
}

gboolean
sluice_run_queue_forget (sqlite3 *db, gint64 run, GError **error)
{
  return sluice_sql_change (db, error, "DELETE FROM queue WHERE run = ?", "i", run);
}

/* ---- the list ---- */

static gboolean
is_over (SluiceRunState state)
{
  return state == SLUICE_RUN_FINISHED || state == SLUICE_RUN_FAILED;
}

/* By id. (transfer container): of @runs, which outlive it */
static GHashTable *
index_runs (GPtrArray *runs)
{
  GHashTable *index = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < runs->len; i++)
    g_hash_table_insert (index, &((SluiceRunInfo *) runs->pdata[i])->id, runs->pdata[i]);
  return index;
}

static gboolean
read_entries (sqlite3 *db, GPtrArray *runs, GPtrArray *entries, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error,
      "SELECT q.run, q.after, a.name, q.devices, q.memory, q.threads FROM queue q LEFT JOIN runs a "
      "ON a.id = q.after ORDER BY q.place, q.run",
      "");
  g_autoptr (GHashTable) index = index_runs (runs);
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    {
      gint64 id = sqlite3_column_int64 (row, 0);
      const SluiceRunInfo *info = g_hash_table_lookup (index, &id);
      if (info == NULL || is_over (info->state))
        continue; /* in the trash, or trained to its end by hand */
      SluiceQueueEntry *entry = g_new0 (SluiceQueueEntry, 1);
      entry->info = sluice_run_info_copy (info);
      entry->after = sqlite3_column_int64 (row, 1);
      entry->after_name = sluice_column_dup_text (row, 2);
      entry->devices = sluice_column_dup_text (row, 3);
      entry->memory = sqlite3_column_int64 (row, 4);
      entry->threads = sqlite3_column_int64 (row, 5);
      g_ptr_array_add (entries, entry);
    }
  sqlite3_finalize (row);
  return rc == SQLITE_DONE;
}

GPtrArray *
sluice_run_queue_dup_entries (SluiceStore *store, GError **error)
{
  g_autoptr (GPtrArray) entries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_queue_entry_free);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, error);
  sqlite3 *db = runs != NULL ? sluice_store_take_reader (store, error) : NULL;
  if (db == NULL)
    return NULL;
  gboolean ok = read_entries (db, runs, entries, error);
  sluice_store_put_reader (store, db);
  return ok ? g_steal_pointer (&entries) : NULL;
}

gboolean
sluice_run_queue_read_needs (SluiceStore *store,
                             gint64 run,
                             SluiceQueueNeeds *needs,
                             GError **error)
{
  *needs = (SluiceQueueNeeds){ 0 };
  sqlite3 *db = sluice_store_take_reader (store, error);
  if (db == NULL)
    return FALSE;
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error, "SELECT after, devices, memory, threads FROM queue WHERE run = ?", "i", run);
  int rc = sluice_sql_step (db, row, error);
  if (rc == SQLITE_ROW)
    *needs = (SluiceQueueNeeds){ .after = sqlite3_column_int64 (row, 0),
                                 .devices = sluice_column_dup_text (row, 1),
                                 .memory = sqlite3_column_int64 (row, 2),
                                 .threads = sqlite3_column_int64 (row, 3) };
  sqlite3_finalize (row);
  sluice_store_put_reader (store, db);
  return rc != SQLITE_ERROR;
}

/* ---- pausing ---- */

gboolean
sluice_run_queue_get_paused (SluiceStore *store, gboolean *paused, GError **error)
{
  gint64 number = 0;
  sqlite3 *db = sluice_store_take_reader (store, error);
  if (db == NULL)
    return FALSE;
  gboolean ok = sluice_sql_take_number (
      db, sluice_sql_prepare (db, error, "SELECT paused FROM queue_control", ""), &number, error);
  sluice_store_put_reader (store, db);
  *paused = number != 0;
  return ok;
}

static gboolean
write_paused (sqlite3 *db, gpointer data, GError **error)
{
  return sluice_sql_change (db, error,
                            "INSERT OR REPLACE INTO queue_control (id, paused) VALUES (1, ?)", "i",
                            (gint64) * (gboolean *) data);
}

gboolean
sluice_run_queue_set_paused (SluiceStore *store, gboolean paused, GError **error)
{
  return sluice_store_writer_run (sluice_store_get_writer (store), write_paused, &paused, error);
}

/* ---- moving ---- */

typedef struct
{
  const SluiceRunInfo *run, *other;
  gboolean before;
} MoveRequest;

/* group: (nullable): of it alone */
static gboolean
read_order (sqlite3 *db, const char *group, GArray *order, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error,
      "SELECT q.run FROM queue q LEFT JOIN run_words w ON w.run = q.run WHERE ?1 IS NULL OR "
      "w.run_group = ?1 ORDER BY q.place, q.run",
      "s", group);
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    {
      gint64 run = sqlite3_column_int64 (row, 0);
      g_array_append_val (order, run);
    }
  sqlite3_finalize (row);
  return rc == SQLITE_DONE;
}

/* G_MAXUINT: error is set. */
static guint
find_place (GArray *order, const SluiceRunInfo *run, GError **error)
{
  for (guint i = 0; i < order->len; i++)
    if (g_array_index (order, gint64, i) == run->id)
      return i;
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
               "run '%s' does not wait in the queue; 'sluice queue' lists what does", run->name);
  return G_MAXUINT;
}

static gboolean
write_order (sqlite3 *db, const GArray *order, GError **error)
{
  for (guint i = 0; i < order->len; i++)
    if (!sluice_sql_change (db, error, "UPDATE queue SET place = ? WHERE run = ?", "ii",
                            (gint64) i + 1, g_array_index (order, gint64, i)))
      return FALSE;
  return TRUE;
}

static gboolean
move_run (sqlite3 *db, gpointer data, GError **error)
{
  const MoveRequest *request = data;
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!read_order (db, NULL, order, error))
    return FALSE;
  guint from = find_place (order, request->run, error);
  if (from == G_MAXUINT || find_place (order, request->other, error) == G_MAXUINT)
    return FALSE;
  g_array_remove_index (order, from);
  guint to = find_place (order, request->other, error) + !request->before;
  g_array_insert_val (order, to, request->run->id);
  return write_order (db, order, error);
}

gboolean
sluice_run_queue_move (SluiceStore *store,
                       const SluiceRunInfo *run,
                       const SluiceRunInfo *other,
                       gboolean before,
                       GError **error)
{
  MoveRequest request = { run, other, before };
  if (run->id == other->id)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "run '%s' cannot stand before or after itself", run->name);
  return sluice_store_writer_run (sluice_store_get_writer (store), move_run, &request, error);
}

/* ---- claiming ---- */

typedef enum
{
  READY,
  GONE,         /* dropped, in the trash */
  OVER,         /* finished or failed: its program was killed before the row went */
  BARRED,       /* what it comes after has failed, or is there no more */
  BLOCKED,      /* what it comes after has not finished */
  OCCUPIED,     /* another one has its device */
  NOTHING_GOES, /* the queue is paused */
  LEAVES,       /* it was not let go on */
  BROKEN,
} Verdict;

typedef struct
{
  SluiceStore *store;
  gint64 run;
  gint64 after, threads, memory;
  gboolean leaves;
  char *reason; /* (nullable): of one that is barred or leaves */
} Candidate;

/* A run has an accelerator to itself; processors are shared out by threads, and what is simulated
 * each program has for itself. */
static gboolean
parse_accelerator (const char *text, SluiceDeviceSpec *spec)
{
  if (text == NULL || !sluice_device_spec_parse (spec, text, NULL))
    return FALSE;
  const SluiceDeviceKind *kind =
      spec->type != NULL ? sluice_device_find_kind (spec->type, NULL) : NULL;
  if (spec->type != NULL && !g_str_equal (spec->type, "CPU")
      && !(kind != NULL && kind->is_simulated))
    return TRUE;
  sluice_device_spec_clear (spec);
  return FALSE;
}

static gboolean
may_be_same (const SluiceDeviceSpec *device, const char *text)
{
  SluiceDeviceSpec other = { 0 };
  gboolean may_be = parse_accelerator (text, &other) && sluice_device_spec_merge (&other, device);
  sluice_device_spec_clear (&other);
  return may_be;
}

/* Is a run of the queue under way, here or in another program, on the device that this one names?
 */
static Verdict
judge_device (sqlite3 *db, const Candidate *candidate, const char *devices, GError **error)
{
  SluiceDeviceSpec device;
  if (!parse_accelerator (devices, &device))
    return READY;
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error,
      "SELECT q.run, q.devices FROM queue q JOIN runs r ON r.id = q.run WHERE q.run != ? AND "
      "r.state IN (?, ?)",
      "iii", candidate->run, (gint64) SLUICE_RUN_RUNNING, (gint64) SLUICE_RUN_PAUSED);
  Verdict verdict = READY;
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW && verdict == READY)
    if (may_be_same (&device, (const char *) sqlite3_column_text (row, 1))
        && sluice_store_run_is_locked (candidate->store, sqlite3_column_int64 (row, 0)))
      verdict = OCCUPIED;
  sqlite3_finalize (row);
  sluice_device_spec_clear (&device);
  return rc == SQLITE_ERROR ? BROKEN : verdict;
}

/* What its row says of the run that it comes after. */
static Verdict
judge_after (Candidate *candidate, sqlite3_stmt *row)
{
  if (candidate->after == 0)
    return READY;
  g_autofree char *name = sluice_column_dup_text (row, 5);
  SluiceRunState state = sqlite3_column_int (row, 4);
  g_free (candidate->reason);
  candidate->reason = NULL;
  if (name == NULL)
    candidate->reason = g_strdup_printf (
        "run #%" G_GINT64_FORMAT ", which was to finish first, is there no more", candidate->after);
  else if (state == SLUICE_RUN_FAILED)
    candidate->reason = g_strdup_printf ("run '%s', which was to finish first, failed", name);
  if (candidate->reason != NULL)
    return BARRED;
  return state == SLUICE_RUN_FINISHED ? READY : BLOCKED;
}

static Verdict
judge (sqlite3 *db, Candidate *candidate, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error,
      "SELECT r.state, r.deleted IS NOT NULL, q.after, q.threads, a.state, a.name, "
      "coalesce ((SELECT paused FROM queue_control), 0), q.memory, q.devices FROM queue q JOIN "
      "runs r ON r.id = q.run "
      "LEFT JOIN runs a ON a.id = q.after WHERE q.run = ?",
      "i", candidate->run);
  int rc = sluice_sql_step (db, row, error);
  Verdict verdict = rc == SQLITE_DONE ? GONE : BROKEN;
  if (rc == SQLITE_ROW)
    {
      candidate->after = sqlite3_column_int64 (row, 2);
      candidate->threads = sqlite3_column_int64 (row, 3);
      candidate->memory = sqlite3_column_int64 (row, 7);
      verdict = sqlite3_column_int (row, 1)             ? GONE
                : is_over (sqlite3_column_int (row, 0)) ? OVER
                : sqlite3_column_int (row, 6) != 0      ? NOTHING_GOES
                : candidate->leaves                     ? LEAVES
                                                        : judge_after (candidate, row);
      if (verdict == READY)
        verdict = judge_device (db, candidate, (const char *) sqlite3_column_text (row, 8), error);
    }
  sqlite3_finalize (row);
  return verdict;
}

static gboolean
mark_ended (sqlite3 *db, gint64 run, SluiceRunState state, const char *message, GError **error)
{
  return sluice_sql_change (db, error,
                            "UPDATE runs SET state = ?, message = ?, failed_node = NULL, ended = ? "
                            "WHERE id = ?",
                            "isdi", (gint64) state, message, g_get_real_time () * 1e-6, run)
         && sluice_run_queue_forget (db, run, error);
}

typedef struct
{
  Candidate *candidate;
  Verdict verdict;
} ClaimRequest;

/* Under the lock of the run. */
static gboolean
claim (sqlite3 *db, gpointer data, GError **error)
{
  ClaimRequest *request = data;
  gint64 run = request->candidate->run;
  request->verdict = judge (db, request->candidate, error);
  switch (request->verdict)
    {
    case READY:
      return sluice_sql_change (db, error, "UPDATE runs SET state = ? WHERE id = ?", "ii",
                                (gint64) SLUICE_RUN_RUNNING, run);
    case OVER:
      return sluice_run_queue_forget (db, run, error);
    case BARRED:
      return mark_ended (db, run, SLUICE_RUN_FAILED, request->candidate->reason, error);
    case LEAVES:
      return mark_ended (db, run, SLUICE_RUN_STOPPED, request->candidate->reason, error);
    case BROKEN:
      return FALSE;
    default:
      return TRUE;
    }
}

/* Locks and claims. *busy: somebody else has it. */
static gboolean
try_claim (SluiceStore *store, ClaimRequest *request, gboolean *busy, GError **error)
{
  gint64 run = request->candidate->run;
  g_autoptr (GError) local = NULL;
  *busy = FALSE;
  if (!sluice_store_lock_run (store, run, &local))
    {
      *busy = g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
      if (!*busy)
        g_propagate_error (error, g_steal_pointer (&local));
      return *busy;
    }
  gboolean ok = sluice_store_writer_run (sluice_store_get_writer (store), claim, request, error);
  if (!ok || request->verdict != READY)
    sluice_store_unlock_run (store, run);
  return ok;
}

static Verdict
look (SluiceStore *store, Candidate *candidate, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (store, error);
  if (db == NULL)
    return BROKEN;
  Verdict verdict = judge (db, candidate, error);
  sluice_store_put_reader (store, db);
  return verdict;
}

static GArray *
dup_order (SluiceStore *store, const char *group, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (store, error);
  if (db == NULL)
    return NULL;
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean ok = read_order (db, group, order, error);
  sluice_store_put_reader (store, db);
  return ok ? g_steal_pointer (&order) : NULL;
}

/* What those who know more than the queue say of a run that could begin. */
static SluiceQueueLeave
ask (SluiceStore *store, Candidate *candidate, const SluiceQueueLimits *limits, GError **error)
{
  if ((limits->threads >= 0 && candidate->threads > limits->threads)
      || (limits->memory >= 0 && candidate->memory > limits->memory))
    return SLUICE_QUEUE_NOT_YET;
  return limits->ask != NULL ? limits->ask (store, candidate->run, &candidate->reason, error)
                             : SLUICE_QUEUE_MAY_GO;
}

/* One run of the queue. EMPTY: it is none of those that wait. */
static SluiceQueueClaim
consider (SluiceStore *store, Candidate *candidate, const SluiceQueueLimits *limits, GError **error)
{
  ClaimRequest request = { candidate, look (store, candidate, error) };
  gboolean busy = FALSE;
  if (request.verdict == READY)
    {
      SluiceQueueLeave leave = ask (store, candidate, limits, error);
      if (leave == SLUICE_QUEUE_NOT_YET || leave == SLUICE_QUEUE_UNKNOWN)
        return leave == SLUICE_QUEUE_NOT_YET ? SLUICE_QUEUE_BUSY : SLUICE_QUEUE_BROKEN;
      candidate->leaves = leave == SLUICE_QUEUE_NEVER;
    }
  if ((request.verdict == READY || request.verdict == OVER || request.verdict == BARRED)
      && !try_claim (store, &request, &busy, error))
    return SLUICE_QUEUE_BROKEN;
  if (busy)
    return SLUICE_QUEUE_BUSY;
  switch (request.verdict)
    {
    case READY:
      return SLUICE_QUEUE_CLAIMED;
    case BARRED:
      return SLUICE_QUEUE_SKIPPED;
    case LEAVES:
      return SLUICE_QUEUE_DROPPED;
    case BLOCKED:
      return sluice_store_run_is_locked (store, candidate->after) ? SLUICE_QUEUE_BUSY
                                                                  : SLUICE_QUEUE_BLOCKED;
    case OCCUPIED:
      return SLUICE_QUEUE_BUSY;
    case NOTHING_GOES:
      return SLUICE_QUEUE_PAUSED;
    case BROKEN:
      return SLUICE_QUEUE_BROKEN;
    default:
      return SLUICE_QUEUE_EMPTY;
    }
}

SluiceQueueClaim
sluice_run_queue_claim (SluiceStore *store,
                        const SluiceQueueLimits *limits,
                        gint64 *run,
                        GError **error)
{
  *run = 0;
  g_autoptr (GArray) order = dup_order (store, limits->group, error);
  if (order == NULL)
    return SLUICE_QUEUE_BROKEN;
  SluiceQueueClaim all = SLUICE_QUEUE_EMPTY;
  for (guint i = 0; i < order->len; i++)
    {
      Candidate candidate = { .store = store, .run = g_array_index (order, gint64, i) };
      SluiceQueueClaim one = consider (store, &candidate, limits, error);
      g_free (candidate.reason);
      if (one == SLUICE_QUEUE_CLAIMED || one == SLUICE_QUEUE_SKIPPED || one == SLUICE_QUEUE_DROPPED)
        *run = candidate.run;
      if (*run != 0 || one == SLUICE_QUEUE_PAUSED || one == SLUICE_QUEUE_BROKEN)
        return one;
      if (one == SLUICE_QUEUE_BUSY || (one == SLUICE_QUEUE_BLOCKED && all == SLUICE_QUEUE_EMPTY))
        all = one;
    }
  return all;
}

/* ---- leaving ---- */

typedef struct
{
  gint64 run;
  SluiceQueueOutcome outcome;
  const char *message;
} SettleRequest;

static gboolean
settle (sqlite3 *db, gpointer data, GError **error)
{
  const SettleRequest *request = data;
  switch (request->outcome)
    {
    case SLUICE_QUEUE_FAILS:
      return mark_ended (db, request->run, SLUICE_RUN_FAILED, request->message, error);
    case SLUICE_QUEUE_WAITS_AGAIN:
      return sluice_sql_change (db, error,
                                "UPDATE runs SET state = ?, message = NULL, failed_node = NULL "
                                "WHERE id = ?",
                                "ii", (gint64) SLUICE_RUN_WAITING, request->run);
    case SLUICE_QUEUE_LEAVES:
      return sluice_run_queue_forget (db, request->run, error);
    }
  g_assert_not_reached ();
}

gboolean
sluice_run_queue_settle (
    SluiceStore *store, gint64 run, SluiceQueueOutcome outcome, const char *message, GError **error)
{
  SettleRequest request = { run, outcome, message };
  gboolean ok = sluice_store_writer_run (sluice_store_get_writer (store), settle, &request, error);
  sluice_store_unlock_run (store, run);
  return ok;
}

static gboolean
drop (sqlite3 *db, gpointer data, GError **error)
{
  const SluiceRunInfo *run = data;
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (gint64));
  return read_order (db, NULL, order, error) && find_place (order, run, error) != G_MAXUINT
         && sluice_sql_change (
             db, error,
             "UPDATE runs SET state = iif (step > 0, ?1, ?2) WHERE id = ?3 AND state NOT IN (?4, "
             "?5)",
             "iiiii", (gint64) SLUICE_RUN_STOPPED, (gint64) SLUICE_RUN_DRAFT, run->id,
             (gint64) SLUICE_RUN_FINISHED, (gint64) SLUICE_RUN_FAILED)
         && sluice_run_queue_forget (db, run->id, error);
}

gboolean
sluice_run_queue_drop (SluiceStore *store, const SluiceRunInfo *run, GError **error)
{
  if (!sluice_store_lock_run (store, run->id, error))
    return FALSE;
  gboolean ok =
      sluice_store_writer_run (sluice_store_get_writer (store), drop, (gpointer) run, error);
  sluice_store_unlock_run (store, run->id);
  return ok;
}

/* ---- coming back ---- */

typedef struct
{
  const SluiceRunInfo *run;
  const SluiceQueueNeeds *needs;
  gint64 next;
} RestoreRequest;

static gboolean
restore (sqlite3 *db, gpointer data, GError **error)
{
  const RestoreRequest *request = data;
  gint64 run = request->run->id;
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!sluice_sql_change (db, error,
                          "UPDATE runs SET state = ? WHERE id = ? AND state IN (?, ?) AND deleted "
                          "IS NULL AND id NOT IN (SELECT run FROM queue)",
                          "iiii", (gint64) SLUICE_RUN_WAITING, run, (gint64) SLUICE_RUN_STOPPED,
                          (gint64) SLUICE_RUN_DRAFT))
    return FALSE;
  if (sqlite3_changes (db) == 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run '%s' cannot wait again: it was trained or deleted meanwhile, or waits",
                        request->run->name);
  if (!read_order (db, NULL, order, error)
      || !sluice_run_queue_insert (db, run, request->needs, error))
    return FALSE;
  guint place = 0;
  while (place < order->len && g_array_index (order, gint64, place) != request->next)
    place++;
  g_array_insert_val (order, place, run);
  return write_order (db, order, error);
}

gboolean
sluice_run_queue_restore (SluiceStore *store,
                          const SluiceRunInfo *run,
                          const SluiceQueueNeeds *needs,
                          gint64 next,
                          GError **error)
{
  RestoreRequest request = { run, needs, next };
  if (!sluice_store_lock_run (store, run->id, error))
    return FALSE;
  gboolean ok = sluice_store_writer_run (sluice_store_get_writer (store), restore, &request, error);
  sluice_store_unlock_run (store, run->id);
  return ok;
}

typedef struct
{
  const SluiceRunInfo *run, *other;
} AfterRequest;

static gboolean
set_after (sqlite3 *db, gpointer data, GError **error)
{
  const AfterRequest *request = data;
  gint64 run = request->run->id, other = request->other != NULL ? request->other->id : 0;
  gint64 n = 0;
  sqlite3_stmt *waits = sluice_sql_prepare (
      db, error,
      "WITH RECURSIVE chain (run) AS (VALUES (?) UNION SELECT q.after FROM queue q JOIN chain ON "
      "q.run = chain.run WHERE q.after IS NOT NULL) SELECT count (*) FROM chain WHERE run = ?",
      "ii", other, run);
  if (!sluice_sql_take_number (db, waits, &n, error))
    return FALSE;
  if (n > 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "run '%s' cannot come after '%s', which waits for it", request->run->name,
                        request->other->name);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (gint64));
  return read_order (db, NULL, order, error) && find_place (order, request->run, error) != G_MAXUINT
         && sluice_sql_change (db, error, "UPDATE queue SET after = nullif (?, 0) WHERE run = ?",
                               "ii", other, run);
}

gboolean
sluice_run_queue_set_after (SluiceStore *store,
                            const SluiceRunInfo *run,
                            const SluiceRunInfo *other,
                            GError **error)
{
  AfterRequest request = { run, other };
  return sluice_store_writer_run (sluice_store_get_writer (store), set_after, &request, error);
}
