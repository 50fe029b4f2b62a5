/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* How an operand of a product is read. */
typedef enum
{
  SLUICE_GEMM_PLAIN = 0,
  SLUICE_GEMM_TRANSPOSED = 1 << 0,
  SLUICE_GEMM_CONJUGATED = 1 << 1,
} SluiceGemmFlags;

/* c [m,n] = a [m,k] b [k,n], all row-major and without gaps; c is overwritten or added to. */
typedef struct
{
  SluiceDType dtype;
  guint a_flags, b_flags; /* SluiceGemmFlags */
  gint64 m, n, k;
  const void *a, *b;
  void *c;
  gboolean accumulate;
} SluiceGemm;

/* By plain loops on the calling thread. Any number type but half and bfloat16. */
void sluice_gemm_reference (const SluiceGemm *gemm);

/* By a library on the calling thread, without cutting: float and double. */
void sluice_gemm_library (const SluiceGemm *gemm);

/* By a library, in tiles cut by shape: float and double. FALSE: call->error is set. */
gboolean sluice_call_gemm (SluiceKernelCall *call, const SluiceGemm *gemm);

/* The same, handed over in strips of rows after consumer->begin() has agreed, and in the room that
 * it gave (nullable); g->c is not used, and nothing is accumulated. */
gboolean sluice_call_gemm_parts (SluiceKernelCall *call,
                                 SluiceGemm *g,
                                 SluiceTensor *room,
                                 const SluicePartConsumer *consumer);
