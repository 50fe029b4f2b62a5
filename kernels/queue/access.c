/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What works on any queue. Each op is there twice: with a resource handle (V2), and as it was
 * before, with a reference to the queue's name.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernels/handle.h"
#include "kernels/queue/shapes.h"
#include "kernels/queue/wait.h"

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

static void
plain_done (SluiceItems *items, GError *error, gpointer data)
{
  if (error != NULL)
    sluice_call_fail_with (data, error);
  end (data);
}

static void
cancel (SluiceKernelCall *call)
{
  SluiceQueue *queue = get_queue (call);
  if (queue != NULL)
    sluice_queue_cancel (queue, call);
}

static char *
describe (SluiceKernelCall *call)
{
  SluiceQueue *queue = get_queue (call);
  return queue != NULL ? sluice_queue_describe_wait (queue, call, call->node, 0) : NULL;
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
  sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                    "timeout_ms is not supported, by TensorFlow neither; leave it at -1");
  return NULL;
}

/* ---- enqueuing ---- */

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
      if (spec->shapes != NULL)
        want = spec->shapes[i];
      else if (i == 0 && spec->order == SLUICE_QUEUE_PRIORITY)
        want = SLUICE_SHAPE_SCALAR;
      else
        continue;
      if (is_batch)
        {
          if (want.rank == SLUICE_MAX_RANK)
            return fail_component (call, i, &want, &shape);
          memmove (want.dim + 1, want.dim, want.rank * sizeof (gint64));
          want.dim[0] = n_batch;
          want.rank++;
        }
      if (!sluice_shape_compatible (&want, &shape))
        return fail_component (call, i, &want, &shape);
    }
  return TRUE;
}

/*
 * May items share the memory of their batch? A queue that hands them on in order lets go of a batch
 * soon; another may keep it for the sake of one row, which costs little where rows are small, as
 * tensors of their own need some 200 bytes beside their elements.
 */
static gboolean
shares_rows (SluiceKernelCall *call, const SluiceQueueSpec *spec)
{
  gsize bytes = 0;
  gint64 n_rows = sluice_call_input (call, 1)->shape.dim[0];
  for (guint i = 0; i < spec->n; i++)
    bytes += sluice_tensor_bytes (sluice_call_input (call, i + 1));
  return spec->order == SLUICE_QUEUE_FIFO || bytes <= (gsize) n_rows * 200;
}

/* The inputs, or copies where somebody may write into them later. NULL: error is set. */
static SluiceElements *
take_batch (SluiceKernelCall *call, guint n)
{
  SluiceElements *elements = sluice_elements_new (n);
  for (guint i = 0; i < n && call->error == NULL; i++)
    {
      SluiceTensor *input = sluice_call_input (call, i + 1);
      if (sluice_call_can_reuse (call, i + 1))
        elements->tensors[i] = sluice_tensor_ref (input);
      else
        elements->tensors[i] = sluice_tensor_dup (input, call->device->allocator, call->owner);
      if (elements->tensors[i] == NULL)
        {
          GError *error = NULL;
          sluice_tensor_explain_shortage (call->device->allocator, input->dtype, &input->shape,
                                          call->owner, &error);
          sluice_call_fail_with (call, error);
        }
      else
        sluice_tensor_set_memory_class (elements->tensors[i], SLUICE_MEMORY_QUEUE);
    }
  if (call->error == NULL)
    return elements;
  sluice_elements_unref (elements);
  return NULL;
}

static SluiceOwner
queued_owner (SluiceKernelCall *call)
{
  return (SluiceOwner){ call->owner.node, SLUICE_MEMORY_QUEUE };
}

/* Each row in memory of its own. FALSE: error is set. */
static gboolean
push_copies (SluiceKernelCall *call, SluiceElements *batch, gint64 n_rows, SluiceItems *items)
{
  for (gint64 row = 0; row < n_rows; row++)
    {
      const SluiceItem from = { batch, row };
      SluiceElements *element = sluice_elements_new (batch->n);
      GError *error = NULL;
      for (guint i = 0; i < batch->n && error == NULL; i++)
        element->tensors[i] =
            sluice_item_dup (&from, i, call->device->allocator, queued_owner (call), &error);
      sluice_items_push_element (items, element);
      if (error != NULL)
        return sluice_call_fail_with (call, error);
    }
  return TRUE;
}

/* What the inputs stand for. FALSE: error is set. */
static gboolean
make_items (SluiceKernelCall *call,
            const SluiceQueueSpec *spec,
            gboolean is_batch,
            SluiceItems *items)
{
  SluiceElements *elements;
  if (!is_batch)
    {
      elements = sluice_elements_new (spec->n);
      for (guint i = 0; i < spec->n; i++)
        {
          elements->tensors[i] = sluice_tensor_ref (sluice_call_input (call, i + 1));
          sluice_tensor_set_memory_class (elements->tensors[i], SLUICE_MEMORY_QUEUE);
        }
      sluice_items_push_element (items, elements);
      return TRUE;
    }
  gint64 n_rows = sluice_call_input (call, 1)->shape.dim[0];
  elements = take_batch (call, spec->n);
  if (elements == NULL)
    return FALSE;
  if (shares_rows (call, spec))
    {
      sluice_items_push_rows (items, elements, n_rows);
      return TRUE;
    }
  gboolean ok = push_copies (call, elements, n_rows, items);
  sluice_elements_unref (elements);
  return ok;
}

static void
enqueue_start (SluiceKernelCall *call)
{
  gboolean is_batch = call->kernel->data != NULL;
  SluiceQueue *queue = get_queue (call);
  const SluiceQueueSpec *spec = queue != NULL ? sluice_queue_get_spec (queue) : NULL;
  g_auto (SluiceItems) items = { NULL };
  if (queue == NULL || !check_components (call, spec, is_batch)
      || !make_items (call, spec, is_batch, &items)
      || items.n == 0) /* nothing goes into a closed queue too */
    end (call);
  else
    sluice_queue_enqueue (queue, &items, plain_done, call);
}

/* ---- dequeuing ---- */

static void
dequeue_done (SluiceItems *items, GError *error, gpointer data)
{
  SluiceKernelCall *call = data;
  for (guint i = 0; error == NULL && i < call->n_outputs; i++)
    {
      SluiceTensor *component = sluice_item_dup (sluice_items_at (items, 0), i,
                                                 call->device->allocator, call->owner, &error);
      if (component != NULL)
        sluice_call_take_output (call, i, component);
    }
  if (error != NULL)
    sluice_call_fail_with (call, error);
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

static void
dequeue_many_done (SluiceItems *items, GError *error, gpointer data)
{
  SluiceKernelCall *call = data;
  sluice_queue_give_batches (get_queue (call), items, error, call);
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

/* The priority, which comes first, is a scalar; it does not stand in the queue's shapes. */
static gboolean
set_from_queue (SluiceShapeContext *c, const gint64 *front, guint n_front, GError **error)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node->inputs[0].node, "shapes");
  gboolean has_priority = shapes != NULL && shapes->kind == SLUICE_ATTR_LIST
                          && shapes->list.n + 1 == c->n_outputs && shapes->list.n > 0;
  if (has_priority)
    sluice_shape_context_set (c, 0, n_front > 0 ? &SLUICE_SHAPE (front[0]) : &SLUICE_SHAPE_SCALAR);
  return sluice_queue_element_shapes (c, has_priority ? 1 : 0, front, n_front, error);
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

#define ONE_OP(id, op_name, op_role, op_signature, op_attrs, op_shape, text)                       \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = op_signature,                                                                     \
    .attrs = op_attrs,                                                                             \
    .summary = text,                                                                               \
    .role = op_role,                                                                               \
    .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,                                    \
    .shape = op_shape,                                                                             \
    .recipe = &recipe,                                                                             \
  }
#define QUEUE_OP(id, op_name, role, rest, op_attrs, op_shape, text)                                \
  ONE_OP (id##_ref, op_name, SLUICE_ROLE_##role, "handle: Ref(string)" rest, op_attrs, op_shape,   \
          text);                                                                                   \
  ONE_OP (id##_v2, op_name "V2", SLUICE_ROLE_##role, "handle: resource" rest, op_attrs, op_shape,  \
          text)

#define ENQUEUE_ATTRS "Tcomponents: list(type) >= 1; timeout_ms: int = -1"
#define DEQUEUE_ATTRS "component_types: list(type) >= 1; timeout_ms: int = -1"

QUEUE_OP (enqueue,
          "QueueEnqueue",
          ENQUEUE,
          ", components: Tcomponents ->",
          ENQUEUE_ATTRS,
          sluice_shape_none,
          N_ ("Puts an element into a queue; waits while it is full"));
QUEUE_OP (enqueue_many,
          "QueueEnqueueMany",
          ENQUEUE,
          ", components: Tcomponents ->",
          ENQUEUE_ATTRS,
          sluice_shape_none,
          N_ ("Puts the rows of its inputs into a queue, one by one"));
QUEUE_OP (dequeue,
          "QueueDequeue",
          DEQUEUE,
          " -> components: component_types",
          DEQUEUE_ATTRS,
          dequeue_shape,
          N_ ("Takes an element out of a queue; waits while it is empty"));
QUEUE_OP (dequeue_many,
          "QueueDequeueMany",
          DEQUEUE,
          ", n: int32 -> components: component_types",
          DEQUEUE_ATTRS,
          many_shape,
          N_ ("Takes n elements out of a queue and puts them together"));
QUEUE_OP (dequeue_up_to,
          "QueueDequeueUpTo",
          DEQUEUE,
          ", n: int32 -> components: component_types",
          DEQUEUE_ATTRS,
          up_to_shape,
          N_ ("Takes n elements out of a queue, or what is left once it is closed"));
QUEUE_OP (close,
          "QueueClose",
          NONE,
          " ->",
          "cancel_pending_enqueues: bool = false",
          sluice_shape_none,
          N_ ("Lets nothing more into a queue"));
QUEUE_OP (size,
          "QueueSize",
          NONE,
          " -> size: int32",
          NULL,
          sluice_shape_scalar,
          N_ ("How many elements a queue holds"));
QUEUE_OP (is_closed,
          "QueueIsClosed",
          NONE,
          " -> is_closed: bool",
          NULL,
          sluice_shape_scalar,
          N_ ("Is a queue closed?"));

#define BOTH(id) &id##_ref, &id##_v2
static const SluiceOpDef *const ops[] = {
  BOTH (enqueue),       BOTH (enqueue_many), BOTH (dequeue), BOTH (dequeue_many),
  BOTH (dequeue_up_to), BOTH (close),        BOTH (size),    BOTH (is_closed),
};

#define KERNEL(name, ...)                                                                          \
  {                                                                                                \
    .op = name, .device = "CPU", __VA_ARGS__                                                       \
  }
#define KERNELS(name, ...) KERNEL (name, __VA_ARGS__), KERNEL (name "V2", __VA_ARGS__)
#define WAITS(function)                                                                            \
  .start = function, .cancel = cancel, .describe_wait = describe,                                  \
  .flags = SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_KEEPS_DENORMALS

#define FILLS(function) WAITS (function), .step_failed = sluice_queue_step_failed

static const SluiceKernel kernels[] = {
  KERNELS ("QueueEnqueue", .prepare = timeout_prepare, FILLS (enqueue_start)),
  KERNELS ("QueueEnqueueMany",
           .prepare = timeout_prepare,
           FILLS (enqueue_start),
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

const SluiceKernelModule sluice_module_queue_access = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
