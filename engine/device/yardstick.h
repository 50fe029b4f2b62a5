/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * The graph by which a machine's speed is measured. Who defines ops makes it, for the engine knows
 * none by name: of each of these nodes one is run at a time, and what it costs follows from the
 * definitions of the ops that it needs.
 */
#define SLUICE_YARDSTICK_STEP  "step"  /* one kernel that has next to nothing to do */
#define SLUICE_YARDSTICK_CALLS "calls" /* many kernels that have next to nothing to do */
#define SLUICE_YARDSTICK_TRAFFIC                                                                   \
  "traffic"                          /* elements that are read and written, hardly computed        \
                                      */
#define SLUICE_YARDSTICK_WORK "work" /* a product: far more operations than elements */

/* Placeholders in it have a known shape, and are fed 0 everywhere. (transfer full) */
typedef SluiceGraph *(*SluiceYardstickMake) (GError **error);

void sluice_yardstick_set (SluiceYardstickMake make);
/* (transfer full) (nullable): NOT_FOUND where nobody has set one */
SluiceGraph *sluice_yardstick_make (GError **error);
