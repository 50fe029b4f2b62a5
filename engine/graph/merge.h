/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * Three-way merge, in terms of nodes and what a node consists of: its name, op, device, each input,
 * its control inputs, each attribute. The order of nodes, of attributes and of control inputs makes
 * no difference.
 */
typedef struct
{
  char *node;  /* its name in the merged graph, or where it was removed, in the base */
  char *field; /* as of SluiceFieldDiff, or "node" */
  char *base, *ours, *theirs; /* (nullable): there is none */
} SluiceMergeConflict;

/* "conflict: fc1, device: base –, ours …", in the user's language. (transfer full) */
char *sluice_merge_conflict_dup_words (const SluiceMergeConflict *conflict);

/**
 * sluice_graph_merge:
 * @base: what both were made of
 * @ours: becomes the merged graph
 * @conflicts: (out) (transfer full) (element-type SluiceMergeConflict): what both changed, each in
 * another way; @ours stands there. Empty: all of @theirs is merged
 *
 * Does to @ours, in one transaction, what was done to @base to make @theirs of it.
 *
 * Returns: %FALSE with FAILED_PRECONDITION where the base has nothing in common with one of the
 * others; conflicts are no failure
 */
gboolean sluice_graph_merge (SluiceGraph *base,
                             SluiceGraph *ours,
                             SluiceGraph *theirs,
                             GPtrArray **conflicts,
                             GError **error);

/* As part of the transaction that is open on @ours; refused as a whole where its commit is. */
gboolean sluice_graph_merge_into (SluiceGraph *base,
                                  SluiceGraph *ours,
                                  SluiceGraph *theirs,
                                  GPtrArray **conflicts,
                                  GError **error);
