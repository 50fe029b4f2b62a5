/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The stages that build a hierarchy, in the order in which sluice_hierarchy_new() runs them. */
#pragma once

#include "ui/canvas/hierarchy.h"

G_BEGIN_DECLS

struct _SluiceHierarchy
{
  gatomicrefcount ref_count;
  SluiceGraphModel *model;
  GStringChunk *strings;
  SluiceGroup *groups;
  guint n_groups;
  guint *op_group;    /* per model node */
  GHashTable *paths;  /* path -> group + 1 */
  GPtrArray *devices; /* const char*, owned by the model */

  SluiceBundle *bundles; /* sorted by group, from, to */
  guint n_bundles;
  guint *bundled;      /* model edges in bundle order */
  guint *bundle_start; /* [n_groups + 1]: bundles by group */
};

/* Scopes from names, children in order of first appearance. Sets groups, n_groups, op_group, paths.
 */
void sluice_hierarchy_build_tree (SluiceHierarchy *self);

/* (Re)computes the bundles from the tree. */
void sluice_hierarchy_build_bundles (SluiceHierarchy *self);

/* Sums over subtrees, classes of scopes, devices. */
void sluice_hierarchy_sum_up (SluiceHierarchy *self);

/* Says of each loop which scope it is; the groups are final. */
void sluice_hierarchy_find_loops (SluiceHierarchy *self);

/* Structure hashes into `structure`; needs bundles. */
void sluice_hierarchy_find_structures (SluiceHierarchy *self);

/* Puts runs of equal siblings under series groups; TRUE when there are any (then bundles and sums
 * must be redone). */
gboolean sluice_hierarchy_insert_series (SluiceHierarchy *self);

/* Pairs gradients with forward halves; hues; hubs. */
void sluice_hierarchy_find_pairs (SluiceHierarchy *self);
void sluice_hierarchy_choose_hues (SluiceHierarchy *self);
void sluice_hierarchy_find_hubs (SluiceHierarchy *self);

/* A tree under construction: parents only. */
typedef struct
{
  GArray *groups; /* SluiceGroup with parent, kind, path, label, model_node, gradient set; parents
                     come before children */
} SluiceDraft;

/* Numbers the draft so that siblings are consecutive, and moves it into the hierarchy. */
void sluice_hierarchy_adopt (SluiceHierarchy *self, SluiceDraft *draft);

/* Length of the part of @path up to and with "gradients/", 0 when it is no gradient name. */
gsize sluice_gradient_prefix (const char *path);

/* The last part of a path. */
const char *sluice_path_leaf (const char *path);

G_END_DECLS
