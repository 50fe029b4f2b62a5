/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/diff.h"
#include "ui/canvas/graph-model.h"

/* "+ added", with the mark that stands for it where there is no colour. */
const char *sluice_compare_kind_words (SluiceDiffKind kind);

/**
 * sluice_compare_model_new:
 * @diffs: (element-type SluiceNodeDiff): of sluice_graph_diff (ours, theirs)
 *
 * Both graphs as one to be drawn: ours, with the nodes that were added to theirs. What is renamed
 * has our name.
 *
 * Returns: (transfer full)
 */
SluiceGraphModel *
sluice_compare_model_new (SluiceGraph *ours, SluiceGraph *theirs, const GPtrArray *diffs);
