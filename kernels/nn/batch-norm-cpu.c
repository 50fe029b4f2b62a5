/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Batch normalisation on the CPU. Sums over a channel are what TensorFlow's are, of floats row by
 * row: whoever sums more exactly leaves TensorFlow's path after some steps, where a channel's
 * gradient is nearly zero. Chunks of rows are summed apart, and their sums in double. What goes to
 * each element is worked out once a channel.
 */
#include <math.h>
#include <string.h>

#include "kernels/math/elementwise.h"
#include "kernels/nn/batch-norm.h"
#include "kernels/typed.h"

#define MIN_LANES 256
#define BLOCK     16 /* channels whose sums are kept in registers */
/* Elements of a chunk of sums: up to here the order, and so the rounding, is TensorFlow's. */
#define SUM_CHUNK 131072

/* y[i] = expression of element i of each row, which is of lane c. y may be an operand, element for
 * element, and is none of the vectors. The compiler does not know that it is not *p itself. */
#define FOR_EACH(expression)                                                                       \
  const gint64 lanes = p->lanes, inner = p->inner;                                                 \
  for (gint64 o = begin; o < end; o++)                                                             \
    {                                                                                              \
      const gint64 at = o * lanes * inner;                                                         \
      if (inner == 1)                                                                              \
        {                                                                                          \
          SLUICE_INDEPENDENT                                                                       \
          for (gint64 c = 0; c < lanes; c++)                                                       \
            {                                                                                      \
              const gint64 i = at + c;                                                             \
              y[i] = expression;                                                                   \
            }                                                                                      \
        }                                                                                          \
      else                                                                                         \
        for (gint64 c = 0; c < lanes; c++)                                                         \
          {                                                                                        \
            SLUICE_INDEPENDENT                                                                     \
            for (gint64 i = at + c * inner, n = i + inner; i < n; i++)                             \
              y[i] = expression;                                                                   \
          }                                                                                        \
    }

/* Sums over rows, channels in blocks; what is added to which sum is the body. */
#define SUM_LOOP(T, name, n_sums, body)                                                            \
  SLUICE_HOT static void name (const SluiceNorm *p, gint64 begin, gint64 end, double *sum)         \
  {                                                                                                \
    const T *x = p->x, *dy = p->dy;                                                                \
    (void) dy;                                                                                     \
    for (gint64 first = 0; first < p->channels; first += BLOCK)                                    \
      {                                                                                            \
        const int n = (int) MIN (BLOCK, p->channels - first);                                      \
        T s[3][BLOCK] = { { 0 } }, mean[BLOCK] = { 0 }, inverse[BLOCK] = { 0 };                    \
        (void) inverse;                                                                            \
        for (int k = 0; k < n; k++)                                                                \
          {                                                                                        \
            mean[k] = (T) p->mean[first + k];                                                      \
            inverse[k] = (T) p->inverse[first + k];                                                \
          }                                                                                        \
        (void) mean;                                                                               \
        if (p->inner == 1 && n == BLOCK)                                                           \
          for (gint64 o = begin; o < end; o++)                                                     \
            for (int k = 0; k < BLOCK; k++)                                                        \
              {                                                                                    \
                const gint64 i = o * p->channels + first + k;                                      \
                body                                                                               \
              }                                                                                    \
        else                                                                                       \
          for (gint64 o = begin; o < end; o++)                                                     \
            for (int k = 0; k < n; k++)                                                            \
              for (gint64 at = (o * p->channels + first + k) * p->inner, i = at;                   \
                   i < at + p->inner; i++)                                                         \
                body for (int j = 0; j < n_sums; j++) for (int k = 0; k < n; k++)                  \
                    sum[j * p->channels + first + k] = (double) s[j][k];                           \
      }                                                                                            \
  }

#define LOOPS(T, suffix)                                                                           \
  SUM_LOOP (T, sum_##suffix, 1, { s[0][k] += x[i]; })                                              \
  SUM_LOOP (T, squares_##suffix, 1, {                                                              \
    T off = x[i] - mean[k];                                                                        \
    s[0][k] += off * off;                                                                          \
  })                                                                                               \
  SUM_LOOP (T, backward_##suffix, 3, {                                                             \
    T off = x[i] - mean[k];                                                                        \
    s[0][k] += dy[i];                                                                              \
    s[1][k] += dy[i] * off;                                                                        \
    s[2][k] += dy[i] * (off * inverse[k]);                                                         \
  })                                                                                               \
  /* y = (x - center) k + shift */                                                                 \
  SLUICE_HOT static void scale_##suffix (const SluiceNorm *p, gint64 begin, gint64 end)            \
  {                                                                                                \
    const T *x = p->x, *center = p->center, *k = p->k, *shift = p->shift;                          \
    T *y = p->out;                                                                                 \
    FOR_EACH ((x[i] - center[c]) * k[c] + shift[c])                                                \
  }                                                                                                \
  /* y = (dy - shift - (x - center) along) k */                                                    \
  SLUICE_HOT static void unscale_##suffix (const SluiceNorm *p, gint64 begin, gint64 end)          \
  {                                                                                                \
    const T *x = p->x, *dy = p->dy;                                                                \
    const T *center = p->center, *k = p->k, *shift = p->shift, *along = p->along;                  \
    T *y = p->out;                                                                                 \
    FOR_EACH ((dy[i] - shift[c] - (x[i] - center[c]) * along[c]) * k[c])                           \
  }
LOOPS (float, float)
LOOPS (double, double)

/* ---- sums ---- */

typedef struct
{
  const SluiceNorm *norm;
  SluiceNormSums kind;
  gint64 n_sums;
} SumWork;

static void
sum_range (gpointer data, gint64 begin, gint64 end)
{
  const SumWork *work = data;
  const SluiceNorm *p = work->norm;
#ifdef SLUICE_ON_DEVICE
  sluice_cuda_norm_sums (p, work->kind);
  return;
#endif
  double *sum = p->partial + begin / p->sum_rows * work->n_sums * p->channels;
  gboolean wide = p->dtype == SLUICE_DOUBLE;
  if (work->kind == SLUICE_NORM_SUM)
    (wide ? sum_double : sum_float) (p, begin, end, sum);
  else if (work->kind == SLUICE_NORM_SQUARES)
    (wide ? squares_double : squares_float) (p, begin, end, sum);
  else
    (wide ? backward_double : backward_float) (p, begin, end, sum);
}

static double
row_ns (const SluiceNorm *p)
{
  return 0.4 * (double) (p->lanes * p->inner);
}

/* sums: rows of lanes, one, or three of SLUICE_NORM_BACKWARD; their channels are set. */
static gboolean
sum_channels (SluiceKernelCall *call, SluiceNorm *p, SluiceNormSums kind, double *sums)
{
  SumWork work = { p, kind, sluice_norm_n_sums (kind) };
  gint64 n_rows = p->outer * p->repeat, width = work.n_sums * p->channels;
  gint64 n_chunks = sluice_norm_n_chunks (p);
  g_autoptr (SluiceTensor) partial =
      sluice_call_scratch (call, SLUICE_DOUBLE, &SLUICE_SHAPE (n_chunks, width));
  if (partial == NULL)
    return FALSE;
  p->partial = partial->data;
  if (!sluice_call_parallel_for (call, n_rows, p->sum_rows, row_ns (p) / (double) p->repeat,
                                 sum_range, &work))
    return FALSE;
  for (gint64 j = 0; j < work.n_sums; j++)
    for (gint64 c = 0; c < p->channels; c++)
      {
        double sum = 0;
        for (gint64 chunk = 0; chunk < n_chunks; chunk++)
          sum += p->partial[chunk * width + j * p->channels + c];
        sums[j * p->lanes + c] = sum;
      }
  return TRUE;
}

static void
scale_range (gpointer data, gint64 begin, gint64 end)
{
  const SluiceNorm *p = data;
#ifdef SLUICE_ON_DEVICE
  sluice_cuda_norm_scale (p, FALSE);
  return;
#endif
  (p->dtype == SLUICE_DOUBLE ? scale_double : scale_float) (p, begin, end);
}

static void
unscale_range (gpointer data, gint64 begin, gint64 end)
{
  const SluiceNorm *p = data;
#ifdef SLUICE_ON_DEVICE
  sluice_cuda_norm_scale (p, TRUE);
  return;
#endif
  (p->dtype == SLUICE_DOUBLE ? unscale_double : unscale_float) (p, begin, end);
}

/* ---- inputs and outputs ---- */

static void
set_real (SluiceTensor *tensor, gint64 i, double value)
{
  if (tensor->dtype == SLUICE_DOUBLE)
    ((double *) tensor->data)[i] = value;
  else if (tensor->dtype == SLUICE_FLOAT)
    ((float *) tensor->data)[i] = (float) value;
  else
    sluice_narrow (tensor->dtype, &(float){ (float) value }, (guint16 *) tensor->data + i, 1);
}

static double
get_real (const SluiceTensor *tensor, gint64 i)
{
  if (tensor->dtype == SLUICE_DOUBLE)
    return ((const double *) tensor->data)[i];
  if (tensor->dtype == SLUICE_FLOAT)
    return ((const float *) tensor->data)[i];
  float value;
  sluice_widen (tensor->dtype, (const guint16 *) tensor->data + i, &value, 1);
  return value;
}

/* A row of doubles, one a lane, several of them in one piece. */
enum
{
  MEAN,
  VARIANCE,
  SCALE,
  OFFSET,
  SUM_DY,
  SUM_PRODUCT, /* behind SUM_DY */
  SUM_SCALED,  /* behind that */
  INVERSE,
  N_ROWS,
};

/* What a call works with: rows of doubles, rows of the dtype, and half types' inputs as float. */
typedef struct
{
  SluiceNorm norm;
  gint64 n_elements;
  SluiceTensor *rows, *vectors, *wide_x, *wide_dy; /* wide: (nullable) */
} Work;

static void
work_clear (Work *w)
{
  g_clear_pointer (&w->rows, sluice_tensor_unref);
  g_clear_pointer (&w->vectors, sluice_tensor_unref);
  g_clear_pointer (&w->wide_x, sluice_tensor_unref);
  g_clear_pointer (&w->wide_dy, sluice_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

static double *
row (const Work *w, int which)
{
  return (double *) w->rows->data + which * w->norm.lanes;
}

/* The elements of input i, widened where they are of a half type. */
static const void *
elements_of (SluiceKernelCall *call, guint i, SluiceTensor **wide)
{
  SluiceTensor *input = sluice_call_input (call, i);
  if (!sluice_dtype_is_half (input->dtype))
    return input->data;
  *wide = sluice_call_widen_input (call, i);
  return *wide ? (*wide)->data : NULL;
}

/* x: number of the input that is normalised; dy: of the gradient, or -1. */
static gboolean
work_begin (SluiceKernelCall *call, Work *w, int x, int dy)
{
  const SluiceBatchNormFormat *format = call->state;
  const SluiceShape *shape = &sluice_call_input (call, x)->shape;
  if (!sluice_call_want_rank (call, x, format->rank))
    return FALSE;
  if (dy >= 0 && !sluice_shape_equal (shape, &sluice_call_input (call, dy)->shape))
    {
      char sx[SLUICE_SHAPE_STR], sy[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the gradient has shape %s, the value %s; make them equal",
                               sluice_shape_str (&sluice_call_input (call, dy)->shape, sy),
                               sluice_shape_str (shape, sx));
    }
  SluiceNorm *p = &w->norm;
  int channel = sluice_batch_norm_channel_dim (format);
  p->outer = p->inner = 1;
  p->channels = shape->dim[channel];
  gboolean empty = sluice_call_input (call, x)->n_elements == 0;
  for (int i = 0; i < channel && !empty; i++)
    p->outer *= shape->dim[i];
  for (int i = channel + 1; i < shape->rank && !empty; i++)
    p->inner *= shape->dim[i];
  if (empty)
    p->outer = 0;
  p->repeat = 1;
  while (p->inner == 1 && p->repeat * p->channels < MIN_LANES && p->outer % (2 * p->repeat) == 0
         && p->outer > 0)
    p->repeat *= 2;
  p->outer /= p->repeat;
  p->lanes = p->repeat * p->channels;
  p->rows = MAX (1, 16384 / MAX (1, p->lanes * p->inner));
  p->sum_rows = MAX (1, SUM_CHUNK / MAX (1, p->channels * p->inner));
  p->x = elements_of (call, x, &w->wide_x);
  p->dy = dy >= 0 ? elements_of (call, dy, &w->wide_dy) : NULL;
  if (p->x == NULL || (dy >= 0 && p->dy == NULL))
    return FALSE;
  p->dtype = w->wide_x ? SLUICE_FLOAT : sluice_call_input (call, x)->dtype;
  w->n_elements = sluice_call_input (call, x)->n_elements;
  w->rows = sluice_call_scratch (call, SLUICE_DOUBLE, &SLUICE_SHAPE (N_ROWS, p->lanes));
  w->vectors = sluice_call_scratch (call, p->dtype, &SLUICE_SHAPE (4, p->lanes));
  if (w->rows == NULL || w->vectors == NULL)
    return FALSE;
  p->mean = row (w, MEAN);
  p->inverse = row (w, INVERSE);
  memset (w->rows->data, 0, N_ROWS * p->lanes * sizeof (double));
  return TRUE;
}

/* Every lane gets what its channel has. */
static void
spread (const Work *w, int which)
{
  double *values = row (w, which);
  for (gint64 lane = w->norm.channels; lane < w->norm.lanes; lane++)
    values[lane] = values[lane - w->norm.channels];
}

static gboolean
read_row (SluiceKernelCall *call, const Work *w, guint i, int which)
{
  const SluiceTensor *vector = sluice_call_input (call, i);
  if (!sluice_call_want_rank (call, i, 1))
    return FALSE;
  if (vector->n_elements != w->norm.channels)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the value has %" G_GINT64_FORMAT " channels, input %u (%s) "
                             "%" G_GINT64_FORMAT " elements; make them equal",
                             w->norm.channels, i, call->node->op->inputs[i].name,
                             vector->n_elements);
  for (gint64 c = 0; c < w->norm.channels; c++)
    row (w, which)[c] = get_real (vector, c);
  spread (w, which);
  return TRUE;
}

/* Elements a channel. */
static double
count_of (const SluiceNorm *p)
{
  return (double) p->outer * (double) p->repeat * (double) p->inner;
}

/* What the loops over elements need of channel c. */
static void
set_vectors (Work *w, gint64 c, double center, double k, double shift, double along)
{
  gint64 n = w->norm.lanes;
  for (; c < n; c += w->norm.channels)
    {
      set_real (w->vectors, c, center);
      set_real (w->vectors, n + c, k);
      set_real (w->vectors, 2 * n + c, shift);
      set_real (w->vectors, 3 * n + c, along);
    }
}

/* Runs over all elements into output 0, in the memory of an input where that may be. */
static gboolean
run_elements (SluiceKernelCall *call, Work *w, guint from, SluiceRangeFunc func)
{
  SluiceNorm *p = &w->norm;
  gsize size = sluice_dtype_size (p->dtype) * p->lanes;
  const char *vectors = w->vectors->data;
  SluiceTensor *out = sluice_call_reuse (call, 0, from, &sluice_call_input (call, from)->shape);
  if (out == NULL)
    return FALSE;
  p->center = vectors;
  p->k = vectors + size;
  p->shift = vectors + 2 * size;
  p->along = vectors + 3 * size;
  p->out = w->wide_x ? w->wide_x->data : out->data;
  if (!sluice_call_parallel_for (call, p->outer, p->rows, row_ns (p), func, p))
    return FALSE;
  if (w->wide_x)
    sluice_narrow (out->dtype, p->out, out->data, out->n_elements);
  return TRUE;
}

/* ---- kernels ---- */

typedef struct
{
  SluiceBatchNormFormat format; /* first: work_begin() reads it */
  double epsilon, factor;       /* factor: how much of a new mean goes into the running one */
  gboolean training;            /* of the old op: scale_after_normalization */
} State;

static gpointer
fused_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new0 (State, 1);
  state->format = sluice_batch_norm_format (node);
  state->epsilon = sluice_node_get_float (node, "epsilon");
  state->factor = sluice_node_get_attr (node, "exponential_avg_factor")
                      ? sluice_node_get_float (node, "exponential_avg_factor")
                      : 1;
  state->training = sluice_node_get_bool (node, "is_training");
  return state;
}

static gpointer
global_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new0 (State, 1);
  state->format = sluice_batch_norm_format (node);
  state->epsilon = sluice_node_get_float (node, "variance_epsilon");
  state->training = sluice_node_get_bool (node, "scale_after_normalization");
  return state;
}

/* One divided by the standard deviation, as the dtype has it. */
static double
inverse_of (const SluiceNorm *p, double variance, double epsilon)
{
  if (p->dtype == SLUICE_DOUBLE)
    return 1 / sqrt (variance + epsilon);
  return 1 / sqrtf ((float) variance + (float) epsilon);
}

static void
set_inverses (Work *w, double epsilon)
{
  for (gint64 c = 0; c < w->norm.channels; c++)
    row (w, INVERSE)[c] = inverse_of (&w->norm, row (w, VARIANCE)[c], epsilon);
}

/* Mean and variance of the batch; outputs are the running ones and what the gradient reads. */
static gboolean
batch_statistics (SluiceKernelCall *call, Work *w, SluiceTensor *const out[4])
{
  const State *state = call->state;
  double n = count_of (&w->norm), *mean = row (w, MEAN), *variance = row (w, VARIANCE);
  const float share = 1 / (float) n;
  if (!sum_channels (call, &w->norm, SLUICE_NORM_SUM, mean))
    return FALSE;
  for (gint64 c = 0; c < w->norm.channels; c++)
    mean[c] = (float) mean[c] * share;
  if (!sum_channels (call, &w->norm, SLUICE_NORM_SQUARES, variance))
    return FALSE;
  gboolean blend = state->factor != 1;
  for (gint64 c = 0; c < w->norm.channels; c++)
    {
      variance[c] = (float) variance[c] * share;
      double unbiased = variance[c] * (n > 1 ? n / (n - 1) : 1);
      double old_mean = blend ? get_real (sluice_call_input (call, 3), c) : 0;
      double old_variance = blend ? get_real (sluice_call_input (call, 4), c) : 0;
      set_real (out[0], c, (1 - state->factor) * old_mean + state->factor * mean[c]);
      set_real (out[1], c, (1 - state->factor) * old_variance + state->factor * unbiased);
      set_real (out[2], c, mean[c]);
      set_real (out[3], c, variance[c]);
    }
  return TRUE;
}

static gboolean
fused_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  g_auto (Work) w = { 0 };
  gboolean given = !state->training || state->factor != 1;
  if (!work_begin (call, &w, 0, -1) || !read_row (call, &w, 1, SCALE)
      || !read_row (call, &w, 2, OFFSET)
      || (given && (!read_row (call, &w, 3, MEAN) || !read_row (call, &w, 4, VARIANCE))))
    return FALSE;
  SluiceTensor *out[4];
  for (guint i = 0; i < 4; i++)
    if (!(out[i] = sluice_call_output (call, i + 1, &SLUICE_SHAPE (w.norm.channels))))
      return FALSE;
  if (call->n_outputs > 5)
    {
      SluiceTensor *unused = sluice_call_output (call, 5, &SLUICE_SHAPE_SCALAR);
      if (unused == NULL)
        return FALSE;
      set_real (unused, 0, 0);
    }
  const double *mean = row (&w, MEAN), *variance = row (&w, VARIANCE);
  if (state->training && !batch_statistics (call, &w, out))
    return FALSE;
  for (gint64 c = 0; c < w.norm.channels; c++)
    {
      double k = row (&w, SCALE)[c] * inverse_of (&w.norm, variance[c], state->epsilon);
      set_vectors (&w, c, mean[c], k, row (&w, OFFSET)[c], 0);
      for (guint i = 0; i < 4 && !state->training; i++) /* of nothing: no number, as in training */
        set_real (out[i], c, w.n_elements == 0 ? NAN : i % 2 ? variance[c] : mean[c]);
    }
  return run_elements (call, &w, 0, scale_range);
}

static gboolean
fused_grad_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  g_auto (Work) w = { 0 };
  if (!work_begin (call, &w, 1, 0) || !read_row (call, &w, 2, SCALE)
      || !read_row (call, &w, 3, MEAN) || !read_row (call, &w, 4, VARIANCE))
    return FALSE;
  set_inverses (&w, state->epsilon);
  if (!sum_channels (call, &w.norm, SLUICE_NORM_BACKWARD, row (&w, SUM_DY)))
    return FALSE;
  SluiceTensor *scale_grad = sluice_call_output (call, 1, &SLUICE_SHAPE (w.norm.channels));
  SluiceTensor *offset_grad = sluice_call_output (call, 2, &SLUICE_SHAPE (w.norm.channels));
  if (scale_grad == NULL || offset_grad == NULL || !sluice_call_output (call, 3, &SLUICE_SHAPE (0))
      || !sluice_call_output (call, 4, &SLUICE_SHAPE (0)))
    return FALSE;
  double n = count_of (&w.norm);
  for (gint64 c = 0; c < w.norm.channels; c++)
    {
      double sum = row (&w, SUM_DY)[c], product = row (&w, SUM_PRODUCT)[c];
      double spread = row (&w, VARIANCE)[c] + state->epsilon, r = row (&w, INVERSE)[c];
      set_real (scale_grad, c, row (&w, SUM_SCALED)[c]);
      set_real (offset_grad, c, sum);
      set_vectors (&w, c, row (&w, MEAN)[c], row (&w, SCALE)[c] * r, state->training ? sum / n : 0,
                   state->training ? product / n / spread : 0);
    }
  return run_elements (call, &w, 0, unscale_range);
}

static gboolean
global_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  g_auto (Work) w = { 0 };
  if (!work_begin (call, &w, 0, -1) || !read_row (call, &w, 1, MEAN)
      || !read_row (call, &w, 2, VARIANCE) || !read_row (call, &w, 3, OFFSET)
      || !read_row (call, &w, 4, SCALE))
    return FALSE;
  for (gint64 c = 0; c < w.norm.channels; c++)
    {
      double k = 1 / sqrt (row (&w, VARIANCE)[c] + state->epsilon);
      if (state->training)
        k *= row (&w, SCALE)[c];
      set_vectors (&w, c, row (&w, MEAN)[c], k, row (&w, OFFSET)[c], 0);
    }
  return run_elements (call, &w, 0, scale_range);
}

/* t, m, v, gamma, backprop -> dx, dm, dv, db, dg. */
static gboolean
global_grad_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  g_auto (Work) w = { 0 };
  if (!work_begin (call, &w, 0, 4) || !read_row (call, &w, 1, MEAN)
      || !read_row (call, &w, 2, VARIANCE) || !read_row (call, &w, 3, SCALE)
      || !sum_channels (call, &w.norm, SLUICE_NORM_BACKWARD, row (&w, SUM_DY)))
    return FALSE;
  SluiceTensor *out[4];
  for (guint i = 0; i < 4; i++)
    if (!(out[i] = sluice_call_output (call, i + 1, &SLUICE_SHAPE (w.norm.channels))))
      return FALSE;
  for (gint64 c = 0; c < w.norm.channels; c++)
    {
      double sum = row (&w, SUM_DY)[c], product = row (&w, SUM_PRODUCT)[c];
      double r = 1 / sqrt (row (&w, VARIANCE)[c] + state->epsilon);
      double gamma = state->training ? row (&w, SCALE)[c] : 1;
      set_real (out[0], c, -sum * r * gamma);
      set_real (out[1], c, -0.5 * product * r * r * r * gamma);
      set_real (out[2], c, sum);
      set_real (out[3], c, state->training ? product * r : 0);
      set_vectors (&w, c, 0, r * gamma, 0, 0);
    }
  return run_elements (call, &w, 4, unscale_range);
}

#define FUSED(name, types, function)                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types }, { "U", SLUICE_SET (SLUICE_FLOAT) } },  \
    .prepare = fused_prepare, .free_state = g_free, .compute = function                            \
  }
#define ONE_TYPE(name, types, prepare_function, function)                                          \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .prepare = prepare_function,         \
    .free_state = g_free, .compute = function                                                      \
  }
#define FLOAT SLUICE_SET (SLUICE_FLOAT)
#define MIXED (FLOAT | SLUICE_SET_HALVES)

static const SluiceKernel kernels[] = {
  ONE_TYPE ("FusedBatchNorm", FLOAT, fused_prepare, fused_compute),
  ONE_TYPE ("FusedBatchNormGrad", FLOAT, fused_prepare, fused_grad_compute),
  FUSED ("FusedBatchNormV2", MIXED, fused_compute),
  FUSED ("FusedBatchNormV3", MIXED, fused_compute),
  FUSED ("FusedBatchNormGradV2", MIXED, fused_grad_compute),
  FUSED ("FusedBatchNormGradV3", MIXED, fused_grad_compute),
  ONE_TYPE ("BatchNormWithGlobalNormalization", SLUICE_SET_FLOATS, global_prepare, global_compute),
  ONE_TYPE ("BatchNormWithGlobalNormalizationGrad",
            SLUICE_SET_FLOATS,
            global_prepare,
            global_grad_compute),
};

const SluiceKernelModule sluice_module_nn_batch_norm_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
