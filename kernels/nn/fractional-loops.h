/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The loops of fractional pools over one image, a template of fractional-cpu.c: kernels/each-real.h
 * tells what it may use. */
static void
NAME (max) (const Cells *p, gint64 n)
{
  const T *x = (const T *) p->x + n * p->in[0] * p->in[1] * p->channels;
  T *y = (T *) p->to + n * p->out[0] * p->out[1] * p->channels;
  FOR_EACH_CELL
  {
    for (gint64 c = 0; c < p->channels; c++)
      y[at + c] = LOWEST;
    FOR_EACH_PIXEL
    for (gint64 c = 0; c < p->channels; c++)
      y[at + c] = x[pixel + c] > y[at + c] ? x[pixel + c] : y[at + c];
  }
}

static void
NAME (avg) (const Cells *p, gint64 n)
{
  const T *x = (const T *) p->x + n * p->in[0] * p->in[1] * p->channels;
  T *y = (T *) p->to + n * p->out[0] * p->out[1] * p->channels;
  FOR_EACH_CELL
  {
    T count = (T) ((h1 - h0) * (w1 - w0));
    memset (y + at, 0, p->channels * sizeof (T));
    FOR_EACH_PIXEL
    for (gint64 c = 0; c < p->channels; c++)
      y[at + c] = (T) ((S) y[at + c] + (S) x[pixel + c]);
    for (gint64 c = 0; c < p->channels; c++)
      y[at + c] /= count;
  }
}

static void
NAME (max_grad) (const Cells *p, gint64 n)
{
  gint64 image = p->in[0] * p->in[1] * p->channels;
  const T *x = (const T *) p->x + n * image;
  const T *dy = (const T *) p->dy + n * p->out[0] * p->out[1] * p->channels;
  T *dx = (T *) p->to + n * image;
  memset (dx, 0, image * sizeof (T));
  FOR_EACH_CELL
  for (gint64 c = 0; c < p->channels; c++)
    {
      gint64 best = (h0 * p->in[1] + w0) * p->channels;
      FOR_EACH_PIXEL
      best = x[pixel + c] > x[best + c] ? pixel : best;
      dx[best + c] = (T) ((S) dx[best + c] + (S) dy[at + c]);
    }
}

/* In double, as TensorFlow: a share of an integer is cut off at the end. */
static void
NAME (avg_grad) (const Cells *p, gint64 n)
{
  gint64 image = p->in[0] * p->in[1] * p->channels;
  const T *dy = (const T *) p->dy + n * p->out[0] * p->out[1] * p->channels;
  double *dx = (double *) p->to + n * image;
  memset (dx, 0, image * sizeof *dx);
  FOR_EACH_CELL
  {
    double count = (double) ((h1 - h0) * (w1 - w0));
    FOR_EACH_PIXEL
    for (gint64 c = 0; c < p->channels; c++)
      dx[pixel + c] += (double) dy[at + c] / count;
  }
}

static void
NAME (cast) (const double *from, void *to, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    ((T *) to)[i] = (T) from[i];
}
