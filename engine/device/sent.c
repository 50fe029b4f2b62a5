/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/sent.h"

#include <pthread.h>

typedef struct
{
  _Atomic int ref_count; /* of the table, and of the copy that is under way */
  SluiceDevice *device;
  SluiceTensor *near, *far;
  SluiceDeviceEvent arrival;
  guint n_users;
  _Atomic int has_failed; /* the copy */
} Sent;

struct _SluiceSentValues
{
  pthread_mutex_t lock;
  GHashTable *values;    /* near → Sent */
  GHashTable *constants; /* near → far */
};

static void
sent_unref (gpointer data)
{
  Sent *self = data;
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  sluice_tensor_unref (self->near);
  sluice_tensor_unref (self->far);
  g_free (self);
}

SluiceSentValues *
sluice_sent_values_new (void)
{
  SluiceSentValues *self = g_new0 (SluiceSentValues, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->values = g_hash_table_new_full (NULL, NULL, NULL, sent_unref);
  self->constants = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) sluice_tensor_unref,
                                           (GDestroyNotify) sluice_tensor_unref);
  return self;
}

void
sluice_sent_values_free (SluiceSentValues *self)
{
  g_hash_table_unref (self->values);
  g_hash_table_unref (self->constants);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static void
copy_in (gpointer data)
{
  Sent *sent = data;
  sent->has_failed =
      !sluice_device_write_in (sent->device, SLUICE_QUEUE_IN, sent->far, sent->near->data);
  sent_unref (sent);
}

/* far: (transfer full). (nullable): nobody who copies it */
static Sent *
begin (SluiceDevice *self, SluiceTensor *tensor, SluiceTensor *far)
{
  const SluiceDeviceQueues *queues = self->klass->queues;
  Sent *sent = g_new0 (Sent, 1);
  sent->ref_count = 2;
  sent->device = self;
  sent->near = sluice_tensor_ref (tensor);
  sent->far = far;
  if (!queues->enqueue (self, SLUICE_QUEUE_IN, copy_in, sent))
    {
      sent_unref (sent);
      sent_unref (sent);
      return NULL;
    }
  sent->arrival = queues->record (self, SLUICE_QUEUE_IN);
  return sent;
}

static gboolean
is_sent (SluiceSentValues *all, const SluiceTensor *tensor)
{
  pthread_mutex_lock (&all->lock);
  gboolean found = g_hash_table_contains (all->values, tensor);
  pthread_mutex_unlock (&all->lock);
  return found;
}

/* FALSE: it cannot be sent. Room is taken outside the lock, which kernels take as well: it may have
 * to wait for one. */
static gboolean
hold (SluiceDevice *self, SluiceTensor *tensor, guint32 node, SluiceDeviceEvent *arrival)
{
  SluiceSentValues *all = self->sent;
  const SluiceOwner owner = { node, SLUICE_MEMORY_TRANSFER };
  g_autoptr (SluiceTensor) far =
      is_sent (all, tensor) ? NULL : sluice_device_new_room (self, tensor, owner, NULL);
  pthread_mutex_lock (&all->lock);
  Sent *sent = g_hash_table_lookup (all->values, tensor);
  if (sent == NULL && far != NULL && (sent = begin (self, tensor, g_steal_pointer (&far))) != NULL)
    g_hash_table_insert (all->values, tensor, sent);
  if (sent != NULL)
    {
      sent->n_users++;
      *arrival = sent->arrival;
    }
  pthread_mutex_unlock (&all->lock);
  return sent != NULL;
}

static void
let_go (SluiceDevice *self, SluiceTensor *tensor)
{
  SluiceSentValues *all = self->sent;
  pthread_mutex_lock (&all->lock);
  Sent *sent = g_hash_table_lookup (all->values, tensor);
  if (--sent->n_users == 0)
    g_hash_table_remove (all->values, tensor);
  pthread_mutex_unlock (&all->lock);
}

SluiceTensor *
sluice_device_dup_sent (SluiceDevice *self, const SluiceTensor *tensor)
{
  SluiceSentValues *all = self->sent;
  pthread_mutex_lock (&all->lock);
  const Sent *sent = g_hash_table_lookup (all->values, tensor);
  gboolean is_there = sent != NULL && !sent->has_failed;
  SluiceTensor *far = is_there ? sluice_tensor_ref (sent->far) : NULL;
  pthread_mutex_unlock (&all->lock);
  return far;
}

/* ---- constants ---- */

SluiceTensor *
sluice_device_dup_constant (SluiceDevice *self, SluiceTensor *constant)
{
  pthread_mutex_lock (&self->sent->lock);
  SluiceTensor *far = g_hash_table_lookup (self->sent->constants, constant);
  if (far != NULL)
    sluice_tensor_ref (far);
  pthread_mutex_unlock (&self->sent->lock);
  return far;
}

SluiceTensor *
sluice_device_keep_constant (SluiceDevice *self, SluiceTensor *constant, SluiceTensor *far)
{
  pthread_mutex_lock (&self->sent->lock);
  SluiceTensor *before = g_hash_table_lookup (self->sent->constants, constant);
  if (before == NULL)
    g_hash_table_insert (self->sent->constants, sluice_tensor_ref (constant), far);
  SluiceTensor *kept = sluice_tensor_ref (before != NULL ? before : far);
  pthread_mutex_unlock (&self->sent->lock);
  if (before != NULL)
    sluice_tensor_unref (far);
  return kept;
}

void
sluice_device_forget_constants (SluiceDevice *self, SluiceTensor *const *constants, guint n)
{
  pthread_mutex_lock (&self->sent->lock);
  for (guint i = 0; i < n; i++)
    g_hash_table_remove (self->sent->constants, constants[i]);
  pthread_mutex_unlock (&self->sent->lock);
}

/* ---- who holds them ---- */

typedef struct
{
  SluiceDevice *device;
  SluiceTensor *tensor;
} Held;

static void
held_clear (gpointer data)
{
  const Held *self = data;
  let_go (self->device, self->tensor);
  sluice_tensor_unref (self->tensor);
}

GArray *
sluice_sent_new (void)
{
  GArray *sent = g_array_new (FALSE, FALSE, sizeof (Held));
  g_array_set_clear_func (sent, held_clear);
  return sent;
}

/* What comes too early must not take what the step that runs needs: as much as any took so far. */
static gboolean
has_room (SluiceDevice *device, const SluiceTensor *tensor)
{
  SluiceMemoryStats stats;
  gsize limit = sluice_allocator_get_limit (device->allocator);
  if (limit == 0)
    return TRUE;
  sluice_allocator_get_stats (device->allocator, &stats);
  return stats.peak_bytes + sluice_tensor_bytes (tensor) <= limit;
}

void
sluice_sent_add (
    GArray *sent, SluiceDevice *device, SluiceTensor *tensor, guint32 node, gboolean needs_now)
{
  const SluiceDeviceQueues *queues = device->klass->queues;
  SluiceDeviceEvent arrival;
  if ((!needs_now && !has_room (device, tensor)) || !hold (device, tensor, node, &arrival))
    return;
  Held held = { device, sluice_tensor_ref (tensor) };
  g_array_append_val (sent, held);
  if (needs_now && !queues->has_passed (device, arrival))
    queues->wait_in_queue (device, SLUICE_QUEUE_COMPUTE, arrival);
}
