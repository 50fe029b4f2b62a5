/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/trace-view.h"

G_BEGIN_DECLS

/* Where the rows of a trace's lanes stand, in units from the top of the first one: by device, and
 * of a device threads, queues, waits, links. Lanes without spans have no place. */
typedef struct
{
  guint lane, row;
  double y, height;
  gboolean begins_lane, begins_device;
} SluiceLanesRow;

typedef struct
{
  GArray *rows;  /* of SluiceLanesRow */
  GArray *first; /* of guint, by lane: its first row; G_MAXUINT: it has no place */
  double height;
} SluiceLanesLayout;

#define SLUICE_LANES_PITCH 40.0 /* of a lane's first row */
#define SLUICE_LANES_MORE  31.0 /* of each other one */
#define SLUICE_LANES_BAR   27.0 /* what stands in a row */

SluiceLanesLayout *sluice_lanes_layout_new (const SluiceTraceView *view);
void sluice_lanes_layout_free (SluiceLanesLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLanesLayout, sluice_lanes_layout_free)

/* The first row that ends below @y; their number where there is none. */
guint sluice_lanes_layout_first (const SluiceLanesLayout *self, double y);
/* (nullable): nothing is there */
const SluiceLanesRow *sluice_lanes_layout_at (const SluiceLanesLayout *self, double y);
/* (nullable): the lane has no place */
const SluiceLanesRow *
sluice_lanes_layout_find (const SluiceLanesLayout *self, guint lane, guint row);

G_END_DECLS
