/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"
#include "engine/runtime/session/session.h"

/* What the benchmarks of the runtime share: graphs in a few lines, and rounds of which the median
 * counts. */
#define ROUNDS 101

/* Names the program and ends it. */
void rounds_fatal (GError *error) G_GNUC_NORETURN;

/* CPU time of this thread, which does all the work: what others run meanwhile does not count. */
double rounds_thread_ns (void);

typedef enum
{
  LESS_IS_BETTER,
  MORE_IS_BETTER,
} Better;

/* A JSON line with the median and the best of the values, which are sorted. */
void rounds_report (
    const char *name, const char *unit, double *values, guint n, double goal, Better better);

SluiceNode *rounds_add_node (SluiceGraph *graph,
                             const char *op,
                             const SluiceEdge *inputs,
                             guint n_inputs,
                             SluiceNode *const *controls,
                             guint n_controls);
SluiceEdge rounds_placeholder (SluiceGraph *graph, const char *name, const SluiceShape *shape);
/* Enter of a frame "loop". */
SluiceEdge rounds_enter (SluiceBuilder *b, SluiceEdge value, gboolean is_constant);
void rounds_finish (SluiceBuilder *b);
SluiceSession *rounds_session (SluiceGraph *graph, const SluiceSessionOptions *options);

/* Runs the callable in rounds of n calls, some unmeasured ones before: ns a call. Outputs, of which
 * there are n_outputs, are dropped. */
void rounds_run (SluiceCallable *callable,
                 SluiceTensor *const *feeds,
                 guint n_outputs,
                 guint n_rounds,
                 guint n,
                 double *ns);
