/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/row.h"

/* What a view consists of: for its own file beside it. */
typedef struct
{
  SluiceTraceLane told;
  GPtrArray *rows; /* of SluiceRow */
  GArray *waiting; /* of guint64: numbers that came out of order, until the lane is settled */
} SluiceViewLane;

/* What many spans have in common. */
typedef struct
{
  const char *name, *op, *frame; /* kept */
  gsize bytes_in, bytes_out;
  guint32 lane;
  guint32 kind; /* SluiceSpanKind */
} SluiceSpanTitle;

typedef struct
{
  const char *device, *name; /* kept */
  GArray *counts;            /* of SluiceTraceCount */
} SluiceViewCounter;

struct _SluiceTraceView
{
  GPtrArray *lanes; /* of SluiceViewLane */
  GHashTable *lane_of_title;
  GPtrArray *titles; /* of SluiceSpanTitle */
  GHashTable *title_numbers;
  /* Of spans, by number: about thirty bytes each with what rows have of it. */
  SluiceSpanTimes times;
  SluiceSpanColumn waited; /* from scheduled to start */
  SluiceSpanColumn title, row, step, iteration, live;
  GArray *steps; /* of SluiceTraceStep, by number of the step */
  guint last_step;
  gboolean knows_slow;
  GHashTable *together; /* name -> node whose span stands for it; both kept */
  GPtrArray *counters;  /* of SluiceViewCounter */
  GHashTable *counter_of_title;
  GArray *marks, *flows; /* of SluiceTraceMark, SluiceTraceFlow */
  gboolean is_beside_sorted;
  gint64 start;  /* what times count from, in microseconds since 1970; 0: not known */
  GBytes *bytes; /* (nullable): the file that pages lie in */
  SluiceSpanColumnFile file;
  GHashTable *texts; /* set of what texts holds */
  GStringChunk *chunk;
};

#define SLUICE_VIEW_COLUMNS(self)                                                                  \
  &(self)->times.start, &(self)->times.time, &(self)->waited, &(self)->title, &(self)->row,        \
      &(self)->step, &(self)->iteration, &(self)->live

/* Times of other programs may be anything: differences of those within do not overflow. */
#define SLUICE_VIEW_MAX_TIME (G_MAXINT64 / 4)

/* Also one of the same name as another, as other programs have them. */
guint sluice_trace_view_new_lane (SluiceTraceView *self,
                                  SluiceLaneKind kind,
                                  const char *device,
                                  const char *name);
/* Its texts are kept ones. Returns: its number */
guint sluice_trace_view_add_title (SluiceTraceView *self, const SluiceSpanTitle *title);
/* Gives a span whose columns are there its place in lane and step. */
void sluice_trace_view_place (SluiceTraceView *self, guint64 number);
/* (nullable) */
const char *sluice_trace_view_keep_text (SluiceTraceView *self, const char *text);
/* Names that became known after spans were added. */
void sluice_trace_view_name_lane (
    SluiceTraceView *self, guint lane, SluiceLaneKind kind, const char *device, const char *name);
void sluice_trace_view_name_counter (SluiceTraceView *self, guint counter, const char *device);

/* trace-view-beside.c */
void sluice_trace_view_init_beside (SluiceTraceView *self);
void sluice_trace_view_clear_beside (SluiceTraceView *self);
void sluice_trace_view_settle_beside (SluiceTraceView *self);
