/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/workload.h"

/* The shortest time of all placements, and of all orders in which nodes and transfers can begin,
 * each as soon as its makers, its device or link and the memory let it, and not before the one that
 * began last. INFINITY: there is none */
double find_shortest (const SluiceWorkload *workload);
