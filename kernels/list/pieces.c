/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/list/pieces.h"

#include <string.h>

#define CHUNK_BYTES (128 << 10) /* of a copy that several threads share */
#define NS_PER_BYTE 0.1

SluiceTensor *
sluice_call_viewable (SluiceKernelCall *call, guint i)
{
  SluiceTensor *value = sluice_call_input (call, i);
  if (value->buffer == NULL || sluice_call_can_reuse (call, i))
    return sluice_tensor_ref (value);
  SluiceTensor *copy = sluice_tensor_dup (value, call->device->allocator, call->owner);
  if (copy == NULL)
    sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                      "no memory for a copy of input %u, %" G_GSIZE_FORMAT " bytes", i,
                      sluice_tensor_bytes (value));
  return copy;
}

SluiceTensor *
sluice_call_piece (SluiceKernelCall *call,
                   SluiceTensor *whole,
                   const SluiceShape *shape,
                   gint64 offset)
{
  SluiceTensor *piece = sluice_tensor_new_view (whole, shape, offset);
  if (piece == NULL)
    sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED, "out of memory for a tensor's header");
  return piece;
}

SluiceShape
sluice_shape_rest (const SluiceShape *shape)
{
  if (shape->rank < 1)
    return SLUICE_SHAPE_UNKNOWN;
  SluiceShape rest = *shape;
  rest.rank--;
  memmove (rest.dim, shape->dim + 1, rest.rank * sizeof rest.dim[0]);
  return rest;
}

gboolean
sluice_call_prepend (SluiceKernelCall *call,
                     gint64 size,
                     const SluiceShape *rest,
                     SluiceShape *shape)
{
  g_autoptr (GError) error = NULL;
  gint64 dims[SLUICE_MAX_RANK + 1] = { size };
  memcpy (dims + 1, rest->dim, rest->rank * sizeof dims[0]);
  if (!sluice_shape_make (shape, dims, rest->rank + 1, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  return TRUE;
}

GPtrArray *
sluice_call_unstack (SluiceKernelCall *call, guint i)
{
  g_autoptr (SluiceTensor) whole = sluice_call_viewable (call, i);
  if (whole == NULL)
    return NULL;
  SluiceShape row = sluice_shape_rest (&whole->shape);
  gint64 n = whole->shape.dim[0], size = sluice_shape_n_elements (&row);
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  for (gint64 k = 0; k < n; k++)
    {
      SluiceTensor *piece = sluice_call_piece (call, whole, &row, k * size);
      if (piece == NULL)
        return NULL;
      g_ptr_array_add (rows, piece);
    }
  return g_steal_pointer (&rows);
}

typedef struct
{
  SluiceTensor *const *pieces;
  SluiceDType dtype;
  gsize size; /* of an element */
  char *to;
  const gint64 *first; /* of each piece, in elements */
} Join;

static void
join_range (gpointer data, gint64 begin, gint64 end)
{
  const Join *join = data;
  for (gint64 i = begin; i < end; i++)
    sluice_elements_copy (join->dtype, join->to + join->first[i] * join->size,
                          join->pieces[i]->data, join->pieces[i]->n_elements);
}

gboolean
sluice_call_join (
    SluiceKernelCall *call, guint i, SluiceTensor *const *pieces, guint n, const SluiceShape *shape)
{
  SluiceTensor *out = sluice_call_output (call, i, shape);
  if (out == NULL)
    return FALSE;
  g_autofree gint64 *first = g_new (gint64, n + 1);
  gint64 at = 0;
  for (guint k = 0; k < n; k++)
    {
      first[k] = at;
      at += pieces[k]->n_elements;
    }
  g_assert (at == out->n_elements);
  if (at == 0)
    return TRUE;
  Join join = { pieces, out->dtype, sluice_dtype_size (out->dtype), out->data, first };
  double bytes = (double) sluice_tensor_bytes (out) / n;
  gint64 grain = MAX (1, (gint64) (CHUNK_BYTES / MAX (bytes, 1)));
  return sluice_call_parallel_for (call, n, grain, bytes * NS_PER_BYTE, join_range, &join);
}

gboolean
sluice_call_stack_shape (SluiceKernelCall *call,
                         const char *what,
                         SluiceTensor *const *pieces,
                         guint n,
                         const SluiceShape *element,
                         SluiceShape *shape)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (n == 0 && !sluice_shape_is_known (element))
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "the %s has no elements, and their shape, %s, is not fully known, so "
                             "that of the result is not; set element_shape",
                             what, sluice_shape_str (element, a));
  const SluiceShape *first = n > 0 ? &pieces[0]->shape : element;
  if (!sluice_shape_compatible (element, first))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "elements of shape %s are asked for, but the first that the %s holds "
                             "is %s",
                             sluice_shape_str (element, a), what, sluice_shape_str (first, b));
  for (guint i = 1; i < n; i++)
    if (!sluice_shape_equal (first, &pieces[i]->shape))
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "elements of one shape are needed, but the %s holds %s first and %s "
                               "as number %u",
                               what, sluice_shape_str (first, a),
                               sluice_shape_str (&pieces[i]->shape, b), i);
  return sluice_call_prepend (call, n, first, shape);
}

gboolean
sluice_call_concat_shape (SluiceKernelCall *call,
                          const char *what,
                          SluiceTensor *const *pieces,
                          guint n,
                          const SluiceShape *rest,
                          SluiceShape *shape)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  SluiceShape common = SLUICE_SHAPE_UNKNOWN;
  gint64 total = 0;
  for (guint i = 0; i < n; i++)
    {
      const SluiceShape *piece = &pieces[i]->shape;
      if (piece->rank == 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "element %u of the %s is a scalar, which cannot be joined to "
                                 "others; stack them instead",
                                 i, what);
      SluiceShape own = sluice_shape_rest (piece);
      if (i == 0)
        common = own;
      if (!sluice_shape_equal (&common, &own) || !sluice_shape_compatible (rest, &own))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "element %u of the %s has shape %s behind its first dimension, "
                                 "not %s",
                                 i, what, sluice_shape_str (&own, a),
                                 sluice_shape_str (i > 0 ? &common : rest, b));
      if (__builtin_add_overflow (total, piece->dim[0], &total))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the elements are too long");
    }
  return sluice_call_prepend (call, total, &common, shape);
}

GPtrArray *
sluice_call_cut (SluiceKernelCall *call, guint value_input, guint lengths_input)
{
  const SluiceTensor *lengths = sluice_call_input (call, lengths_input);
  const SluiceShape *whole_shape = &sluice_call_input (call, value_input)->shape;
  const gint64 *length = lengths->data;
  char text[SLUICE_SHAPE_STR];
  gint64 total = 0;
  if (whole_shape->rank < 1)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "input %u must be a vector or more, a scalar cannot be cut", value_input);
      return NULL;
    }
  if (!sluice_call_want_rank (call, lengths_input, 1))
    return NULL;
  gboolean fits = TRUE;
  for (gint64 i = 0; fits && i < lengths->n_elements; i++)
    fits = length[i] >= 0 && !__builtin_add_overflow (total, length[i], &total);
  if (!fits || total != whole_shape->dim[0])
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the lengths must not be negative and add up to the first dimension of "
                        "input %u, which has shape %s",
                        value_input, sluice_shape_str (whole_shape, text));
      return NULL;
    }
  g_autoptr (SluiceTensor) whole = sluice_call_viewable (call, value_input);
  if (whole == NULL)
    return NULL;
  SluiceShape shape = whole->shape, row = sluice_shape_rest (&shape);
  gint64 size = sluice_shape_n_elements (&row), at = 0;
  g_autoptr (GPtrArray) parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  for (gint64 i = 0; i < lengths->n_elements; i++)
    {
      shape.dim[0] = length[i];
      SluiceTensor *piece = sluice_call_piece (call, whole, &shape, at * size);
      if (piece == NULL)
        return NULL;
      g_ptr_array_add (parts, piece);
      at += length[i];
    }
  return g_steal_pointer (&parts);
}

SluiceTensor *
sluice_call_zeros (SluiceKernelCall *call, SluiceDType dtype, const SluiceShape *shape)
{
  GError *error = NULL;
  SluiceTensor *zeros =
      sluice_tensor_new_checked (call->device->allocator, dtype, shape, call->owner, &error);
  if (zeros == NULL)
    {
      sluice_call_fail (call, error->code, "%s", error->message);
      g_error_free (error);
    }
  else if (!sluice_dtype_is_managed (dtype) && zeros->n_elements > 0)
    memset (zeros->data, 0, sluice_tensor_bytes (zeros));
  return zeros;
}
