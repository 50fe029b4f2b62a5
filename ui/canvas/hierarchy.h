/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The graph as a tree of scopes with bundled edges. Immutable, independent of what is open; built
 * in linear time.
 *
 *  - Scopes come from names. A variable with its initialiser, reader and assignments (`w`,
 * `w/read`, `w/Assign`) is one scope of class VARIABLE.
 *  - `gradients/conv1/…` stands beside `conv1` as `conv1 ∇`, paired with it.
 *  - In a level of a dozen or more, five or more ops, or three or more scopes, of one structure and
 *    one name stem (conv_1 … conv_n) form a series, as do twelve of one stem whatever their
 *    structure, and the gradients of what is a series, unless that would close a cycle.
 *  - A loop is shown at the deepest scope that holds most of its heads, the Merges that back edges
 *    lead to: what its gradient counts and keeps in it may have names of elsewhere.
 *  - Structure is a hash over op types and wiring: equal structures share an index, and so a
 *    colour. */
#pragma once

#include "ui/canvas/graph-model.h"

G_BEGIN_DECLS

#define SLUICE_NONE G_MAXUINT

typedef enum
{
  SLUICE_GROUP_ROOT,
  SLUICE_GROUP_SCOPE,
  SLUICE_GROUP_SERIES,
  SLUICE_GROUP_OP,
} SluiceGroupKind;

/* Each edit copies most of a graph's: what is small lies side by side. */
typedef struct
{
  SluiceGroupKind kind : 8;
  SluiceNodeClass node_class : 8; /* of an op; of a scope: VARIABLE, or what all its ops are, else
                                     OP */
  gboolean gradient : 8;
  gboolean hub : 8;     /* set aside unless the view state says otherwise */
  gboolean carries : 8; /* a series of which each member computes from the one before */
  gboolean section : 8; /* a series whose members are not alike: the picture's grouping */
  guint path_hash;      /* g_str_hash() of path */
  const char *path;  /* unique; an op's is its name, a scope's its prefix, a series' "conv_[1-5]" */
  const char *label; /* as drawn: last part of the path, "conv1 ∇", "conv × 5" */
  guint parent;
  guint first_child; /* children are consecutive, in order of first appearance; 0: of an op */
  guint n_children;
  guint depth;
  guint model_node; /* of an op, or of the op that a scope is named after; else SLUICE_NONE */
  guint n_ops;      /* below and including */
  guint n_model; /* of these, what computes something that is not only kept, saved or asked for */
  guint n_errors;
  guint pair;             /* gradient: the forward half; forward: its gradient; else SLUICE_NONE */
  guint64 structure;      /* a hash: equal for equal structures */
  guint hue;              /* colour index, SLUICE_NONE = neutral */
  guint device;           /* index into devices, SLUICE_NONE = none or mixed */
  const char *loop;       /* of the scope of a loop: its name; else NULL */
  const char *inner_loop; /* of a scope around one: the loop's name, the first one's; else NULL */
  double cost;
  guint64 bytes;
  guint64 params;
  guint64 held;
} SluiceGroup;

/* All edges between two children of one scope. */
typedef struct
{
  guint group;      /* the scope in which both ends are children */
  guint from;       /* child */
  guint to;         /* child */
  guint first_edge; /* into the order given by sluice_hierarchy_get_bundled_edge() */
  guint n_edges;
  guint n_control;
  guint n_reference;
  guint n_back;
  guint64 bytes;       /* of the distinct tensors in it */
  gboolean serves;     /* nothing in it is part of the model: initial values, what is saved */
  SluiceEdgeKind kind; /* DATA if there is any data, else BACK, else REFERENCE, else CONTROL */
} SluiceEdgeBundle;

typedef struct _SluiceHierarchy SluiceHierarchy;

SluiceHierarchy *sluice_hierarchy_new (SluiceGraphModel *model);

/* The same as sluice_hierarchy_new (@model), in less time where most nodes are those of @before:
 * what stands in scopes that an edit left alone is taken over. @before is of the model that @model
 * was made after, or of an earlier one of that line. On any thread. */
SluiceHierarchy *sluice_hierarchy_new_after (SluiceHierarchy *before, SluiceGraphModel *model);
SluiceHierarchy *sluice_hierarchy_ref (SluiceHierarchy *self);
void sluice_hierarchy_unref (SluiceHierarchy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceHierarchy, sluice_hierarchy_unref)

SluiceGraphModel *sluice_hierarchy_get_model (SluiceHierarchy *self);

/* Group 0 is the root. */
guint sluice_hierarchy_get_n_groups (SluiceHierarchy *self);
const SluiceGroup *sluice_hierarchy_get_group (SluiceHierarchy *self, guint index);

/* The group of a model node (an op). */
guint sluice_hierarchy_get_op_group (SluiceHierarchy *self, guint model_node);

/* By path; SLUICE_NONE when there is none. A name that is both an op and a scope (`w` and `w/read`)
 * is the scope. */
guint sluice_hierarchy_lookup (SluiceHierarchy *self, const char *path);

/* Bundles between the children of @group: [*first, *first + return value). */
guint sluice_hierarchy_get_bundles (SluiceHierarchy *self, guint group, guint *first);
const SluiceEdgeBundle *sluice_hierarchy_get_bundle (SluiceHierarchy *self, guint index);

/* Model edge at position @index of the order that bundles refer to. */
guint sluice_hierarchy_get_bundled_edge (SluiceHierarchy *self, guint index);

guint sluice_hierarchy_get_n_devices (SluiceHierarchy *self);
const char *sluice_hierarchy_get_device (SluiceHierarchy *self, guint index);

typedef struct
{
  guint device; /* SLUICE_NONE: of ops without one */
  guint n_ops;
} SluiceDeviceOps;

/* How many ops of @group and below stand on each device, by the device's number, last those without
 * one: (transfer full) (element-type SluiceDeviceOps). */
GArray *sluice_hierarchy_dup_device_ops (SluiceHierarchy *self, guint group);

/* TRUE when @group is @ancestor or stands below it. */
gboolean sluice_hierarchy_is_below (SluiceHierarchy *self, guint group, guint ancestor);

G_END_DECLS
