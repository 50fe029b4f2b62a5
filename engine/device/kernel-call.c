/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a kernel calls while it runs. */
#include "engine/base/residency.h"
#include "engine/device/readers.h"

gboolean
sluice_call_fail (SluiceKernelCall *call, SluiceError code, const char *format, ...)
{
  if (call->error != NULL) /* the first one tells */
    return FALSE;
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  sluice_node_fail (call->node, &call->error, code, "%s", message);
  return FALSE;
}

gboolean
sluice_call_fail_with (SluiceKernelCall *call, GError *take)
{
  sluice_call_fail (call, take->code, "%s", take->message);
  g_error_free (take);
  return FALSE;
}

static SluiceTensor *
new_tensor (SluiceKernelCall *call,
            SluiceAllocator *allocator,
            SluiceDType dtype,
            const SluiceShape *shape,
            SluiceOwner owner)
{
  GError *error = NULL;
  SluiceTensor *tensor = sluice_tensor_new_checked (allocator, dtype, shape, owner, &error);
  if (tensor == NULL)
    sluice_call_fail_with (call, error);
  return tensor;
}

gboolean
sluice_call_need (SluiceKernelCall *call, SluiceTensor *const *values, guint n)
{
  GError *error = NULL;
  return call->device->residency == NULL
         || sluice_residency_need (call->device->residency, values, n, &error)
         || sluice_call_fail_with (call, error);
}

static SluiceDType
output_dtype (const SluiceKernelCall *call, guint i)
{
  if (G_LIKELY (call->output_dtypes))
    return sluice_dtype_base (call->output_dtypes[i] & ~SLUICE_OUTPUT_UNREAD);
  return sluice_dtype_base (call->node->outputs[i].dtype);
}

SluiceTensor *
sluice_call_output (SluiceKernelCall *call, guint i, const SluiceShape *shape)
{
  SluiceAllocator *allocator = call->device->allocator;
  if (G_UNLIKELY (call->device->klass->queues != NULL) && sluice_call_is_host_output (call, i))
    allocator = NULL;
  SluiceTensor *tensor = new_tensor (call, allocator, output_dtype (call, i), shape, call->owner);
  call->outputs[i].tensor = tensor;
  return tensor;
}

SluiceTensor *
sluice_call_scratch (SluiceKernelCall *call, SluiceDType dtype, const SluiceShape *shape)
{
  SluiceOwner owner = { call->owner.node, SLUICE_MEMORY_WORKSPACE };
  return new_tensor (call, call->device->allocator, dtype, shape, owner);
}

gboolean
sluice_call_can_reuse (SluiceKernelCall *call, guint i)
{
  return sluice_tensor_is_exclusive (call->inputs[i].tensor);
}

SluiceTensor *
sluice_call_reuse (SluiceKernelCall *call, guint i, guint from, const SluiceShape *shape)
{
  if (!sluice_call_can_reuse (call, from))
    return sluice_call_output (call, i, shape);

  SluiceTensor *input = call->inputs[from].tensor;
  SluiceDType dtype = output_dtype (call, i);
  if ((SluiceDType) input->dtype == dtype && sluice_shape_equal (&input->shape, shape))
    {
      call->outputs[i].tensor = sluice_tensor_ref (input);
      return input;
    }
  /* The kernel goes on reading the input's own header, so other dimensions need a new one. */
  gboolean fits = input->buffer != NULL && input->n_elements == sluice_shape_n_elements (shape)
                  && !sluice_dtype_is_managed (input->dtype) && !sluice_dtype_is_managed (dtype)
                  && sluice_dtype_size (input->dtype) == sluice_dtype_size (dtype);
  if (!fits)
    return sluice_call_output (call, i, shape);
  SluiceTensor *view = sluice_tensor_new_view (input, shape, 0);
  if (view == NULL)
    return sluice_call_output (call, i, shape);
  view->dtype = dtype;
  call->outputs[i].tensor = view;
  return view;
}

void
sluice_call_forward (SluiceKernelCall *call, guint i, guint from)
{
  if (sluice_dtype_is_ref (call->node->outputs[i].dtype))
    {
      SluiceVariable *variable = call->inputs[from].ref;
      sluice_resource_ref (&variable->parent);
      call->outputs[i].ref = variable;
    }
  else
    call->outputs[i].tensor = sluice_tensor_ref (call->inputs[from].tensor);
}

gboolean
sluice_call_forward_view (SluiceKernelCall *call, guint i, guint from, const SluiceShape *shape)
{
  SluiceTensor *input = call->inputs[from].tensor;
  if (sluice_shape_equal (&input->shape, shape))
    {
      call->outputs[i].tensor = sluice_tensor_ref (input);
      return TRUE;
    }
  call->outputs[i].tensor = sluice_tensor_new_view (input, shape, 0);
  if (call->outputs[i].tensor == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                             "out of memory for a tensor's header");
  return TRUE;
}

void
sluice_call_take_output (SluiceKernelCall *call, guint i, SluiceTensor *take)
{
  call->outputs[i].tensor = take;
}

/* How many inputs an argument of the signature stands for. */
static guint
count_inputs (const SluiceNode *node, const SluiceArg *arg)
{
  if (arg->number_attr)
    return sluice_node_get_int (node, arg->number_attr);
  if (arg->list_attr)
    return sluice_node_get_attr (node, arg->list_attr)->list.n;
  return 1;
}

static const char *
input_name (const SluiceNode *node, guint i)
{
  for (guint a = 0; node->op != NULL && a < node->op->n_inputs; a++)
    {
      guint n = count_inputs (node, &node->op->inputs[a]);
      if (i < n)
        return node->op->inputs[a].name;
      i -= n;
    }
  return "?";
}

gboolean
sluice_call_want_rank (SluiceKernelCall *call, guint i, int rank)
{
  const SluiceShape *shape = &call->inputs[i].tensor->shape;
  if (shape->rank == rank)
    return TRUE;
  char text[SLUICE_SHAPE_STR];
  const char *kinds[] = { "a scalar", "a vector", "a matrix" };
  if (rank < (int) G_N_ELEMENTS (kinds))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "input %u (%s) must be %s, not of shape %s", i,
        input_name (call->node, i), kinds[rank], sluice_shape_str (shape, text));
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input %u (%s) must have %d dimensions, not shape %s", i,
                           input_name (call->node, i), rank, sluice_shape_str (shape, text));
}

gboolean
sluice_call_want_scalar (SluiceKernelCall *call, guint i)
{
  return sluice_call_want_rank (call, i, 0);
}

typedef struct
{
  SluiceRangeFunc func;
  gpointer data;
  const _Atomic int *cancelled;
} CancellableRange;

static void
run_unless_cancelled (gpointer data, gint64 begin, gint64 end)
{
  const CancellableRange *range = data;
  if (!atomic_load_explicit (range->cancelled, memory_order_relaxed))
    range->func (range->data, begin, end);
}

gboolean
sluice_call_parallel_for (SluiceKernelCall *call,
                          gint64 n,
                          gint64 grain,
                          double unit_ns,
                          SluiceRangeFunc func,
                          gpointer data)
{
  if (call->cancelled == NULL)
    {
      sluice_pool_parallel_for (n, grain, unit_ns, func, data);
      return TRUE;
    }
  CancellableRange range = { func, data, call->cancelled };
  sluice_pool_parallel_for (n, grain, unit_ns, run_unless_cancelled, &range);
  if (atomic_load_explicit (call->cancelled, memory_order_relaxed))
    return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run was cancelled");
  return TRUE;
}

#define HAND_OVER 16384 /* elements that a thread takes at once, about */

typedef struct
{
  const SluicePartConsumer *consumer;
  const SluiceTensor *value;
  gint64 row; /* elements of the last dimension */
} Whole;

static void
hand_over (gpointer data, gint64 begin, gint64 end)
{
  const Whole *whole = data;
  gsize size = sluice_dtype_size (whole->value->dtype);
  whole->consumer->consume (whole->consumer->data, begin * whole->row, (end - begin) * whole->row,
                            (const char *) whole->value->data + begin * whole->row * size);
}

gboolean
sluice_call_produce_whole (SluiceKernelCall *call,
                           const SluicePartConsumer *consumer,
                           const SluiceTensor *value)
{
  const SluiceShape *shape = &value->shape;
  Whole whole = { consumer, value, shape->rank > 0 ? shape->dim[shape->rank - 1] : 1 };
  if (value->n_elements == 0)
    return TRUE;
  return sluice_call_parallel_for (call, value->n_elements / whole.row,
                                   MAX (HAND_OVER / whole.row, 1), (double) whole.row, hand_over,
                                   &whole);
}

/* A string attribute as C text, or NULL where it is absent or empty. (transfer full) */
static char *
dup_text_attr (const SluiceNode *node, const char *name)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  if (value == NULL || value->kind != SLUICE_ATTR_STRING || value->s.length == 0)
    return NULL;
  return g_strndup (value->s.data, value->s.length);
}

gpointer
sluice_resource_key_prepare (const SluiceNode *node, GError **error)
{
  g_autofree char *container = dup_text_attr (node, "container");
  g_autofree char *shared_name = dup_text_attr (node, "shared_name");
  return sluice_resource_key_new (container, shared_name ? shared_name : node->name);
}

SluiceResource *
sluice_call_resource (SluiceKernelCall *call,
                      const SluiceResourceType *type,
                      SluiceResourceMake make,
                      gpointer data)
{
  g_autoptr (SluiceResourceKey) key = sluice_resource_key_prepare (call->node, NULL);
  GError *error = NULL;
  SluiceResource *resource =
      sluice_resources_get_by_key (call->resources, key, type, make, data, &error);
  if (resource == NULL)
    sluice_call_fail_with (call, error);
  return resource;
}

SluiceResource *
sluice_call_handle (SluiceKernelCall *call, guint i, const SluiceResourceType *type)
{
  const SluiceTensor *handle = call->inputs[i].tensor;
  g_assert (handle->dtype == SLUICE_RESOURCE);
  SluiceResource *resource =
      handle->n_elements == 1 ? *(SluiceResource *const *) handle->data : NULL;
  if (resource == NULL || resource->type != type)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "input %u (%s) must be the handle of a %s, not of %s", i,
                        input_name (call->node, i), type->name,
                        resource ? resource->type->name : "nothing");
      return NULL;
    }
  return resource;
}
