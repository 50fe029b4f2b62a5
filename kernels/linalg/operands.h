/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/linalg/batches.h"

/* Shape rules and costs of the ops that factor and solve. */

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
