/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Iterators: how far a session has come in a dataset. */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset.h"
#include "kernels/data/spec.h"

/* Where iterators stand that are found by a string. */
#define HANDLES "_iterators"

typedef struct
{
  SluiceResource parent;
  char *name;
  SluiceElementSpec *spec;
  pthread_mutex_t lock;
  SluiceCursor *cursor; /* (nullable), under lock: who goes on keeps it for as long as it takes */
} Iterator;

static void
iterator_finalize (SluiceResource *resource)
{
  Iterator *self = (Iterator *) resource;
  g_clear_pointer (&self->cursor, sluice_cursor_free);
  sluice_element_spec_free (self->spec);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

static const SluiceResourceType iterator_type = { "iterator", iterator_finalize };

/* Does the iterator give what the node says? */
static gboolean
check_wanted (SluiceKernelCall *call, const Iterator *self)
{
  return sluice_element_spec_check (call->state, call, "the iterator", self->spec->n,
                                    self->spec->types);
}

/* ---- making ---- */

static SluiceResource *
make (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  const SluiceElementSpec *wanted = call->state;
  Iterator *self = g_new0 (Iterator, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &iterator_type;
  self->name = g_strdup (call->node->name);
  self->spec = sluice_element_spec_copy (wanted);
  pthread_mutex_init (&self->lock, NULL);
  return &self->parent;
}

static gboolean
iterator_compute (SluiceKernelCall *call)
{
  SluiceResource *resource = sluice_call_resource (call, &iterator_type, make, call);
  if (resource == NULL)
    return FALSE;
  if (!check_wanted (call, (Iterator *) resource))
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
  if (self == NULL
      || !sluice_element_spec_check (self->spec, call, "the dataset", dataset->n, dataset->types))
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
next_locked (SluiceKernelCall *call, Iterator *self)
{
  const SluiceElementSpec *wanted = call->state;
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
  return sluice_element_spec_give (wanted, call, element);
}

static gboolean
next_compute (SluiceKernelCall *call)
{
  Iterator *self = (Iterator *) sluice_call_handle (call, 0, &iterator_type);
  if (self == NULL || !check_wanted (call, self))
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
  const SluiceElementSpec *wanted = call->state;
  GError *error = NULL;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  const SluiceString *handle = sluice_call_input (call, 0)->data;
  g_autofree char *text = g_strndup (handle->length > 0 ? handle->data : "", handle->length);
  SluiceResource *iterator =
      sluice_resources_get (call->resources, HANDLES, text, &iterator_type, NULL, NULL, &error);
  if (iterator == NULL)
    return sluice_call_fail_with (call, error);
  if (wanted->n > 0 && !check_wanted (call, (Iterator *) iterator))
    {
      sluice_resource_unref (iterator);
      return FALSE;
    }
  sluice_call_take_output (call, 0, sluice_tensor_new_resource (iterator));
  return TRUE;
}

/* ---- the ops ---- */

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
    sluice_shape_of_element,
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
#define SIGNED .prepare = sluice_element_spec_prepare, .free_state = sluice_element_spec_free

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
