/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* RandomGamma and RandomPoisson: a sample of each law of a tensor of parameters, by rejection, in
 * double. Each output has a stream of its own, so the work may be cut anywhere. */
#include <math.h>

#include "kernels/array/array.h"
#include "kernels/math/broadcast.h"
#include "kernels/math/special.h"
#include "kernels/random/generator.h"
#include "kernels/random/numbers.h"
#include "kernels/random/shapes.h"

/* ---- streams ---- */

/* Pairs of numbers of one law; the second of a pair is taken first. */
typedef struct
{
  SluicePhilox philox;
  double uniform[2], normal[2];
  int n_uniform, n_normal; /* not yet taken */
} Stream;

static double
next_uniform (Stream *self)
{
  if (self->n_uniform == 0)
    {
      guint32 words[4];
      sluice_philox_next (&self->philox, words);
      self->uniform[0] = sluice_unit_double (words[0], words[1]);
      self->uniform[1] = sluice_unit_double (words[2], words[3]);
      self->n_uniform = 2;
    }
  return self->uniform[--self->n_uniform];
}

static double
next_normal (Stream *self)
{
  if (self->n_normal == 0)
    {
      guint32 words[4];
      sluice_philox_next (&self->philox, words);
      sluice_normal_pair_double (words, self->normal);
      self->n_normal = 2;
    }
  return self->normal[--self->n_normal];
}

/* ---- laws ---- */

/* Marsaglia and Tsang 2000: a transformed normal number; below 1, alpha + 1 and a power. */
static double
draw_gamma (Stream *stream, double alpha)
{
  if (!(alpha >= 0)) /* no such law */
    return NAN;
  if (alpha == 1)
    return -log1p (-next_uniform (stream));
  double d = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3);
  double c = 1.0 / 3 / sqrt (d);
  for (;;)
    {
      double x = next_normal (stream);
      double v = 1 + c * x;
      if (v <= 0)
        continue;
      v = v * v * v;
      double u = next_uniform (stream);
      if (u < 1 - 0.0331 * (x * x) * (x * x) || log (u) < 0.5 * x * x + d * (1 - v + log (v)))
        return alpha < 1 ? d * v * pow (next_uniform (stream), 1 / alpha) : d * v;
    }
}

/* Knuth: exponential waiting times until 1 has passed. */
static double
draw_poisson_small (Stream *stream, double rate)
{
  double limit = exp (-rate), product = 1;
  for (double x = 0;; x += 1)
    {
      product *= next_uniform (stream);
      if (product <= limit)
        return x;
    }
}

/* Hörmann 1993: transformed rejection (PTRS). */
static double
draw_poisson (Stream *stream, double rate)
{
  if (!isfinite (rate))
    return NAN;
  if (rate < 10)
    return draw_poisson_small (stream, rate);
  double log_rate = log (rate);
  double b = 0.931 + 2.53 * sqrt (rate);
  double a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (;;)
    {
      double u = next_uniform (stream) - 0.5;
      double v = next_uniform (stream);
      double shifted = 0.5 - fabs (u);
      double k = floor ((2 * a / shifted + b) * u + rate + 0.43);
      if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2))
        return k;
      if (k < 0 || (shifted < 0.013 && v > shifted))
        continue;
      double s = log (v * inverse_alpha / (a / (shifted * shifted) + b));
      if (s <= -rate + k * log_rate - sluice_lgamma (k + 1))
        return k;
    }
}

/* ---- kernels ---- */

typedef double (*Law) (Stream *stream, double parameter);

typedef struct
{
  Law draw;
  SluicePhilox philox;
  const SluiceTensor *parameters;
  SluiceTensor *out;
  gint64 n_samples; /* of each parameter */
} Samples;

/* Streams are numbered parameter by parameter; the output stands sample by sample. */
static void
draw_range (gpointer data, gint64 begin, gint64 end)
{
  const Samples *samples = data;
  for (gint64 i = begin; i < end; i++)
    {
      gint64 parameter = i / samples->n_samples, sample = i % samples->n_samples;
      Stream stream = { .philox = samples->philox };
      sluice_philox_skip (&stream.philox, (guint64) i * SLUICE_RESERVED_PER_OUTPUT);
      double value = samples->draw (&stream, sluice_number_get (samples->parameters, parameter));
      sluice_number_set (samples->out, sample * samples->parameters->n_elements + parameter, value);
    }
}

static gboolean
draw_compute (SluiceKernelCall *call)
{
  const SluiceTensor *parameters = sluice_call_input (call, 1);
  SluiceShape shape;
  if (!sluice_call_shape (call, 0, &shape))
    return FALSE;
  gint64 n_samples = sluice_shape_n_elements (&shape), dims[2 * SLUICE_MAX_RANK];
  for (int i = 0; i < shape.rank + parameters->shape.rank; i++)
    dims[i] = i < shape.rank ? shape.dim[i] : parameters->shape.dim[i - shape.rank];
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (&shape, dims, shape.rank + parameters->shape.rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  Samples samples = {
    .draw = (Law) call->kernel->data, .parameters = parameters, .out = out, .n_samples = n_samples
  };
  return sluice_call_reserve_random (call, (guint64) out->n_elements * SLUICE_RESERVED_PER_OUTPUT,
                                     &samples.philox)
         && sluice_call_parallel_for (call, out->n_elements, 256, 150, draw_range, &samples);
}

/* ---- stateless kernels: the shape that is wanted ends with the parameters' ---- */

/* Parameters are the last input. */
static gboolean
draw_from (SluiceKernelCall *call, const SluiceShape *shape, const SluicePhilox *start)
{
  const SluiceTensor *parameters = sluice_call_input (call, call->n_inputs - 1);
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_shape_ends_with (shape, &parameters->shape))
    {
      char s[SLUICE_SHAPE_STR], p[SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "shape %s must end with the parameters', %s",
          sluice_shape_str (shape, s), sluice_shape_str (&parameters->shape, p));
    }
  Samples samples = { .draw = (Law) call->kernel->data,
                      .philox = *start,
                      .parameters = parameters,
                      .out = out,
                      .n_samples = out->n_elements / parameters->n_elements };
  return sluice_call_parallel_for (call, out->n_elements, 256, 150, draw_range, &samples);
}

static gboolean
seeded_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluicePhilox start;
  return sluice_call_shape (call, 0, &shape) && sluice_call_stateless_random (call, 1, &start)
         && draw_from (call, &shape, &start);
}

static gboolean
keyed_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluicePhilox start;
  gint64 algorithm;
  return sluice_call_keyed_random (call, 1, &start, &algorithm)
         && sluice_call_shape (call, 0, &shape)
         && (sluice_shape_n_elements (&shape) == 0 || sluice_call_want_philox (call, algorithm))
         && draw_from (call, &shape, &start);
}

/* ---- RandomGammaGrad ---- */

typedef struct
{
  SluiceBroadcast nest;
  const SluiceTensor *alpha, *sample;
  SluiceTensor *out;
} Derivatives;

/* dx/dalpha of a sample x whose quantile stays: -(dP(alpha, x)/dalpha) / density(alpha, x). */
static double
sample_derivative (double alpha, double x)
{
  if (x == 0)
    return 0;
  double log_density = (alpha - 1) * log (x) - x - sluice_lgamma (alpha);
  return -sluice_igamma_grad_a (alpha, x) / exp (log_density);
}

static void
derive_rows (gpointer data, gint64 begin, gint64 end)
{
  const Derivatives *d = data;
  int inner = d->nest.rank - 1;
  for (gint64 row = begin; row < end; row++)
    {
      gint64 a = sluice_broadcast_row (&d->nest, 0, row);
      gint64 x = sluice_broadcast_row (&d->nest, 1, row);
      for (gint64 j = 0; j < d->nest.dim[inner]; j++)
        {
          double alpha = sluice_number_get (d->alpha, a + j * d->nest.step[0][inner]);
          double sample = sluice_number_get (d->sample, x + j * d->nest.step[1][inner]);
          sluice_number_set (d->out, row * d->nest.dim[inner] + j,
                             sample_derivative (alpha, sample));
        }
    }
}

static gboolean
gamma_grad_compute (SluiceKernelCall *call)
{
  Derivatives d = { .alpha = sluice_call_input (call, 0), .sample = sluice_call_input (call, 1) };
  const SluiceShape *shapes[] = { &d.alpha->shape, &d.sample->shape };
  SluiceShape shape;
  if (!sluice_broadcast_make (&d.nest, shapes, 2, &shape))
    {
      char sa[SLUICE_SHAPE_STR], sb[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "alpha of shape %s and sample of shape %s do not broadcast together",
                               sluice_shape_str (shapes[0], sa), sluice_shape_str (shapes[1], sb));
    }
  d.out = sluice_call_output (call, 0, &shape);
  if (d.out == NULL || d.out->n_elements == 0)
    return d.out != NULL;
  gint64 n_rows = sluice_broadcast_n_rows (&d.nest);
  double row_ns = 500.0 * (double) (d.out->n_elements / n_rows);
  return sluice_call_parallel_for (call, n_rows, MAX (1, (gint64) (2e4 / row_ns)), row_ns,
                                   derive_rows, &d);
}

#define DRAW(name, law)                                                                            \
  {                                                                                                \
    .op = name, .device = "CPU", .prepare = sluice_random_prepare, .free_state = g_free,           \
    .compute = draw_compute, .data = (gpointer) law                                                \
  }

#define STATELESS(name, law, function)                                                             \
  {                                                                                                \
    .op = name, .device = "CPU", .compute = function, .data = (gpointer) law                       \
  }

static const SluiceKernel kernels[] = {
  DRAW ("RandomGamma", draw_gamma),
  DRAW ("RandomPoisson", draw_poisson),
  DRAW ("RandomPoissonV2", draw_poisson),
  STATELESS ("StatelessRandomGammaV2", draw_gamma, seeded_compute),
  STATELESS ("StatelessRandomGammaV3", draw_gamma, keyed_compute),
  STATELESS ("StatelessRandomPoisson", draw_poisson, seeded_compute),
  { .op = "RandomGammaGrad", .device = "CPU", .compute = gamma_grad_compute },
};

const SluiceKernelModule sluice_module_random_gamma_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
