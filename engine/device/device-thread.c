/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/device-thread.h"

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/thread.h"

typedef struct
{
  SluiceQueuedFunc func;
  gpointer data;
} Item;

struct _SluiceDeviceThread
{
  atomic_int ref_count; /* the owner, and waits for it that stand in other queues */
  pthread_mutex_t lock; /* guards what follows, up to n_done */
  pthread_cond_t pushed, done;
  GArray *items; /* a ring: of Item, a power of two */
  guint64 n_begun, n_pushed;
  gboolean is_closing;
  _Atomic guint64 n_done;
  pthread_t thread;
};

static Item *
item_at (SluiceDeviceThread *self, guint64 number)
{
  return &g_array_index (self->items, Item, number & (self->items->len - 1));
}

/* FALSE: there will be none. */
static gboolean
take (SluiceDeviceThread *self, Item *item)
{
  pthread_mutex_lock (&self->lock);
  while (self->n_begun == self->n_pushed && !self->is_closing)
    pthread_cond_wait (&self->pushed, &self->lock);
  gboolean there_is = self->n_begun < self->n_pushed;
  if (there_is)
    *item = *item_at (self, self->n_begun++);
  pthread_mutex_unlock (&self->lock);
  return there_is;
}

static void *
serve (void *data)
{
  SluiceDeviceThread *self = data;
  Item item;
  while (take (self, &item))
    {
      item.func (item.data);
      pthread_mutex_lock (&self->lock);
      atomic_fetch_add (&self->n_done, 1);
      pthread_cond_broadcast (&self->done);
      pthread_mutex_unlock (&self->lock);
    }
  return NULL;
}

/* The last one does so after its thread. */
static void
unref (SluiceDeviceThread *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  pthread_cond_destroy (&self->done);
  pthread_cond_destroy (&self->pushed);
  pthread_mutex_destroy (&self->lock);
  g_array_unref (self->items);
  g_free (self);
}

SluiceDeviceThread *
sluice_device_thread_new (const char *what, GError **error)
{
  SluiceDeviceThread *self = g_new0 (SluiceDeviceThread, 1);
  atomic_init (&self->ref_count, 1);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->pushed, NULL);
  pthread_cond_init (&self->done, NULL);
  self->items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_size (self->items, 16);
  if (sluice_thread_start (&self->thread, serve, self, what, "devices", error))
    return self;
  unref (self);
  return NULL;
}

void
sluice_device_thread_free (SluiceDeviceThread *self)
{
  pthread_mutex_lock (&self->lock);
  self->is_closing = TRUE;
  pthread_cond_signal (&self->pushed);
  pthread_mutex_unlock (&self->lock);
  pthread_join (self->thread, NULL);
  unref (self);
}

/* Under the lock. */
static void
grow (SluiceDeviceThread *self)
{
  GArray *larger = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_size (larger, 2 * self->items->len);
  for (guint64 i = self->n_begun; i < self->n_pushed; i++)
    g_array_index (larger, Item, i & (larger->len - 1)) = *item_at (self, i);
  g_array_unref (self->items);
  self->items = larger;
}

void
sluice_device_thread_push (SluiceDeviceThread *self, SluiceQueuedFunc func, gpointer data)
{
  pthread_mutex_lock (&self->lock);
  if (self->n_pushed - self->n_begun == self->items->len)
    grow (self);
  *item_at (self, self->n_pushed++) = (Item){ func, data };
  pthread_cond_signal (&self->pushed);
  pthread_mutex_unlock (&self->lock);
}

SluiceMoment
sluice_device_thread_get_moment (SluiceDeviceThread *self)
{
  pthread_mutex_lock (&self->lock);
  SluiceMoment moment = { self, self->n_pushed };
  pthread_mutex_unlock (&self->lock);
  return moment;
}

gboolean
sluice_device_thread_has_passed (SluiceMoment moment)
{
  return moment.number == 0 || atomic_load (&moment.thread->n_done) >= moment.number;
}

void
sluice_device_thread_wait (SluiceMoment moment)
{
  if (sluice_device_thread_has_passed (moment))
    return;
  pthread_mutex_lock (&moment.thread->lock);
  while (!sluice_device_thread_has_passed (moment))
    pthread_cond_wait (&moment.thread->done, &moment.thread->lock);
  pthread_mutex_unlock (&moment.thread->lock);
}

/* The other queue may be freed once it has come so far, before this one has woken up. */
static void
wait_and_free (gpointer data)
{
  SluiceMoment *moment = data;
  sluice_device_thread_wait (*moment);
  unref (moment->thread);
  g_free (moment);
}

void
sluice_device_thread_push_wait (SluiceDeviceThread *self, SluiceMoment moment)
{
  if (moment.thread == self || sluice_device_thread_has_passed (moment))
    return;
  atomic_fetch_add (&moment.thread->ref_count, 1);
  sluice_device_thread_push (self, wait_and_free, g_memdup2 (&moment, sizeof moment));
}
