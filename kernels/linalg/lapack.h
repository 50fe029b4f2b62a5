/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/dtype.h"

/*
 * LAPACK out of OpenBLAS, of one element type. Matrices are column-major, without gaps; arguments
 * are named as LAPACK names them. The functions keep to the calling thread.
 */

typedef struct
{
  SluiceDType dtype;
  gsize size; /* bytes of an element */
  const struct _SluiceLapackSymbols *symbols;
} SluiceLapack;

/* NULL where OpenBLAS is not installed. Types: float, double, complex64, complex128. */
const SluiceLapack *sluice_lapack_get (SluiceDType dtype);

/* ---- elements ---- */

/* to [columns, rows] = from [rows, columns] transposed, each read row by row; conjugated on wish.
 * Row-major order read as column-major order is a transposition. */
void sluice_matrix_transpose (const SluiceLapack *self,
                              const void *from,
                              gint64 rows,
                              gint64 columns,
                              gboolean conjugate,
                              void *to);
/* The conjugates of n elements, in place; real ones stay. */
void sluice_matrix_conjugate (const SluiceLapack *self, void *elements, gint64 n);
/* n elements become a real value. */
void sluice_matrix_fill (const SluiceLapack *self, void *elements, gint64 n, double value);
/* n real numbers (float beside complex64 …) as elements. */
void sluice_matrix_from_real (const SluiceLapack *self, const void *real, void *elements, gint64 n);
/* Real and imaginary part of an element. */
void sluice_matrix_get (const SluiceLapack *self, const void *elements, gint64 i, double value[2]);
void sluice_matrix_set (const SluiceLapack *self, void *elements, gint64 i, const double value[2]);

/* ---- BLAS and LAPACK; the results are their info ---- */

int sluice_potrf (const SluiceLapack *self, char uplo, int n, void *a);
void sluice_potrs (const SluiceLapack *self, char uplo, int n, int nrhs, const void *a, void *b);
int sluice_getrf (const SluiceLapack *self, int n, void *a, int *ipiv);
void sluice_getrs (const SluiceLapack *self, int n, int nrhs, const void *a, int *ipiv, void *b);
void sluice_trsm (const SluiceLapack *self,
                  char side,
                  char uplo,
                  char transa,
                  int m,
                  int n,
                  const void *a,
                  void *b);
/* c [m,n] = op(a) op(b) */
void sluice_gemm (const SluiceLapack *self,
                  char transa,
                  char transb,
                  int m,
                  int n,
                  int k,
                  const void *a,
                  const void *b,
                  void *c);

/* The next ones allocate workspaces; SLUICE_LAPACK_NO_MEMORY where they cannot. */
#define SLUICE_LAPACK_NO_MEMORY (-1000)
int sluice_getri (const SluiceLapack *self, int n, void *a, int *ipiv);
int sluice_geqrf (const SluiceLapack *self, int m, int n, void *a, void *tau);
/* orgqr, and ungqr for complex elements */
int sluice_orgqr (const SluiceLapack *self, int m, int n, int k, void *a, const void *tau);
/* s: real; jobz: 'N', 'S' (the first min(m, n) vectors) or 'A' (all). a is destroyed. */
int sluice_gesdd (
    const SluiceLapack *self, char jobz, int m, int n, void *a, void *s, void *u, void *vt);
/* syevd, and heevd for complex elements, of the lower triangle; w: real. a becomes the vectors. */
int sluice_syevd (const SluiceLapack *self, char jobz, int n, void *a, void *w);
/* b: [max(m, n), nrhs]; a is destroyed. */
int sluice_gelsy (const SluiceLapack *self, int m, int n, int nrhs, void *a, void *b, double rcond);
