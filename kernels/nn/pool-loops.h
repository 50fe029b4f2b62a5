/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/nn/window.h"
#include "kernels/typed.h"

/* The loops of pools over one image; pool-cpu.c is all that they are for. */

/*
 * A pool of known sizes. Channels first is seen as channels last with as many images as there are
 * planes, of one channel; a pool over channels as one row of pixels whose window is `depth` wide.
 */
typedef struct
{
  SluiceWindowPlace place;
  gint64 stride[SLUICE_AXES];
  gint64 images, channels;
  gint64 in_image, out_image; /* elements */
  const void *x, *y, *dy;     /* of the kind: what it reads */
  gint64 *arg;                /* places of the maxima */
  gboolean arg_over_batch;    /* are places counted from the first image on? */
  gboolean tiles;             /* each cell is in one window */
  gboolean squares;           /* besides, windows are 2 by 2 */
  void *out;
} Pool;

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

/* A NaN never is the largest, as in TensorFlow. */
#define MAX_FORWARD(T, suffix, LOWEST)                                                             \
  static inline __attribute__ ((always_inline)) void max_of_##suffix (                             \
      const Pool *p, const T *x, gint64 count, const Range r, T *y)                                \
  {                                                                                                \
    T largest[BLOCK];                                                                              \
    for (gint64 c = 0; c < count; c++)                                                             \
      largest[c] = LOWEST;                                                                         \
    FOR_EACH_CELL                                                                                  \
    for (gint64 c = 0; c < count; c++)                                                             \
      largest[c] = x[cell + c] > largest[c] ? x[cell + c] : largest[c];                            \
    for (gint64 c = 0; c < count; c++)                                                             \
      y[c] = largest[c];                                                                           \
  }                                                                                                \
  SLUICE_HOT static void max_##suffix (const Pool *p, gint64 n)                                    \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    Range r;                                                                                       \
    FOR_EACH_WINDOW                                                                                \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      {                                                                                            \
        gint64 count = MIN (BLOCK, p->channels - c0);                                              \
        if (count == BLOCK)                                                                        \
          max_of_##suffix (p, x + c0, BLOCK, r, y + at + c0);                                      \
        else                                                                                       \
          max_of_##suffix (p, x + c0, count, r, y + at + c0);                                      \
      }                                                                                            \
  }

/*
 * Sends dy to the cells of the maxima. For a block of channels the number of the first largest cell
 * of the window is found, then each cell gives where it is the one: both are plain loops over
 * channels.
 */
/* S: in which sums are; unsigned of integers, because overflow wraps. */
#define ADD(T, S, x, y) (T) ((S) (x) + (S) (y))
#define MAX_BACKWARD(T, S, suffix)                                                                 \
  static inline __attribute__ ((always_inline)) void arg_max_##suffix (                            \
      const Pool *p, const T *x, gint64 count, const Range r, gint32 where[BLOCK])                 \
  {                                                                                                \
    T largest[BLOCK];                                                                              \
    gint32 number = 0;                                                                             \
    FOR_EACH_CELL                                                                                  \
    {                                                                                              \
      const T *values = x + cell;                                                                  \
      if (number == 0)                                                                             \
        for (gint64 c = 0; c < count; c++)                                                         \
          largest[c] = values[c], where[c] = 0;                                                    \
      else                                                                                         \
        for (gint64 c = 0; c < count; c++)                                                         \
          {                                                                                        \
            gboolean larger = values[c] > largest[c];                                              \
            largest[c] = larger ? values[c] : largest[c];                                          \
            where[c] = larger ? number : where[c];                                                 \
          }                                                                                        \
      number++;                                                                                    \
    }                                                                                              \
  }                                                                                                \
  static inline __attribute__ ((always_inline)) void send_##suffix (                               \
      const Pool *p, const T *x, gint64 count, const Range r, const T *dy, T *to)                  \
  {                                                                                                \
    gint32 where[BLOCK], number = 0;                                                               \
    arg_max_##suffix (p, x, count, r, where);                                                      \
    FOR_EACH_CELL                                                                                  \
    {                                                                                              \
      if (p->tiles)                                                                                \
        for (gint64 c = 0; c < count; c++)                                                         \
          to[cell + c] = ADD (T, S, 0, where[c] == number ? dy[c] : 0);                            \
      else                                                                                         \
        for (gint64 c = 0; c < count; c++)                                                         \
          to[cell + c] = ADD (T, S, to[cell + c], where[c] == number ? dy[c] : 0);                 \
      number++;                                                                                    \
    }                                                                                              \
  }                                                                                                \
  /* Squares of four cells, of `count` channels: cells of a column lie `step` apart. */            \
  static inline __attribute__ ((always_inline)) void send_square_##suffix (                        \
      const T *restrict x, gint64 channels, gint64 step, gint64 count, const T *restrict dy,       \
      T *restrict to)                                                                              \
  {                                                                                                \
    for (gint64 c = 0; c < count; c++)                                                             \
      {                                                                                            \
        T largest = x[c], g = dy[c];                                                               \
        gint32 where = 0;                                                                          \
        where = x[channels + c] > largest ? 1 : where;                                             \
        largest = x[channels + c] > largest ? x[channels + c] : largest;                           \
        where = x[step + c] > largest ? 2 : where;                                                 \
        largest = x[step + c] > largest ? x[step + c] : largest;                                   \
        where = x[step + channels + c] > largest ? 3 : where;                                      \
        to[c] = ADD (T, S, 0, where == 0 ? g : 0);                                                 \
        to[channels + c] = ADD (T, S, 0, where == 1 ? g : 0);                                      \
        to[step + c] = ADD (T, S, 0, where == 2 ? g : 0);                                          \
        to[step + channels + c] = ADD (T, S, 0, where == 3 ? g : 0);                               \
      }                                                                                            \
  }                                                                                                \
  SLUICE_HOT static void max_grad_squares_##suffix (const Pool *p, gint64 n)                       \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *to = (T *) p->out + n * p->in_image;                                                        \
    const gint64 channels = p->channels, step = p->place.in[2] * channels;                         \
    for (gint64 row = 0; row < p->place.out[0] * p->place.out[1]; row++, x += step, to += step)    \
      for (gint64 ow = 0; ow < p->place.out[2]; ow++)                                              \
        {                                                                                          \
          gint64 c = 0;                                                                            \
          for (; c + BLOCK <= channels; c += BLOCK)                                                \
            send_square_##suffix (x + c, channels, step, BLOCK, dy + c, to + c);                   \
          send_square_##suffix (x + c, channels, step, channels - c, dy + c, to + c);              \
          x += 2 * channels;                                                                       \
          to += 2 * channels;                                                                      \
          dy += channels;                                                                          \
        }                                                                                          \
  }                                                                                                \
  SLUICE_HOT static void max_grad_##suffix (const Pool *p, gint64 n)                               \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image;                                               \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    T *to = (T *) p->out + n * p->in_image;                                                        \
    Range r;                                                                                       \
    if (!p->tiles)                                                                                 \
      memset (to, 0, p->in_image * sizeof (T));                                                    \
    FOR_EACH_WINDOW                                                                                \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      {                                                                                            \
        gint64 count = MIN (BLOCK, p->channels - c0);                                              \
        if (count == BLOCK)                                                                        \
          send_##suffix (p, x + c0, BLOCK, r, dy + at + c0, to + c0);                              \
        else                                                                                       \
          send_##suffix (p, x + c0, count, r, dy + at + c0, to + c0);                              \
      }                                                                                            \
  }                                                                                                \
  /* Takes the second gradient from the first cell of each window that is the maximum given. */    \
  SLUICE_HOT static void max_grad_grad_##suffix (const Pool *p, gint64 n)                          \
  {                                                                                                \
    const T *x = (const T *) p->x + n * p->in_image, *y = (const T *) p->y + n * p->out_image;     \
    const T *dy = (const T *) p->dy + n * p->in_image;                                             \
    T *to = (T *) p->out + n * p->out_image;                                                       \
    Range r;                                                                                       \
    memset (to, 0, p->out_image * sizeof (T));                                                     \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      FOR_EACH_WINDOW                                                                              \
      {                                                                                            \
        gint64 end = MIN (c0 + BLOCK, p->channels);                                                \
        guint8 found[BLOCK] = { 0 };                                                               \
        FOR_EACH_CELL                                                                              \
        for (gint64 c = c0; c < end; c++)                                                          \
          {                                                                                        \
            guint8 take = !found[c - c0] & (x[cell + c] == y[at + c]);                             \
            to[at + c] = take ? dy[cell + c] : to[at + c];                                         \
            found[c - c0] |= take;                                                                 \
          }                                                                                        \
      }                                                                                            \
  }                                                                                                \
  static void max_arg_##suffix (const Pool *p, gint64 n)                                           \
  {                                                                                                \
    const T *image = (const T *) p->x + n * p->in_image;                                           \
    T *y = (T *) p->out + n * p->out_image;                                                        \
    gint64 *arg = p->arg + n * p->out_image, first = p->arg_over_batch ? n * p->in_image : 0;      \
    gint32 where[BLOCK];                                                                           \
    Range r;                                                                                       \
    for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)                                             \
      {                                                                                            \
        gint64 count = MIN (BLOCK, p->channels - c0);                                              \
        FOR_EACH_WINDOW                                                                            \
        {                                                                                          \
          arg_max_##suffix (p, image + c0, count, r, where);                                       \
          for (gint64 c = 0; c < count; c++)                                                       \
            {                                                                                      \
              gint64 place = pixel_of (p, &r, where[c]) * p->channels + c0 + c;                    \
              arg[at + c0 + c] = first + place;                                                    \
              y[at + c0 + c] = image[place];                                                       \
            }                                                                                      \
        }                                                                                          \
      }                                                                                            \
  }                                                                                                \
  static void max_grad_arg_##suffix (const Pool *p, gint64 n)                                      \
  {                                                                                                \
    const T *dy = (const T *) p->dy + n * p->out_image;                                            \
    const gint64 *arg = p->arg + n * p->out_image;                                                 \
    T *dx = (T *) p->out + n * p->in_image;                                                        \
    memset (dx, 0, p->in_image * sizeof (T));                                                      \
    for (gint64 i = 0; i < p->out_image; i++)                                                      \
      dx[arg[i]] = ADD (T, S, dx[arg[i]], dy[i]);                                                  \
  }

#define MAX_FAMILY(T, S, suffix, LOWEST)                                                           \
  MAX_FORWARD (T, suffix, LOWEST)                                                                  \
  MAX_BACKWARD (T, S, suffix)
MAX_FAMILY (float, float, float, -FLT_MAX)
MAX_FAMILY (double, double, double, -DBL_MAX)
MAX_FAMILY (gint8, guint8, i8, G_MININT8)
MAX_FAMILY (gint16, guint16, i16, G_MININT16)
MAX_FAMILY (gint32, guint32, i32, G_MININT32)
MAX_FAMILY (gint64, guint64, i64, G_MININT64)
MAX_FAMILY (guint8, guint8, u8, 0)
MAX_FAMILY (guint16, guint16, u16, 0)
MAX_FAMILY (guint32, guint32, u32, 0)
MAX_FAMILY (guint64, guint64, u64, 0)

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
DEEP (float, float, fabsf, -FLT_MAX)
DEEP (double, double, fabs, -DBL_MAX)

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
AVERAGE (float, float)
AVERAGE (double, double)
