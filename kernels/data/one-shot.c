/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * An iterator whose dataset a function of the graph makes, the first time that somebody wants it.
 * Whoever wants it meanwhile waits for the same call of the function, without a thread. A factory
 * that fails, or that nobody waits for any more, is asked again by the next run.
 */
#include <glib/gi18n-lib.h>

#include "engine/base/lock.h"
#include "engine/graph/shape-context.h"
#include "kernels/data/closure.h"
#include "kernels/data/iterator.h"
#include "kernels/queue/waiting.h"

/* One call of a factory. Counted: by the call under way, and while it is begun. */
struct _SluiceFactory
{
  SluiceFunctionCall call; /* first: done gets the factory back from it */
  _Atomic int ref_count;
  SluiceFunction *function;
  SluiceIterator *iterator;
  SluiceTensor *result;

  /* Under the iterator's lock. */
  GPtrArray *waiting;        /* of SluiceKernelCall; NULL: it has ended */
  SluiceKernelCall *starter; /* (nullable): begins it just now, and must not end */
  gboolean starter_is_cancelled;
};
typedef struct _SluiceFactory SluiceFactory;

static void
factory_unref (SluiceFactory *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  g_clear_pointer (&self->result, sluice_tensor_unref);
  g_clear_error (&self->call.error);
  g_clear_pointer (&self->waiting, g_ptr_array_unref);
  sluice_function_unref (self->function);
  sluice_resource_unref (&self->iterator->parent);
  g_free (self);
}

/* With its output, or the error that is set. */
static void
end_call (SluiceKernelCall *call, SluiceIterator *iterator)
{
  if (call->error == NULL)
    sluice_call_take_output (call, 0,
                             sluice_tensor_new_resource (sluice_resource_ref (&iterator->parent)));
  sluice_waiting_remove (call);
  call->done (call);
}

static void
end_cancelled (SluiceKernelCall *call, SluiceIterator *iterator)
{
  sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run was cancelled");
  end_call (call, iterator);
}

/* The way through what the factory has made. (transfer full) (nullable) */
static SluiceDatasetPass *
make_pass (SluiceFactory *self, GError **error)
{
  const SluiceElementSpec *spec = self->iterator->spec;
  if (self->call.error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->call.error));
      return NULL;
    }
  SluiceDataset *dataset =
      sluice_closure_dup_dataset (self->iterator->name, self->result, spec->n, spec->types, error);
  SluiceDatasetPass *pass = dataset != NULL ? sluice_dataset_pass_new (dataset) : NULL;
  if (dataset != NULL)
    sluice_resource_unref (&dataset->parent);
  return pass;
}

static void
factory_done (SluiceFunctionCall *function_call)
{
  SluiceFactory *self = (SluiceFactory *) function_call;
  SluiceIterator *iterator = self->iterator;
  g_autoptr (GError) error = NULL;
  SluiceDatasetPass *pass = make_pass (self, &error);
  sluice_lock (&iterator->lock, SLUICE_LOCK_DATA);
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&self->waiting);
  if (iterator->factory == self)
    {
      iterator->factory = NULL;
      if (iterator->pass == NULL) /* MakeIterator may have come first */
        iterator->pass = g_steal_pointer (&pass);
    }
  pthread_mutex_unlock (&iterator->lock);
  if (pass != NULL)
    sluice_dataset_pass_close (pass, NULL);
  for (guint i = 0; i < waiting->len; i++)
    {
      SluiceKernelCall *call = waiting->pdata[i];
      if (error != NULL)
        sluice_call_fail_with (call, g_error_copy (error));
      end_call (call, iterator);
    }
  factory_unref (self);
}

/* ---- the kernel ---- */

/* The call waits for the factory no more, and the factory ends where nobody does. Under the lock.
 */
static gboolean
leave (SluiceFactory *self, SluiceKernelCall *call)
{
  if (self->waiting == NULL || !g_ptr_array_remove (self->waiting, call))
    return FALSE;
  if (self->waiting->len == 0)
    {
      self->iterator->factory = NULL;
      self->function->klass->cancel (self->function, &self->call);
    }
  return TRUE;
}

/* A call that begins the factory is not ended before it has. */
static void
begin (SluiceFactory *self, SluiceKernelCall *call)
{
  SluiceIterator *iterator = self->iterator;
  atomic_fetch_add (&self->ref_count, 1);
  self->function->klass->start (self->function, &self->call, 0, call, FALSE);
  sluice_lock (&iterator->lock, SLUICE_LOCK_DATA);
  self->starter = NULL;
  gboolean ends = self->starter_is_cancelled && leave (self, call);
  pthread_mutex_unlock (&iterator->lock);
  if (ends)
    end_cancelled (call, iterator);
  factory_unref (self);
}

/* Takes over the function. (nullable): the call waits, or has ended */
static SluiceFactory *
join (SluiceIterator *iterator, SluiceKernelCall *call, SluiceFunction *take)
{
  SluiceFactory *self = NULL;
  sluice_waiting_add (call, &iterator->parent);
  sluice_lock (&iterator->lock, SLUICE_LOCK_DATA);
  gboolean is_there = iterator->pass != NULL;
  if (!is_there && iterator->factory == NULL)
    {
      self = g_new0 (SluiceFactory, 1);
      self->ref_count = 1;
      self->function = sluice_function_ref (take);
      self->iterator = (SluiceIterator *) sluice_resource_ref (&iterator->parent);
      self->call.outputs = &self->result;
      self->call.done = factory_done;
      self->waiting = g_ptr_array_new ();
      self->starter = call;
      iterator->factory = self;
    }
  if (!is_there)
    g_ptr_array_add (iterator->factory->waiting, call);
  pthread_mutex_unlock (&iterator->lock);
  sluice_function_unref (take);
  if (is_there)
    end_call (call, iterator);
  return self;
}

static void
wait_for_factory (SluiceKernelCall *call, SluiceIterator *iterator)
{
  const SluiceDType want = SLUICE_VARIANT;
  SluiceClosure closure;
  if (!sluice_closure_init (&closure, call, "dataset_factory", 0, 0, 0))
    {
      call->done (call);
      return;
    }
  SluiceFactory *factory = NULL;
  if (sluice_closure_check_results (&closure, call, "dataset_factory", 1, &want))
    factory = join (iterator, call, sluice_function_ref (closure.function));
  else
    call->done (call);
  if (factory != NULL)
    begin (factory, call);
  sluice_closure_clear (&closure);
}

static void
one_shot_start (SluiceKernelCall *call)
{
  SluiceIterator *iterator = sluice_call_dup_iterator (call);
  if (iterator == NULL)
    {
      call->done (call);
      return;
    }
  sluice_lock (&iterator->lock, SLUICE_LOCK_DATA);
  gboolean is_there = iterator->pass != NULL;
  pthread_mutex_unlock (&iterator->lock);
  if (is_there)
    {
      sluice_call_take_output (call, 0, sluice_tensor_new_resource (&iterator->parent));
      call->done (call);
      return;
    }
  wait_for_factory (call, iterator);
  sluice_resource_unref (&iterator->parent);
}

static void
one_shot_cancel (SluiceKernelCall *call)
{
  SluiceIterator *iterator = (SluiceIterator *) sluice_waiting_dup (call);
  gboolean ends = FALSE;
  if (iterator == NULL)
    return;
  sluice_lock (&iterator->lock, SLUICE_LOCK_DATA);
  SluiceFactory *factory = iterator->factory;
  if (factory != NULL && factory->starter == call)
    factory->starter_is_cancelled = TRUE;
  else if (factory != NULL)
    ends = leave (factory, call);
  pthread_mutex_unlock (&iterator->lock);
  if (ends)
    end_cancelled (call, iterator);
  sluice_resource_unref (&iterator->parent);
}

static char *
one_shot_describe_wait (SluiceKernelCall *call)
{
  SluiceIterator *iterator = (SluiceIterator *) sluice_waiting_dup (call);
  char *text = NULL;
  if (iterator == NULL)
    return NULL;
  sluice_lock (&iterator->lock, SLUICE_LOCK_DATA);
  SluiceFactory *factory = iterator->factory;
  if (factory != NULL)
    atomic_fetch_add (&factory->ref_count, 1);
  pthread_mutex_unlock (&iterator->lock);
  if (factory != NULL)
    {
      text = factory->function->klass->describe_wait (factory->function, &factory->call, call);
      factory_unref (factory);
    }
  sluice_resource_unref (&iterator->parent);
  return text;
}

/* ---- the op ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("calls a function of the graph: tests/kernels/test-dataset-functions does")
};

static const SluiceOpDef one_shot_op = {
  .name = "OneShotIterator",
  .signature = "-> handle: resource",
  .attrs = "dataset_factory: func; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
           "container: string = ''; shared_name: string = ''",
  .summary = N_ ("Goes once through the dataset that a function makes"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &recipe,
};
static const SluiceOpDef *const ops[] = { &one_shot_op };

static const SluiceKernel kernels[] = { { .op = "OneShotIterator",
                                          .device = "CPU",
                                          .flags = SLUICE_KERNEL_ASYNC,
                                          .prepare = sluice_element_spec_prepare,
                                          .free_state = sluice_element_spec_free,
                                          .start = one_shot_start,
                                          .cancel = one_shot_cancel,
                                          .describe_wait = one_shot_describe_wait } };

const SluiceKernelModule sluice_module_data_one_shot = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
