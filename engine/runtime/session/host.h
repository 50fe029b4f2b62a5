/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/executable.h"
#include "engine/runtime/session/trace-lanes.h"
#include "engine/runtime/step/watches.h"

/*
 * Where a session's executables run: its devices, its trace, its seed. Several sessions may have
 * the same executables, each on a host of its own. Counted: functions that outlive the session hold
 * it, and it holds none of the session's resources.
 */
typedef struct
{
  SluiceFunctions functions; /* first: kernels get this */
  _Atomic int ref_count;

  /* Set once. */
  SluiceExecutableCache *cache;
  GPtrArray *devices;
  SluiceTraceLanes *lanes;
  SluiceWatches *watches;
  guint64 seed; /* of random nodes that have none of their own */
} SluiceHost;

/* Without devices yet. cache (nullable): of another session, for the same kinds of devices. */
SluiceHost *sluice_host_new (SluiceExecutableCache *cache);
SluiceHost *sluice_host_ref (SluiceHost *self);
void sluice_host_unref (SluiceHost *self);
