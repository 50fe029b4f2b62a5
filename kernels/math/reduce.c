/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Reductions over some dimensions: Sum, Mean, Prod, Max, Min, All, Any; L2Loss over all of them.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/math/gradients.h"
#include "kernels/math/reduce.h"
#include "kernels/math/types.h"

/* ---- shapes ---- */

/* Are the axes range (rank (input)), as where all of an input of unknown rank is reduced? */
static gboolean
reduces_all (SluiceShapeContext *c)
{
  const SluiceNode *range = c->node->inputs[1].node;
  if (range == NULL || !g_str_equal (range->op_name, "Range") || range->n_inputs != 3)
    return FALSE;
  const SluiceTensor *from = sluice_edge_constant (range->inputs[0]);
  const SluiceTensor *step = sluice_edge_constant (range->inputs[2]);
  const SluiceNode *rank = range->inputs[1].node;
  SluiceEdge input = c->node->inputs[0];
  return from != NULL && sluice_tensor_get_int (from, 0) == 0 && step != NULL
         && sluice_tensor_get_int (step, 0) == 1 && rank != NULL
         && sluice_node_get_role (rank) == SLUICE_ROLE_RANK && rank->inputs[0].node == input.node
         && rank->inputs[0].port == input.port;
}

static gboolean
reduce_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *input = &c->inputs[0];
  const SluiceTensor *values = sluice_shape_context_constant (c, 1);
  gboolean keep_dims = sluice_node_get_bool (c->node, "keep_dims");
  if (input->rank == SLUICE_UNKNOWN_RANK)
    {
      if (!keep_dims && reduces_all (c))
        sluice_shape_context_set (c, 0, &SLUICE_SHAPE_SCALAR);
      return TRUE;
    }
  if (values == NULL)
    {
      SluiceShape of_rank = sluice_shape_of_rank (input->rank);
      if (keep_dims)
        sluice_shape_context_set (c, 0, &of_rank);
      return TRUE;
    }
  SluiceAxes axes;
  g_autoptr (GError) why = NULL;
  if (!sluice_axes_read (&axes, values, input->rank, &why))
    return sluice_shape_context_fail (c, error, "%s", why->message);
  SluiceShape out = sluice_axes_apply (&axes, input, keep_dims);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* ---- gradients ---- */

/* What is known of a reduction while its gradient is built. */
typedef struct
{
  gboolean is_static; /* the input's shape and the axes */
  SluiceAxes axes;
  SluiceShape input;
  SluiceShape kept; /* the input's shape with 1 for what is reduced */
} Known;

static Known
what_is_known (SluiceGradContext *g)
{
  Known known = { .input = *sluice_edge_shape (g->node->inputs[0]) };
  const SluiceNode *axes = g->node->inputs[1].node;
  if (sluice_node_get_role (axes) != SLUICE_ROLE_CONST || !sluice_shape_is_known (&known.input))
    return known;
  const SluiceAttrValue *value = sluice_node_get_attr (axes, "value");
  known.is_static = sluice_axes_read (&known.axes, value->tensor, known.input.rank, NULL);
  if (known.is_static)
    known.kept = sluice_axes_apply (&known.axes, &known.input, TRUE);
  return known;
}

static SluiceEdge
constant_dims (SluiceGradContext *g, const gint64 *dims, int n)
{
  return sluice_builder_const_ints (&g->b, SLUICE_INT32, dims, n);
}

static SluiceEdge
cast (SluiceGradContext *g, SluiceEdge e, SluiceDType to)
{
  return sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", to)), e);
}

/* The axes as int32 vector, counted from 0, when they are known only as the step runs. */
static SluiceEdge
running_axes (SluiceGradContext *g, SluiceEdge rank)
{
  SluiceEdge minus_one = constant_dims (g, (gint64[]){ -1 }, 1);
  SluiceEdge axes = MAKE ("Reshape", cast (g, sluice_grad_input (g, 1), SLUICE_INT32), minus_one);
  return MAKE ("FloorMod", MAKE ("AddV2", axes, rank), rank);
}

static SluiceEdge
range_to (SluiceGradContext *g, SluiceEdge limit)
{
  return MAKE ("Range", sluice_builder_const_int32 (&g->b, 0), limit,
               sluice_builder_const_int32 (&g->b, 1));
}

/* The input's shape with 1 for what is reduced. */
static SluiceEdge
kept_shape (SluiceGradContext *g, const Known *known)
{
  if (known->is_static)
    return constant_dims (g, known->kept.dim, known->kept.rank);
  SluiceEdge shape = MAKE ("Shape", sluice_grad_input (g, 0));
  SluiceEdge rank = MAKE ("Size", shape), axes = running_axes (g, rank);
  SluiceEdge ones = MAKE ("Fill", MAKE ("Shape", axes), sluice_builder_const_int32 (&g->b, 1));
  return sluice_op_with (&g->b, "DynamicStitch", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                         range_to (g, rank), axes, shape, ones);
}

/* dy with its reduced dimensions back, as 1. */
static SluiceEdge
dy_with_kept_dims (SluiceGradContext *g, const Known *known)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  if (sluice_node_get_bool (g->node, "keep_dims"))
    return dy;
  return MAKE ("Reshape", dy, kept_shape (g, known));
}

/* dy spread over the input's shape. */
static SluiceEdge
spread_dy (SluiceGradContext *g, const Known *known)
{
  SluiceEdge dy = dy_with_kept_dims (g, known);
  if (!known->is_static)
    return MAKE ("BroadcastTo", dy, MAKE ("Shape", sluice_grad_input (g, 0)));
  gint64 multiples[SLUICE_MAX_RANK];
  for (int d = 0; d < known->input.rank; d++)
    multiples[d] = known->input.dim[d] / MAX (1, known->kept.dim[d]);
  return MAKE ("Tile", dy, constant_dims (g, multiples, known->input.rank));
}

static gboolean
sum_gradient (SluiceGradContext *g, GError **error)
{
  Known known = what_is_known (g);
  sluice_grad_set (g, 0, spread_dy (g, &known));
  return TRUE;
}

static gboolean
mean_gradient (SluiceGradContext *g, GError **error)
{
  Known known = what_is_known (g);
  SluiceEdge spread = spread_dy (g, &known), count;
  if (known.is_static)
    {
      gint64 outputs = MAX (1, sluice_shape_n_elements (&known.kept));
      count =
          gradient_number (g, spread, (double) (sluice_shape_n_elements (&known.input) / outputs));
    }
  else
    {
      SluiceEdge shape = MAKE ("Shape", sluice_grad_input (g, 0));
      SluiceEdge axes = running_axes (g, MAKE ("Size", shape));
      SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
      SluiceEdge sizes = MAKE ("GatherV2", shape, axes, zero);
      count = cast (g, MAKE ("Prod", sizes, zero), gradient_dtype (spread));
    }
  sluice_grad_set (g, 0, MAKE ("RealDiv", spread, count));
  return TRUE;
}

/* Elements that equal the extreme share its gradient. */
static gboolean
extreme_gradient (SluiceGradContext *g, GError **error)
{
  Known known = what_is_known (g);
  SluiceEdge kept = kept_shape (g, &known), x = sluice_grad_input (g, 0);
  SluiceEdge y = MAKE ("Reshape", sluice_grad_output (g, 0), kept);
  SluiceEdge dy = MAKE ("Reshape", sluice_grad_dy (g, 0), kept);
  SluiceEdge chosen = cast (g, MAKE ("Equal", y, x), gradient_dtype (x));
  SluiceEdge sum = MAKE ("Sum", chosen, sluice_grad_input (g, 1));
  SluiceEdge share = MAKE ("RealDiv", chosen, MAKE ("Reshape", sum, kept));
  sluice_grad_set (g, 0, MAKE ("Mul", share, dy));
  return TRUE;
}

/* The order of dimensions that puts the reduced ones first, and the sizes of both parts. */
typedef struct
{
  SluiceEdge order, reduced_size, other_size;
} ProdOrder;

static ProdOrder
prod_order_static (SluiceGradContext *g, const Known *known)
{
  gint64 order[SLUICE_MAX_RANK], size[2] = { 1, 1 };
  int n = 0;
  for (int part = 0; part < 2; part++)
    for (int d = 0; d < known->input.rank; d++)
      if (known->axes.reduced[d] == (part == 0))
        {
          order[n++] = d;
          size[part] *= known->input.dim[d];
        }
  return (ProdOrder){ constant_dims (g, order, n),
                      sluice_builder_const_int32 (&g->b, (gint32) size[0]),
                      sluice_builder_const_int32 (&g->b, (gint32) size[1]) };
}

static ProdOrder
prod_order_running (SluiceGradContext *g)
{
  SluiceEdge shape = MAKE ("Shape", sluice_grad_input (g, 0)), rank = MAKE ("Size", shape);
  SluiceEdge reduced = running_axes (g, rank), zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge other = MAKE ("ListDiff", range_to (g, rank), reduced);
  ProdOrder order;
  order.order = sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)), reduced,
                                other, zero);
  order.reduced_size = MAKE ("Prod", MAKE ("GatherV2", shape, reduced, zero), zero);
  order.other_size = MAKE ("Prod", MAKE ("GatherV2", shape, other, zero), zero);
  return order;
}

static SluiceEdge
products_but_own (SluiceGradContext *g, SluiceEdge table, gboolean reverse)
{
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  return sluice_op_with (
      &g->b, "Cumprod",
      SLUICE_ATTRS (sluice_attr_bool ("exclusive", TRUE), sluice_attr_bool ("reverse", reverse)),
      table, zero);
}

/* Dividing the product by each factor fails at 0: the products left and right of it are taken. */
static gboolean
prod_gradient (SluiceGradContext *g, GError **error)
{
  Known known = what_is_known (g);
  SluiceEdge x = sluice_grad_input (g, 0), dy = spread_dy (g, &known);
  ProdOrder order = known.is_static ? prod_order_static (g, &known) : prod_order_running (g);
  SluiceEdge moved = MAKE ("Transpose", x, order.order), moved_shape = MAKE ("Shape", moved);
  SluiceEdge sizes = sluice_op_with (&g->b, "Pack", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                                     order.reduced_size, order.other_size);
  SluiceEdge table = MAKE ("Reshape", moved, sizes);
  SluiceEdge left = gradient_conj (g, products_but_own (g, table, FALSE));
  SluiceEdge right = gradient_conj (g, products_but_own (g, table, TRUE));
  SluiceEdge others = MAKE ("Reshape", MAKE ("Mul", left, right), moved_shape);
  SluiceEdge back = MAKE ("Transpose", others, MAKE ("InvertPermutation", order.order));
  sluice_grad_set (g, 0, MAKE ("Reshape", MAKE ("Mul", dy, back), MAKE ("Shape", x)));
  return TRUE;
}

/* x · dy / y, as TensorFlow: no number where the norm is 0. */
static gboolean
norm_gradient (SluiceGradContext *g, GError **error)
{
  Known known = what_is_known (g);
  SluiceEdge y = sluice_grad_output (g, 0), dy = sluice_grad_dy (g, 0);
  if (!sluice_node_get_bool (g->node, "keep_dims"))
    {
      SluiceEdge kept = kept_shape (g, &known);
      y = MAKE ("Reshape", y, kept);
      dy = MAKE ("Reshape", dy, kept);
    }
  sluice_grad_set (g, 0, MAKE ("RealDiv", sluice_grad_input (g, 0), MAKE ("RealDiv", y, dy)));
  return TRUE;
}

static gboolean
l2_loss_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, MAKE ("Mul", sluice_grad_input (g, 0), sluice_grad_dy (g, 0)));
  return TRUE;
}

/* ---- definitions ---- */

static void
reduce_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  gint64 n_in = sluice_shape_n_elements (&in[0]), n_out = sluice_shape_n_elements (&out[0]);
  cost->flops = (double) n_in;
  cost->bytes = (double) sluice_dtype_size (node->outputs[0].dtype) * (n_in + n_out);
}

#define REDUCE_SAMPLES(type, domain, rtol)                                                         \
  {                                                                                                \
    { NULL, type "[4,3,5]" domain "; int32[1]={0}", rtol, rtol },                                  \
        { NULL, type "[4,3,5]" domain "; int32[1]={-1}", rtol, rtol },                             \
        { "keep_dims=true", type "[2,3,2,3]" domain "; int32[2]={1,-1}", rtol, rtol },             \
        { NULL, type "[2,3,2,3]" domain "; int32[2]={2,0}", rtol, rtol },                          \
        { NULL, type "[17]" domain "; int32[]={0}", rtol, rtol },                                  \
        { NULL, type "[3,1]" domain "; int32[1]={1}", rtol, rtol },                                \
        { NULL, type "[]" domain "; int32[0]={}", rtol, rtol },                                    \
        { NULL, type "[2,3]" domain "; int64[2]={0,1}", rtol, rtol },                              \
        { NULL, type "[2,0,3]" domain "; int32[1]={1}", rtol, rtol, .no_gradient = TRUE },         \
        { NULL, type "[0,3]" domain "; int32[1]={1}", rtol, rtol, .no_gradient = TRUE },           \
        { NULL, type "[3,5000]" domain "; int32[1]={1}", rtol, rtol, .no_gradient = TRUE },        \
        { NULL, type "[300,70]" domain "; int32[1]={0}", rtol, rtol, .no_gradient = TRUE },        \
  }

#define NUMBER_TYPES "T: {" SLUICE_NUMBER_TYPES "}"
#define REAL_TYPES   "T: {" SLUICE_REAL_TYPES ", " SLUICE_QUANTIZED_TYPES "}"

#define REDUCTION(op, role_, arg, type, types, set, domain, rtol, summary_, gradient_, flags_)     \
  static const SluiceSample samples_##op[] = REDUCE_SAMPLES (type, domain, rtol);                  \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op), set };      \
  static const SluiceOpDef def_##op = {                                                            \
    .name = #op,                                                                                   \
    .signature = "input: " arg ", reduction_indices: Tidx -> output: " arg,                        \
    .attrs = types "keep_dims: bool = false; Tidx: {int32, int64} = int32",                        \
    .summary = summary_,                                                                           \
    .role = role_,                                                                                 \
    .flags = flags_,                                                                               \
    .shape = reduce_shape,                                                                         \
    .gradient = gradient_,                                                                         \
    .cost = reduce_cost,                                                                           \
    .recipe = &recipe_##op                                                                         \
  };
#define NUMBERS(op, role, types, set, domain, rtol, summary, gradient)                             \
  REDUCTION (op, role, "T", "float", types "; ", set, domain, rtol, summary, gradient,             \
             SLUICE_OP_MAY_SHARE)
#define TRUTHS(op, summary)                                                                        \
  REDUCTION (op, SLUICE_ROLE_NONE, "bool", "bool", "", 0, "", 0, summary, NULL,                    \
             SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_MAY_SHARE)

/* clang-format off */
NUMBERS (Sum, SLUICE_ROLE_SUM, NUMBER_TYPES, SLUICE_SET_NUMBER, " in (-3,3)", 1e-5, N_ ("Sum over some dimensions"), sum_gradient)
NUMBERS (Mean, SLUICE_ROLE_NONE, NUMBER_TYPES, SLUICE_SET_NUMBER, " in (-3,3)", 1e-5, N_ ("Mean over some dimensions"), mean_gradient)
NUMBERS (Prod, SLUICE_ROLE_NONE, NUMBER_TYPES, SLUICE_SET_NUMBER, " in (0.95,1.05)", 1e-4, N_ ("Product over some dimensions"), prod_gradient)
NUMBERS (Max, SLUICE_ROLE_NONE, REAL_TYPES, SLUICE_SET_REAL, " in (-3,3)", 0, N_ ("Largest over some dimensions"), extreme_gradient)
NUMBERS (Min, SLUICE_ROLE_NONE, REAL_TYPES, SLUICE_SET_REAL, " in (-3,3)", 0, N_ ("Smallest over some dimensions"), extreme_gradient)
NUMBERS (EuclideanNorm, SLUICE_ROLE_NONE, NUMBER_TYPES, SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX | SLUICE_SET_INDEX, " in (-3,3)", 1e-5, N_ ("Square root of the sum of squares, over some dimensions"), norm_gradient)
TRUTHS (All, N_ ("Are all true, over some dimensions?"))
TRUTHS (Any, N_ ("Is one true, over some dimensions?"))
/* clang-format on */

static const SluiceSample samples_L2Loss[] = {
  { NULL, "float[4,3,5]", 1e-5, 1e-6 },
  { NULL, "float[]", 1e-6, 1e-6 },
  { NULL, "float[0,2]" },
  { NULL, "float[100,100]", 1e-5, 1e-6, .no_gradient = TRUE },
};
static const SluiceRecipe recipe_L2Loss = { samples_L2Loss, G_N_ELEMENTS (samples_L2Loss),
                                            SLUICE_SET_FLOATS };
static const SluiceOpDef def_L2Loss = { .name = "L2Loss",
                                        .signature = "t: T -> output: T",
                                        .attrs = "T: {half, bfloat16, float, double}",
                                        .summary = N_ ("Half the sum of squares"),
                                        .shape = sluice_shape_scalar,
                                        .gradient = l2_loss_gradient,
                                        .cost = reduce_cost,
                                        .recipe = &recipe_L2Loss };

static const SluiceOpDef *const ops[] = { &def_Sum, &def_Mean,   &def_Prod,
                                          &def_Max, &def_Min,    &def_All,
                                          &def_Any, &def_L2Loss, &def_EuclideanNorm };

const SluiceKernelModule sluice_module_math_reduce = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
