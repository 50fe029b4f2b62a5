/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The loops of the largest over one image, a template of pool-loops.h: kernels/each-real.h tells
 * what it may use. */
/* A NaN never is the largest, as in TensorFlow. */
static inline __attribute__ ((always_inline)) void
NAME (max_of) (const Pool *p, const T *x, gint64 count, const Range r, T *y)
{
  T largest[BLOCK];
  for (gint64 c = 0; c < count; c++)
    largest[c] = LOWEST;
  FOR_EACH_CELL
  for (gint64 c = 0; c < count; c++)
    largest[c] = x[cell + c] > largest[c] ? x[cell + c] : largest[c];
  for (gint64 c = 0; c < count; c++)
    y[c] = largest[c];
}

SLUICE_HOT static void
NAME (max) (const Pool *p, gint64 n)
{
  const T *x = (const T *) p->x + n * p->in_image;
  T *y = (T *) p->out + n * p->out_image;
  Range r;
  FOR_EACH_WINDOW
  for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)
    {
      gint64 count = MIN (BLOCK, p->channels - c0);
      if (count == BLOCK)
        NAME (max_of) (p, x + c0, BLOCK, r, y + at + c0);
      else
        NAME (max_of) (p, x + c0, count, r, y + at + c0);
    }
}

/*
 * Sends dy to the cells of the maxima. For a block of channels the number of the first largest cell
 * of the window is found, then each cell gives where it is the one: both are plain loops over
 * channels.
 */
#define ADD(x, y) (T) ((S) (x) + (S) (y))

static inline __attribute__ ((always_inline)) void
NAME (arg_max) (const Pool *p, const T *x, gint64 count, const Range r, gint32 where[BLOCK])
{
  T largest[BLOCK];
  gint32 number = 0;
  FOR_EACH_CELL
  {
    const T *values = x + cell;
    if (number == 0)
      for (gint64 c = 0; c < count; c++)
        largest[c] = values[c], where[c] = 0;
    else
      for (gint64 c = 0; c < count; c++)
        {
          gboolean larger = values[c] > largest[c];
          largest[c] = larger ? values[c] : largest[c];
          where[c] = larger ? number : where[c];
        }
    number++;
  }
}

static inline __attribute__ ((always_inline)) void
NAME (send) (const Pool *p, const T *x, gint64 count, const Range r, const T *dy, T *to)
{
  gint32 where[BLOCK], number = 0;
  NAME (arg_max) (p, x, count, r, where);
  FOR_EACH_CELL
  {
    if (p->tiles)
      for (gint64 c = 0; c < count; c++)
        to[cell + c] = ADD (0, where[c] == number ? dy[c] : 0);
    else
      for (gint64 c = 0; c < count; c++)
        to[cell + c] = ADD (to[cell + c], where[c] == number ? dy[c] : 0);
    number++;
  }
}

/* Squares of four cells, of `count` channels: cells of a column lie `step` apart. */
static inline __attribute__ ((always_inline)) void
NAME (send_square) (const T *restrict x,
                    gint64 channels,
                    gint64 step,
                    gint64 count,
                    const T *restrict dy,
                    T *restrict to)
{
  for (gint64 c = 0; c < count; c++)
    {
      T largest = x[c], g = dy[c];
      gint32 where = 0;
      where = x[channels + c] > largest ? 1 : where;
      largest = x[channels + c] > largest ? x[channels + c] : largest;
      where = x[step + c] > largest ? 2 : where;
      largest = x[step + c] > largest ? x[step + c] : largest;
      where = x[step + channels + c] > largest ? 3 : where;
      to[c] = ADD (0, where == 0 ? g : 0);
      to[channels + c] = ADD (0, where == 1 ? g : 0);
      to[step + c] = ADD (0, where == 2 ? g : 0);
      to[step + channels + c] = ADD (0, where == 3 ? g : 0);
    }
}

SLUICE_HOT static void
NAME (max_grad_squares) (const Pool *p, gint64 n)
{
  const T *x = (const T *) p->x + n * p->in_image;
  const T *dy = (const T *) p->dy + n * p->out_image;
  T *to = (T *) p->out + n * p->in_image;
  const gint64 channels = p->channels, step = p->place.in[2] * channels;
  for (gint64 row = 0; row < p->place.out[0] * p->place.out[1]; row++, x += step, to += step)
    for (gint64 ow = 0; ow < p->place.out[2]; ow++)
      {
        gint64 c = 0;
        for (; c + BLOCK <= channels; c += BLOCK)
          NAME (send_square) (x + c, channels, step, BLOCK, dy + c, to + c);
        NAME (send_square) (x + c, channels, step, channels - c, dy + c, to + c);
        x += 2 * channels;
        to += 2 * channels;
        dy += channels;
      }
}

SLUICE_HOT static void
NAME (max_grad) (const Pool *p, gint64 n)
{
  const T *x = (const T *) p->x + n * p->in_image;
  const T *dy = (const T *) p->dy + n * p->out_image;
  T *to = (T *) p->out + n * p->in_image;
  Range r;
  if (!p->tiles)
    memset (to, 0, p->in_image * sizeof (T));
  FOR_EACH_WINDOW
  for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)
    {
      gint64 count = MIN (BLOCK, p->channels - c0);
      if (count == BLOCK)
        NAME (send) (p, x + c0, BLOCK, r, dy + at + c0, to + c0);
      else
        NAME (send) (p, x + c0, count, r, dy + at + c0, to + c0);
    }
}

/* Takes the second gradient from the first cell of each window that is the maximum given. */
SLUICE_HOT static void
NAME (max_grad_grad) (const Pool *p, gint64 n)
{
  const T *x = (const T *) p->x + n * p->in_image, *y = (const T *) p->y + n * p->out_image;
  const T *dy = (const T *) p->dy + n * p->in_image;
  T *to = (T *) p->out + n * p->out_image;
  Range r;
  memset (to, 0, p->out_image * sizeof (T));
  for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)
    FOR_EACH_WINDOW
    {
      gint64 end = MIN (c0 + BLOCK, p->channels);
      guint8 found[BLOCK] = { 0 };
      FOR_EACH_CELL
      for (gint64 c = c0; c < end; c++)
        {
          guint8 take = !found[c - c0] & (x[cell + c] == y[at + c]);
          to[at + c] = take ? dy[cell + c] : to[at + c];
          found[c - c0] |= take;
        }
    }
}

static void
NAME (max_arg) (const Pool *p, gint64 n)
{
  const T *image = (const T *) p->x + n * p->in_image;
  T *y = (T *) p->out + n * p->out_image;
  gint64 *arg = p->arg + n * p->out_image, first = p->arg_over_batch ? n * p->in_image : 0;
  gint32 where[BLOCK];
  Range r;
  for (gint64 c0 = 0; c0 < p->channels; c0 += BLOCK)
    {
      gint64 count = MIN (BLOCK, p->channels - c0);
      FOR_EACH_WINDOW
      {
        NAME (arg_max) (p, image + c0, count, r, where);
        for (gint64 c = 0; c < count; c++)
          {
            gint64 place = pixel_of (p, &r, where[c]) * p->channels + c0 + c;
            arg[at + c0 + c] = first + place;
            y[at + c0 + c] = image[place];
          }
      }
    }
}

static void
NAME (max_grad_arg) (const Pool *p, gint64 n)
{
  const T *dy = (const T *) p->dy + n * p->out_image;
  const gint64 *arg = p->arg + n * p->out_image;
  T *dx = (T *) p->out + n * p->in_image;
  memset (dx, 0, p->in_image * sizeof (T));
  for (gint64 i = 0; i < p->out_image; i++)
    dx[arg[i]] = ADD (dx[arg[i]], dy[i]);
}

#undef ADD
