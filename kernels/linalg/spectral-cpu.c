/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Orthogonal decompositions: QR, singular values, eigenvalues of self-adjoint matrices. */
#include <math.h>
#include <string.h>

#include "kernels/linalg/matrix.h"

#define NOT_WANTED SLUICE_SHAPE_UNKNOWN

static int
shorter (const SluiceMatrixJob *job)
{
  return MIN (job->m, job->n);
}

/* ---- QR ---- */

/* Columns of Q and rows of R. */
static int
qr_columns (const SluiceMatrixJob *job)
{
  return job->flags & SLUICE_MATRIX_FULL ? job->m : shorter (job);
}

static SluiceShape
qr_shape (const SluiceMatrixJob *job, guint output)
{
  gint64 p = qr_columns (job);
  return output == 0 ? SLUICE_SHAPE (job->m, p) : SLUICE_SHAPE (p, job->n);
}

/* R row by row, out of the upper triangle of a, which is column by column. */
static void
write_r (const SluiceMatrixJob *job, const char *a)
{
  gint64 m = job->m, n = job->n, p = qr_columns (job);
  gsize size = job->lapack->size;
  char *r = job->out[1];
  for (gint64 i = 0; i < p; i++)
    for (gint64 j = 0; j < n; j++)
      if (j >= i)
        memcpy (r + (i * n + j) * size, a + (j * m + i) * size, size);
      else
        memset (r + (i * n + j) * size, 0, size);
}

static SluiceMatrixResult
qr (const SluiceMatrixJob *job)
{
  gint64 m = job->m, n = job->n, p = qr_columns (job), reflectors = shorter (job);
  const SluiceLapack *lapack = job->lapack;
  /* The columns of Q take the place of those of A. */
  g_autofree char *a = sluice_matrix_space (job, m * MAX (n, p));
  g_autofree void *tau = sluice_matrix_space (job, reflectors);
  if (a == NULL || tau == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  sluice_matrix_transpose (lapack, job->in[0], m, n, FALSE, a);
  int info = n > 0 && m > 0 ? sluice_geqrf (lapack, job->m, job->n, a, tau) : 0;
  if (info != 0)
    return sluice_matrix_result (info);
  write_r (job, a);
  if (p > n)
    memset (a + m * n * lapack->size, 0, (p - n) * m * lapack->size);
  info = p > 0 && m > 0 ? sluice_orgqr (lapack, job->m, (int) p, (int) reflectors, a, tau) : 0;
  sluice_matrix_transpose (lapack, a, p, m, FALSE, job->out[0]);
  return sluice_matrix_result (info);
}

/* ---- singular values ---- */

static SluiceShape
svd_shape (const SluiceMatrixJob *job, guint output)
{
  gint64 p = shorter (job);
  gboolean full = job->flags & SLUICE_MATRIX_FULL;
  if (output == 0)
    return SLUICE_SHAPE (p);
  if (!(job->flags & SLUICE_MATRIX_VECTORS))
    return NOT_WANTED;
  gint64 rows = output == 1 ? job->m : job->n;
  return SLUICE_SHAPE (rows, full ? rows : p);
}

static void
write_identity (const SluiceLapack *lapack, void *matrix, gint64 rows, gint64 columns)
{
  sluice_matrix_fill (lapack, matrix, rows * columns, 0);
  for (gint64 i = 0; i < MIN (rows, columns); i++)
    sluice_matrix_fill (lapack, (char *) matrix + (i * columns + i) * lapack->size, 1, 1);
}

static gboolean
is_finite (const SluiceMatrixJob *job)
{
  for (gint64 i = 0; i < (gint64) job->m * job->n; i++)
    {
      double value[2];
      sluice_matrix_get (job->lapack, job->in[0], i, value);
      if (!isfinite (value[0]) || !isfinite (value[1]))
        return FALSE;
    }
  return TRUE;
}

/* Of a matrix without elements, and of one that is not finite. */
static SluiceMatrixResult
svd_of_nothing (const SluiceMatrixJob *job)
{
  gint64 m = job->m, n = job->n;
  gint64 n_u = svd_shape (job, 1).dim[1], n_v = svd_shape (job, 2).dim[1];
  gboolean vectors = job->flags & SLUICE_MATRIX_VECTORS;
  if (m == 0 || n == 0)
    {
      if (vectors)
        {
          write_identity (job->lapack, job->out[1], m, n_u);
          write_identity (job->lapack, job->out[2], n, n_v);
        }
      return SLUICE_MATRIX_DONE;
    }
  sluice_matrix_fill (job->lapack, job->out[0], shorter (job), NAN);
  if (vectors)
    {
      sluice_matrix_fill (job->lapack, job->out[1], m * n_u, NAN);
      sluice_matrix_fill (job->lapack, job->out[2], n * n_v, NAN);
    }
  return SLUICE_MATRIX_DONE;
}

static SluiceMatrixResult
svd (const SluiceMatrixJob *job)
{
  gint64 m = job->m, n = job->n, p = shorter (job);
  const SluiceLapack *lapack = job->lapack;
  gboolean vectors = job->flags & SLUICE_MATRIX_VECTORS, full = job->flags & SLUICE_MATRIX_FULL;
  if (p == 0 || !is_finite (job))
    return svd_of_nothing (job);
  gint64 n_u = full ? m : p, n_v = full ? n : p;
  g_autofree void *a = sluice_matrix_space (job, m * n), *s = sluice_matrix_space (job, p);
  g_autofree void *u = sluice_matrix_space (job, vectors ? m * n_u : 0);
  g_autofree void *v = sluice_matrix_space (job, vectors ? n * n_v : 0);
  if (a == NULL || s == NULL || u == NULL || v == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  sluice_matrix_transpose (lapack, job->in[0], m, n, FALSE, a);
  /* V* column by column is the conjugate of V row by row. */
  char jobz = !vectors ? 'N' : full ? 'A' : 'S';
  int info = sluice_gesdd (lapack, jobz, job->m, job->n, a, s, u, v);
  sluice_matrix_from_real (lapack, s, job->out[0], p);
  if (vectors)
    {
      sluice_matrix_transpose (lapack, u, n_u, m, FALSE, job->out[1]);
      memcpy (job->out[2], v, (gsize) (n * n_v) * lapack->size);
      sluice_matrix_conjugate (lapack, job->out[2], n * n_v);
    }
  return sluice_matrix_result (info);
}

/* ---- eigenvalues ---- */

static SluiceShape
eigen_shape (const SluiceMatrixJob *job, guint output)
{
  if (output == 0)
    return SLUICE_SHAPE (job->n);
  return job->flags & SLUICE_MATRIX_VECTORS ? SLUICE_SHAPE (job->n, job->n) : NOT_WANTED;
}

/* Of the lower triangle; values in rising order. v may be NULL. */
static SluiceMatrixResult
eigen (const SluiceMatrixJob *job, void *e, void *v)
{
  gint64 n = job->n;
  const SluiceLapack *lapack = job->lapack;
  g_autofree void *a = sluice_matrix_space (job, n * n), *w = sluice_matrix_space (job, n);
  if (a == NULL || w == NULL)
    return SLUICE_MATRIX_NO_MEMORY;
  gboolean finite = TRUE;
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j <= i; j++)
      {
        double value[2];
        sluice_matrix_get (lapack, job->in[0], i * n + j, value);
        if (isnan (value[0]) || isnan (value[1]))
          return SLUICE_MATRIX_FAILED;
        finite &= isfinite (value[0]) && isfinite (value[1]);
      }
  if (!finite)
    {
      sluice_matrix_fill (lapack, e, n, NAN);
      if (v)
        write_identity (lapack, v, n, n);
      return SLUICE_MATRIX_DONE;
    }
  sluice_matrix_transpose (lapack, job->in[0], n, n, FALSE, a);
  int info = n > 0 ? sluice_syevd (lapack, v ? 'V' : 'N', job->n, a, w) : 0;
  sluice_matrix_from_real (lapack, w, e, n);
  if (v)
    sluice_matrix_transpose (lapack, a, n, n, FALSE, v);
  return sluice_matrix_result (info);
}

static SluiceMatrixResult
eigen_pair (const SluiceMatrixJob *job)
{
  return eigen (job, job->out[0], job->flags & SLUICE_MATRIX_VECTORS ? job->out[1] : NULL);
}

/* The values as first row above the vectors. */
static SluiceShape
eigen_rows_shape (const SluiceMatrixJob *job, guint output)
{
  return SLUICE_SHAPE ((gint64) job->n + 1, job->n);
}

static SluiceMatrixResult
eigen_rows (const SluiceMatrixJob *job)
{
  return eigen (job, job->out[0], (char *) job->out[0] + job->n * job->lapack->size);
}

static const SluiceMatrixRule qr_rule = {
  .n_operands = 1, .failure = "has no QR decomposition", .shape = qr_shape, .compute = qr
};
static const SluiceMatrixRule svd_rule = { .n_operands = 1,
                                           .failure = "has singular values that do not converge",
                                           .shape = svd_shape,
                                           .compute = svd };
static const SluiceMatrixRule eigen_rule = {
  .n_operands = 1,
  .is_square = TRUE,
  .failure = "has eigenvalues that do not converge, or is not a number somewhere",
  .shape = eigen_shape,
  .compute = eigen_pair
};
static const SluiceMatrixRule eigen_rows_rule = {
  .n_operands = 1,
  .is_square = TRUE,
  .failure = "has eigenvalues that do not converge, or is not a number somewhere",
  .shape = eigen_rows_shape,
  .compute = eigen_rows
};

#define WITH_HALF (SLUICE_MATRIX_ALL | SLUICE_SET (SLUICE_HALF))

static const SluiceKernel kernels[] = {
  SLUICE_MATRIX_KERNEL ("Qr", WITH_HALF, qr_rule),
  SLUICE_MATRIX_KERNEL ("Svd", WITH_HALF, svd_rule),
  SLUICE_MATRIX_KERNEL ("BatchSvd", SLUICE_MATRIX_ALL, svd_rule),
  SLUICE_MATRIX_KERNEL ("SelfAdjointEigV2", WITH_HALF, eigen_rule),
  SLUICE_MATRIX_KERNEL ("BatchSelfAdjointEigV2", SLUICE_MATRIX_REAL, eigen_rule),
  SLUICE_MATRIX_KERNEL (
      "SelfAdjointEig", SLUICE_MATRIX_REAL | SLUICE_SET (SLUICE_HALF), eigen_rows_rule),
  SLUICE_MATRIX_KERNEL ("BatchSelfAdjointEig", SLUICE_MATRIX_REAL, eigen_rows_rule),
};

const SluiceKernelModule sluice_module_linalg_spectral_cpu = { .kernels = kernels,
                                                               .n_kernels =
                                                                   G_N_ELEMENTS (kernels) };
