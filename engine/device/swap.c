/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/swap.h"

#include <pthread.h>
#include <string.h>

#include "engine/base/lock.h"
#include "engine/base/residency.h"
#include "engine/base/thread.h"
#include "engine/device/swap-store.h"

/* Smaller values stay: TensorFlow's threshold. */
#define MIN_BYTES ((gsize) 2048)

typedef enum
{
  STATE_IN,      /* in memory, in the queue `in` */
  STATE_SHARED,  /* in memory that others used too, in the queue `shared` */
  STATE_WRITING, /* in memory, in the queue `writes` or under the thread's hands */
  STATE_OUT,     /* in the store, in the queue `out` */
  STATE_READING, /* in the store, in the queue `reads` or under the thread's hands */
} State;

struct _SluiceSwapped
{
  SluiceSwap *swap;
  GList link; /* in the queue of its state */
  State state;
  gboolean is_dropped;  /* the thread has it, and nobody wants it any more */
  SluiceTensor *value;  /* while it is in memory; READING: room for it */
  SluiceBuffer *buffer; /* of value, but for READING */
  SluiceDType dtype;
  SluiceShape shape;
  SluiceOwner owner;
  gsize bytes;
  guint64 place;         /* OUT, READING: in the store */
  SluiceSwapReady ready; /* (nullable): somebody waits for it */
  gpointer ready_data;
};

struct _SluiceSwap
{
  _Atomic int ref_count;
  SluiceAllocator *allocator; /* until it is closed */
  SluiceSwapStore *store;
  gsize high_mark; /* live bytes above which values are written */

  pthread_mutex_t lock; /* guards the rest, and all values */
  pthread_cond_t work, progress;
  pthread_t thread;
  gboolean has_thread, is_closed;
  GQueue in, shared, writes, out, reads; /* of links; in, shared and out: the oldest first */
  GPtrArray *waiting;                    /* values that somebody waits for */
  GHashTable *buffers;                   /* buffer → how many values in memory hold it */
  gsize leaving;                         /* bytes WRITING */
  guint64 n_turns;                       /* values that were written, or could not be */
  int write_errno;                       /* 0: writing works */
  char *no_thread;                       /* (nullable): why there is none to write */
  gboolean read_failed;
  SluiceSwapStats stats;
};

/* This thread allocates under the lock, and takes no for an answer. */
static _Thread_local gboolean holds_lock;

static void
swap_unref (SluiceSwap *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  g_ptr_array_unref (self->waiting);
  g_hash_table_unref (self->buffers);
  pthread_cond_destroy (&self->work);
  pthread_cond_destroy (&self->progress);
  pthread_mutex_destroy (&self->lock);
  self->store->free (self->store);
  g_free (self->no_thread);
  g_free (self);
}

/* ---- values; under the lock ---- */

static void
give_place (SluiceSwap *self, const SluiceSwapped *value)
{
  self->stats.bytes_out -= value->bytes;
  self->store->give_back (self->store, value->place, value->bytes);
}

static void
enqueue (GQueue *queue, SluiceSwapped *value, State state)
{
  value->state = state;
  g_queue_push_tail_link (queue, &value->link);
}

/* As what goes next. */
static void
put_first (SluiceSwap *self, SluiceSwapped *value)
{
  value->state = STATE_IN;
  g_queue_push_head_link (&self->in, &value->link);
}

static guint
count_users (SluiceSwap *self, SluiceBuffer *buffer)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->buffers, buffer));
}

static void
set_users (SluiceSwap *self, SluiceBuffer *buffer, guint n)
{
  if (n > 0)
    g_hash_table_insert (self->buffers, buffer, GUINT_TO_POINTER (n));
  else
    g_hash_table_remove (self->buffers, buffer);
}

/* The memory is no longer this value's. (transfer full) */
static SluiceTensor *
let_go (SluiceSwap *self, SluiceSwapped *value)
{
  set_users (self, value->buffer, count_users (self, value->buffer) - 1);
  return g_steal_pointer (&value->value);
}

static void
free_value (SluiceSwapped *value)
{
  SluiceSwap *self = value->swap;
  g_clear_pointer (&value->value, sluice_tensor_unref);
  g_free (value);
  swap_unref (self);
}

/* The oldest value whose memory comes free when it goes. (nullable) */
static SluiceSwapped *
take_victim (SluiceSwap *self)
{
  GList *link;
  while ((link = g_queue_pop_head_link (&self->in)) != NULL)
    {
      SluiceSwapped *value = link->data;
      if (atomic_load (&value->buffer->ref_count) == (int) count_users (self, value->buffer)
          && !sluice_residency_is_away (value->buffer))
        return value;
      enqueue (&self->shared, value, STATE_SHARED);
    }
  return NULL;
}

/* Values that others used too are looked at again. */
static void
reconsider_shared (SluiceSwap *self)
{
  GList *link;
  while ((link = g_queue_pop_tail_link (&self->shared)) != NULL)
    put_first (self, link->data);
}

static void *serve (gpointer data);

/* Is asked for again when the next value is to leave: the system may have one then. */
static gboolean
ensure_thread (SluiceSwap *self)
{
  if (self->has_thread)
    return TRUE;
  g_autoptr (GError) error = NULL;
  self->has_thread =
      sluice_thread_start (&self->thread, serve, self, "moving values out of memory", NULL, &error);
  g_free (self->no_thread);
  self->no_thread = error != NULL ? g_strdup (error->message) : NULL;
  return self->has_thread;
}

static gboolean
write_one_more (SluiceSwap *self)
{
  if (self->is_closed || self->write_errno || !ensure_thread (self))
    return FALSE;
  SluiceSwapped *value = take_victim (self);
  if (!value)
    return FALSE;
  enqueue (&self->writes, value, STATE_WRITING);
  self->leaving += value->bytes;
  pthread_cond_signal (&self->work);
  return TRUE;
}

/* Begins before it is urgent, with the oldest. */
static void
write_behind (SluiceSwap *self)
{
  while (sluice_allocator_get_live (self->allocator) > self->high_mark + self->leaving
         && write_one_more (self))
    ;
}

/* Ahead of who asks for the value, it is not in the way of a kernel. */
static SluiceTensor *
new_room_ahead (SluiceSwap *self, const SluiceSwapped *value)
{
  holds_lock = TRUE;
  sluice_residency_begin_waiting ();
  SluiceTensor *room =
      sluice_tensor_new (self->allocator, value->dtype, &value->shape, value->owner);
  sluice_residency_end_waiting ();
  holds_lock = FALSE;
  return room;
}

static SluiceTensor *
new_room (SluiceSwap *self, const SluiceSwapped *value)
{
  return sluice_tensor_new (self->allocator, value->dtype, &value->shape, value->owner);
}

/* The newest, as far as there is room below the mark. */
static void
read_ahead (SluiceSwap *self)
{
  while (!self->is_closed && !self->read_failed && self->out.tail)
    {
      SluiceSwapped *value = self->out.tail->data;
      if (sluice_allocator_get_live (self->allocator) + value->bytes > self->high_mark)
        return;
      value->value = new_room_ahead (self, value);
      if (!value->value)
        return;
      g_queue_unlink (&self->out, &value->link);
      enqueue (&self->reads, value, STATE_READING);
      self->stats.n_read_ahead++;
      pthread_cond_signal (&self->work);
    }
}

/* Room for values that are not read yet and nobody waits for, the oldest of them first. Returns
 * whether that much came free. */
static gboolean
give_room_back (SluiceSwap *self, gsize bytes)
{
  gsize given = 0;
  for (GList *link = self->reads.tail, *next; link && given < bytes; link = next)
    {
      SluiceSwapped *value = link->data;
      next = link->prev;
      if (value->ready || value->is_dropped || !value->value)
        continue;
      g_queue_unlink (&self->reads, link);
      g_clear_pointer (&value->value, sluice_tensor_unref);
      enqueue (&self->out, value, STATE_OUT);
      self->stats.n_read_ahead--;
      given += value->bytes;
    }
  return given >= bytes;
}

/* ---- the thread ---- */

/* Under the lock, which it lets go of. */
static void
write_value (SluiceSwap *self, SluiceSwapped *value)
{
  if (value->is_dropped)
    {
      self->leaving -= value->bytes;
      self->n_turns++;
      free_value (value);
      return;
    }
  SluiceTensor *tensor = sluice_tensor_ref (value->value);
  gsize bytes = value->bytes;
  guint64 place = 0;
  pthread_mutex_unlock (&self->lock);
  int failure = self->store->write (self->store, tensor, &place);
  pthread_mutex_lock (&self->lock);
  sluice_tensor_unref (tensor);
  self->leaving -= bytes;
  self->n_turns++;
  value->place = place;
  if (failure)
    self->write_errno = failure;
  else
    {
      self->stats.n_written++;
      self->stats.bytes_out += bytes;
    }
  if (!failure && value->is_dropped)
    give_place (self, value);
  if (value->is_dropped)
    free_value (value);
  else if (failure)
    put_first (self, value);
  else
    {
      sluice_tensor_unref (let_go (self, value));
      enqueue (&self->out, value, STATE_OUT);
    }
}

/* Somebody waited for the value. Under the lock, which it lets go of. */
static void
hand_over (SluiceSwap *self, SluiceSwapped *value, int failure)
{
  SluiceSwapReady ready = value->ready;
  gpointer data = value->ready_data;
  SluiceTensor *tensor = failure ? NULL : g_steal_pointer (&value->value);
  GError *error = NULL;
  if (failure)
    sluice_fail (&error, SLUICE_ERROR_DATA_LOSS,
                 "%" G_GSIZE_FORMAT " bytes that were moved to %s cannot be read back: %s",
                 value->bytes, self->store->name, g_strerror (failure));
  g_ptr_array_remove_fast (self->waiting, value);
  give_place (self, value);
  free_value (value);
  pthread_mutex_unlock (&self->lock);
  ready (data, tensor, error);
  pthread_mutex_lock (&self->lock);
}

/* Under the lock, which it lets go of. */
static void
read_value (SluiceSwap *self, SluiceSwapped *value)
{
  int failure = 0;
  if (!value->is_dropped)
    {
      SluiceTensor *room = value->value;
      pthread_mutex_unlock (&self->lock);
      failure = self->store->read (self->store, room, value->place);
      pthread_mutex_lock (&self->lock);
    }
  self->read_failed |= failure != 0;
  if (value->is_dropped)
    {
      give_place (self, value);
      free_value (value);
    }
  else if (value->ready)
    hand_over (self, value, failure);
  else if (failure) /* whoever takes it tries again and is told */
    {
      g_clear_pointer (&value->value, sluice_tensor_unref);
      enqueue (&self->out, value, STATE_OUT);
    }
  else
    {
      give_place (self, value);
      value->buffer = value->value->buffer;
      set_users (self, value->buffer, 1);
      put_first (self, value);
    }
}

/* What is waited for first. */
static void *
serve (gpointer data)
{
  SluiceSwap *self = data;
  GList *link;
  pthread_mutex_lock (&self->lock);
  for (;;)
    {
      if ((link = g_queue_pop_head_link (&self->reads)) != NULL)
        read_value (self, link->data);
      else if ((link = g_queue_pop_head_link (&self->writes)) != NULL)
        {
          write_value (self, link->data);
          pthread_cond_broadcast (&self->progress);
        }
      else if (self->is_closed)
        break;
      else
        pthread_cond_wait (&self->work, &self->lock);
    }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

/* ---- what the device and kernels call ---- */

/* An allocation would pass the limit. */
static gboolean
reclaim (gpointer data, gsize bytes)
{
  SluiceSwap *self = data;
  if (holds_lock)
    return FALSE;
  pthread_mutex_lock (&self->lock);
  if (give_room_back (self, bytes))
    {
      pthread_mutex_unlock (&self->lock);
      return TRUE;
    }
  while (self->leaving < bytes && write_one_more (self))
    ;
  if (self->leaving < bytes)
    {
      reconsider_shared (self);
      while (self->leaving < bytes && write_one_more (self))
        ;
    }
  gboolean is_on_its_way = self->leaving > 0;
  for (guint64 turn = self->n_turns; is_on_its_way && self->n_turns == turn;)
    sluice_lock_wait (&self->progress, &self->lock, SLUICE_LOCK_MEMORY);
  SluiceResidency *residency =
      self->allocator != NULL ? sluice_allocator_get_residency (self->allocator) : NULL;
  pthread_mutex_unlock (&self->lock);
  return is_on_its_way || (residency != NULL && sluice_residency_make_room (residency, bytes));
}

/* What a message about too little memory says of swapping. */
static char *
describe (gpointer data)
{
  SluiceSwap *self = data;
  char *text = NULL;
  pthread_mutex_lock (&self->lock);
  g_autofree char *size = g_format_size_full (self->stats.bytes_out, G_FORMAT_SIZE_IEC_UNITS);
  if (self->write_errno)
    text = g_strdup_printf ("%s are in %s, and no more can be moved there: %s", size,
                            self->store->name, g_strerror (self->write_errno));
  else if (self->no_thread != NULL)
    text = g_strdup (self->no_thread);
  else if (self->stats.n_written > 0)
    text = g_strdup_printf ("%s are in %s, and nothing else can be moved there", size,
                            self->store->name);
  SluiceResidency *residency = sluice_allocator_get_residency (self->allocator);
  if (text == NULL && residency != NULL)
    text = sluice_residency_describe (residency);
  pthread_mutex_unlock (&self->lock);
  return text;
}

SluiceSwap *
sluice_swap_new (SluiceAllocator *allocator, SluiceSwapStore *store)
{
  SluiceSwap *self = g_new0 (SluiceSwap, 1);
  gsize limit = sluice_allocator_get_limit (allocator);
  self->ref_count = 1;
  self->allocator = allocator;
  self->store = store;
  self->high_mark = limit - limit / 4;
  self->waiting = g_ptr_array_new ();
  self->buffers = g_hash_table_new (NULL, NULL);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->work, NULL);
  pthread_cond_init (&self->progress, NULL);
  sluice_allocator_set_reclaim (allocator, reclaim, describe, self);
  return self;
}

void
sluice_swap_close (SluiceSwap *self)
{
  sluice_allocator_set_reclaim (self->allocator, NULL, NULL, NULL);
  pthread_mutex_lock (&self->lock);
  self->is_closed = TRUE;
  self->allocator = NULL;
  pthread_cond_signal (&self->work);
  pthread_mutex_unlock (&self->lock);
  if (self->has_thread)
    pthread_join (self->thread, NULL);
  self->store->close (self->store);
  swap_unref (self);
}

gboolean
sluice_swap_accepts (const SluiceSwap *self, const SluiceTensor *value)
{
  return value->buffer && !value->buffer->release && !sluice_dtype_is_managed (value->dtype)
         && sluice_tensor_is_far (value) == self->store->is_far
         && sluice_tensor_bytes (value) >= MIN_BYTES;
}

/* A header of its own: references to the buffer then tell how many values hold it. */
SluiceSwapped *
sluice_swap_keep (SluiceSwap *self, SluiceTensor *value, SluiceOwner owner)
{
  SluiceTensor *own = sluice_tensor_new_view (value, &value->shape, 0);
  if (!own)
    return NULL;
  SluiceSwapped *kept = g_new0 (SluiceSwapped, 1);
  kept->swap = self;
  atomic_fetch_add (&self->ref_count, 1);
  kept->link.data = kept;
  kept->value = own;
  kept->buffer = own->buffer;
  kept->dtype = own->dtype;
  kept->shape = own->shape;
  kept->bytes = sluice_tensor_bytes (own);
  kept->owner = owner;
  pthread_mutex_lock (&self->lock);
  set_users (self, kept->buffer, count_users (self, kept->buffer) + 1);
  enqueue (&self->in, kept, STATE_IN);
  if (!self->is_closed)
    write_behind (self);
  pthread_mutex_unlock (&self->lock);
  return kept;
}

/* Under the lock. What the thread has under its hands is left to it. (nullable): not in memory */
static SluiceTensor *
take_from_memory (SluiceSwap *self, SluiceSwapped *value)
{
  SluiceTensor *tensor;
  switch (value->state)
    {
    case STATE_IN:
    case STATE_SHARED:
      g_queue_unlink (value->state == STATE_IN ? &self->in : &self->shared, &value->link);
      tensor = let_go (self, value);
      free_value (value);
      return tensor;
    case STATE_WRITING:
      value->is_dropped = TRUE;
      return let_go (self, value);
    default:
      return NULL;
    }
}

SluiceTensor *
sluice_swapped_take_now (SluiceSwapped *value)
{
  SluiceSwap *self = value->swap;
  atomic_fetch_add (&self->ref_count, 1);
  pthread_mutex_lock (&self->lock);
  SluiceTensor *tensor = take_from_memory (self, value);
  if (tensor)
    read_ahead (self);
  pthread_mutex_unlock (&self->lock);
  swap_unref (self);
  return tensor;
}

/* OUT, under the lock, which it lets go of: other values may have to make room. FALSE: the value is
 * lost. */
static gboolean
read_now (SluiceSwap *self, SluiceSwapped *value, GError **error)
{
  g_queue_unlink (&self->out, &value->link);
  value->state = STATE_READING;
  SluiceAllocator *allocator = self->allocator;
  pthread_mutex_unlock (&self->lock);
  value->value = allocator ? new_room (self, value) : NULL;
  if (!allocator)
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "the value was moved to %s by a session that has been closed", self->store->name);
  else if (!value->value)
    sluice_tensor_explain_shortage (allocator, value->dtype, &value->shape, value->owner, error);
  pthread_mutex_lock (&self->lock);
  if (!value->value)
    {
      give_place (self, value);
      free_value (value);
      return FALSE;
    }
  g_queue_push_head_link (&self->reads, &value->link);
  pthread_cond_signal (&self->work);
  return TRUE;
}

void
sluice_swapped_take (SluiceSwapped *value, SluiceSwapReady ready, gpointer data)
{
  SluiceSwap *self = value->swap;
  GError *error = NULL;
  atomic_fetch_add (&self->ref_count, 1);
  pthread_mutex_lock (&self->lock);
  SluiceTensor *tensor = take_from_memory (self, value);
  gboolean is_out = !tensor;
  if (is_out && (value->state == STATE_READING || read_now (self, value, &error)))
    {
      value->ready = ready;
      value->ready_data = data;
      g_ptr_array_add (self->waiting, value);
      self->stats.n_read_late++;
    }
  read_ahead (self);
  pthread_mutex_unlock (&self->lock);
  if (tensor || error)
    ready (data, tensor, error);
  swap_unref (self);
}

gboolean
sluice_swap_cancel (SluiceSwap *self, gpointer data)
{
  gboolean found = FALSE;
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->waiting->len && !found; i++)
    {
      SluiceSwapped *value = self->waiting->pdata[i];
      found = value->ready_data == data;
      if (!found)
        continue;
      value->ready = NULL;
      value->is_dropped = TRUE;
      g_ptr_array_remove_index_fast (self->waiting, i);
    }
  pthread_mutex_unlock (&self->lock);
  return found;
}

void
sluice_swapped_drop (SluiceSwapped *value)
{
  SluiceSwap *self = value->swap;
  atomic_fetch_add (&self->ref_count, 1);
  pthread_mutex_lock (&self->lock);
  SluiceTensor *tensor = take_from_memory (self, value);
  if (tensor)
    sluice_tensor_unref (tensor);
  else if (value->state == STATE_READING)
    value->is_dropped = TRUE;
  else
    {
      g_queue_unlink (&self->out, &value->link);
      give_place (self, value);
      free_value (value);
    }
  pthread_mutex_unlock (&self->lock);
  swap_unref (self);
}

void
sluice_swap_get_stats (SluiceSwap *self, SluiceSwapStats *stats)
{
  pthread_mutex_lock (&self->lock);
  *stats = self->stats;
  pthread_mutex_unlock (&self->lock);
}
