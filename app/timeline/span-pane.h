/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/graph/inspector-pane.h"
#include "app/timeline/span-flows.h"
#include "app/timeline/step-analysis.h"
#include "engine/trace/memory-view.h"

/* What is known of the span that is selected: in the place of the inspector. Signals: span-chosen
 * (uint64), step-chosen (uint64): by a person. */
#define SLUICE_TYPE_SPAN_PANE (sluice_span_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSpanPane, sluice_span_pane, SLUICE, SPAN_PANE, SluiceInspectorPane)

GtkWidget *sluice_span_pane_new (void);

/* What is known of a step. */
typedef struct
{
  const SluiceStepPicture *picture;
  SluiceGraph *graph;                 /* (nullable) */
  const SluiceStepAnalysis *analysis; /* (nullable) */
  const SluiceMemoryView *memory;     /* (nullable) */
  guint band;                         /* of it, of the span's node; SLUICE_BAND_NONE */
} SluiceSpanSubject;

/* subject: (nullable): nothing is shown; span: SLUICE_SPAN_NONE: its band alone, if there is one */
void sluice_span_pane_show (SluiceSpanPane *self, const SluiceSpanSubject *subject, guint64 span);

/* "conv1/filter: Conv2D, from 1.40 ms, took 0.64 ms": of a span, times from @zero. */
char *sluice_span_words (const SluiceTraceSpan *span, gint64 zero);
