/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/passes.h"

/*
 * A graph as a session took it over, and what was made of it. It only grows, by functions that are
 * written out; another state of the user's graph is another snapshot. Counted: held by the session
 * while it is the newest, and by what was compiled from it.
 */
typedef struct
{
  _Atomic int ref_count;
  /* All under the cache's graph_lock. */
  SluiceGraph *graph;
  SluicePlacements *placements;
  GHashTable *bodies; /* "node:attr" -> what executable-function.c knows of it */
  GArray *numbers;    /* (nullable): of guint32, by id - 1: what traces and owners of memory call a
                         node; NULL: by its id */
} SluiceSnapshot;

/* An empty one. take: of executable-function.c */
SluiceSnapshot *sluice_snapshot_new (GHashTable *take_bodies);
SluiceSnapshot *sluice_snapshot_ref (SluiceSnapshot *self);
void sluice_snapshot_unref (SluiceSnapshot *self);

static inline guint32
sluice_snapshot_get_number (const SluiceSnapshot *self, const SluiceNode *node)
{
  return self->numbers != NULL ? g_array_index (self->numbers, guint32, node->id - 1) : node->id;
}

/* By id - 1 in @old: is the node not there any more, or another? Both are placed. (transfer full)
 */
guint8 *sluice_snapshot_dup_changed (const SluiceSnapshot *old, const SluiceSnapshot *now);

/* Before it is placed: nodes with state stay where they are, if the op and what they ask for are
 * the same. */
void sluice_snapshot_keep_places (SluiceSnapshot *self, const SluiceSnapshot *old);
