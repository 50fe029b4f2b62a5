/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <string.h>

/*
 * Sums of rows of a dense matrix, each times one of few factors: the product of a matrix that is
 * mostly zeros with a dense one.
 */

/* Floats of a vector; rows are read, not written, in whole ones. */
#define SLUICE_ROW_VECTOR 16

/* A factor, and where its row begins. */
typedef struct
{
  float factor;
  guint32 row;
} SluiceRowTerm;

/* A sum: of which terms, and where it stands. */
typedef struct
{
  guint32 first, n;
  gsize sum;
} SluiceRowSum;

/**
 * sluice_rows_add:
 * @sums: elements that sum->sum counts from
 * @rows: elements that term->row counts from
 * @width: elements of a row
 *
 * Adds to each of n sums its terms, in order. Products and sums are rounded once where the CPU can.
 */
void sluice_rows_add (float *sums,
                      const SluiceRowSum *sum,
                      gsize n,
                      const SluiceRowTerm *terms,
                      const float *rows,
                      gsize width);

/* Values that are looked at together. */
#define SLUICE_ROWS_GROUP 8

/* Are all of a group zero, as bits? */
static inline gboolean
sluice_rows_empty (const float *values)
{
  guint64 bits[SLUICE_ROWS_GROUP / 2], any = 0;
  memcpy (bits, values, sizeof bits);
  for (gsize i = 0; i < G_N_ELEMENTS (bits); i++)
    any |= bits[i];
  return any == 0;
}

/**
 * sluice_rows_pick:
 *
 * Writes a term for each of n values that is not zero, for rows first, first + step, and so on.
 *
 * Returns: how many; room for n is used
 */
gsize
sluice_rows_pick (const float *values, gsize n, guint32 first, guint32 step, SluiceRowTerm *terms);

/* The share of values that are not zero, of about a thousand spread evenly; 1 where there are
 * fewer.
 */
double sluice_rows_density (const float *values, gint64 n);

/* Is none of them infinite or NaN? */
gboolean sluice_rows_finite (const float *values, gsize n);
