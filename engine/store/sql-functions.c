/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/chunks.h"
#include "engine/store/sql-functions.h"
#include "engine/store/sql.h"

#include <string.h>

#include "engine/store/json-text.h"
#include "engine/store/store-private.h"

/* ---- functions ---- */

static void
sha256 (sqlite3_context *context, int n, sqlite3_value **values)
{
  const guint8 *data = sqlite3_value_blob (values[0]);
  gsize length = (gsize) sqlite3_value_bytes (values[0]);
  char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, length);
  sqlite3_result_text (context, sum, -1, g_free);
}

static void
double_at (sqlite3_context *context, int n, sqlite3_value **values)
{
  const guint8 *data = sqlite3_value_blob (values[0]);
  gint64 n_doubles = sqlite3_value_bytes (values[0]) / (gint64) sizeof (double);
  gint64 i = sqlite3_value_int64 (values[1]);
  double value;
  if (i < 0 || i >= n_doubles)
    return; /* NULL */
  memcpy (&value, data + i * (gint64) sizeof value, sizeof value);
  sqlite3_result_double (context, value);
}

static void
doubles (sqlite3_context *context, int n, sqlite3_value **values)
{
  const guint8 *data = sqlite3_value_blob (values[0]);
  gint64 n_doubles = sqlite3_value_bytes (values[0]) / (gint64) sizeof (double);
  gint64 first = sqlite3_value_int64 (values[1]), count = sqlite3_value_int64 (values[2]);
  if (first < 0 || count < 0 || first > n_doubles || count > n_doubles - first)
    return; /* NULL */
  g_autofree double *copy = g_try_new (double, (gsize) count + 1);
  if (copy == NULL)
    {
      sqlite3_result_error_nomem (context);
      return;
    }
  if (count > 0)
    memcpy (copy, data + first * (gint64) sizeof (double), (gsize) count * sizeof (double));
  GString *json = g_string_new (NULL);
  sluice_json_append_doubles (json, copy, (gsize) count);
  int length = (int) json->len;
  sqlite3_result_text (context, g_string_free (json, FALSE), length, g_free);
}

/* ---- chunk_points: an eponymous virtual table with its chunk as a hidden column ---- */

enum
{
  COLUMN_STEP,
  COLUMN_WALL,
  COLUMN_VALUE,
  COLUMN_CHUNK,
};

typedef struct
{
  sqlite3_vtab_cursor base;
  guint8 *data; /* a copy of the chunk */
  guint n, at;
} PointsCursor;

static int
points_connect (sqlite3 *db,
                void *unused,
                int argc,
                const char *const *argv,
                sqlite3_vtab **table,
                char **error)
{
  int rc = sqlite3_declare_vtab (db, "CREATE TABLE x (step INTEGER, wall REAL, value REAL, "
                                     "chunk HIDDEN)");
  if (rc == SQLITE_OK)
    *table = g_new0 (sqlite3_vtab, 1);
  return rc;
}

static int
points_disconnect (sqlite3_vtab *table)
{
  g_free (table);
  return SQLITE_OK;
}

/* Only with its chunk given is there anything to read. */
static int
points_best_index (sqlite3_vtab *table, sqlite3_index_info *info)
{
  info->estimatedCost = 1e12;
  for (int i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].iColumn == COLUMN_CHUNK
        && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
      {
        if (!info->aConstraint[i].usable)
          return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->idxNum = 1;
        info->estimatedCost = CHUNK_POINTS;
        info->estimatedRows = CHUNK_POINTS;
      }
  return SQLITE_OK;
}

static int
points_open (sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
  PointsCursor *self = g_new0 (PointsCursor, 1);
  *cursor = &self->base;
  return SQLITE_OK;
}

static int
points_close (sqlite3_vtab_cursor *cursor)
{
  g_free (((PointsCursor *) cursor)->data);
  g_free (cursor);
  return SQLITE_OK;
}

static int
points_filter (
    sqlite3_vtab_cursor *cursor, int index, const char *text, int argc, sqlite3_value **v)
{
  PointsCursor *self = (PointsCursor *) cursor;
  g_clear_pointer (&self->data, g_free);
  self->n = self->at = 0;
  if (index != 1)
    return SQLITE_OK;
  const guint8 *data = sqlite3_value_blob (v[0]);
  gsize length = (gsize) sqlite3_value_bytes (v[0]);
  if (length % (3 * sizeof (gint64)) != 0)
    {
      cursor->pVtab->zErrMsg = sqlite3_mprintf ("a chunk of points is damaged");
      return SQLITE_CORRUPT;
    }
  self->data = g_try_malloc (length + 1);
  if (self->data == NULL)
    return SQLITE_NOMEM;
  if (length > 0)
    memcpy (self->data, data, length);
  self->n = (guint) (length / (3 * sizeof (gint64)));
  return SQLITE_OK;
}

static int
points_next (sqlite3_vtab_cursor *cursor)
{
  ((PointsCursor *) cursor)->at++;
  return SQLITE_OK;
}

static int
points_eof (sqlite3_vtab_cursor *cursor)
{
  const PointsCursor *self = (const PointsCursor *) cursor;
  return self->at >= self->n;
}

static int
points_column (sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
  const PointsCursor *self = (const PointsCursor *) cursor;
  gint64 step;
  double number;
  if (column == COLUMN_CHUNK)
    return SQLITE_OK; /* its constraint is met already */
  const guint8 *at = self->data + ((gsize) column * self->n + self->at) * sizeof step;
  memcpy (&step, at, sizeof step);
  memcpy (&number, at, sizeof number);
  if (column == COLUMN_STEP)
    sqlite3_result_int64 (context, step);
  else
    sqlite3_result_double (context, number);
  return SQLITE_OK;
}

static int
points_rowid (sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
  *id = ((PointsCursor *) cursor)->at;
  return SQLITE_OK;
}

static const sqlite3_module points_module = {
  .xConnect = points_connect,
  .xBestIndex = points_best_index,
  .xDisconnect = points_disconnect,
  .xDestroy = points_disconnect,
  .xOpen = points_open,
  .xClose = points_close,
  .xFilter = points_filter,
  .xNext = points_next,
  .xEof = points_eof,
  .xColumn = points_column,
  .xRowid = points_rowid,
};

gboolean
sluice_sql_functions_add (sqlite3 *db, GError **error)
{
  static const struct
  {
    const char *name;
    int n;
    void (*func) (sqlite3_context *context, int n, sqlite3_value **values);
  } functions[] = { { "sha256", 1, sha256 },
                    { "double_at", 2, double_at },
                    { "doubles", 3, doubles } };
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (sqlite3_create_function_v2 (db, functions[i].name, functions[i].n, flags, NULL,
                                    functions[i].func, NULL, NULL, NULL)
        != SQLITE_OK)
      return sluice_sql_fail (db, "functions of SQL", error);
  return sqlite3_create_module_v2 (db, "chunk_points", &points_module, NULL, NULL) == SQLITE_OK
         || sluice_sql_fail (db, "functions of SQL", error);
}
