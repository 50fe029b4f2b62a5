/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Iterators: how far a session has come in a dataset. */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset.h"

/* Where iterators stand that are found by a string. */
#define HANDLES "_iterators"

typedef struct
{
  guint n;
  SluiceDType *types;
  SluiceShape *shapes; /* may be partial */
} Signature;

typedef struct
{
  SluiceResource parent;
  char *name;
  Signature signature;
  pthread_mutex_t lock;
  SluiceCursor *cursor; /* (nullable), under lock: who goes on keeps it for as long as it takes */
} Iterator;

static void
signature_clear (Signature *self)
{
  g_clear_pointer (&self->types, g_free);
  g_clear_pointer (&self->shapes, g_free);
}

static void
iterator_finalize (SluiceResource *resource)
{
  Iterator *self = (Iterator *) resource;
  g_clear_pointer (&self->cursor, sluice_cursor_free);
  signature_clear (&self->signature);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

static const SluiceResourceType iterator_type = { "iterator", iterator_finalize };

/* ---- signatures ---- */

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *types = sluice_node_get_attr (node, "output_types");
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "output_shapes");
  guint n = types->list.n;
  if (shapes->list.n != n)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s '%s': output_types has %u items and output_shapes %u; give as many",
                   node->op_name, node->name, n, shapes->list.n);
      return NULL;
    }
  Signature *self = g_new (Signature, 1);
  *self = (Signature){ n, g_new (SluiceDType, n), g_new (SluiceShape, n) };
  for (guint i = 0; i < n; i++)
    {
      self->types[i] = types->list.items[i].type;
      self->shapes[i] = shapes->list.items[i].shape;
    }
  return self;
}

static void
free_state (gpointer state)
{
  signature_clear (state);
  g_free (state);
}

/* Do they fit what a node expects, or a dataset has? */
static gboolean
check_types (SluiceKernelCall *call, const Signature *self, guint n, const SluiceDType *types)
{
  if (n != self->n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the iterator has %u components, and not %u", self->n, n);
  for (guint i = 0; i < n; i++)
    if (types[i] != self->types[i])
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "component %u of the iterator is %s, and not %s", i,
                               sluice_dtype_name (self->types[i]), sluice_dtype_name (types[i]));
  return TRUE;
}

/* ---- making ---- */

static SluiceResource *
make (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  const Signature *wanted = call->state;
  Iterator *self = g_new0 (Iterator, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &iterator_type;
  self->name = g_strdup (call->node->name);
  self->signature.n = wanted->n;
  self->signature.types = g_memdup2 (wanted->types, wanted->n * sizeof *wanted->types);
  self->signature.shapes = g_memdup2 (wanted->shapes, wanted->n * sizeof *wanted->shapes);
  pthread_mutex_init (&self->lock, NULL);
  return &self->parent;
}

static gboolean
iterator_compute (SluiceKernelCall *call)
{
  const Signature *wanted = call->state;
  SluiceResource *resource = sluice_call_resource (call, &iterator_type, make, call);
  if (resource == NULL)
    return FALSE;
  if (!check_types (call, &((Iterator *) resource)->signature, wanted->n, wanted->types))
    {
      sluice_resource_unref (resource);
      return FALSE;
    }
  sluice_call_take_output (call, 0, sluice_tensor_new_resource (resource));
  return TRUE;
}

/* The dataset's first element is next, also where the iterator has been used before. */
static gboolean
begin_compute (SluiceKernelCall *call)
{
  SluiceDataset *dataset = sluice_call_get_dataset (call, 0);
  Iterator *self =
      dataset != NULL ? (Iterator *) sluice_call_handle (call, 1, &iterator_type) : NULL;
  if (self == NULL || !check_types (call, &self->signature, dataset->n, dataset->types))
    return FALSE;
  SluiceCursor *cursor = sluice_cursor_new (dataset);
  pthread_mutex_lock (&self->lock);
  SluiceCursor *old = self->cursor;
  self->cursor = cursor;
  pthread_mutex_unlock (&self->lock);
  g_clear_pointer (&old, sluice_cursor_free);
  return TRUE;
}

/* ---- going on ---- */

static gboolean
check_shape (SluiceKernelCall *call, const Signature *wanted, guint i, const SluiceTensor *tensor)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (wanted->shapes[i].rank == SLUICE_UNKNOWN_RANK
      || sluice_shape_compatible (&wanted->shapes[i], &tensor->shape))
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "component %u of the element has shape %s, and output_shapes says %s", i,
                           sluice_shape_str (&tensor->shape, b),
                           sluice_shape_str (&wanted->shapes[i], a));
}

static gboolean
next_locked (SluiceKernelCall *call, Iterator *self)
{
  const Signature *wanted = call->state;
  g_autofree SluiceTensor **element = g_new0 (SluiceTensor *, wanted->n);
  GError *error = NULL;
  if (self->cursor == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                             "iterator '%s' has no dataset yet; run the node that gives it one "
                             "(MakeIterator)",
                             self->name);
  switch (sluice_cursor_next (self->cursor, call, element, &error))
    {
    case SLUICE_READ_ONE:
      break;
    case SLUICE_READ_END:
      return sluice_call_fail (call, SLUICE_ERROR_OUT_OF_RANGE, "the dataset has no more elements");
    default:
      return sluice_call_fail_with (call, error);
    }
  for (guint i = 0; i < wanted->n; i++)
    {
      check_shape (call, wanted, i, element[i]);
      sluice_call_take_output (call, i, element[i]);
    }
  return call->error == NULL;
}

static gboolean
next_compute (SluiceKernelCall *call)
{
  const Signature *wanted = call->state;
  Iterator *self = (Iterator *) sluice_call_handle (call, 0, &iterator_type);
  if (self == NULL || !check_types (call, &self->signature, wanted->n, wanted->types))
    return FALSE;
  pthread_mutex_lock (&self->lock);
  gboolean ok = next_locked (call, self);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

/* ---- handles as strings ---- */

static SluiceResource *
make_entry (gpointer data, GError **error)
{
  return sluice_resource_ref (data);
}

/* The string is good in sessions with the same resources, as long as they are not reset. */
static gboolean
to_string_compute (SluiceKernelCall *call)
{
  SluiceResource *iterator = sluice_call_handle (call, 0, &iterator_type);
  GError *error = NULL;
  if (iterator == NULL)
    return FALSE;
  g_autofree char *text =
      g_strdup_printf ("%s@%p", ((Iterator *) iterator)->name, (void *) iterator);
  SluiceResource *entry = sluice_resources_get (call->resources, HANDLES, text, &iterator_type,
                                                make_entry, iterator, &error);
  if (entry == NULL)
    return sluice_call_fail_with (call, error);
  sluice_resource_unref (entry);
  sluice_call_take_output (call, 0, sluice_tensor_new_string (text, -1));
  return TRUE;
}

static gboolean
from_string_compute (SluiceKernelCall *call)
{
  const Signature *wanted = call->state;
  GError *error = NULL;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  const SluiceString *handle = sluice_call_input (call, 0)->data;
  g_autofree char *text = g_strndup (handle->length > 0 ? handle->data : "", handle->length);
  SluiceResource *iterator =
      sluice_resources_get (call->resources, HANDLES, text, &iterator_type, NULL, NULL, &error);
  if (iterator == NULL)
    return sluice_call_fail_with (call, error);
  if (wanted->n > 0
      && !check_types (call, &((Iterator *) iterator)->signature, wanted->n, wanted->types))
    {
      sluice_resource_unref (iterator);
      return FALSE;
    }
  sluice_call_take_output (call, 0, sluice_tensor_new_resource (iterator));
  return TRUE;
}

/* ---- the ops ---- */

static gboolean
next_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node, "output_shapes");
  for (guint i = 0; i < c->n_outputs && i < shapes->list.n; i++)
    sluice_shape_context_set (c, i, &shapes->list.items[i].shape);
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("goes through a dataset: tests/kernels/test-data makes one")
};

#define OP(id, op_name, op_signature, op_attrs, op_shape, text)                                    \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = op_signature,                                                                     \
    .attrs = op_attrs,                                                                             \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,                                    \
    .shape = op_shape,                                                                             \
    .recipe = &recipe,                                                                             \
  }
#define TYPES "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
#define MAYBE "output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []"

OP (iterator_op,
    "Iterator",
    "-> handle: resource",
    "shared_name: string; container: string; " TYPES,
    sluice_shape_scalar,
    N_ ("Remembers how far a session has come in a dataset"));
OP (iterator_v2_op,
    "IteratorV2",
    "-> handle: resource",
    "shared_name: string; container: string; " TYPES,
    sluice_shape_scalar,
    N_ ("Remembers how far a session has come in a dataset"));
OP (begin_op,
    "MakeIterator",
    "dataset: variant, iterator: resource ->",
    NULL,
    sluice_shape_none,
    N_ ("Begins with a dataset's first element"));
OP (next_op,
    "IteratorGetNext",
    "iterator: resource -> components: output_types",
    TYPES,
    next_shape,
    N_ ("The next element of a dataset"));
OP (to_string_op,
    "IteratorToStringHandle",
    "resource_handle: resource -> string_handle: string",
    NULL,
    sluice_shape_scalar,
    N_ ("A string that stands for an iterator, to be fed"));
OP (from_string_op,
    "IteratorFromStringHandle",
    "string_handle: string -> resource_handle: resource",
    MAYBE,
    sluice_shape_scalar,
    N_ ("The iterator that a string stands for"));
OP (from_string_v2_op,
    "IteratorFromStringHandleV2",
    "string_handle: string -> resource_handle: resource",
    MAYBE,
    sluice_shape_scalar,
    N_ ("The iterator that a string stands for"));

static const SluiceOpDef *const ops[] = { &iterator_op,      &iterator_v2_op, &begin_op,
                                          &next_op,          &to_string_op,   &from_string_op,
                                          &from_string_v2_op };

#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }
#define SIGNED .prepare = prepare, .free_state = free_state

static const SluiceKernel kernels[] = {
  KERNEL ("Iterator", SIGNED, .compute = iterator_compute),
  KERNEL ("IteratorV2", SIGNED, .compute = iterator_compute),
  KERNEL ("MakeIterator", .compute = begin_compute),
  KERNEL ("IteratorGetNext", SIGNED, .compute = next_compute),
  KERNEL ("IteratorToStringHandle", .compute = to_string_compute),
  KERNEL ("IteratorFromStringHandle", SIGNED, .compute = from_string_compute),
  KERNEL ("IteratorFromStringHandleV2", SIGNED, .compute = from_string_compute),
};

const SluiceKernelModule sluice_module_data_iterator = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
