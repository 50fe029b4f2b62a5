/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/move.h"

#include <string.h>

#include "kernels/array/stream.h"

#define CHUNK_BYTES (128 << 10) /* a chunk of a big move */
#define NS_PER_BYTE 0.1
#define LINE_BYTES  64  /* a cache line: a transpose reads and writes whole ones */
#define BLOCK       128 /* edge of the square whose pages a transpose keeps at hand */
#define STREAM_ROWS 512 /* how far each line of a source is read on past the caches */
#define THIN        8   /* below this, squares do not pay */

typedef struct
{
  guint8 bytes[16];
} Element16;

void
sluice_move_strides (const SluiceShape *shape, gint64 strides[SLUICE_MAX_RANK])
{
  gint64 stride = 1;
  for (int i = shape->rank - 1; i >= 0; i--)
    {
      strides[i] = stride;
      stride *= shape->dim[i];
    }
}

/* The same nest with fewer dimensions. FALSE: nothing is to be moved. */
static gboolean
simplify (const SluiceMove *move, SluiceMove *simple)
{
  simple->rank = 0;
  for (int i = 0; i < move->rank; i++)
    {
      const SluiceMoveDim *dim = &move->dim[i];
      if (dim->size == 0)
        return FALSE;
      if (dim->size == 1)
        continue;
      SluiceMoveDim *outer = simple->rank > 0 ? &simple->dim[simple->rank - 1] : NULL;
      if (outer && outer->to == dim->to * dim->size && outer->from == dim->from * dim->size)
        *outer = (SluiceMoveDim){ outer->size * dim->size, dim->to, dim->from };
      else
        simple->dim[simple->rank++] = *dim;
    }
  return TRUE;
}

/* ---- two inner dimensions, by size of element ---- */

typedef struct
{
  SluiceDType dtype;
  gsize bytes;      /* of an element */
  gboolean streams; /* past the caches, where that is built */
  SluiceMoveDim rows, columns;
} Plane;

typedef void (*PlaneFunc) (const Plane *plane, char *to, const char *from);

static void
plane_runs (const Plane *p, char *to, const char *from)
{
  gsize run = p->columns.size * p->bytes;
  gint64 to_step = p->rows.to * (gint64) p->bytes, from_step = p->rows.from * (gint64) p->bytes;
  for (gint64 r = 0; r < p->rows.size; r++)
    memcpy (to + r * to_step, from + r * from_step, run);
}

static void
plane_managed (const Plane *p, char *to, const char *from)
{
  gint64 bytes = p->bytes;
  for (gint64 r = 0; r < p->rows.size; r++)
    for (gint64 c = 0; c < p->columns.size; c++)
      sluice_elements_copy (p->dtype, to + (r * p->rows.to + c * p->columns.to) * bytes,
                            from + (r * p->rows.from + c * p->columns.from) * bytes, 1);
}

/* Whole tiles of four bytes an element, four by four in registers. */
static void
transpose_tile_fast (const Plane *p, guint32 *to, const guint32 *from)
{
  _Alignas(64) SluiceFour tile[16][4];
  for (guint c = 0; c < 16; c++)
    memcpy (tile[c], from + c * p->columns.from, LINE_BYTES);
  for (guint r = 0; r < 4; r++)
    for (guint c = 0; c < 4; c++)
      {
        const SluiceFour a = tile[4 * c][r], b = tile[4 * c + 1][r];
        const SluiceFour d = tile[4 * c + 2][r], e = tile[4 * c + 3][r];
        const SluiceFour ab_low = __builtin_shufflevector (a, b, 0, 4, 1, 5);
        const SluiceFour ab_high = __builtin_shufflevector (a, b, 2, 6, 3, 7);
        const SluiceFour de_low = __builtin_shufflevector (d, e, 0, 4, 1, 5);
        const SluiceFour de_high = __builtin_shufflevector (d, e, 2, 6, 3, 7);
        const SluiceFour rows[4] = {
          __builtin_shufflevector (ab_low, de_low, 0, 1, 4, 5),
          __builtin_shufflevector (ab_low, de_low, 2, 3, 6, 7),
          __builtin_shufflevector (ab_high, de_high, 0, 1, 4, 5),
          __builtin_shufflevector (ab_high, de_high, 2, 3, 6, 7),
        };
        for (guint k = 0; k < 4; k++)
          memcpy (to + (4 * r + k) * p->rows.to + 4 * c, &rows[k], sizeof rows[k]);
      }
}

#define T       guint8
#define NAME(x) x##_1
#include "kernels/array/plane-loops.h"

#define T       guint16
#define NAME(x) x##_2
#include "kernels/array/plane-loops.h"

#define T       guint32
#define NAME(x) x##_4
#include "kernels/array/plane-loops.h"

#define T       guint64
#define NAME(x) x##_8
#include "kernels/array/plane-loops.h"

#define T       Element16
#define NAME(x) x##_16
#include "kernels/array/plane-loops.h"

typedef struct
{
  PlaneFunc strided;   /* any strides */
  PlaneFunc repeat;    /* columns: to 1, from 0 */
  PlaneFunc transpose; /* columns: to 1; rows: from 1 */
  PlaneFunc streamed;  /* a transpose past the caches */
} PlaneFuncs;

#define PLANE_FUNCS(suffix)                                                                        \
  {                                                                                                \
    plane_strided_##suffix, plane_repeat_##suffix, plane_transpose_##suffix,                       \
        plane_streamed_##suffix                                                                    \
  }

static const PlaneFuncs plane_funcs[] = {
  PLANE_FUNCS (1), PLANE_FUNCS (2), PLANE_FUNCS (4), PLANE_FUNCS (8), PLANE_FUNCS (16),
};

static PlaneFunc
choose_plane_func (const Plane *p)
{
  if (sluice_dtype_is_managed (p->dtype))
    return plane_managed;
  if (p->columns.to == 1 && p->columns.from == 1)
    return plane_runs;
  const PlaneFuncs *funcs = &plane_funcs[__builtin_ctzll (p->bytes)];
  if (p->columns.to == 1 && p->columns.from == 0)
    return funcs->repeat;
  if (p->columns.to == 1 && p->rows.from == 1 && p->rows.size >= THIN && p->columns.size >= THIN)
    return p->streams ? funcs->streamed : funcs->transpose;
  return funcs->strided;
}

/* ---- the outer loops ---- */

typedef struct
{
  Plane plane;
  PlaneFunc func;
  int n_outer;
  SluiceMoveDim outer[SLUICE_MOVE_RANK];
  gint64 rows_a_piece; /* of the plane, for one unit of work */
  gint64 pieces;       /* a plane is cut into */
  char *to;
  const char *from;
} Job;

/* A unit is one piece of one plane; planes are numbered row-major over the outer dimensions. */
static void
run_pieces (gpointer data, gint64 begin, gint64 end)
{
  const Job *job = data;
  gint64 bytes = job->plane.bytes;
  for (gint64 unit = begin; unit < end; unit++)
    {
      gint64 plane_index = unit / job->pieces, piece = unit % job->pieces;
      gint64 to = 0, from = 0;
      for (int i = job->n_outer - 1; i >= 0; i--)
        {
          gint64 at = plane_index % job->outer[i].size;
          plane_index /= job->outer[i].size;
          to += at * job->outer[i].to;
          from += at * job->outer[i].from;
        }
      gint64 first = piece * job->rows_a_piece;
      Plane plane = job->plane;
      plane.rows.size = MIN (job->rows_a_piece, plane.rows.size - first);
      to += first * plane.rows.to;
      from += first * plane.rows.from;
      job->func (&plane, job->to + to * bytes, job->from + from * bytes);
    }
  if (job->plane.streams)
    sluice_stream_end ();
}

/*
 * Chooses the dimension beside the innermost that makes the plane: where the innermost is no run,
 * one that runs through the source, so that a transpose meets squares.
 */
static int
choose_rows (const SluiceMove *move)
{
  const SluiceMoveDim *columns = &move->dim[move->rank - 1];
  if (columns->from != 1)
    for (int i = move->rank - 2; i >= 0; i--)
      if (move->dim[i].from == 1)
        return i;
  return move->rank - 2;
}

/*
 * Cuts an innermost dimension that is too long for one piece in two, so that threads may share it.
 * What is left over becomes a nest of its own.
 */
static gboolean
split_columns (SluiceMove *move, gint64 element_bytes, SluiceMove *rest)
{
  SluiceMoveDim *columns = &move->dim[move->rank - 1];
  gint64 width = CHUNK_BYTES / element_bytes;
  if (columns->size < 2 * width || move->rank == SLUICE_MOVE_RANK)
    return FALSE;
  *rest = *move;
  rest->dim[rest->rank - 1].size = columns->size % width;
  SluiceMoveDim inner = { width, columns->to, columns->from };
  *columns = (SluiceMoveDim){ columns->size / width, width * inner.to, width * inner.from };
  move->dim[move->rank++] = inner;
  return TRUE;
}

static gboolean
run_simple (
    SluiceKernelCall *call, SluiceDType dtype, const SluiceMove *simple, char *to, const char *from)
{
  Job job = { .plane = { dtype, sluice_dtype_size (dtype), FALSE, { 1, 0, 0 }, { 1, 1, 1 } } };
  job.to = to;
  job.from = from;
  job.plane.columns = simple->dim[simple->rank - 1];
  int rows = choose_rows (simple);
  gint64 n_planes = 1;
  for (int i = 0; i < simple->rank - 1; i++)
    if (i == rows)
      job.plane.rows = simple->dim[i];
    else
      {
        job.outer[job.n_outer++] = simple->dim[i];
        n_planes *= simple->dim[i].size;
      }
  gint64 plane_bytes = job.plane.rows.size * job.plane.columns.size * (gint64) job.plane.bytes;
  job.plane.streams = n_planes >= SLUICE_STREAM_BYTES / plane_bytes;
  job.func = choose_plane_func (&job.plane);

  gint64 row_bytes = job.plane.columns.size * job.plane.bytes;
  const gboolean has_squares = job.plane.rows.from == 1 && job.plane.columns.from != 1;
  const gint64 least_rows = !has_squares ? 1 : job.plane.streams ? STREAM_ROWS : BLOCK;
  job.rows_a_piece = MAX (least_rows, CHUNK_BYTES / row_bytes);
  job.pieces = (job.plane.rows.size + job.rows_a_piece - 1) / job.rows_a_piece;
  gint64 unit_bytes = MIN (job.rows_a_piece, job.plane.rows.size) * row_bytes;
  gint64 grain = MAX (1, CHUNK_BYTES / unit_bytes);
  return sluice_call_parallel_for (call, n_planes * job.pieces, grain, unit_bytes * NS_PER_BYTE,
                                   run_pieces, &job);
}

gboolean
sluice_move_run (
    SluiceKernelCall *call, SluiceDType dtype, const SluiceMove *move, void *to, const void *from)
{
  SluiceMove simple, rest;
  gint64 bytes = sluice_dtype_size (dtype);
  if (!simplify (move, &simple))
    return TRUE;
  if (simple.rank == 0)
    {
      sluice_elements_copy (dtype, to, from, 1);
      return TRUE;
    }
  if (!split_columns (&simple, bytes, &rest))
    return run_simple (call, dtype, &simple, to, from);

  const SluiceMoveDim *runs = &simple.dim[simple.rank - 2];
  return run_simple (call, dtype, &simple, to, from)
         && sluice_move_run (call, dtype, &rest, (char *) to + runs->size * runs->to * bytes,
                             (const char *) from + runs->size * runs->from * bytes);
}

gboolean
sluice_move_block (SluiceKernelCall *call, SluiceDType dtype, void *to, const void *from, gint64 n)
{
  SluiceMove move = { 0 };
  sluice_move_add (&move, n, 1, 1);
  return sluice_move_run (call, dtype, &move, to, from);
}

gboolean
sluice_move_fill (SluiceKernelCall *call, SluiceDType dtype, void *to, const void *value, gint64 n)
{
  SluiceMove move = { 0 };
  sluice_move_add (&move, n, 1, 0);
  return sluice_move_run (call, dtype, &move, to, value);
}
