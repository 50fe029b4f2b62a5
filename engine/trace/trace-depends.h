/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "engine/trace/trace-view.h"

SLUICE_PUBLIC_BEGIN

/*
 * What of a step waited for what: its spans, and of each those that had to end before it could
 * begin. What a kernel was fused with, what was folded or left out has no span: what stands behind
 * it has.
 */
#define SLUICE_DEPENDS_NONE G_MAXUINT

typedef struct
{
  guint item;        /* that had to end; earlier in the order */
  int port;          /* which output it was; -1: only that it ended */
  const char *value; /* of which node, where it is none of the item's own (fused, left out);
                        interned by the graph; else NULL */
} SluiceTraceNeed;

typedef struct
{
  guint64 span;
  gint64 start, end; /* of what waits for a value that is on its way: from when it was sent */
  gint64 ready;      /* from when on it could have begun */
  guint lane;
  guint before; /* what ran on its lane before it; SLUICE_DEPENDS_NONE also where a lane does many
                   things at a time */
  guint first_need, n_needs;
} SluiceTraceItem;

typedef struct
{
  guint64 step;
  gint64 start, end;
  GArray *items; /* of SluiceTraceItem, by start: whatever it needs comes earlier */
  GArray *needs; /* of SluiceTraceNeed */
  GHashTable *item_of_span;
} SluiceTraceDepends;

/* Without any span: for tests and simulations to fill. */
SluiceTraceDepends *sluice_trace_depends_new_empty (void);
/* graph: (nullable): whose nodes the spans are; without it only lanes say what came after what */
SluiceTraceDepends *
sluice_trace_depends_new (const SluiceTraceView *view, const SluiceGraph *graph, guint64 step);
void sluice_trace_depends_free (SluiceTraceDepends *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTraceDepends, sluice_trace_depends_free)

/* (nullable): the span is of another step */
const SluiceTraceItem *sluice_trace_depends_find (const SluiceTraceDepends *self, guint64 span);
/* (nullable): what it needs that came last */
const SluiceTraceNeed *
sluice_trace_depends_get_last_need (const SluiceTraceDepends *self, const SluiceTraceItem *item);

SLUICE_PUBLIC_END
