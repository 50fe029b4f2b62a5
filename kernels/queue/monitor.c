/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/monitor.h"

#include "kernels/queue/waiting.h"

typedef struct
{
  SluiceKernelCall *call;
  SluiceAttempt attempt;
  gint64 number;
} Waiter;

void
sluice_monitor_init (SluiceMonitor *self,
                     const SluiceResourceType *type,
                     const char *name,
                     gboolean in_order)
{
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = type;
  self->name = g_strdup (name);
  self->in_order = in_order;
  pthread_mutex_init (&self->lock, NULL);
  g_queue_init (&self->waiting);
}

void
sluice_monitor_clear (SluiceMonitor *self)
{
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
}

void
sluice_monitor_enter (SluiceMonitor *self)
{
  pthread_mutex_lock (&self->lock);
}

/* Who has been served may make it possible for another, also for one that came before. */
static void
serve (SluiceMonitor *self, GQueue *ended)
{
  GList *link = self->waiting.head;
  while (link != NULL)
    {
      Waiter *waiter = link->data;
      if (waiter->attempt (self, waiter->call, waiter->number))
        {
          g_queue_unlink (&self->waiting, link);
          g_queue_push_tail_link (ended, link);
          link = self->waiting.head;
        }
      else
        link = self->in_order ? NULL : link->next;
    }
}

/* Outside the lock: the step may be gone as soon as it knows. */
static void
tell (GQueue *ended)
{
  Waiter *waiter;
  while ((waiter = g_queue_pop_head (ended)) != NULL)
    {
      SluiceKernelCall *call = waiter->call;
      g_free (waiter);
      sluice_waiting_remove (call);
      call->done (call);
    }
}

void
sluice_monitor_leave (SluiceMonitor *self)
{
  GQueue ended = G_QUEUE_INIT;
  serve (self, &ended);
  pthread_mutex_unlock (&self->lock);
  tell (&ended);
}

void
sluice_monitor_wait (SluiceMonitor *self,
                     SluiceKernelCall *call,
                     SluiceAttempt attempt,
                     gint64 number)
{
  Waiter *waiter = g_new (Waiter, 1);
  *waiter = (Waiter){ call, attempt, number };
  sluice_waiting_add (call, &self->parent);
  sluice_monitor_enter (self);
  g_queue_push_tail (&self->waiting, waiter);
  sluice_monitor_leave (self);
}

static gint
compare_call (gconstpointer waiter, gconstpointer call)
{
  return ((const Waiter *) waiter)->call != call;
}

void
sluice_monitor_cancel (SluiceKernelCall *call)
{
  SluiceMonitor *self = (SluiceMonitor *) sluice_waiting_dup (call);
  if (self == NULL)
    return;
  GQueue ended = G_QUEUE_INIT;
  sluice_monitor_enter (self);
  GList *link = g_queue_find_custom (&self->waiting, call, compare_call);
  if (link != NULL)
    {
      sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "waiting for %s '%s' was cancelled",
                        self->parent.type->name, self->name);
      g_queue_unlink (&self->waiting, link);
      g_queue_push_tail_link (&ended, link);
    }
  serve (self, &ended); /* who waited behind it may go on */
  pthread_mutex_unlock (&self->lock);
  tell (&ended);
  sluice_resource_unref (&self->parent);
}

char *
sluice_monitor_describe_wait (SluiceKernelCall *call)
{
  SluiceMonitor *self = (SluiceMonitor *) sluice_waiting_dup (call);
  if (self == NULL)
    return NULL;
  char *text =
      g_strdup_printf ("%s '%s', which no run changes", self->parent.type->name, self->name);
  sluice_resource_unref (&self->parent);
  return text;
}
