/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* How build() of hierarchy.c makes a hierarchy, anew or after an edit.
 *
 *  1. The tree (hierarchy-tree.c): each node and each scope gets a draft, in order of first
 *     appearance. A draft that was a group before the edit is only that group's number.
 *  2. Changes (hierarchy-after.c, hierarchy-pairs.c): a scope is changed where a child of it came,
 *     went or differs, or an edge between children, or what a child is the gradient of. The scopes
 *     around it are then changed as well.
 *  3. The outline (hierarchy-outline.c): the tree without what stands below scopes that are not
 *     changed. Bundles, sums, structures, series, folds and hubs are worked out
 *     on it.
 *  4. Filling in (hierarchy-outline.c): what stands below those scopes is copied from before.
 *  5. What depends on the whole: pairs, hues, loops.
 *
 * Anew, all scopes are changed, and the outline is the whole: each rule is written once, and after
 * an edit the hierarchy is, to the last field, what it would be anew. */
#pragma once

#include "ui/canvas/hierarchy.h"

G_BEGIN_DECLS

typedef struct
{
  guint hash;
  guint group; /* + 1, or 0 */
} SluicePathSlot;

/* Groups by path. Of several of one path a scope before an op before a series, and of several such
 * the last one. */
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

/* A scope that may be the gradient of something. */
typedef struct
{
  guint group;
  guint forward; /* hash of what that would be called, without "_grad" */
} SluiceGradient;

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
  guint8 *service;         /* per model node: nothing but services reads what it computes */
  GPtrArray *devices;      /* const char*, owned by the model, in the order of its nodes */
  GArray *gradients;       /* SluiceGradient, in the order of the groups */
  guint *draft;            /* per group: which draft it was; SLUICE_NONE: a series */
  guint *outer;            /* per group: the scope around it, whatever series; SLUICE_NONE: the root
                              and series */

  SluiceEdgeBundle *bundles; /* sorted by group, from, to */
  guint n_bundles;
  guint *bundled;      /* model edges in bundle order */
  guint *bundle_start; /* [n_groups + 1]: bundles by group */

  /* While it is an outline. */
  SluiceLifted *lifted; /* edges of the model between two of its groups, in their order */
  guint n_lifted;
  gboolean has_loops;
  guint8 *is_given; /* per group: a scope whose inside is not shown, whose sums are known */

  /* While it is filled in, and then. */
  GArray *inner; /* guint: groups that are no ops, in their order */
};

/* In an outline: paired with what is not in it, or is somebody's forward half. */
#define SLUICE_OUTSIDE (G_MAXUINT - 1)

/* ---- hierarchy-tree.c ---- */

typedef struct
{
  guint parent;
  guint origin; /* the group of before, or n_before + index of made */
} SluiceDraft;

/* Scopes from names. Drafts are numbered in order of creation, parents before their children; 0 is
 * the root. */
typedef struct
{
  SluiceHierarchy *hierarchy;    /* that is being made */
  const SluiceHierarchy *before; /* (nullable) */
  SluiceDraft *drafts;
  guint n_drafts, capacity;
  GArray *made;          /* SluiceGroup: drafts that are no groups of before; parent: unset */
  GArray *made_drafts;   /* guint per made */
  SluicePathTable fresh; /* of made, by path */
  guint n_before;        /* groups of before */
  guint *successor;      /* per group of before: the draft in its stead, or SLUICE_NONE */
  guint *node_draft;     /* per model node */
  guint *was;            /* per model node: its index before, SLUICE_NONE: not there */
  guint *now;            /* per model node of before: its index, or SLUICE_NONE */
  guint *edge_now;       /* per model edge of before: its index, or SLUICE_NONE */
  guint8 *stays;         /* per model node: what its place depends on is as it was */
  guint8 *differs;       /* per model node: from the same one before */
  guint8 *is_changed;    /* per draft */
  guint *pair;           /* per draft that is a gradient scope: the draft of the forward half */
  guint *forward;        /* see SluiceGradient */
  guint8 *is_paired;     /* per draft: it is a forward half */
} SluiceTree;

/* Sets the hierarchy's scopes, tops and loose as well. before: (nullable): whose groups are taken
 * over, of a model with the same texts. */
void sluice_tree_init (SluiceTree *self, SluiceHierarchy *hierarchy, const SluiceHierarchy *before);
void sluice_tree_clear (SluiceTree *self);

/* The draft of that path, or SLUICE_NONE. */
guint sluice_tree_lookup (const SluiceTree *self, const char *path, gsize length, guint hash);

static inline guint
sluice_tree_get_parent (const SluiceTree *self, guint draft)
{
  return self->drafts[draft].parent;
}

/* The group of before that it is, or SLUICE_NONE. */
static inline guint
sluice_tree_get_origin (const SluiceTree *self, guint draft)
{
  guint origin = self->drafts[draft].origin;
  return origin < self->n_before ? origin : SLUICE_NONE;
}

/* As it was made or before; its numbers are those of before. */
static inline const SluiceGroup *
sluice_tree_get_group (const SluiceTree *self, guint draft)
{
  guint origin = self->drafts[draft].origin;
  return origin < self->n_before
             ? &self->before->groups[origin]
             : &g_array_index (self->made, SluiceGroup, origin - self->n_before);
}

/* The draft that is that group of before still, or SLUICE_NONE. */
static inline guint
sluice_tree_get_kept (const SluiceTree *self, guint group)
{
  guint draft = self->successor[group];
  return draft != SLUICE_NONE && sluice_tree_get_origin (self, draft) == group ? draft
                                                                               : SLUICE_NONE;
}

/* ---- hierarchy-after.c ---- */

/* Which nodes are which of before, and what their places depend on. Sets was, now, stays, differs;
 * counts names, lists devices. */
void sluice_tree_match_nodes (SluiceTree *self);
/* Sets edge_now and is_changed; needs pairs. */
void sluice_tree_find_changes (SluiceTree *self);

/* ---- hierarchy-pairs.c ---- */

/* Gradients and their forward halves; is_changed where that is not as before. */
void sluice_tree_find_pairs (SluiceTree *self);
/* The same told of groups. */
void
sluice_hierarchy_join_pairs (SluiceHierarchy *self, const SluiceTree *tree, const guint *groups);

/* ---- hierarchy-outline.c ---- */

/* Of what the tree made only the drafts are known then. */
void sluice_hierarchy_outline (SluiceHierarchy *self, SluiceTree *tree);
/* The outline becomes the hierarchy. */
void sluice_hierarchy_fill_in (SluiceHierarchy *self, SluiceTree *tree);

/* ---- on the outline ---- */

/* Lifts the edges to where both ends are children of one scope, without series. */
void sluice_hierarchy_lift_edges (SluiceHierarchy *self);

/* (Re)computes the bundles from what was lifted. with_bytes: tells their bytes as well. */
void sluice_hierarchy_build_bundles (SluiceHierarchy *self, gboolean with_bytes);

/* Sums over subtrees, classes of scopes, devices. */
void sluice_hierarchy_sum_up (SluiceHierarchy *self);

/* Structures of all groups, or of series only; needs bundles. */
void sluice_hierarchy_hash_structures (SluiceHierarchy *self, gboolean series_only);

/* Puts runs of equal siblings under series groups; TRUE when there are any (then bundles and sums
 * must be redone). Groups and lifted edges are moved. */
gboolean sluice_hierarchy_insert_series (SluiceHierarchy *self);

/* Groups that are found by structure, on levels that have too many boxes; TRUE when there are any.
 * Bundles, without bytes, sums and structures are up to date then. first: before the names are
 * looked at, what repeats itself with more than one box. */
gboolean sluice_hierarchy_insert_folds (SluiceHierarchy *self, gboolean first);

/* A series of @scope, not yet in the tree. */
SluiceGroup sluice_hierarchy_make_series (SluiceHierarchy *self,
                                          guint scope,
                                          const char *path,
                                          const char *label);

/* Puts new groups between scopes and their children. home: per group, 1 + the number of that of
 * @made which it stands in, or 0; outer: the same of those made. Each has to hold something. */
void sluice_hierarchy_insert_groups (SluiceHierarchy *self,
                                     const guint *home,
                                     const SluiceGroup *made,
                                     const guint *outer,
                                     guint n_made);

/* Sets service. */
void sluice_hierarchy_find_services (SluiceHierarchy *self);

void sluice_hierarchy_find_hubs (SluiceHierarchy *self);
/* Among the children of one scope; needs bundles and pairs. */
void sluice_hierarchy_find_hubs_in (SluiceHierarchy *self, guint scope);

/* ---- on the whole ---- */

void sluice_hierarchy_choose_hues (SluiceHierarchy *self);
/* Says of each series whether its members hand something on. */
void sluice_hierarchy_find_carries (SluiceHierarchy *self);
/* Says of each loop which scope it is. */
void sluice_hierarchy_find_loops (SluiceHierarchy *self);

/* ---- shared ---- */

/* Of two hashes, in this order. */
static inline guint64
sluice_mix_hashes (guint64 a, guint64 b)
{
  guint64 h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 33);
}

/* Sets the hierarchy's groups, so numbered that siblings are consecutive. old: groups whose parents
 * are numbers among them, the root first; order: the numbers of all in the order of their siblings,
 * or NULL: they are in that order. Returns which of them each group was: (transfer full). */
guint *
sluice_hierarchy_adopt (SluiceHierarchy *self, const SluiceGroup *old, guint n, const guint *order);

/* Of a name; what stands deeper is part of the op's own. */
#define SLUICE_MAX_SCOPES 64

/* Before the path of a fold, the path of the fold of its gradients. */
#define SLUICE_GRADIENTS_OF "gradients of "

/* Length of the part of @path up to and with "gradients/", 0 when it is no gradient name. */
gsize sluice_gradient_prefix (const char *path);

/* See SluiceNameCount. */
guint sluice_forward_hash (const char *path);

/* "conv1" of "conv1_grad": the length without that. */
gsize sluice_length_without_grad (const char *part, gsize length);

/* g_str_hash() of what @hash is of with @length bytes of @text behind it; it begins with
 * SLUICE_NAME_HASH. */
#define SLUICE_NAME_HASH 5381
guint sluice_name_hash (guint hash, const char *text, gsize length);

/* Makes room for @n in all. */
void sluice_path_table_reserve (SluicePathTable *self, guint n);
void sluice_path_table_insert (SluicePathTable *self, const SluiceGroup *groups, guint group);
/* SLUICE_NONE: there is none. */
guint sluice_path_table_lookup (const SluicePathTable *self,
                                const SluiceGroup *groups,
                                const char *path,
                                gsize length,
                                guint hash);
/* Groups are numbered anew: now[old] is the new number. */
void sluice_path_table_move (SluicePathTable *self, const guint *now);
/* The same; SLUICE_NONE: it is gone. Of a table with twins only that is told. */
void sluice_path_table_copy_moved (SluicePathTable *self,
                                   const SluicePathTable *other,
                                   const guint *now);
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
