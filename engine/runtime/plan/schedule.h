/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/**
 * sluice_schedule:
 *
 * The order in which one thread runs the nodes. Among those that are ready, one that frees at least
 * what it allocates goes first; else the one that was created first.
 *
 * Returns: (transfer full) (nullable): the nodes; %NULL where there is a cycle
 */
GPtrArray *sluice_schedule (SluiceWork *work);
