/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/predict.h"
#include "engine/runtime/session/session.h"
#include "engine/train/project.h"

/* What a training step of a project is run for. targets: (element-type SluiceNode), fetches:
 * (element-type SluiceEdge) of the graph */
void sluice_project_add_scope (const SluiceProject *self,
                               SluiceGraph *graph,
                               GPtrArray *targets,
                               GArray *fetches);

/**
 * sluice_session_predict_step:
 * @measured: its options are those of the session's devices
 * @batch: of the steps
 *
 * How long a step takes where its nodes stand in the session, from the call until it returns.
 *
 * Returns: FALSE with what keeps nodes from standing anywhere, or the machine's speed from being
 * known
 */
gboolean sluice_session_predict_step (SluiceSession *session,
                                      SluiceMeasured *measured,
                                      gint64 batch,
                                      const GPtrArray *targets,
                                      const GArray *fetches,
                                      SluicePrediction *prediction,
                                      GError **error);
