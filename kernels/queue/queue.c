/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/queue.h"

#include "engine/base/lock.h"
#include "kernels/random/philox.h"

typedef struct
{
  SluiceQueueDone done;
  gpointer data;
  SluiceItems items; /* of an enqueuer: what is still to go in; of a dequeuer: what it has so far */
  gint64 wanted;     /* of a dequeuer: how many it asked for */
  gboolean up_to;    /* of a dequeuer */
  gboolean closes;   /* closes the queue when its turn comes */
  GError *error;
} Request;

struct _SluiceQueue
{
  SluiceResource parent;
  char *name;
  SluiceQueueSpec spec; /* owned */
  pthread_mutex_t lock;
  SluiceItems items; /* under lock, as the rest; of PRIORITY: a binary heap */
  SluiceWords random;
  GQueue enqueuers, dequeuers; /* of Request that wait */
  gboolean is_closed;
  char *failure; /* (nullable): of who should have filled it, the first */
};

/* Nobody waits: who does holds a reference. */
static void
queue_finalize (SluiceResource *resource)
{
  SluiceQueue *self = (SluiceQueue *) resource;
  sluice_items_clear (&self->items);
  pthread_mutex_destroy (&self->lock);
  g_free ((gpointer) self->spec.types);
  g_free ((gpointer) self->spec.shapes);
  g_free (self->failure);
  g_free (self->name);
  g_free (self);
}

const SluiceResourceType sluice_queue_type = { "queue", queue_finalize };

SluiceQueue *
sluice_queue_new (const char *name, const SluiceQueueSpec *spec, const SluicePhilox *random)
{
  SluiceQueue *self = g_new0 (SluiceQueue, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_queue_type;
  self->name = g_strdup (name);
  self->spec = *spec;
  self->spec.types = g_memdup2 (spec->types, spec->n * sizeof *spec->types);
  if (spec->shapes != NULL)
    self->spec.shapes = g_memdup2 (spec->shapes, spec->n * sizeof *spec->shapes);
  self->random = sluice_words (random);
  pthread_mutex_init (&self->lock, NULL);
  g_queue_init (&self->enqueuers);
  g_queue_init (&self->dequeuers);
  return self;
}

const char *
sluice_queue_get_name (const SluiceQueue *self)
{
  return self->name;
}

const SluiceQueueSpec *
sluice_queue_get_spec (const SluiceQueue *self)
{
  return &self->spec;
}

gboolean
sluice_queue_spec_equal (const SluiceQueueSpec *a, const SluiceQueueSpec *b)
{
  if (a->n != b->n || a->capacity != b->capacity || (a->shapes == NULL) != (b->shapes == NULL)
      || a->order != b->order || a->pads != b->pads || a->min_after_dequeue != b->min_after_dequeue)
    return FALSE;
  if ((b->seed != 0 || b->seed2 != 0) && (a->seed != b->seed || a->seed2 != b->seed2))
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (a->types[i] != b->types[i]
        || (a->shapes != NULL && !sluice_shape_equal (&a->shapes[i], &b->shapes[i])))
      return FALSE;
  return TRUE;
}

/* ---- in and out, under the lock ---- */

static gint64
priority (const SluiceItem *item)
{
  return *(const gint64 *) sluice_item_data (item, 0);
}

static void
rise (SluiceItems *heap, gsize i, SluiceItem item)
{
  gint64 key = priority (&item);
  for (; i > 0 && priority (sluice_items_at (heap, (i - 1) / 2)) > key; i = (i - 1) / 2)
    *sluice_items_at (heap, i) = *sluice_items_at (heap, (i - 1) / 2);
  *sluice_items_at (heap, i) = item;
}

/*
 * The least one leaves. The last one takes its place from below: the gap sinks to a leaf, to the
 * second child where both are equal, and it rises from there. So does TensorFlow's heap; in which
 * order equals leave depends on it.
 */
static SluiceItem
take_least (SluiceItems *heap)
{
  SluiceItem least = *sluice_items_at (heap, 0), last = sluice_items_pop (heap);
  gsize gap = 0, child;
  while ((child = 2 * gap + 1) < heap->n)
    {
      if (child + 1 < heap->n
          && priority (sluice_items_at (heap, child + 1))
                 <= priority (sluice_items_at (heap, child)))
        child++;
      *sluice_items_at (heap, gap) = *sluice_items_at (heap, child);
      gap = child;
    }
  if (heap->n > 0)
    rise (heap, gap, last);
  return least;
}

static void
put (SluiceQueue *self, SluiceItem item)
{
  sluice_items_push (&self->items, item);
  if (self->spec.order == SLUICE_QUEUE_PRIORITY)
    rise (&self->items, self->items.n - 1, item);
}

static SluiceItem
take (SluiceQueue *self)
{
  SluiceItems *items = &self->items;
  if (self->spec.order == SLUICE_QUEUE_FIFO)
    return sluice_items_pop_front (items);
  if (self->spec.order == SLUICE_QUEUE_PRIORITY)
    return take_least (items);
  /* The last one takes the place of who leaves: TensorFlow's order depends on it. */
  SluiceItem *place = sluice_items_at (items, sluice_words_next (&self->random) % items->n);
  SluiceItem item = *place;
  *place = *sluice_items_at (items, items->n - 1);
  sluice_items_pop (items);
  return item;
}

/* What a dequeuer took and cannot keep goes back: to the front, in order. */
static void
give_back (SluiceQueue *self, SluiceItems *items)
{
  while (items->n > 0)
    {
      SluiceItem item = sluice_items_pop (items);
      if (self->spec.order == SLUICE_QUEUE_FIFO)
        sluice_items_push_front (&self->items, item);
      else
        put (self, item);
    }
}

/* How many may leave now. */
static gint64
count_ripe (SluiceQueue *self)
{
  gint64 n = (gint64) self->items.n;
  return self->is_closed ? n : MAX (n - self->spec.min_after_dequeue, 0);
}

/* ---- requests, under the lock ---- */

static Request *
request_new (SluiceQueueDone done, gpointer data)
{
  Request *self = g_new0 (Request, 1);
  self->done = done;
  self->data = data;
  return self;
}

static void fail (Request *request, SluiceError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
fail (Request *request, SluiceError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  request->error = g_error_new_valist (SLUICE_ERROR, code, format, args);
  va_end (args);
}

typedef enum
{
  WAITS,
  MOVED, /* it waits still, but the queue is another */
  ENDED,
} Progress;

static Progress
serve_enqueuer (SluiceQueue *self, Request *request)
{
  if (self->is_closed)
    {
      fail (request, SLUICE_ERROR_CANCELLED, "queue '%s' is closed", self->name);
      return ENDED;
    }
  if (request->closes)
    {
      self->is_closed = TRUE;
      return ENDED;
    }
  Progress progress = WAITS;
  while (request->items.n > 0
         && (self->spec.capacity < 0 || self->items.n < (guint64) self->spec.capacity))
    {
      put (self, sluice_items_pop_front (&request->items));
      progress = MOVED;
    }
  return request->items.n == 0 ? ENDED : progress;
}

static Progress
serve_dequeuer (SluiceQueue *self, Request *request)
{
  gint64 n_has = (gint64) request->items.n;
  if (self->is_closed && n_has + (gint64) self->items.n < request->wanted)
    {
      give_back (self, &request->items);
      if (!request->up_to || self->items.n == 0)
        {
          fail (request, SLUICE_ERROR_OUT_OF_RANGE,
                "queue '%s' is closed and has not enough elements: %" G_GINT64_FORMAT
                " were asked for, and it has %" G_GSIZE_FORMAT "%s%s",
                self->name, request->wanted, self->items.n,
                self->failure != NULL ? ". A run that should have filled it failed: " : "",
                self->failure != NULL ? self->failure : "");
          return ENDED;
        }
      request->wanted = (gint64) self->items.n;
      n_has = 0;
    }
  gint64 n = MIN (count_ripe (self), request->wanted - n_has);
  for (gint64 i = 0; i < n; i++)
    sluice_items_push (&request->items, take (self));
  if ((gint64) request->items.n == request->wanted)
    return ENDED;
  return n > 0 ? MOVED : WAITS;
}

typedef Progress (*Serve) (SluiceQueue *self, Request *request);

/* Serves who has waited longest, as long as that one ends. TRUE: something happened. */
static gboolean
serve_side (SluiceQueue *self, GQueue *side, Serve serve, GQueue *ended)
{
  gboolean moved = FALSE;
  while (!g_queue_is_empty (side))
    {
      Progress progress = serve (self, g_queue_peek_head (side));
      moved |= progress != WAITS;
      if (progress != ENDED)
        break;
      g_queue_push_tail (ended, g_queue_pop_head (side));
    }
  return moved;
}

static void
serve_all (SluiceQueue *self, GQueue *ended)
{
  gboolean moved;
  do
    {
      moved = serve_side (self, &self->enqueuers, serve_enqueuer, ended);
      moved |= serve_side (self, &self->dequeuers, serve_dequeuer, ended);
    }
  while (moved);
}

/* Outside the lock. */
static void
tell (GQueue *ended)
{
  Request *request;
  while ((request = g_queue_pop_head (ended)) != NULL)
    {
      gboolean has_items = request->wanted > 0 && request->error == NULL;
      request->done (has_items ? &request->items : NULL, request->error, request->data);
      sluice_items_clear (&request->items);
      g_free (request);
    }
}

/* ---- asking ---- */

/* The request joins a side, and everybody is served who can be. (transfer full) request */
static void
ask (SluiceQueue *self, GQueue *side, Request *request)
{
  GQueue ended = G_QUEUE_INIT;
  sluice_resource_ref (&self->parent); /* a callback may drop the last reference of the asker */
  sluice_lock (&self->lock, SLUICE_LOCK_QUEUE);
  g_queue_push_tail (side, request);
  serve_all (self, &ended);
  pthread_mutex_unlock (&self->lock);
  tell (&ended);
  sluice_resource_unref (&self->parent);
}

void
sluice_queue_enqueue (SluiceQueue *self, SluiceItems *items, SluiceQueueDone done, gpointer data)
{
  Request *request = request_new (done, data);
  request->items = *items;
  *items = (SluiceItems){ NULL };
  ask (self, &self->enqueuers, request);
}

void
sluice_queue_dequeue (
    SluiceQueue *self, gint64 n, gboolean up_to, SluiceQueueDone done, gpointer data)
{
  Request *request = request_new (done, data);
  request->wanted = n;
  request->up_to = up_to;
  ask (self, &self->dequeuers, request);
}

static void
cancel_request (SluiceQueue *self, Request *request, GQueue *ended)
{
  if (request->wanted > 0)
    give_back (self, &request->items);
  fail (request, SLUICE_ERROR_CANCELLED, "waiting for queue '%s' was cancelled", self->name);
  g_queue_push_tail (ended, request);
}

void
sluice_queue_close (SluiceQueue *self, gboolean cancel_pending, SluiceQueueDone done, gpointer data)
{
  Request *request = request_new (done, data);
  request->closes = TRUE;
  if (!cancel_pending)
    {
      ask (self, &self->enqueuers, request);
      return;
    }
  GQueue ended = G_QUEUE_INIT;
  sluice_resource_ref (&self->parent);
  sluice_lock (&self->lock, SLUICE_LOCK_QUEUE);
  self->is_closed = TRUE;
  Request *waiting;
  while ((waiting = g_queue_pop_head (&self->enqueuers)) != NULL)
    cancel_request (self, waiting, &ended);
  serve_all (self, &ended);
  g_queue_push_tail (&ended, request);
  pthread_mutex_unlock (&self->lock);
  tell (&ended);
  sluice_resource_unref (&self->parent);
}

static GList *
find_request (GQueue *side, gpointer data)
{
  for (GList *l = side->head; l != NULL; l = l->next)
    if (((Request *) l->data)->data == data)
      return l;
  return NULL;
}

/* The waiting request of that data is taken out of a side. (nullable) */
static Request *
take_request (GQueue *side, gpointer data)
{
  GList *link = find_request (side, data);
  Request *request = link != NULL ? link->data : NULL;
  if (link != NULL)
    g_queue_delete_link (side, link);
  return request;
}

void
sluice_queue_cancel (SluiceQueue *self, gpointer data)
{
  GQueue ended = G_QUEUE_INIT;
  sluice_resource_ref (&self->parent);
  sluice_lock (&self->lock, SLUICE_LOCK_QUEUE);
  Request *request = take_request (&self->enqueuers, data);
  if (request == NULL)
    request = take_request (&self->dequeuers, data);
  if (request != NULL)
    {
      cancel_request (self, request, &ended);
      serve_all (self, &ended); /* who waited behind it may go on */
    }
  pthread_mutex_unlock (&self->lock);
  tell (&ended);
  sluice_resource_unref (&self->parent);
}

static char *
describe_dequeuer (SluiceQueue *self, const Request *request)
{
  g_autofree char *kept =
      self->spec.min_after_dequeue > 0 ? g_strdup_printf (
          ", of which %" G_GINT64_FORMAT " stay until it is closed", self->spec.min_after_dequeue)
                                       : NULL;
  return g_strdup_printf ("%" G_GINT64_FORMAT " more of queue '%s', which has %" G_GSIZE_FORMAT
                          "%s",
                          request->wanted - (gint64) request->items.n, self->name, self->items.n,
                          kept != NULL ? kept : "");
}

char *
sluice_queue_describe (SluiceQueue *self, gpointer data, gboolean *is_full)
{
  char *text = NULL;
  sluice_lock (&self->lock, SLUICE_LOCK_QUEUE);
  GList *dequeuer = find_request (&self->dequeuers, data);
  *is_full = dequeuer == NULL;
  if (dequeuer != NULL)
    text = describe_dequeuer (self, dequeuer->data);
  else if (find_request (&self->enqueuers, data) != NULL)
    text = g_strdup_printf ("room in queue '%s', which is full with %" G_GSIZE_FORMAT, self->name,
                            self->items.n);
  pthread_mutex_unlock (&self->lock);
  return text;
}

void
sluice_queue_note_failure (SluiceQueue *self, const GError *error)
{
  sluice_lock (&self->lock, SLUICE_LOCK_QUEUE);
  if (self->failure == NULL)
    self->failure = g_strdup (error->message);
  pthread_mutex_unlock (&self->lock);
}

gint64
sluice_queue_get_size (SluiceQueue *self)
{
  sluice_lock (&self->lock, SLUICE_LOCK_QUEUE);
  gint64 size = (gint64) self->items.n;
  pthread_mutex_unlock (&self->lock);
  return size;
}

gboolean
sluice_queue_is_closed (SluiceQueue *self)
{
  sluice_lock (&self->lock, SLUICE_LOCK_QUEUE);
  gboolean closed = self->is_closed;
  pthread_mutex_unlock (&self->lock);
  return closed;
}

void
sluice_queue_give_batches (const SluiceQueue *self,
                           const SluiceItems *items,
                           GError *error,
                           SluiceKernelCall *call)
{
  const SluiceQueueSpec *spec = &self->spec;
  const SluiceItems none = { NULL };
  for (guint i = 0; i < spec->n && error == NULL; i++)
    {
      SluiceTensor *batch =
          sluice_items_stack (items != NULL ? items : &none, i, spec->types[i], &spec->shapes[i],
                              NULL, call->device->allocator, call->owner, &error);
      if (batch != NULL)
        sluice_call_take_output (call, i, batch);
    }
  if (error != NULL)
    sluice_call_fail_with (call, error);
}
