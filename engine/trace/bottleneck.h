/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/memory-view.h"
#include "engine/trace/trace-gaps.h"

/*
 * What makes steps slow or large, in words and figures, the worst first. A step of median length is
 * taken for all: its critical path, computed again without a cause, says what the cause costs.
 */
typedef enum
{
  SLUICE_BOTTLENECK_SLOW_OP,       /* one node takes much of the step */
  SLUICE_BOTTLENECK_LOCK,          /* nodes wait for a lock, or for room in a queue */
  SLUICE_BOTTLENECK_INPUT,         /* the step waits for what it is fed */
  SLUICE_BOTTLENECK_PLACEMENT,     /* values travel, or one device works and another does not */
  SLUICE_BOTTLENECK_LEAK,          /* something holds more from step to step */
  SLUICE_BOTTLENECK_LATE_FREE,     /* memory is held behind its last use */
  SLUICE_BOTTLENECK_FRAGMENTATION, /* what is free lies in pieces */
  SLUICE_BOTTLENECK_DISPATCH,      /* nodes are so small that handing them out is the work */
  SLUICE_BOTTLENECK_WAKE,          /* threads sleep, and have to wake up */
  SLUICE_BOTTLENECK_STRAGGLER,     /* few steps take much longer than the others */
  SLUICE_BOTTLENECK_HOST,          /* between steps results are written down */
  SLUICE_N_BOTTLENECKS
} SluiceBottleneckKind;

/* "slow-op" */
const char *sluice_bottleneck_kind_name (SluiceBottleneckKind kind);
/* Is it about bytes, not time? */
gboolean sluice_bottleneck_is_of_memory (SluiceBottleneckKind kind);

typedef struct
{
  SluiceBottleneckKind kind;
  double share;  /* of the time of a step and of what is known to be done between steps; of memory
                    ones of the peak */
  double weight; /* what they are sorted by: the share that could be had back */
  gint64 cost;   /* nanoseconds a step */
  gint64 gain;   /* so much shorter a step would be with the remedy, by its critical path */
  gsize bytes;   /* of memory ones */
  /* Evidence: a span, or a time of a lane, of a step; of memory ones a band of a view. */
  guint64 step;
  guint64 span, other; /* SLUICE_SPAN_NONE; other: what it waited for */
  guint lane;          /* SLUICE_LANE_NONE */
  gint64 start, end;
  guint memory, band; /* which view, which band; SLUICE_BAND_NONE */
  char *node;         /* (nullable) */
  char *words, *remedy;
} SluiceBottleneck;

void sluice_bottleneck_free (SluiceBottleneck *self);

typedef struct
{
  const SluiceTraceView *view;
  const SluiceGraph *graph; /* (nullable): whose nodes ran */
  SluiceMemoryView *const
      *memories; /* (nullable) (array length=n_memories): of one device, by step */
  guint n_memories;
} SluiceBottleneckSource;

/* The worst first; none: nothing costs as much as SLUICE_BOTTLENECK_MIN. (transfer full)
 * (element-type SluiceBottleneck) */
GPtrArray *sluice_bottleneck_find (const SluiceBottleneckSource *source);
#define SLUICE_BOTTLENECK_MIN 0.03 /* of a step */
