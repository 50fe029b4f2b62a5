/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/savedmodel.h"
#include "engine/graph/wire.h"

/* Does a binary file begin as a SavedModel does? */
gboolean sluice_saved_model_is_binary (const guint8 *bytes, gsize length);
/* Narrows a SavedModel's bytes to those of the MetaGraphDef with the tags; tags: as of
 * sluice_graph_load_tagged(). */
gboolean sluice_saved_model_pick (const guint8 **bytes,
                                  gsize *length,
                                  const char *const *tags,
                                  GError **error);
Tensorflow__MetaGraphDef *sluice_saved_model_pick_text (
    SluiceArena *arena, const char *text, gsize length, const char *const *tags, GError **error);
/* The file of a SavedModel's folder; any other path as it is. (transfer full) (nullable) */
char *sluice_saved_model_dup_file (const char *path, GError **error);
