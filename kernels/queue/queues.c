/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The ops that make queues. Each is there twice: with a resource handle (V2), and as it was before,
 * with a reference to the queue's name.
 */
#include <glib/gi18n-lib.h>

#include "kernels/handle.h"
#include "kernels/queue/queue.h"
#include "kernels/queue/shapes.h"
#include "kernels/random/generator.h"

/* What a kind of queue is like, beside what its node says. */
typedef struct
{
  SluiceQueueOrder order;
  gboolean pads;
} Kind;

typedef struct
{
  SluiceQueueSpec spec; /* owned */
  SluiceRandomNode random;
} State;

static void
free_state (gpointer data)
{
  State *self = data;
  g_free ((gpointer) self->spec.types);
  g_free ((gpointer) self->spec.shapes);
  g_free (self);
}

static gboolean
check_shape (
    const SluiceNode *node, guint i, const SluiceShape *shape, gboolean pads, GError **error)
{
  char text[SLUICE_SHAPE_STR];
  if (sluice_shape_is_known (shape) || (pads && shape->rank >= 0))
    return TRUE;
  return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "the %s of component %u must be known, not %s; %s",
                           pads ? "rank" : "shape", i, sluice_shape_str (shape, text),
                           pads ? "give it dimensions, unknown ones where they vary"
                                : "leave shapes out where they vary");
}

/* Component i of the queue is item i - front of the lists: a priority stands in no list. */
static gboolean
read_components (const SluiceNode *node, const Kind *kind, SluiceQueueSpec *spec, GError **error)
{
  const SluiceAttrValue *types = sluice_node_get_attr (node, "component_types");
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "shapes");
  guint front = kind->order == SLUICE_QUEUE_PRIORITY ? 1 : 0;
  guint n = types->list.n, n_shapes = shapes->list.n;
  if (n_shapes != n && (n_shapes != 0 || kind->pads))
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "shapes has %u items and component_types %u; give as many%s", n_shapes,
                             n, kind->pads ? "" : ", or no shapes");
  SluiceDType *type_list = g_new (SluiceDType, n + front);
  SluiceShape *shape_list = n_shapes > 0 ? g_new (SluiceShape, n + front) : NULL;
  spec->n = n + front;
  spec->types = type_list;
  spec->shapes = shape_list;
  if (front > 0)
    type_list[0] = SLUICE_INT64;
  if (front > 0 && shape_list != NULL)
    shape_list[0] = SLUICE_SHAPE_SCALAR;
  for (guint i = 0; i < n; i++)
    type_list[front + i] = types->list.items[i].type;
  for (guint i = 0; i < n_shapes; i++)
    {
      shape_list[front + i] = shapes->list.items[i].shape;
      if (!check_shape (node, i, &shape_list[front + i], kind->pads, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_shuffle (const SluiceNode *node, State *self, GError **error)
{
  SluiceQueueSpec *spec = &self->spec;
  spec->min_after_dequeue = sluice_node_get_int (node, "min_after_dequeue");
  spec->seed = (guint64) sluice_node_get_int (node, "seed");
  spec->seed2 = (guint64) sluice_node_get_int (node, "seed2");
  sluice_random_node_init (&self->random, node);
  if (spec->min_after_dequeue >= 0
      && (spec->capacity < 0 || spec->min_after_dequeue < spec->capacity))
    return TRUE;
  return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "min_after_dequeue is %" G_GINT64_FORMAT
                           "; it must be 0 or more, and less than the capacity, %" G_GINT64_FORMAT,
                           spec->min_after_dequeue, spec->capacity);
}

/* The kind of a node's queue is in its kernel, which prepare does not see: one function a kind. */
static gpointer
prepare (const SluiceNode *node, const Kind *kind, GError **error)
{
  State *self = g_new0 (State, 1);
  self->spec.order = kind->order;
  self->spec.pads = kind->pads;
  self->spec.capacity = sluice_node_get_int (node, "capacity");
  gboolean ok = read_components (node, kind, &self->spec, error);
  if (ok && kind->order == SLUICE_QUEUE_SHUFFLE)
    ok = read_shuffle (node, self, error);
  if (ok)
    return self;
  free_state (self);
  return NULL;
}

static gpointer
prepare_fifo (const SluiceNode *node, GError **error)
{
  return prepare (node, &(const Kind){ SLUICE_QUEUE_FIFO, FALSE }, error);
}

static gpointer
prepare_padding (const SluiceNode *node, GError **error)
{
  return prepare (node, &(const Kind){ SLUICE_QUEUE_FIFO, TRUE }, error);
}

static gpointer
prepare_shuffle (const SluiceNode *node, GError **error)
{
  return prepare (node, &(const Kind){ SLUICE_QUEUE_SHUFFLE, FALSE }, error);
}

static gpointer
prepare_priority (const SluiceNode *node, GError **error)
{
  return prepare (node, &(const Kind){ SLUICE_QUEUE_PRIORITY, FALSE }, error);
}

static SluiceResource *
make_queue (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  const State *state = call->state;
  SluicePhilox random = sluice_random_node_start (&state->random, call->run_seed);
  return (SluiceResource *) sluice_queue_new (call->node->name, &state->spec, &random);
}

static gboolean
compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceResource *queue = sluice_call_resource (call, &sluice_queue_type, make_queue, call);
  if (queue == NULL)
    return FALSE;
  if (!sluice_queue_spec_equal (sluice_queue_get_spec ((SluiceQueue *) queue), &state->spec))
    {
      sluice_resource_unref (queue);
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "there is a queue of that name of another kind, or with other "
                               "component types, shapes, seeds or capacity; give one of them "
                               "another shared_name");
    }
  sluice_call_put_handle (call, 0, queue);
  return TRUE;
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none =
      N_ ("works on a queue: tests/kernels/test-queue and the conformance cases make one")
};

#define ONE_OP(id, op_name, op_signature, op_attrs, text)                                          \
  SLUICE_STATEFUL_OP (id, op_name, op_signature, op_attrs, sluice_queue_handle_shape, text)
#define MAKES_QUEUE(id, op_name, op_attrs, text)                                                   \
  ONE_OP (id##_ref, op_name, "-> handle: Ref(string)", op_attrs, text);                            \
  ONE_OP (id##_v2, op_name "V2", "-> handle: resource", op_attrs, text)

#define REST           "capacity: int = -1; container: string = ''; shared_name: string = ''"
#define PLAIN_ATTRS    "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; " REST
#define SHUFFLE_ATTRS  PLAIN_ATTRS "; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0"
#define PRIORITY_ATTRS "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; " REST

MAKES_QUEUE (fifo, "FIFOQueue", PLAIN_ATTRS, N_ ("A queue: first in, first out"));
MAKES_QUEUE (padding,
             "PaddingFIFOQueue",
             PLAIN_ATTRS,
             N_ ("A queue that fills up short elements when it hands out several together"));
MAKES_QUEUE (shuffle,
             "RandomShuffleQueue",
             SHUFFLE_ATTRS,
             N_ ("A queue that hands out its elements in random order"));
MAKES_QUEUE (priority,
             "PriorityQueue",
             PRIORITY_ATTRS,
             N_ ("A queue that hands out the element of the least priority number first"));

#define BOTH(id) &id##_ref, &id##_v2
static const SluiceOpDef *const ops[] = {
  BOTH (fifo),
  BOTH (padding),
  BOTH (shuffle),
  BOTH (priority),
};

#define KERNEL(op_name, function)                                                                  \
  {                                                                                                \
    .op = op_name, .device = "CPU", .prepare = function, .free_state = free_state,                 \
    .compute = compute                                                                             \
  }
#define KERNELS(op_name, function) KERNEL (op_name, function), KERNEL (op_name "V2", function)

static const SluiceKernel kernels[] = {
  KERNELS ("FIFOQueue", prepare_fifo),
  KERNELS ("PaddingFIFOQueue", prepare_padding),
  KERNELS ("RandomShuffleQueue", prepare_shuffle),
  KERNELS ("PriorityQueue", prepare_priority),
};

const SluiceKernelModule sluice_module_queue_queues = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
