/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/timeline/step-record.h"
#include "engine/graph/graph.h"

/*
 * What a span read and who reads it, by the edges of the graph: of the same step, and of the same
 * round of a loop where it ran there. Nodes that leave no span of their own, folded or run within
 * another's kernel, are gone through.
 */
typedef struct
{
  GArray *read;    /* of guint64: spans that ended before it began, the last one first */
  GArray *readers; /* of guint64: spans that began after it had ended, the first one first */
} SluiceSpanFlows;

/* graph: (nullable): then there are none */
SluiceSpanFlows *
sluice_span_flows_new (const SluiceStepPicture *picture, SluiceGraph *graph, guint64 span);
void sluice_span_flows_free (SluiceSpanFlows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSpanFlows, sluice_span_flows_free)
