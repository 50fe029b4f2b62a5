/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/draft.h"
#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/store/column.h"

/* The rows of runs: made, changed, listed. */

const char *
sluice_run_state_name (SluiceRunState state)
{
  static const char *const names[] = { N_ ("draft"),   N_ ("running"),  N_ ("paused"),
                                       N_ ("stopped"), N_ ("finished"), N_ ("failed"),
                                       N_ ("crashed"), N_ ("waiting") };
  return names[state];
}

SluiceRunInfo *
sluice_run_info_copy (const SluiceRunInfo *self)
{
  SluiceRunInfo *copy = g_memdup2 (self, sizeof *self);
  copy->name = g_strdup (self->name);
  copy->project = g_strdup (self->project);
  copy->graph_hash = g_strdup (self->graph_hash);
  copy->message = g_strdup (self->message);
  copy->failed_node = g_strdup (self->failed_node);
  copy->color = g_strdup (self->color);
  copy->notes = g_strdup (self->notes);
  copy->group = g_strdup (self->group);
  copy->tags = g_strdupv (self->tags);
  return copy;
}

void
sluice_run_info_free (SluiceRunInfo *self)
{
  g_free (self->name);
  g_free (self->project);
  g_free (self->graph_hash);
  g_free (self->message);
  g_free (self->failed_node);
  g_free (self->color);
  g_free (self->notes);
  g_free (self->group);
  g_strfreev (self->tags);
  g_free (self);
}

/* The name, or the first free one with a number from 2 on behind it: 2, or one more than a number
 * that is taken. (nullable) (transfer full) */
static char *
dup_free_name (sqlite3 *db, const char *base, GError **error)
{
  gint64 number;
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error,
      "SELECT iif (NOT EXISTS (SELECT 1 FROM runs WHERE name = ?1), 0, (SELECT min (n) FROM "
      "(SELECT 2 AS n UNION ALL SELECT CAST (substr (name, length (?1) + 2) AS INTEGER) + 1 FROM "
      "runs WHERE name > ?1 || '-' AND name < ?1 || '.') WHERE n >= 2 AND NOT EXISTS (SELECT 1 "
      "FROM runs WHERE name = ?1 || '-' || n)))",
      "s", base);
  if (!sluice_sql_take_number (db, row, &number, error))
    return NULL;
  return number == 0 ? g_strdup (base) : g_strdup_printf ("%s-%" G_GINT64_FORMAT, base, number);
}

char *
sluice_store_dup_free_name (SluiceStore *self, const char *name, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  char *free_name = dup_free_name (db, name, error);
  sluice_store_put_reader (self, db);
  return free_name;
}

/* What is said of it from the start. */
static gboolean
insert_words (sqlite3 *db, gint64 id, const SluiceRunInfo *info, GError **error)
{
  gboolean said = info->notes != NULL || info->group != NULL || info->is_starred
                  || info->color != NULL || info->parent != 0;
  if (said
      && !sluice_sql_change (db, error,
                             "INSERT INTO run_words (run, notes, run_group, starred, parent, "
                             "parent_step, color) VALUES (?1, ?2, ?3, ?4, nullif (?5, 0), "
                             "iif (?5 = 0, NULL, ?6), ?7)",
                             "issiiis", id, info->notes, info->group, (gint64) info->is_starred,
                             info->parent, info->parent_step, info->color))
    return FALSE;
  for (guint i = 0; info->tags != NULL && info->tags[i] != NULL; i++)
    if (!sluice_sql_change (db, error, "INSERT OR IGNORE INTO run_tags (run, tag) VALUES (?, ?)",
                            "is", id, info->tags[i]))
      return FALSE;
  return TRUE;
}

gboolean
sluice_store_insert_run (SluiceStore *self, sqlite3 *db, SluiceRunInfo *info, GError **error)
{
  gint64 id = info->id != 0 ? info->id : sluice_store_next_run (self, db, error);
  if (id == 0)
    return FALSE;
  const char *base = info->name != NULL      ? info->name
                     : info->project != NULL ? info->project
                                             : "run";
  g_autofree char *name = dup_free_name (db, base, error);
  if (name == NULL
      || !sluice_sql_change (
          db, error,
          "INSERT INTO runs (id, name, project, state, step, n_steps, seed, created, started, "
          "ended, seconds, graph_hash, message, failed_node) VALUES "
          "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          "issiiiiddddsss", id, name, info->project, (gint64) info->state, info->step,
          info->n_steps, (gint64) info->seed, info->created, info->started, info->ended,
          info->seconds, info->graph_hash, info->message, info->failed_node)
      || !insert_words (db, id, info, error))
    return FALSE;
  info->id = id;
  g_free (info->name);
  info->name = g_steal_pointer (&name);
  return TRUE;
}

typedef struct
{
  SluiceStore *store;
  SluiceRunInfo *info;
} AddRequest;

static gboolean
add_run (sqlite3 *db, gpointer data, GError **error)
{
  AddRequest *request = data;
  return sluice_store_insert_run (request->store, db, request->info, error);
}

gboolean
sluice_store_add_run (SluiceStore *self, SluiceRunInfo *info, GError **error)
{
  AddRequest request = { self, info };
  info->id = 0;
  return sluice_store_writer_run (sluice_store_get_writer (self), add_run, &request, error);
}

static gboolean
update_run (sqlite3 *db, gpointer data, GError **error)
{
  const SluiceRunInfo *info = data;
  return sluice_sql_change (
      db, error,
      "UPDATE runs SET project = ?, state = ?, step = ?, n_steps = ?, seed = ?, created = ?, "
      "started = ?, ended = ?, seconds = ?, graph_hash = ?, message = ?, failed_node = ? "
      "WHERE id = ?",
      "siiiiddddsssi", info->project, (gint64) info->state, info->step, info->n_steps,
      (gint64) info->seed, info->created, info->started, info->ended, info->seconds,
      info->graph_hash, info->message, info->failed_node, info->id);
}

gboolean
sluice_store_update_run (SluiceStore *self, const SluiceRunInfo *info, GError **error)
{
  return sluice_store_writer_run (sluice_store_get_writer (self), update_run, (gpointer) info,
                                  error);
}

/* ---- reading ---- */

#define COLUMNS                                                                                    \
  "id, name, project, state, step, n_steps, seed, created, started, ended, seconds, graph_hash, "  \
  "message, failed_node, notes, run_group, starred, color, parent, parent_step, deleted, "         \
  "(SELECT group_concat (tag, char (10)) FROM (SELECT tag FROM run_tags WHERE run = runs.id "      \
  "ORDER BY tag)) FROM runs LEFT JOIN run_words ON run_words.run = runs.id"

static SluiceRunInfo *
read_run (sqlite3_stmt *row)
{
  SluiceRunInfo *info = g_new0 (SluiceRunInfo, 1);
  info->id = sqlite3_column_int64 (row, 0);
  info->name = sluice_column_dup_text (row, 1);
  info->project = sluice_column_dup_text (row, 2);
  info->state = CLAMP (sqlite3_column_int (row, 3), SLUICE_RUN_DRAFT, SLUICE_RUN_WAITING);
  info->step = sqlite3_column_int64 (row, 4);
  info->n_steps = sqlite3_column_int64 (row, 5);
  info->seed = (guint64) sqlite3_column_int64 (row, 6);
  info->created = sqlite3_column_double (row, 7);
  info->started = sqlite3_column_double (row, 8);
  info->ended = sqlite3_column_double (row, 9);
  info->seconds = sqlite3_column_double (row, 10);
  info->graph_hash = sluice_column_dup_text (row, 11);
  info->message = sluice_column_dup_text (row, 12);
  info->failed_node = sluice_column_dup_text (row, 13);
  info->notes = sluice_column_dup_text (row, 14);
  info->group = sluice_column_dup_text (row, 15);
  info->is_starred = sqlite3_column_int (row, 16) != 0;
  info->color = sluice_column_dup_text (row, 17);
  info->parent = sqlite3_column_int64 (row, 18);
  info->parent_step = sqlite3_column_int64 (row, 19);
  info->deleted = sqlite3_column_double (row, 20);
  g_autofree char *tags = sluice_column_dup_text (row, 21);
  info->tags = tags != NULL ? g_strsplit (tags, "\n", -1) : NULL;
  return info;
}

/* A run that says it is under way but whose lock is free has lost its process. Its trainer writes
   another state before it gives the lock up, so the state is read after the lock. */
static gboolean
check_state (SluiceStore *self, sqlite3 *db, SluiceRunInfo *info, GError **error)
{
  if ((info->state != SLUICE_RUN_RUNNING && info->state != SLUICE_RUN_PAUSED)
      || sluice_store_run_is_locked (self, info->id))
    return TRUE;
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error, "SELECT state FROM runs WHERE id = ?", "i", info->id);
  int rc = sluice_sql_step (db, row, error);
  if (rc == SQLITE_ROW)
    info->state = CLAMP (sqlite3_column_int (row, 0), SLUICE_RUN_DRAFT, SLUICE_RUN_WAITING);
  sqlite3_finalize (row);
  if (info->state == SLUICE_RUN_RUNNING || info->state == SLUICE_RUN_PAUSED)
    info->state = SLUICE_RUN_CRASHED;
  return rc != SQLITE_ERROR;
}

GPtrArray *
sluice_store_list_runs (SluiceStore *self, sqlite3 *db, gboolean trash, GError **error)
{
  static const char *const queries[] = {
    "SELECT " COLUMNS " WHERE deleted IS NULL ORDER BY id DESC",
    "SELECT " COLUMNS " WHERE deleted IS NOT NULL ORDER BY id DESC",
  };
  g_autoptr (GPtrArray) runs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  sqlite3_stmt *row = sluice_sql_prepare (db, error, queries[trash], "");
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    g_ptr_array_add (runs, read_run (row));
  gboolean ok = rc == SQLITE_DONE;
  sqlite3_finalize (row);
  for (guint i = 0; ok && i < runs->len; i++)
    ok = check_state (self, db, runs->pdata[i], error);
  return ok ? g_steal_pointer (&runs) : NULL;
}

static GPtrArray *
dup_runs (SluiceStore *self, gboolean trash, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  GPtrArray *runs = sluice_store_list_runs (self, db, trash, error);
  sluice_store_put_reader (self, db);
  return runs;
}

GPtrArray *
sluice_store_dup_runs (SluiceStore *self, GError **error)
{
  return dup_runs (self, FALSE, error);
}

/* (nullable) (transfer none) */
static const SluiceRunInfo *
find_run (GPtrArray *runs, const char *name_or_id)
{
  gint64 id;
  const char *digits = *name_or_id == '#' ? name_or_id + 1 : name_or_id;
  for (guint i = 0; i < runs->len; i++)
    if (strcmp (((const SluiceRunInfo *) runs->pdata[i])->name, name_or_id) == 0)
      return runs->pdata[i];
  if (!g_ascii_string_to_signed (digits, 10, 1, G_MAXINT64, &id, NULL))
    return NULL;
  for (guint i = 0; i < runs->len; i++)
    if (((const SluiceRunInfo *) runs->pdata[i])->id == id)
      return runs->pdata[i];
  return NULL;
}

/* rest: what else is known, behind the message; NULL: that a name among the runs is like it. */
static void
fail_unknown (SluiceStore *self,
              GPtrArray *runs,
              const char *name,
              const char *place,
              const char *rest,
              GError **error)
{
  g_autofree const char **names = g_new0 (const char *, runs->len + 1);
  for (guint i = 0; i < runs->len; i++)
    names[i] = ((const SluiceRunInfo *) runs->pdata[i])->name;
  const char *like = rest == NULL ? sluice_suggest_name (name, names, runs->len) : NULL;
  g_autofree char *hint =
      like != NULL ? g_strdup_printf ("; did you mean '%s'?", like) : g_strdup (rest);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no run '%s' in %s'%s'%s", name, place,
               sluice_store_get_workspace (self), hint != NULL ? hint : "");
}

SluiceRunInfo *
sluice_store_dup_run (SluiceStore *self, const char *name_or_id, GError **error)
{
  g_autoptr (GPtrArray) runs = dup_runs (self, FALSE, error);
  if (runs == NULL)
    return NULL;
  const SluiceRunInfo *found = find_run (runs, name_or_id);
  if (found != NULL)
    return sluice_run_info_copy (found);
  g_autoptr (GPtrArray) trash = dup_runs (self, TRUE, error);
  if (trash == NULL)
    return NULL;
  gboolean is_deleted = find_run (trash, name_or_id) != NULL;
  fail_unknown (self, runs, name_or_id, "",
                is_deleted ? "; it is in the trash, and 'sluice runs restore' puts it back" : NULL,
                error);
  return NULL;
}

SluiceRunInfo *
sluice_store_dup_deleted_run (SluiceStore *self, const char *name_or_id, GError **error)
{
  g_autoptr (GPtrArray) trash = dup_runs (self, TRUE, error);
  if (trash == NULL)
    return NULL;
  const SluiceRunInfo *found = find_run (trash, name_or_id);
  if (found != NULL)
    return sluice_run_info_copy (found);
  fail_unknown (self, trash, name_or_id, "the trash of ", NULL, error);
  return NULL;
}

/* ---- the trash ---- */

static gboolean
mark_deleted (sqlite3 *db, gpointer data, GError **error)
{
  return sluice_sql_change (db, error, "UPDATE runs SET deleted = ? WHERE id = ?", "di",
                            g_get_real_time () * 1e-6, *(gint64 *) data);
}

static gboolean
unmark_deleted (sqlite3 *db, gpointer data, GError **error)
{
  return sluice_sql_change (db, error, "UPDATE runs SET deleted = NULL WHERE id = ?", "i",
                            *(gint64 *) data);
}

gboolean
sluice_store_delete_run (SluiceStore *self, gint64 run, GError **error)
{
  return sluice_store_writer_run (sluice_store_get_writer (self), mark_deleted, &run, error);
}

gboolean
sluice_store_restore_run (SluiceStore *self, gint64 run, GError **error)
{
  return sluice_store_writer_run (sluice_store_get_writer (self), unmark_deleted, &run, error);
}
