/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What plans depend on. */
#include "engine/runtime/session/executable.h"
#include "engine/runtime/session/session.h"

void
sluice_executable_cache_set_options (SluiceExecutableCache *self,
                                     const SluiceSessionOptions *options)
{
  self->strict_devices = options->strict_devices;
  self->policy = options->policy != NULL ? sluice_policies_find (options->policy, NULL) : NULL;
  self->costs = options->costs != NULL ? sluice_cost_teller_ref (options->costs) : NULL;
  self->no_optimize = options->no_optimize;
  self->max_rank = options->reference_kernels ? 0 : G_MAXINT;
  self->order_seed = options->order_seed;
  self->no_fusion = options->no_fusion;
  self->nan_guard = options->nan_guard;
  self->truncate_transfers = options->truncate_transfers;
  self->ordered = options->ordered;
  self->recompute = options->recompute;
  self->fit = options->fit;
  self->fit_slack = options->fit_slack;
  self->batch = options->batch;
  self->sized = options->sized != NULL ? sluice_graph_ref (options->sized) : NULL;
  self->fit_seen = options->fit_seen != NULL ? g_hash_table_ref (options->fit_seen) : NULL;
}

void
sluice_executable_cache_refit (SluiceExecutableCache *self,
                               gsize bytes,
                               gint64 slack,
                               GHashTable *seen)
{
  GHashTable *before = self->fit_seen;
  self->fit = bytes;
  self->fit_slack = slack;
  self->fit_seen = seen != NULL ? g_hash_table_ref (seen) : NULL;
  g_clear_pointer (&before, g_hash_table_unref);
  pthread_mutex_lock (&self->cache_lock);
  g_hash_table_remove_all (self->by_names);
  pthread_mutex_unlock (&self->cache_lock);
}
