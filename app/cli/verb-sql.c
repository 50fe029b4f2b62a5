/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/store/json-text.h"
#include "engine/store/query.h"

static char *workspace_option;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace_option,
    N_ ("Folder of the runs (the data folder of the user)"), N_ ("DIR") },
  G_OPTION_ENTRY_NULL,
};

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

typedef struct
{
  gboolean headed;
} Table;

static gboolean
print_row (sqlite3_stmt *row, gpointer data, GError **error)
{
  Table *table = data;
  int n = sqlite3_column_count (row);
  if (sluice_cli_json)
    print_json (row);
  for (int i = 0; i < n && !table->headed && !sluice_cli_json; i++)
    printf ("%s%c", sqlite3_column_name (row, i), i + 1 < n ? '\t' : '\n');
  table->headed = TRUE;
  for (int i = 0; i < n && !sluice_cli_json; i++)
    {
      print_value (row, i);
      putchar (i + 1 < n ? '\t' : '\n');
    }
  return !ferror (stdout) || sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "cannot write");
}

static int
query (char **arguments, GError **error)
{
  Table table = { FALSE };
  if (arguments[0] != NULL && arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one QUERY; put it in quotation marks"));
  g_autofree char *workspace = sluice_cli_dup_workspace (workspace_option);
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (workspace, error);
  const char *sql = arguments[0] != NULL ? arguments[0] : sluice_store_query_tables;
  return store != NULL && sluice_store_query (store, sql, print_row, &table, error) ? EXIT_OK
                                                                                    : EXIT_FAILED;
}

const Verb sluice_verb_sql = {
  .name = "sql",
  .arguments = N_ ("[QUERY]"),
  .summary = N_ ("Ask a workspace's database in SQL"),
  .details =
      N_ ("QUERY is one SELECT of SQLite's; nothing is written. View points has run, tag, step, "
          "wall_time and value of all scalars; histogram_points, image_points, audio_points, "
          "text_points, tensor_points, pr_curve_points, hparams_points, graph_points, "
          "run_metadata_points and event_points are like it. Runs in the trash are left out. "
          "Without QUERY tables and views are listed with their columns. Output is a line a row "
          "with tabs under a line of names; with --json an object a row. The database, sluice.db, "
          "has the same views for other programs: slower there, and with buckets of histograms "
          "and curves as bytes."),
  .json = "{\"*\": \"int|number|string|null\"}",
  .options = options,
  .run = query,
};
