/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * FIFOQueue and what works on any queue. Each op is there twice: with a resource handle (V2), and
 * as it was before, with a reference to the queue's name.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/handle.h"
#include "kernels/queue/queue.h"

/* ---- making ---- */

static gpointer
fifo_prepare (const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *types = sluice_node_get_attr (node, "component_types");
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "shapes");
  guint n = types->list.n, n_shapes = shapes != NULL ? shapes->list.n : 0;
  if (n_shapes != 0 && n_shapes != n)
    {
      sluice_fail (
          error, SLUICE_ERROR_INVALID_ARGUMENT,
          "%s '%s': shapes has %u items and component_types %u; give as many, or no shapes",
          node->op_name, node->name, n_shapes, n);
      return NULL;
    }
  g_autofree SluiceDType *type_list = g_new (SluiceDType, n);
  g_autofree SluiceShape *shape_list = n_shapes > 0 ? g_new (SluiceShape, n) : NULL;
  for (guint i = 0; i < n; i++)
    type_list[i] = types->list.items[i].type;
  for (guint i = 0; i < n_shapes; i++)
    {
      shape_list[i] = shapes->list.items[i].shape;
      if (sluice_shape_is_known (&shape_list[i]))
        continue;
      char text[SLUICE_SHAPE_STR];
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s '%s': the shape of component %u must be known, not %s; leave shapes out "
                   "where they vary",
                   node->op_name, node->name, i, sluice_shape_str (&shape_list[i], text));
      return NULL;
    }
  SluiceQueueSpec spec = { n, type_list, shape_list, sluice_node_get_int (node, "capacity") };
  return sluice_queue_new (node->name, &spec); /* empty: what the real one is made like */
}

static void
fifo_free_state (gpointer state)
{
  sluice_resource_unref (state);
}

static SluiceResource *
make_queue (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  return (SluiceResource *) sluice_queue_new (call->node->name,
                                              sluice_queue_get_spec (call->state));
}

static gboolean
fifo_compute (SluiceKernelCall *call)
{
  SluiceResource *queue = sluice_call_resource (call, &sluice_queue_type, make_queue, call);
  if (queue == NULL)
    return FALSE;
  if (!sluice_queue_spec_equal (sluice_queue_get_spec ((SluiceQueue *) queue),
                                sluice_queue_get_spec (call->state)))
    {
      sluice_resource_unref (queue);
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "there is a queue of that name with other component types, shapes "
                               "or capacity; give one of them another shared_name");
    }
  sluice_call_put_handle (call, 0, queue);
  return TRUE;
}

/* ---- requests ---- */

static SluiceQueue *
get_queue (SluiceKernelCall *call)
{
  return (SluiceQueue *) sluice_call_get_handle (call, 0, &sluice_queue_type);
}

/* Ends a call that set its error, or has nothing left to do. */
static void
end (SluiceKernelCall *call)
{
  call->done (call);
}

static gboolean
take_failure (SluiceKernelCall *call, GError *error)
{
  if (error == NULL)
    return FALSE;
  sluice_call_fail (call, error->code, "%s", error->message);
  g_error_free (error);
  return TRUE;
}

static void
plain_done (GPtrArray *tuples, GError *error, gpointer data)
{
  take_failure (data, error);
  end (data);
}

static void
cancel (SluiceKernelCall *call)
{
  SluiceQueue *queue = get_queue (call);
  if (queue != NULL)
    sluice_queue_cancel (queue, call);
}

/* Has the queue the components that the node says? */
static gboolean
check_types (SluiceKernelCall *call, const SluiceQueueSpec *spec, const char *attr)
{
  const SluiceAttrValue *types = sluice_node_get_attr (call->node, attr);
  if (types->list.n != spec->n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the queue has %u components, and %s has %u", spec->n, attr,
                             types->list.n);
  for (guint i = 0; i < spec->n; i++)
    if (types->list.items[i].type != spec->types[i])
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "component %u of the queue is %s, and %s says %s", i,
          sluice_dtype_name (spec->types[i]), attr, sluice_dtype_name (types->list.items[i].type));
  return TRUE;
}

static gpointer
timeout_prepare (const SluiceNode *node, GError **error)
{
  if (sluice_node_get_int (node, "timeout_ms") == -1)
    return (gpointer) node;
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "%s '%s': timeout_ms is not supported, by TensorFlow neither; leave it at -1",
               node->op_name, node->name);
  return NULL;
}

/* ---- enqueuing ---- */

static void
free_tuples (GPtrArray *tuples, guint n)
{
  for (guint k = 0; k < tuples->len; k++)
    sluice_tuple_free (tuples->pdata[k], n);
  g_ptr_array_unref (tuples);
}

static gboolean
fail_component (SluiceKernelCall *call, guint i, const SluiceShape *want, const SluiceShape *got)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "component %u must have shape %s, not %s", i, sluice_shape_str (want, a),
                           sluice_shape_str (got, b));
}

static gboolean
check_components (SluiceKernelCall *call, const SluiceQueueSpec *spec, gboolean is_batch)
{
  if (!check_types (call, spec, "Tcomponents"))
    return FALSE;
  gint64 n_batch = -1;
  for (guint i = 0; i < spec->n; i++)
    {
      SluiceShape shape = sluice_call_input (call, i + 1)->shape, want;
      if (is_batch && shape.rank == 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "component %u must have a first dimension, which runs over the "
                                 "elements; it is a scalar",
                                 i);
      if (is_batch && n_batch >= 0 && shape.dim[0] != n_batch)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "component 0 has %" G_GINT64_FORMAT " elements, and component %u "
                                 "%" G_GINT64_FORMAT,
                                 n_batch, i, shape.dim[0]);
      if (is_batch)
        n_batch = shape.dim[0];
      if (spec->shapes == NULL)
        continue;
      want = spec->shapes[i];
      if (is_batch)
        {
          if (want.rank == SLUICE_MAX_RANK)
            return fail_component (call, i, &want, &shape);
          memmove (want.dim + 1, want.dim, want.rank * sizeof (gint64));
          want.dim[0] = n_batch;
          want.rank++;
        }
      if (!sluice_shape_equal (&want, &shape))
        return fail_component (call, i, &want, &shape);
    }
  return TRUE;
}

/* Element k of a batch, in memory of its own. NULL: error is set. */
static SluiceTensor *
dup_element (SluiceKernelCall *call, const SluiceTensor *batch, gint64 k)
{
  GError *error = NULL;
  SluiceShape shape = batch->shape;
  shape.rank--;
  memmove (shape.dim, shape.dim + 1, shape.rank * sizeof (gint64));
  SluiceTensor *element = sluice_tensor_new_checked (call->device->allocator, batch->dtype, &shape,
                                                     call->owner, &error);
  if (element == NULL)
    take_failure (call, error);
  else if (element->n_elements > 0)
    sluice_elements_copy (batch->dtype, element->data,
                          (const char *) batch->data
                              + k * element->n_elements * sluice_dtype_size (batch->dtype),
                          element->n_elements);
  return element;
}

/* The tuples that the inputs stand for. NULL: error is set. */
static GPtrArray *
make_tuples (SluiceKernelCall *call, guint n, gboolean is_batch)
{
  gint64 n_tuples = is_batch ? sluice_call_input (call, 1)->shape.dim[0] : 1;
  GPtrArray *tuples = g_ptr_array_new ();
  for (gint64 k = 0; k < n_tuples && call->error == NULL; k++)
    {
      SluiceTuple tuple = g_new0 (SluiceTensor *, n);
      for (guint i = 0; i < n && call->error == NULL; i++)
        tuple[i] = is_batch ? dup_element (call, sluice_call_input (call, i + 1), k)
                            : sluice_tensor_ref (sluice_call_input (call, i + 1));
      g_ptr_array_add (tuples, tuple);
    }
  if (call->error == NULL)
    return tuples;
  free_tuples (tuples, n);
  return NULL;
}

static void
enqueue_start (SluiceKernelCall *call)
{
  gboolean is_batch = call->kernel->data != NULL;
  SluiceQueue *queue = get_queue (call);
  if (queue == NULL || !check_components (call, sluice_queue_get_spec (queue), is_batch))
    {
      end (call);
      return;
    }
  GPtrArray *tuples = make_tuples (call, sluice_queue_get_spec (queue)->n, is_batch);
  if (tuples == NULL || tuples->len == 0) /* nothing goes into a closed queue too */
    {
      g_clear_pointer (&tuples, g_ptr_array_unref);
      end (call);
    }
  else
    sluice_queue_enqueue (queue, tuples, plain_done, call);
}

/* ---- dequeuing ---- */

static void
dequeue_done (GPtrArray *tuples, GError *error, gpointer data)
{
  SluiceKernelCall *call = data;
  if (!take_failure (call, error))
    {
      SluiceTuple tuple = tuples->pdata[0];
      for (guint i = 0; i < call->n_outputs; i++)
        sluice_call_take_output (call, i, g_steal_pointer (&tuple[i]));
      free_tuples (tuples, call->n_outputs);
    }
  end (call);
}

static void
dequeue_start (SluiceKernelCall *call)
{
  SluiceQueue *queue = get_queue (call);
  if (queue != NULL && check_types (call, sluice_queue_get_spec (queue), "component_types"))
    sluice_queue_dequeue (queue, 1, FALSE, dequeue_done, call);
  else
    end (call);
}

/* Output i: n elements of a component, one behind the other. */
static SluiceTensor *
new_batch (SluiceKernelCall *call, const SluiceQueueSpec *spec, guint i, gint64 n)
{
  gint64 dims[SLUICE_MAX_RANK + 1] = { n };
  const SluiceShape *element = &spec->shapes[i];
  memcpy (dims + 1, element->dim, element->rank * sizeof (gint64));
  SluiceShape shape;
  GError *error = NULL;
  if (sluice_shape_make (&shape, dims, element->rank + 1, &error))
    return sluice_call_output (call, i, &shape);
  take_failure (call, error);
  return NULL;
}

static void
dequeue_many_done (GPtrArray *tuples, GError *error, gpointer data)
{
  SluiceKernelCall *call = data;
  SluiceQueue *queue = get_queue (call);
  const SluiceQueueSpec *spec = sluice_queue_get_spec (queue);
  gboolean failed = take_failure (call, error);
  guint n = tuples != NULL ? tuples->len : 0;
  for (guint i = 0; i < spec->n && !failed; i++)
    {
      SluiceTensor *batch = new_batch (call, spec, i, n);
      gint64 count = batch != NULL && n > 0 ? batch->n_elements / n : 0;
      failed = batch == NULL;
      for (guint k = 0; k < n && count > 0; k++)
        sluice_elements_copy (spec->types[i],
                              (char *) batch->data + k * count * sluice_dtype_size (spec->types[i]),
                              ((SluiceTuple) tuples->pdata[k])[i]->data, count);
    }
  if (tuples != NULL)
    free_tuples (tuples, spec->n);
  end (call);
}

static void
dequeue_many_start (SluiceKernelCall *call)
{
  gboolean up_to = call->kernel->data != NULL;
  SluiceQueue *queue = get_queue (call);
  gboolean ok = queue != NULL
                && check_types (call, sluice_queue_get_spec (queue), "component_types")
                && sluice_call_want_scalar (call, 1);
  gint64 n = ok ? sluice_tensor_get_int (sluice_call_input (call, 1), 0) : 0;
  if (ok && n < 0)
    ok = sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 1 (n) is %" G_GINT64_FORMAT "; it must not be negative", n);
  if (ok && sluice_queue_get_spec (queue)->shapes == NULL)
    ok = sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "several elements can be put together only where their shapes are "
                           "known: give the queue shapes");
  if (!ok)
    end (call);
  else if (n == 0)
    dequeue_many_done (NULL, NULL, call);
  else
    sluice_queue_dequeue (queue, n, up_to, dequeue_many_done, call);
}

/* ---- closing and asking ---- */

static gpointer
close_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (1 + sluice_node_get_bool (node, "cancel_pending_enqueues"));
}

static void
close_start (SluiceKernelCall *call)
{
  SluiceQueue *queue = get_queue (call);
  if (queue != NULL)
    sluice_queue_close (queue, call->state == GINT_TO_POINTER (2), plain_done, call);
  else
    end (call);
}

static gboolean
size_compute (SluiceKernelCall *call)
{
  SluiceQueue *queue = get_queue (call);
  SluiceTensor *out = queue != NULL ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (out != NULL)
    *(gint32 *) out->data = (gint32) sluice_queue_get_size (queue);
  return out != NULL;
}

static gboolean
is_closed_compute (SluiceKernelCall *call)
{
  SluiceQueue *queue = get_queue (call);
  SluiceTensor *out = queue != NULL ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (out != NULL)
    *(guint8 *) out->data = sluice_queue_is_closed (queue) ? 1 : 0;
  return out != NULL;
}

/* ---- the ops ---- */

static gboolean
handle_shape (SluiceShapeContext *c, GError **error)
{
  gboolean is_handle = c->outputs[0].dtype == SLUICE_RESOURCE;
  sluice_shape_context_set (c, 0, is_handle ? &SLUICE_SHAPE_SCALAR : &SLUICE_SHAPE (2));
  return TRUE;
}

/* What the queue's node says of its elements, behind dims of their own; nothing where the handle
 * comes from elsewhere. */
static gboolean
set_from_queue (SluiceShapeContext *c, const gint64 *front, guint n_front, GError **error)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node->inputs[0].node, "shapes");
  if (shapes == NULL || shapes->kind != SLUICE_ATTR_LIST || shapes->list.n != c->n_outputs)
    return TRUE;
  for (guint i = 0; i < c->n_outputs; i++)
    {
      const SluiceAttrValue *item = &shapes->list.items[i];
      gint64 dims[SLUICE_MAX_RANK + 1];
      SluiceShape shape;
      if (item->kind != SLUICE_ATTR_SHAPE || item->shape.rank < 0)
        continue;
      for (guint d = 0; d < n_front; d++)
        dims[d] = front[d];
      memcpy (dims + n_front, item->shape.dim, item->shape.rank * sizeof (gint64));
      if (!sluice_shape_make (&shape, dims, n_front + item->shape.rank, error))
        return FALSE;
      sluice_shape_context_set (c, i, &shape);
    }
  return TRUE;
}

static gboolean
dequeue_shape (SluiceShapeContext *c, GError **error)
{
  return set_from_queue (c, NULL, 0, error);
}

static gboolean
many_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 1, 0, error))
    return FALSE;
  const SluiceTensor *n = sluice_shape_context_constant (c, 1);
  gint64 front = n != NULL ? MAX (sluice_tensor_get_int (n, 0), -1) : SLUICE_UNKNOWN_DIM;
  return set_from_queue (c, &front, 1, error);
}

static gboolean
up_to_shape (SluiceShapeContext *c, GError **error)
{
  const gint64 front = SLUICE_UNKNOWN_DIM;
  return sluice_shape_context_want_rank (c, 1, 0, error) && set_from_queue (c, &front, 1, error);
}

static const SluiceRecipe recipe = {
  .why_none =
      N_ ("works on a queue: tests/kernels/test-queue and the conformance cases make one")
};

#define ONE_OP(id, op_name, op_signature, op_attrs, op_shape, text)                                \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = op_signature,                                                                     \
    .attrs = op_attrs,                                                                             \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,                                    \
    .shape = op_shape,                                                                             \
    .recipe = &recipe,                                                                             \
  }
#define QUEUE_OP(id, op_name, rest, op_attrs, op_shape, text)                                      \
  ONE_OP (id##_ref, op_name, "handle: Ref(string)" rest, op_attrs, op_shape, text);                \
  ONE_OP (id##_v2, op_name "V2", "handle: resource" rest, op_attrs, op_shape, text)

#define FIFO_ATTRS                                                                                 \
  "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; "          \
  "container: string = ''; shared_name: string = ''"
#define ENQUEUE_ATTRS "Tcomponents: list(type) >= 1; timeout_ms: int = -1"
#define DEQUEUE_ATTRS "component_types: list(type) >= 1; timeout_ms: int = -1"

ONE_OP (fifo_ref,
        "FIFOQueue",
        "-> handle: Ref(string)",
        FIFO_ATTRS,
        handle_shape,
        N_ ("A queue: first in, first out"));
ONE_OP (fifo_v2,
        "FIFOQueueV2",
        "-> handle: resource",
        FIFO_ATTRS,
        handle_shape,
        N_ ("A queue: first in, first out"));
QUEUE_OP (enqueue,
          "QueueEnqueue",
          ", components: Tcomponents ->",
          ENQUEUE_ATTRS,
          sluice_shape_none,
          N_ ("Puts an element into a queue; waits while it is full"));
QUEUE_OP (enqueue_many,
          "QueueEnqueueMany",
          ", components: Tcomponents ->",
          ENQUEUE_ATTRS,
          sluice_shape_none,
          N_ ("Puts the rows of its inputs into a queue, one by one"));
QUEUE_OP (dequeue,
          "QueueDequeue",
          " -> components: component_types",
          DEQUEUE_ATTRS,
          dequeue_shape,
          N_ ("Takes an element out of a queue; waits while it is empty"));
QUEUE_OP (dequeue_many,
          "QueueDequeueMany",
          ", n: int32 -> components: component_types",
          DEQUEUE_ATTRS,
          many_shape,
          N_ ("Takes n elements out of a queue and puts them together"));
QUEUE_OP (dequeue_up_to,
          "QueueDequeueUpTo",
          ", n: int32 -> components: component_types",
          DEQUEUE_ATTRS,
          up_to_shape,
          N_ ("Takes n elements out of a queue, or what is left once it is closed"));
QUEUE_OP (close,
          "QueueClose",
          " ->",
          "cancel_pending_enqueues: bool = false",
          sluice_shape_none,
          N_ ("Lets nothing more into a queue"));
QUEUE_OP (size,
          "QueueSize",
          " -> size: int32",
          NULL,
          sluice_shape_scalar,
          N_ ("How many elements a queue holds"));
QUEUE_OP (is_closed,
          "QueueIsClosed",
          " -> is_closed: bool",
          NULL,
          sluice_shape_scalar,
          N_ ("Is a queue closed?"));

#define BOTH(id) &id##_ref, &id##_v2
static const SluiceOpDef *const ops[] = {
  BOTH (fifo),          BOTH (enqueue), BOTH (enqueue_many), BOTH (dequeue),   BOTH (dequeue_many),
  BOTH (dequeue_up_to), BOTH (close),   BOTH (size),         BOTH (is_closed),
};

#define KERNEL(name, ...)                                                                          \
  {                                                                                                \
    .op = name, .device = "CPU", __VA_ARGS__                                                       \
  }
#define KERNELS(name, ...) KERNEL (name, __VA_ARGS__), KERNEL (name "V2", __VA_ARGS__)
#define WAITS(function)                                                                            \
  .start = function, .cancel = cancel, .flags = SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_KEEPS_DENORMALS

static const SluiceKernel kernels[] = {
  KERNELS (
      "FIFOQueue", .prepare = fifo_prepare, .free_state = fifo_free_state, .compute = fifo_compute),
  KERNELS ("QueueEnqueue", .prepare = timeout_prepare, WAITS (enqueue_start)),
  KERNELS ("QueueEnqueueMany",
           .prepare = timeout_prepare,
           WAITS (enqueue_start),
           .data = GINT_TO_POINTER (TRUE)),
  KERNELS ("QueueDequeue", .prepare = timeout_prepare, WAITS (dequeue_start)),
  KERNELS ("QueueDequeueMany", .prepare = timeout_prepare, WAITS (dequeue_many_start)),
  KERNELS ("QueueDequeueUpTo",
           .prepare = timeout_prepare,
           WAITS (dequeue_many_start),
           .data = GINT_TO_POINTER (TRUE)),
  KERNELS ("QueueClose", .prepare = close_prepare, WAITS (close_start)),
  KERNELS ("QueueSize", .compute = size_compute),
  KERNELS ("QueueIsClosed", .compute = is_closed_compute),
};

const SluiceKernelModule sluice_module_queue_fifo = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
