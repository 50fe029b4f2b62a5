/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Orthogonal decompositions of batches of matrices: QR, singular values, eigenvalues. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/linalg/operands.h"
#include "kernels/math/gradients.h"

/* ---- shapes ---- */

/* The smaller of two sizes; a zero is smaller than an unknown one. */
static gint64
smaller (gint64 a, gint64 b)
{
  if (a == 0 || b == 0)
    return 0;
  return a < 0 || b < 0 ? SLUICE_UNKNOWN_DIM : MIN (a, b);
}

static void
set_matrices (SluiceShapeContext *c, guint i, const SluiceMatrices *a, gint64 rows, gint64 columns)
{
  SluiceShape out = sluice_batch_of_matrices (&a->batch, rows, columns);
  sluice_shape_context_set (c, i, &out);
}

/* A vector of n for each matrix. */
static void
set_vectors (SluiceShapeContext *c, guint i, const SluiceMatrices *a, gint64 n)
{
  SluiceShape out = a->batch;
  if (out.rank < 0)
    return;
  out.dim[out.rank++] = n;
  sluice_shape_context_set (c, i, &out);
}

static gboolean
qr_shape (SluiceShapeContext *c, GError **error)
{
  SluiceMatrices a;
  if (!sluice_shape_matrices (c, 0, &a, error))
    return FALSE;
  gboolean full = sluice_node_get_bool (c->node, "full_matrices");
  gint64 p = full ? a.rows : smaller (a.rows, a.columns);
  set_matrices (c, 0, &a, a.rows, p);
  set_matrices (c, 1, &a, p, a.columns);
  return TRUE;
}

static gboolean
svd_shape (SluiceShapeContext *c, GError **error)
{
  SluiceMatrices a;
  if (!sluice_shape_matrices (c, 0, &a, error))
    return FALSE;
  gboolean full = sluice_node_get_bool (c->node, "full_matrices");
  gint64 p = smaller (a.rows, a.columns);
  set_vectors (c, 0, &a, p);
  if (sluice_node_get_bool (c->node, "compute_uv"))
    {
      set_matrices (c, 1, &a, a.rows, full ? a.rows : p);
      set_matrices (c, 2, &a, a.columns, full ? a.columns : p);
      return TRUE;
    }
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (0));
  sluice_shape_context_set (c, 2, &SLUICE_SHAPE (0));
  return TRUE;
}

static gboolean
eigen_shape (SluiceShapeContext *c, GError **error)
{
  SluiceMatrices a;
  if (!sluice_shape_square (c, 0, &a, error))
    return FALSE;
  set_vectors (c, 0, &a, a.rows);
  if (sluice_node_get_bool (c->node, "compute_v"))
    set_matrices (c, 1, &a, a.rows, a.rows);
  else
    sluice_shape_context_set (c, 1, &SLUICE_SHAPE (0));
  return TRUE;
}

static gboolean
eigen_rows_shape (SluiceShapeContext *c, GError **error)
{
  SluiceMatrices a;
  if (!sluice_shape_square (c, 0, &a, error))
    return FALSE;
  set_matrices (c, 0, &a, a.rows < 0 ? SLUICE_UNKNOWN_DIM : a.rows + 1, a.rows);
  return TRUE;
}

/* ---- gradients ---- */

static SluiceEdge
matmul (SluiceGradContext *g, SluiceEdge x, SluiceEdge y)
{
  return sluice_grad_matmul (g, x, FALSE, y, FALSE);
}

/* x* y and x y* */
static SluiceEdge
matmul_adjoint_x (SluiceGradContext *g, SluiceEdge x, SluiceEdge y)
{
  return sluice_grad_matmul (g, x, TRUE, y, FALSE);
}

static SluiceEdge
matmul_adjoint_y (SluiceGradContext *g, SluiceEdge x, SluiceEdge y)
{
  return sluice_grad_matmul (g, x, FALSE, y, TRUE);
}

static SluiceEdge
plus_adjoint (SluiceGradContext *g, SluiceEdge x)
{
  return MAKE ("AddV2", x, sluice_grad_adjoint (g, x));
}

static SluiceEdge
minus_adjoint (SluiceGradContext *g, SluiceEdge x)
{
  return MAKE ("Sub", x, sluice_grad_adjoint (g, x));
}

/* Columns [from, to) of matrices of known rank. */
static SluiceEdge
columns (SluiceGradContext *g, SluiceEdge x, gint64 from, gint64 to)
{
  gint64 begin[SLUICE_MAX_RANK] = { 0 }, size[SLUICE_MAX_RANK];
  if (x.node == NULL)
    return x;
  int rank = sluice_edge_shape (x)->rank;
  for (int i = 0; i < rank; i++)
    size[i] = -1;
  begin[rank - 1] = from;
  size[rank - 1] = to - from;
  return MAKE ("Slice", x, sluice_builder_const_ints (&g->b, SLUICE_INT32, begin, rank),
               sluice_builder_const_ints (&g->b, SLUICE_INT32, size, rank));
}

/* x r*^-1 for an upper triangle r */
static SluiceEdge
divide_by_triangle (SluiceGradContext *g, SluiceEdge x, SluiceEdge r)
{
  SluiceEdge solved = sluice_op_with (&g->b, "MatrixTriangularSolve",
                                      SLUICE_ATTRS (sluice_attr_bool ("lower", FALSE)), r,
                                      sluice_grad_adjoint (g, x));
  return sluice_grad_adjoint (g, solved);
}

/* Complex: what a phase of R's diagonal, which is real, would change. */
static SluiceEdge
qr_phase_gradient (SluiceGradContext *g, SluiceEdge q, SluiceEdge r, SluiceEdge rdr, SluiceEdge qdq)
{
  SluiceEdge diagonal = MAKE ("MatrixDiagPart", MAKE ("Sub", rdr, sluice_grad_adjoint (g, qdq)));
  SluiceDType real = gradient_dtype (q) == SLUICE_COMPLEX64 ? SLUICE_FLOAT : SLUICE_DOUBLE;
  SluiceEdge part =
      sluice_op_with (&g->b, "Real", SLUICE_ATTRS (sluice_attr_type ("Tout", real)), diagonal);
  part = sluice_op_with (&g->b, "Cast",
                         SLUICE_ATTRS (sluice_attr_type ("DstT", gradient_dtype (q))), part);
  SluiceEdge correction = MAKE ("MatrixDiag", MAKE ("Sub", diagonal, part));
  return divide_by_triangle (g, matmul_adjoint_y (g, q, correction), r);
}

/* R square. Roberts and Roberts 2020, arXiv 2009.10071 */
static SluiceEdge
qr_square_gradient (SluiceGradContext *g, SluiceEdge q, SluiceEdge r, SluiceEdge dq, SluiceEdge dr)
{
  SluiceEdge qdq = matmul_adjoint_x (g, q, dq), rdr = matmul_adjoint_y (g, r, dr);
  SluiceEdge lower = sluice_grad_triangle (
      g, MAKE ("AddV2", minus_adjoint (g, qdq), minus_adjoint (g, rdr)), TRUE);
  SluiceEdge first = matmul (g, q, MAKE ("AddV2", dr, divide_by_triangle (g, lower, r)));
  SluiceEdge second = divide_by_triangle (g, MAKE ("Sub", dq, matmul (g, q, qdq)), r);
  SluiceEdge da = MAKE ("AddV2", first, second);
  if (!sluice_dtype_is_complex (gradient_dtype (q)))
    return da;
  return MAKE ("AddV2", da, qr_phase_gradient (g, q, r, rdr, qdq));
}

/* Wide: A = [X Y], R = [U V], and X = Q U is the square case. */
static gboolean
qr_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceShape *a_shape = sluice_edge_shape (g->node->inputs[0]);
  gint64 m = sluice_matrix_dim (a_shape, 2), n = sluice_matrix_dim (a_shape, 1);
  if (m < 0 || n < 0 || (m > n && sluice_node_get_bool (g->node, "full_matrices")))
    return sluice_node_fail (g->node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "Qr has a gradient where the sizes of the matrices are known, and "
                             "with full_matrices where they have no more rows than columns");
  SluiceEdge q = sluice_grad_output (g, 0), r = sluice_grad_output (g, 1);
  SluiceEdge dq = sluice_grad_dy (g, 0), dr = sluice_grad_dy (g, 1);
  if (m >= n)
    {
      sluice_grad_set (g, 0, qr_square_gradient (g, q, r, dq, dr));
      return TRUE;
    }
  SluiceEdge y = columns (g, sluice_grad_input (g, 0), m, n), dv = columns (g, dr, m, n);
  SluiceEdge dy = matmul (g, q, dv);
  SluiceEdge dx =
      qr_square_gradient (g, q, columns (g, r, 0, m),
                          MAKE ("AddV2", dq, matmul_adjoint_y (g, y, dv)), columns (g, dr, 0, m));
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)), dx,
                                   dy, sluice_builder_const_int32 (&g->b, a_shape->rank - 1)));
  return TRUE;
}

/* x / (x² + ε): close to 1 / x, and 0 where x is 0. */
static SluiceEdge
safe_reciprocal (SluiceGradContext *g, SluiceEdge x)
{
  SluiceEdge square = MAKE ("Mul", x, x);
  return MAKE ("Mul", x,
               MAKE ("Reciprocal", MAKE ("AddV2", square, gradient_number (g, x, 1e-20))));
}

/* 1 / (x_j - x_i) at row i, column j, and 0 on the diagonal. */
static SluiceEdge
reciprocal_differences (SluiceGradContext *g, SluiceEdge x)
{
  SluiceEdge last = sluice_builder_const_int32 (&g->b, -1);
  SluiceEdge row = MAKE ("ExpandDims", x, sluice_builder_const_int32 (&g->b, -2));
  SluiceEdge differences = MAKE ("Sub", row, MAKE ("ExpandDims", x, last));
  return MAKE ("MatrixSetDiag", safe_reciprocal (g, differences), MAKE ("ZerosLike", x));
}

/* Only the lower triangle of A is looked at, so only it has a gradient. */
static gboolean
eigen_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge e = sluice_grad_output (g, 0), v = sluice_grad_output (g, 1);
  SluiceEdge middle = MAKE ("MatrixDiag", sluice_grad_dy (g, 0));
  if (sluice_node_get_bool (g->node, "compute_v"))
    {
      SluiceEdge vdv = matmul_adjoint_x (g, v, sluice_grad_dy (g, 1));
      middle = MAKE ("AddV2", middle, MAKE ("Mul", reciprocal_differences (g, e), vdv));
    }
  else
    v = sluice_edge_port (MAKE ("SelfAdjointEigV2", sluice_grad_input (g, 0)), 1);
  SluiceEdge da = matmul (g, v, matmul_adjoint_y (g, middle, v));
  da = sluice_grad_triangle (g, plus_adjoint (g, da), TRUE);
  sluice_grad_set (g, 0, sluice_grad_scale_diagonal (g, da, 0.5));
  return TRUE;
}

/* The parts of a singular value decomposition with at least as many columns as rows. */
typedef struct
{
  SluiceEdge s, u, v, ds, du, dv; /* s, ds: vectors */
  gint64 m, n;
  gboolean full;
} SvdParts;

/* What only complex phases change. */
static SluiceEdge
svd_phase_gradient (SluiceGradContext *g, const SvdParts *p, SluiceEdge v1, SluiceEdge vdv)
{
  SluiceEdge diagonal = MAKE ("MatrixDiag", MAKE ("MatrixDiagPart", vdv));
  SluiceEdge inverse = MAKE ("MatrixDiag", safe_reciprocal (g, p->s));
  SluiceEdge twist = matmul (g, inverse, MAKE ("Sub", sluice_grad_adjoint (g, diagonal), diagonal));
  return gradient_scaled (g, matmul (g, p->u, matmul_adjoint_y (g, twist, v1)), 0.5);
}

/* What moves the vectors of V out of the space that they span. */
static SluiceEdge
svd_outer_gradient (SluiceGradContext *g, const SvdParts *p, SluiceEdge v1, SluiceEdge dv1)
{
  SluiceEdge adjoint = sluice_grad_adjoint (g, dv1);
  SluiceEdge out = MAKE ("Sub", adjoint, matmul_adjoint_y (g, matmul (g, adjoint, v1), v1));
  if (p->full)
    {
      SluiceEdge v2 = columns (g, p->v, p->m, p->n), dv2 = columns (g, p->dv, p->m, p->n);
      out = MAKE ("Sub", out, matmul_adjoint_y (g, matmul_adjoint_x (g, v1, dv2), v2));
    }
  SluiceEdge inverse = MAKE ("MatrixDiag", safe_reciprocal (g, p->s));
  return matmul (g, matmul (g, p->u, inverse), out);
}

/* Giles 2008; Townsend 2016 for the reduced form. */
static SluiceEdge
svd_wide_gradient (SluiceGradContext *g, const SvdParts *p)
{
  SluiceEdge s = MAKE ("MatrixDiag", p->s);
  SluiceEdge f = reciprocal_differences (g, MAKE ("Square", p->s));
  SluiceEdge v1 = p->full ? columns (g, p->v, 0, p->m) : p->v;
  SluiceEdge dv1 = p->full ? columns (g, p->dv, 0, p->m) : p->dv;
  SluiceEdge vdv = matmul_adjoint_x (g, v1, dv1);
  SluiceEdge fu = MAKE ("Mul", f, matmul_adjoint_x (g, p->u, p->du));
  SluiceEdge fv = MAKE ("Mul", f, vdv);
  SluiceEdge inner =
      MAKE ("AddV2", MAKE ("MatrixDiag", p->ds), matmul (g, plus_adjoint (g, fu), s));
  inner = MAKE ("AddV2", inner, matmul (g, s, plus_adjoint (g, fv)));
  SluiceEdge da = matmul (g, p->u, matmul_adjoint_y (g, inner, v1));
  if (p->m != p->n)
    da = MAKE ("AddV2", da, svd_outer_gradient (g, p, v1, dv1));
  if (sluice_dtype_is_complex (gradient_dtype (p->s)))
    da = MAKE ("AddV2", da, svd_phase_gradient (g, p, v1, vdv));
  return da;
}

static gboolean
svd_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge a = sluice_grad_input (g, 0), ds = sluice_grad_dy (g, 0);
  if (!sluice_node_get_bool (g->node, "compute_uv"))
    {
      SluiceEdge parts = MAKE ("Svd", a);
      SluiceEdge right = matmul_adjoint_y (g, MAKE ("MatrixDiag", ds), sluice_edge_port (parts, 2));
      sluice_grad_set (g, 0, matmul (g, sluice_edge_port (parts, 1), right));
      return TRUE;
    }
  const SluiceShape *shape = sluice_edge_shape (g->node->inputs[0]);
  SvdParts p = { .s = sluice_grad_output (g, 0),
                 .u = sluice_grad_output (g, 1),
                 .v = sluice_grad_output (g, 2),
                 .ds = ds,
                 .du = sluice_grad_dy (g, 1),
                 .dv = sluice_grad_dy (g, 2),
                 .m = sluice_matrix_dim (shape, 2),
                 .n = sluice_matrix_dim (shape, 1),
                 .full = sluice_node_get_bool (g->node, "full_matrices") };
  if (p.m < 0 || p.n < 0 || (p.full && ABS (p.m - p.n) > 1))
    return sluice_node_fail (g->node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "Svd has a gradient where the sizes of the matrices are known, and "
                             "with full_matrices where they differ by one at most");
  gboolean tall = p.m > p.n;
  if (tall) /* the adjoint of A is wide */
    p = (SvdParts){ p.s, p.v, p.u, p.ds, p.dv, p.du, p.n, p.m, p.full };
  SluiceEdge da = svd_wide_gradient (g, &p);
  sluice_grad_set (g, 0, tall ? sluice_grad_adjoint (g, da) : da);
  return TRUE;
}

/* ---- definitions ---- */

static const SluiceSample qr_samples[] = {
  { "", "float[4,3]={4,1,0.5,-1,5,-1,0.2,1,-6,1,2,3}", 1e-4, 1e-5 },
  { "", "float[2,2,3]", 1e-4, 1e-5 },
  { "full_matrices=true", "float[4,3]={4,1,0.5,-1,5,-1,0.2,1,-6,1,2,3}", 1e-4, 1e-5, TRUE },
  { "full_matrices=true", "float[2,3]={4,1,0.5,-1,5,-1}", 1e-4, 1e-5 },
  { "", "float[0,3]", 0, 0, TRUE },
  { "full_matrices=true", "float[3,0]", 0, 0, TRUE },
};
static const SluiceSample svd_samples[] = {
  { "", "float[4,3]={4,1,0.5,-1,5,-1,0.2,1,-6,1,2,3}", 1e-4, 1e-5 },
  { "", "float[2,2,3]={4,1,0.5,-1,5,-1,3,2,0.2,1,-6,1}", 1e-4, 1e-5 },
  { "full_matrices=true", "float[2,3]={4,1,0.5,-1,5,-1}", 1e-4, 1e-5, TRUE },
  { "full_matrices=true", "float[5,2]", 1e-4, 1e-5, TRUE },
  { "compute_uv=false", "float[3,4]", 1e-4, 1e-5 },
  { "", "float[2,0,3]", 0, 0, TRUE },
};
static const SluiceSample eigen_samples[] = {
  { "", "float[3,3]={4,1,0.5,1,-5,-1,0.5,-1,6}", 1e-4, 1e-5 },
  { "compute_v=false", "float[2,2,2]={4,1,1,-5,2,0.5,0.5,7}", 1e-4, 1e-5 },
  { "", "float[0,0]", 0, 0, TRUE },
};
static const SluiceSample old_eigen_samples[] = {
  { "", "float[3,3]={4,1,0.5,1,-5,-1,0.5,-1,6}", 1e-4, 1e-5 },
};

SLUICE_MATRIX_RECIPE (qr_recipe, qr_samples, SLUICE_MATRIX_ALL);
SLUICE_MATRIX_RECIPE (svd_recipe, svd_samples, SLUICE_MATRIX_ALL);
SLUICE_MATRIX_RECIPE (eigen_recipe, eigen_samples, SLUICE_MATRIX_ALL);
SLUICE_MATRIX_RECIPE (old_eigen_recipe, old_eigen_samples, SLUICE_MATRIX_REAL);

#define SPECTRAL_OP(id, op_name, outputs, its_attrs, text, shape_rule, its_gradient, its_recipe)   \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "input: T -> " outputs,                                                           \
    .attrs = its_attrs,                                                                            \
    .summary = text,                                                                               \
    .shape = shape_rule,                                                                           \
    .gradient = its_gradient,                                                                      \
    .cost = sluice_cost_factor,                                                                    \
    .recipe = &its_recipe,                                                                         \
  }

SPECTRAL_OP (qr_op,
             "Qr",
             "q: T, r: T",
             "full_matrices: bool = false; " SLUICE_MATRIX_TYPES,
             N_ ("Each matrix as a product of orthogonal columns and an upper triangle"),
             qr_shape,
             qr_gradient,
             qr_recipe);

#define SVD(id, name, types, gradient)                                                             \
  SPECTRAL_OP (id, name, "s: T, u: T, v: T",                                                       \
               "compute_uv: bool = true; full_matrices: bool = false; " types,                     \
               N_ ("Singular values of each matrix, and their vectors: A = U diag(s) V*"),         \
               svd_shape, gradient, svd_recipe)
SVD (svd_op, "Svd", SLUICE_MATRIX_TYPES, svd_gradient);
SVD (batch_svd_op, "BatchSvd", "T: {double, float, complex64, complex128}", NULL);

#define EIGEN(id, name, types, gradient, recipe)                                                   \
  SPECTRAL_OP (id, name, "e: T, v: T", "compute_v: bool = true; " types,                           \
               N_ ("Eigenvalues in rising order, and vectors, of each self-adjoint matrix"),       \
               eigen_shape, gradient, recipe)
EIGEN (eigen_op, "SelfAdjointEigV2", SLUICE_MATRIX_TYPES, eigen_gradient, eigen_recipe);
EIGEN (batch_eigen_op, "BatchSelfAdjointEigV2", SLUICE_MATRIX_OLD_TYPES, NULL, old_eigen_recipe);

#define EIGEN_ROWS(id, name, types)                                                                \
  SPECTRAL_OP (id, name, "output: T", types,                                                       \
               N_ ("Eigenvalues of each self-adjoint matrix in a row above its eigenvectors"),     \
               eigen_rows_shape, NULL, old_eigen_recipe)
EIGEN_ROWS (eigen_rows_op, "SelfAdjointEig", "T: {double, float, half}");
EIGEN_ROWS (batch_eigen_rows_op, "BatchSelfAdjointEig", SLUICE_MATRIX_OLD_TYPES);

static const SluiceOpDef *const ops[] = {
  &qr_op, &svd_op, &batch_svd_op, &eigen_op, &batch_eigen_op, &eigen_rows_op, &batch_eigen_rows_op,
};

const SluiceKernelModule sluice_module_linalg_spectral = { .ops = ops,
                                                           .n_ops = G_N_ELEMENTS (ops) };
