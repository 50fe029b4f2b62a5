/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <complex.h>
#include <string.h>

#include "kernels/array/move.h"
#include "kernels/linalg/dnnl-matmul.h"
#include "kernels/linalg/gemm.h"
#include "kernels/linalg/library.h"
#include "kernels/scratch-lanes.h"
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
          if (g->accumulate)                                                                       \
            sum += c[i * g->n + j];                                                                \
          c[i * g->n + j] = (T) sum;                                                               \
        }                                                                                          \
  }
REFERENCE (float, double, reference_float, x, y)
REFERENCE (double, double, reference_double, x, y)
/* Unsigned, because overflow wraps. */
REFERENCE (guint16, guint32, reference_16, x, y)
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
    case SLUICE_INT16:
      return reference_16 (gemm);
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
  void *c; /* its first element; rows are those of the product apart */
} Tile;

/* CBLAS' names for row-major order and the ways to read an operand. */
enum
{
  ROW_MAJOR = 101,
  PLAIN = 111,
  TRANSPOSED = 112
};

typedef enum
{
  OPENBLAS,
  SGEMM,  /* of oneDNN */
  MATMUL, /* oneDNN's primitive, where the CPU has AVX-512 */
} Library;

#define SMALL  (64 * 64 * 64)
#define NARROW 16

/* A product of matrices, b transposed: only MATMUL does not lose half its speed. */
static Library
fastest_transposed (gint64 m, gint64 n, gint64 size)
{
  if (MAX (m, n) <= 64 && (size <= 1 << 16 || (MIN (m, n) <= NARROW && size <= 1000000)))
    return OPENBLAS;
  return m <= 8 ? SGEMM : MATMUL;
}

/*
 * What is fastest, measured on one thread of a CPU with AVX-512: OpenBLAS for small products and
 * for flat ones while it has a kernel for them (up to 10^6 multiplications, or what fits the second
 * cache), MATMUL where few columns leave the blocks of SGEMM half empty. A fixed table: the same
 * shape always takes the same way.
 */
static Library
fastest (const SluiceGemm *g, gint64 m, gint64 n)
{
  const gint64 size = m * n * g->k;
  const gboolean ta = g->a_flags & SLUICE_GEMM_TRANSPOSED, tb = g->b_flags & SLUICE_GEMM_TRANSPOSED;
  if (m == 1 || n == 1)
    return size <= 16384 ? OPENBLAS : SGEMM;
  if (tb && !ta)
    return fastest_transposed (m, n, size);
  if (size <= SMALL || (m <= NARROW && size <= 1000000))
    return OPENBLAS;
  if (n <= NARROW && ta)
    return m * g->k <= 1 << 16 ? OPENBLAS : SGEMM;
  return n <= 64 && !ta ? MATMUL : SGEMM;
}

/*
 * b is larger than a cache, and few rows of a share its packing, which touches a page a row: what
 * it is cut into must lie together in memory and fit the second cache, so it is flat. By shape
 * alone: it decides in which order sums are made.
 */
#define FLAT_DEPTH   64
#define FLAT_COLUMNS 512

static gboolean
wants_flat_pieces (const SluiceGemm *g)
{
  gboolean is_wide = !((g->a_flags | g->b_flags) & SLUICE_GEMM_TRANSPOSED) && g->n >= FLAT_COLUMNS;
  return is_wide && g->m <= 128 && g->n * g->k > 1 << 19;
}

/* A gradient of weights sums over many rows of both operands: a's part and b's of a piece stay in
 * the second cache. */
#define SHORT_DEPTH 256

static gboolean
wants_short_pieces (const SluiceGemm *g)
{
  return g->a_flags & SLUICE_GEMM_TRANSPOSED && g->n >= 64 && g->k > SHORT_DEPTH;
}

/* How many of the k products of an element a call of SGEMM adds up. */
static gint64
choose_depth (const SluiceGemm *g)
{
  return wants_flat_pieces (g) ? FLAT_DEPTH : wants_short_pieces (g) ? SHORT_DEPTH : g->k;
}

static void
tile_float (const SluiceGemm *g, const Tile *tile, Library library, gboolean can_openblas)
{
  gboolean ta = g->a_flags & SLUICE_GEMM_TRANSPOSED, tb = g->b_flags & SLUICE_GEMM_TRANSPOSED;
  const float *a = (const float *) g->a + tile->row * (ta ? 1 : g->k);
  const float *b = (const float *) g->b + tile->column * (tb ? g->k : 1);
  float *c = tile->c;
  gint64 m = tile->n_rows, n = tile->n_columns, lda = ta ? g->m : g->k, ldb = tb ? g->k : g->n;
  if (library == MATMUL && !g->accumulate)
    {
      const SluiceDnnlProduct product = { m, n, g->k, lda, ldb, g->n, ta, tb };
      if (sluice_dnnl_matmul (&product, a, b, c))
        return;
    }
  if (can_openblas && (library == OPENBLAS || (library == MATMUL && n <= NARROW)))
    {
      sluice_openblas_get_sgemm () (ROW_MAJOR, ta ? TRANSPOSED : PLAIN, tb ? TRANSPOSED : PLAIN, m,
                                    n, g->k, 1.0f, a, lda, b, ldb, g->accumulate ? 1.0f : 0.0f, c,
                                    g->n);
      return;
    }
  sluice_dnnl_enter ();
  const gint64 depth = choose_depth (g);
  for (gint64 k = 0; k < g->k; k += depth)
    dnnl_sgemm (ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, MIN (depth, g->k - k), 1.0f,
                a + k * (ta ? lda : 1), lda, b + k * (tb ? 1 : ldb), ldb,
                k || g->accumulate ? 1.0f : 0.0f, c, g->n);
}

static void
tile_double (const SluiceGemm *g, const Tile *tile)
{
  gboolean ta = g->a_flags & SLUICE_GEMM_TRANSPOSED, tb = g->b_flags & SLUICE_GEMM_TRANSPOSED;
  const double *a = (const double *) g->a + tile->row * (ta ? 1 : g->k);
  const double *b = (const double *) g->b + tile->column * (tb ? g->k : 1);
  double *c = tile->c;
  sluice_openblas_get_dgemm () (ROW_MAJOR, ta ? TRANSPOSED : PLAIN, tb ? TRANSPOSED : PLAIN,
                                tile->n_rows, tile->n_columns, g->k, 1.0, a, ta ? g->m : g->k, b,
                                tb ? g->k : g->n, g->accumulate ? 1.0 : 0.0, c, g->n);
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
  if (!g->accumulate)
    memset (g->c, 0, g->m * g->n * sluice_dtype_size (g->dtype));
  return TRUE;
}

typedef struct
{
  const SluiceGemm *gemm;
  gint64 rows, columns; /* of a tile */
  gint64 tiles_across;
  Library library; /* of all tiles: a smaller one at an edge sums as its neighbours do */
  gboolean can_openblas;
  const SluicePartConsumer *consumer; /* (nullable): takes each tile, which is of whole rows */
  SluiceScratchLanes *lanes;          /* (nullable): c is only a lane for each thread's tile */
} Tiling;

static void
run_tile (const Tiling *t, const Tile *tile)
{
  if (t->gemm->dtype == SLUICE_FLOAT)
    tile_float (t->gemm, tile, t->library, t->can_openblas);
  else
    tile_double (t->gemm, tile);
}

static void
run_tiles (gpointer data, gint64 begin, gint64 end)
{
  const Tiling *t = data;
  const SluiceGemm *g = t->gemm;
  const gsize size = sluice_dtype_size (g->dtype);
  const guint lane = t->lanes ? sluice_scratch_lanes_take (t->lanes) : 0;
  for (gint64 i = begin; i < end; i++)
    {
      Tile tile = { .row = i / t->tiles_across * t->rows,
                    .column = i % t->tiles_across * t->columns };
      tile.n_rows = MIN (t->rows, g->m - tile.row);
      tile.n_columns = MIN (t->columns, g->n - tile.column);
      gint64 at = t->lanes ? lane * t->rows * g->n : tile.row * g->n + tile.column;
      tile.c = (char *) g->c + at * size;
      run_tile (t, &tile);
      if (t->consumer)
        t->consumer->consume (t->consumer->data, tile.row * g->n, tile.n_rows * g->n, tile.c);
    }
  if (t->lanes)
    sluice_scratch_lanes_give (t->lanes, lane);
}

void
sluice_gemm_library (const SluiceGemm *g)
{
  if (is_trivial (g))
    return;
  gboolean can_openblas = sluice_openblas_get_sgemm () != NULL && fits_openblas (g);
  Tiling whole = { g, g->m, g->n, 1, fastest (g, g->m, g->n), can_openblas };
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
  gint64 b_size = g->n * (wants_short_pieces (g) ? SHORT_DEPTH : g->k);
  gint64 rows = b_size <= 1 << 18 ? 64 : b_size <= 1 << 19 ? 128 : b_size <= 1 << 20 ? 256 : 512;
  rows = MAX (rows, sluice_round_up ((gint64) (min_flops / row_flops) + 1, 64));
  if (g->b_flags & SLUICE_GEMM_TRANSPOSED && g->m >= 1024)
    rows = MAX (rows, 256); /* to pack a transposed b takes longer */
  t->rows = MIN (rows, g->m);
  t->columns = g->n;
  if (rows == 512 && g->m >= 1024 && g->n >= 2048)
    t->rows = t->columns = 1024; /* a square packs the least of both */
  else if (g->m <= t->rows && g->n >= 512)
    {
      double column_flops = 2.0 * (double) g->m * (double) g->k;
      t->columns = sluice_round_up ((gint64) (min_flops / column_flops) + 1, 64);
      t->columns = MAX (wants_flat_pieces (g) ? FLAT_COLUMNS : 256, t->columns);
      t->columns = MIN (t->columns, g->n);
    }
  t->tiles_across = (g->n + t->columns - 1) / t->columns;
  t->library = fastest (g, t->rows, t->columns);
}

/*
 * Few rows by a b that is transposed and larger than a cache: a library would re-order all of b for
 * them. The product transposed reads b as it lies, and re-orders a and the result.
 */
static gboolean
wants_transposed_product (const SluiceGemm *g)
{
  gboolean ta = g->a_flags & SLUICE_GEMM_TRANSPOSED, tb = g->b_flags & SLUICE_GEMM_TRANSPOSED;
  return g->dtype == SLUICE_FLOAT && tb && !ta && !g->accumulate && g->m >= NARROW && g->m <= 128
         && g->n >= 512 && g->n * g->k > 1 << 19;
}

static gboolean
run_transposed (SluiceKernelCall *call, const SluiceGemm *g)
{
  g_autoptr (SluiceTensor) c = sluice_call_scratch (call, g->dtype, &SLUICE_SHAPE (g->n, g->m));
  if (c == NULL)
    return FALSE;
  const SluiceGemm transposed = { .dtype = g->dtype,
                                  .b_flags = SLUICE_GEMM_TRANSPOSED,
                                  .m = g->n,
                                  .n = g->m,
                                  .k = g->k,
                                  .a = g->b,
                                  .b = g->a,
                                  .c = c->data };
  SluiceMove move = { 0 };
  sluice_move_add (&move, g->m, g->n, 1);
  sluice_move_add (&move, g->n, 1, g->m);
  return sluice_call_gemm (call, &transposed)
         && sluice_move_run (call, g->dtype, &move, g->c, c->data);
}

gboolean
sluice_call_gemm (SluiceKernelCall *call, const SluiceGemm *g)
{
  if (wants_transposed_product (g))
    return run_transposed (call, g);
  if (is_trivial (g))
    return TRUE;
  gboolean can_openblas = sluice_openblas_get_sgemm () != NULL && fits_openblas (g);
  if (g->dtype == SLUICE_DOUBLE && !can_openblas)
    {
      sluice_gemm_reference (g);
      return TRUE;
    }
  Tiling tiling = { .gemm = g, .can_openblas = can_openblas };
  cut (g, &tiling);
  gint64 n_tiles = (g->m + tiling.rows - 1) / tiling.rows * tiling.tiles_across;
  double tile_ns = 2.0 * (double) tiling.rows * (double) tiling.columns * (double) g->k / 100;
  if (n_tiles > 1)
    return sluice_call_parallel_for (call, n_tiles, 1, tile_ns, run_tiles, &tiling);
  run_tiles (&tiling, 0, 1);
  return TRUE;
}

/* ---- in parts ---- */

/* A product that is not cut into strips of whole rows. c: its memory. */
static gboolean
give_whole (SluiceKernelCall *call,
            const SluiceGemm *g,
            SluiceTensor *c,
            const SluicePartConsumer *consumer)
{
  SluiceGemm whole = *g;
  whole.c = c->data;
  return sluice_call_gemm (call, &whole) && sluice_call_produce_whole (call, consumer, c);
}

gboolean
sluice_call_gemm_parts (SluiceKernelCall *call,
                        SluiceGemm *g,
                        SluiceTensor *room,
                        const SluicePartConsumer *consumer)
{
  gboolean can_openblas = sluice_openblas_get_sgemm () != NULL && fits_openblas (g);
  Tiling tiling = { .gemm = g, .can_openblas = can_openblas, .consumer = consumer };
  gint64 n_tiles = 0; /* not in strips */
  if (g->m == 0 || g->n == 0)
    return TRUE;
  if (g->k > 0 && !wants_transposed_product (g) && (g->dtype == SLUICE_FLOAT || can_openblas))
    cut (g, &tiling);
  if (tiling.columns == g->n)
    n_tiles = (g->m + tiling.rows - 1) / tiling.rows;
  SluiceScratchLanes lanes;
  SluiceShape shape = SLUICE_SHAPE (g->m, g->n);
  if (n_tiles > 1 && room == NULL)
    {
      shape = SLUICE_SHAPE (sluice_scratch_lanes_init (&lanes, n_tiles), tiling.rows, g->n);
      tiling.lanes = &lanes;
    }
  g_autoptr (SluiceTensor) c =
      room ? sluice_tensor_ref (room) : sluice_call_scratch (call, g->dtype, &shape);
  if (c == NULL)
    return FALSE;
  if (n_tiles < 2)
    return give_whole (call, g, c, consumer);
  g->c = c->data;
  double tile_ns = 2.0 * (double) tiling.rows * (double) g->n * (double) g->k / 100;
  return sluice_call_parallel_for (call, n_tiles, 1, tile_ns, run_tiles, &tiling);
}
