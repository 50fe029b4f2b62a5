/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Select: elements of t where the condition is true, of e where it is not; the condition has their
 * shape, or is a scalar, or a vector that chooses whole rows. SelectV2: all three broadcast.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/math/gradients.h"

static gboolean
select_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *condition = &c->inputs[0];
  SluiceShape out;
  if (!sluice_shape_context_merge (c, 1, 2, &out, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &out);
  if (condition->rank == SLUICE_UNKNOWN_RANK || condition->rank == 0
      || out.rank == SLUICE_UNKNOWN_RANK)
    return TRUE;
  SluiceShape rows = sluice_shape_of_rank (1);
  if (out.rank > 0)
    rows.dim[0] = out.dim[0];
  gboolean fits = condition->rank == 1 && out.rank > 1
                      ? sluice_shape_compatible (condition, &rows)
                      : sluice_shape_merge (condition, &out, &c->outputs[0].shape);
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  return fits
         || sluice_shape_context_fail (c, error,
                                       "a condition of shape %s does not choose from %s; give it "
                                       "that shape, a vector of its rows or a scalar",
                                       sluice_shape_str (condition, a), sluice_shape_str (&out, b));
}

static gboolean
select_v2_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape out = c->inputs[0];
  for (guint i = 1; i < 3; i++)
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      SluiceShape before = out;
      if (!sluice_shape_broadcast (&before, &c->inputs[i], &out))
        return sluice_shape_context_fail (c, error, "shapes %s and %s do not broadcast",
                                          sluice_shape_str (&before, a),
                                          sluice_shape_str (&c->inputs[i], b));
    }
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
select_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge condition = sluice_grad_input (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceEdge zeros = MAKE ("ZerosLike", sluice_grad_input (g, 1));
  sluice_grad_set (g, 1, MAKE ("Select", condition, dy, zeros));
  sluice_grad_set (g, 2, MAKE ("Select", condition, zeros, dy));
  return TRUE;
}

/* e, which has the output's shape, added up to the shape of input i. */
static SluiceEdge
reduce_to_input (SluiceGradContext *g, SluiceEdge e, guint i)
{
  const SluiceShape *mine = sluice_edge_shape (g->node->inputs[i]);
  if (sluice_shape_is_known (mine) && sluice_shape_equal (mine, &g->node->outputs[0].shape))
    return e;
  SluiceEdge shape = MAKE ("Shape", sluice_grad_input (g, i));
  SluiceEdge axes = MAKE ("BroadcastGradientArgs", shape, MAKE ("Shape", e));
  return MAKE ("Reshape", MAKE ("Sum", e, axes), shape);
}

static gboolean
select_v2_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge condition = sluice_grad_input (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceEdge zero = gradient_number (g, dy, 0);
  SluiceEdge dt = MAKE ("SelectV2", condition, dy, zero);
  SluiceEdge de = MAKE ("SelectV2", condition, zero, dy);
  sluice_grad_set (g, 1, reduce_to_input (g, dt, 1));
  sluice_grad_set (g, 2, reduce_to_input (g, de, 2));
  return TRUE;
}

static const SluiceSample select_samples[] = {
  { NULL, "bool[3,4]; float[3,4]; float[3,4]" },
  { NULL, "bool[]; float[3,4]; float[3,4]" },
  { NULL, "bool[3]; float[3,4,2]; float[3,4,2]" },
  { NULL, "bool[17]; float[17]; float[17]" },
  { NULL, "bool[0]; float[0,3]; float[0,3]" },
  { NULL, "bool[300]; float[300,100]; float[300,100]", .no_gradient = TRUE },
};
static const SluiceSample select_v2_samples[] = {
  { NULL, "bool[3,4]; float[3,4]; float[3,4]" },
  { NULL, "bool[3,1]; float[4]; float[]" },
  { NULL, "bool[]; float[2]; float[3,1]" },
  { NULL, "bool[3]; float[2,3]; float[2,1]" },
  { NULL, "bool[0]; float[2,1]; float[]" },
  { NULL, "bool[300,1]; float[300,100]; float[100]", .no_gradient = TRUE },
};
#define SELECT_TYPES (SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL) | SLUICE_SET (SLUICE_STRING))
static const SluiceRecipe select_recipe = { select_samples, G_N_ELEMENTS (select_samples),
                                            SELECT_TYPES };
static const SluiceRecipe select_v2_recipe = { select_v2_samples, G_N_ELEMENTS (select_v2_samples),
                                               SELECT_TYPES };

static const SluiceOpDef select_op = {
  .name = "Select",
  .signature = "condition: bool, t: T, e: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("Chooses elements or rows of two tensors"),
  .shape = select_shape,
  .gradient = select_gradient,
  .recipe = &select_recipe,
};
static const SluiceOpDef select_v2_op = {
  .name = "SelectV2",
  .signature = "condition: bool, t: T, e: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("Chooses elements of two tensors, shapes broadcast"),
  .shape = select_v2_shape,
  .gradient = select_v2_gradient,
  .recipe = &select_v2_recipe,
};

static const SluiceOpDef *const ops[] = { &select_op, &select_v2_op };

const SluiceKernelModule sluice_module_math_select = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
