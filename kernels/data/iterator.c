/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Iterators: how far a session has come in a dataset. */
#include "kernels/data/iterator.h"

#include <glib/gi18n-lib.h>

#include "engine/base/lock.h"
#include "engine/graph/shape-context.h"
#include "kernels/data/optional.h"

/* Where iterators stand that are found by a string. */
#define HANDLES "_iterators"

static void
iterator_finalize (SluiceResource *resource)
{
  SluiceIterator *self = (SluiceIterator *) resource;
  if (self->pass != NULL)
    sluice_dataset_pass_close (self->pass, NULL);
  sluice_element_spec_free (self->spec);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

static const SluiceResourceType iterator_type = { "iterator", iterator_finalize };

/* Does the iterator give what the node says? */
static gboolean
check_wanted (SluiceKernelCall *call, const SluiceIterator *self)
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
  SluiceIterator *self = g_new0 (SluiceIterator, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &iterator_type;
  self->name = g_strdup (call->node->name);
  self->spec = sluice_element_spec_copy (wanted);
  pthread_mutex_init (&self->lock, NULL);
  return &self->parent;
}

SluiceIterator *
sluice_call_dup_iterator (SluiceKernelCall *call)
{
  SluiceResource *resource = sluice_call_resource (call, &iterator_type, make, call);
  if (resource == NULL || check_wanted (call, (SluiceIterator *) resource))
    return (SluiceIterator *) resource;
  sluice_resource_unref (resource);
  return NULL;
}

static gboolean
iterator_compute (SluiceKernelCall *call)
{
  SluiceIterator *self = sluice_call_dup_iterator (call);
  if (self != NULL)
    sluice_call_take_output (call, 0, sluice_tensor_new_resource (&self->parent));
  return self != NULL;
}

/* The dataset's first element is next, also where the iterator has been used before. */
static gboolean
begin_compute (SluiceKernelCall *call)
{
  SluiceDataset *dataset = sluice_call_get_dataset (call, 0);
  SluiceIterator *self =
      dataset != NULL ? (SluiceIterator *) sluice_call_handle (call, 1, &iterator_type) : NULL;
  if (self == NULL
      || !sluice_element_spec_check (self->spec, call, "the dataset", dataset->n, dataset->types))
    return FALSE;
  SluiceDatasetPass *pass = sluice_dataset_pass_new (dataset);
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  SluiceDatasetPass *old = self->pass;
  self->pass = pass;
  pthread_mutex_unlock (&self->lock);
  if (old != NULL)
    sluice_dataset_pass_close (old, call->cancelled);
  return TRUE;
}

/* ---- going on ---- */

/* The element's tensors become the outputs. */
static void
answer_tensors (SluiceKernelCall *call,
                SluiceNext result,
                SluiceTensor *const *element,
                GError *error)
{
  if (result == SLUICE_NEXT_ONE)
    sluice_element_spec_give (call->state, call, element);
  else if (result == SLUICE_NEXT_END)
    sluice_call_fail (call, SLUICE_ERROR_OUT_OF_RANGE, "the dataset has no more elements");
  else
    sluice_call_fail_with (call, error);
}

/* The element, or at the end nothing, as an optional. */
static void
answer_optional (SluiceKernelCall *call,
                 SluiceNext result,
                 SluiceTensor *const *element,
                 GError *error)
{
  const SluiceElementSpec *wanted = call->state;
  SluiceElements *elements = result == SLUICE_NEXT_ONE ? sluice_elements_new (wanted->n) : NULL;
  for (guint i = 0; elements != NULL && i < wanted->n; i++)
    elements->tensors[i] = element[i];
  if (result == SLUICE_NEXT_FAILED)
    sluice_call_fail_with (call, error);
  else
    sluice_call_put_optional (call, 0, elements);
}

static SluiceDatasetPass *
dup_pass (SluiceIterator *self)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  SluiceDatasetPass *pass = self->pass != NULL ? sluice_dataset_pass_ref (self->pass) : NULL;
  pthread_mutex_unlock (&self->lock);
  return pass;
}

/* kernel->data: the answer. */
static void
next_start (SluiceKernelCall *call)
{
  SluiceIterator *self = (SluiceIterator *) sluice_call_handle (call, 0, &iterator_type);
  SluiceDatasetPass *pass = self != NULL && check_wanted (call, self) ? dup_pass (self) : NULL;
  if (pass == NULL)
    {
      if (call->error == NULL)
        sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                          "iterator '%s' has no dataset yet; run the node that gives it one "
                          "(MakeIterator)",
                          self->name);
      call->done (call);
      return;
    }
  sluice_dataset_pass_ask (pass, call, (SluiceAnswer) call->kernel->data);
  sluice_dataset_pass_unref (pass);
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
      g_strdup_printf ("%s@%p", ((SluiceIterator *) iterator)->name, (void *) iterator);
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
  if (wanted->n > 0 && !check_wanted (call, (SluiceIterator *) iterator))
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

#define TYPES "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
#define MAYBE "output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []"

SLUICE_STATEFUL_OP (iterator_op,
                    "Iterator",
                    "-> handle: resource",
                    "shared_name: string; container: string; " TYPES,
                    sluice_shape_scalar,
                    N_ ("Remembers how far a session has come in a dataset"));
SLUICE_STATEFUL_OP (iterator_v2_op,
                    "IteratorV2",
                    "-> handle: resource",
                    "shared_name: string; container: string; " TYPES,
                    sluice_shape_scalar,
                    N_ ("Remembers how far a session has come in a dataset"));
SLUICE_STATEFUL_OP (begin_op,
                    "MakeIterator",
                    "dataset: variant, iterator: resource ->",
                    NULL,
                    sluice_shape_none,
                    N_ ("Begins with a dataset's first element"));
SLUICE_STATEFUL_OP (next_op,
                    "IteratorGetNext",
                    "iterator: resource -> components: output_types",
                    TYPES,
                    sluice_shape_of_element,
                    N_ ("The next element of a dataset"));
SLUICE_STATEFUL_OP (next_sync_op,
                    "IteratorGetNextSync",
                    "iterator: resource -> components: output_types",
                    TYPES,
                    sluice_shape_of_element,
                    N_ ("The next element of a dataset"));
SLUICE_STATEFUL_OP (next_optional_op,
                    "IteratorGetNextAsOptional",
                    "iterator: resource -> optional: variant",
                    TYPES,
                    sluice_shape_scalar,
                    N_ ("The next element of a dataset, or nothing at its end"));
SLUICE_STATEFUL_OP (to_string_op,
                    "IteratorToStringHandle",
                    "resource_handle: resource -> string_handle: string",
                    NULL,
                    sluice_shape_scalar,
                    N_ ("A string that stands for an iterator, to be fed"));
SLUICE_STATEFUL_OP (from_string_op,
                    "IteratorFromStringHandle",
                    "string_handle: string -> resource_handle: resource",
                    MAYBE,
                    sluice_shape_scalar,
                    N_ ("The iterator that a string stands for"));
SLUICE_STATEFUL_OP (from_string_v2_op,
                    "IteratorFromStringHandleV2",
                    "string_handle: string -> resource_handle: resource",
                    MAYBE,
                    sluice_shape_scalar,
                    N_ ("The iterator that a string stands for"));

static const SluiceOpDef *const ops[] = { &iterator_op,  &iterator_v2_op, &begin_op,
                                          &next_op,      &next_sync_op,   &next_optional_op,
                                          &to_string_op, &from_string_op, &from_string_v2_op };

#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }
#define SIGNED .prepare = sluice_element_spec_prepare, .free_state = sluice_element_spec_free

#define NEXT(answer)                                                                               \
  SIGNED, .flags = SLUICE_KERNEL_ASYNC, .start = next_start, .cancel = sluice_dataset_pass_cancel, \
          .describe_wait = sluice_dataset_pass_describe_wait, .data = (gpointer) answer

static const SluiceKernel kernels[] = {
  KERNEL ("Iterator", SIGNED, .compute = iterator_compute),
  KERNEL ("IteratorV2", SIGNED, .compute = iterator_compute),
  KERNEL ("MakeIterator", .compute = begin_compute),
  KERNEL ("IteratorGetNext", NEXT (answer_tensors)),
  KERNEL ("IteratorGetNextSync", NEXT (answer_tensors)),
  KERNEL ("IteratorGetNextAsOptional", NEXT (answer_optional)),
  KERNEL ("IteratorToStringHandle", .compute = to_string_compute),
  KERNEL ("IteratorFromStringHandle", SIGNED, .compute = from_string_compute),
  KERNEL ("IteratorFromStringHandleV2", SIGNED, .compute = from_string_compute),
};

const SluiceKernelModule sluice_module_data_iterator = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
