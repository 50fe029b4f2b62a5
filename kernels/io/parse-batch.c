/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/io/parse-batch.h"

#include <string.h>

#include "kernels/string/text.h"

static const SluiceFeature *
feature_of (const SluiceExampleBatch *self, gint64 example, guint index)
{
  return self->found[example * self->n_wants + index];
}

static const SluiceFeatureList *
list_of (const SluiceExampleBatch *self, gint64 example, guint index)
{
  return self->lists[example * self->n_lists + index];
}

static gint64
n_steps (const SluiceFeatureList *list)
{
  return list ? (gint64) list->n_feature : 0;
}

/* Output: the shape behind the dimension of examples, where there is one. */
static SluiceTensor *
output_of (const SluiceExampleBatch *self, guint output, const SluiceShape *shape)
{
  SluiceShape whole = SLUICE_SHAPE (self->n);
  if (self->is_single)
    whole.rank = 0;
  for (int d = 0; d < shape->rank && whole.rank < SLUICE_MAX_RANK; d++)
    whole.dim[whole.rank++] = shape->dim[d];
  return sluice_call_output (self->call, output, &whole);
}

/* The three tensors of sparse ones; coordinates have so many numbers. */
static gboolean
sparse_outputs (const SluiceExampleBatch *self,
                guint output,
                guint step,
                gint64 total,
                gint64 rank,
                SluiceTensor *out[3])
{
  const SluiceShape shapes[] = { SLUICE_SHAPE (total, rank), SLUICE_SHAPE (total),
                                 SLUICE_SHAPE (rank) };
  for (guint i = 0; i < 3; i++)
    {
      out[i] = sluice_call_output (self->call, output + i * step, &shapes[i]);
      if (out[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_example_batch_give_sparse (const SluiceExampleBatch *self,
                                  guint index,
                                  guint output,
                                  guint step)
{
  gint64 total = 0, most = 0, at = 0;
  for (gint64 e = 0; e < self->n; e++)
    {
      gint64 n = sluice_feature_count (feature_of (self, e, index));
      total += n;
      most = MAX (most, n);
    }
  SluiceTensor *out[3];
  if (!sparse_outputs (self, output, step, total, self->is_single ? 1 : 2, out))
    return FALSE;
  gint64 *indices = out[0]->data, *shape = out[2]->data;
  for (gint64 e = 0; e < self->n; e++)
    {
      const SluiceFeature *feature = feature_of (self, e, index);
      gint64 n = sluice_feature_count (feature);
      if (n > 0)
        sluice_feature_copy (feature, out[1], at);
      at += n;
      for (gint64 i = 0; i < n; i++)
        {
          if (!self->is_single)
            *indices++ = e;
          *indices++ = i;
        }
    }
  if (!self->is_single)
    *shape++ = self->n;
  *shape = most;
  return TRUE;
}

/* n times the same element. */
static void
fill_with (SluiceTensor *to, gint64 at, gint64 n, const SluiceTensor *element)
{
  gsize size = sluice_dtype_size (to->dtype);
  for (gint64 i = at; i < at + n; i++)
    sluice_elements_copy (to->dtype, (char *) to->data + i * size, element->data, 1);
}

gboolean
sluice_example_batch_give_dense (const SluiceExampleBatch *self,
                                 guint index,
                                 const SluiceWant *want,
                                 guint output)
{
  SluiceShape shape = want->shape;
  gint64 step = want->is_variable ? 0 : want->n;
  for (gint64 e = 0; want->is_variable && e < self->n; e++)
    step = MAX (step, sluice_feature_count (feature_of (self, e, index)));
  if (want->is_variable)
    shape.dim[0] = want->n > 0 ? step / want->n : 0;
  SluiceTensor *out = output_of (self, output, &shape);
  for (gint64 e = 0; out != NULL && e < self->n; e++)
    {
      const SluiceFeature *feature = feature_of (self, e, index);
      gint64 n = sluice_feature_count (feature), at = e * step;
      if (n > 0)
        sluice_feature_copy (feature, out, at);
      if (want->is_variable)
        fill_with (out, at + n, step - n, want->fallback);
      else if (feature == NULL && step > 0)
        sluice_elements_copy (out->dtype,
                              (char *) out->data + at * (gint64) sluice_dtype_size (out->dtype),
                              want->fallback->data, step);
    }
  return out != NULL;
}

/* Splits of rows that may be int32; one example alone has none, and TensorFlow then a shape of its
 * op's own. */
static SluiceTensor *
splits_output (const SluiceExampleBatch *self, guint output, gint64 n, const SluiceShape *single)
{
  SluiceTensor *out =
      sluice_call_output (self->call, output, single ? single : &SLUICE_SHAPE (n + 1));
  if (out != NULL && out->n_elements > 0)
    sluice_tensor_put_int (out, 0, 0);
  return out;
}

gboolean
sluice_example_batch_give_ragged (const SluiceExampleBatch *self,
                                  guint index,
                                  guint output,
                                  guint step,
                                  const SluiceShape *single_splits)
{
  gint64 total = 0, at = 0;
  for (gint64 e = 0; e < self->n; e++)
    total += sluice_feature_count (feature_of (self, e, index));
  SluiceTensor *values = sluice_call_output (self->call, output, &SLUICE_SHAPE (total));
  SluiceTensor *splits =
      values ? splits_output (self, output + step, self->n, self->is_single ? single_splits : NULL)
             : NULL;
  if (splits == NULL)
    return FALSE;
  for (gint64 e = 0; e < self->n; e++)
    {
      const SluiceFeature *feature = feature_of (self, e, index);
      gint64 n = sluice_feature_count (feature);
      if (n > 0)
        sluice_feature_copy (feature, values, at);
      at += n;
      if (!self->is_single)
        sluice_tensor_put_int (splits, e + 1, at);
    }
  return TRUE;
}

/* ---- lists ---- */

/* Values, steps of the longest list, steps of all, values of the longest step. */
typedef struct
{
  gint64 total, most_steps, n_steps, most;
} ListSizes;

static ListSizes
measure (const SluiceExampleBatch *self, guint index)
{
  ListSizes sizes = { 0 };
  for (gint64 e = 0; e < self->n; e++)
    {
      const SluiceFeatureList *list = list_of (self, e, index);
      sizes.most_steps = MAX (sizes.most_steps, n_steps (list));
      sizes.n_steps += n_steps (list);
      for (gint64 t = 0; t < n_steps (list); t++)
        {
          gint64 n = sluice_feature_count (list->feature[t]);
          sizes.total += n;
          sizes.most = MAX (sizes.most, n);
        }
    }
  return sizes;
}

gboolean
sluice_example_batch_give_list_sparse (const SluiceExampleBatch *self,
                                       guint index,
                                       guint output,
                                       guint step)
{
  ListSizes sizes = measure (self, index);
  SluiceTensor *out[3];
  if (!sparse_outputs (self, output, step, sizes.total, self->is_single ? 2 : 3, out))
    return FALSE;
  gint64 *indices = out[0]->data, *shape = out[2]->data, at = 0;
  for (gint64 e = 0; e < self->n; e++)
    for (gint64 t = 0; t < n_steps (list_of (self, e, index)); t++)
      {
        const SluiceFeature *feature = list_of (self, e, index)->feature[t];
        gint64 n = sluice_feature_count (feature);
        if (n > 0)
          sluice_feature_copy (feature, out[1], at);
        at += n;
        for (gint64 i = 0; i < n; i++)
          {
            if (!self->is_single)
              *indices++ = e;
            *indices++ = t;
            *indices++ = i;
          }
      }
  if (!self->is_single)
    *shape++ = self->n;
  shape[0] = sizes.most_steps;
  shape[1] = sizes.most;
  return TRUE;
}

gboolean
sluice_example_batch_give_list_dense (
    const SluiceExampleBatch *self, guint index, const SluiceWant *want, guint output, guint step)
{
  gint64 most = measure (self, index).most_steps;
  SluiceShape shape = SLUICE_SHAPE (most);
  for (int d = 0; d < want->shape.rank && shape.rank < SLUICE_MAX_RANK; d++)
    shape.dim[shape.rank++] = want->shape.dim[d];
  SluiceTensor *out = output_of (self, output, &shape);
  SluiceTensor *lengths =
      out && step > 0 ? output_of (self, output + step, &SLUICE_SHAPE_SCALAR) : NULL;
  if (out == NULL || (step > 0 && lengths == NULL))
    return FALSE;
  /* What a shorter list leaves open is 0. */
  if (out->dtype != SLUICE_STRING && out->n_elements > 0)
    memset (out->data, 0, sluice_tensor_bytes (out));
  for (gint64 e = 0; e < self->n; e++)
    {
      const SluiceFeatureList *list = list_of (self, e, index);
      for (gint64 t = 0; t < n_steps (list); t++)
        if (want->n > 0)
          sluice_feature_copy (list->feature[t], out, (e * most + t) * want->n);
      if (lengths != NULL)
        sluice_tensor_put_int (lengths, e, n_steps (list));
    }
  return TRUE;
}

gboolean
sluice_example_batch_give_list_ragged (const SluiceExampleBatch *self,
                                       guint index,
                                       guint output,
                                       guint step)
{
  ListSizes sizes = measure (self, index);
  SluiceTensor *values = sluice_call_output (self->call, output, &SLUICE_SHAPE (sizes.total));
  SluiceTensor *outer = values ? splits_output (self, output + step, self->n,
                                                self->is_single ? &SLUICE_SHAPE_SCALAR : NULL)
                               : NULL;
  SluiceTensor *inner = outer ? splits_output (self, output + 2 * step, sizes.n_steps, NULL) : NULL;
  if (inner == NULL)
    return FALSE;
  gint64 at = 0, steps = 0;
  for (gint64 e = 0; e < self->n; e++)
    {
      const SluiceFeatureList *list = list_of (self, e, index);
      for (gint64 t = 0; t < n_steps (list); t++)
        {
          gint64 n = sluice_feature_count (list->feature[t]);
          if (n > 0)
            sluice_feature_copy (list->feature[t], values, at);
          at += n;
          sluice_tensor_put_int (inner, ++steps, at);
        }
      if (!self->is_single)
        sluice_tensor_put_int (outer, e + 1, steps);
    }
  return TRUE;
}
