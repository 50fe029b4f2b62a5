/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/sparse.h"
#include "kernels/math/scalar-complex.h"
#include "kernels/typed.h"

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

static const SluiceKernel kernels[] = {
  { .op = "SparseTensorDenseMatMul",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX | SLUICE_SET (SLUICE_INT32)
                          | SLUICE_SET (SLUICE_INT64) } },
    .prepare = matmul_prepare,
    .compute = matmul_compute },
};

const SluiceKernelModule sluice_module_array_sparse_matmul_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
