/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/sparse.h"

gboolean
sluice_call_sparse (
    SluiceKernelCall *call, guint indices, guint values, guint shape, SluiceSparse *self)
{
  const SluiceTensor *i = sluice_call_input (call, indices), *v = sluice_call_input (call, values);
  const SluiceTensor *s = sluice_call_input (call, shape);
  if (i->shape.rank == 2 && v->shape.rank == 1 && s->shape.rank == 1
      && i->shape.dim[0] == v->n_elements && i->shape.dim[1] == s->n_elements)
    {
      *self = (SluiceSparse){ v->n_elements, s->n_elements, i->data, v, s->data };
      return TRUE;
    }
  char text[3][SLUICE_SHAPE_STR];
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT,
      "indices %s, values %s and shape %s are no sparse tensor: they must be [n,rank], [n], [rank]",
      sluice_shape_str (&i->shape, text[0]), sluice_shape_str (&v->shape, text[1]),
      sluice_shape_str (&s->shape, text[2]));
}

gboolean
sluice_call_sparse_inside (SluiceKernelCall *call, const SluiceSparse *self)
{
  for (gint64 i = 0; i < self->n; i++)
    for (gint64 d = 0; d < self->rank; d++)
      {
        gint64 at = sluice_sparse_index (self, i)[d];
        if (G_UNLIKELY (at < 0 || at >= self->shape[d]))
          return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                   "index %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                   " in dimension %" G_GINT64_FORMAT
                                   ", not in [0, %" G_GINT64_FORMAT ")",
                                   i, at, d, self->shape[d]);
      }
  return TRUE;
}

typedef struct
{
  const gint64 *indices;
  gint64 rank;
} Sorted;

static gint
compare_numbers (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorted *s = data;
  return sluice_index_compare (s->indices + *(const gint64 *) a * s->rank,
                               s->indices + *(const gint64 *) b * s->rank, s->rank);
}

SluiceTensor *
sluice_call_sparse_order (SluiceKernelCall *call, const gint64 *indices, gint64 n, gint64 rank)
{
  Sorted sorted = { indices, rank };
  SluiceTensor *order = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (n));
  if (order == NULL)
    return NULL;
  gint64 *numbers = order->data;
  gboolean in_order = TRUE;
  for (gint64 i = 0; i < n; i++)
    {
      numbers[i] = i;
      in_order =
          in_order && (i == 0 || compare_numbers (&numbers[i - 1], &numbers[i], &sorted) <= 0);
    }
  if (!in_order)
    g_qsort_with_data (numbers, n, sizeof *numbers, compare_numbers, &sorted);
  return order;
}

gboolean
sluice_call_sparse_output (
    SluiceKernelCall *call, const guint outputs[3], gint64 n, gint64 rank, SluiceSparseOutput *self)
{
  SluiceTensor *indices = sluice_call_output (call, outputs[0], &SLUICE_SHAPE (n, rank));
  SluiceTensor *values = sluice_call_output (call, outputs[1], &SLUICE_SHAPE (n));
  SluiceTensor *shape = sluice_call_output (call, outputs[2], &SLUICE_SHAPE (rank));
  if (indices == NULL || values == NULL || shape == NULL)
    return FALSE;
  *self = (SluiceSparseOutput){ indices->data, values, shape->data };
  return TRUE;
}

/* Puts a dimension of an input into *dim, which must not contradict it. */
static gboolean
merge_dim (SluiceShapeContext *c, int input, int d, gint64 *dim, GError **error)
{
  const SluiceShape *shape = &c->inputs[input];
  if (shape->rank < 0 || shape->dim[d] < 0)
    return TRUE;
  if (*dim >= 0 && *dim != shape->dim[d])
    return sluice_shape_context_fail (c, error,
                                      "dimension %d of input %d is %" G_GINT64_FORMAT
                                      ", but %" G_GINT64_FORMAT " elsewhere",
                                      d, input, shape->dim[d], *dim);
  *dim = shape->dim[d];
  return TRUE;
}

gboolean
sluice_shape_sparse (SluiceShapeContext *c,
                     int indices,
                     int values,
                     int shape,
                     gint64 *n,
                     gint64 *rank,
                     GError **error)
{
  *n = *rank = SLUICE_UNKNOWN_DIM;
  if (indices >= 0
      && (!sluice_shape_context_want_rank (c, indices, 2, error)
          || !merge_dim (c, indices, 0, n, error) || !merge_dim (c, indices, 1, rank, error)))
    return FALSE;
  if (values >= 0
      && (!sluice_shape_context_want_rank (c, values, 1, error)
          || !merge_dim (c, values, 0, n, error)))
    return FALSE;
  return shape < 0
         || (sluice_shape_context_want_rank (c, shape, 1, error)
             && merge_dim (c, shape, 0, rank, error));
}

void
sluice_shape_set_sparse (SluiceShapeContext *c, guint first, gint64 n, gint64 rank)
{
  sluice_shape_context_set (c, first, &SLUICE_SHAPE (n, rank));
  sluice_shape_context_set (c, first + 1, &SLUICE_SHAPE (n));
  sluice_shape_context_set (c, first + 2, &SLUICE_SHAPE (rank));
}
