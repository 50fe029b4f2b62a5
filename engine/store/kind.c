/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kind-private.h"
#include "engine/store/sql.h"

#include <string.h>

#define SLUICE_KIND_ENTRY(NAME, name, number) &sluice_kind_##name,
static const SluiceKind *const kinds[] = { SLUICE_KINDS (SLUICE_KIND_ENTRY) };
#undef SLUICE_KIND_ENTRY

const SluiceKind *
sluice_kind_nth (guint n)
{
  return n < G_N_ELEMENTS (kinds) ? kinds[n] : NULL;
}

const SluiceKind *
sluice_kind_get (int number)
{
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  if ((int) kind->number == number)
    return kind;
  return NULL;
}

const SluiceKind *
sluice_kind_find (const char *name)
{
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  if (strcmp (kind->name, name) == 0)
    return kind;
  return NULL;
}

const char *
sluice_kind_get_name (const SluiceKind *kind)
{
  return kind->name;
}

SluiceSeriesKind
sluice_kind_get_number (const SluiceKind *kind)
{
  return kind->number;
}

const char **
sluice_kind_list_names (void)
{
  const char **names = g_new0 (const char *, G_N_ELEMENTS (kinds) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    names[i] = kinds[i]->name;
  return names;
}

gpointer
sluice_record_new (const SluiceKind *kind, gint64 step, double wall)
{
  SluiceRecord *record = g_malloc0 (kind->record_size);
  *record = (SluiceRecord){ kind, step, wall, 0 };
  return record;
}

void
sluice_record_free (gpointer data)
{
  SluiceRecord *record = data;
  if (record->kind->free != NULL)
    record->kind->free (record);
  g_free (record);
}

gsize
sluice_record_get_size (const SluiceRecord *record)
{
  const SluiceKind *kind = record->kind;
  return kind->record_size + (kind->get_size != NULL ? kind->get_size (record) : 0);
}

char *
sluice_record_dup_json (const SluiceRecord *record)
{
  return record->kind->dup_json (record);
}

SluiceRecord *
sluice_kind_read_row (const SluiceKind *kind, sqlite3_stmt *row, GError **error)
{
  SluiceRecord *record = kind->read (row, 2, error);
  if (record == NULL)
    return NULL;
  record->step = sqlite3_column_int64 (row, 0);
  record->wall = sluice_column_double (row, 1);
  return record;
}

gboolean
sluice_kind_each_in (const SluiceKind *kind,
                     sqlite3 *db,
                     sqlite3_stmt *take_row,
                     SluiceRecordFunc func,
                     gpointer data,
                     GError **error)
{
  gboolean ok = take_row != NULL;
  int rc = SQLITE_DONE;
  while (ok && (rc = sqlite3_step (take_row)) == SQLITE_ROW)
    {
      g_autoptr (SluiceRecord) record = sluice_kind_read_row (kind, take_row, error);
      ok = record != NULL && func (record, data, error);
    }
  if (ok && rc != SQLITE_DONE)
    ok = sluice_sql_fail (db, "run store", error);
  sqlite3_finalize (take_row);
  return ok;
}

gboolean
sluice_kind_each_row (const SluiceKind *kind,
                      sqlite3 *db,
                      const SluiceSeriesInfo *series,
                      const SluiceStepRange *range,
                      SluiceRecordFunc func,
                      gpointer data,
                      GError **error)
{
  const char *order = series->n_segments > 1 ? "segment," : ""; /* an index has the order else */
  g_autofree char *sql = g_strdup_printf ("SELECT step, wall, %s FROM %s AS r WHERE series = ? AND "
                                          "step BETWEEN ? AND ? ORDER BY %s step",
                                          kind->columns, kind->table, order);
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error, sql, "iii", series->id, range->from, range->to);
  return sluice_kind_each_in (kind, db, row, func, data, error);
}
