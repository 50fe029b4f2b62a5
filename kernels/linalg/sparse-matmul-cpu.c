/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/gemm.h"
#include "kernels/typed.h"

typedef struct
{
  guint a_flags, b_flags;
} SparseMatMul;

static gpointer
sparse_matmul_prepare (const SluiceNode *node, GError **error)
{
  SparseMatMul *self = g_new0 (SparseMatMul, 1);
  self->a_flags = sluice_node_get_bool (node, "transpose_a") ? SLUICE_GEMM_TRANSPOSED : 0;
  self->b_flags = sluice_node_get_bool (node, "transpose_b") ? SLUICE_GEMM_TRANSPOSED : 0;
  return self;
}

/* That an operand holds many zeros is a hint; the product is a dense one. */
static gboolean
sparse_matmul_compute (SluiceKernelCall *call)
{
  const SparseMatMul *self = call->state;
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 2))
    return FALSE;
  const SluiceShape *a_shape = &sluice_call_input (call, 0)->shape;
  const SluiceShape *b_shape = &sluice_call_input (call, 1)->shape;
  gboolean ta = self->a_flags != 0, tb = self->b_flags != 0;
  if (a_shape->dim[!ta] != b_shape->dim[tb])
    {
      char sa[SLUICE_SHAPE_STR], sb[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the inner sizes differ: a is %s%s, b is %s%s",
                               sluice_shape_str (a_shape, sa), ta ? " transposed" : "",
                               sluice_shape_str (b_shape, sb), tb ? " transposed" : "");
    }
  g_autoptr (SluiceTensor) a = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) b = sluice_call_widen_input (call, 1);
  gint64 m = a_shape->dim[ta], n = b_shape->dim[!tb];
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (m, n));
  if (a == NULL || b == NULL || out == NULL)
    return FALSE;
  SluiceGemm gemm = { .dtype = SLUICE_FLOAT,
                      .a_flags = self->a_flags,
                      .b_flags = self->b_flags,
                      .m = m,
                      .n = n,
                      .k = a_shape->dim[!ta],
                      .a = a->data,
                      .b = b->data,
                      .c = out->data };
  if (call->kernel->rank > 0)
    return sluice_call_gemm (call, &gemm);
  sluice_gemm_reference (&gemm);
  return TRUE;
}

#define KERNEL(its_rank)                                                                           \
  {                                                                                                \
    .op = "SparseMatMul", .device = "CPU", .rank = its_rank, .prepare = sparse_matmul_prepare,     \
    .free_state = g_free, .compute = sparse_matmul_compute                                         \
  }

static const SluiceKernel kernels[] = { KERNEL (0), KERNEL (10) };

const SluiceKernelModule sluice_module_linalg_sparse_matmul_cpu = { .kernels = kernels,
                                                                    .n_kernels =
                                                                        G_N_ELEMENTS (kernels) };
