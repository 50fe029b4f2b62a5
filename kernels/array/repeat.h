/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/**
 * sluice_call_paddings:
 * @before: (out): how far each dimension of input 0 is padded at its beginning
 * @shape: (out): of the padded input
 *
 * Reads the table of paddings at input 1.
 */
gboolean
sluice_call_paddings (SluiceKernelCall *call, gint64 before[SLUICE_MAX_RANK], SluiceShape *shape);
/* The shape of input 0 padded by the table at input 1. */
gboolean sluice_shape_padded (SluiceShapeContext *c, GError **error);
