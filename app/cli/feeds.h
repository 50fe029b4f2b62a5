/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/savedmodel.h"
#include "engine/runtime/session/session.h"

/**
 * sluice_cli_parse_feeds:
 * @signature: (nullable): whose inputs may be named, beside edges of the graph
 * @texts: (nullable): "EDGE=VALUE" each, as --feed has them; cut in two at the '='. A value is as
 * of sluice_tensor_parse(), or a file ".npy", or "FILE.npz:MEMBER"
 *
 * Returns: (transfer full) (nullable) (element-type SluiceFeed): values in the dtypes of their
 * edges; names are borrowed from @texts or @signature
 */
GArray *sluice_cli_parse_feeds (SluiceGraph *graph,
                                const SluiceSavedSignature *signature,
                                char **texts,
                                GError **error);

/**
 * sluice_cli_resolve_edge:
 * @tensors: (nullable): the inputs or outputs of a signature
 *
 * Returns: (transfer none) (nullable): the edge that the signature calls @name, else @name where
 * the graph has such an edge; %NULL with NOT_FOUND that lists what the signature has
 */
const char *sluice_cli_resolve_edge (SluiceGraph *graph,
                                     const GArray *tensors,
                                     const char *name,
                                     GError **error);
