/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/print-row.h"

#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/store/json-text.h"

/* Bytes have no text: x'hex', as SQL writes them. */
static char *
dup_blob (sqlite3_stmt *row, int i)
{
  const guint8 *bytes = sqlite3_column_blob (row, i);
  int n = sqlite3_column_bytes (row, i);
  GString *text = g_string_new ("x'");
  for (int k = 0; k < n; k++)
    g_string_append_printf (text, "%02x", bytes[k]);
  g_string_append_c (text, '\'');
  return g_string_free (text, FALSE);
}

static void
append_json (GString *json, sqlite3_stmt *row, int i)
{
  g_autofree char *blob = NULL;
  switch (sqlite3_column_type (row, i))
    {
    case SQLITE_INTEGER:
      g_string_append_printf (json, "%lld", sqlite3_column_int64 (row, i));
      break;
    case SQLITE_FLOAT:
      sluice_json_append_double (json, sqlite3_column_double (row, i));
      break;
    case SQLITE_TEXT:
      sluice_json_append_string (json, (const char *) sqlite3_column_text (row, i),
                                 sqlite3_column_bytes (row, i));
      break;
    case SQLITE_BLOB:
      blob = dup_blob (row, i);
      sluice_json_append_string (json, blob, -1);
      break;
    default:
      g_string_append (json, "null");
    }
}

static void
print_json (sqlite3_stmt *row)
{
  g_autoptr (GString) json = g_string_new ("{");
  for (int i = 0; i < sqlite3_column_count (row); i++)
    {
      g_string_append (json, i > 0 ? ", " : "");
      sluice_json_append_string (json, sqlite3_column_name (row, i), -1);
      g_string_append (json, ": ");
      append_json (json, row, i);
    }
  g_string_append_c (json, '}');
  sluice_cli_print_json_text (json->str);
}

static void
print_value (sqlite3_stmt *row, int i)
{
  g_autofree char *blob = NULL;
  g_autoptr (GString) number = g_string_new (NULL);
  switch (sqlite3_column_type (row, i))
    {
    case SQLITE_INTEGER:
      printf ("%lld", sqlite3_column_int64 (row, i));
      break;
    case SQLITE_FLOAT:
      sluice_json_append_double (number, sqlite3_column_double (row, i));
      g_string_replace (number, "\"", "", 0);
      fputs (number->str, stdout);
      break;
    case SQLITE_BLOB:
      blob = dup_blob (row, i);
      fputs (blob, stdout);
      break;
    case SQLITE_NULL:
      break;
    default:
      fputs ((const char *) sqlite3_column_text (row, i), stdout);
    }
}

gboolean
sluice_cli_print_row (sqlite3_stmt *row, gpointer data, GError **error)
{
  gboolean *headed = data;
  int n = sqlite3_column_count (row);
  if (sluice_cli_json)
    print_json (row);
  for (int i = 0; i < n && !*headed && !sluice_cli_json; i++)
    printf ("%s%c", sqlite3_column_name (row, i), i + 1 < n ? '\t' : '\n');
  *headed = TRUE;
  for (int i = 0; i < n && !sluice_cli_json; i++)
    {
      print_value (row, i);
      putchar (i + 1 < n ? '\t' : '\n');
    }
  return !ferror (stdout) || sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "cannot write");
}
