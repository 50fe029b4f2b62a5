/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include <string.h>

#include "engine/base/error.h"

gboolean
sluice_sql_fail (sqlite3 *db, const char *what, GError **error)
{
  int rc = db != NULL ? sqlite3_errcode (db) : SQLITE_NOMEM;
  /* SQLite's words for a connection that met nothing are "not an error". */
  const char *detail = db == NULL        ? "out of memory"
                       : rc == SQLITE_OK ? "the answer was not the one that was expected"
                                         : sqlite3_errmsg (db);
  switch (rc)
    {
    case SQLITE_FULL:
      return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                          "%s: the disk is full; free some space, then go on", what);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return sluice_fail (
          error, SLUICE_ERROR_UNAVAILABLE,
          "%s: another program holds the workspace's database; close it, then try again", what);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return sluice_fail (
          error, SLUICE_ERROR_PERMISSION_DENIED,
          "%s: the workspace cannot be written (%s); choose another with --workspace", what,
          detail);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                          "%s: the database is damaged or is none (%s)", what, detail);
    default:
      return sluice_fail (error, SLUICE_ERROR_INTERNAL, "%s: %s", what, detail);
    }
}

gboolean
sluice_sql_exec (sqlite3 *db, const char *sql, GError **error)
{
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) == SQLITE_OK)
    return TRUE;
  return sluice_sql_fail (db, "run store", error);
}

static void
bind (sqlite3_stmt *statement, const char *format, va_list args)
{
  for (int i = 0; format[i] != '\0'; i++)
    switch (format[i])
      {
      case 'i':
        sqlite3_bind_int64 (statement, i + 1, va_arg (args, gint64));
        break;
      case 'd':
        sqlite3_bind_double (statement, i + 1, va_arg (args, double));
        break;
      case 's':
        sqlite3_bind_text (statement, i + 1, va_arg (args, const char *), -1, SQLITE_TRANSIENT);
        break;
      case 'b':
        {
          GBytes *bytes = va_arg (args, GBytes *);
          if (bytes != NULL && g_bytes_get_size (bytes) == 0)
            sqlite3_bind_zeroblob (statement, i + 1, 0); /* no pointer would be NULL */
          else if (bytes != NULL)
            sqlite3_bind_blob64 (statement, i + 1, g_bytes_get_data (bytes, NULL),
                                 g_bytes_get_size (bytes), SQLITE_TRANSIENT);
          break;
        }
      default:
        g_assert_not_reached ();
      }
}

static sqlite3_stmt *
query_va (sqlite3 *db, GError **error, const char *sql, const char *format, va_list args)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    {
      sluice_sql_fail (db, "run store", error);
      return NULL;
    }
  /* A caller may pass more arguments than the statement has parameters; each format counts its own.
   */
  g_assert ((int) strlen (format) == sqlite3_bind_parameter_count (statement));
  bind (statement, format, args);
  return statement;
}

sqlite3_stmt *
sluice_sql_prepare (sqlite3 *db, GError **error, const char *sql, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  sqlite3_stmt *statement = query_va (db, error, sql, format, args);
  va_end (args);
  return statement;
}

gboolean
sluice_sql_change (sqlite3 *db, GError **error, const char *sql, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  sqlite3_stmt *statement = query_va (db, error, sql, format, args);
  va_end (args);
  if (statement == NULL)
    return FALSE;
  int rc;
  while ((rc = sqlite3_step (statement)) == SQLITE_ROW)
    ;
  gboolean ok = rc == SQLITE_DONE || sluice_sql_fail (db, "run store", error);
  sqlite3_finalize (statement);
  return ok;
}
