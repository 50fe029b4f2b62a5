/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/data/dataset-pass.h"

#include "kernels/data/closure.h"
#include "kernels/queue/waiting.h"

typedef struct
{
  SluiceKernelCall *call;
  SluiceAnswer answer;
  gboolean is_cancelled; /* under lock */
} Request;

struct _SluiceDatasetPass
{
  SluiceResource parent;
  SluiceTensor **element; /* of whoever has polling, or frees the cursor; so is the next */
  SluiceRemains *remains;
  guint n;

  pthread_mutex_t lock;
  SluiceCursor *cursor; /* (nullable): closed. Moved by whoever has polling, without the lock */
  GQueue requests;      /* of Request, in the order they came */
  GPtrArray *running;   /* of SluiceInvocation, borrowed */
  gboolean is_polling;  /* somebody moves the cursor */
  gboolean is_woken;    /* while somebody does */
  gboolean is_closed;
  gboolean was_cancelled; /* the last request to end */
};

/* With polling, or where nobody can have it any more. (nullable) cursor, cancelled */
static void
free_cursor (SluiceDatasetPass *self, SluiceCursor *cursor, const _Atomic int *cancelled)
{
  if (cursor == NULL)
    return;
  sluice_cursor_free (cursor);
  sluice_remains_free (&self->remains, cancelled);
}

void
sluice_dataset_pass_leave (SluiceDatasetPass *self,
                           SluiceElementCache *take,
                           gint64 first,
                           gint64 n)
{
  sluice_remains_add (&self->remains, take, first, n);
}

static void
pass_finalize (SluiceResource *resource)
{
  SluiceDatasetPass *self = (SluiceDatasetPass *) resource;
  free_cursor (self, self->cursor, NULL);
  g_ptr_array_unref (self->running);
  pthread_mutex_destroy (&self->lock);
  g_free (self->element);
  g_free (self);
}

static const SluiceResourceType pass_type = { "dataset's pass", pass_finalize };

SluiceDatasetPass *
sluice_dataset_pass_new (SluiceDataset *dataset)
{
  SluiceDatasetPass *self = g_new0 (SluiceDatasetPass, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &pass_type;
  self->n = dataset->n;
  self->element = g_new0 (SluiceTensor *, dataset->n + 1);
  pthread_mutex_init (&self->lock, NULL);
  g_queue_init (&self->requests);
  self->running = g_ptr_array_new ();
  self->cursor = sluice_cursor_new (dataset, self);
  return self;
}

SluiceDatasetPass *
sluice_dataset_pass_ref (SluiceDatasetPass *self)
{
  return (SluiceDatasetPass *) sluice_resource_ref (&self->parent);
}

void
sluice_dataset_pass_unref (SluiceDatasetPass *self)
{
  sluice_resource_unref (&self->parent);
}

/* ---- answers ---- */

/* Not under the lock: the step may be gone as soon as it knows. */
static void
end_request (Request *request, SluiceNext result, SluiceTensor *const *element, GError *error)
{
  SluiceKernelCall *call = request->call;
  request->answer (call, result, element, error);
  g_free (request);
  sluice_waiting_remove (call);
  call->done (call);
}

static GError *
cancelled (void)
{
  return g_error_new (SLUICE_ERROR, SLUICE_ERROR_CANCELLED, "the run was cancelled");
}

/* What a run has begun ends before it does. Under the lock. */
static gboolean
is_awaited (const SluiceDatasetPass *self)
{
  for (guint i = 0; i < self->running->len; i++)
    if (sluice_invocation_is_awaited (self->running->pdata[i]))
      return TRUE;
  return FALSE;
}

/* One try for the first request, with polling and under the lock, which it lets go of in between.
 * FALSE: nothing can be done until somebody wakes the pass. */
static gboolean
serve_first (SluiceDatasetPass *self)
{
  Request *request = g_queue_peek_head (&self->requests);
  SluiceNext result = SLUICE_NEXT_FAILED;
  GError *error = NULL;
  self->is_woken = FALSE;
  if (request->is_cancelled && is_awaited (self))
    return FALSE;
  if (request->is_cancelled)
    error = cancelled ();
  else
    {
      pthread_mutex_unlock (&self->lock);
      result = sluice_cursor_next (self->cursor, request->call, self->element, &error);
      sluice_remains_free (&self->remains, request->call->cancelled);
      pthread_mutex_lock (&self->lock);
    }
  if (result == SLUICE_NEXT_LATER)
    return self->is_woken;
  g_queue_pop_head (&self->requests);
  self->was_cancelled = request->is_cancelled;
  pthread_mutex_unlock (&self->lock);
  end_request (request, result, self->element, error);
  pthread_mutex_lock (&self->lock);
  return TRUE;
}

/* Under the lock: nobody asks, and nobody will. (transfer full) (nullable) */
static SluiceCursor *
take_closed (SluiceDatasetPass *self)
{
  if (!self->is_closed || self->is_polling || !g_queue_is_empty (&self->requests))
    return NULL;
  return g_steal_pointer (&self->cursor);
}

/* Under the lock, and without it at the end. */
static void
serve (SluiceDatasetPass *self)
{
  static const _Atomic int yes = 1;
  if (self->is_polling)
    {
      self->is_woken = TRUE;
      pthread_mutex_unlock (&self->lock);
      return;
    }
  /* A call that has ended may have held the last other reference. */
  sluice_dataset_pass_ref (self);
  self->is_polling = TRUE;
  while (!g_queue_is_empty (&self->requests) && serve_first (self))
    ;
  self->is_polling = FALSE;
  SluiceCursor *cursor = take_closed (self);
  /* The run has ended, but its thread may be this one. */
  const _Atomic int *cancelled = self->was_cancelled ? &yes : NULL;
  pthread_mutex_unlock (&self->lock);
  free_cursor (self, cursor, cancelled);
  sluice_dataset_pass_unref (self);
}

void
sluice_dataset_pass_wake (SluiceDatasetPass *self)
{
  pthread_mutex_lock (&self->lock);
  serve (self);
}

void
sluice_dataset_pass_ask (SluiceDatasetPass *self, SluiceKernelCall *call, SluiceAnswer answer)
{
  Request *request = g_new (Request, 1);
  *request = (Request){ call, answer, FALSE };
  sluice_waiting_add (call, &self->parent);
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (&self->requests, request);
  serve (self);
}

void
sluice_dataset_pass_close (SluiceDatasetPass *self, const _Atomic int *cancelled)
{
  pthread_mutex_lock (&self->lock);
  self->is_closed = TRUE;
  SluiceCursor *cursor = take_closed (self);
  pthread_mutex_unlock (&self->lock);
  free_cursor (self, cursor, cancelled);
  sluice_dataset_pass_unref (self);
}

/* ---- what it waits for ---- */

void
sluice_dataset_pass_add (SluiceDatasetPass *self, SluiceInvocation *invocation)
{
  pthread_mutex_lock (&self->lock);
  g_ptr_array_add (self->running, invocation);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_dataset_pass_remove (SluiceDatasetPass *self, SluiceInvocation *invocation)
{
  pthread_mutex_lock (&self->lock);
  g_ptr_array_remove_fast (self->running, invocation);
  pthread_mutex_unlock (&self->lock);
}

gboolean
sluice_dataset_pass_is_cancelled (SluiceDatasetPass *self)
{
  pthread_mutex_lock (&self->lock);
  const Request *first = g_queue_peek_head (&self->requests);
  gboolean is_cancelled = first != NULL && first->is_cancelled;
  pthread_mutex_unlock (&self->lock);
  return is_cancelled;
}

static gint
compare_call (gconstpointer request, gconstpointer call)
{
  return ((const Request *) request)->call != call;
}

void
sluice_dataset_pass_cancel (SluiceKernelCall *call)
{
  SluiceDatasetPass *self = (SluiceDatasetPass *) sluice_waiting_dup (call);
  if (self == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  GList *link = g_queue_find_custom (&self->requests, call, compare_call);
  Request *request = link != NULL ? link->data : NULL;
  gboolean is_first = link != NULL && link == self->requests.head;
  for (guint i = 0; is_first && i < self->running->len; i++)
    sluice_invocation_interrupt (self->running->pdata[i]);
  if (request != NULL && is_first && (self->is_polling || is_awaited (self)))
    {
      request->is_cancelled = TRUE; /* whoever works for it, or wakes the pass, ends it */
      self->is_woken = TRUE;
      request = NULL;
    }
  else if (request != NULL)
    {
      g_queue_delete_link (&self->requests, link);
      self->was_cancelled = TRUE;
    }
  pthread_mutex_unlock (&self->lock);
  if (request != NULL)
    {
      end_request (request, SLUICE_NEXT_FAILED, NULL, cancelled ());
      sluice_dataset_pass_wake (self);
    }
  sluice_dataset_pass_unref (self);
}

/* The functions of the first request, each with a reference. (transfer full) (nullable): somebody
 * works for it */
static GPtrArray *
dup_running (SluiceDatasetPass *self, SluiceKernelCall *call, gboolean *is_first)
{
  GPtrArray *running = NULL;
  pthread_mutex_lock (&self->lock);
  Request *first = g_queue_peek_head (&self->requests);
  *is_first = first != NULL && first->call == call;
  if (!self->is_polling)
    {
      running = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_invocation_unref);
      for (guint i = 0; *is_first && i < self->running->len; i++)
        g_ptr_array_add (running, sluice_invocation_ref (self->running->pdata[i]));
    }
  pthread_mutex_unlock (&self->lock);
  return running;
}

char *
sluice_dataset_pass_describe_wait (SluiceKernelCall *call)
{
  SluiceDatasetPass *self = (SluiceDatasetPass *) sluice_waiting_dup (call);
  gboolean is_first;
  char *text = NULL;
  if (self == NULL)
    return NULL;
  g_autoptr (GPtrArray) running = dup_running (self, call, &is_first);
  if (running != NULL && !is_first)
    text = g_strdup ("the element that another node has asked for");
  /* One that only waits is enough, for each of them is needed. */
  for (guint i = 0; running != NULL && text == NULL && i < running->len; i++)
    text = sluice_invocation_describe_wait (running->pdata[i], call);
  sluice_dataset_pass_unref (self);
  return text;
}
