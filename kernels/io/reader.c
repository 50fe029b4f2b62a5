/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/io/reader.h"

#include "engine/base/lock.h"
#include "kernels/io/io.h"
#include "kernels/queue/wait.h"
#include "kernels/string/text.h"

/* A call of ReaderRead or ReaderReadUpTo. */
typedef struct
{
  SluiceKernelCall *call;
  SluiceQueue *queue; /* an input of the call holds it */
  gint64 max;
  gboolean is_cancelled;
  GPtrArray *keys, *values; /* of GString */
} Request;

typedef enum
{
  NOT_ASKED,
  ASKED,   /* the queue for the next name; it has not answered */
  ARRIVED, /* with arrived or arrival_error */
} Asking;

struct _SluiceReader
{
  SluiceResource parent;
  char *name;
  pthread_mutex_t lock;
  SluiceRecords records; /* under lock, as the rest */
  SluiceReaderState state;
  GError *broken; /* what a damaged file said, until reset: nobody knows where its next record is */
  GQueue requests;     /* the first one is being served */
  gboolean is_serving; /* some thread is in serve_all() */
  Asking asking;
  char *arrived;
  GError *arrival_error;
};

static void
reader_finalize (SluiceResource *resource)
{
  SluiceReader *self = (SluiceReader *) resource;
  sluice_records_clear (&self->records);
  sluice_reader_state_clear (&self->state);
  g_clear_error (&self->broken);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

const SluiceResourceType sluice_reader_type = { "reader", reader_finalize };

SluiceReader *
sluice_reader_new (const char *name, const SluiceRecordSpec *spec)
{
  SluiceReader *self = g_new0 (SluiceReader, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_reader_type;
  self->name = g_strdup (name);
  pthread_mutex_init (&self->lock, NULL);
  sluice_records_init (&self->records, spec);
  g_queue_init (&self->requests);
  return self;
}

/* ---- requests ---- */

static void
free_text (gpointer data)
{
  if (data != NULL)
    g_string_free (data, TRUE);
}

static Request *
request_new (SluiceQueue *queue, SluiceKernelCall *call, gint64 max)
{
  Request *self = g_new0 (Request, 1);
  self->call = call;
  self->queue = queue;
  self->max = max;
  self->keys = g_ptr_array_new_with_free_func (free_text);
  self->values = g_ptr_array_new_with_free_func (free_text);
  return self;
}

static gboolean
output_texts (SluiceKernelCall *call, guint i, GPtrArray *texts, gboolean is_vector)
{
  SluiceShape shape = is_vector ? SLUICE_SHAPE (texts->len) : SLUICE_SHAPE_SCALAR;
  SluiceTensor *out = sluice_call_output (call, i, &shape);
  for (guint k = 0; out != NULL && k < texts->len; k++)
    sluice_string_take_text (sluice_tensor_get_string (out, k), g_steal_pointer (&texts->pdata[k]));
  return out != NULL;
}

/* Sets what the call gives, or leaves the error that it has. Without the lock. */
static void
end_requests (GQueue *ended)
{
  Request *request;
  while ((request = g_queue_pop_head (ended)) != NULL)
    {
      SluiceKernelCall *call = request->call;
      gboolean is_vector = request->max >= 0;
      if (call->error == NULL)
        {
          if (output_texts (call, 0, request->keys, is_vector))
            output_texts (call, 1, request->values, is_vector);
        }
      g_ptr_array_unref (request->keys);
      g_ptr_array_unref (request->values);
      g_free (request);
      call->done (call);
    }
}

/* ---- files, under the lock ---- */

static gboolean
is_working (const SluiceReader *self)
{
  return self->state.n_finished < self->state.n_started;
}

static void
set_work (SluiceReader *self, const char *name)
{
  if (self->state.work == NULL)
    self->state.work = g_string_new (NULL);
  g_string_assign (self->state.work, name);
}

static void
finish_work (SluiceReader *self)
{
  self->state.n_finished = self->state.n_started;
  sluice_records_close (&self->records);
}

/* What the queue gave is begun. FALSE: the request has failed. */
static gboolean
take_arrival (SluiceReader *self, const Request *request)
{
  g_autofree char *name = g_steal_pointer (&self->arrived);
  GError *error = g_steal_pointer (&self->arrival_error);
  self->asking = NOT_ASKED;
  if (g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED) && !request->is_cancelled)
    {
      g_error_free (error); /* meant for the request before: the queue is asked again */
      return TRUE;
    }
  if (error == NULL)
    {
      set_work (self, name);
      if (sluice_records_open (&self->records, request->call, name, &error))
        {
          self->state.n_started++;
          return TRUE;
        }
      sluice_records_close (&self->records);
    }
  return sluice_call_take_error (request->call, error);
}

/* Reads one record into the request. FALSE: the request has failed. */
static gboolean
read_record (SluiceReader *self, Request *request)
{
  GString *key = g_string_new (NULL), *value = g_string_new (NULL);
  gboolean is_last = FALSE;
  GError *error = NULL;
  SluiceReadResult result = SLUICE_READ_FAILED;
  if (self->broken != NULL)
    error = g_error_copy (self->broken);
  else
    result = sluice_records_read (&self->records, key, value, &is_last, &error);
  if (result == SLUICE_READ_ONE)
    {
      self->state.n_records++;
      g_ptr_array_add (request->keys, key);
      g_ptr_array_add (request->values, value);
    }
  else
    {
      g_string_free (key, TRUE);
      g_string_free (value, TRUE);
    }
  if (result == SLUICE_READ_END || (result == SLUICE_READ_ONE && is_last))
    finish_work (self);
  if (result != SLUICE_READ_FAILED)
    return TRUE;
  if (self->broken == NULL && error->code == SLUICE_ERROR_DATA_LOSS)
    self->broken = g_error_copy (error);
  g_prefix_error (&error, "file '%s': ", self->records.name);
  return sluice_call_take_error (request->call, error);
}

/* TRUE: the request has ended; else it needs another file. */
static gboolean
serve (SluiceReader *self, Request *request)
{
  guint wanted = request->max < 0 ? 1 : (guint) MIN (request->max, G_MAXUINT32);
  if (self->asking == ARRIVED && !take_arrival (self, request))
    return TRUE;
  while (request->keys->len < wanted)
    {
      if (request->is_cancelled)
        {
          sluice_call_fail (request->call, SLUICE_ERROR_CANCELLED,
                            "waiting for reader '%s' was cancelled", self->name);
          return TRUE;
        }
      if (!is_working (self))
        return request->keys->len > 0; /* short of the wanted, at the end of a file */
      if (!read_record (self, request))
        return TRUE;
    }
  return TRUE;
}

/* ---- serving ---- */

static char *
dup_name (const SluiceItem *item, const SluiceQueueSpec *spec, GError **error)
{
  SluiceShape shape = sluice_item_shape (item, 0);
  if (spec->n != 1 || spec->types[0] != SLUICE_STRING || sluice_shape_n_elements (&shape) != 1)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "a reader needs a queue of one component with one string an element");
      return NULL;
    }
  const SluiceString *s = sluice_item_data (item, 0);
  return s->length > 0 ? g_strndup (s->data, s->length) : g_strdup ("");
}

static void serve_all (SluiceReader *self);

static void
name_arrived (SluiceItems *items, GError *error, gpointer data)
{
  SluiceReader *self = data;
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  Request *request = g_queue_peek_head (&self->requests);
  const SluiceQueueSpec *spec = sluice_queue_get_spec (request->queue);
  self->arrival_error = error;
  if (items != NULL)
    self->arrived = dup_name (sluice_items_at (items, 0), spec, &self->arrival_error);
  self->asking = ARRIVED;
  if (self->is_serving)
    pthread_mutex_unlock (&self->lock);
  else
    serve_all (self);
}

/* Asks for a name, without the lock in between. TRUE: the answer is there. */
static gboolean
ask (SluiceReader *self, Request *request)
{
  SluiceQueue *queue = request->queue;
  self->asking = ASKED;
  pthread_mutex_unlock (&self->lock);
  sluice_queue_dequeue (queue, 1, FALSE, name_arrived, self);
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  if (self->asking == ASKED && request->is_cancelled) /* while nobody could know that it asks */
    {
      pthread_mutex_unlock (&self->lock);
      sluice_queue_cancel (queue, self);
      sluice_lock (&self->lock, SLUICE_LOCK_DATA);
    }
  return self->asking != ASKED;
}

/* Begins under the lock and ends without it. */
static void
serve_all (SluiceReader *self)
{
  GQueue ended = G_QUEUE_INIT;
  Request *request;
  sluice_resource_ref (&self->parent); /* the last call that ends may hold the last reference */
  self->is_serving = TRUE;
  while ((request = g_queue_peek_head (&self->requests)) != NULL)
    if (serve (self, request))
      g_queue_push_tail (&ended, g_queue_pop_head (&self->requests));
    else if (!ask (self, request))
      break;
  self->is_serving = FALSE;
  pthread_mutex_unlock (&self->lock);
  end_requests (&ended);
  sluice_resource_unref (&self->parent);
}

void
sluice_reader_read (SluiceReader *self, SluiceQueue *queue, SluiceKernelCall *call, gint64 max)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  g_queue_push_tail (&self->requests, request_new (queue, call, max));
  if (self->is_serving || self->asking == ASKED)
    pthread_mutex_unlock (&self->lock);
  else
    serve_all (self);
}

void
sluice_reader_cancel (SluiceReader *self, SluiceKernelCall *call)
{
  GQueue ended = G_QUEUE_INIT;
  SluiceQueue *asked = NULL;
  sluice_resource_ref (&self->parent);
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  for (GList *l = self->requests.head; l != NULL; l = l->next)
    {
      Request *request = l->data;
      if (request->call != call)
        continue;
      request->is_cancelled = TRUE;
      if (l == self->requests.head)
        asked = self->asking == ASKED ? request->queue : NULL;
      else
        {
          sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "waiting for reader '%s' was cancelled",
                            self->name);
          g_queue_delete_link (&self->requests, l);
          g_queue_push_tail (&ended, request);
        }
      break;
    }
  if (asked != NULL)
    sluice_resource_ref ((SluiceResource *) asked);
  pthread_mutex_unlock (&self->lock);
  if (asked != NULL)
    {
      sluice_queue_cancel (asked, self);
      sluice_resource_unref ((SluiceResource *) asked);
    }
  end_requests (&ended);
  sluice_resource_unref (&self->parent);
}

char *
sluice_reader_describe_wait (SluiceReader *self, SluiceKernelCall *call)
{
  SluiceQueue *asked = NULL;
  gboolean is_first = FALSE;
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  const Request *first = g_queue_peek_head (&self->requests);
  if (first != NULL && self->asking == ASKED)
    {
      asked = (SluiceQueue *) sluice_resource_ref ((SluiceResource *) first->queue);
      is_first = first->call == call;
    }
  pthread_mutex_unlock (&self->lock);
  if (asked == NULL)
    return NULL;
  g_autofree char *what = sluice_queue_describe_wait (asked, self, call->node, 1);
  sluice_resource_unref ((SluiceResource *) asked);
  if (what == NULL || is_first)
    return g_steal_pointer (&what);
  return g_strdup_printf ("reader '%s', which another read has; that one waits for %s", self->name,
                          what);
}

/* ---- state ---- */

void
sluice_reader_state_clear (SluiceReaderState *self)
{
  if (self->work != NULL)
    g_string_free (self->work, TRUE);
  *self = (SluiceReaderState){ 0 };
}

static SluiceReaderState
state_dup (const SluiceReaderState *from)
{
  SluiceReaderState copy = *from;
  if (from->work != NULL)
    copy.work = g_string_new_len (from->work->str, from->work->len);
  return copy;
}

void
sluice_reader_get_state (SluiceReader *self, SluiceReaderState *state)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  *state = state_dup (&self->state);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_reader_set_state (SluiceReader *self, const SluiceReaderState *state)
{
  static const SluiceReaderState fresh = { 0 };
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  sluice_reader_state_clear (&self->state);
  self->state = state_dup (state != NULL ? state : &fresh);
  sluice_records_close (&self->records);
  g_clear_error (&self->broken);
  pthread_mutex_unlock (&self->lock);
}

gboolean
sluice_reader_can_save (const SluiceReader *self)
{
  return self->records.spec.format == SLUICE_RECORDS_IDENTITY
         || self->records.spec.format == SLUICE_RECORDS_WHOLE_FILE;
}
