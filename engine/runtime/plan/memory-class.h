/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/**
 * sluice_memory_class_of_node:
 *
 * What the memory that a node allocates is for. A variable is the optimizer's where an op that
 * applies gradients takes it beside the variable that it updates. A node below a scope "gradients",
 * "gradients_1" … or "gradient_tape" makes gradients: TensorFlow's names for what tf.gradients and
 * GradientTape add to a graph, by which its own memory optimizer tells them, since nothing else in
 * a GraphDef does.
 */
SluiceMemoryClass sluice_memory_class_of_node (const SluiceNode *node);
