/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/shape-context.h"

void sluice_node_forget_constants (SluiceNode *node);
