/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/pass.h"

/*
 * All passes, in the order in which they run: sluice_pass_NAME. A new one is a line here and its
 * file. Before them comes the placement, once for the whole graph; behind them the plan compiler.
 */
#define SLUICE_PASSES(PASS)                                                                        \
  PASS (prune)                                                                                     \
  PASS (fold)                                                                                      \
  PASS (merge)                                                                                     \
  PASS (unread)                                                                                    \
  PASS (order)                                                                                     \
  PASS (control_identities)                                                                        \
  PASS (fuse_consumers)                                                                            \
  PASS (partition)                                                                                 \
  PASS (schedule)                                                                                  \
  PASS (frames)                                                                                    \
  PASS (hoist)                                                                                     \
  PASS (recompute)                                                                                 \
  PASS (fuse)                                                                                      \
  PASS (fuse_region_consumers)                                                                     \
  PASS (fit)                                                                                       \
  PASS (serialize_loops)                                                                           \
  PASS (shuffle)

/* (array length=n): in order */
const SluicePass *const *sluice_passes_list (guint *n);
const SluicePass *sluice_passes_find (const char *name); /* (nullable) */

static inline gboolean
sluice_pass_is_enabled (const SluicePass *self, const SluicePassOptions *options)
{
  return (self->enabled & ~options->wishes) == 0;
}

/* Runs one pass, whether it is enabled or not. What it requires must hold. */
gboolean sluice_pass_run (const SluicePass *self,
                          SluiceWork *work,
                          const SluicePassOptions *options,
                          GError **error);

/**
 * sluice_passes_run:
 *
 * Runs the passes that are enabled, one after the other. What cannot run fails with an error that
 * names the node: one that kept an error from its import, could not be placed, is a placeholder
 * that nothing feeds, is part of a cycle, stands wrongly in a loop.
 *
 * Returns: (transfer full) (nullable): what the plan compiler reads: SLUICE_FACT_SCHEDULED and
 * SLUICE_FACT_FRAMED hold
 */
SluiceWork *sluice_passes_run (const SluicePassOptions *options, GError **error);
