/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/**
 * sluice_project_fit:
 * @folder: of the project
 * @graph: as its graph's file holds it now
 * @was: (nullable): what that file held before
 * @words: (out) (transfer full) (nullable): what was changed, for people; %NULL: nothing
 *
 * Makes project.ini name what a graph has that was built and trained by commands: `train` by which
 * loss, `init`, the global step, summaries, measures. What it names otherwise, and is there, stays,
 * and so do its order and its comments; what is called otherwise than in the file before, settings
 * and what is fed among it, goes by its new name; what is gone from the graph is named no more.
 *
 * Returns: %FALSE: the file could not be read or written
 */
gboolean sluice_project_fit (
    const char *folder, SluiceGraph *graph, GBytes *was, char **words, GError **error);
