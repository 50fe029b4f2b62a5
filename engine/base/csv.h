/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Fields with delimiters between, as RFC 4180 has them: of one record that stands alone, or of a
 * text of many. */
typedef struct
{
  char delimiter;
  gboolean has_quotes; /* fields may stand in "…", with "" for a quote inside */
  gboolean by_lines;   /* a line's end outside of quotes ends a record; blanks around quotes are
                          left out */
  const char *at, *end;
  gboolean behind_delimiter; /* of a record that stands alone: one more, empty field follows */
  gint64 line;               /* where `at` is, from 0 */
} SluiceCsv;

void sluice_csv_init (
    SluiceCsv *self, const char *text, gsize length, char delimiter, gboolean by_lines);

typedef enum
{
  SLUICE_CSV_FAILED = -1, /* INVALID_ARGUMENT: the quotes are wrong */
  SLUICE_CSV_END,         /* there is no further field */
  SLUICE_CSV_FIELD,
  SLUICE_CSV_LAST_FIELD, /* of its record; by lines only */
} SluiceCsvResult;

/* Replaces field. */
SluiceCsvResult sluice_csv_next (SluiceCsv *self, GString *field, GError **error);
