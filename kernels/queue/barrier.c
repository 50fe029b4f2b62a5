/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A barrier: tuples with keys, whose components come one by one from different places. A tuple can
 * be taken when it has all of them; those whose first component came earlier go first.
 */
#include <glib/gi18n-lib.h>

#include "kernels/handle.h"
#include "kernels/queue/queue.h"
#include "kernels/queue/shapes.h"

/* Components of the queue of ready tuples before those of the barrier: when it began, its key. */
#define FRONT 2

typedef struct
{
  SluiceResource parent;
  char *name;
  guint n;            /* components */
  SluiceQueue *ready; /* by the order of their first component's arrival */
  pthread_mutex_t lock;
  GHashTable *incomplete; /* under lock, as the rest: GBytes of the key to SluiceElements */
  gint64 n_begun;         /* insertions that brought new keys; from G_MININT64 on */
  gboolean is_closed, is_cancelled;
} Barrier;

static void
barrier_finalize (SluiceResource *resource)
{
  Barrier *self = (Barrier *) resource;
  sluice_resource_unref ((SluiceResource *) self->ready);
  g_hash_table_unref (self->incomplete);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

static const SluiceResourceType barrier_type = { "barrier", barrier_finalize };

/* ---- making ---- */

static void
free_state (gpointer state)
{
  sluice_resource_unref (state);
}

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *types = sluice_node_get_attr (node, "component_types");
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "shapes");
  guint n = types->list.n;
  g_autofree SluiceDType *type_list = g_new (SluiceDType, n + FRONT);
  g_autofree SluiceShape *shape_list = g_new (SluiceShape, n + FRONT);
  if (sluice_node_get_int (node, "capacity") != -1)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a barrier has no capacity but -1; feed it through a queue that has one");
      return NULL;
    }
  type_list[0] = SLUICE_INT64;
  type_list[1] = SLUICE_STRING;
  shape_list[0] = shape_list[1] = SLUICE_SHAPE_SCALAR;
  for (guint i = 0; i < n; i++)
    {
      type_list[FRONT + i] = types->list.items[i].type;
      if (shapes->list.n == n && sluice_shape_is_known (&shapes->list.items[i].shape))
        {
          shape_list[FRONT + i] = shapes->list.items[i].shape;
          continue;
        }
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the shapes of all %u components must be known", n);
      return NULL;
    }
  const SluiceQueueSpec spec = { .n = n + FRONT,
                                 .types = type_list,
                                 .shapes = shape_list,
                                 .capacity = -1,
                                 .order = SLUICE_QUEUE_PRIORITY };
  const SluicePhilox none = { .key = { 0 } };
  return sluice_queue_new (node->name, &spec, &none); /* empty: what the real one is made like */
}

static SluiceResource *
make (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  const SluiceQueueSpec *spec = sluice_queue_get_spec (call->state);
  const SluicePhilox none = { .key = { 0 } };
  Barrier *self = g_new0 (Barrier, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &barrier_type;
  self->name = g_strdup (call->node->name);
  self->n = spec->n - FRONT;
  self->ready = sluice_queue_new (call->node->name, spec, &none);
  self->incomplete =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref,
                             (GDestroyNotify) sluice_elements_unref);
  self->n_begun = G_MININT64;
  pthread_mutex_init (&self->lock, NULL);
  return &self->parent;
}

static gboolean
make_compute (SluiceKernelCall *call)
{
  SluiceResource *resource = sluice_call_resource (call, &barrier_type, make, call);
  if (resource == NULL)
    return FALSE;
  if (!sluice_queue_spec_equal (sluice_queue_get_spec (((Barrier *) resource)->ready),
                                sluice_queue_get_spec (call->state)))
    {
      sluice_resource_unref (resource);
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "there is a barrier of that name with other component types or "
                               "shapes; give one of them another shared_name");
    }
  sluice_call_put_handle (call, 0, resource);
  return TRUE;
}

static Barrier *
get_barrier (SluiceKernelCall *call)
{
  return (Barrier *) sluice_call_get_handle (call, 0, &barrier_type);
}

/* ---- inserting ---- */

static gpointer
insert_prepare (const SluiceNode *node, GError **error)
{
  gint64 *component = g_new (gint64, 1);
  *component = sluice_node_get_int (node, "component_index");
  return component;
}

static gboolean
check_insert (SluiceKernelCall *call, Barrier *self, gint64 component)
{
  const SluiceQueueSpec *spec = sluice_queue_get_spec (self->ready);
  const SluiceTensor *keys = sluice_call_input (call, 1), *values = sluice_call_input (call, 2);
  if (component < 0 || component >= self->n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "component_index is %" G_GINT64_FORMAT ", and the barrier has %u",
                             component, self->n);
  const SluiceShape *element = &spec->shapes[FRONT + component];
  SluiceDType dtype = spec->types[FRONT + component];
  if ((SluiceDType) values->dtype != dtype)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "component %" G_GINT64_FORMAT " of the barrier is %s, not %s",
                             component, sluice_dtype_name (dtype),
                             sluice_dtype_name ((SluiceDType) values->dtype));
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  gboolean fits =
      values->shape.rank == element->rank + 1 && values->shape.dim[0] == keys->n_elements;
  for (int d = 0; fits && d < element->rank; d++)
    fits = values->shape.dim[d + 1] == element->dim[d];
  if (fits)
    return TRUE;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT,
      "input 2 (values) must have a row of shape %s for each of the %" G_GINT64_FORMAT
      " keys, not shape %s",
      sluice_shape_str (element, a), keys->n_elements, sluice_shape_str (&values->shape, b));
}

/* The tuple of a key, a new one where there is none. (nullable): the call fails */
static SluiceElements *
find_tuple (SluiceKernelCall *call, Barrier *self, const SluiceString *key, gboolean *is_new)
{
  GBytes *bytes = g_bytes_new (key->data, key->length);
  SluiceElements *tuple = g_hash_table_lookup (self->incomplete, bytes);
  if (tuple != NULL || self->is_closed)
    {
      g_bytes_unref (bytes);
      if (tuple == NULL)
        sluice_call_fail (call, SLUICE_ERROR_CANCELLED,
                          "barrier '%s' is closed, and '%.*s' is a new key", self->name,
                          (int) MIN (key->length, 100), key->data != NULL ? key->data : "");
      return tuple;
    }
  tuple = sluice_elements_new (self->n + FRONT);
  tuple->tensors[0] = sluice_tensor_new_int64 (self->n_begun);
  tuple->tensors[1] = sluice_tensor_new_string (key->data, (gssize) key->length);
  g_hash_table_insert (self->incomplete, bytes, tuple);
  *is_new = TRUE;
  return tuple;
}

/* Row `row` of the values. A tuple that is whole now goes to `ready`. */
static gboolean
insert_one (SluiceKernelCall *call,
            Barrier *self,
            SluiceElements *values,
            gint64 row,
            SluiceItems *ready,
            gboolean *is_new)
{
  guint place = FRONT + (guint) * (const gint64 *) call->state;
  const SluiceString *key = (const SluiceString *) sluice_call_input (call, 1)->data + row;
  SluiceElements *tuple = find_tuple (call, self, key, is_new);
  GError *error = NULL;
  if (tuple == NULL)
    return FALSE;
  if (tuple->tensors[place] != NULL)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "key '%.*s' has its component %u already",
        (int) MIN (key->length, 100), key->data != NULL ? key->data : "", place - FRONT);
  const SluiceItem item = { values, row };
  tuple->tensors[place] = sluice_item_dup (&item, 0, call->device->allocator, call->owner, &error);
  if (tuple->tensors[place] == NULL)
    return sluice_call_fail_with (call, error);
  for (guint i = 0; i < tuple->n; i++)
    if (tuple->tensors[i] == NULL)
      return TRUE;
  g_autoptr (GBytes) bytes = g_bytes_new (key->data, key->length);
  atomic_fetch_add (&tuple->ref_count, 1);
  sluice_items_push_element (ready, tuple);
  g_hash_table_remove (self->incomplete, bytes);
  return TRUE;
}

/* The queue has no limit and is open as long as something is incomplete: it answers at once. */
static void
ready_done (SluiceItems *items, GError *error, gpointer data)
{
  g_clear_error (&error);
}

static gboolean
insert_locked (SluiceKernelCall *call, Barrier *self)
{
  g_auto (SluiceItems) ready = { NULL };
  gint64 n = sluice_call_input (call, 1)->n_elements;
  gboolean is_new = FALSE, ok = TRUE;
  if (self->is_closed
      && (self->is_cancelled || (n > 0 && g_hash_table_size (self->incomplete) == 0)))
    return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "barrier '%s' is closed", self->name);
  SluiceElements *values = sluice_elements_new (1);
  values->tensors[0] = sluice_tensor_ref (sluice_call_input (call, 2));
  for (gint64 row = 0; ok && row < n; row++)
    ok = insert_one (call, self, values, row, &ready, &is_new);
  sluice_elements_unref (values);
  if (is_new)
    self->n_begun++;
  if (ready.n > 0)
    sluice_queue_enqueue (self->ready, &ready, ready_done, call);
  if (self->is_closed && g_hash_table_size (self->incomplete) == 0
      && !sluice_queue_is_closed (self->ready))
    sluice_queue_close (self->ready, FALSE, ready_done, call);
  return ok;
}

static gboolean
insert_compute (SluiceKernelCall *call)
{
  Barrier *self = get_barrier (call);
  if (self == NULL || !check_insert (call, self, *(const gint64 *) call->state))
    return FALSE;
  pthread_mutex_lock (&self->lock);
  gboolean ok = insert_locked (call, self);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

/* ---- taking ---- */

static gpointer
take_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (1 + sluice_node_get_bool (node, "allow_small_batch"));
}

static void
take_done (SluiceItems *items, GError *error, gpointer data)
{
  SluiceKernelCall *call = data;
  sluice_queue_give_batches (get_barrier (call)->ready, items, error, call);
  call->done (call);
}

static gboolean
check_take (SluiceKernelCall *call, Barrier *self, gint64 n)
{
  const SluiceAttrValue *types = sluice_node_get_attr (call->node, "component_types");
  const SluiceQueueSpec *spec = sluice_queue_get_spec (self->ready);
  gboolean same = types->list.n == self->n;
  for (guint i = 0; same && i < self->n; i++)
    same = types->list.items[i].type == spec->types[FRONT + i];
  if (!same)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "component_types are not those of barrier '%s'", self->name);
  if (n < 0)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "input 1 (num_elements) is %" G_GINT64_FORMAT "; it must not be negative", n);
  return TRUE;
}

static void
take_start (SluiceKernelCall *call)
{
  Barrier *self = get_barrier (call);
  gboolean ok = self != NULL && sluice_call_want_scalar (call, 1);
  gint64 n = ok ? sluice_tensor_get_int (sluice_call_input (call, 1), 0) : 0;
  gboolean allows_few = call->state == GINT_TO_POINTER (2);
  if (!ok || !check_take (call, self, n))
    {
      call->done (call);
      return;
    }
  pthread_mutex_lock (&self->lock);
  gboolean is_closed = self->is_closed;
  pthread_mutex_unlock (&self->lock);
  if (is_closed && allows_few)
    n = MIN (n, sluice_queue_get_size (self->ready));
  if (is_closed)
    n = MAX (n, 1); /* none left is an error, also for who asks for none */
  if (n == 0)
    take_done (NULL, NULL, call);
  else
    sluice_queue_dequeue (self->ready, n, allows_few, take_done, call);
}

static void
take_cancel (SluiceKernelCall *call)
{
  Barrier *self = get_barrier (call);
  if (self != NULL)
    sluice_queue_cancel (self->ready, call);
}

static char *
take_describe (SluiceKernelCall *call)
{
  Barrier *self = get_barrier (call);
  gboolean is_full;
  g_autofree char *text = self != NULL ? sluice_queue_describe (self->ready, call, &is_full) : NULL;
  return text != NULL ? g_strconcat (text, ", a barrier's complete tuples", NULL) : NULL;
}

/* ---- closing and asking ---- */

static gpointer
close_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (1 + sluice_node_get_bool (node, "cancel_pending_enqueues"));
}

static gboolean
close_compute (SluiceKernelCall *call)
{
  Barrier *self = get_barrier (call);
  gboolean cancels = call->state == GINT_TO_POINTER (2), ok = TRUE;
  if (self == NULL)
    return FALSE;
  pthread_mutex_lock (&self->lock);
  if (self->is_closed && (self->is_cancelled || !cancels))
    ok = sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "barrier '%s' is closed already",
                           self->name);
  else
    {
      self->is_closed = TRUE;
      self->is_cancelled = cancels;
      if (cancels)
        g_hash_table_remove_all (self->incomplete);
      if (g_hash_table_size (self->incomplete) == 0 && !sluice_queue_is_closed (self->ready))
        sluice_queue_close (self->ready, FALSE, ready_done, call);
    }
  pthread_mutex_unlock (&self->lock);
  return ok;
}

/* kernel->data: TRUE for what is incomplete. */
static gboolean
size_compute (SluiceKernelCall *call)
{
  Barrier *self = get_barrier (call);
  SluiceTensor *out = self != NULL ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (out == NULL)
    return FALSE;
  pthread_mutex_lock (&self->lock);
  *(gint32 *) out->data = call->kernel->data != NULL ? (gint32) g_hash_table_size (self->incomplete)
                                                     : (gint32) sluice_queue_get_size (self->ready);
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}

/* ---- the ops ---- */

static gboolean
insert_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 1, 1, error)
         && sluice_shape_context_want_rank_at_least (c, 2, 1, error);
}

static gboolean
take_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  const gint64 front = SLUICE_UNKNOWN_DIM;
  return sluice_shape_context_want_rank (c, 1, 0, error)
         && sluice_queue_element_shapes (c, FRONT, &front, 1, error);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on a barrier: tests/kernels/test-monitor makes one")
};

SLUICE_STATEFUL_OP (
    barrier_op,
    "Barrier",
    "-> handle: Ref(string)",
    "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; "
    "container: string = ''; shared_name: string = ''",
    sluice_queue_handle_shape,
    N_ ("Puts tuples together whose components come one by one, by their keys"));
SLUICE_STATEFUL_OP (insert_op,
                    "BarrierInsertMany",
                    "handle: Ref(string), keys: string, values: T ->",
                    "T: type; component_index: int",
                    insert_shape,
                    N_ ("Gives keys of a barrier one of their components"));
SLUICE_STATEFUL_OP (
    take_op,
    "BarrierTakeMany",
    "handle: Ref(string), num_elements: int32 -> indices: int64, keys: string, "
    "values: component_types",
    "component_types: list(type) >= 1; allow_small_batch: bool = false; "
    "wait_for_incomplete: bool = false; timeout_ms: int = -1",
    take_shape,
    N_ ("Takes tuples that are complete out of a barrier; waits until there are enough"));
SLUICE_STATEFUL_OP (close_op,
                    "BarrierClose",
                    "handle: Ref(string) ->",
                    "cancel_pending_enqueues: bool = false",
                    sluice_shape_none,
                    N_ ("Lets no new keys into a barrier"));
SLUICE_STATEFUL_OP (ready_op,
                    "BarrierReadySize",
                    "handle: Ref(string) -> size: int32",
                    NULL,
                    sluice_shape_scalar,
                    N_ ("How many tuples of a barrier are complete"));
SLUICE_STATEFUL_OP (incomplete_op,
                    "BarrierIncompleteSize",
                    "handle: Ref(string) -> size: int32",
                    NULL,
                    sluice_shape_scalar,
                    N_ ("How many tuples of a barrier lack a component"));

static const SluiceOpDef *const ops[] = { &barrier_op, &insert_op, &take_op,
                                          &close_op,   &ready_op,  &incomplete_op };

#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Barrier", .prepare = prepare, .free_state = free_state, .compute = make_compute),
  KERNEL ("BarrierInsertMany",
          .prepare = insert_prepare,
          .free_state = g_free,
          .compute = insert_compute),
  KERNEL ("BarrierTakeMany",
          .prepare = take_prepare,
          .start = take_start,
          .cancel = take_cancel,
          .describe_wait = take_describe,
          .flags = SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_KEEPS_DENORMALS),
  KERNEL ("BarrierClose", .prepare = close_prepare, .compute = close_compute),
  KERNEL ("BarrierReadySize", .compute = size_compute),
  KERNEL ("BarrierIncompleteSize", .compute = size_compute, .data = GINT_TO_POINTER (TRUE)),
};

const SluiceKernelModule sluice_module_queue_barrier = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
