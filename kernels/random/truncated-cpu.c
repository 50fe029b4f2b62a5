/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ParameterizedTruncatedNormal: normal laws with bounds, a law for each index of the first
 * dimension. By rejection, from the law that rejects least (Robert 1995). All laws draw from one
 * stream, one after the other, as TensorFlow's do on one thread, so the work is not cut.
 */
#include <math.h>

#include "kernels/array/array.h"
#include "kernels/random/generator.h"
#include "kernels/random/numbers.h"

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
  gint64 next, end;
  int n_tries;
} Target;

static void
accept (Target *t, const Law *law, double z)
{
  sluice_number_set (t->out, t->next++, z * law->deviation + law->mean);
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

static double
parameter (SluiceKernelCall *call, guint input, gint64 batch)
{
  const SluiceTensor *tensor = sluice_call_input (call, input);
  return sluice_number_get (tensor, tensor->n_elements == 1 ? 0 : batch);
}

static gboolean
read_law (SluiceKernelCall *call, gint64 batch, Law *law)
{
  double mean = parameter (call, 1, batch), deviation = parameter (call, 2, batch);
  double low = parameter (call, 3, batch), high = parameter (call, 4, batch);
  if (!(deviation > 0 && low < high && (isfinite (low) || isfinite (high))))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "batch %" G_GINT64_FORMAT ": deviation %g must be positive, minval %g "
                             "below maxval %g, and one of these finite",
                             batch, deviation, low, high);
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
  Target t = { .source.dtype = out->dtype, .out = out };
  guint64 n_groups = (guint64) n_batches * 2 * MAX_TRIES * (batch_size + 3) / 4;
  if (!sluice_call_reserve_random (call, n_groups, &t.source.philox))
    return FALSE;
  for (gint64 batch = 0; batch < n_batches; batch++)
    {
      Law law = { 0 };
      t.end = MIN ((batch + 1) * batch_size, out->n_elements);
      t.n_tries = 0;
      if (*call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the step was cancelled");
      if (!read_law (call, batch, &law))
        return FALSE;
      if (!sample (&t, &law))
        return sluice_call_fail (call, SLUICE_ERROR_INTERNAL,
                                 "batch %" G_GINT64_FORMAT ": %d samples in a row were rejected",
                                 batch, MAX_TRIES);
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "ParameterizedTruncatedNormal",
    .device = "CPU",
    .prepare = sluice_random_prepare,
    .free_state = g_free,
    .compute = truncated_compute },
};

const SluiceKernelModule sluice_module_random_truncated_cpu = { .kernels = kernels,
                                                                .n_kernels =
                                                                    G_N_ELEMENTS (kernels) };
