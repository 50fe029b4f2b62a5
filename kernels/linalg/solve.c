/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Systems of linear equations A X = B for batches of matrices. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/linalg/operands.h"
#include "kernels/math/gradients.h"

/* ---- shapes ---- */

/* X has the columns of A as rows and the columns of B; A and B have as many rows. */
static gboolean
set_solution (SluiceShapeContext *c,
              const SluiceMatrices *a,
              const SluiceMatrices *b,
              gboolean broadcasts,
              GError **error)
{
  SluiceShape batch;
  gboolean ok = a->rows < 0 || b->rows < 0 || a->rows == b->rows;
  if (broadcasts)
    ok = ok && sluice_shape_broadcast (&a->batch, &b->batch, &batch);
  else
    ok = ok && sluice_shape_merge (&a->batch, &b->batch, &batch);
  if (!ok)
    {
      char sa[SLUICE_SHAPE_STR], sb[SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (
          c, error,
          "matrix is %s, rhs is %s: leading dimensions must %s and the numbers of rows be equal",
          sluice_shape_str (&c->inputs[0], sa), sluice_shape_str (&c->inputs[1], sb),
          broadcasts ? "broadcast together" : "be equal");
    }
  SluiceShape out = sluice_batch_of_matrices (&batch, a->columns, b->columns);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
square_system (SluiceShapeContext *c, gboolean broadcasts, GError **error)
{
  SluiceMatrices a, b;
  if (!sluice_shape_square (c, 0, &a, error) || !sluice_shape_matrices (c, 1, &b, error))
    return FALSE;
  a.columns = a.rows = MAX (a.rows, b.rows >= 0 && a.rows < 0 ? b.rows : a.rows);
  return set_solution (c, &a, &b, broadcasts, error);
}

static gboolean
solve_shape (SluiceShapeContext *c, GError **error)
{
  return square_system (c, FALSE, error);
}

static gboolean
triangular_shape (SluiceShapeContext *c, GError **error)
{
  return square_system (c, TRUE, error);
}

static gboolean
least_squares_shape (SluiceShapeContext *c, GError **error)
{
  SluiceMatrices a, b;
  return sluice_shape_context_want_rank (c, 2, 0, error) && sluice_shape_matrices (c, 0, &a, error)
         && sluice_shape_matrices (c, 1, &b, error) && set_solution (c, &a, &b, FALSE, error);
}

/* ---- gradients ---- */

/* dA = -dB X*, or its adjoint where A was taken adjoint. */
static SluiceEdge
matrix_gradient (SluiceGradContext *g, SluiceEdge db, gboolean adjoint)
{
  SluiceEdge x = sluice_grad_output (g, 0);
  return MAKE ("Neg", adjoint ? sluice_grad_matmul (g, x, FALSE, db, TRUE)
                              : sluice_grad_matmul (g, db, FALSE, x, TRUE));
}

static gboolean
solve_gradient (SluiceGradContext *g, GError **error)
{
  gboolean adjoint = sluice_node_get_bool (g->node, "adjoint");
  SluiceEdge db =
      sluice_op_with (&g->b, "MatrixSolve", SLUICE_ATTRS (sluice_attr_bool ("adjoint", !adjoint)),
                      sluice_grad_input (g, 0), sluice_grad_dy (g, 0));
  sluice_grad_set (g, 0, matrix_gradient (g, db, adjoint));
  sluice_grad_set (g, 1, db);
  return TRUE;
}

static SluiceEdge
triangular (SluiceGradContext *g, SluiceEdge a, SluiceEdge b, gboolean lower, gboolean adjoint)
{
  return sluice_op_with (
      &g->b, "MatrixTriangularSolve",
      SLUICE_ATTRS (sluice_attr_bool ("lower", lower), sluice_attr_bool ("adjoint", adjoint)), a,
      b);
}

static gboolean
triangular_gradient (SluiceGradContext *g, GError **error)
{
  gboolean adjoint = sluice_node_get_bool (g->node, "adjoint");
  gboolean lower = sluice_node_get_bool (g->node, "lower");
  SluiceEdge db = triangular (g, sluice_grad_input (g, 0), sluice_grad_dy (g, 0), lower, !adjoint);
  SluiceEdge da = sluice_grad_triangle (g, matrix_gradient (g, db, adjoint), lower);
  sluice_grad_set (g, 0, sluice_grad_unbroadcast_batches (g, da, 0, 1));
  sluice_grad_set (g, 1, sluice_grad_unbroadcast_batches (g, db, 1, 0));
  return TRUE;
}

/* Cholesky's factor of A* A + l2, or of A A* + l2. */
static SluiceEdge
gramian_factor (SluiceGradContext *g, gboolean tall)
{
  SluiceEdge a = sluice_grad_input (g, 0);
  SluiceEdge gramian = sluice_grad_matmul (g, a, tall, a, !tall);
  SluiceEdge l2 =
      sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", gradient_dtype (a))),
                      sluice_grad_input (g, 2));
  gramian = MAKE ("AddV2", gramian, MAKE ("Mul", l2, sluice_grad_identity_like (g, gramian)));
  return MAKE ("Cholesky", gramian);
}

static SluiceEdge
solve_factored (SluiceGradContext *g, SluiceEdge l, SluiceEdge b)
{
  return triangular (g, l, triangular (g, l, b, TRUE, FALSE), TRUE, TRUE);
}

/* X = (A* A + l2)^-1 A* B. Complex: TensorFlow transposes where the adjoint would be right, and so
 * do we. */
static void
tall_gradient (SluiceGradContext *g)
{
  SluiceEdge a = sluice_grad_input (g, 0), b = sluice_grad_input (g, 1);
  SluiceEdge z = solve_factored (g, gramian_factor (g, TRUE), sluice_grad_dy (g, 0));
  SluiceEdge xz = sluice_grad_matmul (g, sluice_grad_output (g, 0), FALSE, z, TRUE);
  SluiceEdge both = MAKE ("AddV2", xz, sluice_grad_transpose (g, xz));
  sluice_grad_set (g, 0,
                   MAKE ("Sub", sluice_grad_matmul (g, b, FALSE, z, TRUE),
                         sluice_grad_matmul (g, a, FALSE, both, FALSE)));
  sluice_grad_set (g, 1, sluice_grad_matmul (g, a, FALSE, z, FALSE));
}

/* X = A* (A A* + l2)^-1 B */
static void
wide_gradient (SluiceGradContext *g)
{
  SluiceEdge a = sluice_grad_input (g, 0), b = sluice_grad_input (g, 1);
  SluiceEdge dx = sluice_grad_dy (g, 0), l = gramian_factor (g, FALSE);
  SluiceEdge db = solve_factored (g, l, sluice_grad_matmul (g, a, FALSE, dx, FALSE));
  SluiceEdge z = solve_factored (g, l, b);
  SluiceEdge first =
      sluice_grad_matmul (g, db, FALSE, sluice_grad_matmul (g, z, TRUE, a, FALSE), FALSE);
  SluiceEdge rest = MAKE ("Sub", dx, sluice_grad_matmul (g, a, TRUE, db, FALSE));
  sluice_grad_set (g, 0, MAKE ("Sub", sluice_grad_matmul (g, z, FALSE, rest, TRUE), first));
  sluice_grad_set (g, 1, db);
}

static gboolean
least_squares_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceShape *a = sluice_edge_shape (g->node->inputs[0]);
  gint64 rows = sluice_matrix_dim (a, 2), columns = sluice_matrix_dim (a, 1);
  if (!sluice_node_get_bool (g->node, "fast"))
    return sluice_node_fail (g->node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "MatrixSolveLs has a gradient with fast = true only");
  if (rows < 0 || columns < 0)
    return sluice_node_fail (g->node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "the gradient of MatrixSolveLs needs a matrix of known sizes");
  if (rows >= columns)
    tall_gradient (g);
  else
    wide_gradient (g);
  return TRUE;
}

/* ---- definitions ---- */

#define SQUARE "float[3,3]={4,1,0.5,-1,5,-1,0.2,1,-6}"
static const SluiceSample solve_samples[] = {
  { "", SQUARE "; float[3,2]", 1e-4, 1e-5 },
  { "adjoint=true", SQUARE "; float[3,2]", 1e-4, 1e-5 },
  { "", "float[2,2,2]={2,0.5,-1,3,1,-0.2,0.2,1}; float[2,2,1]", 1e-4, 1e-5 },
  { "", "float[2,2]={2,0.5,-1,3}; float[2,0]", 0, 0 },
};
static const SluiceSample triangular_samples[] = {
  { "", SQUARE "; float[3,2]", 1e-4, 1e-5 },
  { "lower=false", SQUARE "; float[3,2]", 1e-4, 1e-5 },
  { "adjoint=true", SQUARE "; float[2,3,2]", 1e-4, 1e-5 },
  { "lower=false; adjoint=true", "float[2,1,1,1] in (1,2); float[3,1,2]", 1e-4, 1e-5 },
};
static const SluiceSample old_triangular_samples[] = {
  { "", SQUARE "; float[3,2]", 1e-4, 1e-5 },
};
static const SluiceSample least_squares_samples[] = {
  { "", "float[3,2]={2,0.5,-1,3,0.4,1}; float[3,2]; double[]={0.1}", 1e-3, 1e-4 },
  { "", "float[2,3]={2,0.5,-1,3,0.4,1}; float[2,2]; double[]={0.1}", 1e-3, 1e-4 },
  { "fast=false", "float[3,2]={2,0.5,-1,3,0.4,1}; float[3,2]; double[]={0}", 1e-3, 1e-4, TRUE },
  { "", "float[0,2]; float[0,1]; double[]={0}", 0, 0, TRUE },
};

SLUICE_MATRIX_RECIPE (solve_recipe, solve_samples, SLUICE_MATRIX_ALL);
SLUICE_MATRIX_RECIPE (triangular_recipe,
                      triangular_samples,
                      SLUICE_MATRIX_ALL | SLUICE_SET (SLUICE_BFLOAT16));
SLUICE_MATRIX_RECIPE (old_triangular_recipe, old_triangular_samples, SLUICE_MATRIX_REAL);
SLUICE_MATRIX_RECIPE (least_squares_recipe, least_squares_samples, SLUICE_MATRIX_ALL);

#define SYSTEM_OP(id, op_name, more_inputs, its_attrs, text, shape_rule, its_gradient, its_recipe) \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "matrix: T, rhs: T" more_inputs " -> output: T",                                  \
    .attrs = its_attrs,                                                                            \
    .summary = text,                                                                               \
    .shape = shape_rule,                                                                           \
    .gradient = its_gradient,                                                                      \
    .cost = sluice_cost_factor,                                                                    \
    .recipe = &its_recipe,                                                                         \
  }

#define SOLVE(id, name, attrs, gradient)                                                           \
  SYSTEM_OP (id, name, "", "adjoint: bool = false; " attrs,                                        \
             N_ ("X of A X = rhs for each matrix A, or its adjoint"), solve_shape, gradient,       \
             solve_recipe)
SOLVE (solve_op, "MatrixSolve", SLUICE_MATRIX_TYPES, solve_gradient);
SOLVE (batch_solve_op, "BatchMatrixSolve", SLUICE_MATRIX_OLD_TYPES, NULL);

#define TRIANGULAR(id, name, attrs, gradient, recipe)                                              \
  SYSTEM_OP (id, name, "", "lower: bool = true; adjoint: bool = false; " attrs,                    \
             N_ ("X of A X = rhs for one triangle of each matrix A, or its adjoint"),              \
             triangular_shape, gradient, recipe)
TRIANGULAR (triangular_op,
            "MatrixTriangularSolve",
            "T: {bfloat16, double, float, half, complex64, complex128}",
            triangular_gradient,
            triangular_recipe);
TRIANGULAR (batch_triangular_op,
            "BatchMatrixTriangularSolve",
            SLUICE_MATRIX_OLD_TYPES,
            NULL,
            old_triangular_recipe);

#define LEAST_SQUARES(id, name, attrs, gradient)                                                   \
  SYSTEM_OP (id, name, ", l2_regularizer: double", attrs "; fast: bool = true",                    \
             N_ ("X of least squares of A X - rhs for each matrix A"), least_squares_shape,        \
             gradient, least_squares_recipe)
LEAST_SQUARES (least_squares_op, "MatrixSolveLs", SLUICE_MATRIX_TYPES, least_squares_gradient);
LEAST_SQUARES (batch_least_squares_op, "BatchMatrixSolveLs", SLUICE_MATRIX_OLD_TYPES, NULL);

static const SluiceOpDef *const ops[] = { &solve_op,         &batch_solve_op,
                                          &triangular_op,    &batch_triangular_op,
                                          &least_squares_op, &batch_least_squares_op };

const SluiceKernelModule sluice_module_linalg_solve = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
