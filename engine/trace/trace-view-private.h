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
  GHashTable *texts;    /* set of what texts holds */
  GStringChunk *chunk;
};

#define SLUICE_VIEW_COLUMNS(self)                                                                  \
  &(self)->times.start, &(self)->times.time, &(self)->waited, &(self)->title, &(self)->row,        \
      &(self)->step, &(self)->iteration, &(self)->live

/* (nullable) */
const char *sluice_trace_view_keep_text (SluiceTraceView *self, const char *text);
