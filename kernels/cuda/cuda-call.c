/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/cuda/cuda.h"

gboolean
sluice_cuda_call_whole (SluiceKernelCall *call,
                        gint64 n,
                        gint64 grain,
                        double unit_ns,
                        SluiceRangeFunc func,
                        gpointer data)
{
  if (n <= 0)
    return TRUE;
  if (!sluice_cuda_begin (call))
    return FALSE;
  func (data, 0, n);
  return sluice_cuda_end (call);
}
