/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Cast: elements in another dtype. Floats are cut towards zero where they become integers, integers
 * wrap, NaN and what does not fit become the lowest int32 or int64, as x86 has it.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
cast_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceDTypeSet continuous = SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX;
  SluiceDType from = sluice_node_get_type (g->node, "SrcT");
  SluiceDType to = sluice_node_get_type (g->node, "DstT");
  if (sluice_dtype_in (from, continuous) && sluice_dtype_in (to, continuous))
    sluice_grad_set (g, 0,
                     sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", from)),
                                     sluice_grad_dy (g, 0)));
  return TRUE;
}

static const SluiceSample samples[] = {
  { "DstT=double", "float[2,3]", 1e-4, 1e-5 },  { "DstT=int32", "float[7]", 0, 0, TRUE },
  { "DstT=float", "int32[0,2]", 0, 0, TRUE },   { "DstT=bool", "int64[3]={0,-1,7}", 0, 0, TRUE },
  { "DstT=complex64", "float[4]", 1e-4, 1e-5 },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

#define CAST(op, text)                                                                             \
  {                                                                                                \
    .name = op, .signature = "x: SrcT -> y: DstT",                                                 \
    .attrs = "SrcT: type; DstT: type; Truncate: bool = false", .summary = text,                    \
    .role = SLUICE_ROLE_CAST, .flags = SLUICE_OP_MAY_SHARE, .shape = sluice_shape_unchanged,       \
    .gradient = cast_gradient, .recipe = &recipe,                                                  \
  }
static const SluiceOpDef cast_op = CAST ("Cast", N_ ("Elements in another dtype"));
static const SluiceOpDef host_cast_op =
    CAST ("_HostCast", N_ ("Elements in another dtype, in host memory"));

static const SluiceOpDef *const ops[] = { &cast_op, &host_cast_op };

const SluiceKernelModule sluice_module_array_cast = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
