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
  SluiceBatches batches;
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
      || !sluice_batches_make (&products->batches, x, y, &batch))
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
  const SluiceBatches *batches = &products->batches;
  for (gint64 i = begin; i < end; i++)
    {
      SluiceGemm g = products->gemm;
      gsize size = products->element;
      g.a = (const char *) g.a + sluice_batches_index (batches, 0, i) * g.m * g.k * size;
      g.b = (const char *) g.b + sluice_batches_index (batches, 1, i) * g.k * g.n * size;
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
  if (!sluice_dtype_is_half (out->dtype))
    return multiply (call, &products, sluice_call_input (call, 0), sluice_call_input (call, 1),
                     out);
  g_autoptr (SluiceTensor) x = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) y = sluice_call_widen_input (call, 1);
  g_autoptr (SluiceTensor) wide = sluice_call_scratch (call, SLUICE_FLOAT, &shape);
  if (x == NULL || y == NULL || wide == NULL || !multiply (call, &products, x, y, wide))
    return FALSE;
  sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

/* BatchMatMulV3 with three types that differ is only registered, in TensorFlow too, for few. */
static gboolean
types_are_equal (const SluiceNode *node)
{
  SluiceDType type = sluice_node_get_type (node, "Ta");
  return sluice_node_get_type (node, "Tb") == type && sluice_node_get_type (node, "Tout") == type;
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
  KERNEL ("BatchMatMulV2", "T", ALL, 0),
  KERNEL ("BatchMatMulV2", "T", FAST, 10),
  KERNEL ("BatchMatMulV3", "Ta", ALL, 0, .accepts = types_are_equal),
  KERNEL ("BatchMatMulV3", "Ta", FAST, 10, .accepts = types_are_equal),
};

const SluiceKernelModule sluice_module_linalg_batch_matmul_cpu = { .kernels = kernels,
                                                                   .n_kernels =
                                                                       G_N_ELEMENTS (kernels) };
