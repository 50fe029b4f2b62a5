/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The products of gemm.h on a CUDA device: matmul-cpu.c and batch-matmul-cpu.c are compiled once
 * more for it and call these. Whole products by the library, which cuts them itself. */
#include "kernels/cuda/cuda.h"
#include "kernels/linalg/gemm.h"
#include "kernels/linalg/library.h"

/* In a kernel call under way. */
void
sluice_gemm_library (const SluiceGemm *g)
{
  gsize size = sluice_dtype_size (g->dtype);
  if (g->m == 0 || g->n == 0)
    return;
  SluiceCudaGemm product = { .dtype = g->dtype,
                             .transpose_a = (g->a_flags & SLUICE_GEMM_TRANSPOSED) != 0,
                             .transpose_b = (g->b_flags & SLUICE_GEMM_TRANSPOSED) != 0,
                             .accumulate = g->accumulate,
                             .m = g->m,
                             .n = g->n,
                             .k = g->k,
                             .n_batches = 1 };
  product.a = sluice_cuda_map (g->a, g->m * g->k * size, SLUICE_CUDA_READ);
  product.b = sluice_cuda_map (g->b, g->k * g->n * size, SLUICE_CUDA_READ);
  product.c = sluice_cuda_map (g->c, g->m * g->n * size,
                               SLUICE_CUDA_WRITE | (g->accumulate ? SLUICE_CUDA_READ : 0));
  if (product.c != NULL && (g->k == 0 || (product.a != NULL && product.b != NULL)))
    sluice_cuda_gemm (&product);
}

gboolean
sluice_call_gemm (SluiceKernelCall *call, const SluiceGemm *gemm)
{
  if (!sluice_cuda_begin (call))
    return FALSE;
  sluice_gemm_library (gemm);
  return sluice_cuda_end (call);
}

/* Kernels of CUDA devices hand nothing over in parts. */
gboolean
sluice_call_gemm_parts (SluiceKernelCall *call,
                        SluiceGemm *g,
                        SluiceTensor *room,
                        const SluicePartConsumer *consumer)
{
  return sluice_call_fail (call, SLUICE_ERROR_INTERNAL, "a product on a device has no parts");
}

/* Only kernels of rank 0 call it, which are not taken over. */
void
sluice_gemm_reference (const SluiceGemm *gemm)
{
  g_assert_not_reached ();
}

/* Of the CPU's libraries, which the program has set up. */
void
sluice_libraries_init (void)
{
}
