/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/runtime/debugged.h"

void
debugged_init (Debugged *self, SluiceSession *session)
{
  *self = (Debugged){ .session = g_object_ref (session), .debugger = sluice_debugger_new () };
  self->options.debugger = self->debugger;
}

static void
forget (Debugged *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->outputs); i++)
    g_clear_pointer (&self->outputs[i], sluice_tensor_unref);
  g_clear_error (&self->error);
}

static void
join (Debugged *self)
{
  if (self->is_running)
    g_assert_cmpint (pthread_join (self->thread, NULL), ==, 0);
  self->is_running = FALSE;
}

void
debugged_clear (Debugged *self)
{
  sluice_debugger_release (self->debugger);
  join (self);
  forget (self);
  sluice_debugger_unref (self->debugger);
  g_object_unref (self->session);
}

guint
debugged_break (Debugged *self, const char *text)
{
  g_autoptr (GError) error = NULL;
  SluiceBreakpoint breakpoint;
  sluice_breakpoint_parse (&breakpoint, text, &error);
  g_assert_no_error (error);
  guint number = sluice_debugger_add (self->debugger, &breakpoint, &error);
  g_assert_no_error (error);
  return number;
}

static void *
run (void *data)
{
  Debugged *self = data;
  sluice_session_run (self->session, self->names, self->outputs, &self->options, &self->error);
  sluice_debugger_end (self->debugger);
  return NULL;
}

void
debugged_begin (Debugged *self, const SluiceStepNames *names)
{
  join (self);
  forget (self);
  g_assert_cmpuint (names->n_fetches, <=, G_N_ELEMENTS (self->outputs));
  self->names = names;
  self->is_running = TRUE;
  sluice_debugger_begin (self->debugger);
  g_assert_cmpint (pthread_create (&self->thread, NULL, run, self), ==, 0);
}

SluiceStop *
debugged_wait (Debugged *self)
{
  if (sluice_debugger_wait (self->debugger))
    return sluice_debugger_dup_stop (self->debugger);
  join (self);
  return NULL;
}

SluiceStop *
debugged_wait_for (Debugged *self, const char *node)
{
  SluiceStop *stop = debugged_wait (self);
  g_assert_no_error (self->error);
  g_assert_nonnull (stop);
  g_assert_cmpstr (stop->node.name, ==, node);
  return stop;
}

void
debugged_expect_end (Debugged *self)
{
  SluiceStop *stop = debugged_wait (self);
  g_assert_null (stop);
  g_assert_no_error (self->error);
}

float
debugged_float (const GArray *values, guint i)
{
  g_assert_cmpuint (i, <, values->len);
  const SluiceDebugValue *value = &g_array_index (values, SluiceDebugValue, i);
  g_assert_nonnull (value->tensor);
  g_assert_cmpint (value->tensor->dtype, ==, SLUICE_FLOAT);
  return *(const float *) value->tensor->data;
}

char *
debugged_describe (Debugged *self, guint number)
{
  g_autoptr (GArray) reports = sluice_debugger_dup_reports (self->debugger);
  for (guint i = 0; i < reports->len; i++)
    if (g_array_index (reports, SluiceBreakpointReport, i).number == number)
      return sluice_breakpoint_report_describe (
          &g_array_index (reports, SluiceBreakpointReport, i));
  g_assert_not_reached ();
}
