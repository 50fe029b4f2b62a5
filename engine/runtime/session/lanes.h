/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/trace.h"

/* The trace rings of a session: a thread that runs nodes takes one for that time. Thread-safe. */
typedef struct _SluiceLanes SluiceLanes;

SluiceLanes *sluice_lanes_new (guint n_records);
SluiceLanes *sluice_lanes_ref (SluiceLanes *self);
void sluice_lanes_unref (SluiceLanes *self);
/* The free lane of the lowest number; a new one where all are taken. */
SluiceTraceRing *sluice_lanes_take (SluiceLanes *self, guint *lane);
void sluice_lanes_give_back (SluiceLanes *self, guint lane);
guint sluice_lanes_get_n (SluiceLanes *self);
SluiceTraceRing *sluice_lanes_get (SluiceLanes *self, guint lane);
