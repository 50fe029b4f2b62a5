/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/queue.h"

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/thread.h"

typedef struct
{
  SluiceQueuedFunc func;
  gpointer data;
} Item;

struct _SluiceQueue
{
  pthread_mutex_t lock; /* guards what follows, up to n_done */
  pthread_cond_t pushed, done;
  GArray *items; /* a ring: of Item, a power of two */
  guint64 n_begun, n_pushed;
  gboolean is_closing;
  _Atomic guint64 n_done;
  pthread_t thread;
};

static Item *
item_at (SluiceQueue *self, guint64 number)
{
  return &g_array_index (self->items, Item, number & (self->items->len - 1));
}

/* FALSE: there will be none. */
static gboolean
take (SluiceQueue *self, Item *item)
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
  SluiceQueue *self = data;
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

SluiceQueue *
sluice_queue_new (const char *what, GError **error)
{
  SluiceQueue *self = g_new0 (SluiceQueue, 1);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->pushed, NULL);
  pthread_cond_init (&self->done, NULL);
  self->items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_size (self->items, 16);
  if (sluice_thread_start (&self->thread, serve, self, what, "devices", error))
    return self;
  g_array_unref (self->items);
  g_free (self);
  return NULL;
}

void
sluice_queue_free (SluiceQueue *self)
{
  pthread_mutex_lock (&self->lock);
  self->is_closing = TRUE;
  pthread_cond_signal (&self->pushed);
  pthread_mutex_unlock (&self->lock);
  pthread_join (self->thread, NULL);
  pthread_cond_destroy (&self->done);
  pthread_cond_destroy (&self->pushed);
  pthread_mutex_destroy (&self->lock);
  g_array_unref (self->items);
  g_free (self);
}

/* Under the lock. */
static void
grow (SluiceQueue *self)
{
  GArray *larger = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_size (larger, 2 * self->items->len);
  for (guint64 i = self->n_begun; i < self->n_pushed; i++)
    g_array_index (larger, Item, i & (larger->len - 1)) = *item_at (self, i);
  g_array_unref (self->items);
  self->items = larger;
}

void
sluice_queue_push (SluiceQueue *self, SluiceQueuedFunc func, gpointer data)
{
  pthread_mutex_lock (&self->lock);
  if (self->n_pushed - self->n_begun == self->items->len)
    grow (self);
  *item_at (self, self->n_pushed++) = (Item){ func, data };
  pthread_cond_signal (&self->pushed);
  pthread_mutex_unlock (&self->lock);
}

SluiceQueueMoment
sluice_queue_get_moment (SluiceQueue *self)
{
  pthread_mutex_lock (&self->lock);
  SluiceQueueMoment moment = { self, self->n_pushed };
  pthread_mutex_unlock (&self->lock);
  return moment;
}

gboolean
sluice_queue_has_passed (SluiceQueueMoment moment)
{
  return moment.number == 0 || atomic_load (&moment.queue->n_done) >= moment.number;
}

void
sluice_queue_wait (SluiceQueueMoment moment)
{
  if (sluice_queue_has_passed (moment))
    return;
  pthread_mutex_lock (&moment.queue->lock);
  while (!sluice_queue_has_passed (moment))
    pthread_cond_wait (&moment.queue->done, &moment.queue->lock);
  pthread_mutex_unlock (&moment.queue->lock);
}

static void
wait_and_free (gpointer data)
{
  SluiceQueueMoment *moment = data;
  sluice_queue_wait (*moment);
  g_free (moment);
}

void
sluice_queue_push_wait (SluiceQueue *self, SluiceQueueMoment moment)
{
  if (moment.queue != self && !sluice_queue_has_passed (moment))
    sluice_queue_push (self, wait_and_free, g_memdup2 (&moment, sizeof moment));
}
