/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/*
 * Promoted parameters whose target is "NODE:ATTR", as "pool2:padding": an attribute of a node, or
 * the `value` of a constant that is no single number. Such a one is set in the graph before a run
 * begins; it cannot change at a step. Its value is text: 0.9, true, SAME; of a list, or a constant
 * of one dimension, 1;2;2;1.
 */

/* No: the target is an edge, "train/learning_rate:0", which is fed. */
gboolean sluice_parameter_is_attr (const char *target);

/* A number, a switch, one of a few words, or a list of numbers or switches. Types, shapes,
 * functions and numbers of inputs are none: what stands around the node was made for them. What the
 * node has alike with its gradient is set in both; of the gradient alone nothing can be. */
gboolean sluice_attr_is_promotable (const SluiceNode *node, const SluiceAttr *attr);

/* The value in a graph. (transfer full) (nullable): the node has no such attribute, or is gone */
char *sluice_graph_dup_attr_parameter (SluiceGraph *graph, const char *target);
/* What it may be, where that is one of a few texts: (nullable) (transfer none). */
const char *const *sluice_graph_get_attr_choices (SluiceGraph *graph, const char *target);
/* "whole number": what its value is, N_(). NULL: it is gone. */
const char *sluice_graph_get_attr_type (SluiceGraph *graph, const char *target);

/* As the project says otherwise. NOT_FOUND: a node or an attribute is gone; INVALID_ARGUMENT: a
 * text is no such value, or the op does not take it. */
gboolean sluice_project_set_attrs (const SluiceProject *self, SluiceGraph *graph, GError **error);
