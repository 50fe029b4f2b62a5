/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/device.h"
#include "engine/graph/graph.h"

/* Between place.c, which gathers what limits a node and chooses, and conflict.c, which says why
 * nothing is left to choose from. */

/* Two nodes that stand together, by their numbers (id - 1). */
typedef struct
{
  guint32 a, b;
  const char *why;
} SluicePlaceLink;

typedef enum
{
  SLUICE_PLACE_STANDS,  /* the node was placed before */
  SLUICE_PLACE_KERNELS, /* where its op has kernels */
  SLUICE_PLACE_ASKED,   /* its attribute device */
} SluicePlaceKind;

/* What limits where a node may stand. Sets that are equal are the same pointer. */
typedef struct
{
  guint32 node;
  guint32 group;
  SluicePlaceKind kind;
  const guint8 *allowed; /* by device */
} SluicePlaceLimit;

typedef struct
{
  SluiceGraph *graph;
  SluiceDevice *const *devices;
  guint n_devices;
  const SluicePlaceLink *links;
  guint n_links;

  /* Links by node and scratch of the search: made by the first conflict. */
  guint32 *first_link, *link_at; /* CSR: numbers of links */
  guint32 *via;                  /* by node: link + 1 that reached it, or ROOT */
} SluiceConflicts;

void sluice_conflicts_clear (SluiceConflicts *self);

/* Names of all devices, with ", " between. (transfer full) */
char *sluice_conflicts_list_devices (const SluiceConflicts *self);

/**
 * sluice_conflicts_explain:
 * @limits: of one group; together they leave no device
 *
 * Returns: (transfer full): names the two of them that exclude each other with the fewest nodes
 * between, and these nodes with what ties each to the next. Where no two exclude each other, the
 * fewest that do.
 */
GError *
sluice_conflicts_explain (SluiceConflicts *self, const SluicePlaceLimit *limits, guint n_limits);
