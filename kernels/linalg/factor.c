/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Cholesky's factor, inverses and determinants of batches of square matrices. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/linalg/operands.h"
#include "kernels/math/gradients.h"

/* ---- shapes ---- */

/* One number a matrix, at each output. */
static gboolean
number_shape (SluiceShapeContext *c, GError **error)
{
  SluiceMatrices a;
  if (!sluice_shape_square (c, 0, &a, error))
    return FALSE;
  for (guint i = 0; i < c->n_outputs; i++)
    sluice_shape_context_set (c, i, &a.batch);
  return TRUE;
}

static gboolean
cholesky_grad_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_merge (c, 0, 1, NULL, error)
         && sluice_shape_square_unchanged (c, error);
}

/* ---- gradients ---- */

/* dA = L*^-1 S L^-1 made symmetric; S is the lower triangle of L* dL with half its diagonal. */
static gboolean
cholesky_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge l = sluice_grad_output (g, 0);
  SluiceEdge inverse = MAKE ("MatrixTriangularSolve", l, sluice_grad_identity_like (g, l));
  SluiceEdge s = sluice_grad_matmul (g, l, TRUE, sluice_grad_dy (g, 0), FALSE);
  s = sluice_grad_triangle (g, sluice_grad_scale_diagonal (g, s, 0.5), TRUE);
  SluiceEdge da = sluice_grad_matmul (g, sluice_grad_matmul (g, inverse, TRUE, s, FALSE), FALSE,
                                      inverse, FALSE);
  da = MAKE ("AddV2", da, sluice_grad_adjoint (g, da));
  sluice_grad_set (g, 0, gradient_scaled (g, da, 0.5));
  return TRUE;
}

/* dA = -B* dB B* for B = A^-1. */
static gboolean
inverse_gradient (SluiceGradContext *g, GError **error)
{
  gboolean adjoint = sluice_node_get_bool (g->node, "adjoint");
  SluiceEdge b = sluice_grad_output (g, 0);
  SluiceEdge right = sluice_grad_matmul (g, sluice_grad_dy (g, 0), adjoint, b, !adjoint);
  sluice_grad_set (g, 0, MAKE ("Neg", sluice_grad_matmul (g, b, !adjoint, right, FALSE)));
  return TRUE;
}

/* factor, a number for each matrix, times A*^-1 */
static gboolean
set_scaled_inverse (SluiceGradContext *g, SluiceEdge factor)
{
  SluiceEdge last = sluice_builder_const_int32 (&g->b, -1);
  SluiceEdge inverse =
      sluice_op_with (&g->b, "MatrixInverse", SLUICE_ATTRS (sluice_attr_bool ("adjoint", TRUE)),
                      sluice_grad_input (g, 0));
  factor = MAKE ("ExpandDims", MAKE ("ExpandDims", factor, last), last);
  sluice_grad_set (g, 0, MAKE ("Mul", factor, inverse));
  return TRUE;
}

static gboolean
determinant_gradient (SluiceGradContext *g, GError **error)
{
  return set_scaled_inverse (g, MAKE ("Mul", sluice_grad_dy (g, 0), sluice_grad_output (g, 0)));
}

/* The sign has no gradient. */
static gboolean
log_determinant_gradient (SluiceGradContext *g, GError **error)
{
  return set_scaled_inverse (g, sluice_grad_dy (g, 1));
}

/* ---- definitions ---- */

/* Only the lower triangle is looked at, but the gradient is the one of a symmetric matrix: it
 * agrees with differences where there is no other triangle. */
static const SluiceSample definite_samples[] = {
  { "", "float[3,3]={4,1,0.5,1,5,-1,0.5,-1,6}", 1e-4, 1e-5, TRUE },
  { "", "float[2,2,2]={2,0.5,0.5,3,1,-0.2,-0.2,1}", 1e-4, 1e-5, TRUE },
  { "", "float[2,1,1] in (1,3)", 1e-4, 1e-5 },
  { "", "float[0,0]", 0, 0 },
  { "", "float[0,2,2]", 0, 0 },
};
static const SluiceSample grad_samples[] = {
  { "", "float[2,2]={2,0,0.5,1}; float[2,2]", 1e-4, 1e-5 },
  { "", "float[2,1,1] in (1,2); float[2,1,1]", 1e-4, 1e-5 },
};
static const SluiceSample square_samples[] = {
  { "", "float[3,3]={4,1,0.5,-1,5,-1,0.2,1,-6}", 1e-4, 1e-5 },
  { "", "float[2,2,2]={2,0.5,-1,3,1,-0.2,0.2,1}", 1e-4, 1e-5 },
  { "", "float[0,0]", 0, 0 },
};
static const SluiceSample inverse_samples[] = {
  { "", "float[3,3]={4,1,0.5,-1,5,-1,0.2,1,-6}", 1e-4, 1e-5 },
  { "adjoint=true", "float[2,2,2]={2,0.5,-1,3,1,-0.2,0.2,1}", 1e-4, 1e-5 },
  { "", "float[0,0]", 0, 0 },
};

SLUICE_MATRIX_RECIPE (definite_recipe, definite_samples, SLUICE_MATRIX_ALL);
SLUICE_MATRIX_RECIPE (grad_recipe, grad_samples, SLUICE_MATRIX_REAL);
SLUICE_MATRIX_RECIPE (square_recipe, square_samples, SLUICE_MATRIX_ALL);
SLUICE_MATRIX_RECIPE (inverse_recipe, inverse_samples, SLUICE_MATRIX_ALL);

#define MATRIX_OP(id, op_name, its_signature, its_attrs, text, shape_rule, its_gradient,           \
                  its_recipe)                                                                      \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = its_signature,                                                                    \
    .attrs = its_attrs,                                                                            \
    .summary = text,                                                                               \
    .shape = shape_rule,                                                                           \
    .gradient = its_gradient,                                                                      \
    .cost = sluice_cost_factor,                                                                    \
    .recipe = &its_recipe,                                                                         \
  }

#define CHOLESKY(id, name, attrs, gradient)                                                        \
  MATRIX_OP (id, name, "input: T -> output: T", attrs,                                             \
             N_ ("The lower triangle L of each positive definite matrix A = L L*"),                \
             sluice_shape_square_unchanged, gradient, definite_recipe)
CHOLESKY (cholesky_op, "Cholesky", SLUICE_MATRIX_TYPES, cholesky_gradient);
CHOLESKY (batch_cholesky_op, "BatchCholesky", SLUICE_MATRIX_OLD_TYPES, NULL);

#define CHOLESKY_GRAD(id, name, attrs)                                                             \
  MATRIX_OP (id, name, "l: T, grad: T -> output: T", attrs,                                        \
             N_ ("The gradient of Cholesky: from the one for L the one for A"),                    \
             cholesky_grad_shape, NULL, grad_recipe)
CHOLESKY_GRAD (cholesky_grad_op, "CholeskyGrad", "T: {half, float, double}");
CHOLESKY_GRAD (batch_cholesky_grad_op, "BatchCholeskyGrad", SLUICE_MATRIX_OLD_TYPES);

#define INVERSE(id, name, attrs, gradient)                                                         \
  MATRIX_OP (id, name, "input: T -> output: T", "adjoint: bool = false; " attrs,                   \
             N_ ("The inverse of each matrix, or of its adjoint"), sluice_shape_square_unchanged,  \
             gradient, inverse_recipe)
INVERSE (inverse_op, "MatrixInverse", SLUICE_MATRIX_TYPES, inverse_gradient);
INVERSE (batch_inverse_op, "BatchMatrixInverse", SLUICE_MATRIX_OLD_TYPES, NULL);

#define DETERMINANT(id, name, attrs, gradient)                                                     \
  MATRIX_OP (id, name, "input: T -> output: T", attrs, N_ ("The determinant of each matrix"),      \
             number_shape, gradient, square_recipe)
DETERMINANT (determinant_op, "MatrixDeterminant", SLUICE_MATRIX_TYPES, determinant_gradient);
DETERMINANT (batch_determinant_op,
             "BatchMatrixDeterminant",
             "T: {float, double, complex64, complex128}",
             NULL);

MATRIX_OP (log_determinant_op,
           "LogMatrixDeterminant",
           "input: T -> sign: T, log_abs_determinant: T",
           SLUICE_MATRIX_TYPES,
           N_ ("The sign and the logarithm of the modulus of each matrix' determinant"),
           number_shape,
           log_determinant_gradient,
           square_recipe);

static const SluiceOpDef *const ops[] = {
  &cholesky_op,        &batch_cholesky_op, &cholesky_grad_op, &batch_cholesky_grad_op,
  &inverse_op,         &batch_inverse_op,  &determinant_op,   &batch_determinant_op,
  &log_determinant_op,
};

const SluiceKernelModule sluice_module_linalg_factor = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
