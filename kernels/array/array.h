/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

/* What the definitions and kernels of this folder share. */

/* A kernel that moves data: the same bits whatever the mode of denormals. */
#define SLUICE_ARRAY_KERNEL(op_name, ...)                                                          \
  {                                                                                                \
    .op = op_name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, __VA_ARGS__            \
  }

/**
 * sluice_call_axis:
 *
 * Reads axis `value` of something with `rank` dimensions; negative ones count from the end.
 * FALSE: out of range, call->error is set
 */
gboolean sluice_call_axis (SluiceKernelCall *call, gint64 value, int rank, int *axis);

/**
 * sluice_call_ints:
 * @n: (out): how many there are
 *
 * Reads a scalar or vector of at most SLUICE_MAX_RANK int32 or int64 at input i.
 */
gboolean sluice_call_ints (SluiceKernelCall *call, guint i, gint64 values[SLUICE_MAX_RANK], int *n);

/* Reads a shape (a vector of sizes, none negative) at input i. */
gboolean sluice_call_shape (SluiceKernelCall *call, guint i, SluiceShape *shape);

/* The same two for shape functions. axis: FALSE out of range, with an error; *axis is untouched and
 * *known FALSE where the rank or the value is not known. */
gboolean
sluice_shape_axis (SluiceShapeContext *c, gint64 value, int rank, int *axis, GError **error);

/* Of kernels with attribute bad_indices_policy: the state is TRUE where indices out of range are
 * skipped, else they are an error. */
gpointer sluice_bad_indices_prepare (const SluiceNode *node, GError **error);

/* Elements before, at and after an axis. */
typedef struct
{
  gint64 outer, size, inner;
} SluiceAxisSplit;
SluiceAxisSplit sluice_axis_split (const SluiceShape *shape, int axis);

/* Nodes for gradients: the shape of an edge as int32 or int64 (a constant where it is known). */
SluiceEdge sluice_grad_shape_of (SluiceGradContext *g, SluiceEdge edge, SluiceDType dtype);
/* An attribute with the value that it has in the forward node. */
static inline SluiceAttr
sluice_grad_attr (SluiceGradContext *g, const char *name)
{
  return sluice_attr_value (name, sluice_node_get_attr (g->node, name));
}
/* All elements of a tensor added up. */
SluiceEdge sluice_grad_sum_all (SluiceGradContext *g, SluiceEdge edge);
