/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/linalg/dnnl-desc.h"
#include "kernels/nn/conv-problem.h"

/* Of which memory a convolution is; the filter's may be of any format. */
typedef struct
{
  SluiceDnnlDescView x, filter, y;
  dnnl_dims_t strides, dilations, before, after; /* dilations as oneDNN counts them: from 0 */
  /* Forward: rather the loop made for the shape than many small products of matrices, which is what
   * oneDNN puts first. */
  gboolean prefers_loop;
} SluiceDnnlConv;

/**
 * sluice_dnnl_conv_describe:
 * @result: (out) (transfer full): for dnnl_primitive_create()
 *
 * Returns: %FALSE where oneDNN has no such primitive
 */
gboolean sluice_dnnl_conv_describe (SluiceConvKind kind,
                                    const SluiceDnnlConv *conv,
                                    const_dnnl_primitive_attr_t attr,
                                    dnnl_primitive_desc_t *result);
