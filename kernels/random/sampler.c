/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Candidate samplers: classes to compare the true ones with, and how often each is expected. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

static gboolean
sampler_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n_sampled = sluice_node_get_int (c->node, "num_sampled");
  gint64 n_rows = c->inputs[0].rank == 2 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM;
  if (!sluice_shape_context_want_rank (c, 0, 2, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n_sampled));
  sluice_shape_context_set (c, 1,
                            &SLUICE_SHAPE (n_rows, sluice_node_get_int (c->node, "num_true")));
  sluice_shape_context_set (c, 2, &SLUICE_SHAPE (n_sampled));
  return TRUE;
}

/* Vectors of one length, which only a run tells. */
static gboolean
hits_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    sluice_shape_context_set (c, i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  return TRUE;
}

#define SEEDED  "num_true=2; seed=3; seed2=7; "
#define CLASSES "int64[2,2]={1,5,2,0}"
static const SluiceSample samples[] = {
  { SEEDED "num_sampled=4; unique=true; range_max=8", CLASSES, 0, 0, TRUE },
  { SEEDED "num_sampled=9; unique=false; range_max=7", CLASSES, 0, 0, TRUE },
};
static const SluiceSample fixed_samples[] = {
  { SEEDED "num_sampled=4; unique=true; range_max=6; num_reserved_ids=1; distortion=0.75; "
           "unigrams=[0.1,0.2,0.3,0.1,0.3]",
    CLASSES, 0, 0, TRUE },
};
static const SluiceSample all_samples[] = {
  { "num_true=2; num_sampled=8; unique=true", CLASSES, 0, 0, TRUE },
};
static const SluiceSample hits_samples[] = {
  { "num_true=2", "int64[3,2]={1,2,3,4,5,1}; int64[5]={1,4,7,5,1}", 0, 0, TRUE },
  { "num_true=1", "int64[0,1]; int64[0]", 0, 0, TRUE },
};

#define RECIPE(id, its_samples)                                                                    \
  static const SluiceRecipe id = { .samples = its_samples, .n_samples = G_N_ELEMENTS (its_samples) }
RECIPE (recipe, samples);
RECIPE (fixed_recipe, fixed_samples);
RECIPE (all_recipe, all_samples);
RECIPE (hits_recipe, hits_samples);

#define COUNTS "num_true: int >= 1; num_sampled: int >= 1; unique: bool; "
#define SEEDS  "seed: int = 0; seed2: int = 0"
#define SAMPLER(id, use, op_name, its_attrs, text, its_recipe)                                     \
  SLUICE_OP_DEF (id, op_name,                                                                      \
                 "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float, "  \
                 "sampled_expected_count: float",                                                  \
                 COUNTS its_attrs SEEDS,                                                           \
                 SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | (use), sampler_shape,         \
                 &its_recipe, text)

SAMPLER (uniform_op,
         SLUICE_OP_ENDS_WITH_STEP,
         "UniformCandidateSampler",
         "range_max: int >= 1; ",
         N_ ("Classes drawn uniformly, and how often each is expected"),
         recipe);
SAMPLER (log_uniform_op,
         SLUICE_OP_ENDS_WITH_STEP,
         "LogUniformCandidateSampler",
         "range_max: int >= 1; ",
         N_ ("Classes drawn by Zipf's law, and how often each is expected"),
         recipe);
SAMPLER (learned_op,
         0,
         "LearnedUnigramCandidateSampler",
         "range_max: int >= 1; ",
         N_ ("Classes drawn as often as they were true so far, and how often each is expected"),
         recipe);
SAMPLER (unsafe_op,
         0,
         "ThreadUnsafeUnigramCandidateSampler",
         "range_max: int >= 1; ",
         N_ ("Classes drawn as often as they were true so far, and how often each is expected"),
         recipe);
SAMPLER (fixed_op,
         SLUICE_OP_READS_FILES | SLUICE_OP_ENDS_WITH_STEP,
         "FixedUnigramCandidateSampler",
         "range_max: int >= 1; vocab_file: string = ''; distortion: float = 1.0; "
         "num_reserved_ids: int = 0; num_shards: int >= 1 = 1; shard: int >= 0 = 0; "
         "unigrams: list(float) = []; ",
         N_ ("Classes drawn by given weights, and how often each is expected"),
         fixed_recipe);
SAMPLER (all_op,
         SLUICE_OP_ENDS_WITH_STEP,
         "AllCandidateSampler",
         "",
         N_ ("All classes, each of which is expected once"),
         all_recipe);

static const SluiceOpDef hits_op = {
  .name = "ComputeAccidentalHits",
  .signature = "true_classes: int64, sampled_candidates: int64 -> indices: int32, ids: int64, "
               "weights: float",
  .attrs = "num_true: int; " SEEDS,
  .summary = N_ ("Where a sampler drew a true class: its row, its place, and a weight that masks "
                 "it"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = hits_shape,
  .recipe = &hits_recipe,
};

static const SluiceOpDef *const ops[] = { &uniform_op, &log_uniform_op, &learned_op, &unsafe_op,
                                          &fixed_op,   &all_op,         &hits_op };

const SluiceKernelModule sluice_module_random_sampler = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
