/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/lock.h"
#include "kernels/array/array.h"
#include "kernels/list/pieces.h"
#include "kernels/list/tensor-list.h"
#include "kernels/list/variant.h"

typedef struct
{
  SluiceDType dtype;   /* element_dtype */
  SluiceShape element; /* element_shape, where it is an attribute */
  gint64 n_elements;   /* num_elements; -1: any */
  gboolean resizes;    /* resize_if_index_out_of_bounds */
} State;

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *dtype = sluice_node_get_attr (node, "element_dtype");
  const SluiceAttrValue *element = sluice_node_get_attr (node, "element_shape");
  const SluiceAttrValue *n_elements = sluice_node_get_attr (node, "num_elements");
  const SluiceAttrValue *resizes = sluice_node_get_attr (node, "resize_if_index_out_of_bounds");
  State *self = g_new (State, 1);
  *self = (State){
    .dtype = dtype != NULL ? dtype->type : SLUICE_INVALID,
    .element = element != NULL ? element->shape : SLUICE_SHAPE_UNKNOWN,
    .n_elements = n_elements != NULL ? n_elements->i : -1,
    .resizes = resizes != NULL && resizes->b,
  };
  return self;
}

/* The list at input i, a scalar. (transfer none) (nullable): call->error is set */
static SluiceTensorList *
get_list (SluiceKernelCall *call, guint i)
{
  return sluice_call_want_scalar (call, i)
             ? sluice_call_list (call, i, sluice_call_input (call, i), 0)
             : NULL;
}

static SluiceTensorList *
get_list_as_it_is (SluiceKernelCall *call, guint i)
{
  return sluice_call_want_scalar (call, i)
             ? sluice_call_list_as_it_is (call, i, sluice_call_input (call, i), 0)
             : NULL;
}

/* The same, of the dtype that the op is for. */
static SluiceTensorList *
get_typed_list (SluiceKernelCall *call, guint i)
{
  const State *state = call->state;
  SluiceTensorList *list = get_list (call, i);
  return list != NULL && sluice_tensor_list_check_dtype (list, call, state->dtype) ? list : NULL;
}

static gboolean
get_int (SluiceKernelCall *call, guint i, gint64 *value)
{
  if (!sluice_call_want_scalar (call, i))
    return FALSE;
  *value = sluice_tensor_get_int (sluice_call_input (call, i), 0);
  return TRUE;
}

static gboolean
put_int (SluiceKernelCall *call, guint i, gint64 value)
{
  SluiceTensor *out = sluice_call_output (call, i, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(gint32 *) out->data = (gint32) value;
  return out != NULL;
}

/* ---- lists ---- */

static gboolean
empty_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceShape shape;
  gint64 max_elements;
  if (!sluice_call_partial_shape (call, 0, &shape) || !get_int (call, 1, &max_elements))
    return FALSE;
  SluiceTensorList *list = sluice_tensor_list_new (state->dtype, &shape);
  list->max_elements = max_elements;
  return sluice_call_put_list (call, 0, list);
}

/* A new list of n elements that are not set. (transfer full) (nullable): call->error is set */
static SluiceTensorList *
new_list (SluiceKernelCall *call, SluiceDType dtype, const SluiceShape *shape, gint64 n)
{
  g_autoptr (SluiceTensorList) list = sluice_tensor_list_new (dtype, shape);
  return sluice_tensor_list_resize (list, call, n) ? g_steal_pointer (&list) : NULL;
}

static gboolean
reserve_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceShape shape;
  gint64 n;
  if (!sluice_call_partial_shape (call, 0, &shape) || !get_int (call, 1, &n))
    return FALSE;
  if (n < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the number of elements must not be negative, it is %" G_GINT64_FORMAT,
                             n);
  SluiceTensorList *list = new_list (call, state->dtype, &shape, n);
  return list != NULL && sluice_call_put_list (call, 0, list);
}

static gboolean
length_compute (SluiceKernelCall *call)
{
  SluiceTensorList *list = get_list_as_it_is (call, 0);
  return list != NULL && put_int (call, 0, list->n);
}

static gboolean
element_shape_compute (SluiceKernelCall *call)
{
  SluiceTensorList *list = get_list_as_it_is (call, 0);
  if (list == NULL)
    return FALSE;
  SluiceShape shape = list->shape.rank < 0 ? SLUICE_SHAPE_SCALAR : SLUICE_SHAPE (list->shape.rank);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  for (gint64 i = 0; out != NULL && i < out->n_elements; i++)
    {
      gint64 size = list->shape.rank < 0 ? -1 : list->shape.dim[i];
      if (out->dtype == SLUICE_INT64)
        ((gint64 *) out->data)[i] = size;
      else
        ((gint32 *) out->data)[i] = (gint32) size;
    }
  return out != NULL;
}

static gboolean
resize_compute (SluiceKernelCall *call)
{
  gint64 n;
  if (!get_int (call, 1, &n))
    return FALSE;
  if (n < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the size must not be negative, it is %" G_GINT64_FORMAT, n);
  SluiceTensorList *list = sluice_call_change_list (call, 0, 0);
  return list != NULL && sluice_tensor_list_resize (list, call, n);
}

/* ---- elements ---- */

static gboolean
check_room (SluiceKernelCall *call, const SluiceTensorList *list)
{
  return list->max_elements == -1 || list->n < list->max_elements
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "the list is full, it may have %" G_GINT64_FORMAT " elements",
                              list->max_elements);
}

static gboolean
push (SluiceKernelCall *call, SluiceTensorList *list, SluiceTensor *value)
{
  if (!sluice_tensor_list_resize (list, call, list->n + 1))
    return FALSE;
  sluice_tensor_list_set (list, list->n - 1, value);
  return TRUE;
}

static gboolean
push_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceTensor *value = sluice_call_input (call, 1);
  SluiceTensorList *list = get_list_as_it_is (call, 0);
  if (list == NULL || !sluice_tensor_list_check_dtype (list, call, state->dtype)
      || !sluice_tensor_list_check_element (list, call, value) || !check_room (call, list))
    return FALSE;
  list = sluice_call_change_list (call, 0, 0);
  return list != NULL && sluice_tensor_list_push (list, call, value);
}

/* What is popped from, not empty. (nullable): call->error is set */
static SluiceTensorList *
get_popped_list (SluiceKernelCall *call, SluiceShape *shape)
{
  const State *state = call->state;
  SluiceShape wanted;
  SluiceTensorList *list = get_list_as_it_is (call, 0);
  if (list == NULL || !sluice_tensor_list_check_dtype (list, call, state->dtype)
      || !sluice_call_partial_shape (call, 1, &wanted)
      || !sluice_tensor_list_merge_shape (list, call, &wanted, FALSE, shape))
    return NULL;
  if (list->n > 0)
    return list;
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the list is empty");
  return NULL;
}

static SluiceAway *
last_away (const SluiceTensorList *list)
{
  return list->away != NULL ? list->away[list->n - 1] : NULL;
}

static gboolean
pop_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluiceTensorList *list = get_popped_list (call, &shape);
  if (list == NULL)
    return FALSE;
  sluice_lock (&list->lock,
               SLUICE_LOCK_DATA); /* another reader of the list may bring elements back */
  SluiceAway *away = last_away (list);
  SluiceTensor *last = away != NULL ? sluice_away_try (away, call)
                                    : sluice_tensor_list_read (list, call, list->n - 1, &shape);
  pthread_mutex_unlock (&list->lock);
  if (last == NULL)
    return FALSE; /* it is on the disk, if there is no error */
  sluice_call_take_output (call, 1, last);
  list = sluice_call_change_list (call, 0, 0);
  return list != NULL && sluice_tensor_list_resize (list, call, list->n - 1);
}

static void
on_popped (gpointer data, SluiceTensor *value, GError *error)
{
  SluiceKernelCall *call = data;
  if (value != NULL)
    sluice_call_take_output (call, 1, value);
  else
    sluice_call_fail_with (call, error);
  call->done (call);
}

/* The last element is on the disk. One that is in other lists, too, is waited for here. */
static void
pop_start (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluiceTensorList *list = get_popped_list (call, &shape);
  list = list != NULL ? sluice_call_change_list (call, 0, 0) : NULL;
  SluiceAway *away = list != NULL ? last_away (list) : NULL;
  SluiceTensor *value = NULL;
  if (away != NULL && sluice_away_is_alone (away))
    {
      list->away[list->n - 1] = NULL;
      sluice_tensor_list_resize (list, call, list->n - 1);
      sluice_away_take (away, on_popped, call);
      return;
    }
  if (away != NULL)
    value = sluice_away_get (away, call);
  else if (list != NULL)
    value = sluice_tensor_list_read (list, call, list->n - 1, &shape);
  if (value != NULL)
    {
      sluice_call_take_output (call, 1, value);
      sluice_tensor_list_resize (list, call, list->n - 1);
    }
  call->done (call);
}

static void
pop_cancel (SluiceKernelCall *call)
{
  if (call->device->swap == NULL || !sluice_swap_cancel (call->device->swap, call))
    return;
  sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run was cancelled");
  call->done (call);
}

static gboolean
get_item_compute (SluiceKernelCall *call)
{
  SluiceShape wanted, shape;
  gint64 index;
  SluiceTensorList *list = get_typed_list (call, 0);
  if (list == NULL || !get_int (call, 1, &index)
      || !sluice_tensor_list_check_index (list, call, index)
      || !sluice_call_partial_shape (call, 2, &wanted)
      || !sluice_tensor_list_merge_shape (list, call, &wanted, list->tensors[index] == NULL,
                                          &shape))
    return FALSE;
  SluiceTensor *value = sluice_tensor_list_read (list, call, index, &shape);
  sluice_call_take_output (call, 0, value);
  return value != NULL;
}

static gboolean
set_item_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceTensor *value = sluice_call_input (call, 2);
  gint64 index;
  SluiceTensorList *list = get_typed_list (call, 0);
  if (list == NULL || !get_int (call, 1, &index)
      || !sluice_tensor_list_check_element (list, call, value))
    return FALSE;
  gboolean grows = state->resizes && index >= list->n;
  if (!grows && !sluice_tensor_list_check_index (list, call, index))
    return FALSE;
  list = sluice_call_change_list (call, 0, 0);
  if (list == NULL || (grows && !sluice_tensor_list_resize (list, call, index + 1)))
    return FALSE;
  sluice_tensor_list_set (list, index, value);
  return TRUE;
}

/* ---- a tensor of many elements ---- */

/* Elements by number, or all; those that are not set as zeros. (nullable): call->error is set */
static GPtrArray *
read_many (SluiceKernelCall *call,
           SluiceTensorList *list,
           const SluiceTensor *indices,
           const SluiceShape *shape)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  gint64 n = indices != NULL ? indices->n_elements : list->n;
  for (gint64 i = 0; i < n; i++)
    {
      gint64 index = indices != NULL ? sluice_tensor_get_int (indices, i) : i;
      SluiceTensor *value = sluice_tensor_list_check_index (list, call, index)
                                ? sluice_tensor_list_read (list, call, index, shape)
                                : NULL;
      if (value == NULL)
        return NULL;
      g_ptr_array_add (values, value);
    }
  return g_steal_pointer (&values);
}

static gboolean
stack (SluiceKernelCall *call,
       SluiceTensorList *list,
       const SluiceTensor *indices,
       guint shape_input)
{
  SluiceShape wanted, element, shape;
  char text[SLUICE_SHAPE_STR];
  if (!sluice_call_partial_shape (call, shape_input, &wanted)
      || !sluice_tensor_list_merge_shape (list, call, &wanted, TRUE, &element))
    return FALSE;
  if ((indices != NULL ? indices->n_elements : list->n) == 0 && !sluice_shape_is_known (&element))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "no elements are stacked, and their shape, %s, is not fully known",
                             sluice_shape_str (&element, text));
  g_autoptr (GPtrArray) values = read_many (call, list, indices, &element);
  if (values == NULL)
    return FALSE;
  SluiceTensor *const *pieces = (SluiceTensor *const *) values->pdata;
  return sluice_call_stack_shape (call, "list", pieces, values->len, &element, &shape)
         && sluice_call_join (call, 0, pieces, values->len, &shape);
}

static gboolean
stack_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceTensorList *list = get_typed_list (call, 0);
  if (list == NULL)
    return FALSE;
  if (state->n_elements != -1 && state->n_elements != list->n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the list has %" G_GINT64_FORMAT
                             " elements, num_elements says %" G_GINT64_FORMAT,
                             list->n, state->n_elements);
  return stack (call, list, NULL, 1);
}

static gboolean
gather_compute (SluiceKernelCall *call)
{
  SluiceTensorList *list = get_typed_list (call, 0);
  return list != NULL && sluice_call_want_rank (call, 1, 1)
         && stack (call, list, sluice_call_input (call, 1), 2);
}

/* What element i of Concat is where it is not set: zeros of the length that is told. */
static SluiceTensor *
read_for_concat (SluiceKernelCall *call, SluiceTensorList *list, gint64 i, SluiceShape shape)
{
  const SluiceTensor *leading = call->n_inputs == 3 ? sluice_call_input (call, 2) : NULL;
  if (list->tensors[i] == NULL && leading != NULL && i < leading->n_elements && shape.rank > 0)
    shape.dim[0] = sluice_tensor_get_int (leading, i);
  return sluice_tensor_list_read (list, call, i, &shape);
}

static gboolean
concat_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceShape element = state->element, shape;
  char text[SLUICE_SHAPE_STR];
  SluiceTensorList *list = get_typed_list (call, 0);
  if (list == NULL || (call->n_inputs == 3 && !sluice_call_partial_shape (call, 1, &element))
      || !sluice_tensor_list_merge_shape (list, call, &element, FALSE, &element))
    return FALSE;
  if (element.rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the elements are scalars, which cannot be joined; stack them");
  SluiceShape rest = sluice_shape_rest (&element);
  if (list->n == 0 && !sluice_shape_is_known (&rest))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the list is empty, and the shape of its elements, %s, is not known "
                             "behind the first dimension",
                             sluice_shape_str (&element, text));
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  for (gint64 i = 0; i < list->n; i++)
    {
      SluiceTensor *value = read_for_concat (call, list, i, element);
      if (value == NULL)
        return FALSE;
      g_ptr_array_add (values, value);
    }
  SluiceTensor *const *pieces = (SluiceTensor *const *) values->pdata;
  if (list->n == 0 ? !sluice_call_prepend (call, 0, &rest, &shape)
                   : !sluice_call_concat_shape (call, "list", pieces, values->len, &rest, &shape))
    return FALSE;
  SluiceTensor *lengths = sluice_call_output (call, 1, &SLUICE_SHAPE (list->n));
  for (gint64 i = 0; lengths != NULL && i < list->n; i++)
    ((gint64 *) lengths->data)[i] = pieces[i]->shape.dim[0];
  return lengths != NULL && sluice_call_join (call, 0, pieces, values->len, &shape);
}

/* ---- a list from one tensor ---- */

/* What a tensor is cut into must fit the list's shape. */
static gboolean
check_rows (SluiceKernelCall *call, guint i, const SluiceShape *element)
{
  const SluiceShape *whole = &sluice_call_input (call, i)->shape;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (whole->rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u must be a vector or more, a scalar has no rows", i);
  SluiceShape row = sluice_shape_rest (whole);
  return sluice_shape_compatible (element, &row)
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "rows of shape %s cannot be elements of shape %s",
                              sluice_shape_str (&row, a), sluice_shape_str (element, b));
}

static gboolean
from_tensor_compute (SluiceKernelCall *call)
{
  SluiceShape element;
  if (!sluice_call_partial_shape (call, 1, &element) || !check_rows (call, 0, &element))
    return FALSE;
  g_autoptr (GPtrArray) rows = sluice_call_unstack (call, 0);
  if (rows == NULL)
    return FALSE;
  SluiceTensorList *list = new_list (call, sluice_call_input (call, 0)->dtype, &element, rows->len);
  for (guint i = 0; list != NULL && i < rows->len; i++)
    sluice_tensor_list_set (list, i, rows->pdata[i]);
  return list != NULL && sluice_call_put_list (call, 0, list);
}

/* Writes the rows of input i by number; the list becomes longer where they say so. */
static gboolean
scatter_into (SluiceKernelCall *call, SluiceTensorList *list, guint i, const SluiceTensor *indices)
{
  g_autoptr (GPtrArray) rows = sluice_call_unstack (call, i);
  if (rows == NULL)
    return FALSE;
  gint64 n = list->n;
  for (gint64 k = 0; k < indices->n_elements; k++)
    n = MAX (n, sluice_tensor_get_int (indices, k) + 1);
  if (!sluice_tensor_list_resize (list, call, n))
    return FALSE;
  for (guint k = 0; k < rows->len; k++)
    sluice_tensor_list_set (list, sluice_tensor_get_int (indices, k), rows->pdata[k]);
  return TRUE;
}

static gboolean
check_indices (SluiceKernelCall *call, guint i, guint value_input, gint64 limit)
{
  const SluiceTensor *indices = sluice_call_input (call, i);
  gint64 rows = sluice_call_input (call, value_input)->shape.dim[0];
  if (!sluice_call_want_rank (call, i, 1))
    return FALSE;
  if (indices->n_elements != rows)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there are %" G_GINT64_FORMAT " indices for %" G_GINT64_FORMAT " rows",
                             indices->n_elements, rows);
  for (gint64 k = 0; k < indices->n_elements; k++)
    {
      gint64 index = sluice_tensor_get_int (indices, k);
      if (index < 0 || (limit >= 0 && index >= limit))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "index %" G_GINT64_FORMAT " is outside of the list", index);
    }
  return TRUE;
}

/* TensorListScatter, and V2 with the number of elements. */
static gboolean
scatter_compute (SluiceKernelCall *call)
{
  SluiceShape element;
  gint64 n = -1;
  if (!sluice_call_partial_shape (call, 2, &element) || !check_rows (call, 0, &element)
      || (call->n_inputs == 4 && !get_int (call, 3, &n)))
    return FALSE;
  if (n < -1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the number of elements must be -1 or more, it is %" G_GINT64_FORMAT,
                             n);
  if (!check_indices (call, 1, 0, n))
    return FALSE;
  g_autoptr (SluiceTensorList) list =
      new_list (call, sluice_call_input (call, 0)->dtype, &element, MAX (n, 0));
  return list != NULL && scatter_into (call, list, 0, sluice_call_input (call, 1))
         && sluice_call_put_list (call, 0, g_steal_pointer (&list));
}

static gboolean
scatter_existing_compute (SluiceKernelCall *call)
{
  SluiceTensorList *list = get_typed_list (call, 0);
  if (list == NULL || !check_rows (call, 1, &list->shape) || !check_indices (call, 2, 1, -1))
    return FALSE;
  list = sluice_call_change_list (call, 0, 0);
  return list != NULL && scatter_into (call, list, 1, sluice_call_input (call, 2));
}

static gboolean
split_compute (SluiceKernelCall *call)
{
  SluiceShape element;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_call_partial_shape (call, 1, &element))
    return FALSE;
  if (element.rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element_shape must have one dimension or more");
  g_autoptr (GPtrArray) parts = sluice_call_cut (call, 0, 2);
  if (parts == NULL)
    return FALSE;
  g_autoptr (SluiceTensorList) list =
      new_list (call, sluice_call_input (call, 0)->dtype, &element, parts->len);
  for (guint i = 0; list != NULL && i < parts->len; i++)
    {
      SluiceTensor *part = parts->pdata[i];
      if (!sluice_shape_compatible (&element, &part->shape))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "part %u has shape %s, elements must have shape %s", i,
                                 sluice_shape_str (&part->shape, a),
                                 sluice_shape_str (&element, b));
      sluice_tensor_list_set (list, i, part);
    }
  return list != NULL && sluice_call_put_list (call, 0, g_steal_pointer (&list));
}

/* ---- tensors of lists ---- */

/* Output 0, of the shape of input 0: a list for each of its lists. */
static gboolean
map_lists (SluiceKernelCall *call,
           SluiceTensorList *(*func) (SluiceKernelCall *call, gint64 k, SluiceTensorList *list))
{
  const SluiceTensor *in = sluice_call_input (call, 0);
  SluiceTensor *out = sluice_call_output (call, 0, &in->shape);
  for (gint64 k = 0; out != NULL && k < in->n_elements; k++)
    {
      SluiceTensorList *list = sluice_call_list (call, 0, in, k);
      SluiceTensorList *made = list != NULL ? func (call, k, list) : NULL;
      if (made == NULL)
        return FALSE;
      ((SluiceResource **) out->data)[k] = &made->parent;
    }
  return out != NULL;
}

/* (transfer full) (nullable): the elements of two lists, one after the other */
static SluiceTensorList *
joined (SluiceKernelCall *call, const SluiceTensorList *a, const SluiceTensorList *b)
{
  SluiceShape shape;
  if (b != NULL && !sluice_shape_merge (&a->shape, &b->shape, &shape))
    shape = SLUICE_SHAPE_UNKNOWN;
  SluiceTensorList *list =
      new_list (call, a->dtype, b != NULL ? &shape : &a->shape, a->n + (b != NULL ? b->n : 0));
  if (list == NULL)
    return NULL;
  for (gint64 i = 0; i < list->n; i++)
    {
      SluiceTensor *value = i < a->n ? a->tensors[i] : b->tensors[i - a->n];
      if (value != NULL)
        list->tensors[i] = sluice_tensor_ref (value);
    }
  return list;
}

static SluiceTensorList *
join_pair (SluiceKernelCall *call, gint64 k, SluiceTensorList *list)
{
  const State *state = call->state;
  SluiceTensorList *other = sluice_call_list (call, 1, sluice_call_input (call, 1), k);
  if (other == NULL || !sluice_tensor_list_check_dtype (list, call, state->dtype)
      || !sluice_tensor_list_check_dtype (other, call, state->dtype))
    return NULL;
  return joined (call, list, other);
}

static gboolean
concat_lists_compute (SluiceKernelCall *call)
{
  const SluiceTensor *a = sluice_call_input (call, 0), *b = sluice_call_input (call, 1);
  char x[SLUICE_SHAPE_STR], y[SLUICE_SHAPE_STR];
  if (!sluice_shape_equal (&a->shape, &b->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "inputs of one shape are needed, not %s and %s",
                             sluice_shape_str (&a->shape, x), sluice_shape_str (&b->shape, y));
  return map_lists (call, join_pair);
}

static SluiceTensorList *
push_row (SluiceKernelCall *call, gint64 k, SluiceTensorList *list)
{
  SluiceTensor *rows = sluice_call_input (call, 1);
  SluiceShape shape = sluice_shape_rest (&rows->shape);
  g_autoptr (SluiceTensor) row = sluice_call_zeros (call, rows->dtype, &shape);
  gsize size = sluice_dtype_size (rows->dtype);
  if (row != NULL)
    sluice_elements_copy (rows->dtype, row->data,
                          (const char *) rows->data + k * row->n_elements * size, row->n_elements);
  if (row == NULL || !sluice_tensor_list_check_element (list, call, row)
      || !check_room (call, list))
    return NULL;
  g_autoptr (SluiceTensorList) longer = joined (call, list, NULL);
  if (longer == NULL || !push (call, longer, row))
    return NULL;
  longer->max_elements = list->max_elements;
  return g_steal_pointer (&longer);
}

static gboolean
push_batch_compute (SluiceKernelCall *call)
{
  const SluiceTensor *lists = sluice_call_input (call, 0), *rows = sluice_call_input (call, 1);
  if (rows->shape.rank < 1 || lists->n_elements != rows->shape.dim[0])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there must be a row for each of the %" G_GINT64_FORMAT " lists",
                             lists->n_elements);
  return map_lists (call, push_row);
}

/* ---- arithmetic ---- */

/* Element by element; one that is not set counts for nothing. */
static SluiceResource *
add_lists (SluiceKernelCall *call, SluiceResource *first, SluiceResource *second)
{
  SluiceTensorList *a = (SluiceTensorList *) first, *b = (SluiceTensorList *) second;
  if (!sluice_tensor_list_check_dtype (a, call, b->dtype))
    return NULL;
  if (a->n != b->n)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "lists of %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                        " elements cannot be added",
                        a->n, b->n);
      return NULL;
    }
  SluiceShape shape;
  if (!sluice_tensor_list_merge_shape (a, call, &b->shape, FALSE, &shape))
    return NULL;
  g_autoptr (SluiceTensorList) sum = new_list (call, a->dtype, &shape, a->n);
  for (gint64 i = 0; sum != NULL && i < sum->n; i++)
    {
      SluiceTensor *x = a->tensors[i], *y = b->tensors[i];
      if (x != NULL && y != NULL)
        sum->tensors[i] = sluice_call_add_values (call, x, y);
      else if (x != NULL || y != NULL)
        sum->tensors[i] = sluice_tensor_ref (x != NULL ? x : y);
      if (sum->tensors[i] == NULL && x != NULL && y != NULL)
        return NULL;
    }
  return sum != NULL ? &g_steal_pointer (&sum)->parent : NULL;
}

static SluiceResource *
zero_list (SluiceKernelCall *call, SluiceResource *of)
{
  SluiceTensorList *list = (SluiceTensorList *) of;
  g_autoptr (SluiceTensorList) zeros = new_list (call, list->dtype, &list->shape, list->n);
  for (gint64 i = 0; zeros != NULL && i < list->n; i++)
    if (list->tensors[i] != NULL)
      {
        zeros->tensors[i] = sluice_call_zeros_like (call, list->tensors[i]);
        if (zeros->tensors[i] == NULL)
          return NULL;
      }
  return zeros != NULL ? &g_steal_pointer (&zeros)->parent : NULL;
}

const SluiceVariantMath sluice_tensor_list_math = { &sluice_tensor_list_type, zero_list,
                                                    add_lists };

#define KERNEL(name, function)                                                                     \
  SLUICE_ARRAY_KERNEL (name, .prepare = prepare, .free_state = g_free, .compute = function)
static const SluiceKernel kernels[] = {
  KERNEL ("EmptyTensorList", empty_compute),
  KERNEL ("TensorListReserve", reserve_compute),
  KERNEL ("TensorListLength", length_compute),
  KERNEL ("TensorListElementShape", element_shape_compute),
  KERNEL ("TensorListResize", resize_compute),
  KERNEL ("TensorListPushBack", push_compute),
  { .op = "TensorListPopBack",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS | SLUICE_KERNEL_ASYNC,
    .prepare = prepare,
    .free_state = g_free,
    .compute = pop_compute,
    .start = pop_start,
    .cancel = pop_cancel },
  KERNEL ("TensorListGetItem", get_item_compute),
  KERNEL ("TensorListSetItem", set_item_compute),
  KERNEL ("TensorListStack", stack_compute),
  KERNEL ("TensorListGather", gather_compute),
  KERNEL ("TensorListConcat", concat_compute),
  KERNEL ("TensorListConcatV2", concat_compute),
  KERNEL ("TensorListFromTensor", from_tensor_compute),
  KERNEL ("TensorListScatter", scatter_compute),
  KERNEL ("TensorListScatterV2", scatter_compute),
  KERNEL ("TensorListScatterIntoExistingList", scatter_existing_compute),
  KERNEL ("TensorListSplit", split_compute),
  KERNEL ("TensorListConcatLists", concat_lists_compute),
  KERNEL ("TensorListPushBackBatch", push_batch_compute),
};

const SluiceKernelModule sluice_module_list_tensor_list_cpu = { .kernels = kernels,
                                                                .n_kernels =
                                                                    G_N_ELEMENTS (kernels) };
