/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "ui/canvas/scene.h"

/*
 * What the trace of a run says of a drawn graph: each scope's share of the time, how often its
 * loops go round. A worker reads, the thread that draws shows and asks: meanwhile it may ask, not
 * show.
 */
typedef struct _SluiceLiveGraph SluiceLiveGraph;

SluiceLiveGraph *sluice_live_graph_new (SluiceSession *session, SluiceHierarchy *hierarchy);
SluiceLiveGraph *sluice_live_graph_ref (SluiceLiveGraph *self);
void sluice_live_graph_unref (SluiceLiveGraph *self);

gboolean
sluice_live_graph_is_of (SluiceLiveGraph *self, SluiceSession *session, SluiceHierarchy *hierarchy);

/* Takes up what was traced since the last call: may take a while. The accessors go on to tell what
 * was shown before. focus (nullable): name of a node or scope whose times are kept step by step;
 * those of the steps that the trace still has, too, where it is another than before. FALSE: nothing
 * is new. */
gboolean sluice_live_graph_read (SluiceLiveGraph *self, const char *focus);

/* What was read becomes what the accessors tell. */
void sluice_live_graph_show (SluiceLiveGraph *self);

/* Share of the step's time, 0 to 1, of a node or scope; negative where it is not known. Times add
 * up over the session: shares settle instead of dancing. @self may be NULL. */
double sluice_live_graph_get_share (SluiceLiveGraph *self, const char *name);

/* Of the focus. Microseconds of one step: all that ran of a node, in all iterations and runs of
 * that step's number, or of what is in a scope, one after the other. */
typedef struct
{
  guint n_steps;  /* 0: nothing is known */
  guint64 step;   /* the last one that has ended */
  double last_us; /* of it */
  double median_us, p95_us;
  gsize bytes;         /* of a node's outputs, the last time; 0: not known */
  const char *runs_in; /* (nullable): the node whose kernel runs it, with others; the times are
                          that one's */
  guint n_others;      /* nodes that run in the same kernel */
} SluiceLiveTimes;

#define SLUICE_LIVE_STEPS 256 /* of which times are kept */

/* FALSE: they are of another name, or nothing is known. @self may be NULL. */
gboolean
sluice_live_graph_get_times (SluiceLiveGraph *self, const char *name, SluiceLiveTimes *times);

/* Iterations of the loop in a step: the last whole one's, or those of the step under way where they
 * are more; negative where it is not known. @self may be NULL. */
gint64 sluice_live_graph_get_iterations (SluiceLiveGraph *self, const char *loop);

/* For sluice_canvas_set_values(): (transfer full) (element-type SluiceCanvasValue); texts of theirs
 * are added to @texts. */
GArray *sluice_live_graph_dup_values (SluiceLiveGraph *self, GPtrArray *texts);
