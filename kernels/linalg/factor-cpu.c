/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Cholesky's factor and what it and the LU factors give: inverses and determinants. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "kernels/linalg/matrix.h"

/* ---- Cholesky ---- */

/* Row i keeps the elements up to the diagonal. */
static void
clear_above_diagonal (const SluiceMatrixJob *job, void *matrix)
{
  gsize size = job->lapack->size, n = job->n;
  for (gsize i = 0; i < n; i++)
    memset ((char *) matrix + (i * n + i + 1) * size, 0, (n - i - 1) * size);
}

/*
 * Row-major order read as column-major is A transposed, the conjugate of A: its factor in the upper
 * triangle, U with A' = U* U, is L = U' row by row.
 */
static SluiceMatrixResult
cholesky (const SluiceMatrixJob *job)
{
  gsize n = job->n, bytes = n * n * job->lapack->size;
  if (n == 0)
    return SLUICE_MATRIX_DONE;
  g_autofree void *a = sluice_matrix_space (job, (gint64) (n * n));
  if (a == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  memcpy (a, job->in[0], bytes);
  if (sluice_potrf (job->lapack, 'U', job->n, a) != 0)
    sluice_matrix_fill (job->lapack, a, (gint64) (n * n), NAN);
  memcpy (job->out[0], a, bytes);
  clear_above_diagonal (job, job->out[0]);
  return SLUICE_MATRIX_DONE;
}

/*
 * The gradient for A = L L' from the one for L (Murray 2016, in closed form): with
 * S = L' G, lower triangle only and the diagonal halved, dA = L'^-1 S L^-1, made symmetric.
 */
static SluiceMatrixResult
cholesky_grad (const SluiceMatrixJob *job)
{
  gint64 n = job->n;
  const SluiceLapack *lapack = job->lapack;
  g_autofree void *l = sluice_matrix_space (job, n * n), *g = sluice_matrix_space (job, n * n);
  g_autofree void *s = sluice_matrix_space (job, n * n);
  if (l == NULL || g == NULL || s == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  sluice_matrix_transpose (lapack, job->in[0], n, n, FALSE, l);
  sluice_matrix_transpose (lapack, job->in[1], n, n, FALSE, g);
  /* What stands above the diagonals is not looked at; in column-major order it comes first. */
  for (gint64 j = 1; j < n; j++)
    {
      sluice_matrix_fill (lapack, (char *) l + j * n * lapack->size, j, 0);
      sluice_matrix_fill (lapack, (char *) g + j * n * lapack->size, j, 0);
    }
  sluice_gemm (lapack, 'T', 'N', n, n, n, l, g, s);
  for (gint64 j = 0; j < n; j++)
    {
      double value[2];
      sluice_matrix_fill (lapack, (char *) s + j * n * lapack->size, j, 0);
      sluice_matrix_get (lapack, s, j * n + j, value);
      value[0] /= 2;
      sluice_matrix_set (lapack, s, j * n + j, value);
    }
  sluice_trsm (lapack, 'L', 'L', 'T', n, n, l, s);
  sluice_trsm (lapack, 'R', 'L', 'N', n, n, l, s);
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < n; j++)
      {
        double a[2], b[2];
        sluice_matrix_get (lapack, s, i * n + j, a);
        sluice_matrix_get (lapack, s, j * n + i, b);
        a[0] = (a[0] + b[0]) / 2;
        sluice_matrix_set (lapack, job->out[0], i * n + j, a);
      }
  return SLUICE_MATRIX_DONE;
}

/* ---- LU ---- */

static SluiceMatrixResult
inverse (const SluiceMatrixJob *job)
{
  gint64 n = job->n;
  const SluiceLapack *lapack = job->lapack;
  g_autofree void *lu = sluice_matrix_space (job, n * n);
  g_autofree int *pivots = g_try_new (int, MAX (1, n));
  if (lu == NULL || pivots == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  if (!sluice_matrix_factor (job, lu, pivots))
    return SLUICE_MATRIX_FAILED;
  int info = n > 0 ? sluice_getri (lapack, job->n, lu, pivots) : 0;
  sluice_matrix_transpose (lapack, lu, n, n, FALSE, job->out[0]);
  return sluice_matrix_result (info);
}

/* The determinant as a number of modulus 1 (or 0) and the logarithm of its modulus. */
static SluiceMatrixResult
log_determinant_of (const SluiceMatrixJob *job, double complex *sign, double *log_abs)
{
  gint64 n = job->n;
  g_autofree void *lu = sluice_matrix_space (job, n * n);
  g_autofree int *pivots = g_try_new (int, MAX (1, n));
  if (lu == NULL || pivots == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  sluice_matrix_factor (job, lu, pivots);
  *sign = 1;
  *log_abs = 0;
  for (gint64 i = 0; i < n; i++)
    {
      double d[2];
      sluice_matrix_get (job->lapack, lu, i * n + i, d);
      double modulus = hypot (d[0], d[1]);
      double complex direction = modulus == 0 ? 0
                                 : isinf (modulus)
                                     ? __builtin_complex (copysign (1, d[0]), 0.0)
                                     : __builtin_complex (d[0] / modulus, d[1] / modulus);
      *sign *= pivots[i] == i + 1 ? direction : -direction;
      *log_abs += log (modulus);
    }
  return SLUICE_MATRIX_DONE;
}

static SluiceMatrixResult
log_determinant (const SluiceMatrixJob *job)
{
  double complex sign = 0;
  double log_abs = 0;
  SluiceMatrixResult result = log_determinant_of (job, &sign, &log_abs);
  sluice_matrix_set (job->lapack, job->out[0], 0, (double[]){ creal (sign), cimag (sign) });
  sluice_matrix_set (job->lapack, job->out[1], 0, (double[]){ log_abs, 0 });
  return result;
}

static SluiceMatrixResult
determinant (const SluiceMatrixJob *job)
{
  double complex sign = 0;
  double log_abs = 0;
  SluiceMatrixResult result = log_determinant_of (job, &sign, &log_abs);
  double modulus = exp (log_abs);
  double value[2] = { creal (sign) * modulus, cimag (sign) == 0 ? 0 : cimag (sign) * modulus };
  sluice_matrix_set (job->lapack, job->out[0], 0, value);
  return result;
}

static const SluiceMatrixRule cholesky_rule = {
  .n_operands = 1, .is_square = TRUE, .shape = sluice_matrix_shape_same, .compute = cholesky
};
static const SluiceMatrixRule cholesky_grad_rule = { .n_operands = 2,
                                                     .is_square = TRUE,
                                                     .is_second_alike = TRUE,
                                                     .shape = sluice_matrix_shape_same,
                                                     .compute = cholesky_grad };
static const SluiceMatrixRule inverse_rule = { .n_operands = 1,
                                               .is_square = TRUE,
                                               .failure = "has no inverse",
                                               .shape = sluice_matrix_shape_same,
                                               .compute = inverse };
static const SluiceMatrixRule determinant_rule = {
  .n_operands = 1, .is_square = TRUE, .shape = sluice_matrix_shape_number, .compute = determinant
};
static const SluiceMatrixRule log_determinant_rule = { .n_operands = 1,
                                                       .is_square = TRUE,
                                                       .shape = sluice_matrix_shape_number,
                                                       .compute = log_determinant };

#define WITH_HALF (SLUICE_MATRIX_ALL | SLUICE_SET (SLUICE_HALF))

static const SluiceKernel kernels[] = {
  SLUICE_MATRIX_KERNEL ("Cholesky", WITH_HALF, cholesky_rule),
  SLUICE_MATRIX_KERNEL ("BatchCholesky", SLUICE_MATRIX_REAL, cholesky_rule),
  SLUICE_MATRIX_KERNEL (
      "CholeskyGrad", SLUICE_MATRIX_REAL | SLUICE_SET (SLUICE_HALF), cholesky_grad_rule),
  SLUICE_MATRIX_KERNEL ("BatchCholeskyGrad", SLUICE_MATRIX_REAL, cholesky_grad_rule),
  SLUICE_MATRIX_KERNEL ("MatrixInverse", WITH_HALF, inverse_rule),
  SLUICE_MATRIX_KERNEL ("BatchMatrixInverse", SLUICE_MATRIX_REAL, inverse_rule),
  SLUICE_MATRIX_KERNEL ("MatrixDeterminant", WITH_HALF, determinant_rule),
  SLUICE_MATRIX_KERNEL ("BatchMatrixDeterminant", SLUICE_MATRIX_ALL, determinant_rule),
  SLUICE_MATRIX_KERNEL ("LogMatrixDeterminant", WITH_HALF, log_determinant_rule),
};

const SluiceKernelModule sluice_module_linalg_factor_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
