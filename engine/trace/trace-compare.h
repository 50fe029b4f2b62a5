/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/trace-view.h"

SLUICE_PUBLIC_BEGIN

/* Two steps, of one trace or of two, node by node. */

/* What one node took in each of them, all its iterations together; what waits does no work. */
typedef struct
{
  const char *name;       /* of a view that it ran in; op as well */
  const char *op;         /* (nullable) */
  gint64 a, b;            /* nanoseconds */
  guint64 n_a, n_b;       /* how often it ran; 0: not there */
  guint64 span_a, span_b; /* the first of them; SLUICE_SPAN_NONE */
} SluiceTraceDifference;

typedef struct
{
  GArray *nodes; /* of SluiceTraceDifference: those that differ most first, then by name */
  gint64 length_a, length_b; /* of the steps, from the first start to the last end */
  gint64 work_a, work_b;     /* of all nodes, one after another */
  guint n_only_a, n_only_b;  /* nodes */
} SluiceTraceComparison;

/**
 * sluice_trace_compare:
 * @step_a, @step_b: 0: all that is in the view, whichever step it is of
 *
 * Both views are settled, and may be the same. They must live as long as what is returned.
 */
SluiceTraceComparison *sluice_trace_compare (const SluiceTraceView *a,
                                             guint64 step_a,
                                             const SluiceTraceView *b,
                                             guint64 step_b);
void sluice_trace_comparison_free (SluiceTraceComparison *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTraceComparison, sluice_trace_comparison_free)

SLUICE_PUBLIC_END
