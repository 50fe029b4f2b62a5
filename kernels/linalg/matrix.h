/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "kernels/linalg/lapack.h"

/*
 * Ops that do the same with each matrix of a batch: what is common to their kernels. An op is a
 * rule; its kernel hands the rule to the driver as data.
 */

typedef enum
{
  SLUICE_MATRIX_ADJOINT = 1 << 0, /* attribute adjoint */
  SLUICE_MATRIX_LOWER = 1 << 1,   /* lower */
  SLUICE_MATRIX_FULL = 1 << 2,    /* full_matrices */
  SLUICE_MATRIX_VECTORS = 1 << 3, /* compute_uv, compute_v */
  SLUICE_MATRIX_FAST = 1 << 4,    /* fast */
} SluiceMatrixFlags;

/* One matrix of each operand and output, row-major. */
typedef struct
{
  const SluiceLapack *lapack;
  guint flags;  /* SluiceMatrixFlags */
  int m, n;     /* the first operand's rows and columns */
  int k;        /* columns of the second */
  double shift; /* MatrixSolveLs: what is added to the diagonal */
  const void *in[2];
  void *out[3];
} SluiceMatrixJob;

typedef enum
{
  SLUICE_MATRIX_DONE,
  SLUICE_MATRIX_FAILED, /* as the rule says */
  SLUICE_MATRIX_NO_MEMORY
} SluiceMatrixResult;

typedef struct
{
  guint n_operands;         /* inputs that are batches of matrices: 1 or 2 */
  gboolean is_square;       /* the first operand must be */
  gboolean is_second_alike; /* the second operand has the shape of the first; else its rows */
  gboolean broadcasts;      /* leading dimensions broadcast; else they are equal */
  const char *failure;      /* "matrix %d … ": why a matrix failed */
  /* The shape of an output behind the leading dimensions; of rank -1: the output is not wanted. */
  SluiceShape (*shape) (const SluiceMatrixJob *job, guint output);
  SluiceMatrixResult (*compute) (const SluiceMatrixJob *job);
} SluiceMatrixRule;

/* SluiceKernel.prepare, .free_state is g_free, and .compute; .data is the rule. */
gpointer sluice_matrix_prepare (const SluiceNode *node, GError **error);
gboolean sluice_matrix_compute (SluiceKernelCall *call);

#define SLUICE_MATRIX_KERNEL(op_name, types, rule)                                                 \
  {                                                                                                \
    .op = op_name, .device = "CPU", .where = { { "T", types } }, .prepare = sluice_matrix_prepare, \
    .free_state = g_free, .compute = sluice_matrix_compute, .data = (gpointer) &rule               \
  }

/* float and double, with or without their complex numbers */
#define SLUICE_MATRIX_REAL (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define SLUICE_MATRIX_ALL  (SLUICE_MATRIX_REAL | SLUICE_SET_COMPLEX)

/* Memory for n elements of a job, to be freed with g_free(). What LAPACK works on must lie in such:
 * OpenBLAS's products of a complex matrix and a vector (0.3.21) read up to a column beyond the end.
 * (nullable) */
static inline void *
sluice_matrix_space (const SluiceMatrixJob *job, gint64 n)
{
  const gint64 column = MAX (MAX (job->m, job->n), job->k) + 8;
  return g_try_malloc_n (n + column, job->lapack->size);
}

static inline SluiceMatrixResult
sluice_matrix_result (int info)
{
  return info == 0                         ? SLUICE_MATRIX_DONE
         : info == SLUICE_LAPACK_NO_MEMORY ? SLUICE_MATRIX_NO_MEMORY
                                           : SLUICE_MATRIX_FAILED;
}

/* The LU factors of the first operand, adjoint where the job says so, column by column. FALSE: it
 * has no inverse; the factors are there all the same. */
gboolean sluice_matrix_factor (const SluiceMatrixJob *job, void *lu, int *pivots);

/* Shapes that rules share: of the first operand; of a number. */
SluiceShape sluice_matrix_shape_same (const SluiceMatrixJob *job, guint output);
SluiceShape sluice_matrix_shape_number (const SluiceMatrixJob *job, guint output);
