/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/queue.h"

typedef struct
{
  SluiceQueueDone done;
  gpointer data;
  GQueue tuples;   /* of an enqueuer: what is still to go in */
  gint64 wanted;   /* of a dequeuer: how many it asked for */
  gboolean up_to;  /* of a dequeuer */
  GPtrArray *got;  /* of a dequeuer: what it has so far */
  gboolean closes; /* closes the queue when its turn comes */
  GError *error;
} Request;

struct _SluiceQueue
{
  SluiceResource parent;
  char *name;
  SluiceQueueSpec spec; /* owned */
  pthread_mutex_t lock;
  GQueue tuples;               /* under lock, as the rest */
  GQueue enqueuers, dequeuers; /* of Request that wait */
  gboolean is_closed;
};

void
sluice_tuple_free (SluiceTuple self, guint n)
{
  for (guint i = 0; i < n; i++)
    if (self[i] != NULL)
      sluice_tensor_unref (self[i]);
  g_free (self);
}

static void
clear_tuples (SluiceQueue *self, GQueue *tuples)
{
  while (!g_queue_is_empty (tuples))
    sluice_tuple_free (g_queue_pop_head (tuples), self->spec.n);
}

/* Nobody waits: who does holds a reference. */
static void
queue_finalize (SluiceResource *resource)
{
  SluiceQueue *self = (SluiceQueue *) resource;
  clear_tuples (self, &self->tuples);
  pthread_mutex_destroy (&self->lock);
  g_free ((gpointer) self->spec.types);
  g_free ((gpointer) self->spec.shapes);
  g_free (self->name);
  g_free (self);
}

const SluiceResourceType sluice_queue_type = { "queue", queue_finalize };

SluiceQueue *
sluice_queue_new (const char *name, const SluiceQueueSpec *spec)
{
  SluiceQueue *self = g_new0 (SluiceQueue, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_queue_type;
  self->name = g_strdup (name);
  self->spec = *spec;
  self->spec.types = g_memdup2 (spec->types, spec->n * sizeof *spec->types);
  if (spec->shapes != NULL)
    self->spec.shapes = g_memdup2 (spec->shapes, spec->n * sizeof *spec->shapes);
  pthread_mutex_init (&self->lock, NULL);
  g_queue_init (&self->tuples);
  g_queue_init (&self->enqueuers);
  g_queue_init (&self->dequeuers);
  return self;
}

const SluiceQueueSpec *
sluice_queue_get_spec (const SluiceQueue *self)
{
  return &self->spec;
}

gboolean
sluice_queue_spec_equal (const SluiceQueueSpec *a, const SluiceQueueSpec *b)
{
  if (a->n != b->n || a->capacity != b->capacity || (a->shapes == NULL) != (b->shapes == NULL))
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (a->types[i] != b->types[i]
        || (a->shapes != NULL && !sluice_shape_equal (&a->shapes[i], &b->shapes[i])))
      return FALSE;
  return TRUE;
}

/* ---- requests, under the lock ---- */

static Request *
request_new (SluiceQueueDone done, gpointer data)
{
  Request *self = g_new0 (Request, 1);
  self->done = done;
  self->data = data;
  g_queue_init (&self->tuples);
  return self;
}

static void
fail (Request *request, SluiceErrorCode code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
fail (Request *request, SluiceErrorCode code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  request->error = g_error_new_valist (SLUICE_ERROR, code, format, args);
  va_end (args);
}

/* What a dequeuer took and cannot keep goes back to the front, in order. */
static void
give_back (SluiceQueue *self, Request *request)
{
  while (request->got != NULL && request->got->len > 0)
    g_queue_push_head (&self->tuples,
                       g_ptr_array_steal_index (request->got, request->got->len - 1));
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
  while (!g_queue_is_empty (&request->tuples)
         && (self->spec.capacity < 0 || self->tuples.length < (guint64) self->spec.capacity))
    {
      g_queue_push_tail (&self->tuples, g_queue_pop_head (&request->tuples));
      progress = MOVED;
    }
  return g_queue_is_empty (&request->tuples) ? ENDED : progress;
}

static Progress
serve_dequeuer (SluiceQueue *self, Request *request)
{
  if (self->is_closed && request->got->len + (gint64) self->tuples.length < request->wanted)
    {
      give_back (self, request);
      if (!request->up_to || g_queue_is_empty (&self->tuples))
        {
          fail (request, SLUICE_ERROR_OUT_OF_RANGE,
                "queue '%s' is closed and has not enough elements: %" G_GINT64_FORMAT
                " were asked for, and it has %u",
                self->name, request->wanted, self->tuples.length);
          return ENDED;
        }
      request->wanted = self->tuples.length;
    }
  Progress progress = WAITS;
  while (!g_queue_is_empty (&self->tuples) && request->got->len < request->wanted)
    {
      g_ptr_array_add (request->got, g_queue_pop_head (&self->tuples));
      progress = MOVED;
    }
  return request->got->len == request->wanted ? ENDED : progress;
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
tell (SluiceQueue *self, GQueue *ended)
{
  Request *request;
  while ((request = g_queue_pop_head (ended)) != NULL)
    {
      clear_tuples (self, &request->tuples);
      GPtrArray *got = g_steal_pointer (&request->got);
      if (request->error != NULL && got != NULL)
        g_clear_pointer (&got, g_ptr_array_unref); /* emptied by give_back() */
      SluiceQueueDone done = request->done;
      GError *error = request->error;
      gpointer data = request->data;
      g_free (request);
      done (got, error, data);
    }
}

/* ---- asking ---- */

/* The request joins a side, and everybody is served who can be. (transfer full) request */
static void
ask (SluiceQueue *self, GQueue *side, Request *request)
{
  GQueue ended = G_QUEUE_INIT;
  sluice_resource_ref (&self->parent); /* a callback may drop the last reference of the asker */
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (side, request);
  serve_all (self, &ended);
  pthread_mutex_unlock (&self->lock);
  tell (self, &ended);
  sluice_resource_unref (&self->parent);
}

void
sluice_queue_enqueue (SluiceQueue *self, GPtrArray *tuples, SluiceQueueDone done, gpointer data)
{
  Request *request = request_new (done, data);
  for (guint i = 0; i < tuples->len; i++)
    g_queue_push_tail (&request->tuples, g_steal_pointer (&tuples->pdata[i]));
  g_ptr_array_unref (tuples);
  ask (self, &self->enqueuers, request);
}

void
sluice_queue_dequeue (
    SluiceQueue *self, gint64 n, gboolean up_to, SluiceQueueDone done, gpointer data)
{
  Request *request = request_new (done, data);
  request->wanted = n;
  request->up_to = up_to;
  request->got = g_ptr_array_new ();
  ask (self, &self->dequeuers, request);
}

static void
cancel_request (SluiceQueue *self, Request *request, GQueue *ended)
{
  give_back (self, request);
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
  pthread_mutex_lock (&self->lock);
  self->is_closed = TRUE;
  Request *waiting;
  while ((waiting = g_queue_pop_head (&self->enqueuers)) != NULL)
    cancel_request (self, waiting, &ended);
  serve_all (self, &ended);
  g_queue_push_tail (&ended, request);
  pthread_mutex_unlock (&self->lock);
  tell (self, &ended);
  sluice_resource_unref (&self->parent);
}

/* The waiting request of that data is taken out of a side. */
static Request *
take_request (GQueue *side, gpointer data)
{
  for (GList *l = side->head; l != NULL; l = l->next)
    {
      Request *request = l->data;
      if (request->data != data)
        continue;
      g_queue_delete_link (side, l);
      return request;
    }
  return NULL;
}

void
sluice_queue_cancel (SluiceQueue *self, gpointer data)
{
  GQueue ended = G_QUEUE_INIT;
  sluice_resource_ref (&self->parent);
  pthread_mutex_lock (&self->lock);
  Request *request = take_request (&self->enqueuers, data);
  if (request == NULL)
    request = take_request (&self->dequeuers, data);
  if (request != NULL)
    {
      cancel_request (self, request, &ended);
      serve_all (self, &ended); /* who waited behind it may go on */
    }
  pthread_mutex_unlock (&self->lock);
  tell (self, &ended);
  sluice_resource_unref (&self->parent);
}

gint64
sluice_queue_get_size (SluiceQueue *self)
{
  pthread_mutex_lock (&self->lock);
  gint64 size = self->tuples.length;
  pthread_mutex_unlock (&self->lock);
  return size;
}

gboolean
sluice_queue_is_closed (SluiceQueue *self)
{
  pthread_mutex_lock (&self->lock);
  gboolean closed = self->is_closed;
  pthread_mutex_unlock (&self->lock);
  return closed;
}
