/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/move.h"

#include <string.h>

#define CHUNK_BYTES (128 << 10) /* a chunk of a big move */
#define NS_PER_BYTE 0.1
#define TILE        16 /* edge of the square that a transpose keeps in cache */

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
  gsize bytes; /* of an element */
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

/* Squares of the plane, so that both sides stay in cache whatever their strides are. */
#define DEFINE_PLANE(suffix, type)                                                                 \
  static void plane_strided_##suffix (const Plane *p, char *to_bytes, const char *from_bytes)      \
  {                                                                                                \
    type *to = (type *) to_bytes;                                                                  \
    const type *from = (const type *) from_bytes;                                                  \
    const SluiceMoveDim rows = p->rows, columns = p->columns;                                      \
    for (gint64 r = 0; r < rows.size; r++)                                                         \
      for (gint64 c = 0; c < columns.size; c++)                                                    \
        to[r * rows.to + c * columns.to] = from[r * rows.from + c * columns.from];                 \
  }                                                                                                \
                                                                                                   \
  static void plane_repeat_##suffix (const Plane *p, char *to_bytes, const char *from_bytes)       \
  {                                                                                                \
    type *to = (type *) to_bytes;                                                                  \
    const type *from = (const type *) from_bytes;                                                  \
    for (gint64 r = 0; r < p->rows.size; r++)                                                      \
      {                                                                                            \
        const type value = from[r * p->rows.from];                                                 \
        type *row = to + r * p->rows.to;                                                           \
        for (gint64 c = 0; c < p->columns.size; c++)                                               \
          row[c] = value;                                                                          \
      }                                                                                            \
  }                                                                                                \
                                                                                                   \
  static void plane_transpose_##suffix (const Plane *p, char *to_bytes, const char *from_bytes)    \
  {                                                                                                \
    type *to = (type *) to_bytes;                                                                  \
    const type *from = (const type *) from_bytes;                                                  \
    const gint64 n_rows = p->rows.size, n_columns = p->columns.size;                               \
    const gint64 to_step = p->rows.to, from_step = p->columns.from;                                \
    for (gint64 r0 = 0; r0 < n_rows; r0 += TILE)                                                   \
      for (gint64 c0 = 0; c0 < n_columns; c0 += TILE)                                              \
        {                                                                                          \
          const gint64 r1 = MIN (r0 + TILE, n_rows), c1 = MIN (c0 + TILE, n_columns);              \
          for (gint64 r = r0; r < r1; r++)                                                         \
            for (gint64 c = c0; c < c1; c++)                                                       \
              to[r * to_step + c] = from[r + c * from_step];                                       \
        }                                                                                          \
  }

DEFINE_PLANE (1, guint8)
DEFINE_PLANE (2, guint16)
DEFINE_PLANE (4, guint32)
DEFINE_PLANE (8, guint64)
DEFINE_PLANE (16, Element16)

typedef struct
{
  PlaneFunc strided;   /* any strides */
  PlaneFunc repeat;    /* columns: to 1, from 0 */
  PlaneFunc transpose; /* columns: to 1; rows: from 1 */
} PlaneFuncs;

#define PLANE_FUNCS(suffix)                                                                        \
  {                                                                                                \
    plane_strided_##suffix, plane_repeat_##suffix, plane_transpose_##suffix                        \
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
  if (p->columns.to == 1 && p->rows.from == 1)
    return funcs->transpose;
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
  Job job = { .plane = { dtype, sluice_dtype_size (dtype), { 1, 0, 0 }, { 1, 1, 1 } } };
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
  job.func = choose_plane_func (&job.plane);

  gint64 row_bytes = job.plane.columns.size * job.plane.bytes;
  job.rows_a_piece = MAX (TILE, CHUNK_BYTES / row_bytes);
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
