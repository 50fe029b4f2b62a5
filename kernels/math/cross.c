/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Cross: products of vectors of three, in the innermost dimension. */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/gradients.h"
#include "kernels/math/types.h"

static gboolean
cross_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape out;
  char text[SLUICE_SHAPE_STR];
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error)
      || !sluice_shape_context_merge (c, 0, 1, &out, error))
    return FALSE;
  if (out.rank > 0 && out.dim[out.rank - 1] != 3 && out.dim[out.rank - 1] != SLUICE_UNKNOWN_DIM)
    return sluice_shape_context_fail (c, error, "the last dimension must be 3, but the shape is %s",
                                      sluice_shape_str (&out, text));
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
cross_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, MAKE ("Cross", sluice_grad_input (g, 1), dy));
  sluice_grad_set (g, 1, MAKE ("Cross", dy, sluice_grad_input (g, 0)));
  return TRUE;
}

static const SluiceSample samples[] = {
  { NULL, "float[3] in (-3,3); float[3] in (-3,3)", 1e-6, 1e-6 },
  { NULL, "float[2,5,3] in (-3,3); float[2,5,3] in (-3,3)", 1e-6, 1e-6 },
  { NULL, "float[0,3]; float[0,3]" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples), SLUICE_SET_REAL };

static const SluiceOpDef cross = {
  .name = "Cross",
  .signature = "a: T, b: T -> product: T",
  .attrs = "T: {" SLUICE_REAL_TYPES "}",
  .summary = N_ ("Cross products of vectors of three"),
  .shape = cross_shape,
  .gradient = cross_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &cross };

const SluiceKernelModule sluice_module_math_cross = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
