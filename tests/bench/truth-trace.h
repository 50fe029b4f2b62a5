/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/* What steps consisted of, by their trace: medians over the steps, in microseconds a step. */
typedef enum
{
  TRUTH_NODES_HOST,  /* nodes that a thread of the session ran */
  TRUTH_NODES_QUEUE, /* that a queue did */
  TRUTH_COPIES,      /* transfers by queues */
  TRUTH_MEETINGS,    /* sends and receives without one */
  TRUTH_SPAN,        /* from when the first was ready until the last had ended */
  TRUTH_N_EVENTS,    /* how many there were */
  TRUTH_N_PARTS,
} TruthPart;

typedef struct _TruthTrace TruthTrace;

TruthTrace *truth_trace_new (SluiceSession *session);
void truth_trace_free (TruthTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TruthTrace, truth_trace_free)

/* Steps that do not count. */
void truth_trace_skip (TruthTrace *self);
void truth_trace_read (TruthTrace *self);
double truth_trace_get (const TruthTrace *self, TruthPart part);
/* Writes the last step, a line an event. */
void truth_trace_print (const TruthTrace *self);
