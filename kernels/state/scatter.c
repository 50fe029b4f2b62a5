/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Scatters change rows of a variable in place: row indices[k] by row k of the updates (or by one
 * number for all), in order where a number comes twice. The Nd forms take coordinates. The plain
 * ops take references and hand the variable on, the Resource ops take handles.
 */
#include <glib/gi18n-lib.h>

#include "kernels/state/access.h"

static gboolean
fail_updates (SluiceShapeContext *c, const SluiceShape *variable, GError **error)
{
  char text[3][SLUICE_SHAPE_STR];
  return sluice_shape_context_fail (
      c, error,
      "updates of shape %s do not fit a variable of shape %s and indices of shape %s; each index "
      "needs one row",
      sluice_shape_str (&c->inputs[2], text[0]), sluice_shape_str (variable, text[1]),
      sluice_shape_str (&c->inputs[1], text[2]));
}

/* Are the updates' dimensions from `at` on those of the variable from `from` on? */
static gboolean
rows_fit (const SluiceShape *updates, int at, const SluiceShape *variable, int from)
{
  if (updates->rank - at != variable->rank - from)
    return FALSE;
  for (; at < updates->rank; at++, from++)
    if (updates->dim[at] >= 0 && variable->dim[from] >= 0
        && updates->dim[at] != variable->dim[from])
      return FALSE;
  return TRUE;
}

static gboolean
starts_with (const SluiceShape *updates, const SluiceShape *indices, int n)
{
  for (int i = 0; i < n; i++)
    if (i >= updates->rank
        || (updates->dim[i] >= 0 && indices->dim[i] >= 0 && updates->dim[i] != indices->dim[i]))
      return FALSE;
  return TRUE;
}

static void
set_reference (SluiceShapeContext *c, const SluiceShape *variable)
{
  if (c->n_outputs > 0)
    sluice_shape_context_set (c, 0, variable);
}

static gboolean
scatter_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape variable = sluice_shape_context_variable (c, 0);
  const SluiceShape *indices = &c->inputs[1], *updates = &c->inputs[2];
  set_reference (c, &variable);
  if (variable.rank == 0)
    return sluice_shape_context_fail (c, error, "the variable is a scalar, which has no rows");
  if (variable.rank < 0 || indices->rank < 0 || updates->rank <= 0)
    return TRUE;
  return (starts_with (updates, indices, indices->rank)
          && rows_fit (updates, indices->rank, &variable, 1))
         || fail_updates (c, &variable, error);
}

static gboolean
scatter_nd_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape variable = sluice_shape_context_variable (c, 0);
  const SluiceShape *indices = &c->inputs[1], *updates = &c->inputs[2];
  set_reference (c, &variable);
  if (!sluice_shape_context_want_rank_at_least (c, 1, 1, error))
    return FALSE;
  if (indices->rank < 0 || updates->rank < 0)
    return TRUE;
  int outer = indices->rank - 1;
  if (!starts_with (updates, indices, outer))
    return fail_updates (c, &variable, error);
  gint64 depth = indices->dim[outer];
  if (variable.rank < 0 || depth < 0)
    return TRUE;
  return (depth <= variable.rank && rows_fit (updates, outer, &variable, (int) depth))
         || fail_updates (c, &variable, error);
}

static void
scatter_cost (const SluiceNode *node,
              const SluiceShape *in,
              const SluiceShape *out,
              SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&in[2]);
  cost->flops = n;
  cost->bytes = 3 * n * (double) sluice_dtype_size (sluice_edge_dtype (node->inputs[2]));
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("changes a variable: tests/kernels/test-scatter makes one")
};

#define SCATTER_OP(id, op_name, text, io, attributes, rule, more_flags)                            \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = io,                                                                               \
    .attrs = attributes,                                                                           \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_NOT_DIFFERENTIABLE | (more_flags),                                          \
    .shape = rule,                                                                                 \
    .cost = scatter_cost,                                                                          \
    .recipe = &recipe,                                                                             \
  };

#define REFERENCE_IO "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)"
#define HANDLE_IO    "resource: resource, indices: Tindices, updates: dtype ->"
#define HANDLE_ND_IO "ref: resource, indices: Tindices, updates: T ->"
#define INDEX        "; Tindices: index"
#define ORDERED      "{half, bfloat16, float, double, int32, int64}"

/* types: of the reference and of the handle; locking: the default of use_locking */
#define SCATTER(id, name, text, types, handle_types, locking, more_flags)                          \
  SCATTER_OP (id##_op, "Scatter" name, text, REFERENCE_IO,                                         \
              "T: " types INDEX "; use_locking: bool = " locking, scatter_shape, more_flags)       \
  SCATTER_OP (resource_##id##_op, "ResourceScatter" name, text, HANDLE_IO,                         \
              "dtype: " handle_types INDEX, scatter_shape, SLUICE_OP_STATEFUL | (more_flags))
#define SCATTER_ND(id, name, text, types, locking)                                                 \
  SCATTER_OP (id##_op, "ScatterNd" name, text, REFERENCE_IO,                                       \
              "T: " types INDEX "; use_locking: bool = " locking                                   \
              "; bad_indices_policy: string = ''",                                                 \
              scatter_nd_shape, 0)                                                                 \
  SCATTER_OP (resource_##id##_op, "ResourceScatterNd" name, text, HANDLE_ND_IO,                    \
              "T: type" INDEX "; use_locking: bool = true; bad_indices_policy: string = ''",       \
              scatter_nd_shape, SLUICE_OP_STATEFUL)

SCATTER (update, "Update", N_ ("Gives rows of a variable new values"), "type", "type", "true", 0)
SCATTER (add,
         "Add",
         N_ ("Adds to rows of a variable"),
         "number",
         "number",
         "false",
         SLUICE_OP_TAKES_STEP)
SCATTER (sub,
         "Sub",
         N_ ("Subtracts from rows of a variable"),
         "number",
         "number",
         "false",
         SLUICE_OP_TAKES_STEP)
SCATTER (mul, "Mul", N_ ("Multiplies rows of a variable"), "number", "number", "false", 0)
SCATTER (div, "Div", N_ ("Divides rows of a variable"), "number", "number", "false", 0)
SCATTER (min,
         "Min",
         N_ ("Rows of a variable, where they are not greater"),
         ORDERED,
         "number",
         "false",
         0)
SCATTER (
    max, "Max", N_ ("Rows of a variable, where they are not less"), ORDERED, "number", "false", 0)
SCATTER_ND (nd_update, "Update", N_ ("Gives slices of a variable new values"), "type", "true")
SCATTER_ND (nd_add, "Add", N_ ("Adds to slices of a variable"), "number", "false")
SCATTER_ND (nd_sub, "Sub", N_ ("Subtracts from slices of a variable"), "number", "false")
SCATTER_ND (
    nd_min, "Min", N_ ("Slices of a variable, where they are not greater"), "number", "false")
SCATTER_ND (nd_max, "Max", N_ ("Slices of a variable, where they are not less"), "number", "false")

#define BOTH(id) &id##_op, &resource_##id##_op
static const SluiceOpDef *const ops[] = {
  BOTH (update), BOTH (add),       BOTH (sub),    BOTH (mul),    BOTH (div),    BOTH (min),
  BOTH (max),    BOTH (nd_update), BOTH (nd_add), BOTH (nd_sub), BOTH (nd_min), BOTH (nd_max),
};

const SluiceKernelModule sluice_module_state_scatter = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
