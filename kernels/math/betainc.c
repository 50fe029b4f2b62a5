/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Betainc: the regularised incomplete beta function; operands are of one shape or scalars. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/math/gradients.h"

static gboolean
betainc_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape out = SLUICE_SHAPE_SCALAR;
  gboolean is_unknown = FALSE;
  for (guint i = 0; i < 3; i++)
    {
      const SluiceShape *shape = &c->inputs[i];
      is_unknown |= shape->rank == SLUICE_UNKNOWN_RANK;
      if (shape->rank <= 0)
        continue;
      SluiceShape merged;
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      if (out.rank > 0 && !sluice_shape_merge (&out, shape, &merged))
        return sluice_shape_context_fail (c, error,
                                          "inputs must be scalars or have one shape, but there "
                                          "are %s and %s",
                                          sluice_shape_str (&out, a), sluice_shape_str (shape, b));
      out = out.rank > 0 ? merged : *shape;
    }
  if (out.rank > 0 || !is_unknown)
    sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* As TensorFlow: by x only, its density; the large factors meet as logarithms. */
static gboolean
betainc_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge a = sluice_grad_input (g, 0), b = sluice_grad_input (g, 1);
  SluiceEdge x = sluice_grad_input (g, 2), one = gradient_number (g, x, 1);
  SluiceEdge log_beta = MAKE ("Sub", MAKE ("AddV2", MAKE ("Lgamma", a), MAKE ("Lgamma", b)),
                              MAKE ("Lgamma", MAKE ("AddV2", a, b)));
  SluiceEdge right = MAKE ("Xlog1py", MAKE ("Sub", b, one), MAKE ("Neg", x));
  SluiceEdge left = MAKE ("Xlogy", MAKE ("Sub", a, one), x);
  SluiceEdge density = MAKE ("Exp", MAKE ("Sub", MAKE ("AddV2", right, left), log_beta));
  SluiceEdge dx = MAKE ("Mul", density, sluice_grad_dy (g, 0));
  SluiceEdge shape = MAKE ("Shape", x);
  SluiceEdge axes = MAKE ("BroadcastGradientArgs", shape, MAKE ("Shape", dx));
  sluice_grad_set (g, 2, MAKE ("Reshape", MAKE ("Sum", dx, axes), shape));
  return TRUE;
}

static const SluiceSample samples[] = {
  { NULL, "float[17] in (0.3,4); float[17] in (0.3,4); float[17] in (0.1,0.9)", 1e-5, 1e-6 },
  { NULL, "float[2,3] in (0.3,4); float[2,3] in (0.3,4); float[]=0.3", 1e-5, 1e-6 },
  { NULL, "float[]=2; float[]=3; float[5] in (0.1,0.9)", 1e-5, 1e-6 },
  { NULL, "float[]=2; float[3] in (0.3,4); float[]=0.5", 1e-5, 1e-6 },
  { NULL, "float[0,3]; float[0,3]; float[]=0.5" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples),
                                     SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) };

static const SluiceOpDef betainc = {
  .name = "Betainc",
  .signature = "a: T, b: T, x: T -> z: T",
  .attrs = "T: {float, double}",
  .summary = N_ ("Incomplete beta function, regularised"),
  .shape = betainc_shape,
  .gradient = betainc_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &betainc };

const SluiceKernelModule sluice_module_math_betainc = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
