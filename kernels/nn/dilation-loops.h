/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The loops of dilations over one image, a template of dilation-cpu.c: kernels/each-real.h tells
 * what it may use. */
static void
NAME (forward) (const Dilation *p, const T *x, T *y)
{
  const T *filter = p->filter;
  FOR_EACH_WINDOW
  {
    gint64 h0 = first_of (p, 1, oh), w0 = first_of (p, 2, ow);
    T *largest = y + (oh * p->place.out[2] + ow) * p->channels;
    for (gint64 c = 0; c < p->channels; c++)
      largest[c] = LOWEST;
    FOR_EACH_TAP
    for (gint64 c = 0; c < p->channels; c++)
      {
        T sum = (T) ((S) x[X_AT (h, w) + c] + (S) filter[F_AT (i, j) + c]);
        largest[c] = sum > largest[c] ? sum : largest[c];
      }
  }
}

/* One image. Where no sum is above the lowest number, the gradient goes to the first element
   of the window if that lies inside, or to the first weight, as in TensorFlow. */
static void
NAME (backward) (const Dilation *p, const T *x, const T *dy, T *to)
{
  const T *filter = p->filter;
  FOR_EACH_WINDOW
  for (gint64 c = 0; c < p->channels; c++)
    {
      gint64 h0 = first_of (p, 1, oh), w0 = first_of (p, 2, ow), weight = 0;
      gint64 row = MAX (h0, 0), column = MAX (w0, 0);
      T largest = LOWEST;
      FOR_EACH_TAP
      {
        T sum = (T) ((S) x[X_AT (h, w) + c] + (S) filter[F_AT (i, j) + c]);
        if (sum > largest)
          {
            largest = sum;
            row = h;
            column = w;
            weight = F_AT (i, j);
          }
      }
      if (!INSIDE (1, row) || !INSIDE (2, column))
        continue;
      gint64 at = (p->kind == BACKPROP_INPUT ? X_AT (row, column) : weight) + c;
      to[at] = (T) ((S) to[at] + (S) dy[(oh * p->place.out[2] + ow) * p->channels + c]);
    }
}

static void
NAME (run) (const Dilation *p, gint64 n)
{
  gint64 in = p->place.in[1] * p->place.in[2] * p->channels;
  gint64 out = p->place.out[1] * p->place.out[2] * p->channels;
  const T *x = (const T *) p->x + n * in;
  if (p->kind == FORWARD)
    NAME (forward) (p, x, (T *) p->to + n * out);
  else
    {
      T *to = (T *) p->to + (p->kind == BACKPROP_INPUT ? n * in : 0);
      NAME (backward) (p, x, (const T *) p->dy + n * out, to);
    }
}
