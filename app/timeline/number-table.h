/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* Names with numbers of them, a row each; sorted by the title that is pressed. Signal: name-chosen
 * (string): a row was activated. */
#define SLUICE_TYPE_NUMBER_TABLE (sluice_number_table_get_type ())
G_DECLARE_FINAL_TYPE (SluiceNumberTable, sluice_number_table, SLUICE, NUMBER_TABLE, GtkWidget)

typedef enum
{
  SLUICE_NUMBER_COUNT,
  SLUICE_NUMBER_TIME,   /* nanoseconds */
  SLUICE_NUMBER_CHANGE, /* the same, with its sign; sorted by how much it is */
  SLUICE_NUMBER_SHARE,  /* per mille, likewise */
} SluiceNumberKind;

#define SLUICE_NUMBER_NONE G_MININT64 /* there is none: "–" */
#define SLUICE_NUMBERS     5          /* a row */

typedef struct
{
  const char *title; /* to be translated */
  SluiceNumberKind kind;
} SluiceNumberColumn;

/* columns: (array length=n), static; sorted: the one that the largest are first by. */
GtkWidget *sluice_number_table_new (const char *label,
                                    const SluiceNumberColumn *columns,
                                    guint n,
                                    guint sorted);

typedef struct
{
  char *name; /* copied */
  gint64 numbers[SLUICE_NUMBERS];
} SluiceNumbers;

/* All rows anew. */
void sluice_number_table_set_rows (SluiceNumberTable *self, const SluiceNumbers *rows, guint n);
/* A line a row, as they stand: for tests. (transfer full) */
char *sluice_number_table_dup_text (SluiceNumberTable *self);
