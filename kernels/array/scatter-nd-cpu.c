/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/state/rows.h"

/*
 * Updates are shaped as the indices without their last dimension, and a slice of the target; and
 * either all three have elements, or neither indices nor updates do. Indices of rank 1 are read, as
 * in TensorFlow, both as one index and as many: updates that do not fit both are refused, and only
 * empty ones fit.
 */
static gboolean
check_updates (SluiceKernelCall *call, const SluiceShape *target, guint indices)
{
  const SluiceTensor *places = sluice_call_input (call, indices);
  const SluiceTensor *rows = sluice_call_input (call, indices + 1);
  const SluiceShape *at = &places->shape, *values = &rows->shape;
  gboolean fits = at->rank > 0 && target->rank > 0
                  && (at->rank > 1 || (at->dim[0] == 0 && target->dim[0] == 0))
                  && (places->n_elements + rows->n_elements == 0
                      || (sluice_shape_n_elements (target) > 0 && places->n_elements > 0
                          && rows->n_elements > 0));
  int outer = at->rank - 1;
  gint64 depth = fits ? at->dim[outer] : 0;
  fits = fits && values->rank == outer + target->rank - depth;
  for (int i = 0; fits && i < values->rank; i++)
    fits = values->dim[i] == (i < outer ? at->dim[i] : target->dim[i - outer + depth]);
  char text[3][SLUICE_SHAPE_STR];
  return fits
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "updates of shape %s do not fit indices of shape %s into %s",
                              sluice_shape_str (values, text[0]), sluice_shape_str (at, text[1]),
                              sluice_shape_str (target, text[2]));
}

/* The rows that the updates, the input behind the indices, go to: none where the target has no
 * elements. */
static gboolean
find_rows (SluiceKernelCall *call, const SluiceShape *target, guint indices, SluiceRows *rows)
{
  return check_updates (call, target, indices)
         && (sluice_shape_n_elements (target) == 0
             || sluice_call_rows_nd (call, indices, target, GPOINTER_TO_INT (call->state), rows));
}

/* The "sum" of strings is one behind the other. */
static gboolean
append_strings (SluiceTensor *to, const SluiceRows *rows, const SluiceTensor *updates)
{
  const gint64 *numbers = rows->numbers->data;
  for (gint64 k = 0; k < rows->n; k++)
    for (gint64 i = 0; numbers[k] >= 0 && i < rows->size; i++)
      {
        SluiceString *sum = (SluiceString *) to->data + numbers[k] * rows->size + i;
        const SluiceString *more = (const SluiceString *) updates->data + k * rows->size + i;
        if (more->length == 0)
          continue;
        char *joined = g_malloc (sum->length + more->length);
        if (sum->length > 0)
          memcpy (joined, sum->data, sum->length);
        memcpy (joined + sum->length, more->data, more->length);
        sluice_string_take (sum, joined, sum->length + more->length);
      }
  return TRUE;
}

static gboolean
scatter_nd_compute (SluiceKernelCall *call)
{
  static const guint8 zero[16];
  const SluiceTensor *updates = sluice_call_input (call, 1);
  g_auto (SluiceRows) rows = { 0 };
  SluiceShape shape;
  if (!sluice_call_shape (call, 2, &shape) || !find_rows (call, &shape, 0, &rows))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (out->dtype == SLUICE_STRING)
    return append_strings (out, &rows, updates);
  return sluice_move_fill (call, out->dtype, out->data, zero, out->n_elements)
         && sluice_call_change_rows (call, &rows, SLUICE_CHANGE_ADD, out, updates);
}

static gboolean
tensor_scatter_compute (SluiceKernelCall *call)
{
  const SluiceTensor *tensor = sluice_call_input (call, 0);
  g_auto (SluiceRows) rows = { 0 };
  if (!find_rows (call, &tensor->shape, 1, &rows))
    return FALSE;
  SluiceTensor *out = sluice_call_reuse (call, 0, 0, &tensor->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (out->data != tensor->data
      && !sluice_move_block (call, out->dtype, out->data, tensor->data, out->n_elements))
    return FALSE;
  return sluice_call_change_rows (call, &rows, GPOINTER_TO_INT (call->kernel->data), out,
                                  sluice_call_input (call, 2));
}

#define SUMS (SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL))
#define KERNEL(op_name, types, ...)                                                                \
  {                                                                                                \
    .op = op_name, .device = "CPU", .prepare = sluice_bad_indices_prepare,                         \
    .where = { { "T", types }, { "Tindices", SLUICE_SET_INDEX } }, __VA_ARGS__                     \
  }
#define SCATTER(op_name, types, change, ...)                                                       \
  KERNEL (op_name, types, .compute = tensor_scatter_compute, .data = GINT_TO_POINTER (change),     \
          __VA_ARGS__)

static const SluiceKernel kernels[] = {
  KERNEL ("ScatterNd", SUMS | SLUICE_SET (SLUICE_STRING), .compute = scatter_nd_compute),
  SCATTER ("ScatterNdNonAliasingAdd", SUMS, SLUICE_CHANGE_ADD, ),
  SCATTER ("TensorScatterAdd", SLUICE_SET_NUMBER, SLUICE_CHANGE_ADD, ),
  SCATTER ("TensorScatterSub", SLUICE_SET_NUMBER, SLUICE_CHANGE_SUB, ),
  SCATTER ("TensorScatterMin", SLUICE_SET_REAL, SLUICE_CHANGE_MIN, ),
  SCATTER ("TensorScatterMax", SLUICE_SET_REAL, SLUICE_CHANGE_MAX, ),
  SCATTER ("TensorScatterUpdate",
           SLUICE_SET_ANY,
           SLUICE_CHANGE_SET,
           .flags = SLUICE_KERNEL_KEEPS_DENORMALS),
};

const SluiceKernelModule sluice_module_array_scatter_nd_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
