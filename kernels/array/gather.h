/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/array/array.h"

/*
 * Gathering from a tensor or from the value of a variable: input 1 holds the indices, output 0
 * takes the rows.
 */

/* Slices along an axis, in batches. batch_dims may be negative: counted from the end of indices. */
gboolean sluice_call_gather (SluiceKernelCall *call,
                             const SluiceTensor *params,
                             gint64 axis,
                             gint64 batch_dims);

/* Slices by coordinates. skip_bad: zeros for those out of range, in place of an error. */
gboolean
sluice_call_gather_nd (SluiceKernelCall *call, const SluiceTensor *params, gboolean skip_bad);

/* Their shape rules, of output 0. */
gboolean sluice_shape_gather (SluiceShapeContext *c,
                              const SluiceShape *params,
                              gint64 axis,
                              gint64 batch_dims,
                              GError **error);
gboolean sluice_shape_gather_nd (SluiceShapeContext *c, const SluiceShape *params, GError **error);

/* The gradient of input 0, params of that shape (a vector of int32): whole rows, sparse;
 * and the sum by coordinates, sparse where these name rows. */
void sluice_grad_gather_rows (SluiceGradContext *g, SluiceEdge params_shape);
void sluice_grad_gather_nd (SluiceGradContext *g, SluiceEdge params_shape);
