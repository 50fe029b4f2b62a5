/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Systems of linear equations: square, triangular, and by least squares. */
#include <float.h>
#include <string.h>

#include "kernels/linalg/matrix.h"

/* The solution has a row for each column of the matrix. */
static SluiceShape
solution_shape (const SluiceMatrixJob *job, guint output)
{
  return SLUICE_SHAPE (job->n, job->k);
}

static SluiceMatrixResult
solve (const SluiceMatrixJob *job)
{
  gint64 n = job->n, k = job->k;
  const SluiceLapack *lapack = job->lapack;
  if (n == 0 || k == 0)
    return SLUICE_MATRIX_DONE;
  g_autofree void *lu = sluice_matrix_space (job, n * n), *x = sluice_matrix_space (job, n * k);
  g_autofree int *pivots = g_try_new (int, n);
  if (lu == NULL || x == NULL || pivots == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  if (!sluice_matrix_factor (job, lu, pivots))
    return SLUICE_MATRIX_FAILED;
  sluice_matrix_transpose (lapack, job->in[1], n, k, FALSE, x);
  sluice_getrs (lapack, job->n, job->k, lu, pivots, x);
  sluice_matrix_transpose (lapack, x, k, n, FALSE, job->out[0]);
  return SLUICE_MATRIX_DONE;
}

/* Row-major order read as column-major: X' A' = B', and A's lower triangle is A''s upper one. */
static SluiceMatrixResult
solve_triangular (const SluiceMatrixJob *job)
{
  gsize bytes = (gsize) job->n * job->k * job->lapack->size;
  if (bytes == 0)
    return SLUICE_MATRIX_DONE;
  memcpy (job->out[0], job->in[1], bytes);
  sluice_trsm (job->lapack, 'R', job->flags & SLUICE_MATRIX_LOWER ? 'U' : 'L',
               job->flags & SLUICE_MATRIX_ADJOINT ? 'C' : 'N', job->k, job->n, job->in[0],
               job->out[0]);
  return SLUICE_MATRIX_DONE;
}

/* ---- least squares ---- */

/* Adds the regularizer to the diagonal of a Gramian and factors it. */
static gboolean
factor_gramian (const SluiceMatrixJob *job, void *gramian, gint64 p)
{
  for (gint64 i = 0; i < p; i++)
    {
      double value[2];
      sluice_matrix_get (job->lapack, gramian, i * p + i, value);
      value[0] += job->shift;
      sluice_matrix_set (job->lapack, gramian, i * p + i, value);
    }
  return sluice_potrf (job->lapack, 'L', (int) p, gramian) == 0;
}

/*
 * By the normal equations: (A* A + l2) X = A* B where A has more rows than columns, else
 * X = A* (A A* + l2)^-1 B. a and b are column-major.
 */
static SluiceMatrixResult
least_squares_fast (const SluiceMatrixJob *job, const void *a, const void *b)
{
  int m = job->m, n = job->n, k = job->k, p = MIN (m, n);
  const SluiceLapack *lapack = job->lapack;
  g_autofree void *gramian = sluice_matrix_space (job, (gint64) p * p);
  g_autofree void *z = sluice_matrix_space (job, (gint64) p * k);
  g_autofree void *x = sluice_matrix_space (job, (gint64) n * k);
  if (gramian == NULL || z == NULL || x == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  gboolean tall = m >= n;
  if (tall)
    {
      sluice_gemm (lapack, 'C', 'N', n, n, m, a, a, gramian);
      sluice_gemm (lapack, 'C', 'N', n, k, m, a, b, z);
    }
  else
    {
      sluice_gemm (lapack, 'N', 'C', m, m, n, a, a, gramian);
      memcpy (z, b, (gsize) m * k * lapack->size);
    }
  if (!factor_gramian (job, gramian, p))
    return SLUICE_MATRIX_FAILED;
  sluice_potrs (lapack, 'L', p, k, gramian, z);
  if (!tall)
    sluice_gemm (lapack, 'C', 'N', n, k, m, a, z, x);
  sluice_matrix_transpose (lapack, tall ? z : x, k, n, FALSE, job->out[0]);
  return SLUICE_MATRIX_DONE;
}

/* The solution of least norm, by a complete orthogonal decomposition; l2 plays no part. */
static SluiceMatrixResult
least_squares_slow (const SluiceMatrixJob *job, void *a, const void *b)
{
  gint64 m = job->m, n = job->n, k = job->k, rows = MAX (m, n);
  gsize size = job->lapack->size;
  gboolean single = job->lapack->dtype == SLUICE_FLOAT || job->lapack->dtype == SLUICE_COMPLEX64;
  double epsilon = single ? FLT_EPSILON : DBL_EPSILON;
  g_autofree char *x = sluice_matrix_space (job, rows * k);
  g_autofree char *solution = sluice_matrix_space (job, n * k);
  if (x == NULL || solution == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  memset (x, 0, rows * k * size);
  for (gint64 j = 0; j < k; j++)
    memcpy (x + j * rows * size, (const char *) b + j * m * size, m * size);
  int info =
      sluice_gelsy (job->lapack, job->m, job->n, job->k, a, x, epsilon * (double) MIN (m, n));
  for (gint64 j = 0; j < k; j++)
    memcpy (solution + j * n * size, x + j * rows * size, n * size);
  sluice_matrix_transpose (job->lapack, solution, k, n, FALSE, job->out[0]);
  return sluice_matrix_result (info);
}

static SluiceMatrixResult
least_squares (const SluiceMatrixJob *job)
{
  gint64 m = job->m, n = job->n, k = job->k;
  if (m == 0 || n == 0 || k == 0)
    {
      sluice_matrix_fill (job->lapack, job->out[0], n * k, 0);
      return SLUICE_MATRIX_DONE;
    }
  g_autofree void *a = sluice_matrix_space (job, m * n), *b = sluice_matrix_space (job, m * k);
  if (a == NULL || b == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  sluice_matrix_transpose (job->lapack, job->in[0], m, n, FALSE, a);
  sluice_matrix_transpose (job->lapack, job->in[1], m, k, FALSE, b);
  return job->flags & SLUICE_MATRIX_FAST ? least_squares_fast (job, a, b)
                                         : least_squares_slow (job, a, b);
}

static const SluiceMatrixRule solve_rule = { .n_operands = 2,
                                             .is_square = TRUE,
                                             .failure = "has no inverse",
                                             .shape = solution_shape,
                                             .compute = solve };
static const SluiceMatrixRule triangular_rule = { .n_operands = 2,
                                                  .is_square = TRUE,
                                                  .broadcasts = TRUE,
                                                  .shape = solution_shape,
                                                  .compute = solve_triangular };
static const SluiceMatrixRule least_squares_rule = {
  .n_operands = 2,
  .failure = "is rank deficient or ill-conditioned: set fast = false or a larger l2_regularizer",
  .shape = solution_shape,
  .compute = least_squares
};

#define WITH_HALF (SLUICE_MATRIX_ALL | SLUICE_SET (SLUICE_HALF))

static const SluiceKernel kernels[] = {
  SLUICE_MATRIX_KERNEL ("MatrixSolve", WITH_HALF, solve_rule),
  SLUICE_MATRIX_KERNEL ("BatchMatrixSolve", SLUICE_MATRIX_REAL, solve_rule),
  SLUICE_MATRIX_KERNEL (
      "MatrixTriangularSolve", SLUICE_MATRIX_ALL | SLUICE_SET_HALVES, triangular_rule),
  SLUICE_MATRIX_KERNEL ("BatchMatrixTriangularSolve", SLUICE_MATRIX_REAL, triangular_rule),
  SLUICE_MATRIX_KERNEL ("MatrixSolveLs", WITH_HALF, least_squares_rule),
  SLUICE_MATRIX_KERNEL ("BatchMatrixSolveLs", SLUICE_MATRIX_REAL, least_squares_rule),
};

const SluiceKernelModule sluice_module_linalg_solve_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
