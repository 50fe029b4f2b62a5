/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The mover of move.h on a CUDA device: a thread an element. What holds more than bytes, and small
 * vectors of indices and sizes, which the host reads next, move on the host. */
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/array/move.h"
/* move.c, compiled under these names. */
gboolean sluice_host_move_run (
    SluiceKernelCall *call, SluiceDType dtype, const SluiceMove *move, void *to, const void *from);
gboolean sluice_host_move_block (
    SluiceKernelCall *call, SluiceDType dtype, void *to, const void *from, gint64 n);
gboolean sluice_host_move_fill (
    SluiceKernelCall *call, SluiceDType dtype, void *to, const void *value, gint64 n);
}

#define SMALL 16 /* elements: int32 and int64 only */

struct Element16
{
  guint64 half[2];
};

static gboolean
is_host_work (SluiceDType dtype, gint64 n)
{
  return sluice_dtype_is_managed (dtype) || n == 0
         || (n <= SMALL && sluice_dtype_in (dtype, SLUICE_SET_INDEX));
}

template <typename T>
static void
launch_move (gint64 n, const SluiceMove *move, void *to_, const void *from_)
{
  T *to = (T *) to_;
  const T *from = (const T *) from_;
  SluiceMove m = *move;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 at_to = 0, at_from = 0, rest = i;
    for (int d = m.rank - 1; d >= 0; d--)
      {
        gint64 column = rest % m.dim[d].size;
        at_to += column * m.dim[d].to;
        at_from += column * m.dim[d].from;
        rest /= m.dim[d].size;
      }
    to[at_to] = from[at_from];
  });
}

template <typename T>
static void
launch_fill (gint64 n, void *to_, const void *value_)
{
  T *to = (T *) to_;
  T value = *(const T *) value_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { to[i] = value; });
}

#define BY_SIZE(dtype, launch, ...)                                                                \
  switch (sluice_dtype_size (dtype))                                                               \
    {                                                                                              \
    case 1:                                                                                        \
      launch<guint8> (__VA_ARGS__);                                                                \
      break;                                                                                       \
    case 2:                                                                                        \
      launch<guint16> (__VA_ARGS__);                                                               \
      break;                                                                                       \
    case 4:                                                                                        \
      launch<guint32> (__VA_ARGS__);                                                               \
      break;                                                                                       \
    case 8:                                                                                        \
      launch<guint64> (__VA_ARGS__);                                                               \
      break;                                                                                       \
    default:                                                                                       \
      launch<Element16> (__VA_ARGS__);                                                             \
    }

/* The elements that a stride reaches, from the lowest to the highest. */
typedef struct
{
  gint64 low, high;
} Extent;

static gint64
measure (const SluiceMove *move, Extent *to, Extent *from)
{
  gint64 n = 1;
  Extent none = { 0, 0 };
  *to = *from = none;
  for (int d = 0; d < move->rank; d++)
    {
      const SluiceMoveDim *dim = &move->dim[d];
      gint64 last = dim->size - 1;
      n *= dim->size;
      *(dim->to < 0 ? &to->low : &to->high) += last * dim->to;
      *(dim->from < 0 ? &from->low : &from->high) += last * dim->from;
    }
  return n;
}

/* Where the device has what lies around `memory`. */
static char *
map_extent (const void *memory, const Extent *extent, gsize size, guint access)
{
  const char *low = (const char *) memory + extent->low * (gint64) size;
  char *mapped = (char *) sluice_cuda_map (low, (extent->high - extent->low + 1) * size, access);
  return mapped != NULL ? mapped - extent->low * (gint64) size : NULL;
}

extern "C" gboolean
sluice_move_run (
    SluiceKernelCall *call, SluiceDType dtype, const SluiceMove *move, void *to, const void *from)
{
  Extent to_extent, from_extent;
  gint64 n = measure (move, &to_extent, &from_extent);
  gsize size = sluice_dtype_size (dtype);
  if (is_host_work (dtype, n))
    return sluice_host_move_run (call, dtype, move, to, from);
  if (!sluice_cuda_begin (call))
    return FALSE;
  /* What lies between the elements that are written stays. */
  char *at_to = map_extent (to, &to_extent, size, SLUICE_CUDA_READ | SLUICE_CUDA_WRITE);
  const char *at_from = map_extent (from, &from_extent, size, SLUICE_CUDA_READ);
  if (at_to != NULL && at_from != NULL)
    BY_SIZE (dtype, launch_move, n, move, at_to, at_from)
  return sluice_cuda_end (call);
}

extern "C" gboolean
sluice_move_block (SluiceKernelCall *call, SluiceDType dtype, void *to, const void *from, gint64 n)
{
  SluiceMove move = { 0 };
  sluice_move_add (&move, n, 1, 1);
  return sluice_move_run (call, dtype, &move, to, from);
}

extern "C" gboolean
sluice_move_fill (SluiceKernelCall *call, SluiceDType dtype, void *to, const void *value, gint64 n)
{
  if (is_host_work (dtype, n))
    return sluice_host_move_fill (call, dtype, to, value, n);
  if (!sluice_cuda_begin (call))
    return FALSE;
  void *at_to = sluice_cuda_map (to, n * sluice_dtype_size (dtype), SLUICE_CUDA_WRITE);
  if (at_to != NULL)
    BY_SIZE (dtype, launch_fill, n, at_to, value)
  return sluice_cuda_end (call);
}
