/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/state/rows.h"

#include "kernels/array/move.h"

#define CHUNK_ELEMENTS 16384
#define LINE_ELEMENTS  64 /* columns of a chunk: a multiple of this, whole lines of cache */

void
sluice_rows_clear (SluiceRows *self)
{
  g_clear_pointer (&self->numbers, sluice_tensor_unref);
}

/* Makes room for n numbers of rows of `target` behind its first `depth` dimensions. */
static gint64 *
begin_rows (
    SluiceKernelCall *call, SluiceRows *self, const SluiceShape *target, int depth, gint64 n)
{
  *self = (SluiceRows){ .n = n, .size = 1 };
  for (int d = depth; d < target->rank; d++)
    self->size *= target->dim[d];
  self->numbers = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (n));
  return self->numbers != NULL ? self->numbers->data : NULL;
}

static gboolean
fail_range (SluiceKernelCall *call, guint input, gint64 k, gint64 at, gint64 size)
{
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "element %" G_GINT64_FORMAT " of %s is %" G_GINT64_FORMAT
                           ", not in [0, %" G_GINT64_FORMAT ")",
                           k, call->node->op->inputs[input].name, at, size);
}

gboolean
sluice_call_rows (SluiceKernelCall *call, guint input, const SluiceShape *target, SluiceRows *self)
{
  const SluiceTensor *indices = sluice_call_input (call, input);
  if (target->rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the variable is a scalar, which has no rows to change");
  gint64 *numbers = begin_rows (call, self, target, 1, indices->n_elements);
  if (numbers == NULL)
    return FALSE;
  for (gint64 k = 0; k < self->n; k++)
    {
      numbers[k] = sluice_tensor_get_int (indices, k);
      if (G_UNLIKELY (numbers[k] < 0 || numbers[k] >= target->dim[0]))
        return fail_range (call, input, k, numbers[k], target->dim[0]);
    }
  return TRUE;
}

gboolean
sluice_call_rows_nd (SluiceKernelCall *call,
                     guint input,
                     const SluiceShape *target,
                     gboolean skip_bad,
                     SluiceRows *self)
{
  const SluiceTensor *indices = sluice_call_input (call, input);
  int outer = indices->shape.rank - 1;
  gint64 depth = outer >= 0 ? indices->shape.dim[outer] : 0, n = 1;
  if (depth < 1 || depth > target->rank)
    {
      char text[2][SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the last dimension of indices %s must be 1 to %d: coordinates in "
                               "the first dimensions of %s",
                               sluice_shape_str (&indices->shape, text[0]), target->rank,
                               sluice_shape_str (target, text[1]));
    }
  for (int d = 0; d < outer; d++)
    n *= indices->shape.dim[d];
  gint64 *numbers = begin_rows (call, self, target, depth, n);
  if (numbers == NULL)
    return FALSE;
  for (gint64 k = 0; k < n; k++)
    {
      gint64 row = 0;
      for (gint64 d = 0; d < depth && row >= 0; d++)
        {
          gint64 at = sluice_tensor_get_int (indices, k * depth + d);
          gboolean inside = at >= 0 && at < target->dim[d];
          if (G_UNLIKELY (!inside && !skip_bad))
            return fail_range (call, input, k * depth + d, at, target->dim[d]);
          row = inside ? row * target->dim[d] + at : -1;
        }
      numbers[k] = row;
    }
  return TRUE;
}

gboolean
sluice_call_walk_rows (SluiceKernelCall *call,
                       const SluiceRows *rows,
                       double element_ns,
                       SluiceRangeFunc func,
                       gpointer data)
{
  if (rows->n == 0 || rows->size == 0)
    return TRUE;
  gint64 columns = MAX (CHUNK_ELEMENTS / rows->n, 1);
  gint64 grain = (columns + LINE_ELEMENTS - 1) / LINE_ELEMENTS * LINE_ELEMENTS;
  return sluice_call_parallel_for (call, rows->size, grain, element_ns * (double) rows->n, func,
                                   data);
}

typedef struct
{
  const SluiceRows *rows;
  SluiceDType dtype;
  SluiceChangeFunc change; /* NULL: copies */
  char *to;
  const char *from;
  gint64 from_row; /* elements from one row of updates to the next; 0: one for all */
} Work;

static void
change_columns (gpointer data, gint64 begin, gint64 end)
{
  const Work *w = data;
  const gint64 *numbers = w->rows->numbers->data;
  gsize size = sluice_dtype_size (w->dtype);
  for (gint64 k = 0; k < w->rows->n; k++)
    {
      if (numbers[k] < 0)
        continue;
      char *to = w->to + (numbers[k] * w->rows->size + begin) * size;
      const char *from = w->from + (k * w->from_row + begin) * size;
      if (w->change != NULL)
        w->change (to, from, end - begin);
      else
        sluice_elements_copy (w->dtype, to, from, end - begin);
    }
}

gboolean
sluice_call_change_rows (SluiceKernelCall *call,
                         const SluiceRows *rows,
                         SluiceChange change,
                         SluiceTensor *to,
                         const SluiceTensor *updates)
{
  g_autoptr (SluiceTensor) row = NULL;
  Work work = { rows,     to->dtype,     sluice_change_func (to->dtype, change),
                to->data, updates->data, rows->size };
  if (!sluice_call_check_divisor (call, change, updates))
    return FALSE;
  if (updates->shape.rank == 0 && rows->n > 0 && rows->size > 0)
    {
      row = sluice_call_scratch (call, to->dtype, &SLUICE_SHAPE (rows->size));
      if (row == NULL || !sluice_move_fill (call, to->dtype, row->data, updates->data, rows->size))
        return FALSE;
      work.from = row->data;
      work.from_row = 0;
    }
  return sluice_call_walk_rows (call, rows, 0.3, change_columns, &work);
}
