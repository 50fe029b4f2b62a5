/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/error.h"
#include "kernels/math/reduce.h"

gboolean
sluice_axes_read (SluiceAxes *self, const SluiceTensor *values, int rank, GError **error)
{
  *self = (SluiceAxes){ 0 };
  for (gint64 i = 0; i < values->n_elements; i++)
    {
      gint64 value = sluice_tensor_get_int (values, i);
      int axis = sluice_axis_normalize (value, rank);
      if (axis < 0)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "axis %" G_GINT64_FORMAT " to reduce does not exist in an input of "
                            "rank %d; it must be in [%d, %d)",
                            value, rank, -rank, rank);
      if (self->reduced[axis])
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "axis %d is reduced twice", axis);
      self->reduced[axis] = TRUE;
    }
  return TRUE;
}

SluiceShape
sluice_axes_apply (const SluiceAxes *self, const SluiceShape *input, gboolean keep_dims)
{
  SluiceShape out = SLUICE_SHAPE_SCALAR;
  for (int d = 0; d < input->rank; d++)
    if (!self->reduced[d])
      out.dim[out.rank++] = input->dim[d];
    else if (keep_dims)
      out.dim[out.rank++] = 1;
  return out;
}
