/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/linalg/library.h"
#include "kernels/nn/conv-problem.h"

/*
 * What differs between oneDNN 2 and 3: descriptions of memory were plain values and are handles
 * now, and a convolution is described in one call in place of two. All memory here is float.
 */
#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t SluiceDnnlDesc;
typedef const_dnnl_memory_desc_t SluiceDnnlDescView;
#define sluice_dnnl_desc_view(desc) ((SluiceDnnlDescView) * (desc))
#else
typedef dnnl_memory_desc_t SluiceDnnlDesc;
typedef const dnnl_memory_desc_t *SluiceDnnlDescView;
#define sluice_dnnl_desc_view(desc) ((SluiceDnnlDescView) (desc))
#endif

/* A description holds nothing while it is zeros; clear makes it so again. */
gboolean
sluice_dnnl_desc_init (SluiceDnnlDesc *self, const gint64 *dims, int n, dnnl_format_tag_t tag);
gboolean sluice_dnnl_desc_copy (SluiceDnnlDesc *self, SluiceDnnlDescView from);
void sluice_dnnl_desc_clear (SluiceDnnlDesc *self);

/* Of which memory a convolution is; the filter's may be of any format. */
typedef struct
{
  SluiceDnnlDescView x, filter, y;
  dnnl_dims_t strides, dilations, before, after; /* dilations as oneDNN counts them: from 0 */
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
