/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/**
 * sluice_saved_model_restore:
 * @graph: of the session; came out of a SavedModel
 * @folder: of the SavedModel
 *
 * What TensorFlow's loader does: restores the variables by the graph's own restore op, then runs
 * its initialiser, both fed the paths of the assets.
 *
 * Returns: %FALSE with NOT_FOUND where values or an asset are missing, DATA_LOSS or OUT_OF_RANGE
 * where the checkpoint is damaged or cut off, or what the graph itself failed of
 */
gboolean sluice_saved_model_restore (SluiceSession *session,
                                     SluiceGraph *graph,
                                     const char *folder,
                                     GError **error);

/* What a SavedModel is made of, into another folder; its own may hold more. path: as
 * sluice_saved_model_exists() */
gboolean sluice_saved_model_copy (const char *path, const char *to, GError **error);
