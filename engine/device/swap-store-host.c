/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/swap-store.h"

#include <errno.h>

/* A place is the address of a block. */
typedef struct
{
  SluiceSwapStore parent;
  SluiceDevice *device;
} HostStore;

typedef struct
{
  SluiceDevice *device;
  SluiceQueueKind kind;
  const SluiceTensor *value; /* on the device */
  void *block;
  gboolean ok;
} Copy;

static void
copy (gpointer data)
{
  Copy *c = data;
  c->ok = c->kind == SLUICE_QUEUE_OUT
              ? sluice_device_read_out (c->device, c->kind, c->block, c->value)
              : sluice_device_write_in (c->device, c->kind, c->value, c->block);
}

/* Beside what the device computes: a value is there when it is kept. Returns 0 or errno. */
static int
copy_and_wait (Copy *c)
{
  const SluiceDeviceQueues *queues = c->device->klass->queues;
  if (queues->enqueue (c->device, c->kind, copy, c))
    queues->wait (c->device, queues->record (c->device, c->kind));
  return c->ok ? 0 : EIO;
}

static int
host_write (SluiceSwapStore *store, const SluiceTensor *value, guint64 *place)
{
  SluiceDevice *device = ((HostStore *) store)->device;
  void *block = sluice_allocator_alloc (sluice_allocator_get_host (), sluice_tensor_bytes (value),
                                        (SluiceOwner){ 0, SLUICE_MEMORY_STACK });
  if (block == NULL)
    return ENOMEM;
  int failure = copy_and_wait (&(Copy){ device, SLUICE_QUEUE_OUT, value, block });
  if (failure)
    sluice_allocator_free (block);
  *place = (guint64) (guintptr) block;
  return failure;
}

static int
host_read (SluiceSwapStore *store, SluiceTensor *room, guint64 place)
{
  SluiceDevice *device = ((HostStore *) store)->device;
  return copy_and_wait (&(Copy){ device, SLUICE_QUEUE_IN, room, (void *) (guintptr) place });
}

static void
host_give_back (SluiceSwapStore *store, guint64 place, gsize bytes)
{
  sluice_allocator_free ((void *) (guintptr) place);
}

static void
host_close (SluiceSwapStore *store)
{
  ((HostStore *) store)->device = NULL;
}

static void
host_free (SluiceSwapStore *store)
{
  g_free (store->name);
  g_free (store);
}

SluiceSwapStore *
sluice_swap_store_new_host (SluiceDevice *device)
{
  HostStore *self = g_new0 (HostStore, 1);
  self->device = device;
  self->parent = (SluiceSwapStore){ .name = g_strdup ("the host's memory"),
                                    .is_far = TRUE,
                                    .write = host_write,
                                    .read = host_read,
                                    .give_back = host_give_back,
                                    .close = host_close,
                                    .free = host_free };
  return &self->parent;
}
