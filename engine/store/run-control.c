/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/run-control.h"
#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include "engine/base/error.h"
#include "engine/store/column.h"

void
sluice_command_free (SluiceCommand *self)
{
  g_free (self->verb);
  g_free (self->argument);
  g_free (self->answer);
  g_free (self);
}

static SluiceCommand *
read_command (sqlite3_stmt *row)
{
  SluiceCommand *self = g_new0 (SluiceCommand, 1);
  self->id = sqlite3_column_int64 (row, 0);
  self->verb = sluice_column_dup_text (row, 1);
  self->argument = sluice_column_dup_text (row, 2);
  self->state = CLAMP (sqlite3_column_int (row, 3), SLUICE_COMMAND_ASKED, SLUICE_COMMAND_REFUSED);
  self->step = sqlite3_column_int64 (row, 4);
  self->answer = sluice_column_dup_text (row, 5);
  return self;
}

#define COLUMNS "SELECT id, verb, argument, state, step, answer FROM commands "

/* ---- who asks ---- */

typedef struct
{
  gint64 run, id;
  const char *verb, *argument;
} AskRequest;

static gboolean
insert (sqlite3 *db, gpointer data, GError **error)
{
  AskRequest *request = data;
  if (!sluice_sql_change (db, error,
                          "INSERT INTO commands (run, asked, verb, argument, state) VALUES (?, ?, "
                          "?, ?, ?)",
                          "idssi", request->run, g_get_real_time () * 1e-6, request->verb,
                          request->argument, (gint64) SLUICE_COMMAND_ASKED))
    return FALSE;
  request->id = sqlite3_last_insert_rowid (db);
  return TRUE;
}

gint64
sluice_run_control_ask (SluiceStore *store,
                        const SluiceRunInfo *run,
                        const char *verb,
                        const char *argument,
                        GError **error)
{
  AskRequest request = { .run = run->id, .verb = verb, .argument = argument };
  if (sluice_run_control_is_over (store, run->id))
    {
      sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                   "run '%s' is not at work: it is %s at step %" G_GINT64_FORMAT, run->name,
                   sluice_run_state_name (run->state), run->step);
      return 0;
    }
  return sluice_store_writer_run (sluice_store_get_writer (store), insert, &request, error)
             ? request.id
             : 0;
}

SluiceCommand *
sluice_run_control_read (SluiceStore *store, gint64 id, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (store, error);
  if (db == NULL)
    return NULL;
  sqlite3_stmt *row = sluice_sql_prepare (db, error, COLUMNS "WHERE id = ?", "i", id);
  int rc = sluice_sql_step (db, row, error);
  SluiceCommand *command = rc == SQLITE_ROW ? read_command (row) : NULL;
  sqlite3_finalize (row);
  sluice_store_put_reader (store, db);
  if (rc == SQLITE_DONE)
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "the run is there no more");
  return command;
}

static gboolean
delete_one (sqlite3 *db, gpointer data, GError **error)
{
  return sluice_sql_change (db, error, "DELETE FROM commands WHERE id = ?", "i", *(gint64 *) data);
}

gboolean
sluice_run_control_forget (SluiceStore *store, gint64 id, GError **error)
{
  return sluice_store_writer_run (sluice_store_get_writer (store), delete_one, &id, error);
}

gboolean
sluice_run_control_is_over (SluiceStore *store, gint64 run)
{
  return !sluice_store_run_is_locked (store, run);
}

/* How often an answer is looked for, and after how long somebody is told that it is waited for. */
#define LOOK_MS 20
#define TELL_MS 2000

/* (transfer full) (nullable) */
static SluiceCommand *
wait_for_answer (SluiceStore *store,
                 const SluiceRunInfo *run,
                 gint64 id,
                 gint64 patience_ms,
                 void (*waits) (void),
                 GError **error)
{
  for (gint64 waited = 0; waited < patience_ms; waited += LOOK_MS)
    {
      /* Who ends answers before he lets the run go. */
      gboolean is_over = sluice_run_control_is_over (store, run->id);
      g_autoptr (SluiceCommand) command = sluice_run_control_read (store, id, error);
      if (command == NULL || command->state != SLUICE_COMMAND_ASKED)
        return g_steal_pointer (&command);
      if (is_over)
        {
          sluice_fail (error, SLUICE_ERROR_ABORTED,
                       "the process that trained run '%s' went away before it answered; it is not "
                       "done, and is not done later",
                       run->name);
          return NULL;
        }
      if (waited == TELL_MS && waits != NULL)
        waits ();
      g_usleep (LOOK_MS * 1000);
    }
  sluice_fail (error, SLUICE_ERROR_DEADLINE_EXCEEDED,
               "run '%s' did not answer within %" G_GINT64_FORMAT
               " s: the step under way takes longer; nothing is asked of it any more. Have more "
               "patience with it",
               run->name, patience_ms / 1000);
  return NULL;
}

SluiceCommand *
sluice_run_control_call (SluiceStore *store,
                         const SluiceRunInfo *run,
                         const char *verb,
                         const char *argument,
                         gint64 patience_ms,
                         void (*waits) (void),
                         GError **error)
{
  gint64 id = sluice_run_control_ask (store, run, verb, argument, error);
  if (id == 0)
    return NULL;
  g_autoptr (SluiceCommand) command = wait_for_answer (store, run, id, patience_ms, waits, error);
  sluice_run_control_forget (store, id, NULL);
  if (command == NULL || command->state == SLUICE_COMMAND_DONE)
    return g_steal_pointer (&command);
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "run '%s': %s", run->name, command->answer);
  return NULL;
}

/* ---- who trains ---- */

struct _SluiceRunControl
{
  SluiceStore *store;
  gint64 run;
  sqlite3 *db;       /* a reader that waits for nobody: a step would */
  sqlite3_stmt *row; /* reset between looks: it holds nothing open */
};

static gboolean
refuse_open (sqlite3 *db, gint64 run, const char *why, GError **error)
{
  return sluice_sql_change (
      db, error, "UPDATE commands SET state = ?, answer = ? WHERE run = ? AND state = ?", "isii",
      (gint64) SLUICE_COMMAND_REFUSED, why, run, (gint64) SLUICE_COMMAND_ASKED);
}

static gboolean
tidy (sqlite3 *db, gpointer data, GError **error)
{
  gint64 run = *(gint64 *) data;
  return sluice_sql_change (db, error, "DELETE FROM commands WHERE run = ? AND state != ?", "ii",
                            run, (gint64) SLUICE_COMMAND_ASKED)
         && refuse_open (db, run,
                         "the process that trained the run ended before it looked; ask the one "
                         "that goes on with it",
                         error);
}

static gboolean
close_open (sqlite3 *db, gpointer data, GError **error)
{
  return refuse_open (db, *(gint64 *) data, "the run had ended before it looked", error);
}

/* Nothing is written where there is nothing to say: most runs are never asked. */
static gboolean
has_rows (SluiceStore *store, gint64 run, gboolean *has, GError **error)
{
  gint64 n = 0;
  sqlite3 *db = sluice_store_take_reader (store, error);
  if (db == NULL)
    return FALSE;
  gboolean ok = sluice_sql_take_number (
      db, sluice_sql_prepare (db, error, "SELECT count (*) FROM commands WHERE run = ?", "i", run),
      &n, error);
  sluice_store_put_reader (store, db);
  *has = n > 0;
  return ok;
}

SluiceRunControl *
sluice_run_control_new (SluiceStore *store, gint64 run, GError **error)
{
  gboolean has;
  if (!has_rows (store, run, &has, error)
      || (has && !sluice_store_writer_run (sluice_store_get_writer (store), tidy, &run, error)))
    return NULL;
  SluiceRunControl *self = g_new0 (SluiceRunControl, 1);
  self->store = g_object_ref (store);
  self->run = run;
  self->db = sluice_store_take_reader (store, error);
  self->row = self->db != NULL
                  ? sluice_sql_prepare (self->db, error,
                                        COLUMNS "WHERE run = ? AND state = ? ORDER BY id LIMIT 1",
                                        "ii", run, (gint64) SLUICE_COMMAND_ASKED)
                  : NULL;
  if (self->row == NULL)
    {
      sluice_run_control_free (self);
      return NULL;
    }
  sqlite3_busy_handler (self->db, NULL, NULL);
  return self;
}

void
sluice_run_control_free (SluiceRunControl *self)
{
  gboolean has;
  sqlite3_finalize (self->row);
  sqlite3_close (self->db);
  if (has_rows (self->store, self->run, &has, NULL) && has)
    sluice_store_writer_run (sluice_store_get_writer (self->store), close_open, &self->run, NULL);
  g_object_unref (self->store);
  g_free (self);
}

SluiceCommand *
sluice_run_control_next (SluiceRunControl *self, GError **error)
{
  SluiceCommand *command =
      sluice_sql_step (self->db, self->row, error) == SQLITE_ROW ? read_command (self->row) : NULL;
  sqlite3_reset (self->row);
  return command;
}

typedef struct
{
  const SluiceCommand *command;
  gboolean done;
  gint64 step;
  const char *answer;
} AnswerRequest;

static gboolean
answer (sqlite3 *db, gpointer data, GError **error)
{
  const AnswerRequest *request = data;
  return sluice_sql_change (
      db, error, "UPDATE commands SET state = ?, step = ?, answer = ? WHERE id = ?", "iisi",
      (gint64) (request->done ? SLUICE_COMMAND_DONE : SLUICE_COMMAND_REFUSED), request->step,
      request->answer, request->command->id);
}

gboolean
sluice_run_control_answer (SluiceRunControl *self,
                           const SluiceCommand *command,
                           gboolean done,
                           gint64 step,
                           const char *text,
                           GError **error)
{
  AnswerRequest request = { command, done, step, text };
  return sluice_store_writer_run (sluice_store_get_writer (self->store), answer, &request, error);
}

gboolean
sluice_run_control_purge (sqlite3 *db, gint64 run, GError **error)
{
  return sluice_sql_change (db, error, "DELETE FROM commands WHERE run = ?", "i", run);
}
