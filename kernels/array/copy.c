/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Ops that give their input back, with a word on it for TensorFlow's optimiser: DeepCopy (memory of
 * its own), Snapshot (may share it), GuaranteeConst (will not change).
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static const SluiceSample samples[] = {
  { "", "float[2,3]" },
  { "", "string[2]" },
  { "", "bool[0]" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples) };

static const SluiceOpDef deep_copy_op = {
  .name = "DeepCopy",
  .signature = "x: T -> y: T",
  .attrs = "T: type",
  .summary = N_ ("A copy in memory of its own"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP,
  .shape = sluice_shape_unchanged,
  .recipe = &recipe,
};

static const SluiceOpDef snapshot_op = {
  .name = "Snapshot",
  .signature = "input: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("Its input, as it is now"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_unchanged,
  .recipe = &recipe,
};

static const SluiceOpDef guarantee_const_op = {
  .name = "GuaranteeConst",
  .signature = "input: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("Its input, which the graph's author says never changes"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_unchanged,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &deep_copy_op, &snapshot_op, &guarantee_const_op };

const SluiceKernelModule sluice_module_array_copy = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
