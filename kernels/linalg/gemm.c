/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <complex.h>
#include <string.h>

#include "kernels/linalg/gemm.h"
#include "kernels/linalg/library.h"
#include "kernels/typed.h"

/* ---- reference: one sum after the other, floats summed in double ---- */

#define REFERENCE(T, Sum, name, conjugate_a, conjugate_b)                                          \
  static void name (const SluiceGemm *g)                                                           \
  {                                                                                                \
    const T *a = g->a, *b = g->b;                                                                  \
    T *c = g->c;                                                                                   \
    gboolean ta = g->a_flags & SLUICE_GEMM_TRANSPOSED, tb = g->b_flags & SLUICE_GEMM_TRANSPOSED;   \
    gboolean ca = (g->a_flags & SLUICE_GEMM_CONJUGATED) != 0;                                      \
    gboolean cb = (g->b_flags & SLUICE_GEMM_CONJUGATED) != 0;                                      \
    (void) ca, (void) cb;                                                                          \
    for (gint64 i = 0; i < g->m; i++)                                                              \
      for (gint64 j = 0; j < g->n; j++)                                                            \
        {                                                                                          \
          Sum sum = 0;                                                                             \
          for (gint64 p = 0; p < g->k; p++)                                                        \
            {                                                                                      \
              Sum x = a[ta ? p * g->m + i : i * g->k + p];                                         \
              Sum y = b[tb ? j * g->k + p : p * g->n + j];                                         \
              sum += (conjugate_a) * (conjugate_b);                                                \
            }                                                                                      \
          c[i * g->n + j] = (T) sum;                                                               \
        }                                                                                          \
  }
REFERENCE (float, double, reference_float, x, y)
REFERENCE (double, double, reference_double, x, y)
/* Unsigned, because overflow wraps. */
REFERENCE (guint32, guint32, reference_32, x, y)
REFERENCE (guint64, guint64, reference_64, x, y)
REFERENCE (float complex, double complex, reference_c64, ca ? conj (x) : x, cb ? conj (y) : y)
REFERENCE (double complex, double complex, reference_c128, ca ? conj (x) : x, cb ? conj (y) : y)

void
sluice_gemm_reference (const SluiceGemm *gemm)
{
  switch (gemm->dtype)
    {
    case SLUICE_FLOAT:
      return reference_float (gemm);
    case SLUICE_DOUBLE:
      return reference_double (gemm);
    case SLUICE_COMPLEX64:
      return reference_c64 (gemm);
    case SLUICE_COMPLEX128:
      return reference_c128 (gemm);
    case SLUICE_INT32:
    case SLUICE_UINT32:
      return reference_32 (gemm);
    default:
      g_assert (sluice_dtype_size (gemm->dtype) == 8);
      return reference_64 (gemm);
    }
}

/* ---- libraries ---- */

/* A part of a product: rows and columns of c. */
typedef struct
{
  gint64 row, n_rows, column, n_columns;
} Tile;

/* CBLAS' names for row-major order and the ways to read an operand. */
enum
{
  ROW_MAJOR = 101,
  PLAIN = 111,
  TRANSPOSED = 112
};

/*
 * Which library is faster, measured on two generations of CPU: OpenBLAS for small and for narrow
 * products, oneDNN for the others and for products with a vector. A fixed table: the same shape
 * always takes the same way.
 */
static gboolean
prefers_openblas (gint64 m, gint64 n, gint64 k)
{
  if (m == 1 || n == 1)
    return m * n * k <= 16384;
  return m * n * k <= 64 * 64 * 64 || (MIN (m, n) <= 16 && MAX (MAX (m, n), k) <= 4096);
}

/*
 * How much of k oneDNN gets at once. It packs b in blocks that are deep and narrow; where b is
 * larger than a cache and has long rows, and few rows of a share the packing, that touches a page
 * a row: flat pieces, which lie together in memory, are half as fast again. By shape alone: it
 * decides in which order sums are made.
 */
static gint64
depth_of_piece (const SluiceGemm *g)
{
  gboolean is_wide = !(g->b_flags & SLUICE_GEMM_TRANSPOSED) && g->n >= 512;
  return is_wide && g->m <= 128 && g->n * g->k > 1 << 19 ? 192 : g->k;
}

static void
tile_float (const SluiceGemm *g, const Tile *tile, gboolean use_openblas)
{
  gboolean ta = g->a_flags & SLUICE_GEMM_TRANSPOSED, tb = g->b_flags & SLUICE_GEMM_TRANSPOSED;
  const float *a = (const float *) g->a + tile->row * (ta ? 1 : g->k);
  const float *b = (const float *) g->b + tile->column * (tb ? g->k : 1);
  float *c = (float *) g->c + tile->row * g->n + tile->column;
  gint64 lda = ta ? g->m : g->k, ldb = tb ? g->k : g->n;
  if (use_openblas)
    {
      sluice_openblas_get_sgemm () (ROW_MAJOR, ta ? TRANSPOSED : PLAIN, tb ? TRANSPOSED : PLAIN,
                                    tile->n_rows, tile->n_columns, g->k, 1.0f, a, lda, b, ldb, 0.0f,
                                    c, g->n);
      return;
    }
  sluice_dnnl_enter ();
  const gint64 depth = depth_of_piece (g);
  for (gint64 k = 0; k < g->k; k += depth)
    dnnl_sgemm (ta ? 'T' : 'N', tb ? 'T' : 'N', tile->n_rows, tile->n_columns,
                MIN (depth, g->k - k), 1.0f, a + k * (ta ? lda : 1), lda, b + k * (tb ? 1 : ldb),
                ldb, k ? 1.0f : 0.0f, c, g->n);
}

static void
tile_double (const SluiceGemm *g, const Tile *tile)
{
  gboolean ta = g->a_flags & SLUICE_GEMM_TRANSPOSED, tb = g->b_flags & SLUICE_GEMM_TRANSPOSED;
  const double *a = (const double *) g->a + tile->row * (ta ? 1 : g->k);
  const double *b = (const double *) g->b + tile->column * (tb ? g->k : 1);
  double *c = (double *) g->c + tile->row * g->n + tile->column;
  sluice_openblas_get_dgemm () (ROW_MAJOR, ta ? TRANSPOSED : PLAIN, tb ? TRANSPOSED : PLAIN,
                                tile->n_rows, tile->n_columns, g->k, 1.0, a, ta ? g->m : g->k, b,
                                tb ? g->k : g->n, 0.0, c, g->n);
}

/* OpenBLAS counts in int. */
static gboolean
fits_openblas (const SluiceGemm *g)
{
  return g->m <= G_MAXINT && g->n <= G_MAXINT && g->k <= G_MAXINT;
}

/* An empty product, and one of which nothing is summed, need no library. */
static gboolean
is_trivial (const SluiceGemm *g)
{
  if (g->m > 0 && g->n > 0 && g->k > 0)
    return FALSE;
  memset (g->c, 0, g->m * g->n * sluice_dtype_size (g->dtype));
  return TRUE;
}

typedef struct
{
  const SluiceGemm *gemm;
  gint64 rows, columns; /* of a tile */
  gint64 tiles_across;
  gboolean use_openblas;
} Tiling;

static void
run_tiles (gpointer data, gint64 begin, gint64 end)
{
  const Tiling *t = data;
  const SluiceGemm *g = t->gemm;
  for (gint64 i = begin; i < end; i++)
    {
      Tile tile = { .row = i / t->tiles_across * t->rows,
                    .column = i % t->tiles_across * t->columns };
      tile.n_rows = MIN (t->rows, g->m - tile.row);
      tile.n_columns = MIN (t->columns, g->n - tile.column);
      if (g->dtype == SLUICE_FLOAT)
        tile_float (g, &tile, t->use_openblas);
      else
        tile_double (g, &tile);
    }
}

void
sluice_gemm_library (const SluiceGemm *g)
{
  if (is_trivial (g))
    return;
  gboolean can_openblas = sluice_openblas_get_sgemm () != NULL && fits_openblas (g);
  Tiling whole = { g, g->m, g->n, 1, can_openblas && prefers_openblas (g->m, g->n, g->k) };
  if (g->dtype == SLUICE_DOUBLE && !can_openblas)
    sluice_gemm_reference (g);
  else
    run_tiles (&whole, 0, 1);
}

/*
 * Tiles are as small as leaves the library its full speed: it packs the whole of b for each strip
 * of rows, so the bigger b, the more rows must share it. Never along k: that would change sums.
 */
static void
cut (const SluiceGemm *g, Tiling *t)
{
  const double min_flops = 2e6; /* about 20 us */
  double row_flops = 2.0 * (double) g->n * (double) g->k;
  gint64 b_size = g->n * g->k;
  gint64 rows = b_size <= 1 << 18 ? 64 : b_size <= 1 << 19 ? 128 : b_size <= 1 << 20 ? 256 : 512;
  rows = MAX (rows, sluice_round_up ((gint64) (min_flops / row_flops) + 1, 64));
  t->rows = MIN (rows, g->m);
  t->columns = g->n;
  if (rows == 512 && g->m >= 1024 && g->n >= 2048)
    t->rows = t->columns = 1024; /* a square packs the least of both */
  else if (g->m <= t->rows && g->n >= 512)
    {
      double column_flops = 2.0 * (double) g->m * (double) g->k;
      t->columns = MAX (256, sluice_round_up ((gint64) (min_flops / column_flops) + 1, 64));
      t->columns = MIN (t->columns, g->n);
    }
  t->tiles_across = (g->n + t->columns - 1) / t->columns;
}

gboolean
sluice_call_gemm (SluiceKernelCall *call, const SluiceGemm *g)
{
  if (is_trivial (g))
    return TRUE;
  gboolean can_openblas = sluice_openblas_get_sgemm () != NULL && fits_openblas (g);
  if (g->dtype == SLUICE_DOUBLE && !can_openblas)
    {
      sluice_gemm_reference (g);
      return TRUE;
    }
  Tiling tiling = { .gemm = g,
                    .use_openblas = can_openblas && prefers_openblas (g->m, g->n, g->k) };
  cut (g, &tiling);
  gint64 n_tiles = (g->m + tiling.rows - 1) / tiling.rows * tiling.tiles_across;
  double tile_ns = 2.0 * (double) tiling.rows * (double) tiling.columns * (double) g->k / 100;
  if (n_tiles > 1)
    return sluice_call_parallel_for (call, n_tiles, 1, tile_ns, run_tiles, &tiling);
  run_tiles (&tiling, 0, 1);
  return TRUE;
}
