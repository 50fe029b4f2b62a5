/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/list/tensor-list.h"

#include <string.h>

#include "engine/base/lock.h"
#include "kernels/list/pieces.h"

static void
clear_element (SluiceTensorList *self, gint64 i)
{
  g_clear_pointer (&self->tensors[i], sluice_tensor_unref);
  if (self->away != NULL)
    g_clear_pointer (&self->away[i], sluice_away_unref);
}

static void
tensor_list_finalize (SluiceResource *resource)
{
  SluiceTensorList *self = (SluiceTensorList *) resource;
  for (gint64 i = 0; i < self->n; i++)
    clear_element (self, i);
  g_free (self->tensors);
  g_free (self->away);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

const SluiceResourceType sluice_tensor_list_type = { "TensorList", tensor_list_finalize };

SluiceTensorList *
sluice_tensor_list_new (SluiceDType dtype, const SluiceShape *shape)
{
  SluiceTensorList *self = g_new0 (SluiceTensorList, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_tensor_list_type;
  self->dtype = dtype;
  self->shape = *shape;
  self->max_elements = -1;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

void
sluice_tensor_list_unref (SluiceTensorList *self)
{
  sluice_resource_unref (&self->parent);
}

static gboolean
grow (SluiceTensorList *self, SluiceKernelCall *call, gint64 n)
{
  gint64 capacity = MAX (n, MIN (2 * self->capacity, self->capacity + (1 << 20)));
  SluiceTensor **tensors = g_try_new0 (SluiceTensor *, capacity);
  if (tensors == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                             "no memory for a list of %" G_GINT64_FORMAT " tensors", n);
  if (self->n > 0)
    memcpy (tensors, self->tensors, self->n * sizeof *tensors);
  g_free (self->tensors);
  self->tensors = tensors;
  if (self->away != NULL)
    {
      self->away = g_renew (SluiceAway *, self->away, capacity);
      memset (self->away + self->n, 0, (capacity - self->n) * sizeof *self->away);
    }
  self->capacity = capacity;
  return TRUE;
}

gboolean
sluice_tensor_list_resize (SluiceTensorList *self, SluiceKernelCall *call, gint64 n)
{
  if (n > self->capacity && !grow (self, call, n))
    return FALSE;
  for (gint64 i = n; i < self->n; i++)
    clear_element (self, i);
  self->n = n;
  return TRUE;
}

gboolean
sluice_tensor_list_push (SluiceTensorList *self, SluiceKernelCall *call, SluiceTensor *value)
{
  if (!sluice_tensor_list_resize (self, call, self->n + 1))
    return FALSE;
  SluiceAway *away = sluice_away_new (call, value);
  if (away == NULL)
    {
      sluice_tensor_list_set (self, self->n - 1, value);
      return TRUE;
    }
  if (self->away == NULL)
    self->away = g_new0 (SluiceAway *, self->capacity);
  self->away[self->n - 1] = away;
  return TRUE;
}

gboolean
sluice_tensor_list_bring_back (SluiceTensorList *self, SluiceKernelCall *call)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  for (gint64 i = 0; self->away != NULL && call->error == NULL && i < self->n; i++)
    if (self->away[i] != NULL)
      {
        self->tensors[i] = sluice_away_get (self->away[i], call);
        if (self->tensors[i] != NULL)
          g_clear_pointer (&self->away[i], sluice_away_unref);
      }
  pthread_mutex_unlock (&self->lock);
  return call->error == NULL;
}

void
sluice_tensor_list_set (SluiceTensorList *self, gint64 i, SluiceTensor *value)
{
  SluiceTensor *old = self->tensors[i];
  self->tensors[i] = sluice_tensor_ref (value);
  if (old != NULL)
    sluice_tensor_unref (old);
}

/* ---- in variants ---- */

SluiceTensorList *
sluice_call_list (SluiceKernelCall *call, guint input, const SluiceTensor *variants, gint64 k)
{
  SluiceTensorList *list = sluice_call_list_as_it_is (call, input, variants, k);
  return list != NULL && sluice_tensor_list_bring_back (list, call) ? list : NULL;
}

SluiceTensorList *
sluice_call_list_as_it_is (SluiceKernelCall *call,
                           guint input,
                           const SluiceTensor *variants,
                           gint64 k)
{
  SluiceResource *held = k < variants->n_elements ? ((SluiceResource **) variants->data)[k] : NULL;
  if (held != NULL && held->type == &sluice_tensor_list_type)
    return (SluiceTensorList *) held;
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "input %u must be a TensorList, not %s",
                    input, held != NULL ? held->type->name : "an empty variant");
  return NULL;
}

gboolean
sluice_call_put_list (SluiceKernelCall *call, guint i, SluiceTensorList *take)
{
  SluiceTensor *out = sluice_call_output (call, i, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(SluiceResource **) out->data = &take->parent;
  else
    sluice_tensor_list_unref (take);
  return out != NULL;
}

SluiceTensorList *
sluice_call_change_list (SluiceKernelCall *call, guint i, guint input)
{
  SluiceTensor *variant = sluice_call_input (call, input);
  if (!sluice_call_want_scalar (call, input))
    return NULL;
  SluiceTensorList *list = sluice_call_list_as_it_is (call, input, variant, 0);
  if (list == NULL)
    return NULL;
  if (sluice_call_can_reuse (call, input)
      && atomic_load_explicit (&list->parent.ref_count, memory_order_acquire) == 1)
    {
      sluice_call_forward (call, i, input);
      return list;
    }
  SluiceTensorList *copy = sluice_tensor_list_new (list->dtype, &list->shape);
  copy->max_elements = list->max_elements;
  if (!sluice_tensor_list_resize (copy, call, list->n))
    {
      sluice_tensor_list_unref (copy);
      return NULL;
    }
  sluice_lock (&list->lock, SLUICE_LOCK_DATA);
  if (list->away != NULL)
    copy->away = g_new0 (SluiceAway *, copy->capacity);
  for (gint64 k = 0; k < list->n; k++)
    if (list->tensors[k] != NULL)
      copy->tensors[k] = sluice_tensor_ref (list->tensors[k]);
    else if (list->away != NULL && list->away[k] != NULL)
      copy->away[k] = sluice_away_ref (list->away[k]);
  pthread_mutex_unlock (&list->lock);
  return sluice_call_put_list (call, i, copy) ? copy : NULL;
}

/* ---- shapes ---- */

gboolean
sluice_call_partial_shape (SluiceKernelCall *call, guint i, SluiceShape *shape)
{
  const SluiceTensor *sizes = sluice_call_input (call, i);
  g_autoptr (GError) error = NULL;
  gint64 dims[SLUICE_MAX_RANK] = { 0 };
  if (sizes->shape.rank == 0)
    {
      *shape = SLUICE_SHAPE_UNKNOWN;
      return sluice_tensor_get_int (sizes, 0) == -1
             || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                  "a shape that is a scalar must be -1, which stands for any");
    }
  if (!sluice_call_want_rank (call, i, 1))
    return FALSE;
  for (gint64 d = 0; d < MIN (sizes->n_elements, SLUICE_MAX_RANK); d++)
    dims[d] = sluice_tensor_get_int (sizes, d);
  return sluice_shape_make (shape, dims, sizes->n_elements, &error)
         || sluice_call_fail (call, error->code, "input %u: %s", i, error->message);
}

gboolean
sluice_tensor_list_merge_shape (SluiceTensorList *self,
                                SluiceKernelCall *call,
                                const SluiceShape *wanted,
                                gboolean of_elements,
                                SluiceShape *shape)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_shape_merge (&self->shape, wanted, shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "elements of shape %s are asked for, those of the list have shape %s",
                             sluice_shape_str (wanted, a), sluice_shape_str (&self->shape, b));
  if (!of_elements || sluice_shape_is_known (shape))
    return TRUE;
  for (gint64 i = 0; i < self->n; i++)
    if (self->tensors[i] != NULL && !sluice_shape_merge (shape, &self->tensors[i]->shape, shape))
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "element %" G_GINT64_FORMAT " of the list has shape %s, not %s", i,
                               sluice_shape_str (&self->tensors[i]->shape, a),
                               sluice_shape_str (shape, b));
  return TRUE;
}

SluiceTensor *
sluice_tensor_list_read (SluiceTensorList *self,
                         SluiceKernelCall *call,
                         gint64 i,
                         const SluiceShape *shape)
{
  char text[SLUICE_SHAPE_STR];
  if (self->tensors[i] != NULL)
    return sluice_tensor_ref (self->tensors[i]);
  if (sluice_shape_is_known (shape))
    return sluice_call_zeros (call, self->dtype, shape);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "element %" G_GINT64_FORMAT " of the list was never set, and it cannot be read "
                    "as zeros because its shape, %s, is not fully known; give element_shape",
                    i, sluice_shape_str (shape, text));
  return NULL;
}

/* ---- checks ---- */

gboolean
sluice_tensor_list_check_dtype (SluiceTensorList *self, SluiceKernelCall *call, SluiceDType dtype)
{
  return self->dtype == dtype
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "the list holds %s, the op is for %s",
                              sluice_dtype_name (self->dtype), sluice_dtype_name (dtype));
}

gboolean
sluice_tensor_list_check_index (SluiceTensorList *self, SluiceKernelCall *call, gint64 index)
{
  return (index >= 0 && index < self->n)
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "there is no element %" G_GINT64_FORMAT " in a list of "
                              "%" G_GINT64_FORMAT,
                              index, self->n);
}

gboolean
sluice_tensor_list_check_element (SluiceTensorList *self,
                                  SluiceKernelCall *call,
                                  const SluiceTensor *value)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_tensor_list_check_dtype (self, call, value->dtype))
    return FALSE;
  return sluice_shape_compatible (&self->shape, &value->shape)
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "a tensor of shape %s cannot be an element of a list whose elements "
                              "have shape %s",
                              sluice_shape_str (&value->shape, a),
                              sluice_shape_str (&self->shape, b));
}
