/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Datasets that are their input: how it may be optimised, on which threads it is to run, which
 * pass rewrites it. None of that changes the elements, and all of it is decided here by others.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset.h"

static const SluiceRecipe recipe = { .why_none = N_ (
                                         "hands on a dataset: tests/conformance/ops/io has some") };

#define OP(id, op_name, inputs, attributes)                                                        \
  SLUICE_OP_DEF (id, op_name, "input_dataset: variant" inputs " -> handle: variant",               \
                 attributes "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",      \
                 SLUICE_OP_NOT_DIFFERENTIABLE, sluice_shape_scalar, &recipe,                       \
                 N_ ("The same dataset"))

OP (options_op, "OptionsDataset", "", "serialized_options: string; metadata: string = ''; ");
OP (rewrite_op, "RewriteDataset", ", rewrite_name: string", "");
OP (model_op, "ModelDataset", "", "algorithm: int = 0; cpu_budget: int = 0; ram_budget: int = 0; ");
OP (optimize_op,
    "OptimizeDataset",
    ", optimizations: string",
    "optimization_configs: list(string) = []; ");
OP (optimize_v2_op,
    "OptimizeDatasetV2",
    ", optimizations_enabled: string, optimizations_disabled: string, "
    "optimizations_default: string",
    "optimization_configs: list(string) = []; ");
OP (plain_op, "NonSerializableDataset", "", "");
OP (threads_op, "PrivateThreadPoolDataset", ", num_threads: int64", "");
OP (parallelism_op, "MaxIntraOpParallelismDataset", ", max_intra_op_parallelism: int64", "");

static const SluiceOpDef *const ops[] = {
  &options_op,     &rewrite_op, &model_op,   &optimize_op,
  &optimize_v2_op, &plain_op,   &threads_op, &parallelism_op
};

static gboolean
hand_on (SluiceKernelCall *call)
{
  if (sluice_call_get_dataset (call, 0) == NULL)
    return FALSE;
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

/* The other input is a number of threads. */
static gboolean
threads_compute (SluiceKernelCall *call)
{
  gint64 n;
  if (!sluice_call_get_scalar (call, 1, &n))
    return FALSE;
  if (n < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 1 is %" G_GINT64_FORMAT " threads; it must be 0 or more", n);
  return hand_on (call);
}

#define KERNEL(op_name, function)                                                                  \
  {                                                                                                \
    .op = op_name, .device = "CPU", .flags = SLUICE_KERNEL_CHEAP, .compute = function              \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("OptionsDataset", hand_on),
  KERNEL ("RewriteDataset", hand_on),
  KERNEL ("ModelDataset", hand_on),
  KERNEL ("OptimizeDataset", hand_on),
  KERNEL ("OptimizeDatasetV2", hand_on),
  KERNEL ("NonSerializableDataset", hand_on),
  KERNEL ("PrivateThreadPoolDataset", threads_compute),
  KERNEL ("MaxIntraOpParallelismDataset", threads_compute),
};

const SluiceKernelModule sluice_module_data_wrappers = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
