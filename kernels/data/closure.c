/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/data/closure.h"

#include <string.h>

gboolean
sluice_closure_init (SluiceClosure *self,
                     SluiceKernelCall *call,
                     const char *attr,
                     guint n_own,
                     guint first_captured,
                     guint n_captured)
{
  *self = (SluiceClosure){ .function = sluice_call_dup_function (call, attr) };
  if (self->function == NULL)
    return FALSE;
  self->n_own = n_own;
  self->n_captured = n_captured;
  self->captured = g_new (SluiceTensor *, n_captured + 1);
  for (guint i = 0; i < n_captured; i++)
    self->captured[i] = sluice_tensor_ref (sluice_call_input (call, first_captured + i));
  return TRUE;
}

void
sluice_closure_clear (SluiceClosure *self)
{
  for (guint i = 0; i < self->n_captured; i++)
    sluice_tensor_unref (self->captured[i]);
  g_free (self->captured);
  sluice_function_unref (self->function);
}

gboolean
sluice_closure_check_results (const SluiceClosure *self,
                              SluiceKernelCall *call,
                              const char *attr,
                              guint n,
                              const SluiceDType *types)
{
  const SluiceFunction *function = self->function;
  if (function->n_outputs != n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the function in '%s' gives %u tensors; it must give %u", attr,
                             function->n_outputs, n);
  for (guint i = 0; i < n; i++)
    if (function->output_types[i] != types[i])
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "result %u of the function in '%s' is %s; it must be %s", i, attr,
                               sluice_dtype_name (function->output_types[i]),
                               sluice_dtype_name (types[i]));
  return TRUE;
}

/* ---- one call ---- */

struct _SluiceInvocation
{
  SluiceFunctionCall call; /* first: done gets the invocation back from it */
  _Atomic int ref_count;
  SluiceFunction *function;
  SluiceDatasetPass *pass;
  gboolean is_started, is_ahead; /* of the pass's poller */
  _Atomic int has_ended;         /* the last thing that the call under way writes */
  _Atomic int is_interrupted;
  guint n_own, n_inputs, n_outputs;
  SluiceTensor **inputs;
};

SluiceInvocation *
sluice_invocation_new (const SluiceClosure *closure, SluiceDatasetPass *pass)
{
  SluiceInvocation *self = g_new0 (SluiceInvocation, 1);
  self->ref_count = 1;
  self->function = sluice_function_ref (closure->function);
  self->pass = sluice_dataset_pass_ref (pass);
  self->n_own = closure->n_own;
  self->n_inputs = closure->n_own + closure->n_captured;
  self->n_outputs = closure->function->n_outputs;
  self->inputs = g_new0 (SluiceTensor *, self->n_inputs + 1);
  for (guint i = 0; i < closure->n_captured; i++)
    self->inputs[closure->n_own + i] = sluice_tensor_ref (closure->captured[i]);
  self->call.inputs = self->inputs;
  self->call.outputs = g_new0 (SluiceTensor *, self->n_outputs + 1);
  return self;
}

SluiceInvocation *
sluice_invocation_ref (SluiceInvocation *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_invocation_unref (SluiceInvocation *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  for (guint i = 0; i < self->n_inputs; i++)
    g_clear_pointer (&self->inputs[i], sluice_tensor_unref);
  for (guint i = 0; i < self->n_outputs; i++)
    g_clear_pointer (&self->call.outputs[i], sluice_tensor_unref);
  g_clear_error (&self->call.error);
  g_free (self->inputs);
  g_free (self->call.outputs);
  sluice_function_unref (self->function);
  sluice_dataset_pass_unref (self->pass);
  g_free (self);
}

SluiceTensor **
sluice_invocation_get_inputs (SluiceInvocation *self)
{
  return self->inputs;
}

static void
call_done (SluiceFunctionCall *call)
{
  SluiceInvocation *self = (SluiceInvocation *) call;
  atomic_store_explicit (&self->has_ended, TRUE, memory_order_release);
  sluice_dataset_pass_wake (self->pass);
  sluice_invocation_unref (self);
}

void
sluice_invocation_start (SluiceInvocation *self, SluiceKernelCall *call, gboolean ahead)
{
  self->is_started = TRUE;
  self->is_ahead = ahead;
  self->call.done = call_done;
  self->call.is_cancelled = FALSE;
  atomic_store (&self->has_ended, FALSE);
  atomic_store (&self->is_interrupted, FALSE);
  sluice_dataset_pass_add (self->pass, self);
  sluice_invocation_ref (self);
  self->function->klass->start (self->function, &self->call, self->n_inputs, call, ahead);
}

void
sluice_invocation_start_failed (SluiceInvocation *self, GError *take)
{
  self->is_started = TRUE;
  self->call.error = take;
  sluice_dataset_pass_add (self->pass, self);
  atomic_store (&self->has_ended, TRUE);
}

gboolean
sluice_invocation_is_started (const SluiceInvocation *self)
{
  return self->is_started;
}

SluiceNext
sluice_invocation_take (SluiceInvocation *self,
                        SluiceKernelCall *call,
                        SluiceTensor **results,
                        GError **error)
{
  if (!atomic_load_explicit (&self->has_ended, memory_order_acquire))
    return SLUICE_NEXT_LATER;
  gboolean is_interrupted =
      atomic_load (&self->is_interrupted)
      && g_error_matches (self->call.error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  if (is_interrupted && sluice_dataset_pass_is_cancelled (self->pass))
    return SLUICE_NEXT_LATER;
  sluice_dataset_pass_remove (self->pass, self);
  if (is_interrupted)
    {
      g_clear_error (&self->call.error);
      sluice_invocation_start (self, call, FALSE);
      return sluice_invocation_take (self, call, results, error);
    }
  if (self->call.error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->call.error));
      return SLUICE_NEXT_FAILED;
    }
  memcpy (results, self->call.outputs, self->n_outputs * sizeof *results);
  memset (self->call.outputs, 0, self->n_outputs * sizeof *results);
  return SLUICE_NEXT_ONE;
}

void
sluice_invocation_drop (SluiceInvocation *self)
{
  if (self->is_started)
    {
      self->function->klass->cancel (self->function, &self->call);
      sluice_dataset_pass_remove (self->pass, self);
    }
  sluice_invocation_unref (self);
}

void
sluice_invocation_interrupt (SluiceInvocation *self)
{
  if (self->is_ahead)
    return;
  atomic_store (&self->is_interrupted, TRUE);
  self->function->klass->cancel (self->function, &self->call);
}

gboolean
sluice_invocation_is_awaited (const SluiceInvocation *self)
{
  return !self->is_ahead && !atomic_load_explicit (&self->has_ended, memory_order_acquire);
}

char *
sluice_invocation_describe_wait (SluiceInvocation *self, SluiceKernelCall *call)
{
  return self->function->klass->describe_wait (self->function, &self->call, call);
}

SluiceDataset *
sluice_closure_dup_dataset (
    const char *name, const SluiceTensor *result, guint n, const SluiceDType *types, GError **error)
{
  SluiceDataset *dataset = sluice_tensor_get_dataset (result);
  gboolean fits = dataset != NULL && dataset->n == n;
  for (guint i = 0; fits && i < n; i++)
    fits = dataset->types[i] == types[i];
  if (fits)
    return (SluiceDataset *) sluice_resource_ref (&dataset->parent);
  if (dataset == NULL)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "the function of '%s' must give a dataset, and gives something else", name);
  else
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "the function of '%s' gives the dataset '%s', whose components are not those that "
                 "output_types says",
                 name, dataset->name);
  return NULL;
}

/* ---- a function of each element ---- */

SluiceNext
sluice_applying_next (SluiceApplying *self,
                      SluiceCursor *cursor,
                      const SluiceClosure *closure,
                      SluiceKernelCall *call,
                      SluiceTensor **element,
                      SluiceTensor **results,
                      GError **error)
{
  if (self->input == NULL)
    self->input = sluice_cursor_new (cursor->dataset->inputs[0], cursor->pass);
  if (self->current == NULL)
    self->current = sluice_invocation_new (closure, cursor->pass);
  SluiceTensor **inputs = sluice_invocation_get_inputs (self->current);
  if (!sluice_invocation_is_started (self->current))
    {
      SluiceNext result = sluice_cursor_next (self->input, call, inputs, error);
      if (result != SLUICE_NEXT_ONE)
        return result;
      sluice_invocation_start (self->current, call, FALSE);
    }
  SluiceNext result = sluice_invocation_take (self->current, call, results, error);
  if (result == SLUICE_NEXT_LATER)
    return result;
  for (guint i = 0; result == SLUICE_NEXT_ONE && element != NULL && i < closure->n_own; i++)
    element[i] = sluice_tensor_ref (inputs[i]);
  g_clear_pointer (&self->current, sluice_invocation_unref);
  return result;
}

void
sluice_applying_clear (SluiceApplying *self)
{
  g_clear_pointer (&self->current, sluice_invocation_drop);
  g_clear_pointer (&self->input, sluice_cursor_free);
}
