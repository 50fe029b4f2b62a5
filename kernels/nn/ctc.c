/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Connectionist temporal classification (Graves, Supervised Sequence Labelling, 2012, chapter 7):
 * the loss of a sequence of scores against a shorter one of labels, and two decoders. Scores are
 * [time, batch, classes]; the last class is the blank.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static gint64
dim_of (const SluiceShape *shape, int i)
{
  return shape->rank > i ? shape->dim[i] : SLUICE_UNKNOWN_DIM;
}

/* The batch, which dimension 1 of the scores and the lengths at input `lengths` tell. */
static gboolean
merge_batch (SluiceShapeContext *c, guint lengths, gint64 *batch, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 3, error)
      || !sluice_shape_context_want_rank (c, lengths, 1, error))
    return FALSE;
  gint64 n = dim_of (&c->inputs[lengths], 0);
  *batch = dim_of (&c->inputs[0], 1);
  if (n >= 0 && *batch >= 0 && n != *batch)
    return sluice_shape_context_fail (
        c, error, "the batch has %" G_GINT64_FORMAT " sequences, sequence_length %" G_GINT64_FORMAT,
        *batch, n);
  *batch = n >= 0 ? n : *batch;
  return TRUE;
}

static gboolean
loss_shape (SluiceShapeContext *c, GError **error)
{
  gint64 batch;
  if (!merge_batch (c, 3, &batch, error) || !sluice_shape_context_want_rank (c, 1, 2, error)
      || !sluice_shape_context_want_rank (c, 2, 1, error))
    return FALSE;
  gint64 indices = dim_of (&c->inputs[1], 0), values = dim_of (&c->inputs[2], 0);
  if (indices >= 0 && values >= 0 && indices != values)
    return sluice_shape_context_fail (c, error,
                                      "%" G_GINT64_FORMAT " indices of labels do not go with "
                                      "%" G_GINT64_FORMAT " values",
                                      indices, values);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (batch));
  sluice_shape_context_set (
      c, 1, &SLUICE_SHAPE (dim_of (&c->inputs[0], 0), batch, dim_of (&c->inputs[0], 2)));
  return TRUE;
}

/* Of each path indices, values and shape of a sparse tensor; then the paths' scores. */
static gboolean
decoder_shape (SluiceShapeContext *c, GError **error)
{
  gint64 batch;
  guint paths = (c->n_outputs - 1) / 3;
  if (!merge_batch (c, 1, &batch, error))
    return FALSE;
  for (guint i = 0; i < paths; i++)
    {
      sluice_shape_context_set (c, i, &SLUICE_SHAPE (-1, 2));
      sluice_shape_context_set (c, paths + i, &SLUICE_SHAPE (-1));
      sluice_shape_context_set (c, 2 * paths + i, &SLUICE_SHAPE (2));
    }
  sluice_shape_context_set (c, 3 * paths, &SLUICE_SHAPE (batch, paths));
  return TRUE;
}

/* The gradient is an output. It has none of its own: asking for one is an error. */
static gboolean
loss_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge once = sluice_op_with (
      b, "PreventGradient",
      SLUICE_ATTRS (sluice_attr_string ("message", "CTCLoss has no second derivative")),
      sluice_grad_output (g, 1));
  SluiceEdge dy =
      sluice_op (b, "ExpandDims", sluice_grad_dy (g, 0), sluice_builder_const_int32 (b, -1));
  sluice_grad_set (g, 0, sluice_op (b, "Mul", dy, once));
  return TRUE;
}

#define FLOATS (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define LABELS "int64[5,2]={0,0,0,1,1,0,1,1,1,2}; int32[5]={0,1,2,2,0}; int32[2]={6,5}"
static const SluiceSample loss_samples[] = {
  { "", "float[6,2,4]; " LABELS, 1e-5, 1e-5, TRUE },
  { "ctc_merge_repeated=false; preprocess_collapse_repeated=true", "float[6,2,4]; " LABELS, 1e-5,
    1e-5, TRUE },
};
static const SluiceRecipe loss_recipe = { .samples = loss_samples,
                                          .n_samples = G_N_ELEMENTS (loss_samples),
                                          .dtypes = FLOATS };
static const SluiceSample greedy_samples[] = {
  { "", "float[7,2,4]; int32[2]={7,5}", 1e-5, 1e-5 },
  { "merge_repeated=true; blank_index=0", "float[7,3,4]; int32[3]={7,0,5}", 1e-5, 1e-5 },
};
static const SluiceRecipe greedy_recipe = { .samples = greedy_samples,
                                            .n_samples = G_N_ELEMENTS (greedy_samples),
                                            .dtypes = FLOATS };
static const SluiceSample beam_samples[] = {
  { "beam_width=5; top_paths=2", "float[5,2,4]; int32[2]={5,4}", 1e-5, 1e-5 },
};
static const SluiceRecipe beam_recipe = { .samples = beam_samples,
                                          .n_samples = G_N_ELEMENTS (beam_samples),
                                          .dtypes = FLOATS };

#define FLOAT_T "T: {float, double} = float"

static const SluiceOpDef loss_op = {
  .name = "CTCLoss",
  .signature = "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 -> "
               "loss: T, gradient: T",
  .attrs = "preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; "
           "ignore_longer_outputs_than_inputs: bool = false; " FLOAT_T,
  .summary = N_ ("Loss of scores over time against a sequence of labels"),
  .shape = loss_shape,
  .gradient = loss_gradient,
  .recipe = &loss_recipe,
};

static const SluiceOpDef greedy_op = {
  .name = "CTCGreedyDecoder",
  .signature = "inputs: T, sequence_length: int32 -> decoded_indices: int64, "
               "decoded_values: int64, decoded_shape: int64, log_probability: T",
  .attrs = "merge_repeated: bool = false; blank_index: int = -1; " FLOAT_T,
  .summary = N_ ("The labels of the best score at each time"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = decoder_shape,
  .recipe = &greedy_recipe,
};

static const SluiceOpDef beam_op = {
  .name = "CTCBeamSearchDecoder",
  .signature = "inputs: T, sequence_length: int32 -> decoded_indices: top_paths * int64, "
               "decoded_values: top_paths * int64, decoded_shape: top_paths * int64, "
               "log_probability: T",
  .attrs = "beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = true; " FLOAT_T,
  .summary = N_ ("The likeliest sequences of labels that a beam search finds"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = decoder_shape,
  .recipe = &beam_recipe,
};

static const SluiceOpDef *const ops[] = { &loss_op, &greedy_op, &beam_op };

const SluiceKernelModule sluice_module_nn_ctc = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
