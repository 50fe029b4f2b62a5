/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/nn/pool.h"
#include "kernels/typed.h"

/* The loops of pools over one image; pool-cpu.c is all that they are for. */

/* The cells of a window that lie inside. */
typedef struct
{
  gint64 begin[SLUICE_AXES], end[SLUICE_AXES];
} Range;

static inline void
clip (const Pool *p, int axis, gint64 out, Range *r)
{
  gint64 first = out * p->stride[axis] - p->place.pad[axis][0];
  r->begin[axis] = MAX (first, 0);
  r->end[axis] = MIN (first + p->place.size[axis], p->place.in[axis]);
}

static inline gint64
cells_of (const Range *r)
{
  return (r->end[0] - r->begin[0]) * (r->end[1] - r->begin[1]) * (r->end[2] - r->begin[2]);
}

/* For each window of an image: r are its cells, `at` the output pixel. */
#define FOR_EACH_WINDOW                                                                            \
  for (gint64 op = 0; op < p->place.out[0]; op++)                                                  \
    for (gint64 oh = 0; oh < p->place.out[1]; oh++)                                                \
      for (gint64 ow = 0, at; ow < p->place.out[2]; ow++)                                          \
        if (clip (p, 0, op, &r), clip (p, 1, oh, &r), clip (p, 2, ow, &r),                         \
            at = ((op * p->place.out[1] + oh) * p->place.out[2] + ow) * p->channels, TRUE)
#define FOR_EACH_CELL                                                                              \
  for (gint64 z = r.begin[0]; z < r.end[0]; z++)                                                   \
    for (gint64 h = r.begin[1]; h < r.end[1]; h++)                                                 \
      for (gint64 w = r.begin[2], cell; w < r.end[2]; w++)                                         \
        if (cell = ((z * p->place.in[1] + h) * p->place.in[2] + w) * p->channels, TRUE)

/* Where cell `number` of a window of an image is, counted in pixels. */
static inline gint64
pixel_of (const Pool *p, const Range *r, gint64 number)
{
  gint64 width = r->end[2] - r->begin[2];
  return (r->begin[1] + number / width) * p->place.in[2] + r->begin[2] + number % width;
}

/* Channels that are looked at together: a number that the compiler knows, where there are as many.
 */
#define BLOCK 32

#define TEMPLATE "kernels/nn/pool-max-loops.h"
#include "kernels/each-real.h"

/*
 * Pools over three dimensions are Eigen's, and differ: a NaN takes the place of the largest, and
 * whatever comes next that of a NaN; padding counts as the lowest number, and of nothing the
 * largest is minus infinity. The gradient goes to every cell within 1e-5 of the maximum, so to none
 * where that is infinite.
 */
#define NEAR_MAXIMUM 1e-5
/* The cells of a window with one of padding on each side, where there is some: more are as one. */
static inline Range
with_padding (const Pool *p, const gint64 out[SLUICE_AXES])
{
  Range r;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      gint64 first = out[axis] * p->stride[axis] - p->place.pad[axis][0];
      r.begin[axis] = MAX (first, -1);
      r.end[axis] = MIN (first + p->place.size[axis], p->place.in[axis] + 1);
    }
  return r;
}
#define IS_INSIDE(axis, i) ((i) >= 0 && (i) < p->place.in[axis])
#define DEEP(T, suffix, distance, LOWEST)                                                          \
  SLUICE_HOT static void max_deep_##suffix (const Pool *p, gint64 n)                               \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    Range r;                                                                                       \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T *largest = y + at;                                                                         \
      r = with_padding (p, (gint64[]){ op, oh, ow });                                              \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        largest[c] = -(T) INFINITY;                                                                \
      FOR_EACH_CELL                                                                                \
      {                                                                                            \
        gboolean inside = IS_INSIDE (0, z) && IS_INSIDE (1, h) && IS_INSIDE (2, w);                \
        for (gint64 c = 0; inside && c < p->channels; c++)                                         \
          largest[c] = largest[c] > x[cell + c] ? largest[c] : x[cell + c];                        \
        for (gint64 c = 0; !inside && c < p->channels; c++)                                        \
          largest[c] = largest[c] > LOWEST ? largest[c] : LOWEST;                                  \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  SLUICE_HOT static void max_grad_deep_##suffix (const Pool *p, gint64 n)                          \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image, *y = (const T *) p->y + n * p->out_image;     \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *dx = (T *) p->out + n * p->in_image;                                                        \
    Range r;                                                                                       \
    memset (dx, 0, p->in_image * sizeof (T));                                                      \
    FOR_EACH_WINDOW                                                                                \
    FOR_EACH_CELL                                                                                  \
    for (gint64 c = 0; c < p->channels; c++)                                                       \
      dx[cell + c] += distance (x[cell + c] - y[at + c]) < (T) NEAR_MAXIMUM ? dy[at + c] : 0;      \
  }
DEEP (float, f32, fabsf, -FLT_MAX)
DEEP (double, f64, fabs, -DBL_MAX)

#define AVERAGE(T, suffix)                                                                         \
  SLUICE_HOT static void avg_##suffix (const Pool *p, gint64 n)                                    \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    Range r;                                                                                       \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T *mean = y + at;                                                                            \
      memset (mean, 0, p->channels * sizeof (T));                                                  \
      FOR_EACH_CELL                                                                                \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        mean[c] += x[cell + c];                                                                    \
      T count = (T) cells_of (&r);                                                                 \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        mean[c] /= count;                                                                          \
    }                                                                                              \
  }                                                                                                \
  SLUICE_HOT static void avg_grad_##suffix (const Pool *p, gint64 n)                               \
  {                                                                                                \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *dx = (T *) p->out + n * p->in_image;                                                        \
    Range r;                                                                                       \
    memset (dx, 0, p->in_image * sizeof (T));                                                      \
    FOR_EACH_WINDOW                                                                                \
    {                                                                                              \
      T share = 1 / (T) cells_of (&r);                                                             \
      FOR_EACH_CELL                                                                                \
      for (gint64 c = 0; c < p->channels; c++)                                                     \
        dx[cell + c] += dy[at + c] * share;                                                        \
    }                                                                                              \
  }
AVERAGE (float, f32)
AVERAGE (double, f64)
