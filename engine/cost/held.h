/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/simulate.h"

/* What devices hold in a schedule, over time. */
typedef struct _SluiceHeld SluiceHeld;

/* From a time on until the next level. */
typedef struct
{
  double at_us, bytes;
  double peak; /* of all levels until then */
} SluiceHeldLevel;

/* The schedule's peak_bytes are not read. */
SluiceHeld *sluice_held_new (const SluiceWorkload *workload, const SluiceSimulation *schedule);
void sluice_held_free (SluiceHeld *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceHeld, sluice_held_free)

/* Of a device; INFINITY: at the end. */
SluiceHeldLevel sluice_held_get (const SluiceHeld *self, guint device, double us);
