/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/events.h"
#include "engine/runtime/session/host.h"
#include "engine/runtime/session/session.h"

struct _SluiceSession
{
  GObject parent_instance;

  /* Set once. */
  SluiceSessionOptions options;
  SluiceHost *host;
  SluiceExecutableCache *cache; /* the host's */
  SluiceResources *resources;
  SluiceActivity *activity;
  guint64 first_tick;
  gint64 start_us; /* the same moment by the wall clock */

  SluiceEventReaders *readers;
  _Atomic guint64 n_runs, n_nodes_run;
};
