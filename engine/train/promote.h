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
 * sluice_project_check_promotion:
 * @what: a node, or "node:attribute"
 * @name: that it is to have
 * @note: (nullable): what is to be said of it
 *
 * Returns: FALSE with ALREADY_EXISTS: another setting is called so; INVALID_ARGUMENT: that is no
 * name, or low lies above high
 */
gboolean sluice_project_check_promotion (const SluiceProject *self,
                                         const char *what,
                                         const char *name,
                                         const SluiceParameterNote *note,
                                         GError **error);

/**
 * sluice_project_promote:
 * @folder: of the project
 * @what: a node, or "node:attribute": a setting from now on, where it was none
 * @name: (nullable): of the setting; as it was, or the node's, made free
 * @note: (nullable): what is said of it; as it was. Nothing is said where it is empty.
 *
 * Returns: (transfer full) (nullable): the name; %NULL as sluice_project_check_promotion()
 */
char *sluice_project_promote (const char *folder,
                              const char *what,
                              const char *name,
                              const SluiceParameterNote *note,
                              GError **error);

/* NOT_FOUND: there is no such parameter. */
gboolean sluice_project_demote (const char *folder, const char *name, GError **error);
