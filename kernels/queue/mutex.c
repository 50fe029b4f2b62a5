/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Mutual exclusion between steps: who has the lock holds a value, and whoever drops the value last
 * lets the next one in. White paper table 1, MutexAcquire and MutexRelease.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/handle.h"
#include "kernels/queue/monitor.h"

typedef struct
{
  SluiceMonitor parent;
  gboolean is_held; /* under the monitor's lock */
} Mutex;

static void
mutex_finalize (SluiceResource *resource)
{
  sluice_monitor_clear ((SluiceMonitor *) resource);
  g_free (resource);
}

static const SluiceResourceType mutex_type = { "mutex", mutex_finalize };

static SluiceResource *
make_mutex (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  Mutex *self = g_new0 (Mutex, 1);
  sluice_monitor_init (&self->parent, &mutex_type, call->node->name, TRUE);
  return &self->parent.parent;
}

static gboolean
mutex_compute (SluiceKernelCall *call)
{
  SluiceResource *mutex = sluice_call_resource (call, &mutex_type, make_mutex, call);
  if (mutex != NULL)
    sluice_call_put_handle (call, 0, mutex);
  return mutex != NULL;
}

/* ---- holding it ---- */

typedef struct
{
  SluiceResource parent;
  Mutex *mutex; /* a reference */
} Lock;

static void
lock_finalize (SluiceResource *resource)
{
  Lock *self = (Lock *) resource;
  sluice_monitor_enter (&self->mutex->parent);
  self->mutex->is_held = FALSE;
  sluice_monitor_leave (&self->mutex->parent);
  sluice_resource_unref (&self->mutex->parent.parent);
  g_free (self);
}

static const SluiceResourceType lock_type = { "lock of a mutex", lock_finalize };

static gboolean
try_lock (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number)
{
  Mutex *mutex = (Mutex *) monitor;
  if (mutex->is_held)
    return FALSE;
  mutex->is_held = TRUE;
  Lock *lock = g_new0 (Lock, 1);
  atomic_init (&lock->parent.ref_count, 1);
  lock->parent.type = &lock_type;
  lock->mutex = (Mutex *) sluice_resource_ref (&monitor->parent);
  SluiceTensor *value = sluice_tensor_new_zeros (SLUICE_VARIANT, &SLUICE_SHAPE_SCALAR);
  *(SluiceResource **) value->data = &lock->parent;
  sluice_call_take_output (call, 0, value);
  return TRUE;
}

static void
lock_start (SluiceKernelCall *call)
{
  SluiceResource *mutex = sluice_call_handle (call, 0, &mutex_type);
  if (mutex != NULL)
    sluice_monitor_wait ((SluiceMonitor *) mutex, call, try_lock, 0);
  else
    call->done (call);
}

/* The value is dropped with the call's inputs. */
static gboolean
consume_compute (SluiceKernelCall *call)
{
  const SluiceTensor *value = sluice_call_input (call, 0);
  const SluiceResource *lock =
      value->n_elements == 1 ? *(SluiceResource *const *) value->data : NULL;
  if (lock != NULL && lock->type == &lock_type)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 0 (mutex_lock) must be the lock of a mutex, not %s",
                           lock != NULL ? lock->type->name : "nothing");
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on a mutex: tests/kernels/test-monitor makes one")
};

SLUICE_STATEFUL_OP (mutex_op,
                    "MutexV2",
                    "-> resource: resource",
                    "container: string = ''; shared_name: string = ''",
                    sluice_shape_scalar,
                    N_ ("A mutex, which one lock at a time can hold"));
SLUICE_STATEFUL_OP (lock_op,
                    "MutexLock",
                    "mutex: resource -> mutex_lock: variant",
                    NULL,
                    sluice_shape_scalar,
                    N_ ("Waits for a mutex and holds it as long as its value lives"));
SLUICE_STATEFUL_OP (consume_op,
                    "ConsumeMutexLock",
                    "mutex_lock: variant ->",
                    NULL,
                    sluice_shape_none,
                    N_ ("Takes a lock, so that its mutex is free again"));

static const SluiceOpDef *const ops[] = { &mutex_op, &lock_op, &consume_op };

static const SluiceKernel kernels[] = {
  { .op = "MutexV2", .device = "CPU", .compute = mutex_compute },
  { .op = "MutexLock",
    .device = "CPU",
    .flags = SLUICE_KERNEL_ASYNC,
    .start = lock_start,
    .cancel = sluice_monitor_cancel,
    .describe_wait = sluice_monitor_describe_wait },
  { .op = "ConsumeMutexLock", .device = "CPU", .compute = consume_compute },
};

const SluiceKernelModule sluice_module_queue_mutex = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
