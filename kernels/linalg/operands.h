/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/linalg/batches.h"

/* Shape rules, costs, dtypes and recipes of the ops that factor and solve. */

/* The leading dimensions and the two sizes of the matrices at input i. */
typedef struct
{
  SluiceShape batch;
  gint64 rows, columns;
} SluiceMatrices;

gboolean
sluice_shape_matrices (SluiceShapeContext *c, guint i, SluiceMatrices *matrices, GError **error);
/* The same of square matrices: rows and columns are what is known of either. */
gboolean
sluice_shape_square (SluiceShapeContext *c, guint i, SluiceMatrices *matrices, GError **error);

/* Whole rules. */
gboolean sluice_shape_square_unchanged (SluiceShapeContext *c, GError **error);

/* As many steps as the product of two matrices of the first input's sizes, a few times. */
void sluice_cost_factor (const SluiceNode *node,
                         const SluiceShape *in,
                         const SluiceShape *out,
                         SluiceCost *cost);

/* TensorFlow's newer ops take half and complex numbers, those of before 2017 do not. */
#define SLUICE_MATRIX_TYPES     "T: {double, float, half, complex64, complex128}"
#define SLUICE_MATRIX_OLD_TYPES "T: {double, float}"
#define SLUICE_MATRIX_REAL      (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define SLUICE_MATRIX_ALL       (SLUICE_MATRIX_REAL | SLUICE_SET_COMPLEX | SLUICE_SET (SLUICE_HALF))
#define SLUICE_MATRIX_RECIPE(id, its_samples, types)                                               \
  static const SluiceRecipe id = { .samples = its_samples,                                         \
                                   .n_samples = G_N_ELEMENTS (its_samples),                        \
                                   .dtypes = types }
