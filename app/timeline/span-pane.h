/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/graph/inspector-pane.h"
#include "app/timeline/span-flows.h"
#include "app/timeline/step-analysis.h"

/* What is known of the span that is selected: in the place of the inspector. Signals: span-chosen
 * (uint64), step-chosen (uint64): by a person. */
#define SLUICE_TYPE_SPAN_PANE (sluice_span_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSpanPane, sluice_span_pane, SLUICE, SPAN_PANE, SluiceInspectorPane)

GtkWidget *sluice_span_pane_new (void);

/* picture: (nullable): nothing is shown. graph, analysis: (nullable) */
void sluice_span_pane_show (SluiceSpanPane *self,
                            const SluiceStepPicture *picture,
                            SluiceGraph *graph,
                            const SluiceStepAnalysis *analysis,
                            guint64 span);

/* "conv1/filter: Conv2D, from 1.40 ms, took 0.64 ms": of a span, times from @zero. */
char *sluice_span_words (const SluiceTraceSpan *span, gint64 zero);
