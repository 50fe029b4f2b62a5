/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/runtime/session/session.h"

/* A run under a debugger, on a thread of its own. */
typedef struct
{
  SluiceSession *session;
  SluiceDebugger *debugger;
  const SluiceStepNames *names;
  SluiceRunOptions options;
  SluiceTensor *outputs[4]; /* of the run that ended last */
  GError *error;            /* (nullable): of it */
  pthread_t thread;
  gboolean is_running;
} Debugged;

void debugged_init (Debugged *self, SluiceSession *session);
void debugged_clear (Debugged *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Debugged, debugged_clear)

/* "NODE if CONDITION"; its number. */
guint debugged_break (Debugged *self, const char *text);
/* Begins a run of names, which the caller keeps until it has ended. */
void debugged_begin (Debugged *self, const SluiceStepNames *names);
/* The next stop; NULL: the run has ended, and outputs or error are there. */
SluiceStop *debugged_wait (Debugged *self);
/* The next stop is at this node. (transfer full) */
SluiceStop *debugged_wait_for (Debugged *self, const char *node);
/* There is none, and nothing has failed. */
void debugged_expect_end (Debugged *self);

/* Of a stop's inputs or outputs: a scalar float. */
float debugged_float (const GArray *values, guint i);
/* In a sentence: how the breakpoint is. (transfer full) */
char *debugged_describe (Debugged *self, guint number);
