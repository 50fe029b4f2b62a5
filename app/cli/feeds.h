/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/**
 * cli_parse_feeds:
 * @texts: (nullable): "EDGE=VALUE" each, as --feed has them; cut in two at the '='. A value is a
 * number, numbers "[1,2,3]", or a file ".npy"
 *
 * Returns: (transfer full) (nullable) (element-type SluiceFeed): values in the dtypes of their
 * edges; names are borrowed from @texts
 */
GArray *cli_parse_feeds (SluiceGraph *graph, char **texts, GError **error);
