/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Classes drawn by their unnormalised logarithms of probabilities. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

static gboolean
multinomial_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 0, error)
      || (c->n_inputs > 2 && !sluice_shape_context_want_rank (c, 2, 1, error)))
    return FALSE;
  const SluiceTensor *n = sluice_shape_context_constant (c, 1);
  gint64 n_samples = n ? sluice_tensor_get_int (n, 0) : SLUICE_UNKNOWN_DIM;
  gint64 n_rows = c->inputs[0].rank == 2 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n_rows, MAX (n_samples, SLUICE_UNKNOWN_DIM)));
  return TRUE;
}

static void
multinomial_cost (const SluiceNode *node,
                  const SluiceShape *in,
                  const SluiceShape *out,
                  SluiceCost *cost)
{
  double n_logits = (double) sluice_shape_n_elements (&in[0]);
  double n_out = (double) sluice_shape_n_elements (&out[0]);
  cost->flops = 10 * n_logits + 40 * n_out;
  cost->bytes = 8 * (n_logits + n_out);
}

static const SluiceSample samples[] = {
  { "seed=3; seed2=7", "float[2,4]; int32[]={7}", 0, 0, TRUE },
  { "seed=3; seed2=7; output_dtype=int32", "double[3,1]; int32[]={2}", 0, 0, TRUE },
  { "seed=3; seed2=7", "half[2,4]; int32[]={0}", 0, 0, TRUE },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceSample stateless_samples[] = {
  { "", "float[2,4]; int32[]={7}; int64[2]={3,7}", 0, 0, TRUE },
  { "output_dtype=int32", "bfloat16[3,4]; int32[]={5}; int32[2]={3,7}", 0, 0, TRUE },
};
static const SluiceRecipe stateless_recipe = { .samples = stateless_samples,
                                               .n_samples = G_N_ELEMENTS (stateless_samples) };

static const SluiceOpDef multinomial_op = {
  .name = "Multinomial",
  .signature = "logits: T, num_samples: int32 -> output: output_dtype",
  .attrs = "seed: int = 0; seed2: int = 0; T: real; output_dtype: index = int64",
  .summary = N_ ("Classes drawn by the logarithms of their probabilities, a row at a time"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = multinomial_shape,
  .cost = multinomial_cost,
  .recipe = &recipe,
};

static const SluiceOpDef stateless_op = {
  .name = "StatelessMultinomial",
  .signature = "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype",
  .attrs = "T: real; Tseed: index = int64; output_dtype: index = int64",
  .summary = N_ ("Classes drawn by the logarithms of their probabilities, the same for the same "
                 "seed"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = multinomial_shape,
  .cost = multinomial_cost,
  .recipe = &stateless_recipe,
};

static const SluiceOpDef *const ops[] = { &multinomial_op, &stateless_op };

const SluiceKernelModule sluice_module_random_multinomial = { .ops = ops,
                                                              .n_ops = G_N_ELEMENTS (ops) };
