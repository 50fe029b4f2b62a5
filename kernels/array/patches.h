/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/nn/sliding-window.h"

/* The window of ExtractImagePatches, of its attributes ksizes, strides, rates and padding. */
gboolean
sluice_patches_read_window (const SluiceNode *node, SluiceSlidingWindow *self, GError **error);
