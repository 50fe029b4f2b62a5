/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/linalg/library.h"

/*
 * Descriptions of memory of floats, which were plain values in oneDNN 2 and are handles in 3. A
 * description holds nothing while it is zeros; clear makes it so again.
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

gboolean
sluice_dnnl_desc_init (SluiceDnnlDesc *self, const gint64 *dims, int n, dnnl_format_tag_t tag);
/* strides: in elements */
gboolean sluice_dnnl_desc_init_strided (SluiceDnnlDesc *self,
                                        const gint64 *dims,
                                        const gint64 *strides,
                                        int n);
gboolean sluice_dnnl_desc_copy (SluiceDnnlDesc *self, SluiceDnnlDescView from);
void sluice_dnnl_desc_clear (SluiceDnnlDesc *self);
