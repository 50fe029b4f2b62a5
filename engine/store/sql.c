/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include <errno.h>
#include <string.h>

#include "engine/base/error.h"

/* SQLite calls much an I/O error that is none of the device's. db: (nullable) */
static int
get_code (sqlite3 *db)
{
  int rc = db != NULL ? sqlite3_extended_errcode (db) : SQLITE_NOMEM;
  int number = db != NULL ? sqlite3_system_errno (db) : 0;
  if ((rc & 0xff) != SQLITE_IOERR)
    return rc & 0xff;
  if (rc == SQLITE_IOERR_NOMEM || number == ENOMEM) /* say of a mapping */
    return SQLITE_NOMEM;
  /* The index of a log grows before anything is written. */
  if (rc == SQLITE_IOERR_SHMSIZE || number == ENOSPC || number == EDQUOT)
    return SQLITE_FULL;
  return SQLITE_IOERR;
}

gboolean
sluice_sql_fail (sqlite3 *db, const char *what, GError **error)
{
  int rc = get_code (db);
  /* SQLite's words for a connection that met nothing are "not an error". */
  const char *detail = db == NULL        ? "out of memory"
                       : rc == SQLITE_OK ? "the answer was not the one that was expected"
                                         : sqlite3_errmsg (db);
  switch (rc)
    {
    case SQLITE_NOMEM:
      return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                          "%s: out of memory; close other programs, then try again", what);
    case SQLITE_IOERR:
      /* Not UNAVAILABLE: nobody should wait for it, as for a database that is held. */
      return sluice_fail (error, SLUICE_ERROR_INTERNAL,
                          "%s: %s; the disk may be failing: save what is on it", what, detail);
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

void
sluice_sql_roll_back (sqlite3 *db)
{
  if (sqlite3_get_autocommit (db) == 0)
    sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
}

gboolean
sluice_sql_begin (sqlite3 *db, GError **error)
{
  sluice_sql_roll_back (db);
  if (sluice_sql_exec (db, "BEGIN IMMEDIATE", error))
    return TRUE;
  sluice_sql_roll_back (db);
  return FALSE;
}

static int
bind_bytes (sqlite3_stmt *statement, int i, GBytes *bytes)
{
  if (bytes == NULL)
    return SQLITE_OK;
  if (g_bytes_get_size (bytes) == 0)
    return sqlite3_bind_zeroblob (statement, i, 0); /* no pointer would be NULL */
  return sqlite3_bind_blob64 (statement, i, g_bytes_get_data (bytes, NULL),
                              g_bytes_get_size (bytes), SQLITE_TRANSIENT);
}

/* What is not bound would be NULL, and could be stored as such: SQLite's first failure ends it. */
static gboolean
bind (sqlite3_stmt *statement, const char *format, va_list args)
{
  int rc = SQLITE_OK;
  for (int i = 0; rc == SQLITE_OK && format[i] != '\0'; i++)
    switch (format[i])
      {
      case 'i':
        rc = sqlite3_bind_int64 (statement, i + 1, va_arg (args, gint64));
        break;
      case 'd':
        rc = sqlite3_bind_double (statement, i + 1, va_arg (args, double));
        break;
      case 's':
        rc =
            sqlite3_bind_text (statement, i + 1, va_arg (args, const char *), -1, SQLITE_TRANSIENT);
        break;
      case 'b':
        rc = bind_bytes (statement, i + 1, va_arg (args, GBytes *));
        break;
      default:
        g_assert_not_reached ();
      }
  return rc == SQLITE_OK;
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
  if (bind (statement, format, args))
    return statement;
  sluice_sql_fail (db, "run store", error);
  sqlite3_finalize (statement);
  return NULL;
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

int
sluice_sql_step (sqlite3 *db, sqlite3_stmt *row, GError **error)
{
  int rc = row != NULL ? sqlite3_step (row) : SQLITE_ERROR;
  if (rc == SQLITE_ROW || rc == SQLITE_DONE)
    return rc;
  if (row != NULL)
    sluice_sql_fail (db, "run store", error);
  return SQLITE_ERROR;
}

gboolean
sluice_sql_take_number (sqlite3 *db, sqlite3_stmt *take_row, gint64 *number, GError **error)
{
  int rc = sluice_sql_step (db, take_row, error);
  *number = rc == SQLITE_ROW ? sqlite3_column_int64 (take_row, 0) : 0;
  sqlite3_finalize (take_row);
  return rc != SQLITE_ERROR;
}

gboolean
sluice_sql_change (sqlite3 *db, GError **error, const char *sql, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  sqlite3_stmt *statement = query_va (db, error, sql, format, args);
  va_end (args);
  int rc;
  while ((rc = sluice_sql_step (db, statement, error)) == SQLITE_ROW)
    ;
  sqlite3_finalize (statement);
  return rc == SQLITE_DONE;
}
