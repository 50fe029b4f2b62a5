/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/fourier.h"

#include <math.h>
#include <string.h>

/* A factor costs its size for each element; a convolution costs about as much as this one. */
#define LARGEST_RADIX 31
#define MAX_FACTORS   64

struct _SluiceFourier
{
  gint64 n;
  int n_factors;
  int factors[MAX_FACTORS];
  double complex *roots; /* n: exp (-2πi k/n) */
  /* Bluestein's, where factors are too large */
  SluiceFourier *power;   /* of m >= 2n - 1, a power of two (nullable) */
  double complex *chirp;  /* n: exp (-πi k²/n) */
  double complex *kernel; /* m: the transform of the chirp's conjugate, over m */
};

/* Without C's care for infinities, which costs a function call. */
static inline double complex
times (double complex a, double complex b)
{
  return __builtin_complex (creal (a) * creal (b) - cimag (a) * cimag (b),
                            creal (a) * cimag (b) + cimag (a) * creal (b));
}

/* exp (-2πi k/n); 0 <= k < n */
static double complex
root (gint64 k, gint64 n)
{
  double angle = -2 * G_PI * ((double) k / (double) n);
  return __builtin_complex (cos (angle), sin (angle));
}

/* FALSE: a factor is too large. */
static gboolean
factorise (SluiceFourier *self)
{
  gint64 rest = self->n;
  static const int first[] = { 4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, LARGEST_RADIX };
  for (guint i = 0; i < G_N_ELEMENTS (first); i++)
    for (; rest % first[i] == 0; rest /= first[i])
      self->factors[self->n_factors++] = first[i];
  return rest == 1;
}

static gboolean
prepare_convolution (SluiceFourier *self)
{
  gint64 n = self->n, m = 1;
  while (m < 2 * n - 1)
    m *= 2;
  self->power = sluice_fourier_new (m);
  self->chirp = g_try_new (double complex, n);
  self->kernel = g_try_new0 (double complex, m);
  g_autofree double complex *scratch = g_try_new (double complex, m);
  if (self->power == NULL || self->chirp == NULL || self->kernel == NULL || scratch == NULL)
    return FALSE;
  for (gint64 k = 0, square = 0; k < n; k++)
    {
      self->chirp[k] = root (square, 2 * n);
      self->kernel[k] = self->kernel[k == 0 ? 0 : m - k] = conj (self->chirp[k]) / (double) m;
      square = (square + 2 * k + 1) % (2 * n); /* k² modulo 2n, by differences */
    }
  sluice_fourier_run (self->power, self->kernel, FALSE, scratch);
  return TRUE;
}

static gboolean
prepare_roots (SluiceFourier *self)
{
  self->roots = g_try_new (double complex, self->n);
  for (gint64 k = 0; self->roots && k < self->n; k++)
    self->roots[k] = root (k, self->n);
  return self->roots != NULL;
}

SluiceFourier *
sluice_fourier_new (gint64 n)
{
  if (n > G_MAXINT64 / 64)
    return NULL;
  g_autoptr (SluiceFourier) self = g_new0 (SluiceFourier, 1);
  self->n = n;
  gboolean ok = factorise (self) ? prepare_roots (self) : prepare_convolution (self);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
sluice_fourier_free (SluiceFourier *self)
{
  if (self == NULL)
    return;
  sluice_fourier_free (self->power);
  g_free (self->roots);
  g_free (self->chirp);
  g_free (self->kernel);
  g_free (self);
}

gint64
sluice_fourier_scratch (const SluiceFourier *self)
{
  return self->power ? 2 * self->power->n : self->n;
}

/* ---- mixed radix ---- */

/*
 * One stage: from [rest · radix][done] to [rest][radix · done], where `done` frequencies of the
 * subsequences that start at 0 … rest · radix - 1 are known already.
 */
typedef struct
{
  const SluiceFourier *plan;
  gint64 done, rest;
  int radix;
} Stage;

static void
stage_of_2 (const Stage *stage, const double complex *in, double complex *out)
{
  gint64 l = stage->done, r = stage->rest;
  for (gint64 q = 0; q < r; q++)
    for (gint64 j = 0; j < l; j++)
      {
        double complex a = in[q * l + j];
        double complex b = times (in[(q + r) * l + j], stage->plan->roots[j * r]);
        out[q * 2 * l + j] = a + b;
        out[q * 2 * l + j + l] = a - b;
      }
}

static void
stage_of_4 (const Stage *stage, const double complex *in, double complex *out)
{
  gint64 l = stage->done, r = stage->rest;
  const double complex *roots = stage->plan->roots;
  for (gint64 q = 0; q < r; q++)
    for (gint64 j = 0; j < l; j++)
      {
        double complex a = in[q * l + j];
        double complex b = times (in[(q + r) * l + j], roots[j * r]);
        double complex c = times (in[(q + 2 * r) * l + j], roots[2 * j * r]);
        double complex d = times (in[(q + 3 * r) * l + j], roots[3 * j * r]);
        double complex even = a + c, odd = a - c, sum = b + d, difference = b - d;
        double complex turned = __builtin_complex (cimag (difference), -creal (difference));
        double complex *to = out + q * 4 * l + j;
        to[0] = even + sum;
        to[l] = odd + turned;
        to[2 * l] = even - sum;
        to[3 * l] = odd - turned;
      }
}

static void
stage_of_any (const Stage *stage, const double complex *in, double complex *out)
{
  gint64 l = stage->done, r = stage->rest, step = stage->plan->n / stage->radix;
  int p = stage->radix;
  const double complex *roots = stage->plan->roots;
  for (gint64 q = 0; q < r; q++)
    for (gint64 j = 0; j < l; j++)
      {
        double complex turned[LARGEST_RADIX];
        for (int s = 0; s < p; s++)
          turned[s] = times (in[(q + s * r) * l + j], roots[s * j * r]);
        for (int k = 0; k < p; k++)
          {
            double complex sum = turned[0];
            for (int s = 1; s < p; s++)
              sum += times (turned[s], roots[s * k % p * step]);
            out[(q * p + k) * l + j] = sum;
          }
      }
}

static void
run_radix (const SluiceFourier *self, double complex *x, double complex *scratch)
{
  double complex *in = x, *out = scratch;
  Stage stage = { .plan = self, .done = 1, .rest = self->n };
  for (int i = 0; i < self->n_factors; i++)
    {
      stage.radix = self->factors[i];
      stage.rest /= stage.radix;
      if (stage.radix == 2)
        stage_of_2 (&stage, in, out);
      else if (stage.radix == 4)
        stage_of_4 (&stage, in, out);
      else
        stage_of_any (&stage, in, out);
      stage.done *= stage.radix;
      double complex *swap = in;
      in = out;
      out = swap;
    }
  if (in != x)
    memcpy (x, in, self->n * sizeof *x);
}

/* ---- Bluestein: kt = (k² + t² - (k - t)²) / 2 makes the transform a convolution ---- */

static void
run_convolution (const SluiceFourier *self, double complex *x, double complex *scratch)
{
  gint64 n = self->n, m = self->power->n;
  double complex *padded = scratch, *inner = scratch + m;
  for (gint64 k = 0; k < m; k++)
    padded[k] = k < n ? times (x[k], self->chirp[k]) : 0;
  sluice_fourier_run (self->power, padded, FALSE, inner);
  for (gint64 k = 0; k < m; k++)
    padded[k] = times (padded[k], self->kernel[k]);
  sluice_fourier_run (self->power, padded, TRUE, inner);
  for (gint64 k = 0; k < n; k++)
    x[k] = times (padded[k], self->chirp[k]);
}

void
sluice_fourier_run (const SluiceFourier *self,
                    double complex *x,
                    gboolean inverse,
                    double complex *scratch)
{
  for (gint64 k = 0; inverse && k < self->n; k++)
    x[k] = conj (x[k]);
  if (self->power)
    run_convolution (self, x, scratch);
  else
    run_radix (self, x, scratch);
  for (gint64 k = 0; inverse && k < self->n; k++)
    x[k] = conj (x[k]);
}
