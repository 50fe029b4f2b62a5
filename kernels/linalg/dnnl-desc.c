/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/dnnl-desc.h"

#include <string.h>

static void
copy_dims (const gint64 *from, int n, dnnl_dims_t to)
{
  memset (to, 0, sizeof (dnnl_dims_t));
  for (int i = 0; i < n; i++)
    to[i] = from[i];
}

gboolean
sluice_dnnl_desc_init (SluiceDnnlDesc *self, const gint64 *dims, int n, dnnl_format_tag_t tag)
{
  dnnl_dims_t all;
  copy_dims (dims, n, all);
#if DNNL_VERSION_MAJOR >= 3
  return dnnl_memory_desc_create_with_tag (self, n, all, dnnl_f32, tag) == dnnl_success;
#else
  return dnnl_memory_desc_init_by_tag (self, n, all, dnnl_f32, tag) == dnnl_success;
#endif
}

gboolean
sluice_dnnl_desc_init_strided (SluiceDnnlDesc *self,
                               const gint64 *dims,
                               const gint64 *strides,
                               int n)
{
  dnnl_dims_t all, steps;
  copy_dims (dims, n, all);
  copy_dims (strides, n, steps);
#if DNNL_VERSION_MAJOR >= 3
  return dnnl_memory_desc_create_with_strides (self, n, all, dnnl_f32, steps) == dnnl_success;
#else
  return dnnl_memory_desc_init_by_strides (self, n, all, dnnl_f32, steps) == dnnl_success;
#endif
}

#if DNNL_VERSION_MAJOR >= 3

gboolean
sluice_dnnl_desc_copy (SluiceDnnlDesc *self, SluiceDnnlDescView from)
{
  return dnnl_memory_desc_clone (self, from) == dnnl_success;
}

void
sluice_dnnl_desc_clear (SluiceDnnlDesc *self)
{
  if (*self)
    dnnl_memory_desc_destroy (*self);
  *self = NULL;
}

#else

gboolean
sluice_dnnl_desc_copy (SluiceDnnlDesc *self, SluiceDnnlDescView from)
{
  *self = *from;
  return TRUE;
}

void
sluice_dnnl_desc_clear (SluiceDnnlDesc *self)
{
  *self = (SluiceDnnlDesc){ 0 };
}

#endif
