/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/replica.h"

/* The dtype of a feed, which must be one that batches are made in. key: what names it in
 * project.ini. */
gboolean sluice_replica_feed_dtype (
    SluiceReplica *self, const char *key, const char *text, SluiceDType *dtype, GError **error);
/* Numbers with a fraction, fed to integers, would lose it without a word. */
gboolean sluice_replica_check_whole (const char *key,
                                     const char *edge,
                                     SluiceDType dtype,
                                     const SluiceTensor *values,
                                     double scale,
                                     GError **error);
/* Adds x, and y where the project names an edge for it. */
gboolean sluice_replica_name_batch (SluiceReplica *self, GPtrArray *names, GError **error);
/* Room for the batch, and what promoted parameters are from the start; names: gets their edges. */
gboolean sluice_replica_make_feeds (SluiceReplica *self, GPtrArray *names, GError **error);
/* feeds: of edges. FALSE leaves some of them made. */
gboolean sluice_replica_make_callables (SluiceReplica *self, GPtrArray *feeds, GError **error);
void sluice_replica_drop_callables (SluiceReplica *self);
/* Feeds and callables are made anew, as parameters and injected values are now. */
gboolean sluice_replica_plan_feeds (SluiceReplica *self, GError **error);

/* replica-inject.c */
/* Injected values that are feeds of their own: they come last. */
guint sluice_replica_get_n_own_feeds (const SluiceReplica *self);
void sluice_replica_name_injected (const SluiceReplica *self, GPtrArray *names);
void sluice_replica_put_injected (const SluiceReplica *self, SluiceTensor **own_feeds);
/* The others, which take the place of what the batch has. */
void sluice_replica_replace_batch (const SluiceReplica *self, SluiceTensor **feeds);

/* replica-state.c */
/* Where each random stream of one stands, the other's of that name stand too. */
void sluice_replica_carry_random (SluiceResources *from, SluiceResources *to);

/* replica-peek.c */
/**
 * sluice_replica_peek:
 *
 * Between two steps: runs what is behind the edge, and leaves variables, random streams and all
 * else as they were.
 *
 * Returns: (transfer full) (nullable): FAILED_PRECONDITION where that cannot be
 */
SluiceTensor *sluice_replica_peek (
    SluiceReplica *self, const char *name, const SluiceFeed *feeds, guint n_feeds, GError **error);
