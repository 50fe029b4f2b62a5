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
 * was shown before. FALSE: nothing ran. */
gboolean sluice_live_graph_read (SluiceLiveGraph *self);

/* What was read becomes what the accessors tell. */
void sluice_live_graph_show (SluiceLiveGraph *self);

/* Share of the step's time, 0 to 1, of a node or scope; negative where it is not known. Times add
 * up over the session: shares settle instead of dancing. @self may be NULL. */
double sluice_live_graph_get_share (SluiceLiveGraph *self, const char *name);

/* Iterations of the loop in a step: the last whole one's, or those of the step under way where they
 * are more; negative where it is not known. @self may be NULL. */
gint64 sluice_live_graph_get_iterations (SluiceLiveGraph *self, const char *loop);

/* For sluice_canvas_set_values(): (transfer full) (element-type SluiceCanvasValue); texts of theirs
 * are added to @texts. */
GArray *sluice_live_graph_dup_values (SluiceLiveGraph *self, GPtrArray *texts);
