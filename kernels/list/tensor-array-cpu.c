/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "kernels/array/array.h"
#include "kernels/handle.h"
#include "kernels/list/pieces.h"
#include "kernels/list/tensor-array.h"
#include "kernels/string/text.h"

/* ---- handles ---- */

/* Arrays that are handed on by name are found in the step under this. */
#define CONTAINER "tensor arrays"

static SluiceResource *
give (gpointer array, GError **error)
{
  return sluice_resource_ref (array);
}

/* Output 0 is the array's handle. */
static gboolean
put_array (SluiceKernelCall *call, SluiceTensorArray *take, const char *name)
{
  SluiceDType dtype = sluice_dtype_base (call->node->outputs[0].dtype);
  if (dtype == SLUICE_STRING)
    {
      g_autoptr (GError) error = NULL;
      SluiceResource *kept = sluice_resources_get (call->step_resources, CONTAINER, name,
                                                   &sluice_tensor_array_type, give, take, &error);
      if (kept == NULL)
        {
          sluice_resource_unref ((SluiceResource *) take);
          return sluice_call_fail (call, error->code, "%s", error->message);
        }
      sluice_resource_unref (kept);
    }
  sluice_call_put_named_handle (call, 0, (SluiceResource *) take, CONTAINER, name);
  if (call->n_outputs < 2)
    return TRUE;
  SluiceTensor *flow = sluice_call_output (call, 1, &SLUICE_SHAPE_SCALAR);
  if (flow != NULL)
    *(float *) flow->data = 0;
  return flow != NULL;
}

static void
array_unref (SluiceTensorArray *self)
{
  sluice_resource_unref ((SluiceResource *) self);
}

/* (transfer full) (nullable): call->error is set */
static SluiceTensorArray *
find_by_name (SluiceKernelCall *call)
{
  const SluiceTensor *handle = sluice_call_input (call, 0);
  const SluiceString *strings = handle->data;
  if (handle->n_elements != 2)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "input 0 (handle) must be two strings, not %" G_GINT64_FORMAT,
                        handle->n_elements);
      return NULL;
    }
  g_autofree char *name = sluice_string_dup_text (&strings[1]);
  SluiceResource *found = call->step_resources != NULL
                              ? sluice_resources_get (call->step_resources, CONTAINER, name,
                                                      &sluice_tensor_array_type, NULL, NULL, NULL)
                              : NULL;
  if (found == NULL)
    sluice_call_fail (call, SLUICE_ERROR_NOT_FOUND,
                      "there is no TensorArray '%s' in this step: an array ends with the step "
                      "that made it",
                      name);
  return (SluiceTensorArray *) found;
}

/* What input 0 stands for. (transfer full) (nullable): call->error is set */
static SluiceTensorArray *
get_array (SluiceKernelCall *call)
{
  const SluiceArg *arg = &call->node->op->inputs[0];
  if (arg->type == SLUICE_STRING && !arg->is_ref)
    return find_by_name (call);
  SluiceResource *array = sluice_call_get_handle (call, 0, &sluice_tensor_array_type);
  return (SluiceTensorArray *) (array != NULL ? sluice_resource_ref (array) : NULL);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTensorArray, array_unref)

/* ---- what attributes say ---- */

typedef struct
{
  SluiceDType dtype;   /* of what is read */
  SluiceShape element; /* of what is read; may be partial */
  char *source;
  SluiceTensorArraySpec spec; /* of a new array; its name is tensor_array_name, or the node's */
} State;

static void
state_free (gpointer data)
{
  State *self = data;
  g_free (self->source);
  g_free ((gpointer) self->spec.name);
  g_free (self);
}

static char *
dup_attr (const SluiceNode *node, const char *name)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  return value != NULL && value->s.length > 0 ? g_strndup (value->s.data, value->s.length) : NULL;
}

static gboolean
get_flag (const SluiceNode *node, const char *name)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  return value != NULL && value->b;
}

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  State *self = g_new0 (State, 1);
  const SluiceAttrValue *dtype = sluice_node_get_attr (node, "dtype");
  const SluiceAttrValue *element = sluice_node_get_attr (node, "element_shape");
  if (element == NULL)
    element = sluice_node_get_attr (node, "element_shape_except0");
  self->dtype = dtype != NULL ? dtype->type : SLUICE_INVALID;
  self->element = element != NULL ? element->shape : SLUICE_SHAPE_UNKNOWN;
  self->source = dup_attr (node, "source");
  char *name = dup_attr (node, "tensor_array_name");
  self->spec = (SluiceTensorArraySpec){
    .name = name != NULL ? name : g_strdup (node->name),
    .dtype = self->dtype,
    .element_shape = self->element,
    .identical_element_shapes = get_flag (node, "identical_element_shapes"),
    .dynamic_size = get_flag (node, "dynamic_size"),
    .clear_after_read = get_flag (node, "clear_after_read"),
  };
  return self;
}

static gboolean
check_dtype (SluiceKernelCall *call, const SluiceTensorArray *array, SluiceDType dtype)
{
  SluiceDType has = sluice_tensor_array_get_dtype (array);
  return has == dtype
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "the TensorArray holds %s, the op is for %s", sluice_dtype_name (has),
                              sluice_dtype_name (dtype));
}

/* ---- arrays ---- */

static gboolean
create_compute (SluiceKernelCall *call)
{
  static _Atomic guint64 last_number;
  const State *state = call->state;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  SluiceTensorArray *array = sluice_tensor_array_new (
      call, &state->spec, sluice_tensor_get_int (sluice_call_input (call, 0), 0));
  if (array == NULL)
    return FALSE;
  g_autofree char *name =
      g_strdup_printf ("_%" G_GUINT64_FORMAT "_%s", ++last_number, state->spec.name);
  return put_array (call, array, name);
}

static gboolean
grad_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  const char *source = state->source != NULL ? state->source : "";
  SluiceShape prepend = SLUICE_SHAPE_SCALAR;
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || (call->n_inputs == 3 && !sluice_call_shape (call, 2, &prepend)))
    return FALSE;
  SluiceTensorArray *gradient = sluice_tensor_array_get_gradient (array, call, source, &prepend);
  if (gradient == NULL)
    return FALSE;
  g_autofree char *name = NULL;
  if (call->node->op->inputs[0].type == SLUICE_STRING)
    {
      const SluiceString *strings = sluice_call_input (call, 0)->data;
      name = g_strdup_printf ("%.*s@%s", (int) strings[1].length, strings[1].data, source);
    }
  return put_array (call, gradient, name != NULL ? name : "");
}

static gboolean
size_compute (SluiceKernelCall *call)
{
  gint64 n;
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !sluice_tensor_array_get_size (array, call, &n))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(gint32 *) out->data = (gint32) MIN (n, G_MAXINT32);
  return out != NULL;
}

static gboolean
close_compute (SluiceKernelCall *call)
{
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array != NULL)
    sluice_tensor_array_close (array);
  return array != NULL;
}

/* ---- elements ---- */

static gboolean
write_compute (SluiceKernelCall *call)
{
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !sluice_call_want_scalar (call, 1)
      || !sluice_tensor_array_write (array, call,
                                     sluice_tensor_get_int (sluice_call_input (call, 1), 0),
                                     sluice_call_input (call, 2)))
    return FALSE;
  sluice_call_forward (call, 0, 3);
  return TRUE;
}

static gboolean
read_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !sluice_call_want_scalar (call, 1)
      || !check_dtype (call, array, state->dtype))
    return FALSE;
  SluiceTensor *value = sluice_tensor_array_read (
      array, call, sluice_tensor_get_int (sluice_call_input (call, 1), 0));
  sluice_call_take_output (call, 0, value);
  return value != NULL;
}

/* Elements by number, or the first n where there are no indices, whose values will be read.
 * (nullable): call->error is set */
static GPtrArray *
read_many (SluiceKernelCall *call, SluiceTensorArray *array, const SluiceTensor *indices, gint64 n)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 index = indices != NULL ? sluice_tensor_get_int (indices, i) : i;
      SluiceTensor *value = sluice_tensor_array_read (array, call, index);
      if (value == NULL)
        return NULL;
      g_ptr_array_add (values, value);
    }
  if (!sluice_call_need (call, (SluiceTensor *const *) values->pdata, values->len))
    return NULL;
  return g_steal_pointer (&values);
}

/* Gather, and Pack without indices. */
static gboolean
gather_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  const SluiceTensor *indices = call->n_inputs == 3 ? sluice_call_input (call, 1) : NULL;
  SluiceShape element, shape;
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !check_dtype (call, array, state->dtype)
      || !sluice_tensor_array_merge_shape (array, call, &state->element, &element)
      || (indices != NULL && !sluice_call_want_rank (call, 1, 1)))
    return FALSE;
  gint64 n = indices != NULL ? indices->n_elements : sluice_tensor_array_get_packed_size (array);
  g_autoptr (GPtrArray) values = read_many (call, array, indices, n);
  if (values == NULL)
    return FALSE;
  SluiceTensor *const *pieces = (SluiceTensor *const *) values->pdata;
  return sluice_call_stack_shape (call, "TensorArray", pieces, values->len, &element, &shape)
         && sluice_call_join (call, 0, pieces, values->len, &shape);
}

static gboolean
concat_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  char text[SLUICE_SHAPE_STR];
  SluiceShape shape;
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !check_dtype (call, array, state->dtype))
    return FALSE;
  gint64 n = sluice_tensor_array_get_packed_size (array);
  if (n == 0 && !sluice_shape_is_known (&state->element))
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "the TensorArray has no elements, and element_shape_except0, %s, is "
                             "not fully known, so the shape of the result is not",
                             sluice_shape_str (&state->element, text));
  g_autoptr (GPtrArray) values = read_many (call, array, NULL, n);
  if (values == NULL)
    return FALSE;
  SluiceTensor *const *pieces = (SluiceTensor *const *) values->pdata;
  if (n == 0 ? !sluice_call_prepend (call, 0, &state->element, &shape)
             : !sluice_call_concat_shape (call, "TensorArray", pieces, values->len, &state->element,
                                          &shape))
    return FALSE;
  SluiceTensor *lengths = sluice_call_output (call, 1, &SLUICE_SHAPE (n));
  for (gint64 i = 0; lengths != NULL && i < n; i++)
    ((gint64 *) lengths->data)[i] = pieces[i]->shape.dim[0];
  return lengths != NULL && sluice_call_join (call, 0, pieces, values->len, &shape);
}

static gboolean
write_all (SluiceKernelCall *call,
           SluiceTensorArray *array,
           const SluiceTensor *indices,
           GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      gint64 index = indices != NULL ? sluice_tensor_get_int (indices, i) : i;
      if (!sluice_tensor_array_write (array, call, index, values->pdata[i]))
        return FALSE;
    }
  sluice_call_forward (call, 0, call->n_inputs - 1);
  return TRUE;
}

/* Before rows are made of what may be of another dtype: the same message as for one element. */
static gboolean
check_value (SluiceKernelCall *call, const SluiceTensorArray *array, guint i)
{
  const SluiceTensor *value = sluice_call_input (call, i);
  char text[SLUICE_SHAPE_STR];
  if (value->shape.rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (value) must be a vector or more, not of shape %s", i,
                             sluice_shape_str (&value->shape, text));
  return check_dtype (call, array, value->dtype);
}

static gboolean
scatter_compute (SluiceKernelCall *call)
{
  const SluiceTensor *indices = sluice_call_input (call, 1), *value = sluice_call_input (call, 2);
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !check_value (call, array, 2) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (indices->n_elements != value->shape.dim[0])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there are %" G_GINT64_FORMAT " indices for %" G_GINT64_FORMAT
                             " rows of values",
                             indices->n_elements, value->shape.dim[0]);
  gint64 end = 0;
  for (gint64 i = 0; i < indices->n_elements; i++)
    end = MAX (end, sluice_tensor_get_int (indices, i) + 1);
  if (!sluice_tensor_array_prepare_many (array, call, end, FALSE))
    return FALSE;
  g_autoptr (GPtrArray) rows = sluice_call_unstack (call, 2);
  return rows != NULL && write_all (call, array, indices, rows);
}

static gboolean
unpack_compute (SluiceKernelCall *call)
{
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !check_value (call, array, 1)
      || !sluice_tensor_array_prepare_many (array, call, sluice_call_input (call, 1)->shape.dim[0],
                                            TRUE))
    return FALSE;
  g_autoptr (GPtrArray) rows = sluice_call_unstack (call, 1);
  return rows != NULL && write_all (call, array, NULL, rows);
}

static gboolean
split_compute (SluiceKernelCall *call)
{
  g_autoptr (SluiceTensorArray) array = get_array (call);
  if (array == NULL || !check_value (call, array, 1))
    return FALSE;
  g_autoptr (GPtrArray) parts = sluice_call_cut (call, 1, 2);
  return parts != NULL && sluice_tensor_array_prepare_many (array, call, parts->len, TRUE)
         && write_all (call, array, NULL, parts);
}

#define KERNEL(name, function)                                                                     \
  SLUICE_ARRAY_KERNEL (name, .prepare = prepare, .free_state = state_free, .compute = function)
#define KERNELS(what, function)                                                                    \
  KERNEL ("TensorArray" what, function), KERNEL ("TensorArray" what "V2", function),               \
      KERNEL ("TensorArray" what "V3", function)
static const SluiceKernel kernels[] = {
  KERNELS ("", create_compute),
  KERNELS ("Grad", grad_compute),
  KERNEL ("TensorArrayGradWithShape", grad_compute),
  KERNELS ("Write", write_compute),
  KERNELS ("Read", read_compute),
  KERNELS ("Gather", gather_compute),
  KERNELS ("Scatter", scatter_compute),
  KERNELS ("Concat", concat_compute),
  KERNELS ("Split", split_compute),
  KERNELS ("Size", size_compute),
  KERNELS ("Close", close_compute),
  KERNEL ("TensorArrayPack", gather_compute),
  KERNEL ("TensorArrayUnpack", unpack_compute),
};

const SluiceKernelModule sluice_module_list_tensor_array_cpu = { .kernels = kernels,
                                                                 .n_kernels =
                                                                     G_N_ELEMENTS (kernels) };
