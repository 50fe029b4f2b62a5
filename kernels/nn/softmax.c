/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Softmax e^x / Σ e^x and its logarithm along the last dimension, and the two losses that contain
 * them: -Σ label log softmax (logits), with a distribution or a class number as label. Both give
 * their gradient as a second output: softmax (logits) - label.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static gboolean
softmax_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank_at_least (c, 0, 1, error)
         && sluice_shape_unchanged (c, error);
}

static gboolean
xent_shape (SluiceShapeContext *c, GError **error)
{
  /* As a rule they have one shape; else one is broadcast. */
  SluiceShape both = sluice_shape_of_rank (2);
  gboolean same = sluice_shape_merge (&c->inputs[0], &both, &both)
                  && sluice_shape_merge (&c->inputs[1], &both, &both);
  if (!same
      && (!sluice_shape_broadcast (&c->inputs[0], &c->inputs[1], &both)
          || (both.rank >= 0 && both.rank != 2)))
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (
          c, error, "logits %s and labels %s must be, or broadcast to, one matrix",
          sluice_shape_str (&c->inputs[0], a), sluice_shape_str (&c->inputs[1], b));
    }
  gboolean known = both.rank == 2;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (known ? both.dim[0] : SLUICE_UNKNOWN_DIM));
  sluice_shape_context_set (c, 1,
                            &SLUICE_SHAPE (known ? both.dim[0] : SLUICE_UNKNOWN_DIM,
                                           known ? both.dim[1] : SLUICE_UNKNOWN_DIM));
  return TRUE;
}

static gboolean
sparse_xent_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  SluiceShape logits = c->inputs[0].rank == 2 ? c->inputs[0] : sluice_shape_of_rank (2);
  gint64 labels = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (logits.dim[0] >= 0 && labels >= 0 && logits.dim[0] != labels)
    return sluice_shape_context_fail (
        c, error, "%" G_GINT64_FORMAT " rows of logits, but %" G_GINT64_FORMAT " labels",
        logits.dim[0], labels);
  logits.dim[0] = MAX (logits.dim[0], labels);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (logits.dim[0]));
  sluice_shape_context_set (c, 1, &logits);
  return TRUE;
}

static gboolean
in_top_k_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  gint64 rows = c->inputs[0].rank == 2 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM;
  gint64 targets = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (rows >= 0 && targets >= 0 && rows != targets)
    return sluice_shape_context_fail (
        c, error, "%" G_GINT64_FORMAT " rows of predictions, but %" G_GINT64_FORMAT " targets",
        rows, targets);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (MAX (rows, targets)));
  return TRUE;
}

/* ---- gradients ---- */

/* Σ along the last dimension, which is kept. */
static SluiceEdge
sum_last (SluiceBuilder *b, SluiceEdge x)
{
  gint64 last = -1;
  return sluice_op_with (b, "Sum", SLUICE_ATTRS (sluice_attr_bool ("keep_dims", TRUE)), x,
                         sluice_builder_const_ints (b, SLUICE_INT32, &last, 1));
}

/* dx = (dy - Σ dy y) y */
static gboolean
softmax_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge dy = sluice_grad_dy (g, 0), y = sluice_grad_output (g, 0);
  SluiceEdge sum = sum_last (b, sluice_op (b, "Mul", dy, y));
  sluice_grad_set (g, 0, sluice_op (b, "Mul", sluice_op (b, "Sub", dy, sum), y));
  return TRUE;
}

/* dx = dy - Σ dy e^y */
static gboolean
log_softmax_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge softmax = sluice_op (b, "Exp", sluice_grad_output (g, 0));
  SluiceEdge spread = sluice_op (b, "Mul", sum_last (b, dy), softmax);
  sluice_grad_set (g, 0, sluice_op (b, "Sub", dy, spread));
  return TRUE;
}

/* Multiplies each row of a matrix by an element of a vector. */
static SluiceEdge
scale_rows (SluiceBuilder *b, SluiceEdge vector, SluiceEdge matrix)
{
  SluiceEdge column = sluice_op (b, "ExpandDims", vector, sluice_builder_const_int32 (b, -1));
  return sluice_op (b, "Mul", column, matrix);
}

/*
 * The gradient of the logits: through the loss the second output, and, where the second output is
 * itself differentiated, what comes back through a softmax.
 */
static SluiceEdge
logits_gradient (SluiceGradContext *g)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge dlogits = scale_rows (b, sluice_grad_dy (g, 0), sluice_grad_output (g, 1));
  if (!sluice_grad_has_dy (g, 1))
    return dlogits;
  SluiceEdge dd = sluice_grad_dy (g, 1);
  SluiceEdge softmax = sluice_op (b, "Softmax", sluice_grad_input (g, 0));
  SluiceEdge sum = sum_last (b, sluice_op (b, "Mul", dd, softmax));
  SluiceEdge second = sluice_op (b, "Mul", sluice_op (b, "Sub", dd, sum), softmax);
  return sluice_op (b, "AddV2", dlogits, second);
}

static gboolean
xent_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge log_softmax = sluice_op (b, "LogSoftmax", sluice_grad_input (g, 0));
  sluice_grad_set (g, 0, logits_gradient (g));
  sluice_grad_set (g, 1, scale_rows (b, sluice_grad_dy (g, 0), sluice_op (b, "Neg", log_softmax)));
  return TRUE;
}

static gboolean
sparse_xent_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, logits_gradient (g));
  return TRUE;
}

static void
softmax_cost (const SluiceNode *node,
              const SluiceShape *in,
              const SluiceShape *out,
              SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&in[0]);
  cost->flops = 20 * n;
  cost->bytes = 3 * n * (double) sluice_dtype_size (sluice_edge_dtype (node->inputs[0]));
}

/* ---- definitions ---- */

static const SluiceSample samples[] = {
  { "", "float[3,5]", 4e-6, 1e-6 },
  { "", "float[2,3,65]", 4e-6, 1e-6 },
  { "", "float[7]", 4e-6, 1e-6 },
  { "", "float[0,3]", 0, 0 },
};
static const SluiceRecipe recipe = { .samples = samples,
                                     .n_samples = G_N_ELEMENTS (samples),
                                     .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample xent_samples[] = {
  /* Labels that add up to 1: the gradient takes that for granted. */
  { "", "float[2,3]; float[2,3]={0.2,0.3,0.5,0.6,0.25,0.15}", 4e-6, 1e-6 },
  { "", "float[3,4]; float[1,4] in (0.1,0.9)", 4e-6, 1e-6, TRUE },
  { "", "float[0,3]; float[0,3]", 0, 0 },
};
static const SluiceRecipe xent_recipe = { .samples = xent_samples,
                                          .n_samples = G_N_ELEMENTS (xent_samples),
                                          .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample sparse_samples[] = {
  { "", "float[3,5]; int32[3]={0,4,2}", 4e-6, 1e-6 },
  { "", "float[2,65]; int64[2]={64,7}", 4e-6, 1e-6 },
  { "", "float[0,3]; int32[0]={}", 0, 0 },
};
static const SluiceRecipe sparse_recipe = { .samples = sparse_samples,
                                            .n_samples = G_N_ELEMENTS (sparse_samples),
                                            .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample top_samples[] = {
  { "k=2", "float[3,5]; int32[3]={0,4,2}", 0, 0, TRUE },
  { "k=1", "float[2,4]; int64[2]={9,1}", 0, 0, TRUE },
};
static const SluiceRecipe top_recipe = { .samples = top_samples,
                                         .n_samples = G_N_ELEMENTS (top_samples) };

static const SluiceSample top_v2_samples[] = {
  { "", "float[3,5]; int32[3]={0,4,2}; int32[]=2", 0, 0, TRUE },
  { "", "float[2,4]; int64[2]={9,1}; int64[]=1", 0, 0, TRUE },
};
static const SluiceRecipe top_v2_recipe = { .samples = top_v2_samples,
                                            .n_samples = G_N_ELEMENTS (top_v2_samples) };

#define FLOAT_T "T: {half, bfloat16, float, double}"

static const SluiceOpDef softmax_op = {
  .name = "Softmax",
  .signature = "logits: T -> softmax: T",
  .attrs = FLOAT_T,
  .summary = N_ ("Softmax along the last dimension"),
  .shape = softmax_shape,
  .gradient = softmax_gradient,
  .cost = softmax_cost,
  .recipe = &recipe,
};

static const SluiceOpDef log_softmax_op = {
  .name = "LogSoftmax",
  .signature = "logits: T -> logsoftmax: T",
  .attrs = FLOAT_T,
  .summary = N_ ("Logarithm of the softmax along the last dimension"),
  .shape = softmax_shape,
  .gradient = log_softmax_gradient,
  .cost = softmax_cost,
  .recipe = &recipe,
};

static const SluiceOpDef xent_op = {
  .name = "SoftmaxCrossEntropyWithLogits",
  .signature = "features: T, labels: T -> loss: T, backprop: T",
  .attrs = FLOAT_T,
  .summary = N_ ("Cross entropy of softmax and distributions"),
  .shape = xent_shape,
  .gradient = xent_gradient,
  .cost = softmax_cost,
  .recipe = &xent_recipe,
};

static const SluiceOpDef sparse_xent_op = {
  .name = "SparseSoftmaxCrossEntropyWithLogits",
  .signature = "features: T, labels: Tlabels -> loss: T, backprop: T",
  .attrs = FLOAT_T "; Tlabels: index = int64",
  .summary = N_ ("Cross entropy of softmax and class numbers"),
  .shape = sparse_xent_shape,
  .gradient = sparse_xent_gradient,
  .cost = softmax_cost,
  .recipe = &sparse_recipe,
};

static const SluiceOpDef in_top_k_op = {
  .name = "InTopK",
  .signature = "predictions: float, targets: T -> precision: bool",
  .attrs = "k: int; T: index = int32",
  .summary = N_ ("Is the target among the k best predictions?"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = in_top_k_shape,
  .recipe = &top_recipe,
};

static const SluiceOpDef in_top_k_v2_op = {
  .name = "InTopKV2",
  .signature = "predictions: float, targets: T, k: T -> precision: bool",
  .attrs = "T: index = int32",
  .summary = N_ ("Is the target among the k best predictions?"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = in_top_k_shape,
  .recipe = &top_v2_recipe,
};

static const SluiceOpDef *const ops[] = {
  &softmax_op, &log_softmax_op, &xent_op, &sparse_xent_op, &in_top_k_op, &in_top_k_v2_op,
};

const SluiceKernelModule sluice_module_nn_softmax = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
