/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/trace-view.h"

/*
 * What readers of other programs' traces share: lanes by the process and thread that a file names
 * by number, with names that may come later; begins and ends that find one another; flows between
 * points in time, which find their spans once all are there.
 */
typedef struct _SluiceForeign SluiceForeign;

/* remarks: (element-type SluiceTraceRemark) */
SluiceForeign *sluice_foreign_new (SluiceTraceView *view, GArray *remarks);
/* What has begun ends with the trace, names are given, flows are found; the view is settled. */
void sluice_foreign_finish (SluiceForeign *self);

void sluice_foreign_name_process (SluiceForeign *self, const char *process, const char *name);
/* The lane of that name for the file, on which things may begin and end. */
guint sluice_foreign_lane (SluiceForeign *self, const char *process, const char *thread);
/* name: what people call it */
void sluice_foreign_name_lane (SluiceForeign *self, guint lane, const char *name);
void sluice_foreign_set_process (SluiceForeign *self, guint lane, const char *process);

/* span: of its lane; ends before it begins: that is said */
void sluice_foreign_add (SluiceForeign *self, const SluiceTraceSpan *span);
/* span: without its end; key: (nullable): what its end is found by; NULL: by its lane */
void sluice_foreign_begin (SluiceForeign *self, const char *key, const SluiceTraceSpan *span);
/* Ends what began last on the lane, or with the key. */
void sluice_foreign_end (SluiceForeign *self, guint lane, gint64 time);
void sluice_foreign_end_async (SluiceForeign *self, const char *key, gint64 time);
/* name: of the process and what is counted */
void sluice_foreign_count (
    SluiceForeign *self, const char *process, const char *name, gint64 time, double value);

typedef enum
{
  SLUICE_FLOW_START = 1,
  SLUICE_FLOW_END = 2, /* of both: goes on */
} SluiceFlowSides;

/* At a time on a lane something leads from or to whatever runs there then. id: what its points have
 * in common */
void sluice_foreign_flow (
    SluiceForeign *self, const char *id, guint lane, gint64 time, SluiceFlowSides sides);
