/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/proxies.h"
#include "ui/timeline/lanes.h"

/* For lanes.c, lanes-input.c and lanes-proxy.c only. */

struct _SluiceLanes
{
  GtkWidget parent_instance;
  const SluiceTraceView *view; /* (nullable) */
  SluiceLanesLayout *layout;   /* (nullable): with view */
  gint64 begin, end;           /* of all */
  gint64 from, to;             /* shown */
  gint64 zero;
  double *busy; /* (nullable): by lane */
  guint64 selected;
  GArray *flows, *path, *marks;
  GArray *gaps;      /* (nullable) */
  GArray *notes;     /* (nullable) */
  GHashTable *found; /* (nullable) */
  SluiceLanesArea area;
  gboolean has_area;
  SluiceLanesGhosts ghosts;
  gboolean has_ghosts;
  gint64 cursor;
  gboolean has_cursor;
  gboolean is_ghost;
  double most_height; /* units that any view needed since there was none */
  GtkAdjustment *adjustment;
  SluiceLanesWords words;

  double pointer_x; /* in units; negative: it is elsewhere */
  double drag_x, drag_y;
  gboolean drag_pans, drag_marks;
  char *carried;           /* (nullable): the node whose bar is dragged */
  gboolean is_carried;     /* it has left its place */
  gint64 pan_from, pan_to; /* shown when it began */
  double pan_scroll;

  SluiceProxies proxies;
};

SluiceLanesPicture sluice_lanes_get_picture (SluiceLanes *self);
void sluice_lanes_range_changed (SluiceLanes *self);
/* By a person. */
void sluice_lanes_touch (SluiceLanes *self);
/* The pointer is at self->pointer_x, or went. */
void sluice_lanes_emit_pointed (SluiceLanes *self);
void sluice_lanes_emit_selected (SluiceLanes *self, guint64 span);
void sluice_lanes_emit_area (SluiceLanes *self);
/* name: (nullable): none any more; lane: G_MAXUINT: none is there */
void
sluice_lanes_emit_carried (SluiceLanes *self, const char *name, guint lane, gboolean is_dropped);

/* lanes-input.c */
void sluice_lanes_init_input (SluiceLanes *self);

/* lanes-proxy.c: what assistive technology meets. */
void sluice_lanes_init_proxies (SluiceLanes *self);
