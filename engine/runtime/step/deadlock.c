/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/runtime/step/deadlock.h"

#include "engine/runtime/step/step.h"

#define PATIENCE_US 1200000 /* of all steps together; the report is due within two seconds */
#define MOST        5       /* nodes that a report names */
#define MAX_TOLD    9       /* reports after each of which the patience doubles: 10 minutes */

/* ---- who is active ---- */

static void
activity_finalize (SluiceResource *resource)
{
  g_free (resource);
}

static const SluiceResourceType activity_type = { "activity", activity_finalize };

static SluiceResource *
make_activity (gpointer data, GError **error)
{
  SluiceActivity *self = g_new0 (SluiceActivity, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &activity_type;
  return &self->parent;
}

SluiceActivity *
sluice_activity_get (SluiceResources *resources)
{
  return (SluiceActivity *) sluice_resources_get_own (resources, make_activity);
}

void
sluice_idle_begin (SluiceIdle *self, SluiceActivity *activity)
{
  if (self->is_waiting)
    return;
  *self = (SluiceIdle){ .is_waiting = TRUE };
  sluice_activity_end (activity);
}

void
sluice_idle_end (SluiceIdle *self, SluiceActivity *activity)
{
  if (!self->is_waiting)
    return;
  self->is_waiting = FALSE;
  sluice_activity_begin (activity);
}

gboolean
sluice_idle_is_hopeless (SluiceIdle *self, SluiceActivity *activity)
{
  guint64 state = atomic_load (&activity->state);
  gint64 now = g_get_monotonic_time ();
  if ((guint32) state != 0 || self->since == 0 || state != self->state)
    {
      self->state = state;
      self->since = now;
      return FALSE;
    }
  return now - self->since >= (gint64) PATIENCE_US << MIN (self->n_told, MAX_TOLD);
}

/* ---- the report ---- */

gboolean
sluice_deadlock_is_possible (const SluiceStep *step)
{
  for (const SluiceInFlightCall *in_flight = step->in_flight; in_flight != NULL;
       in_flight = in_flight->next_in_flight)
    if (in_flight->call.kernel == NULL || in_flight->call.kernel->describe_wait == NULL)
      return FALSE;
  return step->in_flight != NULL;
}

/* (transfer full) (nullable): something does not wait */
static char *
describe_in_flight (SluiceStep *step)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;
  for (SluiceInFlightCall *in_flight = step->in_flight; in_flight != NULL;
       in_flight = in_flight->next_in_flight)
    {
      const SluiceKernel *kernel = in_flight->call.kernel;
      g_autofree char *what = kernel->describe_wait (&in_flight->call);
      if (what == NULL)
        return NULL;
      if (n++ < MOST)
        g_string_append_printf (text, "%s%s '%s' waits for %s", n > 1 ? "; " : "",
                                in_flight->call.node->op_name, in_flight->call.node->name, what);
    }
  if (n > MOST)
    g_string_append_printf (text, "; and %u more nodes wait", n - MOST);
  return n > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

char *
sluice_deadlock_describe (SluiceStep *step)
{
  g_autofree char *text = describe_in_flight (step);
  return text != NULL ? g_strconcat ("nothing runs, and ", text, NULL) : NULL;
}

char *
sluice_deadlock_describe_driven (SluiceStep *step)
{
  int free = 0;
  if (!atomic_compare_exchange_strong (&step->owned, &free, 1))
    return NULL;
  char *text = !atomic_load (&step->mailbox) && sluice_ready_is_empty (&step->root.ready)
                       && step->first_listed == NULL && sluice_deadlock_is_possible (step)
                   ? describe_in_flight (step)
                   : NULL;
  atomic_store (&step->owned, 0);
  sluice_step_wake (step); /* whoever found the scheduler lock taken */
  return text;
}
