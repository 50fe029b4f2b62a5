/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * SparseTensorDenseMatMul: a · b of a sparse matrix and a dense one. d(b) = aᴴ · dy; d(a) at each
 * index is the product of a row of dy and one of b.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernels/array/sparse.h"
#include "kernels/math/gradients.h"
#include "kernels/math/scalar-complex.h"
#include "kernels/typed.h"

static gboolean
matmul_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  SluiceShape a;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error)
      || !sluice_shape_context_want_rank (c, 3, 2, error)
      || !sluice_shape_context_shape_from_input (c, 2, &a, error))
    return FALSE;
  if (rank >= 0 && rank != 2)
    return sluice_shape_context_fail (c, error, "a must have two dimensions, not %" G_GINT64_FORMAT,
                                      rank);
  gboolean adjoint_a = sluice_node_get_bool (c->node, "adjoint_a");
  gboolean adjoint_b = sluice_node_get_bool (c->node, "adjoint_b");
  SluiceShape b = c->inputs[3];
  if (a.rank != 2)
    a = sluice_shape_of_rank (2);
  if (b.rank != 2)
    b = sluice_shape_of_rank (2);
  gint64 inner_a = a.dim[!adjoint_a], inner_b = b.dim[adjoint_b];
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b)
    return sluice_shape_context_fail (c, error,
                                      "a has %" G_GINT64_FORMAT " columns, b %" G_GINT64_FORMAT
                                      " rows; make them equal",
                                      inner_a, inner_b);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (a.dim[adjoint_a], b.dim[!adjoint_b]));
  return TRUE;
}

static SluiceEdge
adjoint (SluiceGradContext *g, SluiceEdge matrix)
{
  SluiceEdge order = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 1, 0 }, 2);
  return gradient_conj (g, MAKE ("Transpose", matrix, order));
}

/* Column `column` of the indices. */
static SluiceEdge
index_column (SluiceGradContext *g, gint32 column)
{
  return MAKE ("GatherV2", sluice_grad_input (g, 0), sluice_builder_const_int32 (&g->b, column),
               sluice_builder_const_int32 (&g->b, 1));
}

static gboolean
matmul_gradient (SluiceGradContext *g, GError **error)
{
  gboolean adjoint_a = sluice_node_get_bool (g->node, "adjoint_a");
  gboolean adjoint_b = sluice_node_get_bool (g->node, "adjoint_b");
  SluiceEdge dy = sluice_grad_dy (g, 0), b = sluice_grad_input (g, 3);
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge db = sluice_op_with (
      &g->b, "SparseTensorDenseMatMul", SLUICE_ATTRS (sluice_attr_bool ("adjoint_a", !adjoint_a)),
      sluice_grad_input (g, 0), sluice_grad_input (g, 1), sluice_grad_input (g, 2), dy);
  sluice_grad_set (g, 3, adjoint_b ? adjoint (g, db) : db);

  SluiceEdge rows = MAKE ("GatherV2", dy, index_column (g, adjoint_a), zero);
  SluiceEdge others =
      MAKE ("GatherV2", adjoint_b ? adjoint (g, b) : b, index_column (g, !adjoint_a), zero);
  SluiceEdge da = MAKE ("Sum", MAKE ("Mul", rows, gradient_conj (g, others)), one);
  sluice_grad_set (g, 1, adjoint_a ? gradient_conj (g, da) : da);
  return TRUE;
}

/* b and the product are read and written; a has 2 flops a value and column. */
static void
matmul_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&in[1]), columns = (double) out[0].dim[1];
  cost->flops = 2 * n * columns;
  cost->bytes = 3 * n * columns * (double) sluice_dtype_size (sluice_edge_dtype (node->inputs[1]));
}

static const SluiceSample samples[] = {
  { "", "int64[4,2]={0,1,1,2,2,0,2,2}; float[4]; int64[2]={3,3}; float[3,2]", 1e-5, 1e-6 },
  { "adjoint_a=true", "int32[3,2]={0,1,1,2,1,0}; float[3]; int64[2]={2,3}; float[2,4]", 1e-5,
    1e-6 },
  { "adjoint_b=true", "int64[2,2]={0,1,1,0}; float[2]; int64[2]={2,3}; float[5,3]", 1e-5, 1e-6 },
};
static const SluiceRecipe recipe = {
  .samples = samples,
  .n_samples = G_N_ELEMENTS (samples),
};

static const SluiceOpDef matmul_op = {
  .name = "SparseTensorDenseMatMul",
  .signature = "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
  .attrs = "T: type; Tindices: index = int64; adjoint_a: bool = false; adjoint_b: bool = false",
  .summary = N_ ("The product of a sparse matrix and a dense one"),
  .shape = matmul_shape,
  .gradient = matmul_gradient,
  .cost = matmul_cost,
  .recipe = &recipe,
};

/* ---- kernel ---- */

/* y += alpha x; halves are added up in rows of float. */
#define AXPY(T, name)                                                                              \
  SLUICE_HOT static void name (void *y_memory, const void *x_memory, const void *alpha, gint64 n,  \
                               gboolean conjugate)                                                 \
  {                                                                                                \
    T *y = y_memory;                                                                               \
    const T *x = x_memory, a = *(const T *) alpha;                                                 \
    for (gint64 i = 0; i < n; i++)                                                                 \
      y[i] += a * x[i];                                                                            \
  }
AXPY (float, axpy_float)
AXPY (double, axpy_double)
AXPY (guint32, axpy_32)
AXPY (guint64, axpy_64)
#define AXPY_COMPLEX(T, name, conjugated)                                                          \
  static void name (void *y_memory, const void *x_memory, const void *alpha, gint64 n,             \
                    gboolean conjugate)                                                            \
  {                                                                                                \
    T *y = y_memory;                                                                               \
    const T *x = x_memory, a = *(const T *) alpha;                                                 \
    for (gint64 i = 0; i < n; i++)                                                                 \
      y[i] += a * (conjugate ? conjugated (x[i]) : x[i]);                                          \
  }
AXPY_COMPLEX (SluiceComplex64, axpy_c64, conjf)
AXPY_COMPLEX (SluiceComplex128, axpy_c128, conj)

typedef void (*AxpyFunc) (void *y, const void *x, const void *alpha, gint64 n, gboolean conjugate);

static AxpyFunc
axpy_func (SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
      return axpy_float;
    case SLUICE_DOUBLE:
      return axpy_double;
    case SLUICE_COMPLEX64:
      return axpy_c64;
    case SLUICE_COMPLEX128:
      return axpy_c128;
    case SLUICE_INT64:
      return axpy_64;
    default:
      return axpy_32;
    }
}

typedef struct
{
  const SluiceTensor *indices;
  gint64 n;
  gboolean adjoint_a, adjoint_b;
  AxpyFunc axpy;
  gsize size;
  const char *values,
      *b; /* values conjugated where a is adjoint; b with its inner dimension first */
  char *out;
  gint64 columns;
} Product;

/* Columns [begin, end): every value in order, so that threads do not change sums. */
static void
multiply_columns (gpointer data, gint64 begin, gint64 end)
{
  const Product *p = data;
  for (gint64 i = 0; i < p->n; i++)
    {
      gint64 row = sluice_tensor_get_int (p->indices, 2 * i + p->adjoint_a);
      gint64 inner = sluice_tensor_get_int (p->indices, 2 * i + !p->adjoint_a);
      p->axpy (p->out + (row * p->columns + begin) * p->size,
               p->b + (inner * p->columns + begin) * p->size, p->values + i * p->size, end - begin,
               p->adjoint_b);
    }
}

/* Bits: 1 adjoint_a, 2 adjoint_b. */
static gpointer
matmul_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER ((sluice_node_get_bool (node, "adjoint_a") ? 1 : 0)
                          + (sluice_node_get_bool (node, "adjoint_b") ? 2 : 0));
}

static gboolean
check_operands (SluiceKernelCall *call, gboolean adjoint_a, gboolean adjoint_b)
{
  const SluiceTensor *indices = sluice_call_input (call, 0);
  const SluiceTensor *values = sluice_call_input (call, 1), *shape = sluice_call_input (call, 2);
  const SluiceTensor *b = sluice_call_input (call, 3);
  char text[4][SLUICE_SHAPE_STR];
  if (indices->shape.rank != 2 || indices->shape.dim[1] != 2 || values->shape.rank != 1
      || indices->shape.dim[0] != values->n_elements || shape->shape.rank != 1
      || shape->n_elements != 2 || b->shape.rank != 2)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "a_indices %s, a_values %s, a_shape %s and b %s must be [n,2], [n], [2] and a matrix",
        sluice_shape_str (&indices->shape, text[0]), sluice_shape_str (&values->shape, text[1]),
        sluice_shape_str (&shape->shape, text[2]), sluice_shape_str (&b->shape, text[3]));
  const gint64 *size = shape->data;
  if (size[0] < 0 || size[1] < 0 || size[!adjoint_a] != b->shape.dim[adjoint_b])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT
                             " does not fit b of shape %s",
                             size[0], size[1], sluice_shape_str (&b->shape, text[0]));
  for (gint64 i = 0; i < indices->n_elements; i++)
    {
      gint64 at = sluice_tensor_get_int (indices, i);
      if (at < 0 || at >= size[i % 2])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "coordinate %" G_GINT64_FORMAT " of index %" G_GINT64_FORMAT
                                 " is %" G_GINT64_FORMAT ", not in [0, %" G_GINT64_FORMAT ")",
                                 i % 2, i / 2, at, size[i % 2]);
    }
  return TRUE;
}

/* b as [inner, columns]. (transfer full) */
static SluiceTensor *
transposed (SluiceKernelCall *call, const SluiceTensor *b)
{
  gint64 rows = b->shape.dim[0], columns = b->shape.dim[1];
  gsize size = sluice_dtype_size (b->dtype);
  SluiceTensor *out = sluice_call_scratch (call, b->dtype, &SLUICE_SHAPE (columns, rows));
  for (gint64 r = 0; out != NULL && r < rows; r++)
    for (gint64 c = 0; c < columns; c++)
      memcpy ((char *) out->data + (c * rows + r) * size,
              (const char *) b->data + (r * columns + c) * size, size);
  return out;
}

/* (transfer full) */
static SluiceTensor *
conjugated (SluiceKernelCall *call, SluiceTensor *values)
{
  SluiceTensor *out = sluice_call_scratch (call, values->dtype, &values->shape);
  for (gint64 i = 0; out != NULL && i < values->n_elements; i++)
    if (values->dtype == SLUICE_COMPLEX64)
      ((SluiceComplex64 *) out->data)[i] = conjf (((SluiceComplex64 *) values->data)[i]);
    else
      ((SluiceComplex128 *) out->data)[i] = conj (((SluiceComplex128 *) values->data)[i]);
  return out;
}

/* The product of operands that fit, into `out`, which is 0. */
static gboolean
multiply (SluiceKernelCall *call, SluiceTensor *values, SluiceTensor *b, SluiceTensor *out)
{
  int bits = GPOINTER_TO_INT (call->state);
  gboolean is_complex = sluice_dtype_is_complex (out->dtype);
  g_autoptr (SluiceTensor) own_b = bits & 2 ? transposed (call, b) : sluice_tensor_ref (b);
  g_autoptr (SluiceTensor) own_values =
      (bits & 1) && is_complex ? conjugated (call, values) : sluice_tensor_ref (values);
  if (own_b == NULL || own_values == NULL)
    return FALSE;
  Product product = {
    .indices = sluice_call_input (call, 0),
    .n = values->n_elements,
    .adjoint_a = bits & 1,
    .adjoint_b = (bits & 2) != 0,
    .axpy = axpy_func (out->dtype),
    .size = sluice_dtype_size (out->dtype),
    .values = own_values->data,
    .b = own_b->data,
    .out = out->data,
    .columns = out->shape.dim[1],
  };
  if (product.n == 0)
    return TRUE;
  gint64 grain = sluice_round_up (MAX (16384 / product.n, 1), 64);
  return sluice_call_parallel_for (call, product.columns, grain, 0.3 * product.n, multiply_columns,
                                   &product);
}

static gboolean
matmul_compute (SluiceKernelCall *call)
{
  int bits = GPOINTER_TO_INT (call->state);
  gboolean adjoint_a = bits & 1, adjoint_b = (bits & 2) != 0;
  SluiceTensor *values = sluice_call_input (call, 1), *b = sluice_call_input (call, 3);
  if (!check_operands (call, adjoint_a, adjoint_b))
    return FALSE;
  const gint64 *size = sluice_call_input (call, 2)->data;
  SluiceShape shape = SLUICE_SHAPE (size[adjoint_a], b->shape.dim[!adjoint_b]);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  memset (out->data, 0, sluice_tensor_bytes (out));
  if (!sluice_dtype_is_half (out->dtype))
    return multiply (call, values, b, out);
  g_autoptr (SluiceTensor) wide_values = sluice_call_widen_input (call, 1);
  g_autoptr (SluiceTensor) wide_b = sluice_call_widen_input (call, 3);
  g_autoptr (SluiceTensor) wide_out = sluice_call_scratch (call, SLUICE_FLOAT, &shape);
  if (wide_values == NULL || wide_b == NULL || wide_out == NULL)
    return FALSE;
  memset (wide_out->data, 0, sluice_tensor_bytes (wide_out));
  if (!multiply (call, wide_values, wide_b, wide_out))
    return FALSE;
  sluice_narrow (out->dtype, wide_out->data, out->data, out->n_elements);
  return TRUE;
}

static const SluiceOpDef *const ops[] = { &matmul_op };
static const SluiceKernel kernels[] = {
  { .op = "SparseTensorDenseMatMul",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX | SLUICE_SET (SLUICE_INT32)
                          | SLUICE_SET (SLUICE_INT64) } },
    .prepare = matmul_prepare,
    .compute = matmul_compute },
};

const SluiceKernelModule sluice_module_array_sparse_matmul = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
