/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/trace-view.h"

SLUICE_PUBLIC_BEGIN

/* How long each node took in each step of a trace, all its iterations together; what waits does no
 * work. */
typedef struct
{
  const char *name;    /* the view's */
  gint64 total;        /* nanoseconds, of all steps */
  gint64 median, most; /* of the steps in which it ran */
  guint n_steps;       /* in which it ran */
} SluiceHeatNode;

typedef struct
{
  GArray *nodes; /* of SluiceHeatNode: by total, the largest first; then by name */
  gint64 most;   /* of one node in one step */
  GArray *steps; /* of guint64: numbers of the steps */
  gint64 *times; /* by node, and of it by step; SLUICE_HEAT_NONE: it did not run */
} SluiceTraceHeat;

#define SLUICE_HEAT_NONE (-1)

/* The view is settled, and lives as long as the map. Spans of no step are left out. */
SluiceTraceHeat *sluice_trace_heat_new (const SluiceTraceView *view);
void sluice_trace_heat_free (SluiceTraceHeat *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTraceHeat, sluice_trace_heat_free)

gint64 sluice_trace_heat_get_time (const SluiceTraceHeat *self, guint node, guint step);
/* The step at or behind @from and before @end in which the node took longest; @end: none of them
 * has it. */
guint
sluice_trace_heat_find_longest (const SluiceTraceHeat *self, guint node, guint from, guint end);

SLUICE_PUBLIC_END
