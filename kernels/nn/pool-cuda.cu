/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Pools on a CUDA device: checks and sizes are those of pool-cpu.c, which is compiled once more for
 * it. A thread an element of the output; a gradient is gathered, in the order of the windows. */
#define SLUICE_ON_DEVICE 1
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/nn/pool.h"
}

/* The cells of a window that lie inside. */
struct Range
{
  gint64 begin[SLUICE_AXES], end[SLUICE_AXES];
};

SLUICE_DEVICE Range
cells_of_window (const Pool &p, const gint64 out[SLUICE_AXES])
{
  Range r;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      gint64 first = out[axis] * p.stride[axis] - p.place.pad[axis][0];
      gint64 last = first + p.place.size[axis];
      r.begin[axis] = first > 0 ? first : 0;
      r.end[axis] = last < p.place.in[axis] ? last : p.place.in[axis];
    }
  return r;
}

/* Where an element of a value of those sizes is: image, pixel, channel. */
struct Place
{
  gint64 image, at[SLUICE_AXES], channel;
};

SLUICE_DEVICE Place
place_of (const Pool &p, const gint64 sizes[SLUICE_AXES], gint64 i)
{
  Place place;
  place.channel = i % p.channels;
  i /= p.channels;
  for (int axis = SLUICE_AXES - 1; axis >= 0; axis--)
    {
      place.at[axis] = i % sizes[axis];
      i /= sizes[axis];
    }
  place.image = i;
  return place;
}

SLUICE_DEVICE gint64
element_at (const Pool &p, const gint64 sizes[SLUICE_AXES], gint64 z, gint64 h, gint64 w)
{
  return ((z * sizes[1] + h) * sizes[2] + w) * p.channels;
}

#define FOR_EACH_CELL                                                                              \
  for (gint64 z = r.begin[0]; z < r.end[0]; z++)                                                   \
    for (gint64 h = r.begin[1]; h < r.end[1]; h++)                                                 \
      for (gint64 w = r.begin[2]; w < r.end[2]; w++)

SLUICE_DEVICE gint64
count_cells (const Range &r)
{
  return (r.end[0] - r.begin[0]) * (r.end[1] - r.begin[1]) * (r.end[2] - r.begin[2]);
}

/* The lowest finite number: a NaN never is the largest, as in TensorFlow. */
SLUICE_DEVICE void
set_lowest (float *x)
{
  *x = -FLT_MAX;
}
SLUICE_DEVICE void
set_lowest (double *x)
{
  *x = -DBL_MAX;
}

template <typename T>
static void
launch_max (const Pool *pool)
{
  Pool p = *pool;
  const T *x = (const T *) p.x;
  T *y = (T *) p.out;
  sluice_each (p.images * p.out_image, [=] SLUICE_LAMBDA (gint64 i) {
    Place at = place_of (p, p.place.out, i);
    Range r = cells_of_window (p, at.at);
    const T *image = x + at.image * p.in_image + at.channel;
    T largest;
    set_lowest (&largest);
    FOR_EACH_CELL
    {
      T value = image[element_at (p, p.place.in, z, h, w)];
      largest = value > largest ? value : largest;
    }
    y[i] = largest;
  });
}

template <typename T>
static void
launch_avg (const Pool *pool)
{
  Pool p = *pool;
  const T *x = (const T *) p.x;
  T *y = (T *) p.out;
  sluice_each (p.images * p.out_image, [=] SLUICE_LAMBDA (gint64 i) {
    Place at = place_of (p, p.place.out, i);
    Range r = cells_of_window (p, at.at);
    const T *image = x + at.image * p.in_image + at.channel;
    T sum = 0;
    FOR_EACH_CELL
    sum += image[element_at (p, p.place.in, z, h, w)];
    y[i] = sum / (T) count_cells (r);
  });
}

/* Is cell number `element` of an image the first largest of its window? */
template <typename T>
SLUICE_DEVICE gboolean
is_first_largest (const Pool &p, const Range &r, const T *image, gint64 element)
{
  gint64 best = -1;
  T largest = 0;
  FOR_EACH_CELL
  {
    gint64 cell = element_at (p, p.place.in, z, h, w);
    if (best < 0 || image[cell] > largest)
      {
        best = cell;
        largest = image[cell];
      }
  }
  return best == element;
}

/* The first and the last window along an axis that hold a cell. */
SLUICE_DEVICE void
windows_of_cell (const Pool &p, int axis, gint64 cell, gint64 *first, gint64 *last)
{
  gint64 from = cell + p.place.pad[axis][0], stride = p.stride[axis];
  gint64 low = from - p.place.size[axis] + stride; /* of the first window, rounded up */
  *first = low > 0 ? low / stride : 0;
  *last = from / stride < p.place.out[axis] - 1 ? from / stride : p.place.out[axis] - 1;
}

template <typename T>
static void
launch_grad (const Pool *pool, gboolean is_max)
{
  Pool p = *pool;
  const T *x = (const T *) p.x, *dy = (const T *) p.dy;
  T *dx = (T *) p.out;
  sluice_each (p.images * p.in_image, [=] SLUICE_LAMBDA (gint64 i) {
    Place at = place_of (p, p.place.in, i);
    gint64 first[SLUICE_AXES], last[SLUICE_AXES], out[SLUICE_AXES];
    gint64 element = element_at (p, p.place.in, at.at[0], at.at[1], at.at[2]);
    for (int axis = 0; axis < SLUICE_AXES; axis++)
      windows_of_cell (p, axis, at.at[axis], &first[axis], &last[axis]);
    T sum = 0;
    for (out[0] = first[0]; out[0] <= last[0]; out[0]++)
      for (out[1] = first[1]; out[1] <= last[1]; out[1]++)
        for (out[2] = first[2]; out[2] <= last[2]; out[2]++)
          {
            Range r = cells_of_window (p, out);
            T g = dy[at.image * p.out_image
                     + element_at (p, p.place.out, out[0], out[1], out[2]) + at.channel];
            if (!is_max)
              sum += g * (1 / (T) count_cells (r));
            else if (is_first_largest (p, r, x + at.image * p.in_image + at.channel, element))
              sum += g;
          }
    dx[i] = sum;
  });
}

template <typename T>
static void
launch (const Pool *pool, PoolKind kind)
{
  if (kind == MAX_POOL)
    launch_max<T> (pool);
  else if (kind == AVG_POOL)
    launch_avg<T> (pool);
  else
    launch_grad<T> (pool, kind == MAX_POOL_GRAD);
}

extern "C" void
sluice_cuda_pool (const Pool *pool, PoolKind kind, SluiceDType dtype)
{
  Pool p = *pool;
  gsize size = sluice_dtype_size (dtype);
  gsize in = p.images * p.in_image * size, out = p.images * p.out_image * size;
  gboolean forward = kind == MAX_POOL || kind == AVG_POOL;
  p.x = p.x != NULL ? sluice_cuda_map (p.x, in, SLUICE_CUDA_READ) : NULL;
  p.dy = p.dy != NULL ? sluice_cuda_map (p.dy, out, SLUICE_CUDA_READ) : NULL;
  p.out = sluice_cuda_map (p.out, forward ? out : in, SLUICE_CUDA_WRITE);
  if (p.out == NULL || (pool->x != NULL && p.x == NULL) || (pool->dy != NULL && p.dy == NULL))
    return;
  if (dtype == SLUICE_FLOAT)
    launch<float> (&p, kind);
  else
    launch<double> (&p, kind);
}
