/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/timeline/step-record.h"
#include "engine/trace/critical-path.h"
#include "engine/trace/trace-gaps.h"

/* What decided how long a step took: its critical path, and why its lanes did nothing. */
typedef struct
{
  SluiceTraceDepends *depends;
  SluiceCriticalPath *critical;
  GArray *gaps; /* of SluiceTraceGap, of all lanes, by lane and time */
} SluiceStepAnalysis;

/* graph: (nullable): then only lanes say what came after what. (nullable): the step is not there */
SluiceStepAnalysis *
sluice_step_analysis_new (const SluiceStepPicture *picture, SluiceGraph *graph, guint64 step);
void sluice_step_analysis_free (SluiceStepAnalysis *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceStepAnalysis, sluice_step_analysis_free)

/* (transfer full) (element-type guint64): spans, from the start of the step to its end. */
GArray *sluice_step_analysis_dup_path (const SluiceStepAnalysis *self);
/* What came last of all that a span needs; SLUICE_SPAN_NONE: it needs nothing, or is of another
 * step. self: (nullable) */
guint64 sluice_step_analysis_get_waited (const SluiceStepAnalysis *self, guint64 span);
/* How much longer a span could take; negative: it is of another step. self: (nullable) */
gint64 sluice_step_analysis_get_slack (const SluiceStepAnalysis *self, guint64 span);
/* How much shorter the step would be if the span took half its time. */
gint64 sluice_step_analysis_get_gain (const SluiceStepAnalysis *self, guint64 span);

/* "waits for loss": in a gap. (transfer full) (nullable): it says no more than an empty lane */
char *sluice_gap_words (const SluiceTraceGap *gap, const SluiceTraceView *view);
/* The same as a sentence, with its time from zero. */
char *sluice_gap_sentence (const SluiceTraceGap *gap, const SluiceTraceView *view, gint64 zero);
