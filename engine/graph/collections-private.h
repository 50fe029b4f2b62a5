/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/collections.h"
#include "engine/graph/wire.h"

/* collection: (out) (nullable) (transfer none): of the MetaGraphDef that the graph came in, in the
 * arena; NULL: there is none. FALSE with DATA_LOSS. */
gboolean sluice_collection_find (SluiceGraph *graph,
                                 SluiceArena *arena,
                                 const char *key,
                                 const Tensorflow__CollectionDef **collection,
                                 GError **error);
