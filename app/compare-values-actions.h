/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* win.compare-values: asks for a file of tensors; win.compare-values-with (s): that file. What the
 * open project computes is set beside it, and the first node that differs has a badge that says
 * what was there and what is. */
void sluice_compare_values_actions_add (SluiceWindow *window);
