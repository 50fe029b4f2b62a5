/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/lapack.h"

#include <cblas_mangling.h> /* what the next one needs and does not say */

#include <cblas_f77.h>
#include <complex.h>
#include <lapack.h>
#include <pthread.h>
#include <string.h>

#include "kernels/linalg/library.h"

/*
 * The functions as the headers of BLAS and LAPACK declare them: all by address, the lengths of
 * strings behind the rest. Those of double stand for all four element types, because they differ in
 * nothing but what lies at the addresses; of the complex ones some have one more workspace. They
 * are found in OpenBLAS when it is there, and never linked.
 */
typedef __typeof__ (&LAPACK_dgesdd_base) GesddReal;
typedef __typeof__ (&LAPACK_zgesdd_base) GesddComplex;
typedef __typeof__ (&LAPACK_dsyevd_base) Syevd;
typedef __typeof__ (&LAPACK_zheevd_base) Heevd;
typedef __typeof__ (&LAPACK_dgelsy) GelsyReal;
typedef __typeof__ (&LAPACK_zgelsy) GelsyComplex;

struct _SluiceLapackSymbols
{
  __typeof__ (&LAPACK_dpotrf_base) potrf;
  __typeof__ (&LAPACK_dpotrs_base) potrs;
  __typeof__ (&LAPACK_dgetrf) getrf;
  __typeof__ (&LAPACK_dgetrs_base) getrs;
  __typeof__ (&LAPACK_dgetri) getri;
  __typeof__ (&F77_dtrsm_base) trsm;
  __typeof__ (&F77_dgemm_base) gemm;
  __typeof__ (&LAPACK_dgeqrf) geqrf;
  __typeof__ (&LAPACK_dorgqr) orgqr;
  void *gesdd, *syevd, *gelsy; /* real or complex ones */
};

/* ---- loading ---- */

static struct _SluiceLapackSymbols symbols[4];
static SluiceLapack lapacks[4] = {
  { SLUICE_FLOAT, 4, &symbols[0] },
  { SLUICE_DOUBLE, 8, &symbols[1] },
  { SLUICE_COMPLEX64, 8, &symbols[2] },
  { SLUICE_COMPLEX128, 16, &symbols[3] },
};
static gboolean is_complete;

static void *
find (char prefix, const char *name)
{
  g_autofree char *symbol = g_strdup_printf ("%c%s_", prefix, name);
  void *address = sluice_openblas_find (symbol);
  is_complete &= address != NULL;
  return address;
}

static void
load (void)
{
  is_complete = TRUE;
  for (int i = 0; i < 4; i++)
    {
      char p = "sdcz"[i];
      symbols[i] = (struct _SluiceLapackSymbols){
        .potrf = find (p, "potrf"),
        .potrs = find (p, "potrs"),
        .getrf = find (p, "getrf"),
        .getrs = find (p, "getrs"),
        .getri = find (p, "getri"),
        .trsm = find (p, "trsm"),
        .gemm = find (p, "gemm"),
        .geqrf = find (p, "geqrf"),
        .orgqr = find (p, i < 2 ? "orgqr" : "ungqr"),
        .gesdd = find (p, "gesdd"),
        .syevd = find (p, i < 2 ? "syevd" : "heevd"),
        .gelsy = find (p, "gelsy"),
      };
    }
}

const SluiceLapack *
sluice_lapack_get (SluiceDType dtype)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, load);
  for (guint i = 0; is_complete && i < G_N_ELEMENTS (lapacks); i++)
    if (lapacks[i].dtype == dtype)
      return &lapacks[i];
  return NULL;
}

/* ---- elements ---- */

static gboolean
is_complex (const SluiceLapack *self)
{
  return sluice_dtype_is_complex (self->dtype);
}

/* Single precision: float and complex64. */
static gboolean
is_single (const SluiceLapack *self)
{
  return self->dtype == SLUICE_FLOAT || self->dtype == SLUICE_COMPLEX64;
}

#define TRANSPOSE(name, T)                                                                         \
  static void name (const T *from, gint64 rows, gint64 columns, T *to)                             \
  {                                                                                                \
    for (gint64 i = 0; i < rows; i++)                                                              \
      for (gint64 j = 0; j < columns; j++)                                                         \
        to[j * rows + i] = from[i * columns + j];                                                  \
  }
TRANSPOSE (transpose_float, float)
TRANSPOSE (transpose_double, double)
TRANSPOSE (transpose_c64, float complex)
TRANSPOSE (transpose_c128, double complex)

void
sluice_matrix_transpose (const SluiceLapack *self,
                         const void *from,
                         gint64 rows,
                         gint64 columns,
                         gboolean conjugate,
                         void *to)
{
  switch (self->dtype)
    {
    case SLUICE_FLOAT:
      return transpose_float (from, rows, columns, to);
    case SLUICE_DOUBLE:
      return transpose_double (from, rows, columns, to);
    case SLUICE_COMPLEX64:
      transpose_c64 (from, rows, columns, to);
      break;
    default:
      transpose_c128 (from, rows, columns, to);
    }
  if (conjugate)
    sluice_matrix_conjugate (self, to, rows * columns);
}

void
sluice_matrix_conjugate (const SluiceLapack *self, void *elements, gint64 n)
{
  if (self->dtype == SLUICE_COMPLEX64)
    for (gint64 i = 0; i < n; i++)
      ((float *) elements)[2 * i + 1] *= -1;
  else if (self->dtype == SLUICE_COMPLEX128)
    for (gint64 i = 0; i < n; i++)
      ((double *) elements)[2 * i + 1] *= -1;
}

void
sluice_matrix_get (const SluiceLapack *self, const void *elements, gint64 i, double value[2])
{
  gint64 at = is_complex (self) ? 2 * i : i;
  value[1] = 0;
  for (gint64 k = 0; k < 1 + is_complex (self); k++)
    value[k] = is_single (self) ? (double) ((const float *) elements)[at + k]
                                : ((const double *) elements)[at + k];
}

void
sluice_matrix_set (const SluiceLapack *self, void *elements, gint64 i, const double value[2])
{
  gint64 at = is_complex (self) ? 2 * i : i;
  for (gint64 k = 0; k < 1 + is_complex (self); k++)
    if (is_single (self))
      ((float *) elements)[at + k] = (float) value[k];
    else
      ((double *) elements)[at + k] = value[k];
}

void
sluice_matrix_fill (const SluiceLapack *self, void *elements, gint64 n, double value)
{
  for (gint64 i = 0; i < n; i++)
    sluice_matrix_set (self, elements, i, (double[]){ value, 0 });
}

void
sluice_matrix_from_real (const SluiceLapack *self, const void *real, void *elements, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      double value = is_single (self) ? ((const float *) real)[i] : ((const double *) real)[i];
      sluice_matrix_set (self, elements, i, (double[]){ value, 0 });
    }
}

/* 1 and 0 as elements. */
typedef struct
{
  double one[2], zero[2];
} Constants;

static Constants
constants_of (const SluiceLapack *self)
{
  Constants c = { { 0 }, { 0 } };
  sluice_matrix_set (self, c.one, 0, (const double[]){ 1, 0 });
  return c;
}

/* ---- functions without a workspace ---- */

/* LAPACK wants leading dimensions of at least 1, also of empty matrices. */
#define LD(n) ((const int[]){ MAX (1, (n)) })

int
sluice_potrf (const SluiceLapack *self, char uplo, int n, void *a)
{
  int info = 0;
  self->symbols->potrf (&uplo, &n, a, LD (n), &info, 1);
  return info;
}

void
sluice_potrs (const SluiceLapack *self, char uplo, int n, int nrhs, const void *a, void *b)
{
  int info = 0;
  self->symbols->potrs (&uplo, &n, &nrhs, a, LD (n), b, LD (n), &info, 1);
}

int
sluice_getrf (const SluiceLapack *self, int n, void *a, int *ipiv)
{
  int info = 0;
  self->symbols->getrf (&n, &n, a, LD (n), ipiv, &info);
  return info;
}

void
sluice_getrs (const SluiceLapack *self, int n, int nrhs, const void *a, int *ipiv, void *b)
{
  int info = 0;
  self->symbols->getrs ("N", &n, &nrhs, a, LD (n), ipiv, b, LD (n), &info, 1);
}

void
sluice_trsm (const SluiceLapack *self,
             char side,
             char uplo,
             char transa,
             int m,
             int n,
             const void *a,
             void *b)
{
  Constants c = constants_of (self);
  self->symbols->trsm (&side, &uplo, &transa, "N", &m, &n, c.one, a, LD (side == 'L' ? m : n), b,
                       LD (m), 1, 1, 1, 1);
}

void
sluice_gemm (const SluiceLapack *self,
             char transa,
             char transb,
             int m,
             int n,
             int k,
             const void *a,
             const void *b,
             void *c)
{
  Constants constants = constants_of (self);
  self->symbols->gemm (&transa, &transb, &m, &n, &k, constants.one, a, LD (transa == 'N' ? m : k),
                       b, LD (transb == 'N' ? k : n), constants.zero, c, LD (m), 1, 1);
}

/* ---- functions that say how much workspace they want, and then work ---- */

static void *
workspace (const SluiceLapack *self, const double *query, int *length)
{
  double wanted[2];
  sluice_matrix_get (self, query, 0, wanted);
  *length = (int) CLAMP (wanted[0], 1, G_MAXINT32);
  return g_try_malloc_n (*length, self->size);
}

#define QUERY ((const int[]){ -1 })

/* Runs `call` twice with variables work, lwork and info: for the size of the workspace, then for
 * the result, which is returned. */
#define WITH_WORKSPACE(self, call)                                                                 \
  double query[2] = { 0 };                                                                         \
  void *work = query;                                                                              \
  int lwork = -1, info = 0;                                                                        \
  call;                                                                                            \
  g_autofree void *space = workspace (self, query, &lwork);                                        \
  if (space == NULL)                                                                               \
    return SLUICE_LAPACK_NO_MEMORY;                                                                \
  work = space;                                                                                    \
  call;                                                                                            \
  return info

int
sluice_getri (const SluiceLapack *self, int n, void *a, int *ipiv)
{
  WITH_WORKSPACE (self, self->symbols->getri (&n, a, LD (n), ipiv, work, &lwork, &info));
}

int
sluice_geqrf (const SluiceLapack *self, int m, int n, void *a, void *tau)
{
  WITH_WORKSPACE (self, self->symbols->geqrf (&m, &n, a, LD (m), tau, work, &lwork, &info));
}

int
sluice_orgqr (const SluiceLapack *self, int m, int n, int k, void *a, const void *tau)
{
  WITH_WORKSPACE (self, self->symbols->orgqr (&m, &n, &k, a, LD (m), tau, work, &lwork, &info));
}

int
sluice_gesdd (
    const SluiceLapack *self, char jobz, int m, int n, void *a, void *s, void *u, void *vt)
{
  gint64 p = MIN (m, n), longer = MAX (m, n);
  const int *ldvt = LD (jobz == 'S' ? p : n);
  g_autofree int *iwork = g_try_malloc_n (MAX (1, 8 * p), sizeof (int));
  if (iwork == NULL)
    return SLUICE_LAPACK_NO_MEMORY;
  if (!is_complex (self))
    {
      GesddReal gesdd = (GesddReal) self->symbols->gesdd;
      WITH_WORKSPACE (self, gesdd (&jobz, &m, &n, a, LD (m), s, u, LD (m), vt, ldvt, work, &lwork,
                                   iwork, &info, 1));
    }
  GesddComplex gesdd = (GesddComplex) self->symbols->gesdd;
  gint64 n_real = MAX (5 * p * p + 5 * p, 2 * longer * p + 2 * p * p + p);
  g_autofree double *rwork = g_try_new (double, MAX (1, n_real));
  if (rwork == NULL)
    return SLUICE_LAPACK_NO_MEMORY;
  WITH_WORKSPACE (self, gesdd (&jobz, &m, &n, a, LD (m), s, u, LD (m), vt, ldvt, work, &lwork,
                               rwork, iwork, &info, 1));
}

int
sluice_syevd (const SluiceLapack *self, char jobz, int n, void *a, void *w)
{
  gint64 wide = n;
  int liwork = (int) MIN (3 + 5 * wide, G_MAXINT32);
  g_autofree int *iwork = g_try_new (int, liwork);
  if (iwork == NULL)
    return SLUICE_LAPACK_NO_MEMORY;
  if (!is_complex (self))
    {
      Syevd syevd = (Syevd) self->symbols->syevd;
      WITH_WORKSPACE (
          self, syevd (&jobz, "L", &n, a, LD (n), w, work, &lwork, iwork, &liwork, &info, 1, 1));
    }
  Heevd heevd = (Heevd) self->symbols->syevd;
  int lrwork = (int) MIN (1 + 5 * wide + 2 * wide * wide, G_MAXINT32);
  g_autofree double *rwork = g_try_new (double, lrwork);
  if (rwork == NULL)
    return SLUICE_LAPACK_NO_MEMORY;
  WITH_WORKSPACE (self, heevd (&jobz, "L", &n, a, LD (n), w, work, &lwork, rwork, &lrwork, iwork,
                               &liwork, &info, 1, 1));
}

int
sluice_gelsy (const SluiceLapack *self, int m, int n, int nrhs, void *a, void *b, double rcond)
{
  int rank = 0;
  float single_rcond = (float) rcond;
  const void *limit = is_single (self) ? (const void *) &single_rcond : &rcond;
  g_autofree int *jpvt = g_try_new0 (int, MAX (1, n));
  g_autofree double *rwork = g_try_new (double, MAX (1, 2 * (gint64) n));
  if (jpvt == NULL || rwork == NULL)
    return SLUICE_LAPACK_NO_MEMORY;
  if (!is_complex (self))
    {
      GelsyReal gelsy = (GelsyReal) self->symbols->gelsy;
      WITH_WORKSPACE (self, gelsy (&m, &n, &nrhs, a, LD (m), b, LD (MAX (m, n)), jpvt, limit, &rank,
                                   work, &lwork, &info));
    }
  GelsyComplex gelsy = (GelsyComplex) self->symbols->gelsy;
  WITH_WORKSPACE (self, gelsy (&m, &n, &nrhs, a, LD (m), b, LD (MAX (m, n)), jpvt, limit, &rank,
                               work, &lwork, rwork, &info));
}
