/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/device.h"
#include "engine/graph/graph.h"

/* Where one node of the graph stands. */
typedef struct
{
  int device;         /* number in the session; -1: nowhere, error says why */
  const char *reason; /* lives as long as the placements */
  gboolean is_moved;  /* it asks for a device that is not here, or not for it and those that it is
                         tied to */
  GError *error;
} SluicePlacement;

/* Where the nodes of a graph stand; grows with it. */
typedef struct
{
  GArray *nodes; /* of SluicePlacement, by id - 1 */
  GStringChunk *texts;
} SluicePlacements;

SluicePlacements *sluice_placements_new (void);
void sluice_placements_free (SluicePlacements *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePlacements, sluice_placements_free)

static inline const SluicePlacement *
sluice_placements_get (const SluicePlacements *self, const SluiceNode *node)
{
  return &g_array_index (self->nodes, SluicePlacement, node->id - 1);
}

/* One line on the nodes that are moved, and the devices that they asked for and got. (transfer
 * full) (nullable): there are none */
char *sluice_placements_dup_moved (const SluicePlacements *self,
                                   SluiceGraph *graph,
                                   SluiceDevice *const *devices);

/* What a policy has chosen (engine/cost/policy.h): by node index a device, -1: nothing, and why. It
 * holds where the node may stand there, and nothing that it stands with stands already. */
typedef struct
{
  const int *devices;
  const char *const *reasons; /* each (nullable) */
} SluicePlaceChoice;

/**
 * sluice_place:
 * @placements: nodes that stand somewhere keep their place; the others are added
 * @default_device: number of the one for what asks for none, where that has a kernel there
 * @soft: a device that does not exist is replaced, and the reason recorded
 * @choice: (nullable)
 *
 * Places every node of the graph: users of one reference or resource and nodes that `_class` ties
 * stand together. A node that can stand nowhere gets an error that names the shortest chain of what
 * contradicts what (requests, kernels, nodes that stand already); a run fails with it when it
 * reaches the node. White paper 4.3.
 */
void sluice_place (SluiceGraph *graph,
                   SluiceDevice *const *devices,
                   guint n_devices,
                   guint default_device,
                   gboolean soft,
                   const SluicePlaceChoice *choice,
                   SluicePlacements *placements);

/* What limits where the nodes of a graph stand, of which nothing stands yet: the same that
 * sluice_place() keeps to. */
typedef struct
{
  guint n_nodes;
  guint32 *roots;   /* by node index: the first of those that must stand together with it */
  guint8 **allowed; /* by root, each by device; NULL: all of them */
  GError **errors;  /* by node index (nullable): it can stand nowhere, and why */
} SluicePlaceable;

SluicePlaceable *sluice_placeable_new (SluiceGraph *graph,
                                       SluiceDevice *const *devices,
                                       guint n_devices,
                                       gboolean soft);
void sluice_placeable_free (SluicePlaceable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePlaceable, sluice_placeable_free)
