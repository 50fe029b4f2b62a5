/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/trace-lanes.h"
#include "engine/runtime/session/program.h"

/*
 * Where a session's programs run: its devices, its trace, its seed. Several sessions may have the
 * same programs, each on a host of its own. Counted: functions that outlive the session hold it,
 * and it holds none of the session's resources.
 */
typedef struct
{
  SluiceFunctions functions; /* first: kernels get this */
  _Atomic int ref_count;

  /* Set once. */
  SluicePrograms *programs;
  GPtrArray *devices;
  SluiceTraceLanes *lanes;
  guint64 seed; /* of random nodes that have none of their own */
} SluiceHost;

/* Without devices yet. programs (nullable): of another session, for the same kinds of devices. */
SluiceHost *sluice_host_new (SluicePrograms *programs);
SluiceHost *sluice_host_ref (SluiceHost *self);
void sluice_host_unref (SluiceHost *self);
