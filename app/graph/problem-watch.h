/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/problems.h"
#include "engine/train/project-ends.h"

/*
 * What is wrong with a graph as it is now: looked for in pieces, between which others have their
 * turn, whenever somebody says that it has changed. Main thread only.
 */
typedef struct _SluiceProblemWatch SluiceProblemWatch;

/* found: called when a search is over. (transfer full) */
SluiceProblemWatch *sluice_problem_watch_new (void (*found) (gpointer data), gpointer data);
void sluice_problem_watch_free (SluiceProblemWatch *self);
/* graph: (nullable), which is to outlive its being watched. ends: (nullable): what a project does
 * with it. problems: (transfer full) (nullable): that are known of it already */
void sluice_problem_watch_set_graph (SluiceProblemWatch *self,
                                     SluiceGraph *graph,
                                     SluiceProjectEnds *ends,
                                     GPtrArray *problems);
void sluice_problem_watch_set_ends (SluiceProblemWatch *self, SluiceProjectEnds *ends);
/* The graph has changed. */
void sluice_problem_watch_look_again (SluiceProblemWatch *self);
gboolean sluice_problem_watch_is_settled (SluiceProblemWatch *self);
/* Those that were found last, though the graph may have changed since. (nullable) (transfer none)
 * (element-type SluiceProblem) */
GPtrArray *sluice_problem_watch_get_last (SluiceProblemWatch *self);
/* What is to be looked at in a node. (nullable) */
const SluiceProblem *sluice_problem_watch_get_warning (SluiceProblemWatch *self, const char *node);
