/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/gemm.h"
#include "kernels/typed.h"

typedef struct
{
  guint x_flags, y_flags;
} BatchMatMul;

static gpointer
batch_matmul_prepare (const SluiceNode *node, GError **error)
{
  const guint adjoint = SLUICE_GEMM_TRANSPOSED | SLUICE_GEMM_CONJUGATED;
  BatchMatMul *self = g_new0 (BatchMatMul, 1);
  self->x_flags = sluice_node_get_bool (node, "adj_x") ? adjoint : 0;
  self->y_flags = sluice_node_get_bool (node, "adj_y") ? adjoint : 0;
  return self;
}

static gboolean
check_operands (SluiceKernelCall *call, SluiceShape *out)
{
  const BatchMatMul *self = call->state;
  const SluiceShape *x = &sluice_call_input (call, 0)->shape;
  const SluiceShape *y = &sluice_call_input (call, 1)->shape;
  gboolean ax = self->x_flags != 0, ay = self->y_flags != 0;
  gboolean ok = x->rank == y->rank && x->rank >= 2;
  for (int i = 0; ok && i < x->rank - 2; i++)
    ok = x->dim[i] == y->dim[i];
  if (!ok || x->dim[x->rank - (ax ? 2 : 1)] != y->dim[y->rank - (ay ? 1 : 2)])
    {
      char sx[SLUICE_SHAPE_STR], sy[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "x is %s%s, y is %s%s: leading dimensions and inner sizes must be "
                               "equal, ranks at least 2",
                               sluice_shape_str (x, sx), ax ? " adjoint" : "",
                               sluice_shape_str (y, sy), ay ? " adjoint" : "");
    }
  *out = *x;
  out->dim[x->rank - 2] = x->dim[x->rank - (ax ? 1 : 2)];
  out->dim[x->rank - 1] = y->dim[y->rank - (ay ? 2 : 1)];
  return TRUE;
}

typedef struct
{
  SluiceGemm gemm; /* of the first pair of matrices */
  gsize element;
  gboolean reference;
} Batches;

static void
multiply_range (gpointer data, gint64 begin, gint64 end)
{
  const Batches *batches = data;
  for (gint64 i = begin; i < end; i++)
    {
      SluiceGemm g = batches->gemm;
      g.a = (const char *) g.a + i * g.m * g.k * batches->element;
      g.b = (const char *) g.b + i * g.k * g.n * batches->element;
      g.c = (char *) g.c + i * g.m * g.n * batches->element;
      if (batches->reference)
        sluice_gemm_reference (&g);
      else
        sluice_gemm_library (&g);
    }
}

/* The products of one call; x, y and out of one type that the products are done in. */
static gboolean
multiply (SluiceKernelCall *call, SluiceTensor *x, SluiceTensor *y, SluiceTensor *out)
{
  const BatchMatMul *self = call->state;
  int rank = x->shape.rank;
  gint64 n_batches = 1;
  for (int i = 0; i < rank - 2; i++)
    n_batches *= x->shape.dim[i];
  Batches batches = { .gemm = { .dtype = x->dtype,
                                .a_flags = self->x_flags,
                                .b_flags = self->y_flags,
                                .m = out->shape.dim[rank - 2],
                                .n = out->shape.dim[rank - 1],
                                .k = x->shape.dim[rank - (self->x_flags ? 2 : 1)],
                                .a = x->data,
                                .b = y->data,
                                .c = out->data },
                      .element = sluice_dtype_size (x->dtype),
                      .reference = call->kernel->rank == 0 };
  const SluiceGemm *g = &batches.gemm;
  double flops = 2.0 * (double) g->m * (double) g->n * (double) g->k;
  gint64 grain = MAX (1, (gint64) (2e6 / (flops + 1)));
  if (n_batches == 1 && !batches.reference)
    return sluice_call_gemm (call, g);
  return sluice_call_parallel_for (call, n_batches, grain, flops / 50, multiply_range, &batches);
}

static gboolean
batch_matmul_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  if (!check_operands (call, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  if (!sluice_dtype_is_half (out->dtype))
    return multiply (call, sluice_call_input (call, 0), sluice_call_input (call, 1), out);
  g_autoptr (SluiceTensor) x = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) y = sluice_call_widen_input (call, 1);
  g_autoptr (SluiceTensor) wide = sluice_call_scratch (call, SLUICE_FLOAT, &shape);
  if (x == NULL || y == NULL || wide == NULL || !multiply (call, x, y, wide))
    return FALSE;
  sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "BatchMatMul",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX } },
    .prepare = batch_matmul_prepare,
    .free_state = g_free,
    .compute = batch_matmul_compute },
  { .op = "BatchMatMul",
    .device = "CPU",
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) } },
    .rank = 10,
    .prepare = batch_matmul_prepare,
    .free_state = g_free,
    .compute = batch_matmul_compute },
};

const SluiceKernelModule sluice_module_linalg_batch_matmul_cpu = { .kernels = kernels,
                                                                   .n_kernels =
                                                                       G_N_ELEMENTS (kernels) };
