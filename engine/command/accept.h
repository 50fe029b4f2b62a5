/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/diff.h"

/* Some of what makes another graph of one: chosen by node, and done as one command. */

/* Who made the difference, going by what both were made of. */
typedef enum
{
  SLUICE_MADE_BY_THEM,
  SLUICE_MADE_BY_US,
  SLUICE_MADE_BY_BOTH, /* each in another way */
} SluiceDiffAuthor;

/* diff: of sluice_graph_diff (ours, theirs). base: (nullable): not known, so it was them */
SluiceDiffAuthor sluice_accept_find_author (const SluiceNodeDiff *diff, SluiceGraph *base);

/**
 * sluice_accept_dup_line:
 * @diffs: (element-type SluiceNodeDiff): of sluice_graph_diff (ours, theirs), of nodes, one at
 * least
 * @words: what it is called behind Undo
 *
 * What they read must be there: an added node that reads another one that was added wants that,
 * too.
 *
 * Returns: (transfer full): the command that does them to ours
 */
char *sluice_accept_dup_line (const GPtrArray *diffs, const char *words);
