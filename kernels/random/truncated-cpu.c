/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Normal laws with bounds: a law for each index of the first dimension, or, stateless, of the last
 * ones. By rejection, from the law that rejects least (Robert 1995). All laws draw from one
 * stream, one after the other, as TensorFlow's do on one thread, so the work is not cut.
 */
#include <math.h>

#include "kernels/array/array.h"
#include "kernels/math/broadcast.h"
#include "kernels/random/generator.h"
#include "kernels/random/numbers.h"
#include "kernels/random/shapes.h"

#define MAX_TRIES 1000 /* that TensorFlow reserves random numbers for */
/* Where all have one law, they are drawn in batches of so many. */
#define BATCH 100

/* ---- numbers of the output's precision, a group of words at a time ---- */

typedef struct
{
  SluiceDType dtype;
  SluicePhilox philox;
} Source;

/* Returns how many. */
static int
draw_uniform (Source *source, double out[4])
{
  guint32 words[4];
  sluice_philox_next (&source->philox, words);
  for (int i = 0; i < 4; i++)
    switch (source->dtype)
      {
      case SLUICE_DOUBLE:
        if (i % 2 == 0)
          out[i / 2] = sluice_unit_double (words[i], words[i + 1]);
        break;
      case SLUICE_HALF:
        out[i] = sluice_unit_half (words[i]);
        break;
      case SLUICE_BFLOAT16:
        out[i] = sluice_unit_bfloat16 (words[i]);
        break;
      default:
        out[i] = sluice_unit_float (words[i]);
      }
  return source->dtype == SLUICE_DOUBLE ? 2 : 4;
}

static int
draw_normal (Source *source, double out[4])
{
  guint32 words[4];
  float wide[4];
  sluice_philox_next (&source->philox, words);
  if (source->dtype == SLUICE_DOUBLE)
    {
      sluice_normal_pair_double (words, out);
      return 2;
    }
  sluice_normal_pair_float (words[0], words[1], wide);
  sluice_normal_pair_float (words[2], words[3], wide + 2);
  for (int i = 0; i < 4; i++)
    out[i] = source->dtype == SLUICE_HALF ? sluice_half_to_float (sluice_float_to_half (wide[i]))
             : source->dtype == SLUICE_BFLOAT16
                 ? sluice_bfloat16_to_float (sluice_float_to_bfloat16 (wide[i]))
                 : wide[i];
  return 4;
}

/* ---- one law ---- */

typedef struct
{
  double mean, deviation; /* negative where the law is turned over */
  double low, high;       /* bounds of the standard law */
} Law;

/* Where samples go, and how many rejections there were in a row. */
typedef struct
{
  Source source;
  SluiceTensor *out;
  gint64 next, end, step; /* elements of out */
  int n_tries;
} Target;

static void
accept (Target *t, const Law *law, double z)
{
  sluice_number_set (t->out, t->next, z * law->deviation + law->mean);
  t->next += t->step;
  t->n_tries = 0;
}

/* The samplers below return FALSE after too many tries. */

static gboolean
sample_normal (Target *t, const Law *law)
{
  while (t->next < t->end)
    {
      double z[4];
      int n = draw_normal (&t->source, z);
      for (int i = 0; i < n && t->next < t->end; i++)
        if (z[i] >= law->low && z[i] <= law->high)
          accept (t, law, z[i]);
        else if (++t->n_tries > MAX_TRIES)
          return FALSE;
    }
  return TRUE;
}

static gboolean
sample_uniform (Target *t, const Law *law)
{
  double plus = law->low < 0 ? 0 : law->low * law->low, width = law->high - law->low;
  while (t->next < t->end)
    {
      double z[4], u[4];
      int n = draw_uniform (&t->source, z);
      draw_uniform (&t->source, u);
      for (int i = 0; i < n && t->next < t->end; i++)
        {
          z[i] = z[i] * width + law->low;
          if (u[i] <= exp ((plus - z[i] * z[i]) / 2))
            accept (t, law, z[i]);
          else if (++t->n_tries >= MAX_TRIES)
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
sample_exponential (Target *t, const Law *law)
{
  double alpha = (law->low + sqrt (law->low * law->low + 4)) / 2;
  while (t->next < t->end)
    {
      double u[4];
      int n = draw_uniform (&t->source, u);
      for (int i = 0; i < n && t->next < t->end; i += 2)
        {
          double z = -log (u[i]) / alpha + law->low;
          double x = law->low < alpha ? alpha - z : law->low - alpha;
          if (u[i + 1] <= exp (-x * x / 2) && z < law->high)
            accept (t, law, z);
          else if (++t->n_tries >= MAX_TRIES)
            return FALSE;
        }
    }
  return TRUE;
}

/* A normal proposal is good where a bound is this many deviations away at least. */
#define DEVIATIONS_INSIDE 1.3f

static gboolean
sample (Target *t, const Law *law)
{
  double low = law->low, high = law->high, root = sqrt (low * low + 4);
  double cutoff = 2 * exp (0.5 + low * (low - root) / 4) / (low + root);
  if ((low < -DEVIATIONS_INSIDE && high >= 0) || (high > DEVIATIONS_INSIDE && low <= 0))
    return sample_normal (t, law);
  if (high - low < cutoff)
    return sample_uniform (t, law);
  return sample_exponential (t, law);
}

/* ---- the call ---- */

/* FALSE: there is no such law. */
static gboolean
set_law (SluiceKernelCall *call, gint64 number, const double parameters[4], Law *law)
{
  double mean = parameters[0], deviation = parameters[1];
  double low = parameters[2], high = parameters[3];
  if (!(deviation > 0 && low < high && (isfinite (low) || isfinite (high))))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "batch %" G_GINT64_FORMAT ": deviation %g must be positive, minval %g "
                             "below maxval %g, and one of these finite",
                             number, deviation, low, high);
  if (low == -INFINITY || high < mean)
    {
      double swap = low;
      low = high;
      high = swap;
      deviation = -deviation;
    }
  *law = (Law){ .mean = mean,
                .deviation = deviation,
                .low = (low - mean) / deviation,
                .high = (high - mean) / deviation };
  return TRUE;
}

static gboolean
run_law (SluiceKernelCall *call, gint64 number, const double parameters[4], Target *t)
{
  Law law = { 0 };
  t->n_tries = 0;
  if (*call->cancelled)
    return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the step was cancelled");
  return set_law (call, number, parameters, &law)
         && (sample (t, &law)
             || sluice_call_fail (call, SLUICE_ERROR_INTERNAL,
                                  "batch %" G_GINT64_FORMAT ": %d samples in a row were rejected",
                                  number, MAX_TRIES));
}

/* ---- ParameterizedTruncatedNormal ---- */

/* How the output is divided into batches. */
static gboolean
check_parameters (SluiceKernelCall *call, const SluiceTensor *out, gint64 *n, gint64 *size)
{
  *n = out->shape.dim[0];
  *size = *n > 0 ? out->n_elements / *n : 0;
  gboolean alike =
      sluice_call_input (call, 3)->shape.rank == 0 && sluice_call_input (call, 4)->shape.rank == 0;
  for (guint i = 1; i <= 4; i++)
    {
      const SluiceTensor *p = sluice_call_input (call, i);
      if (p->shape.rank > 1 || (p->n_elements != 1 && p->n_elements != *n))
        {
          char s[SLUICE_SHAPE_STR];
          return sluice_call_fail (
              call, SLUICE_ERROR_INVALID_ARGUMENT,
              "input %u must hold one number or shape[0] of them, which is %" G_GINT64_FORMAT
              ", not shape %s",
              i, *n, sluice_shape_str (&p->shape, s));
        }
      alike = alike && (i > 2 || p->n_elements == 1);
    }
  if (alike)
    {
      *n = (out->n_elements + BATCH - 1) / BATCH;
      *size = BATCH;
    }
  return TRUE;
}

static gboolean
truncated_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  gint64 n_batches = 0, batch_size = 0;
  if (!sluice_call_shape (call, 0, &shape))
    return FALSE;
  if (shape.rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "shape must not be empty");
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || !check_parameters (call, out, &n_batches, &batch_size))
    return FALSE;
  if (out->n_elements == 0)
    return TRUE;
  Target t = { .source.dtype = out->dtype, .out = out, .step = 1 };
  guint64 n_groups = (guint64) n_batches * 2 * MAX_TRIES * (batch_size + 3) / 4;
  if (!sluice_call_reserve_random (call, n_groups, &t.source.philox))
    return FALSE;
  gboolean ok = TRUE;
  for (gint64 batch = 0; ok && batch < n_batches; batch++)
    {
      double parameters[4];
      for (guint i = 0; i < 4; i++)
        {
          const SluiceTensor *p = sluice_call_input (call, i + 1);
          parameters[i] = sluice_number_get (p, p->n_elements == 1 ? 0 : batch);
        }
      t.end = MIN ((batch + 1) * batch_size, out->n_elements);
      ok = run_law (call, batch, parameters, &t);
    }
  return ok;
}

/* ---- StatelessParameterizedTruncatedNormal ---- */

/* The laws are those of the last dimensions, `n_laws` of them; samples of one follow each other
 * there at a distance of so many. */
static gboolean
draw_laws (SluiceKernelCall *call, const SluiceBroadcast *nest, gint64 n_laws, Target *t)
{
  int inner = nest->rank - 1;
  gboolean ok = TRUE;
  t->step = n_laws;
  for (gint64 law = 0; ok && law < n_laws; law++)
    {
      double parameters[4];
      gint64 row = law / nest->dim[inner], column = law % nest->dim[inner];
      for (guint i = 0; i < 4; i++)
        parameters[i] =
            sluice_number_get (sluice_call_input (call, i + 2),
                               sluice_broadcast_row (nest, i, row) + column * nest->step[i][inner]);
      t->next = law;
      t->end = t->out->n_elements;
      ok = run_law (call, law, parameters, t);
    }
  return ok;
}

static gboolean
stateless_compute (SluiceKernelCall *call)
{
  Target t = { 0 };
  SluiceBroadcast nest;
  SluiceShape laws, shape;
  const SluiceShape *shapes[4];
  char s[SLUICE_SHAPE_STR], l[SLUICE_SHAPE_STR];
  if (!sluice_call_stateless_random (call, 1, &t.source.philox))
    return FALSE;
  for (guint i = 0; i < 4; i++)
    shapes[i] = &sluice_call_input (call, i + 2)->shape;
  if (!sluice_broadcast_make (&nest, shapes, 4, &laws))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "means, stddevs, minvals and maxvals do not broadcast together");
  if (!sluice_call_want_rank (call, 0, 1) || !sluice_call_shape (call, 0, &shape))
    return FALSE;
  if (!sluice_shape_ends_with (&shape, &laws))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "shape %s must end with that of the parameters together, %s",
                             sluice_shape_str (&shape, s), sluice_shape_str (&laws, l));
  t.out = sluice_call_output (call, 0, &shape);
  if (t.out == NULL || t.out->n_elements == 0)
    return t.out != NULL;
  t.source.dtype = t.out->dtype;
  return draw_laws (call, &nest, sluice_shape_n_elements (&laws), &t);
}

static const SluiceKernel kernels[] = {
  { .op = "ParameterizedTruncatedNormal",
    .device = "CPU",
    .prepare = sluice_random_prepare,
    .free_state = g_free,
    .compute = truncated_compute },
  { .op = "StatelessParameterizedTruncatedNormal", .device = "CPU", .compute = stateless_compute },
};

const SluiceKernelModule sluice_module_random_truncated_cpu = { .kernels = kernels,
                                                                .n_kernels =
                                                                    G_N_ELEMENTS (kernels) };
