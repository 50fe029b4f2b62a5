/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/linalg/batches.h"
#include "kernels/linalg/gemm.h"
#include "kernels/typed.h"

typedef struct
{
  guint x_flags, y_flags;
  gboolean broadcasts;
} BatchMatMul;

static gpointer
batch_matmul_prepare (const SluiceNode *node, GError **error)
{
  const guint adjoint = SLUICE_GEMM_TRANSPOSED | SLUICE_GEMM_CONJUGATED;
  BatchMatMul *self = g_new0 (BatchMatMul, 1);
  self->x_flags = sluice_node_get_bool (node, "adj_x") ? adjoint : 0;
  self->y_flags = sluice_node_get_bool (node, "adj_y") ? adjoint : 0;
  self->broadcasts = strcmp (node->op->name, "BatchMatMul") != 0;
  return self;
}

typedef struct
{
  SluiceGemm gemm; /* of the first pair of matrices */
  SluiceMatrixBatches batches;
  gsize element;
  gboolean reference;
} Products;

/* The shape of the output; which operands' matrices meet goes to products. */
static gboolean
check_operands (SluiceKernelCall *call, Products *products, SluiceShape *out)
{
  const BatchMatMul *self = call->state;
  const SluiceShape *x = &sluice_call_input (call, 0)->shape;
  const SluiceShape *y = &sluice_call_input (call, 1)->shape;
  gboolean ax = self->x_flags != 0, ay = self->y_flags != 0;
  gboolean ok = x->rank >= 2 && y->rank >= 2 && (self->broadcasts || x->rank == y->rank);
  for (int i = 0; ok && !self->broadcasts && i < x->rank - 2; i++)
    ok = x->dim[i] == y->dim[i];
  SluiceShape batch;
  if (!ok || sluice_matrix_dim (x, ax ? 2 : 1) != sluice_matrix_dim (y, ay ? 1 : 2)
      || !sluice_matrix_batches_make (&products->batches, x, y, &batch))
    {
      char sx[SLUICE_SHAPE_STR], sy[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "x is %s%s, y is %s%s: leading dimensions must %s, inner sizes be "
                               "equal, ranks at least 2",
                               sluice_shape_str (x, sx), ax ? " adjoint" : "",
                               sluice_shape_str (y, sy), ay ? " adjoint" : "",
                               self->broadcasts ? "broadcast together" : "be equal");
    }
  *out = sluice_batch_of_matrices (&batch, sluice_matrix_dim (x, ax ? 1 : 2),
                                   sluice_matrix_dim (y, ay ? 2 : 1));
  return TRUE;
}

static void
multiply_range (gpointer data, gint64 begin, gint64 end)
{
  const Products *products = data;
  const SluiceMatrixBatches *batches = &products->batches;
  for (gint64 i = begin; i < end; i++)
    {
      SluiceGemm g = products->gemm;
      gsize size = products->element;
      g.a = (const char *) g.a + sluice_matrix_batches_index (batches, 0, i) * g.m * g.k * size;
      g.b = (const char *) g.b + sluice_matrix_batches_index (batches, 1, i) * g.k * g.n * size;
      g.c = (char *) g.c + i * g.m * g.n * size;
      if (products->reference)
        sluice_gemm_reference (&g);
      else
        sluice_gemm_library (&g);
    }
}

/* The products of one call; x, y and out of one type that the products are done in. */
static gboolean
multiply (
    SluiceKernelCall *call, Products *products, SluiceTensor *x, SluiceTensor *y, SluiceTensor *out)
{
  const BatchMatMul *self = call->state;
  products->gemm = (SluiceGemm){ .dtype = x->dtype,
                                 .a_flags = self->x_flags,
                                 .b_flags = self->y_flags,
                                 .m = sluice_matrix_dim (&out->shape, 2),
                                 .n = sluice_matrix_dim (&out->shape, 1),
                                 .k = sluice_matrix_dim (&x->shape, self->x_flags ? 2 : 1),
                                 .a = x->data,
                                 .b = y->data,
                                 .c = out->data };
  products->element = sluice_dtype_size (x->dtype);
  products->reference = call->kernel->rank == 0;
  const SluiceGemm *g = &products->gemm;
  double flops = 2.0 * (double) g->m * (double) g->n * (double) g->k;
  gint64 grain = MAX (1, (gint64) (2e6 / (flops + 1)));
  if (products->batches.n == 1 && !products->reference)
    return sluice_call_gemm (call, g);
  return sluice_call_parallel_for (call, products->batches.n, grain, flops / 50, multiply_range,
                                   products);
}

#define BYTES (SLUICE_SET (SLUICE_INT8) | SLUICE_SET (SLUICE_UINT8))

/* Input i in the type that the products are done in. (transfer full) (nullable) */
static SluiceTensor *
convert_input (SluiceKernelCall *call, guint i, SluiceDType dtype)
{
  SluiceTensor *input = sluice_call_input (call, i);
  if (input->dtype == (int) dtype)
    return sluice_tensor_ref (input);
  if (sluice_dtype_is_half (input->dtype))
    return sluice_call_widen_input (call, i);
  SluiceTensor *wide = sluice_call_scratch (call, dtype, &input->shape);
  for (gint64 k = 0; wide != NULL && k < input->n_elements; k++)
    {
      int byte = input->dtype == SLUICE_INT8 ? ((const gint8 *) input->data)[k]
                                             : ((const guint8 *) input->data)[k];
      if (dtype == SLUICE_FLOAT)
        ((float *) wide->data)[k] = (float) byte;
      else
        ((gint32 *) wide->data)[k] = byte;
    }
  return wide;
}

static gboolean
batch_matmul_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  Products products;
  if (!check_operands (call, &products, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gboolean narrow = sluice_dtype_is_half (out->dtype);
  SluiceDType dtype = narrow ? SLUICE_FLOAT : out->dtype;
  g_autoptr (SluiceTensor) x = convert_input (call, 0, dtype);
  g_autoptr (SluiceTensor) y = x == NULL ? NULL : convert_input (call, 1, dtype);
  if (y == NULL || !narrow)
    return y != NULL && multiply (call, &products, x, y, out);
  g_autoptr (SluiceTensor) wide = sluice_call_scratch (call, SLUICE_FLOAT, &shape);
  if (wide == NULL || !multiply (call, &products, x, y, wide))
    return FALSE;
  sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

static gboolean
types_are_equal (const SluiceNode *node)
{
  SluiceDType type = sluice_node_get_type (node, "Ta");
  return sluice_node_get_type (node, "Tb") == type && sluice_node_get_type (node, "Tout") == type;
}

/* Those that TensorFlow has a kernel for: bytes make int32, a byte and a bfloat16 a bfloat16. */
static gboolean
types_are_mixed (const SluiceNode *node)
{
  SluiceDType x = sluice_node_get_type (node, "Ta"), y = sluice_node_get_type (node, "Tb");
  SluiceDType out = sluice_node_get_type (node, "Tout");
  gboolean x_byte = sluice_dtype_in (x, BYTES), y_byte = sluice_dtype_in (y, BYTES);
  if (x_byte && y_byte)
    return out == SLUICE_INT32;
  return out == SLUICE_BFLOAT16 && (x_byte || x == out) && (y_byte || y == out);
}

#define ALL  (SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX)
#define FAST (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define KERNEL(name, attr, types, kernel_rank, ...)                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { attr, types } }, .rank = kernel_rank,                \
    .prepare = batch_matmul_prepare, .free_state = g_free, .compute = batch_matmul_compute,        \
    __VA_ARGS__                                                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("BatchMatMul", "T", ALL, 0),
  KERNEL ("BatchMatMul", "T", FAST, 10),
  KERNEL ("BatchMatMulV2", "T", ALL | SLUICE_SET (SLUICE_INT16), 0),
  KERNEL ("BatchMatMulV2", "T", FAST, 10),
  KERNEL ("BatchMatMulV3", "Ta", ALL | SLUICE_SET (SLUICE_INT16), 0, .accepts = types_are_equal),
  KERNEL (
      "BatchMatMulV3", "Ta", BYTES | SLUICE_SET (SLUICE_BFLOAT16), 0, .accepts = types_are_mixed),
  KERNEL ("BatchMatMulV3", "Ta", FAST, 10, .accepts = types_are_equal),
};

const SluiceKernelModule sluice_module_linalg_batch_matmul_cpu = { .kernels = kernels,
                                                                   .n_kernels =
                                                                       G_N_ELEMENTS (kernels) };
