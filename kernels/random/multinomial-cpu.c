/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "kernels/random/generator.h"
#include "kernels/random/numbers.h"

/* One stream serves all rows: row b takes its numbers behind those of the rows before it, two words
 * each. */
typedef struct
{
  SluicePhilox philox;
  const SluiceTensor *logits;
  SluiceTensor *out;
  gint64 n_classes, n_samples;
  _Atomic gboolean no_memory;
} Draws;

static SluiceWords
words_from (const SluicePhilox *philox, guint64 first)
{
  SluiceWords words = sluice_words (philox);
  sluice_philox_skip (&words.philox, first / 4);
  for (guint64 i = 0; i < first % 4; i++)
    sluice_words_next (&words);
  return words;
}

/* Sums of the probabilities up to each class, not divided by the last. */
static void
accumulate (const Draws *draws, gint64 row, double *sums)
{
  gint64 n = draws->n_classes, first = row * n;
  double largest = -INFINITY, sum = 0;
  for (gint64 j = 0; j < n; j++)
    {
      double logit = sluice_number_get (draws->logits, first + j);
      if (isfinite (logit))
        largest = fmax (largest, logit);
    }
  for (gint64 j = 0; j < n; j++)
    {
      double logit = sluice_number_get (draws->logits, first + j);
      if (isfinite (logit))
        sum += exp (logit - largest);
      sums[j] = sum;
    }
}

/* The first class whose sum is above; n where there is none. */
static gint64
search (const double *sums, gint64 n, double wanted)
{
  gint64 low = 0, high = n;
  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;
      if (sums[middle] > wanted)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static void
draw_rows (gpointer data, gint64 begin, gint64 end)
{
  Draws *draws = data;
  gint64 n = draws->n_classes;
  g_autofree double *sums = g_try_new (double, n);
  if (sums == NULL)
    {
      atomic_store (&draws->no_memory, TRUE);
      return;
    }
  for (gint64 row = begin; row < end; row++)
    {
      SluiceWords words = words_from (&draws->philox, (guint64) row * draws->n_samples * 2);
      accumulate (draws, row, sums);
      for (gint64 i = 0; i < draws->n_samples; i++)
        {
          gint64 class = search (sums, n, sluice_words_next_double (&words) * sums[n - 1]);
          gint64 at = row * draws->n_samples + i;
          if (draws->out->dtype == SLUICE_INT32)
            ((gint32 *) draws->out->data)[at] = (gint32) class;
          else
            ((gint64 *) draws->out->data)[at] = class;
        }
    }
}

/* Checks the inputs and allocates the output. */
static gboolean
multinomial_begin (SluiceKernelCall *call, Draws *draws)
{
  draws->logits = sluice_call_input (call, 0);
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  draws->n_samples = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  draws->n_classes = draws->logits->shape.dim[1];
  if (draws->n_samples < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "num_samples is %" G_GINT64_FORMAT ", it must not be negative",
                             draws->n_samples);
  if (draws->n_classes < 1 || draws->n_classes > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "logits must be of 1 to %d classes, not %" G_GINT64_FORMAT, G_MAXINT32,
                             draws->n_classes);
  SluiceShape shape;
  g_autoptr (GError) error = NULL;
  gint64 dims[] = { draws->logits->shape.dim[0], draws->n_samples };
  if (!sluice_shape_make (&shape, dims, 2, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  draws->out = sluice_call_output (call, 0, &shape);
  return draws->out != NULL;
}

static gboolean
multinomial_draw (SluiceKernelCall *call, Draws *draws)
{
  double row_ns = 10.0 * (double) draws->n_classes + 40.0 * (double) draws->n_samples;
  gint64 grain = MAX (1, (gint64) (2e4 / (row_ns + 1)));
  if (!sluice_call_parallel_for (call, draws->logits->shape.dim[0], grain, row_ns, draw_rows,
                                 draws))
    return FALSE;
  if (atomic_load (&draws->no_memory))
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                             "no memory for the sums of %" G_GINT64_FORMAT " classes",
                             draws->n_classes);
  return TRUE;
}

static gboolean
multinomial_compute (SluiceKernelCall *call)
{
  Draws draws = { 0 };
  if (!multinomial_begin (call, &draws) || draws.out->n_elements == 0)
    return draws.out != NULL;
  guint64 doubles = (guint64) draws.logits->shape.dim[0] * ((draws.n_samples + 3) / 4 * 4) * 2;
  return sluice_call_reserve_random (call, doubles * SLUICE_RESERVED_PER_OUTPUT, &draws.philox)
         && multinomial_draw (call, &draws);
}

static gboolean
stateless_multinomial_compute (SluiceKernelCall *call)
{
  Draws draws = { 0 };
  if (!multinomial_begin (call, &draws) || !sluice_call_stateless_random (call, 2, &draws.philox))
    return FALSE;
  return draws.out->n_elements == 0 || multinomial_draw (call, &draws);
}

static const SluiceKernel kernels[] = {
  { .op = "Multinomial",
    .device = "CPU",
    .prepare = sluice_random_prepare,
    .free_state = g_free,
    .compute = multinomial_compute },
  { .op = "StatelessMultinomial", .device = "CPU", .compute = stateless_multinomial_compute },
};

const SluiceKernelModule sluice_module_random_multinomial_cpu = { .kernels = kernels,
                                                                  .n_kernels =
                                                                      G_N_ELEMENTS (kernels) };
