/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/linalg/sparse-rows.h"
#include "kernels/typed.h"

#ifndef __clang__
#pragma GCC optimize("fp-contract=fast")
#endif

#define LANES SLUICE_ROW_VECTOR
/* Vectors of a sum that are kept in registers, of 32: two products a cycle, each ready after four,
 * want eight at least. */
#define MOST 12

typedef float Vector __attribute__ ((vector_size (64)));
typedef float Loose __attribute__ ((vector_size (64), aligned (4), may_alias));
typedef gint32 Mask __attribute__ ((vector_size (64)));

typedef struct
{
  float *sums;
  const SluiceRowSum *sum;
  gsize n;
  const SluiceRowTerm *terms;
  const float *rows;
  Mask last; /* lanes of the last vector that are of the row */
} Job;

static inline __attribute__ ((always_inline)) void
add_block (const Job *job, const int n)
{
  for (gsize s = 0; s < job->n; s++)
    {
      const SluiceRowTerm *term = job->terms + job->sum[s].first, *end = term + job->sum[s].n;
      Loose *to = (Loose *) (job->sums + job->sum[s].sum);
      Vector acc[MOST];
      if (term == end)
        continue;
#pragma GCC unroll 12
      for (int i = 0; i < n; i++)
        acc[i] = to[i];
      for (; term < end; term++)
        {
          const Loose *row = (const Loose *) (job->rows + term->row);
          Vector factor = (Vector){ 0 } + term->factor;
#pragma GCC unroll 12
          for (int i = 0; i < n; i++)
            acc[i] += factor * row[i];
        }
#pragma GCC unroll 12
      for (int i = 0; i < n - 1; i++)
        to[i] = acc[i];
      to[n - 1] = (Vector) (((Mask) acc[n - 1] & job->last) | ((Mask) to[n - 1] & ~job->last));
    }
}

#define CASE(n)                                                                                    \
  case n:                                                                                          \
    add_block (job, n);                                                                            \
    break;

SLUICE_HOT static void
add_blocks (const Job *job, gsize n_vectors)
{
  switch (n_vectors)
    {
      CASE (1)
      CASE (2)
      CASE (3)
      CASE (4)
      CASE (5)
      CASE (6)
      CASE (7)
      CASE (8)
      CASE (9)
      CASE (10)
      CASE (11)
      CASE (12)
    default:
      g_assert_not_reached ();
    }
}

void
sluice_rows_add (float *sums,
                 const SluiceRowSum *sum,
                 gsize n,
                 const SluiceRowTerm *terms,
                 const float *rows,
                 gsize width)
{
  gsize vectors = (width + LANES - 1) / LANES, blocks = (vectors + MOST - 1) / MOST;
  for (gsize b = 0; b < blocks; b++)
    {
      gsize from = b * vectors / blocks, to = (b + 1) * vectors / blocks;
      Job job = { sums + from * LANES, sum, n, terms, rows + from * LANES };
      for (gsize i = 0; i < LANES; i++)
        job.last[i] = (to - 1) * LANES + i < width ? -1 : 0;
      add_blocks (&job, to - from);
    }
}

gsize
sluice_rows_pick (const float *values, gsize n, guint32 first, guint32 step, SluiceRowTerm *terms)
{
  gsize taken = 0, i = 0;
  while (i < n)
    {
      gsize end = MIN (i + SLUICE_ROWS_GROUP, n);
      if (end - i == SLUICE_ROWS_GROUP && sluice_rows_empty (values + i))
        i = end;
      for (; i < end; i++)
        {
          terms[taken] = (SluiceRowTerm){ values[i], first + (guint32) i * step };
          taken += values[i] != 0;
        }
    }
  return taken;
}

double
sluice_rows_density (const float *values, gint64 n)
{
  enum
  {
    SAMPLES = 64
  };
  gint64 step = n / SAMPLES, set = 0;
  if (step < LANES)
    return 1;
  for (gint64 s = 0; s < SAMPLES; s++)
    for (gint64 i = 0; i < LANES; i++)
      set += values[s * step + i] != 0;
  return (double) set / (SAMPLES * LANES);
}

SLUICE_HOT static float
sum_of_nothings (const float *values, gsize n)
{
  float sums[LANES] = { 0 }, sum = 0;
  gsize i = 0;
  for (; i + LANES <= n; i += LANES)
    for (gsize lane = 0; lane < LANES; lane++)
      sums[lane] += values[i + lane] * 0;
  for (; i < n; i++)
    sum += values[i] * 0;
  for (gsize lane = 0; lane < LANES; lane++)
    sum += sums[lane];
  return sum;
}

gboolean
sluice_rows_finite (const float *values, gsize n)
{
  return sum_of_nothings (values, n) == 0;
}
