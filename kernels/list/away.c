/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/list/away.h"

#include "engine/base/lock.h"

#include <pthread.h>

struct _SluiceAway
{
  _Atomic int ref_count;
  pthread_mutex_t lock;
  SluiceTensor *tensor;   /* under lock; one of the two */
  SluiceSwapped *swapped; /* under lock */
};

SluiceAway *
sluice_away_new (SluiceKernelCall *call, SluiceTensor *value)
{
  if (call->device->swap == NULL || !sluice_swap_accepts (call->device->swap, value))
    return NULL;
  sluice_tensor_set_memory_class (value, SLUICE_MEMORY_STACK);
  SluiceSwapped *swapped = sluice_swap_keep (
      call->device->swap, value, (SluiceOwner){ call->owner.node, SLUICE_MEMORY_STACK });
  if (swapped == NULL)
    return NULL;
  SluiceAway *self = g_new0 (SluiceAway, 1);
  atomic_init (&self->ref_count, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->swapped = swapped;
  return self;
}

SluiceAway *
sluice_away_ref (SluiceAway *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_away_unref (SluiceAway *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  g_clear_pointer (&self->tensor, sluice_tensor_unref);
  g_clear_pointer (&self->swapped, sluice_swapped_drop);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* Somebody who waits for a value. */
typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t ready;
  gboolean done; /* under lock, as the others */
  SluiceTensor *value;
  GError *error;
} Wait;

static void
on_ready (gpointer data, SluiceTensor *value, GError *error)
{
  Wait *wait = data;
  pthread_mutex_lock (&wait->lock);
  wait->done = TRUE;
  wait->value = value;
  wait->error = error;
  pthread_cond_signal (&wait->ready);
  pthread_mutex_unlock (&wait->lock);
}

/* (transfer full) (nullable): *error is set. The disk answers, so this ends. */
static SluiceTensor *
wait_for (SluiceSwapped *take, GError **error)
{
  Wait wait = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, FALSE, NULL, NULL };
  SluiceTensor *now = sluice_swapped_take_now (take);
  if (now != NULL)
    return now;
  sluice_swapped_take (take, on_ready, &wait);
  pthread_mutex_lock (&wait.lock);
  while (!wait.done)
    sluice_lock_wait (&wait.ready, &wait.lock, SLUICE_LOCK_MEMORY);
  pthread_mutex_unlock (&wait.lock);
  if (wait.value == NULL)
    g_propagate_error (error, wait.error);
  return wait.value;
}

/* Under the lock. One of several readers has the value; for the others it may leave again, once
 * that one has done with it: a reader far ahead would fill the memory. (transfer full) */
static SluiceTensor *
share (SluiceAway *self, SluiceKernelCall *call, SluiceTensor *take)
{
  if (!sluice_away_is_alone (self))
    self->swapped = sluice_swap_keep (call->device->swap, take,
                                      (SluiceOwner){ call->owner.node, SLUICE_MEMORY_STACK });
  if (self->swapped == NULL)
    self->tensor = sluice_tensor_ref (take);
  return take;
}

SluiceTensor *
sluice_away_get (SluiceAway *self, SluiceKernelCall *call)
{
  GError *error = NULL;
  pthread_mutex_lock (&self->lock);
  SluiceTensor *value = self->tensor != NULL ? sluice_tensor_ref (self->tensor) : NULL;
  if (value == NULL && self->swapped != NULL)
    value = wait_for (g_steal_pointer (&self->swapped), &error);
  if (value != NULL && self->tensor == NULL)
    value = share (self, call, value);
  pthread_mutex_unlock (&self->lock);
  if (error != NULL)
    sluice_call_fail_with (call, error);
  else if (value == NULL)
    sluice_call_fail (call, SLUICE_ERROR_DATA_LOSS, "an element could not be read before");
  return value;
}

gboolean
sluice_away_is_alone (const SluiceAway *self)
{
  return atomic_load_explicit (&self->ref_count, memory_order_acquire) == 1;
}

SluiceTensor *
sluice_away_try (SluiceAway *self, SluiceKernelCall *call)
{
  pthread_mutex_lock (&self->lock);
  SluiceTensor *value = self->tensor != NULL ? sluice_tensor_ref (self->tensor) : NULL;
  if (value == NULL && self->swapped != NULL)
    {
      value = sluice_swapped_take_now (self->swapped);
      if (value != NULL)
        {
          self->swapped = NULL;
          value = share (self, call, value);
        }
    }
  pthread_mutex_unlock (&self->lock);
  return value;
}

void
sluice_away_take (SluiceAway *self, SluiceSwapReady ready, gpointer data)
{
  SluiceSwapped *swapped = g_steal_pointer (&self->swapped); /* nobody else is there */
  SluiceTensor *value = g_steal_pointer (&self->tensor);
  sluice_away_unref (self);
  if (value != NULL)
    ready (data, value, NULL);
  else if (swapped != NULL)
    sluice_swapped_take (swapped, ready, data);
  else
    ready (data, NULL,
           g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS,
                                "an element could not be read before"));
}
