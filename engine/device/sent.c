/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/sent.h"

#include <pthread.h>

typedef struct
{
  SluiceTensor *near, *far;
  SluiceDeviceEvent arrival;
  guint n_users;
} Sent;

struct _SluiceSentValues
{
  pthread_mutex_t lock;
  GHashTable *values; /* near → Sent */
};

static void
sent_free (gpointer data)
{
  Sent *self = data;
  sluice_tensor_unref (self->near);
  sluice_tensor_unref (self->far);
  g_free (self);
}

SluiceSentValues *
sluice_sent_values_new (void)
{
  SluiceSentValues *self = g_new0 (SluiceSentValues, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->values = g_hash_table_new_full (NULL, NULL, NULL, sent_free);
  return self;
}

void
sluice_sent_values_free (SluiceSentValues *self)
{
  g_hash_table_unref (self->values);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

typedef struct
{
  SluiceDevice *device;
  SluiceTensor *near, *far;
} Copy;

static void
copy_in (gpointer data)
{
  Copy *copy = data;
  copy->device->klass->queues->copy (copy->device, SLUICE_QUEUE_IN, SLUICE_COPY_IN, copy->far->data,
                                     copy->near->data, sluice_tensor_bytes (copy->near));
  sluice_tensor_unref (copy->near);
  sluice_tensor_unref (copy->far);
  g_free (copy);
}

/* Under the lock. (nullable): no memory */
static Sent *
begin (SluiceDevice *self, SluiceTensor *tensor)
{
  const SluiceDeviceQueues *queues = self->klass->queues;
  const SluiceOwner owner = { SLUICE_OWNER_NONE.node, SLUICE_MEMORY_TRANSFER };
  SluiceTensor *far =
      sluice_tensor_new (self->allocator, (SluiceDType) tensor->dtype, &tensor->shape, owner);
  if (far == NULL)
    return NULL;
  Copy *copy = g_new (Copy, 1);
  *copy = (Copy){ self, sluice_tensor_ref (tensor), sluice_tensor_ref (far) };
  queues->enqueue (self, SLUICE_QUEUE_IN, copy_in, copy);
  Sent *sent = g_new (Sent, 1);
  *sent = (Sent){ sluice_tensor_ref (tensor), far, queues->record (self, SLUICE_QUEUE_IN), 0 };
  return sent;
}

/* FALSE: no memory for it */
static gboolean
hold (SluiceDevice *self, SluiceTensor *tensor, SluiceDeviceEvent *arrival)
{
  SluiceSentValues *all = self->sent;
  pthread_mutex_lock (&all->lock);
  Sent *sent = g_hash_table_lookup (all->values, tensor);
  if (sent == NULL && (sent = begin (self, tensor)) != NULL)
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
  SluiceTensor *far = sent != NULL ? sluice_tensor_ref (sent->far) : NULL;
  pthread_mutex_unlock (&all->lock);
  return far;
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
sluice_sent_add (GArray *sent, SluiceDevice *device, SluiceTensor *tensor, gboolean needs_now)
{
  const SluiceDeviceQueues *queues = device->klass->queues;
  SluiceDeviceEvent arrival;
  if ((!needs_now && !has_room (device, tensor)) || !hold (device, tensor, &arrival))
    return;
  Held held = { device, sluice_tensor_ref (tensor) };
  g_array_append_val (sent, held);
  if (needs_now && !queues->has_passed (device, arrival))
    queues->wait_in_queue (device, SLUICE_QUEUE_COMPUTE, arrival);
}
