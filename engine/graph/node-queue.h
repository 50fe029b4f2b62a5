/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph-private.h"

/* Nodes by position, each once. Starts with sluice_node_queue_init(). */
typedef struct
{
  GPtrArray *heap;
} SluiceNodeQueue;
void sluice_node_queue_init (SluiceNodeQueue *self);
void sluice_node_queue_push (SluiceNodeQueue *self, SluiceNode *node);
SluiceNode *sluice_node_queue_pop (SluiceNodeQueue *self); /* (nullable) */
void sluice_node_queue_clear (SluiceNodeQueue *self);
