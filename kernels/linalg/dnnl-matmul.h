/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/linalg/library.h"

/* c [m,n] = a [m,k] b [k,n]; rows of what lies in memory are so many elements apart. */
typedef struct
{
  gint64 m, n, k;
  gint64 a_rows, b_rows, c_rows;
  gboolean a_transposed, b_transposed;
} SluiceDnnlProduct;

/**
 * sluice_dnnl_matmul:
 *
 * A product by oneDNN's matmul primitive, on the calling thread, which keeps primitives for later.
 * For CPUs where the primitive is made of small products in batches ("brgemm"): elsewhere it is
 * dnnl_sgemm() by another name.
 *
 * Returns: %FALSE on other CPUs, and where there is no memory; nothing is done then
 */
gboolean
sluice_dnnl_matmul (const SluiceDnnlProduct *product, const float *a, const float *b, float *c);
