/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/bottleneck.h"
#include "engine/trace/critical-path.h"

/* What one look at a trace has in common. */
typedef struct
{
  const SluiceBottleneckSource *source;
  GPtrArray *found;             /* of SluiceBottleneck */
  const SluiceTraceStep *steps; /* by number */
  guint n_steps;
  const SluiceTraceStep *typical; /* of median length */
  SluiceTraceDepends *depends;    /* of it */
  SluiceCriticalPath *critical;
  gint64 took;    /* by the critical path */
  gint64 between; /* a step, in which it is fed, and its results are written down */
  gint64 works[SLUICE_N_GAP_CAUSES]; /* of that, by cause */
  GArray *gaps;                      /* of SluiceTraceGap: of the typical step, by lane and time */
} SluiceBottlenecks;

/* Of the kind, with nothing else in it, among those found. */
SluiceBottleneck *sluice_bottlenecks_add (SluiceBottlenecks *self, SluiceBottleneckKind kind);
/* Time from the start of one step to that of the next. */
gint64 sluice_bottlenecks_get_period (const SluiceBottlenecks *self);
/* Its evidence is that span. */
void
sluice_bottlenecks_show_span (const SluiceBottlenecks *self, SluiceBottleneck *one, guint64 span);
/* "1.24 ms", "18 µs": (transfer full) */
char *sluice_bottleneck_dup_time (gint64 ns);
const char *sluice_bottleneck_get_name (const SluiceBottlenecks *self, guint64 span);

/* bottleneck-step.c: what the typical step loses. */
void sluice_bottlenecks_look_at_step (SluiceBottlenecks *self);
/* bottleneck-steps.c: what steps lose beside it. */
void sluice_bottlenecks_look_at_steps (SluiceBottlenecks *self);
/* The same of a trace without steps. */
void sluice_bottlenecks_look_at_lanes (SluiceBottlenecks *self);
/* bottleneck-memory.c */
void sluice_bottlenecks_look_at_memory (SluiceBottlenecks *self);
