/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The breakpoints, and how stopped runs go on. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/runtime/debug/debugger-private.h"

SluiceDebugger *
sluice_debugger_new (void)
{
  SluiceDebugger *self = g_new0 (SluiceDebugger, 1);
  self->ref_count = 1;
  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_t monotonic;
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&self->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  self->replaced = sluice_debug_new_values ();
  self->breakpoints = g_array_new (FALSE, TRUE, sizeof (SluiceBreakpointReport));
  g_array_set_clear_func (self->breakpoints, (GDestroyNotify) sluice_breakpoint_report_clear);
  self->plans = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_debug_plan_unref);
  return self;
}

SluiceDebugger *
sluice_debugger_ref (SluiceDebugger *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_debugger_unref (SluiceDebugger *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  g_array_unref (self->breakpoints);
  g_array_unref (self->replaced);
  g_ptr_array_unref (self->plans);
  g_clear_pointer (&self->kept, sluice_kept_unref);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self);
}

/* ---- breakpoints ---- */

/* Under the lock, when the list has changed. */
static void
take_list (SluiceDebugger *self)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gboolean all = FALSE;
  for (guint i = 0; i < self->breakpoints->len; i++)
    {
      const SluiceBreakpoint *what = &breakpoint_at (self->breakpoints, i)->what;
      g_autofree char *name = g_strconcat (what->name, what->is_scope ? "/" : "", NULL);
      all |= what->is_scope && *what->name == '\0';
      g_strv_builder_add (names, name);
    }
  g_clear_pointer (&self->kept, sluice_kept_unref);
  self->kept = sluice_kept_new (g_strv_builder_end (names), all);
  self->version++;
  g_ptr_array_set_size (self->plans, 0);
}

guint
sluice_debugger_add (SluiceDebugger *self, const SluiceBreakpoint *breakpoint, GError **error)
{
  SluiceBreakpointReport report = { .what = *breakpoint };
  pthread_mutex_lock (&self->lock);
  if (self->breakpoints->len < SLUICE_MAX_BREAKPOINTS)
    {
      report.number = ++self->n_numbers;
      g_array_append_val (self->breakpoints, report);
      take_list (self);
    }
  pthread_mutex_unlock (&self->lock);
  if (report.number == 0)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "there are %u breakpoints, which is all that a debugger can have; remove one",
                 SLUICE_MAX_BREAKPOINTS);
  return report.number;
}

gboolean
sluice_debugger_remove (SluiceDebugger *self, guint number)
{
  gboolean found = FALSE;
  pthread_mutex_lock (&self->lock);
  for (guint i = self->breakpoints->len; i-- > 0;)
    if (breakpoint_at (self->breakpoints, i)->number == number)
      {
        g_array_remove_index (self->breakpoints, i);
        found = TRUE;
      }
  if (found)
    take_list (self);
  pthread_mutex_unlock (&self->lock);
  return found;
}

GArray *
sluice_debugger_dup_reports (SluiceDebugger *self)
{
  GArray *reports = g_array_new (FALSE, FALSE, sizeof (SluiceBreakpointReport));
  g_array_set_clear_func (reports, (GDestroyNotify) sluice_breakpoint_report_clear);
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->breakpoints->len; i++)
    {
      SluiceBreakpointReport report = *breakpoint_at (self->breakpoints, i);
      if (report.value != NULL)
        sluice_tensor_ref (report.value);
      g_array_append_val (reports, report);
    }
  pthread_mutex_unlock (&self->lock);
  return reports;
}

/* ---- how runs go on ---- */

/* Under the lock. */
static void
go_on (SluiceDebugger *self, DebugMode mode)
{
  if (self->mode != DEBUG_FREE)
    self->mode = mode;
  self->pauses = FALSE;
  self->goes_on = TRUE;
  atomic_store (&self->attends, self->mode == DEBUG_BY_STEP);
  pthread_cond_broadcast (&self->changed);
}

void
sluice_debugger_step (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  go_on (self, DEBUG_BY_STEP);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_debugger_next (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  go_on (self, DEBUG_TO_BREAKPOINT);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_debugger_go (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  if (self->stopped != NULL)
    self->stopped->is_free = TRUE;
  go_on (self, DEBUG_TO_BREAKPOINT);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_debugger_release (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  go_on (self, DEBUG_FREE);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_debugger_pause (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  if (self->stopped == NULL && self->mode != DEBUG_FREE)
    {
      self->pauses = TRUE;
      atomic_store (&self->attends, 1);
    }
  pthread_mutex_unlock (&self->lock);
}

void
sluice_debugger_set_notify (SluiceDebugger *self, void (*func) (gpointer data), gpointer data)
{
  pthread_mutex_lock (&self->lock);
  self->notify = func;
  self->notify_data = data;
  pthread_mutex_unlock (&self->lock);
}

void
sluice_debugger_begin (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  self->n_begun++;
  pthread_mutex_unlock (&self->lock);
}

void
sluice_debugger_end (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  self->n_begun--;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

gboolean
sluice_debugger_wait (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  while ((self->stopped == NULL || self->goes_on) && self->n_begun > 0)
    pthread_cond_wait (&self->changed, &self->lock);
  gboolean is_stopped = self->stopped != NULL && !self->goes_on;
  pthread_mutex_unlock (&self->lock);
  return is_stopped;
}

gboolean
sluice_debugger_is_stopped (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  gboolean is_stopped = self->stopped != NULL && !self->goes_on;
  pthread_mutex_unlock (&self->lock);
  return is_stopped;
}

gint64
sluice_debugger_get_stopped_us (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  gint64 stopped_us = self->stopped_us;
  pthread_mutex_unlock (&self->lock);
  return stopped_us;
}
