/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/gemm.h"
#include "kernels/linalg/library.h"
#include "kernels/typed.h"

typedef struct
{
  guint a_flags, b_flags;
} MatMul;

static gpointer
matmul_prepare (const SluiceNode *node, GError **error)
{
  MatMul *self = g_new0 (MatMul, 1);
  self->a_flags = sluice_node_get_bool (node, "transpose_a") ? SLUICE_GEMM_TRANSPOSED : 0;
  self->b_flags = sluice_node_get_bool (node, "transpose_b") ? SLUICE_GEMM_TRANSPOSED : 0;
  return self;
}

/* Checks the operands; the product has no memory yet. */
static gboolean
matmul_check (SluiceKernelCall *call, SluiceGemm *g)
{
  const MatMul *self = call->state;
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 2))
    return FALSE;
  SluiceTensor *a = sluice_call_input (call, 0), *b = sluice_call_input (call, 1);
  gboolean ta = self->a_flags != 0, tb = self->b_flags != 0;
  if (a->shape.dim[!ta] != b->shape.dim[tb])
    {
      char sa[SLUICE_SHAPE_STR], sb[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the inner sizes differ: a is %s%s, b is %s%s",
                               sluice_shape_str (&a->shape, sa), ta ? " transposed" : "",
                               sluice_shape_str (&b->shape, sb), tb ? " transposed" : "");
    }
  *g = (SluiceGemm){ .dtype = a->dtype,
                     .a_flags = self->a_flags,
                     .b_flags = self->b_flags,
                     .m = a->shape.dim[ta],
                     .n = b->shape.dim[!tb],
                     .k = a->shape.dim[!ta],
                     .a = a->data,
                     .b = b->data };
  return TRUE;
}

static gboolean
matmul_begin (SluiceKernelCall *call, SluiceGemm *g)
{
  if (!matmul_check (call, g))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (g->m, g->n));
  if (out == NULL)
    return FALSE;
  g->c = out->data;
  return TRUE;
}

static gboolean
matmul_compute (SluiceKernelCall *call)
{
  SluiceGemm gemm;
  return matmul_begin (call, &gemm) && sluice_call_gemm (call, &gemm);
}

static gboolean
matmul_produce (SluiceKernelCall *call, const SluicePartConsumer *consumer)
{
  SluiceGemm gemm;
  SluiceTensor *room = NULL;
  if (!matmul_check (call, &gemm)
      || !consumer->begin (consumer->data, &SLUICE_SHAPE (gemm.m, gemm.n), &room))
    return FALSE;
  return sluice_call_gemm_parts (call, &gemm, room, consumer);
}

static gboolean
matmul_reference (SluiceKernelCall *call)
{
  SluiceGemm gemm;
  if (!matmul_begin (call, &gemm))
    return FALSE;
  SluiceDType dtype = gemm.dtype;
  if (!sluice_dtype_is_half (dtype))
    {
      sluice_gemm_reference (&gemm);
      return TRUE;
    }
  g_autoptr (SluiceTensor) a = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) b = sluice_call_widen_input (call, 1);
  g_autoptr (SluiceTensor) c =
      sluice_call_scratch (call, SLUICE_FLOAT, &SLUICE_SHAPE (gemm.m, gemm.n));
  if (a == NULL || b == NULL || c == NULL)
    return FALSE;
  void *out = gemm.c;
  gemm.dtype = SLUICE_FLOAT;
  gemm.a = a->data;
  gemm.b = b->data;
  gemm.c = c->data;
  sluice_gemm_reference (&gemm);
  sluice_narrow (dtype, c->data, out, c->n_elements);
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "MatMul",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET_COMPLEX } },
    .prepare = matmul_prepare,
    .free_state = g_free,
    .compute = matmul_reference },
  { .op = "MatMul",
    .device = "CPU",
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) } },
    .rank = 10,
    .prepare = matmul_prepare,
    .free_state = g_free,
    .compute = matmul_compute,
    .produce = matmul_produce },
};

const SluiceKernelModule sluice_module_linalg_matmul_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels),
                                                             .init = sluice_libraries_init };
