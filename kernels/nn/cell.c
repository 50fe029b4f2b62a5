/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/nn/cell.h"

#include <string.h>

#include "kernels/linalg/gemm.h"

void
sluice_floats_clear (SluiceFloats *self)
{
  for (int i = 0; i < SLUICE_FLOATS_IN; i++)
    g_clear_pointer (&self->in[i], sluice_tensor_unref);
  for (int i = 0; i < SLUICE_FLOATS_OUT; i++)
    g_clear_pointer (&self->out[i], sluice_tensor_unref);
}

gboolean
sluice_floats_read (SluiceKernelCall *call, SluiceFloats *self, guint i, const SluiceShape *shape)
{
  const SluiceShape *got = &sluice_call_input (call, i)->shape;
  char sw[SLUICE_SHAPE_STR], sg[SLUICE_SHAPE_STR];
  if (!sluice_shape_equal (shape, got))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "input %u (%s) must have shape %s, not %s", i,
        call->node->op->inputs[i].name, sluice_shape_str (shape, sw), sluice_shape_str (got, sg));
  self->in[i] = sluice_call_widen_input (call, i);
  return self->in[i] != NULL;
}

gboolean
sluice_floats_make (
    SluiceKernelCall *call, SluiceFloats *self, guint i, const SluiceShape *shape, gint64 first)
{
  SluiceTensor *out = sluice_call_output (call, i, shape);
  if (out == NULL)
    return FALSE;
  self->out[i] = sluice_dtype_is_half (out->dtype) ? sluice_call_scratch (call, SLUICE_FLOAT, shape)
                                                   : sluice_tensor_ref (out);
  if (self->out[i] == NULL)
    return FALSE;
  gint64 rest = self->out[i]->n_elements - first;
  if (rest > 0)
    memset ((float *) self->out[i]->data + first, 0, rest * sizeof (float));
  return TRUE;
}

gboolean
sluice_floats_skip (SluiceKernelCall *call, SluiceFloats *self, guint i, const SluiceShape *shape)
{
  self->out[i] = sluice_call_scratch (call, SLUICE_FLOAT, shape);
  return self->out[i] != NULL;
}

void
sluice_floats_narrow (SluiceKernelCall *call, const SluiceFloats *self)
{
  for (guint i = 0; i < call->n_outputs; i++)
    {
      SluiceTensor *out = call->outputs[i].tensor;
      if (out != NULL && out != self->out[i])
        sluice_narrow (out->dtype, self->out[i]->data, out->data, out->n_elements);
    }
}

SluiceTensor *
sluice_call_float_scratch (SluiceKernelCall *call, gint64 rows, gint64 columns)
{
  return sluice_call_scratch (call, SLUICE_FLOAT, &SLUICE_SHAPE (rows, columns));
}

gboolean
sluice_call_product (SluiceKernelCall *call,
                     const float *a,
                     guint a_flags,
                     const float *b,
                     guint b_flags,
                     float *c,
                     gint64 m,
                     gint64 n,
                     gint64 k)
{
  SluiceGemm gemm = { SLUICE_FLOAT, a_flags, b_flags, m, n, k, a, b, c, FALSE };
  return sluice_call_gemm (call, &gemm);
}

void
sluice_join_columns (
    const float *left, gint64 n_left, const float *right, gint64 n_right, gint64 rows, float *to)
{
  for (gint64 r = 0; r < rows; r++, to += n_left + n_right)
    {
      memcpy (to, left + r * n_left, n_left * sizeof *to);
      memcpy (to + n_left, right + r * n_right, n_right * sizeof *to);
    }
}
