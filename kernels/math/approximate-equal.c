/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* ApproximateEqual: do elements of two tensors of one shape differ by less than a bound? */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/types.h"

static const SluiceSample samples[] = {
  { "tolerance=0.5", "float[17]; float[17]" },
  { NULL, "float[3,5]=1; float[3,5]=1.000001" },
  { "tolerance=1", "float[]; float[]" },
  { NULL, "float[0,3]; float[0,3]" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples), SET_D };

static const SluiceOpDef approximate_equal = {
  .name = "ApproximateEqual",
  .signature = "x: T, y: T -> z: bool",
  .attrs = "T: {" SLUICE_NUMBER_TYPES "}; "
           "tolerance: float = 1e-5",
  .summary = N_ ("Do they differ by less than a bound?"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_COMMUTATIVE,
  .shape = sluice_shape_merge_all,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &approximate_equal };

const SluiceKernelModule sluice_module_math_approximate_equal = { .ops = ops,
                                                                  .n_ops = G_N_ELEMENTS (ops) };
