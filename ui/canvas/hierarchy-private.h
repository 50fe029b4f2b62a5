/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The stages that build a hierarchy, in the order in which sluice_hierarchy_new() runs them. */
#pragma once

#include "ui/canvas/hierarchy.h"

G_BEGIN_DECLS

typedef struct
{
  guint hash;
  guint group; /* + 1, or 0 */
} SluicePathSlot;

/* Groups by path. Of several of one path the last one. */
typedef struct
{
  SluicePathSlot *slots;
  guint n_slots, n_used;
  gboolean has_twins; /* of one path */
} SluicePathTable;

typedef struct
{
  const char *text; /* kept in the model's texts; NULL: free */
  guint hash;
  guint n;       /* nodes that have it; 0: none any more */
  guint forward; /* of "…gradients/conv1" and "…gradients/conv1_grad" the hash of "conv1", else 0 */
} SluiceNameCount;

/* Names, each with the number of nodes that have it. */
typedef struct
{
  SluiceNameCount *slots;
  guint n_slots, n_used;
} SluiceNameCounts;

/* An edge between two children of one scope. */
typedef struct
{
  guint from, to, edge;
} SluiceLifted;

struct _SluiceHierarchy
{
  gatomicrefcount ref_count;
  SluiceGraphModel *model;
  SluiceTexts *texts; /* the model's */
  SluiceGroup *groups;
  guint n_groups;
  guint *op_group; /* per model node */
  SluicePathTable paths;
  SluiceNameCounts scopes; /* prefixes of names, without the slash */
  SluiceNameCounts tops;   /* first parts of names outside of gradients */
  guint8 *loose;           /* per model node: a gradient that no scope was hoisted for */
  GPtrArray *devices;      /* const char*, owned by the model */

  SluiceEdgeBundle *bundles; /* sorted by group, from, to */
  guint n_bundles;
  guint *bundled;      /* model edges in bundle order */
  guint *bundle_start; /* [n_groups + 1]: bundles by group */

  /* While it is built. */
  SluiceLifted *lifted; /* edges of the model that are no self edges, in their order */
  guint n_lifted;
  guint64 *hash; /* of the structure, by group */
};

/* Scopes from names, children in order of first appearance. Sets groups, n_groups, op_group, paths,
 * scopes, tops, loose. before: (nullable): whose groups are taken over, of a model with the same
 * texts. */
void sluice_hierarchy_build_tree (SluiceHierarchy *self, const SluiceHierarchy *before);

/* Lifts the edges to where both ends are children of one scope, without series. */
void sluice_hierarchy_lift_edges (SluiceHierarchy *self);

/* (Re)computes the bundles from what was lifted. with_bytes: tells their bytes as well. */
void sluice_hierarchy_build_bundles (SluiceHierarchy *self, gboolean with_bytes);

/* Of a hierarchy of the same groups and edges; bytes are counted anew. */
void sluice_hierarchy_copy_bundles (SluiceHierarchy *self, const SluiceHierarchy *other);

/* Sums over subtrees, classes of scopes, devices. */
void sluice_hierarchy_sum_up (SluiceHierarchy *self);

/* Says of each loop which scope it is; the groups are final. */
void sluice_hierarchy_find_loops (SluiceHierarchy *self);

/* Hashes of structures; needs bundles. With series, those of these and of what is around them. */
void sluice_hierarchy_hash_structures (SluiceHierarchy *self, gboolean series_only);
/* Equal hashes are numbered alike, into `structure`. */
void sluice_hierarchy_number_structures (SluiceHierarchy *self);

/* Puts runs of equal siblings under series groups; TRUE when there are any (then bundles, sums
 * and hashes must be redone around them). Groups, pairs, hashes and lifted edges are moved. */
gboolean sluice_hierarchy_insert_series (SluiceHierarchy *self);

/* Pairs gradients with forward halves; hues; hubs. */
void sluice_hierarchy_find_pairs (SluiceHierarchy *self);
void sluice_hierarchy_pair_series (SluiceHierarchy *self);
void sluice_hierarchy_choose_hues (SluiceHierarchy *self);
void sluice_hierarchy_find_hubs (SluiceHierarchy *self);
/* Among the children of one scope; needs bundles and pairs. */
void sluice_hierarchy_find_hubs_in (SluiceHierarchy *self, guint scope);

/* A tree under construction: parents only. */
typedef struct
{
  GArray *groups; /* SluiceGroup with parent, kind, path, label, model_node, gradient set; parents
                     come before children */
} SluiceDraft;

/* Numbers the draft so that siblings are consecutive, and moves it into the hierarchy, but for
 * paths. Returns which of the draft each group was: (transfer full). */
guint *sluice_hierarchy_adopt (SluiceHierarchy *self, SluiceDraft *draft);

/* Length of the part of @path up to and with "gradients/", 0 when it is no gradient name. */
gsize sluice_gradient_prefix (const char *path);

/* See SluiceNameCount. */
guint sluice_forward_hash (const char *path);

/* g_str_hash() of what @hash is of with @length bytes of @text behind it; it begins with
 * SLUICE_NAME_HASH. */
#define SLUICE_NAME_HASH 5381
guint sluice_name_hash (guint hash, const char *text, gsize length);

void sluice_path_table_insert (SluicePathTable *self, const SluiceGroup *groups, guint group);
/* SLUICE_NONE: there is none. */
guint sluice_path_table_lookup (const SluicePathTable *self,
                                const SluiceGroup *groups,
                                const char *path,
                                gsize length,
                                guint hash);
/* Groups are numbered anew: now[old] is the new number. */
void sluice_path_table_move (SluicePathTable *self, const guint *now);
void sluice_path_table_rebuild (SluicePathTable *self, const SluiceGroup *groups, guint n);
void sluice_path_table_clear (SluicePathTable *self);

gboolean
sluice_name_counts_has (const SluiceNameCounts *self, const char *text, gsize length, guint hash);
/* change: 1 or -1. The name where it came or went, else NULL. */
const char *sluice_name_counts_add (SluiceNameCounts *self,
                                    SluiceTexts *texts,
                                    const char *text,
                                    gsize length,
                                    guint hash,
                                    int change);
void sluice_name_counts_copy (SluiceNameCounts *self, const SluiceNameCounts *other);

/* The last part of a path. */
const char *sluice_path_leaf (const char *path);

G_END_DECLS
