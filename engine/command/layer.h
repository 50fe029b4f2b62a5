/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/line.h"
#include "engine/command/template.h"
#include "engine/graph/graph.h"

/*
 * What a layer was made by stands on its last node, in an attribute that TensorFlow passes over, so
 * that it can be made again with other parameters. Of an edge there stands who reads it within the
 * layer, "./MatMul:0": whatever is renamed, healed or connected anew outside, the layer reads what
 * it reads.
 */
#define SLUICE_LAYER_OUTPUT "/output"
#define SLUICE_LAYER_ATTR   "_layer"
#define SLUICE_LAYER_INSIDE "./"

/* The node that remembers the layer of that name. (transfer none) (nullable): there is none */
SluiceNode *sluice_layer_find_node (SluiceGraph *graph, const char *name);
/* The template and its values, as commands have them: an edge is what the layer reads now.
 * (transfer full) (nullable): there is none, or what stands there cannot be read */
SluiceLine *sluice_layer_recall (SluiceGraph *graph, const char *name);

/* The same in the order of the template's parameters. */
typedef struct
{
  const SluiceTemplate *template;
  GStrv values;
} SluiceLayer;

/* (transfer full) (nullable): as sluice_layer_recall() */
SluiceLayer *sluice_layer_read (SluiceGraph *graph, const char *name);
void sluice_layer_free (SluiceLayer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLayer, sluice_layer_free)
