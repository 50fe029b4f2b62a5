/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/parameter-note.h"
#include "engine/train/project.h"

/*
 * Which constants and attributes of a graph are settings of the runs of its project: [parameters]
 * of project.ini. The file keeps its order and its comments.
 */

/* Is the first output of that node a number that a run may be fed another value for? */
gboolean sluice_node_is_promotable (const SluiceNode *node);

/* Has the graph what a parameter is of: the output, or the attribute? */
gboolean sluice_graph_has_parameter (SluiceGraph *graph, const char *target);

/* The setting that this is: a node, whose first output is meant, or "node:attribute". (nullable)
 * (transfer none) */
const SluiceNamedEdge *sluice_project_find_promoted (const SluiceProject *self, const char *what);

/**
 * sluice_project_promote:
 * @folder: of the project
 * @what: a node, or "node:attribute"
 * @name: (nullable): of the setting; the node's, made free
 *
 * Returns: (transfer full) (nullable): the name; ALREADY_EXISTS: a setting is called so
 */
char *
sluice_project_promote (const char *folder, const char *what, const char *name, GError **error);

/**
 * sluice_project_annotate:
 * @name: of a parameter
 * @note: (nullable): what is said of it from now on
 *
 * Returns: FALSE with NOT_FOUND: there is no such parameter; INVALID_ARGUMENT: low lies above high
 */
gboolean sluice_project_annotate (const char *folder,
                                  const char *name,
                                  const SluiceParameterNote *note,
                                  GError **error);

/* NOT_FOUND: there is no such parameter. */
gboolean sluice_project_demote (const char *folder, const char *name, GError **error);
