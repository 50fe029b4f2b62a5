/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A row of a filter, all its taps and channels, meets one run of elements of a padded image. So
 * each element of the incoming gradient that is not zero adds itself times such a run: of the
 * filter to the input's gradient, of the input to the filter's.
 */
#include <stdatomic.h>
#include <string.h>

#include "kernels/linalg/sparse-rows.h"
#include "kernels/nn/conv-sparse.h"
#include "kernels/scratch-lanes.h"
#include "kernels/typed.h"

#define BLOCK SLUICE_ROWS_GROUP /* output channels that a chunk of the filter's gradient sums */
#define TERMS 16384             /* of a band of rows, if a row has no more: 128 KiB */
#define MOST  (1 << 20)         /* elements of a padded image, and terms, that each thread has */
#define WORTH 4e6               /* operations below which nothing is gained */
#define GAIN  0.85              /* of the time of the dense product, at most */

typedef struct
{
  const SluiceConvCall *t;
  const SluiceConv *c;
  gint64 rows, columns; /* of a padded image: what windows reach */
  gsize pitch;          /* elements of its row */
  gsize image;          /* elements of it, with what whole vectors reach behind it */
  gsize span, room;     /* elements of a row of the filter; in whole vectors */
  gint64 band;          /* rows of the gradient whose terms are held at once */
  gsize n_terms, n_sums;
  SluiceScratchLanes lanes;
  float *filter;        /* the filter's rows, [rows, out_channels, room] */
  float *images;        /* a lane: a padded image and, of the filter's gradient, BLOCK sums of it */
  gsize lane_image;     /* elements of that */
  SluiceRowTerm *terms; /* a lane: n_terms */
  SluiceRowSum *sums;   /* a lane: n_sums */
  atomic_int infinite;
  const _Atomic int *cancelled; /* of the call */
} Sparse;

static gsize
taps (const Sparse *s)
{
  return (gsize) s->c->place.size[1];
}

static void
place (Sparse *s, SluiceConvKind kind, const SluiceConvCall *t)
{
  const SluiceConv *c = &t->conv;
  const SluiceSlidingWindowPlace *p = &c->place;
  gint64 across = kind == SLUICE_CONV_BACKPROP_FILTER ? BLOCK : c->out_channels;
  s->t = t;
  s->c = c;
  s->rows = (p->out[1] - 1) * c->stride[1] + (p->size[1] - 1) * c->dilation[1] + 1;
  s->columns = (p->out[2] - 1) * c->stride[2] + p->size[2];
  s->pitch = (gsize) (s->columns * c->channels);
  s->span = (gsize) (p->size[2] * c->channels);
  s->room = (gsize) sluice_round_up ((gint64) s->span, SLUICE_ROW_VECTOR);
  s->image = (gsize) sluice_round_up (s->rows * (gint64) s->pitch, 16) + SLUICE_ROW_VECTOR;
  s->lane_image = s->image;
  if (kind == SLUICE_CONV_BACKPROP_FILTER)
    s->lane_image += BLOCK * taps (s) * s->room;
  s->band = CLAMP (TERMS / (across * p->out[2]), 1, p->out[1]);
  s->n_terms = (gsize) (s->band * p->out[2] * across);
  s->n_sums = kind == SLUICE_CONV_BACKPROP_FILTER ? BLOCK : (gsize) (s->band * p->out[2]);
}

static gboolean
is_possible (const Sparse *s)
{
  const SluiceConv *c = s->c;
  return c->first_axis == 1 && !c->channels_first && c->depth == c->channels && c->dilation[2] == 1
         && s->image <= MOST && s->n_terms <= MOST
         && taps (s) * s->room * (gsize) c->out_channels <= G_MAXUINT32;
}

/*
 * By shape and by a sample of the gradient, in cycles of one of its elements: the dense product
 * multiplies two vectors a cycle; here each element is looked at, each that is not zero is a term,
 * and sums are begun and ended. Measured on a Zen 5.
 */
static gboolean
is_worth_it (const Sparse *s, SluiceConvKind kind)
{
  const SluiceConv *c = s->c;
  const SluiceTensor *dy = s->t->y;
  double n_taps = (double) taps (s), vectors = (double) s->room / SLUICE_ROW_VECTOR;
  double dense = n_taps * (double) s->span / (2 * SLUICE_ROW_VECTOR);
  gboolean of_filter = kind == SLUICE_CONV_BACKPROP_FILTER;
  double of_a_sum = (double) (of_filter ? s->band * c->place.out[2] : c->out_channels);
  double always = 3 + n_taps * (25 + 1.5 * vectors) / of_a_sum;
  double term = n_taps * MAX (4, (of_filter ? 1.0 : 0.75) * (vectors + 1.5));
  if (always > GAIN * dense || 2.0 * (double) dy->n_elements * n_taps * (double) s->span < WORTH)
    return FALSE;
  return always + sluice_rows_density (dy->data, dy->n_elements) * term < GAIN * dense;
}

static void
check_images (gpointer data, gint64 begin, gint64 end)
{
  Sparse *s = data;
  const SluiceTensor *x = s->t->x;
  gint64 image = x->n_elements / s->c->batch;
  if (!sluice_rows_finite ((const float *) x->data + begin * image,
                           (gsize) ((end - begin) * image)))
    atomic_store (&s->infinite, 1);
}

/* Copies between an image and a padded one. What is padded is left as it is. */
static void
copy_image (const Sparse *s, float *image, float *padded, gboolean back)
{
  const SluiceConv *c = s->c;
  const SluiceSlidingWindowPlace *p = &c->place;
  gint64 columns = MIN (p->in[2], s->columns - p->pad[2][0]);
  gsize row = (gsize) (p->in[2] * c->channels);
  gsize bytes = sizeof (float) * (gsize) (MAX (columns, 0) * c->channels);
  for (gint64 y = 0; y < MIN (p->in[1], s->rows - p->pad[1][0]); y++)
    {
      float *outside = image + (gsize) y * row;
      float *inside =
          padded + (gsize) (y + p->pad[1][0]) * s->pitch + (gsize) (p->pad[2][0] * c->channels);
      memcpy (back ? outside : inside, back ? inside : outside, bytes);
    }
}

/* ---- the gradient of the input: an image a chunk ---- */

/* A row of the filter for each output channel, its taps and channels together. */
static void
turn_filter (Sparse *s)
{
  const float *from = s->t->filter->data;
  gsize n = (gsize) s->c->out_channels;
  memset (s->filter, 0, sizeof (float) * taps (s) * n * s->room);
  for (gsize i = 0; i < taps (s); i++)
    for (gsize k = 0; k < s->span; k++)
      for (gsize o = 0; o < n; o++)
        s->filter[(i * n + o) * s->room + k] = *from++;
}

/* The terms of the rows from y on of an image's gradient, a sum for each pixel that has some. */
static gsize
collect_pixels (
    const Sparse *s, const float *dy, gint64 y, SluiceRowSum *sums, SluiceRowTerm *terms)
{
  const SluiceConv *c = s->c;
  gint64 until = MIN (y + s->band, c->place.out[1]);
  gsize n_sums = 0, n_terms = 0;
  for (const float *from = dy + y * c->place.out[2] * c->out_channels; y < until; y++)
    for (gint64 x = 0; x < c->place.out[2]; x++, from += c->out_channels)
      {
        gsize n =
            sluice_rows_pick (from, (gsize) c->out_channels, 0, (guint32) s->room, terms + n_terms);
        sums[n_sums] = (SluiceRowSum){ (guint32) n_terms, (guint32) n,
                                       (gsize) (y * c->stride[1]) * s->pitch
                                           + (gsize) (x * c->stride[2] * c->channels) };
        n_sums += n > 0;
        n_terms += n;
      }
  return n_sums;
}

static void
input_images (gpointer data, gint64 begin, gint64 end)
{
  Sparse *s = data;
  const SluiceConv *c = s->c;
  gint64 x_image = s->t->x->n_elements / c->batch, y_image = s->t->y->n_elements / c->batch;
  guint lane = sluice_scratch_lanes_take (&s->lanes);
  float *padded = s->images + lane * s->lane_image;
  SluiceRowTerm *terms = s->terms + lane * s->n_terms;
  SluiceRowSum *sums = s->sums + lane * s->n_sums;
  for (gint64 n = begin; n < end; n++)
    {
      const float *dy = (const float *) s->t->y->data + n * y_image;
      float *dx = (float *) s->t->x->data + n * x_image;
      memset (padded, 0, sizeof (float) * s->image);
      for (gint64 y = 0; y < c->place.out[1]; y += s->band)
        {
          gsize n_sums = collect_pixels (s, dy, y, sums, terms);
          for (gsize i = 0; i < taps (s); i++)
            sluice_rows_add (padded + i * (gsize) c->dilation[1] * s->pitch, sums, n_sums, terms,
                             s->filter + i * (gsize) c->out_channels * s->room, s->span);
        }
      memset (dx, 0, sizeof (float) * (gsize) x_image);
      copy_image (s, dx, padded, TRUE);
    }
  sluice_scratch_lanes_give (&s->lanes, lane);
}

/* ---- the gradient of the filter: a block of output channels a chunk ---- */

/* The terms of n output channels from `first` on of an image's gradient, a sum for each. */
static gsize
collect_channels (
    const Sparse *s, const float *dy, gint64 y, gint64 n, SluiceRowSum *sums, SluiceRowTerm *terms)
{
  const SluiceConv *c = s->c;
  gint64 until = MIN (y + s->band, c->place.out[1]);
  gsize each = s->n_terms / BLOCK, total = 0;
  SluiceRowTerm *next[BLOCK];
  for (gint64 o = 0; o < n; o++)
    next[o] = terms + (gsize) o * each;
  for (const float *from = dy + y * c->place.out[2] * c->out_channels; y < until; y++)
    for (gint64 x = 0; x < c->place.out[2]; x++, from += c->out_channels)
      {
        guint32 at = (guint32) ((gsize) (y * c->stride[1]) * s->pitch)
                     + (guint32) (x * c->stride[2] * c->channels);
        if (n == BLOCK && sluice_rows_empty (from))
          continue;
        for (gint64 o = 0; o < n; o++)
          {
            *next[o] = (SluiceRowTerm){ from[o], at };
            next[o] += from[o] != 0;
          }
      }
  for (gint64 o = 0; o < n; o++)
    {
      gsize first = (gsize) o * each, taken = (gsize) (next[o] - terms) - first;
      sums[o] = (SluiceRowSum){ (guint32) first, (guint32) taken, (gsize) o * taps (s) * s->room };
      total += taken;
    }
  return total;
}

/* Adds what an image gives to n sums. */
static void
add_image (const Sparse *s, gint64 image, gint64 first, gint64 n, guint lane)
{
  const SluiceConv *c = s->c;
  float *padded = s->images + lane * s->lane_image, *grown = padded + s->image;
  SluiceRowTerm *terms = s->terms + lane * s->n_terms;
  SluiceRowSum *sums = s->sums + lane * s->n_sums;
  const float *dy =
      (const float *) s->t->y->data + image * (s->t->y->n_elements / c->batch) + first;
  gboolean is_there = FALSE;
  for (gint64 y = 0; y < c->place.out[1]; y += s->band)
    {
      if (collect_channels (s, dy, y, n, sums, terms) == 0)
        continue;
      if (!is_there)
        copy_image (s, (float *) s->t->x->data + image * (s->t->x->n_elements / c->batch), padded,
                    FALSE);
      is_there = TRUE;
      for (gsize i = 0; i < taps (s); i++)
        sluice_rows_add (grown + i * s->room, sums, (gsize) n, terms,
                         padded + i * (gsize) c->dilation[1] * s->pitch, s->span);
    }
}

static gboolean
is_cancelled (const Sparse *s)
{
  return s->cancelled && atomic_load_explicit (s->cancelled, memory_order_relaxed);
}

static void
filter_blocks (gpointer data, gint64 begin, gint64 end)
{
  Sparse *s = data;
  const SluiceConv *c = s->c;
  guint lane = sluice_scratch_lanes_take (&s->lanes);
  float *padded = s->images + lane * s->lane_image, *grown = padded + s->image;
  memset (padded, 0, sizeof (float) * s->image);
  for (gint64 block = begin; block < end; block++)
    {
      gint64 first = block * BLOCK, n = MIN (BLOCK, c->out_channels - first);
      memset (grown, 0, sizeof (float) * BLOCK * taps (s) * s->room);
      /* A run that is cancelled ends within an image; sluice_call_parallel_for() says so. */
      for (gint64 image = 0; image < c->batch && !is_cancelled (s); image++)
        add_image (s, image, first, n, lane);
      float *to = (float *) s->t->filter->data + first;
      for (gsize i = 0; i < taps (s); i++)
        for (gsize k = 0; k < s->span; k++, to += c->out_channels)
          for (gint64 o = 0; o < n; o++)
            to[o] = grown[((gsize) o * taps (s) + i) * s->room + k];
    }
  sluice_scratch_lanes_give (&s->lanes, lane);
}

/* ---- both ---- */

static gboolean
run_filter (SluiceKernelCall *call, Sparse *s, gint64 n_blocks, double ns, gboolean *done)
{
  if (!sluice_call_parallel_for (call, n_blocks, 1, ns, filter_blocks, s))
    return FALSE;
  /* An infinite gradient has met padding, which the dense product leaves out. */
  *done = sluice_rows_finite (s->t->filter->data, (gsize) s->t->filter->n_elements);
  return TRUE;
}

static gboolean
run_input (SluiceKernelCall *call, Sparse *s, gint64 n_images, double ns, gboolean *done)
{
  turn_filter (s);
  *done = TRUE;
  return sluice_call_parallel_for (call, n_images, 1, ns, input_images, s);
}

/* Scratch memory for n chunks, and work on it. */
static gboolean
run (SluiceKernelCall *call, SluiceConvKind kind, Sparse *s, gint64 n, gboolean *done)
{
  gboolean of_filter = kind == SLUICE_CONV_BACKPROP_FILTER;
  gint64 lanes = sluice_scratch_lanes_init (&s->lanes, n);
  gint64 images = lanes * (gint64) s->lane_image;
  gint64 turned = of_filter ? 0 : (gint64) (taps (s) * s->room) * s->c->out_channels;
  g_autoptr (SluiceTensor) floats =
      sluice_call_scratch (call, SLUICE_FLOAT, &SLUICE_SHAPE (images + turned));
  g_autoptr (SluiceTensor) terms =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (lanes, (gint64) s->n_terms));
  g_autoptr (SluiceTensor) sums =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (lanes, (gint64) s->n_sums, 2));
  if (floats == NULL || terms == NULL || sums == NULL)
    return FALSE;
  s->images = floats->data;
  s->filter = s->images + images;
  s->terms = terms->data;
  s->sums = sums->data;
  double ns = 0.5 * (double) s->t->y->n_elements / (double) n;
  return of_filter ? run_filter (call, s, n, ns, done) : run_input (call, s, n, ns, done);
}

G_STATIC_ASSERT (sizeof (SluiceRowTerm) == 8 && sizeof (SluiceRowSum) == 16);

gboolean
sluice_conv_sparse (SluiceKernelCall *call,
                    SluiceConvKind kind,
                    const SluiceConvCall *c,
                    gboolean *done)
{
  Sparse s = { .cancelled = call->cancelled };
  *done = FALSE;
  place (&s, kind, c);
  if (!is_possible (&s) || !is_worth_it (&s, kind))
    return TRUE;
  if (kind == SLUICE_CONV_BACKPROP_INPUT)
    return !sluice_rows_finite (c->filter->data, (gsize) c->filter->n_elements)
           || run (call, kind, &s, c->conv.batch, done);
  double ns = 0.1 * (double) c->x->n_elements / (double) c->conv.batch;
  if (!sluice_call_parallel_for (call, c->conv.batch, 1, ns, check_images, &s))
    return FALSE;
  return atomic_load (&s.infinite)
         || run (call, kind, &s, (c->conv.out_channels + BLOCK - 1) / BLOCK, done);
}
