/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "engine/trace/trace-view.h"

SLUICE_PUBLIC_BEGIN

/*
 * Why a lane did nothing. Between what ran on a lane there are gaps; each is cut where its cause
 * changes, so that the causes of a lane together are its idle time to the nanosecond: that in which
 * nothing ran, and that in which what ran waited for a lock.
 */
typedef enum
{
  SLUICE_GAP_INPUT,    /* what runs next waited for a value that was being made */
  SLUICE_GAP_TRANSFER, /* … that was on its way from another device */
  SLUICE_GAP_QUEUE,    /* … that an op takes out of a queue, or wants to put there */
  SLUICE_GAP_WAKE,     /* it could run: the thread that took it slept, and had to wake up */
  /* It could run, and its thread was awake: the executor's own time. Of a device's queue: whoever
   * gives it work had not come to it. */
  SLUICE_GAP_DISPATCH,
  SLUICE_GAP_ELSEWHERE, /* it could run: its thread ran a node of another device */
  SLUICE_GAP_NO_WORK,   /* the lane runs nothing more of this step, or nothing of it at all */
  SLUICE_GAP_BETWEEN,   /* no step ran, or not yet that part of it */
  SLUICE_GAP_PAUSED,    /* … because somebody asked for it */
  SLUICE_GAP_FEED,      /* … while what it is fed was being made */
  SLUICE_GAP_LOG,       /* … while results were written down */
  SLUICE_GAP_SAVE,      /* … or a checkpoint */
  SLUICE_GAP_LOCK,      /* a node ran and did nothing: it waited for a lock */
  SLUICE_GAP_UNKNOWN,   /* another program's trace does not say */
  SLUICE_N_GAP_CAUSES
} SluiceGapCause;

typedef struct
{
  gint64 start, end;
  guint lane;
  SluiceGapCause cause;
  guint64 step; /* that had no work, or of what runs next; 0: of none */
  guint64 next; /* what runs next on the lane; SLUICE_SPAN_NONE: nothing of this step. LOCK: what
                   waited */
  /* INPUT, TRANSFER, QUEUE: what ended last of all that it waited for, on whichever lane;
   * ELSEWHERE: what ran there; LOCK: what ended when the lock came free, which had it; else
   * SLUICE_SPAN_NONE, as where no graph says it. */
  guint64 maker;
  int port;          /* of the maker's outputs; -1: only its end was waited for */
  const char *value; /* (nullable): whose value it is, where not the maker's own: fused into it.
                        Lives as long as the graph */
} SluiceTraceGap;

/* "dispatch" */
const char *sluice_gap_cause_name (SluiceGapCause cause);

/* Lanes and steps may come to the view later; the graph does not change. */
typedef struct _SluiceTraceGaps SluiceTraceGaps;

/* graph: (nullable): without it what a span waited for is not known, only since when it could run
 */
SluiceTraceGaps *sluice_trace_gaps_new (const SluiceTraceView *view, const SluiceGraph *graph);
void sluice_trace_gaps_free (SluiceTraceGaps *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTraceGaps, sluice_trace_gaps_free)

/* All of a lane that touch a time, whole, by time. Lanes of waits have none: nothing of theirs is
 * idle. Between spans the gaps are the time in which nothing ran, but for LOCK, which lies within
 * one. (transfer full) (element-type SluiceTraceGap) */
GArray *sluice_trace_gaps_find (SluiceTraceGaps *self, guint lane, gint64 from, gint64 to);

SLUICE_PUBLIC_END
