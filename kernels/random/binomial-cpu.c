/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Each output has a stream of its own, so the work may be cut anywhere. */
#include <math.h>

#include "kernels/array/array.h"
#include "kernels/math/broadcast.h"
#include "kernels/random/numbers.h"
#include "kernels/random/shapes.h"
#include "kernels/random/variable.h"

/* Where the mean is below this, waiting times are added up; else a proposal is rejected. */
#define LEAST_MEAN 10
/* Groups of words between the starts of two outputs' streams, of each way. */
#define SKIP_INVERSION 42
#define SKIP_REJECTION 256

typedef struct
{
  SluicePhilox philox;
  double uniform[2];
  int n; /* of uniform, not yet taken; the second is taken first */
} Stream;

static double
next_uniform (Stream *self)
{
  if (self->n == 0)
    {
      guint32 words[4];
      sluice_philox_next (&self->philox, words);
      self->uniform[0] = sluice_unit_double (words[0], words[1]);
      self->uniform[1] = sluice_unit_double (words[2], words[3]);
      self->n = 2;
    }
  return self->uniform[--self->n];
}

/* Geometric waiting times until they pass the number of trials. */
static double
draw_inversion (Stream *stream, double count, double p)
{
  double sum = 0, n = 0;
  for (;; n++)
    {
      sum += ceil (log (next_uniform (stream)) / log1p (-p));
      if (sum > count)
        return n;
    }
}

/* What Stirling's formula lacks of ln k!. */
static double
stirling_tail (double k)
{
  static const double small[] = { 0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                                  0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                                  0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                                  0.00833056343336287 };
  if (k <= 9)
    return small[(int) k];
  double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

/* Hörmann 1993: transformed rejection (BTRS), for p up to a half. */
static double
draw_rejection (Stream *stream, double count, double p)
{
  double deviation = sqrt (count * p * (1 - p));
  double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  double centre = count * p + 0.5, sure = 0.92 - 4.2 / b, odds = p / (1 - p);
  double alpha = (2.83 + 5.1 / b) * deviation, mode = floor ((count + 1) * p);
  for (;;)
    {
      double u = next_uniform (stream), v = next_uniform (stream);
      u -= 0.5;
      double shifted = 0.5 - fabs (u);
      double k = floor ((2 * a / shifted + b) * u + centre);
      if (shifted >= 0.07 && v <= sure)
        return k;
      if (k < 0 || k > count)
        continue;
      v = log (v * alpha / (a / (shifted * shifted) + b));
      double bound = (mode + 0.5) * log ((mode + 1) / (odds * (count - mode + 1)))
                     + (count + 1) * log ((count - mode + 1) / (count - k + 1))
                     + (k + 0.5) * log (odds * (count - k + 1) / (k + 1)) + stirling_tail (mode)
                     + stirling_tail (count - mode) - stirling_tail (k) - stirling_tail (count - k);
      if (v <= bound)
        return k;
    }
}

/* To the precision of the parameters, in which TensorFlow decides. */
static double
rounded (SluiceDType dtype, double value)
{
  switch (dtype)
    {
    case SLUICE_HALF:
      return sluice_half_to_float (sluice_float_to_half ((float) value));
    case SLUICE_FLOAT:
      return (float) value;
    default:
      return value;
    }
}

/* number: of the output, by which its stream is found. */
static double
draw_law (const SluicePhilox *start, gint64 number, SluiceDType dtype, double count, double p)
{
  if (count <= 0 || p <= 0)
    return 0;
  if (p >= 1)
    return count;
  if (!(p < 1 && isfinite (count))) /* no such law; TensorFlow would draw for ever */
    return NAN;
  double q = p <= 0.5 ? p : rounded (dtype, 1 - p);
  gboolean rejects = rounded (dtype, count * q) >= LEAST_MEAN;
  Stream stream = { .philox = *start };
  sluice_philox_skip (&stream.philox,
                      (guint64) number * (rejects ? SKIP_REJECTION : SKIP_INVERSION));
  double k = rejects ? draw_rejection (&stream, count, q) : draw_inversion (&stream, count, q);
  return p <= 0.5 ? k : count - k;
}

/* ---- calls ---- */

typedef struct
{
  SluicePhilox philox;
  SluiceBroadcast nest; /* of counts and probs */
  const SluiceTensor *counts, *probs;
  SluiceTensor *out;
  gint64 n_laws, n_samples; /* n_samples of each law */
} Samples;

/* Streams are numbered law by law; the output stands sample by sample. */
static void
draw_range (gpointer data, gint64 begin, gint64 end)
{
  const Samples *s = data;
  int inner = s->nest.rank - 1;
  for (gint64 i = begin; i < end; i++)
    {
      gint64 law = i / s->n_samples, sample = i % s->n_samples;
      gint64 row = law / s->nest.dim[inner], column = law % s->nest.dim[inner];
      gint64 at[2];
      for (guint k = 0; k < 2; k++)
        at[k] = sluice_broadcast_row (&s->nest, k, row) + column * s->nest.step[k][inner];
      double count = sluice_number_get (s->counts, at[0]);
      double p = sluice_number_get (s->probs, at[1]);
      double value = draw_law (&s->philox, i, s->counts->dtype, count, p);
      sluice_number_set (s->out, sample * s->n_laws + law, value);
    }
}

/* Counts and probabilities are the last two inputs, the shape is input `shape`. */
static gboolean
begin (SluiceKernelCall *call, guint shape_input, Samples *s)
{
  guint counts = call->n_inputs - 2;
  s->counts = sluice_call_input (call, counts);
  s->probs = sluice_call_input (call, counts + 1);
  const SluiceShape *shapes[] = { &s->counts->shape, &s->probs->shape };
  SluiceShape laws, shape;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_broadcast_make (&s->nest, shapes, 2, &laws))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "counts of shape %s and probs of shape %s do not broadcast together",
                             sluice_shape_str (shapes[0], a), sluice_shape_str (shapes[1], b));
  if (!sluice_call_want_rank (call, shape_input, 1)
      || !sluice_call_shape (call, shape_input, &shape))
    return FALSE;
  if (!sluice_shape_ends_with (&shape, &laws))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "shape %s must end with that of counts and probs together, %s",
                             sluice_shape_str (&shape, a), sluice_shape_str (&laws, b));
  s->out = sluice_call_output (call, 0, &shape);
  s->n_laws = sluice_shape_n_elements (&laws);
  s->n_samples = 1;
  for (int i = 0; i < shape.rank - laws.rank; i++)
    s->n_samples *= shape.dim[i];
  return s->out != NULL;
}

static gboolean
run (SluiceKernelCall *call, Samples *s)
{
  return s->out->n_elements == 0
         || sluice_call_parallel_for (call, s->out->n_elements, 256, 300, draw_range, s);
}

static gboolean
stateless_compute (SluiceKernelCall *call)
{
  Samples samples = { 0 };
  return sluice_call_stateless_random (call, 1, &samples.philox) && begin (call, 0, &samples)
         && run (call, &samples);
}

static gboolean
stateful_compute (SluiceKernelCall *call)
{
  Samples samples = { 0 };
  if (!begin (call, 2, &samples) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  /* What TensorFlow moves on by; it has no bearing on what is used. */
  guint64 n_outputs = (guint64) samples.n_laws * 2 * 100 * ((guint64) samples.n_samples + 3) / 4;
  SluiceRandomVariable generator = {
    .algorithm = sluice_tensor_get_int (sluice_call_input (call, 1), 0),
    .n_groups = n_outputs * SLUICE_RESERVED_PER_OUTPUT,
  };
  return sluice_call_random_variable (call, &generator, &samples.philox) && run (call, &samples);
}

#define PARAMETERS                                                                                 \
  (SLUICE_SET (SLUICE_HALF) | SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", PARAMETERS } }, .compute = function             \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("StatelessRandomBinomial", stateless_compute),
  KERNEL ("StatefulRandomBinomial", stateful_compute),
};

const SluiceKernelModule sluice_module_random_binomial_cpu = { .kernels = kernels,
                                                               .n_kernels =
                                                                   G_N_ELEMENTS (kernels) };
