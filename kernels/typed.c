/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/typed.h"

void
sluice_widen (SluiceDType dtype, const void *from, float *to, gint64 n)
{
  const guint16 *bits = from;
  if (dtype == SLUICE_HALF)
    for (gint64 i = 0; i < n; i++)
      to[i] = sluice_half_to_float (bits[i]);
  else
    for (gint64 i = 0; i < n; i++)
      to[i] = sluice_bfloat16_to_float (bits[i]);
}

void
sluice_narrow (SluiceDType dtype, const float *from, void *to, gint64 n)
{
  guint16 *bits = to;
  if (dtype == SLUICE_HALF)
    for (gint64 i = 0; i < n; i++)
      bits[i] = sluice_float_to_half (from[i]);
  else
    for (gint64 i = 0; i < n; i++)
      bits[i] = sluice_float_to_bfloat16 (from[i]);
}

SluiceTensor *
sluice_call_widen_input (SluiceKernelCall *call, guint i)
{
  SluiceTensor *input = sluice_call_input (call, i);
  if (input->dtype == SLUICE_FLOAT)
    return sluice_tensor_ref (input);
  SluiceTensor *wide = sluice_call_scratch (call, SLUICE_FLOAT, &input->shape);
  if (wide)
    sluice_widen (input->dtype, input->data, wide->data, input->n_elements);
  return wide;
}
