/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/state/update.h"

#include "kernels/state/change.h"

typedef struct
{
  SluiceChangeFunc change;
  gsize size; /* of an element */
  char *to;
  const char *from;
} Update;

static void
update_range (gpointer data, gint64 begin, gint64 end)
{
  const Update *u = data;
  u->change (u->to + begin * u->size, u->from + begin * u->size, end - begin);
}

gboolean
sluice_call_accumulate (SluiceKernelCall *call,
                        SluiceTensor *tensor,
                        const SluiceTensor *value,
                        gboolean subtract)
{
  if (!sluice_shape_equal (&tensor->shape, &value->shape))
    {
      char have[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the variable has shape %s, the value %s; make them equal",
                               sluice_shape_str (&tensor->shape, have),
                               sluice_shape_str (&value->shape, got));
    }
  Update update = {
    sluice_change_func (tensor->dtype, subtract ? SLUICE_CHANGE_SUB : SLUICE_CHANGE_ADD),
    sluice_dtype_size (tensor->dtype),
    tensor->data,
    value->data,
  };
  return sluice_call_parallel_for (call, tensor->n_elements, 32768, 0.3, update_range, &update);
}
