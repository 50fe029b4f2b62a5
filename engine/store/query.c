/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/query.h"
#include "engine/store/sql.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql-functions.h"

const char sluice_store_query_tables[] =
    "SELECT s.type AS kind, s.name AS name, (SELECT group_concat (c.name, ', ') FROM "
    "pragma_table_info (s.name) c) AS columns FROM (SELECT type, name FROM temp.sqlite_schema "
    "UNION SELECT type, name FROM main.sqlite_schema) s WHERE s.type IN ('table', 'view') AND "
    "s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.type DESC, s.name";

/* Our views stand before the database's own. */
static gboolean
add_views (sqlite3 *db, GError **error)
{
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  {
    if (kind->our_view == NULL)
      continue;
    g_autofree char *sql =
        g_strdup_printf ("CREATE TEMP VIEW %s AS %s", kind->view, kind->our_view);
    if (!sluice_sql_exec (db, sql, error))
      return FALSE;
  }
  return sluice_sql_exec (db, "PRAGMA query_only = ON", error);
}

/* What reads, and nothing that would reach another file or change how this connection works. A
 * table-valued function declares its table at its first use; a statement that makes a table is
 * found by sqlite3_stmt_readonly(). */
static int
authorize (
    void *unused, int action, const char *a, const char *b, const char *database, const char *inner)
{
  switch (action)
    {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_TEMP_TABLE:
      return SQLITE_OK;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
      return g_str_has_prefix (a, "sqlite_") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return g_ascii_strcasecmp (b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return g_ascii_strncasecmp (a, "table_", 6) == 0 || g_ascii_strncasecmp (a, "index_", 6) == 0
                     || g_ascii_strcasecmp (a, "user_version") == 0
                 ? SQLITE_OK
                 : SQLITE_DENY;
    default:
      return SQLITE_DENY;
    }
}

static gboolean
fail_query (sqlite3 *db, GError **error)
{
  int rc = sqlite3_errcode (db);
  if (rc == SQLITE_AUTH)
    return sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED,
                        "the store is only read here: %s; give one SELECT", sqlite3_errmsg (db));
  if (rc == SQLITE_ERROR)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", sqlite3_errmsg (db));
  return sluice_sql_fail (db, "query", error);
}

/* Nothing may stand behind the statement but blanks, comments and semicolons. */
static gboolean
want_end (sqlite3 *db, const char *tail, GError **error)
{
  while (tail != NULL && *tail != '\0')
    {
      sqlite3_stmt *next = NULL;
      int rc = sqlite3_prepare_v2 (db, tail, -1, &next, &tail);
      sqlite3_finalize (next);
      if (rc == SQLITE_NOMEM)
        return fail_query (db, error);
      if (rc != SQLITE_OK || next != NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "give one SELECT");
    }
  return TRUE;
}

static gboolean
run_query (sqlite3 *db, const char *sql, SluiceQueryFunc func, gpointer data, GError **error)
{
  sqlite3_stmt *row = NULL;
  const char *tail = NULL;
  if (sqlite3_prepare_v2 (db, sql, -1, &row, &tail) != SQLITE_OK)
    return fail_query (db, error);
  if (row == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "give one SELECT");
  if (!want_end (db, tail, error))
    {
      sqlite3_finalize (row);
      return FALSE;
    }
  gboolean ok = sqlite3_stmt_readonly (row) != 0;
  int rc = SQLITE_DONE;
  if (!ok)
    sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED,
                 "the store is only read here; give one SELECT");
  while (ok && (rc = sqlite3_step (row)) == SQLITE_ROW)
    ok = func (row, data, error);
  if (ok && rc != SQLITE_DONE)
    ok = fail_query (db, error);
  sqlite3_finalize (row);
  return ok;
}

gboolean
sluice_store_query (
    SluiceStore *self, const char *sql, SluiceQueryFunc func, gpointer data, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return FALSE;
  gboolean ok = sluice_sql_functions_add (db, error) && add_views (db, error);
  sqlite3_set_authorizer (db, authorize, NULL);
  ok = ok && run_query (db, sql, func, data, error);
  sqlite3_close (db); /* with its views it is no reader any more */
  return ok;
}
