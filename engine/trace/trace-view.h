/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * What ran when, as pages and reports look at it: lanes of spans on one time axis, of this engine's
 * records or of another program's file. Whoever adds and whoever asks is one thread at a time.
 *
 * Times are nanoseconds from the view's own zero. A span is named by its number, which stays as
 * long as the view; within a row of a lane spans do not overlap.
 */
typedef struct _SluiceTraceView SluiceTraceView;

typedef enum
{
  SLUICE_LANE_THREAD, /* runs nodes, one after the other */
  SLUICE_LANE_QUEUE,  /* of a device: compute, in, out */
  SLUICE_LANE_LINK,   /* what is on its way from one device to another */
  SLUICE_LANE_WAIT,   /* kernels that wait and hold no thread: queues, receives */
  SLUICE_LANE_OTHER,  /* of other programs */
} SluiceLaneKind;

typedef struct
{
  const char *device; /* "CPU:0"; of others the process; "CPU:0 → SIM:0" of a link */
  const char *name;   /* "lane 0", "compute" */
  SluiceLaneKind kind;
  guint n_rows; /* rows that spans need which overlap, or nest */
  guint64 n_spans;
  gint64 begin, end; /* of all that is in it */
  gint64 busy;       /* in which at least one of them ran */
} SluiceTraceLane;

typedef enum
{
  SLUICE_SPAN_NODE,
  SLUICE_SPAN_WAIT,
  SLUICE_SPAN_SEND,
  SLUICE_SPAN_RECV,
  SLUICE_SPAN_COPY,
  SLUICE_SPAN_OTHER,
  SLUICE_SPAN_LOCK, /* within the span of a node that waited for it; its op is which */
  SLUICE_SPAN_HOST, /* what whoever runs steps does: "pause", "feed", "log", "save"; of no step */
  SLUICE_N_SPAN_KINDS
} SluiceSpanKind;
/* Behind the name of a lane: where its waits for locks are. */
#define SLUICE_TRACE_LOCKS ": locks"

#define SLUICE_SPAN_NONE G_MAXUINT64

typedef struct
{
  gint64 scheduled; /* it could have begun: all that it reads was there */
  gint64 start, end;
  const char *name; /* of the node; of others what they call it. Lives as long as the view */
  const char *op;   /* (nullable): of others the category */
  SluiceSpanKind kind;
  guint lane, row;
  guint64 step; /* 0: of none */
  guint64 iteration;
  const char *frame; /* (nullable) */
  gsize bytes_in, bytes_out, live;
} SluiceTraceSpan;

/* Of what a row shows at one zoom: one span, or several that are too small to be drawn apart. */
typedef struct
{
  gint64 start, end;
  guint64 n;    /* spans that it stands for */
  guint64 span; /* the longest of them */
  gint64 busy;  /* of all of them together */
} SluiceTracePiece;

typedef struct
{
  guint64 step;
  gint64 start, end;
  gboolean is_slow; /* of the slowest by SLUICE_TRACE_SLOW medians */
} SluiceTraceStep;

#define SLUICE_TRACE_SLOW 1.5

SluiceTraceView *sluice_trace_view_new (void);
void sluice_trace_view_free (SluiceTraceView *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTraceView, sluice_trace_view_free)

/* What times count from, in microseconds since 1970; 0: not known. */
void sluice_trace_view_set_start (SluiceTraceView *self, gint64 start);
gint64 sluice_trace_view_get_start (const SluiceTraceView *self);
/* Of a file: pages of 4096 numbers that turned out not to be what was written. */
guint64 sluice_trace_view_get_n_damaged (const SluiceTraceView *self);

/* The lane of that device and name, made where there is none. */
guint sluice_trace_view_add_lane (SluiceTraceView *self,
                                  SluiceLaneKind kind,
                                  const char *device,
                                  const char *name);
/* Texts are copied; of the span's row nothing is read. Returns: its number */
guint64 sluice_trace_view_add (SluiceTraceView *self, const SluiceTraceSpan *span);
/* The span of one node stands for another too, which its kernel ran. */
void sluice_trace_view_add_together (SluiceTraceView *self, const char *node, const char *name);
/* The node whose span stands for it. (nullable) */
const char *sluice_trace_view_get_together (const SluiceTraceView *self, const char *name);
/* ---- beside spans ---- */

/* A number that changes: memory, a queue's length. */
typedef struct
{
  gint64 time;
  double value; /* from then on */
} SluiceTraceCount;

typedef struct
{
  const char *device, *name;
  const SluiceTraceCount *counts; /* (array length=n): by time once settled */
  guint64 n;
} SluiceTraceCounter;

/* Something that happened and took no time. */
typedef struct
{
  gint64 time;
  const char *name;
  guint lane; /* SLUICE_LANE_NONE: of all */
} SluiceTraceMark;
#define SLUICE_LANE_NONE G_MAXUINT

/* One span led to another. */
typedef struct
{
  guint64 from, to; /* spans */
} SluiceTraceFlow;

/* The counter of that device and name, made where there is none. */
guint sluice_trace_view_add_counter (SluiceTraceView *self, const char *device, const char *name);
void sluice_trace_view_add_count (SluiceTraceView *self, guint counter, gint64 time, double value);
void sluice_trace_view_add_mark (SluiceTraceView *self, guint lane, gint64 time, const char *name);
void sluice_trace_view_add_flow (SluiceTraceView *self, guint64 from, guint64 to);
guint sluice_trace_view_get_n_counters (const SluiceTraceView *self);
void sluice_trace_view_get_counter (const SluiceTraceView *self,
                                    guint number,
                                    SluiceTraceCounter *counter);
/* (array length=n), by time once settled */
const SluiceTraceMark *sluice_trace_view_get_marks (const SluiceTraceView *self, guint64 *n);
/* (array length=n), by where they begin once settled: those of a span lie together */
const SluiceTraceFlow *sluice_trace_view_get_flows (const SluiceTraceView *self, guint64 *n);

/* After spans were added and before anybody asks. */
void sluice_trace_view_settle (SluiceTraceView *self);

guint sluice_trace_view_get_n_lanes (const SluiceTraceView *self);
const SluiceTraceLane *sluice_trace_view_get_lane (const SluiceTraceView *self, guint lane);
guint64 sluice_trace_view_get_n_spans (const SluiceTraceView *self);
void
sluice_trace_view_get_span (const SluiceTraceView *self, guint64 number, SluiceTraceSpan *span);
void sluice_trace_view_get_extent (const SluiceTraceView *self, gint64 *begin, gint64 *end);
/* (array length=n), by number of the step */
const SluiceTraceStep *sluice_trace_view_get_steps (const SluiceTraceView *self, guint *n);

typedef void (*SluiceTracePieceFunc) (const SluiceTracePiece *piece, gpointer data);
/**
 * sluice_trace_view_each_piece:
 * @grain: spans shorter than this are put together with those beside them
 *
 * What a row of a lane shows from @from to @to, in the order of time. The n of all pieces is the
 * number of spans that touch that time: none is left out. The same time at every zoom, for so many
 * pieces as there are grains.
 */
void sluice_trace_view_each_piece (const SluiceTraceView *self,
                                   guint lane,
                                   guint row,
                                   gint64 from,
                                   gint64 to,
                                   gint64 grain,
                                   SluiceTracePieceFunc func,
                                   gpointer data);

/* The span of a row at a time; SLUICE_SPAN_NONE: nothing ran there then. */
guint64 sluice_trace_view_find (const SluiceTraceView *self, guint lane, guint row, gint64 time);
/* The next span of its row, or the one before: SLUICE_SPAN_NONE at the end. */
guint64 sluice_trace_view_get_beside (const SluiceTraceView *self, guint64 number, gboolean after);
/* What spans and rows hold. */
gsize sluice_trace_view_get_bytes (const SluiceTraceView *self);

SLUICE_PUBLIC_END
