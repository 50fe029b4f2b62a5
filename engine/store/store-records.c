/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/error.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/event.h"
#include "engine/store/sql.h"

/* Readers of what series hold, whatever their kind. */

void
sluice_series_info_free (SluiceSeriesInfo *self)
{
  g_free (self->tag);
  g_free (self);
}

/* ---- series ---- */

/* Those of a kind, of run ?1; ?2: are they counted? */
static char *
dup_list_sql (const SluiceKind *kind)
{
  if (kind->list != NULL)
    return g_strdup (kind->list);
  const char *table = kind->table;
  return g_strdup_printf (
      "SELECT s.id AS id, s.run, s.tag, s.kind, CASE WHEN ?2 OR s.segments > 1 THEN "
      "(SELECT count (*) FROM %s WHERE series = s.id) ELSE "
      "EXISTS (SELECT 1 FROM %s WHERE series = s.id) END, "
      "(SELECT min (step) FROM %s WHERE series = s.id), "
      "(SELECT max (step) FROM %s WHERE series = s.id), s.segments, NULL, NULL "
      "FROM series s WHERE s.run = ?1 AND s.kind = %d",
      table, table, table, table, (int) kind->number);
}

static void
append_list (GString *sql, const SluiceKind *kind)
{
  g_autofree char *list = dup_list_sql (kind);
  if (sql->len > 0)
    g_string_append (sql, " UNION ALL ");
  g_string_append (sql, list);
}

static SluiceSeriesInfo *
read_series (sqlite3_stmt *row)
{
  SluiceSeriesInfo *info = g_new0 (SluiceSeriesInfo, 1);
  info->id = sqlite3_column_int64 (row, 0);
  info->run = sqlite3_column_int64 (row, 1);
  info->tag = sluice_column_dup_text (row, 2);
  info->kind = (SluiceSeriesKind) sqlite3_column_int (row, 3);
  info->n_points = sqlite3_column_int64 (row, 4);
  info->first_step = sqlite3_column_int64 (row, 5);
  info->last_step = sqlite3_column_int64 (row, 6);
  info->n_segments = (guint) sqlite3_column_int64 (row, 7);
  info->last_value = sluice_column_double (row, 8);
  info->last_wall = sluice_column_double (row, 9);
  return info;
}

static GPtrArray *
list_series (SluiceStore *self, gint64 run, gboolean counted, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  g_autoptr (GString) sql = g_string_new (NULL);
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  append_list (sql, kind);
  g_string_append (sql, " ORDER BY 3, 4");
  g_autoptr (GPtrArray) series =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_series_info_free);
  sqlite3_stmt *row = sluice_sql_prepare (db, error, sql->str, "ii", run, (gint64) counted);
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    g_ptr_array_add (series, read_series (row));
  sqlite3_finalize (row);
  sluice_store_put_reader (self, db);
  return rc == SQLITE_DONE ? g_steal_pointer (&series) : NULL;
}

GPtrArray *
sluice_store_dup_series (SluiceStore *self, gint64 run, GError **error)
{
  return list_series (self, run, TRUE, error);
}

GPtrArray *
sluice_store_dup_extents (SluiceStore *self, gint64 run, GError **error)
{
  return list_series (self, run, FALSE, error);
}

/* The list of its kind, for one id of the run's. (transfer full) (nullable): without such a series
 */
static char *
dup_one_sql (sqlite3 *db, gint64 series, GError **error)
{
  gint64 number;
  if (!sluice_sql_take_number (db,
                               sluice_sql_prepare (db, error,
                                                   "SELECT coalesce ((SELECT kind FROM series "
                                                   "WHERE id = ?), -1)",
                                                   "i", series),
                               &number, error))
    return NULL;
  const SluiceKind *kind = number >= 0 ? sluice_kind_get ((int) number) : NULL;
  g_autofree char *list = kind != NULL ? dup_list_sql (kind) : NULL;
  return list != NULL ? g_strdup_printf ("SELECT * FROM (%s) WHERE id = ?3", list)
                      : g_strdup ("SELECT NULL WHERE ?1 AND ?2 AND ?3 AND 0");
}

gboolean
sluice_store_dup_extent (
    SluiceStore *self, gint64 run, gint64 series, SluiceSeriesInfo **found, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  *found = NULL;
  if (db == NULL)
    return FALSE;
  int rc = SQLITE_ERROR;
  g_autofree char *sql = dup_one_sql (db, series, error);
  if (sql != NULL)
    {
      sqlite3_stmt *row = sluice_sql_prepare (db, error, sql, "iii", run, (gint64) 0, series);
      rc = sluice_sql_step (db, row, error);
      *found = rc == SQLITE_ROW ? read_series (row) : NULL;
      sqlite3_finalize (row);
    }
  sluice_store_put_reader (self, db);
  return rc != SQLITE_ERROR;
}

GHashTable *
sluice_store_dup_changes (SluiceStore *self, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  g_autoptr (GHashTable) changes =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  sqlite3_stmt *row = sluice_sql_prepare (db, error, "SELECT run, number FROM run_changes", "");
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    {
      gint64 run = sqlite3_column_int64 (row, 0), number = sqlite3_column_int64 (row, 1);
      g_hash_table_replace (changes, g_memdup2 (&run, sizeof run),
                            g_memdup2 (&number, sizeof number));
    }
  sqlite3_finalize (row);
  sluice_store_put_reader (self, db);
  return rc == SQLITE_DONE ? g_steal_pointer (&changes) : NULL;
}

gboolean
sluice_store_dup_metadata (SluiceStore *self, gint64 series, GBytes **metadata, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  *metadata = NULL;
  if (db == NULL)
    return FALSE;
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error, "SELECT metadata FROM series WHERE id = ? AND metadata IS NOT NULL", "i", series);
  int rc = sluice_sql_step (db, row, error);
  if (rc == SQLITE_ROW)
    *metadata = sluice_column_dup_bytes (row, 0);
  sqlite3_finalize (row);
  sluice_store_put_reader (self, db);
  return rc != SQLITE_ERROR;
}

/* ---- records ---- */

static const SluiceKind *
get_kind (const SluiceSeriesInfo *series, GError **error)
{
  const SluiceKind *kind = sluice_kind_get ((int) series->kind);
  if (kind == NULL)
    sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "series '%s' is of no known kind (%d)", series->tag,
                 (int) series->kind);
  return kind;
}

gboolean
sluice_store_each_record (SluiceStore *self,
                          const SluiceSeriesInfo *series,
                          const SluiceStepRange *range,
                          SluiceRecordFunc func,
                          gpointer data,
                          GError **error)
{
  const SluiceKind *kind = get_kind (series, error);
  sqlite3 *db = kind != NULL ? sluice_store_take_reader (self, error) : NULL;
  if (db == NULL)
    return FALSE;
  gboolean ok = kind->each != NULL
                    ? kind->each (db, series, range, func, data, error)
                    : sluice_kind_each_row (kind, db, series, range, func, data, error);
  sluice_store_put_reader (self, db);
  return ok;
}

static gboolean
count_rows (
    sqlite3 *db, const SluiceKind *kind, gint64 series, gint64 from_step, gint64 *n, GError **error)
{
  g_autofree char *sql =
      g_strdup_printf ("SELECT count (*) FROM %s WHERE series = ? AND step >= ?", kind->table);
  return sluice_sql_take_number (db, sluice_sql_prepare (db, error, sql, "ii", series, from_step),
                                 n, error);
}

static gboolean
add_read (
    sqlite3 *db, const SluiceKind *kind, sqlite3_stmt *row, GPtrArray *records, GError **error)
{
  gboolean ok = TRUE;
  int rc = SQLITE_ERROR;
  while (ok && (rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    {
      SluiceRecord *record = sluice_kind_read_row (kind, row, error);
      ok = record != NULL;
      if (ok)
        g_ptr_array_add (records, record);
    }
  sqlite3_finalize (row);
  return ok && rc == SQLITE_DONE;
}

GPtrArray *
sluice_store_read_records (
    SluiceStore *self, const SluiceSeriesInfo *series, gint64 from_step, guint max, GError **error)
{
  const SluiceKind *kind = get_kind (series, error);
  gint64 n;
  g_return_val_if_fail (kind == NULL || (kind->table != NULL && max > 0), NULL);
  sqlite3 *db = kind != NULL ? sluice_store_take_reader (self, error) : NULL;
  if (db == NULL)
    return NULL;
  g_autoptr (GPtrArray) records = g_ptr_array_new_with_free_func (sluice_record_free);
  gboolean ok = count_rows (db, kind, series->id, from_step, &n, error);
  if (ok)
    {
      g_autofree char *sql = g_strdup_printf (
          "SELECT step, wall, %s FROM (SELECT *, row_number () OVER (ORDER BY step DESC) - 1 AS "
          "nth FROM %s WHERE series = ? AND step >= ?) AS r WHERE nth %% ? = 0 ORDER BY step",
          kind->columns, kind->table);
      gint64 every = MAX ((n + max - 1) / max, 1);
      ok = add_read (db, kind,
                     sluice_sql_prepare (db, error, sql, "iii", series->id, from_step, every),
                     records, error);
    }
  sluice_store_put_reader (self, db);
  return ok ? g_steal_pointer (&records) : NULL;
}

static gboolean
keep_event (const SluiceRecord *record, gpointer events, GError **error)
{
  const SluiceEvent *event = (const SluiceEvent *) record;
  g_ptr_array_add (events, sluice_event_new (record->step, record->wall, event->kind, event->text));
  return TRUE;
}

GPtrArray *
sluice_store_read_events (SluiceStore *self, gint64 run, GError **error)
{
  const SluiceSeriesInfo all = { .run = run, .kind = SLUICE_SERIES_EVENT };
  const SluiceStepRange range = { G_MININT64, G_MAXINT64 };
  g_autoptr (GPtrArray) events = g_ptr_array_new_with_free_func (sluice_record_free);
  if (!sluice_store_each_record (self, &all, &range, keep_event, events, error))
    return NULL;
  return g_steal_pointer (&events);
}

/* ---- what came of events ---- */

/* Of all events of a run, from their index alone. */
static gboolean
read_mark (sqlite3 *db, gint64 run, SluiceEventMark *mark, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (
      db, error, "SELECT count (*), max (id), total (step) FROM events WHERE run = ?", "i", run);
  int rc = sluice_sql_step (db, row, error);
  if (rc == SQLITE_ROW)
    *mark = (SluiceEventMark){ sqlite3_column_int64 (row, 0), sqlite3_column_int64 (row, 1),
                               sqlite3_column_double (row, 2) };
  sqlite3_finalize (row);
  return rc == SQLITE_ROW;
}

/* (nullable): those behind @id, a row for each; "+run": by their numbers, not by the run. */
static GPtrArray *
read_behind (sqlite3 *db, gint64 run, gint64 id, GError **error)
{
  static const char sql[] = "SELECT step, wall, kind, text FROM events WHERE +run = ? AND id > ? "
                            "ORDER BY id";
  g_autoptr (GPtrArray) events = g_ptr_array_new_with_free_func (sluice_record_free);
  sqlite3_stmt *row = sluice_sql_prepare (db, error, sql, "ii", run, id);
  return sluice_kind_each_in (&sluice_kind_event, db, row, keep_event, events, error)
             ? g_steal_pointer (&events)
             : NULL;
}

/* Are @came all that the run has more than at @mark? */
static gboolean
only_came (const SluiceEventMark *mark, const SluiceEventMark *now, const GPtrArray *came)
{
  double steps = mark->steps;
  for (guint i = 0; i < came->len; i++)
    steps += (double) ((const SluiceRecord *) came->pdata[i])->step;
  return mark->n + came->len == now->n && steps == now->steps;
}

static GPtrArray *
read_news (sqlite3 *db, gint64 run, SluiceEventMark *mark, gboolean *anew, GError **error)
{
  SluiceEventMark now;
  *anew = FALSE;
  if (!read_mark (db, run, &now, error))
    return NULL;
  if (now.n == mark->n && now.last == mark->last && now.steps == mark->steps)
    return g_ptr_array_new_with_free_func (sluice_record_free);
  g_autoptr (GPtrArray) came = read_behind (db, run, mark->last, error);
  *anew = came != NULL && !only_came (mark, &now, came);
  if (*anew)
    {
      g_ptr_array_unref (came);
      came = read_behind (db, run, 0, error);
    }
  if (came != NULL)
    *mark = now;
  return g_steal_pointer (&came);
}

GPtrArray *
sluice_store_read_new_events (
    SluiceStore *self, gint64 run, SluiceEventMark *mark, gboolean *anew, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  /* All of one commit. */
  GPtrArray *events =
      sluice_sql_exec (db, "BEGIN", error) ? read_news (db, run, mark, anew, error) : NULL;
  sluice_sql_roll_back (db);
  sluice_store_put_reader (self, db);
  return events;
}
