/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/host.h"

/* Of a lane: the last step of the largest graphs. With the place that is the writer's it is a power
 * of two. */
#define TRACE_RECORDS 65535

SluiceHost *
sluice_host_new (SluiceExecutableCache *cache)
{
  SluiceHost *self = g_new0 (SluiceHost, 1);
  self->functions.get = sluice_function_get;
  self->ref_count = 1;
  self->devices = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_device_free);
  self->cache =
      cache ? sluice_executable_cache_ref (cache) : sluice_executable_cache_new (self->devices);
  self->lanes = sluice_trace_lanes_new (TRACE_RECORDS);
  self->watches = sluice_watches_new ();
  return self;
}

SluiceHost *
sluice_host_ref (SluiceHost *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_host_unref (SluiceHost *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  sluice_executable_cache_unref (self->cache);
  sluice_trace_lanes_unref (self->lanes);
  sluice_watches_unref (self->watches);
  g_ptr_array_unref (self->devices);
  g_free (self);
}
