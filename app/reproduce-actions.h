/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* win.reproduce (x): trains a run again, into nothing, and compares every value; 0 gives it up. Its
 * state (x) is the run that is under way, 0 where none is: one at a time. */
#define SLUICE_REPRODUCE_ACTION "reproduce"
void sluice_reproduce_actions_add (SluiceWindow *window);
