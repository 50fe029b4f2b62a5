/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/strided-slice.h"

SluiceSliceMasks
sluice_slice_masks (const SluiceNode *node)
{
  return (SluiceSliceMasks){
    .begin = sluice_node_get_int (node, "begin_mask"),
    .end = sluice_node_get_int (node, "end_mask"),
    .ellipsis = sluice_node_get_int (node, "ellipsis_mask"),
    .new_axis = sluice_node_get_int (node, "new_axis_mask"),
    .shrink = sluice_node_get_int (node, "shrink_axis_mask"),
  };
}

typedef struct
{
  const SluiceShape *input;
  const gint64 *begin, *end, *stride;
  int n;
  SluiceSliceMasks masks;
} Spec;

static gboolean
has_bit (guint mask, int i)
{
  return i < 32 && (mask >> i) & 1;
}

/* Moves an index given from the front or the end into [low, high]. */
static gint64
clamp_index (gint64 index, gint64 size, gint64 low, gint64 high)
{
  if (index < 0)
    index += size;
  return CLAMP (index, low, high);
}

static gboolean
plan_shrunk (SluiceSlicePlan *self, const Spec *spec, int i, int dim, GError **error)
{
  gint64 size = spec->input->dim[dim], begin = spec->begin[i];
  self->stride[dim] = 1;
  self->size[dim] = 1;
  if (spec->stride[i] <= 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "entry %d takes one element, so its stride must be positive", i);
  if (begin == SLUICE_SLICE_UNKNOWN || size < 0)
    return TRUE;
  self->begin[dim] = begin < 0 ? begin + size : begin;
  if (self->begin[dim] < 0 || self->begin[dim] >= size)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "index %" G_GINT64_FORMAT
                        " of dimension %d is not within its %" G_GINT64_FORMAT " elements",
                        begin, dim, size);
  return TRUE;
}

static void
plan_range (SluiceSlicePlan *self, const Spec *spec, int i, int dim)
{
  gint64 stride = spec->stride[i], size = spec->input->dim[dim];
  self->stride[dim] = stride;
  gboolean begin_open = has_bit (spec->masks.begin, i), end_open = has_bit (spec->masks.end, i);
  if (size < 0 || (!begin_open && spec->begin[i] == SLUICE_SLICE_UNKNOWN)
      || (!end_open && spec->end[i] == SLUICE_SLICE_UNKNOWN))
    {
      self->size[dim] = SLUICE_UNKNOWN_DIM;
      return;
    }
  gint64 low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  gint64 begin =
      begin_open ? (stride > 0 ? low : high) : clamp_index (spec->begin[i], size, low, high);
  gint64 end = end_open ? (stride > 0 ? high : low) : clamp_index (spec->end[i], size, low, high);
  gint64 length = end - begin;
  self->begin[dim] = begin;
  if (length == 0 || (length < 0) != (stride < 0))
    self->size[dim] = 0;
  else
    self->size[dim] = length / stride + (length % stride != 0);
}

static gboolean
add_result (SluiceSlicePlan *self, gint64 size, GError **error)
{
  if (self->result.rank == SLUICE_MAX_RANK)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the result would have more than %d dimensions", SLUICE_MAX_RANK);
  self->result.dim[self->result.rank++] = size;
  return TRUE;
}

/* Dimensions that an ellipsis stands for, or that are not mentioned. */
static gboolean
plan_whole (SluiceSlicePlan *self, const Spec *spec, int upto, GError **error)
{
  for (; self->rank < upto; self->rank++)
    {
      gint64 size = spec->input->dim[self->rank];
      self->stride[self->rank] = 1;
      self->size[self->rank] = size;
      if (!add_result (self, size, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
plan_entry (SluiceSlicePlan *self, const Spec *spec, int i, GError **error)
{
  int dim = self->rank;
  if (dim == spec->input->rank)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "entry %d of the slice is one too many for %d dimensions", i,
                        spec->input->rank);
  if (spec->stride[i] == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "stride %d is 0", i);
  gboolean shrink = has_bit (spec->masks.shrink, i);
  if (!shrink)
    plan_range (self, spec, i, dim);
  else if (!plan_shrunk (self, spec, i, dim, error))
    return FALSE;
  self->rank++;
  return shrink || add_result (self, self->size[dim], error);
}

gboolean
sluice_slice_plan (SluiceSlicePlan *self,
                   const SluiceSliceMasks *masks,
                   const SluiceShape *input,
                   const gint64 *begin,
                   const gint64 *end,
                   const gint64 *stride,
                   int n,
                   GError **error)
{
  const Spec spec = { input, begin, end, stride, n, *masks };
  *self = (SluiceSlicePlan){ 0 };
  if (masks->ellipsis & (masks->ellipsis - 1))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a slice may have one ellipsis, not several");
  int n_after = 0; /* entries behind the ellipsis that take a dimension */
  gboolean seen = FALSE;
  for (int i = 0; i < n; i++)
    if (has_bit (masks->ellipsis, i))
      seen = TRUE;
    else if (seen && !has_bit (masks->new_axis, i))
      n_after++;

  for (int i = 0; i < n; i++)
    {
      gboolean ok;
      if (has_bit (masks->ellipsis, i))
        ok = plan_whole (self, &spec, input->rank - n_after, error);
      else if (has_bit (masks->new_axis, i))
        ok = add_result (self, 1, error);
      else
        ok = plan_entry (self, &spec, i, error);
      if (!ok)
        return FALSE;
    }
  return plan_whole (self, &spec, input->rank, error);
}

gpointer
sluice_slice_prepare (const SluiceNode *node, GError **error)
{
  SluiceSliceMasks *masks = g_new (SluiceSliceMasks, 1);
  *masks = sluice_slice_masks (node);
  return masks;
}

gboolean
sluice_call_slice_plan (SluiceKernelCall *call,
                        guint first,
                        const SluiceShape *shape,
                        SluiceSlicePlan *plan)
{
  gint64 values[3][32];
  gint64 n = sluice_call_input (call, first)->n_elements;
  for (guint k = 0; k < 3; k++)
    {
      const SluiceTensor *input = sluice_call_input (call, first + k);
      if (!sluice_call_want_rank (call, first + k, 1))
        return FALSE;
      if (input->n_elements != n || n > 32)
        return sluice_call_fail (
            call, SLUICE_ERROR_INVALID_ARGUMENT,
            "begin, end and strides must be of one length of at most 32, not %" G_GINT64_FORMAT
            " and %" G_GINT64_FORMAT,
            n, input->n_elements);
      for (gint64 i = 0; i < n; i++)
        values[k][i] = MAX (sluice_tensor_get_int (input, i), SLUICE_SLICE_UNKNOWN + 1);
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_slice_plan (plan, call->state, shape, values[0], values[1], values[2], n, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  return TRUE;
}

gint64
sluice_slice_move (const SluiceSlicePlan *plan,
                   const SluiceShape *whole,
                   gboolean to_whole,
                   SluiceMove *move)
{
  SluiceShape part = { .rank = plan->rank };
  gint64 strides[SLUICE_MAX_RANK], dense[SLUICE_MAX_RANK], offset = 0;
  for (int i = 0; i < plan->rank; i++)
    part.dim[i] = plan->size[i];
  sluice_move_strides (whole, strides);
  sluice_move_strides (&part, dense);
  for (int i = 0; i < plan->rank; i++)
    {
      /* The stride of a single element may be any number. */
      gint64 step = plan->size[i] > 1 ? strides[i] * plan->stride[i] : 0;
      offset += plan->begin[i] * strides[i];
      sluice_move_add (move, plan->size[i], to_whole ? step : dense[i], to_whole ? dense[i] : step);
    }
  return offset;
}
