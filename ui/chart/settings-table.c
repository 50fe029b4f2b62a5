/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/settings-table.h"

#include <math.h>
#include <string.h>

static void
column_free (gpointer data)
{
  SluiceSettingsColumn *column = data;

  g_free (column->name);
  g_free (column);
}

SluiceSettingsTable *
sluice_settings_table_new (void)
{
  SluiceSettingsTable *self = g_new0 (SluiceSettingsTable, 1);

  self->columns = g_ptr_array_new_with_free_func (column_free);
  self->rows = g_ptr_array_new ();
  return self;
}

void
sluice_settings_table_free (SluiceSettingsTable *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      SluiceSettingsRow *row = g_ptr_array_index (self->rows, i);

      for (guint k = 0; k < self->columns->len; k++)
        g_free (row->cells[k].text);
      g_free (row->cells);
      g_free (row->name);
      g_free (row);
    }
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->columns);
  g_free (self);
}

void
sluice_settings_table_add_column (SluiceSettingsTable *self,
                                  const char *name,
                                  gboolean is_result,
                                  SluiceUnit unit)
{
  SluiceSettingsColumn *column;

  g_return_if_fail (self->rows->len == 0);

  column = g_new (SluiceSettingsColumn, 1);
  *column = (SluiceSettingsColumn){ g_strdup (name), is_result, unit };
  g_ptr_array_add (self->columns, column);
}

SluiceSettingsRow *
sluice_settings_table_add_row (SluiceSettingsTable *self,
                               gint64 run,
                               const char *name,
                               SluiceColor color)
{
  SluiceSettingsRow *row = g_new (SluiceSettingsRow, 1);

  *row = (SluiceSettingsRow){ run, g_strdup (name), color,
                              g_new0 (SluiceSettingsCell, self->columns->len) };
  for (guint i = 0; i < self->columns->len; i++)
    row->cells[i].number = NAN;
  g_ptr_array_add (self->rows, row);
  return row;
}

int
sluice_settings_table_find_column (const SluiceSettingsTable *self, const char *name)
{
  for (guint i = 0; i < self->columns->len; i++)
    if (strcmp (((SluiceSettingsColumn *) g_ptr_array_index (self->columns, i))->name, name) == 0)
      return (int) i;
  return -1;
}

char *
sluice_settings_table_format (const SluiceSettingsTable *self,
                              const SluiceSettingsRow *row,
                              guint column)
{
  const SluiceSettingsColumn *of = g_ptr_array_index (self->columns, column);
  const SluiceSettingsCell *cell = &row->cells[column];

  if (cell->text != NULL)
    return g_strdup (cell->text);
  if (isnan (cell->number))
    return g_strdup ("–");
  /* A setting is what somebody wrote: 0.02, not 0.02000. */
  return of->is_result ? sluice_format_value (cell->number, of->unit)
                       : sluice_format_exact (cell->number);
}

/* 0: a number, 1: a text, 2: nothing. */
static int
get_sort (const SluiceSettingsCell *cell)
{
  return cell->text != NULL ? 1 : isnan (cell->number) ? 2 : 0;
}

int
sluice_settings_cell_compare (const SluiceSettingsCell *a, const SluiceSettingsCell *b)
{
  int sort = get_sort (a);

  if (sort != get_sort (b))
    return sort - get_sort (b);
  if (sort == 1)
    return strcmp (a->text, b->text);
  return sort == 0 ? (a->number > b->number) - (a->number < b->number) : 0;
}
