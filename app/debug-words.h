/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/debug/debugger.h"

/* What the command and the window say of nodes of a step that is stopped. */

/* "Mul 's/z' on CPU:0 in loop[2]". (transfer full) */
char *sluice_debug_words_of_node (const SluiceDebugNode *node);
/* "ready", "waits" */
const char *sluice_debug_words_of_turn (SluiceTurn turn);

/**
 * sluice_debug_words_of_why:
 * @asked: (nullable): the name that was asked about
 * @most: of what it waits for is told; the others are counted. 0: all
 *
 * Returns: (transfer full): "BiasAdd 'b' on CPU:0: waits for a:0 (ready)"
 */
char *sluice_debug_words_of_why (const SluiceDebugWhy *why, const char *asked, guint most);
