/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/ticks.h"
#include "ui/common/theme.h"

#include <cairo.h>

G_BEGIN_DECLS

/* What runs were begun with and what came of it: a row a run, a column a setting or a result. */
typedef struct
{
  char *name;
  gboolean is_result;
  SluiceUnit unit;
} SluiceSettingsColumn;

typedef struct
{
  double number; /* NaN where it is a text, or nothing */
  char *text;    /* (nullable) */
} SluiceSettingsCell;

typedef struct
{
  gint64 run;
  char *name;
  SluiceColor color;
  SluiceSettingsCell *cells; /* one a column */
} SluiceSettingsRow;

typedef struct
{
  GPtrArray *columns; /* of SluiceSettingsColumn */
  GPtrArray *rows;    /* of SluiceSettingsRow */
} SluiceSettingsTable;

SluiceSettingsTable *sluice_settings_table_new (void);
void sluice_settings_table_free (SluiceSettingsTable *self);
/* Before the first row. */
void sluice_settings_table_add_column (SluiceSettingsTable *self,
                                       const char *name,
                                       gboolean is_result,
                                       SluiceUnit unit);
/* (transfer none): a row without values as yet. */
SluiceSettingsRow *sluice_settings_table_add_row (SluiceSettingsTable *self,
                                                  gint64 run,
                                                  const char *name,
                                                  SluiceColor color);
/* -1: there is none of that name. */
int sluice_settings_table_find_column (const SluiceSettingsTable *self, const char *name);
/* (transfer full): "–" where the run has nothing there. */
char *sluice_settings_table_format (const SluiceSettingsTable *self,
                                    const SluiceSettingsRow *row,
                                    guint column);
/* As qsort(): numbers, then texts, then nothing. */
int sluice_settings_cell_compare (const SluiceSettingsCell *a, const SluiceSettingsCell *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSettingsTable, sluice_settings_table_free)

G_END_DECLS
