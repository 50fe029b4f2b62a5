/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/* Shapes of ops whose data has a row for each of the ids: data.shape = ids.shape + row.shape. */

/* The shape of a row; unknown where a rank is unknown. FALSE: the shapes cannot be so. */
gboolean sluice_shape_rest_after_ids (
    SluiceShapeContext *c, guint data, guint ids, SluiceShape *rest, GError **error);
/* Output 0 becomes [n_rows] + row. */
gboolean sluice_shape_set_rows (SluiceShapeContext *c,
                                gint64 n_rows,
                                const SluiceShape *row,
                                GError **error);

/* The same while a kernel runs: does the shape of ids begin that of data? */
gboolean sluice_call_want_prefix (SluiceKernelCall *call, guint data, guint ids);
/* [n_rows] and the dimensions of data behind those of ids. */
gboolean sluice_call_rows_shape (
    SluiceKernelCall *call, gint64 n_rows, guint data, guint ids, SluiceShape *shape);

/* The axes along which each of two operands is repeated to broadcast with the other. */
typedef struct
{
  int axis[2][SLUICE_MAX_RANK], n[2];
} SluiceRepeatedAxes;
/* FALSE: the shapes do not broadcast. */
gboolean sluice_repeated_axes (const SluiceShape shapes[2], SluiceRepeatedAxes *axes);
