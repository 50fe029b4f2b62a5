/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "ui/timeline/lanes-draw.h"

G_BEGIN_DECLS

/**
 * SluiceLanes:
 *
 * The lanes of a trace over one axis of time. What is in front and what is selected is told by
 * whoever has it; a person selects by a click, zooms with Ctrl and the wheel, pans with the middle
 * button or Shift, marks an area by dragging, carries a bar with Ctrl. Signals: selected (uint64
 * span, or SLUICE_SPAN_NONE), area-changed, and touched, for each of these, and for what moves the
 * time: all by a person; carried (string node, nullable; uint lane that it is over, G_MAXUINT:
 * none; boolean: it was let go there); pointed (boolean, int64 time): where the pointer is, if it
 * is over the time; range-changed.
 */
#define SLUICE_TYPE_LANES (sluice_lanes_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLanes, sluice_lanes, SLUICE, LANES, GtkWidget)

GtkWidget *sluice_lanes_new (void);
/* How far down it is: of a scrollbar beside it. (transfer none) */
GtkAdjustment *sluice_lanes_get_adjustment (SluiceLanes *self);

/* (transfer full): what a span is in a sentence, what a lane is. */
typedef struct
{
  char *(*dup_span) (const SluiceTraceSpan *span, gpointer data);
  char *(*dup_lane) (const SluiceTraceLane *lane, double busy, gpointer data);
  gpointer data;
} SluiceLanesWords;
void sluice_lanes_set_words (SluiceLanes *self, const SluiceLanesWords *words);

/* @view: (nullable): which stays as it is until another one is told. The time that is shown stays
 * as far as it is there; nothing is selected, and no flow is shown. */
void sluice_lanes_set_view (SluiceLanes *self, const SluiceTraceView *view);
/* What times are told from, and the time by which shares of lanes are told. */
void sluice_lanes_set_zero (SluiceLanes *self, gint64 zero, gint64 end);

/* What is shown did not run: it is drawn dashed, on a time that is there from begin to end at
 * least, as that of the lanes beside it. */
void sluice_lanes_set_ghost (SluiceLanes *self, gint64 begin, gint64 end);

void sluice_lanes_show (SluiceLanes *self, gint64 from, gint64 to);
void sluice_lanes_show_all (SluiceLanes *self);
void sluice_lanes_get_range (SluiceLanes *self, gint64 *from, gint64 *to);
/* At the pointer where it is over it, else in the middle. @factor: of the time that is shown */
void sluice_lanes_zoom (SluiceLanes *self, double factor);
/* @share: of what is seen; along the time, and down. */
void sluice_lanes_pan (SluiceLanes *self, double share);
void sluice_lanes_scroll (SluiceLanes *self, double share);

/* SLUICE_SPAN_NONE: nothing is selected. @reveals: it comes to where it is seen */
void sluice_lanes_select (SluiceLanes *self, guint64 span, gboolean reveals);
guint64 sluice_lanes_get_selected (SluiceLanes *self);
/* Shows its time, and all of the lane where it is there already. */
void sluice_lanes_zoom_to (SluiceLanes *self, guint64 span);

/* The first one that is seen, from the top; SLUICE_SPAN_NONE: none is. */
guint64 sluice_lanes_find_first (SluiceLanes *self);
/* The nearest at the same time in the row below (1) or above (-1) that has any. */
guint64 sluice_lanes_find_across (SluiceLanes *self, guint64 span, int by);

/* (element-type SluiceLanesFlow) (nullable), copied */
void sluice_lanes_set_flows (SluiceLanes *self, const GArray *flows);
/* (element-type guint64) (nullable), copied: spans of the critical path */
void sluice_lanes_set_path (SluiceLanes *self, const GArray *path);
/* (element-type SluiceLanesGap) (nullable), which does not change any more */
void sluice_lanes_set_gaps (SluiceLanes *self, GArray *gaps);
/* (element-type SluiceLanesNote) (nullable), which does not change any more */
void sluice_lanes_set_notes (SluiceLanes *self, GArray *notes);
/* (nullable): set of names: those of others are pale */
void sluice_lanes_set_found (SluiceLanes *self, GHashTable *found);

/* (nullable), whose view stays until others are told */
void sluice_lanes_set_ghosts (SluiceLanes *self, const SluiceLanesGhosts *ghosts);
/* A line at a time that somebody looks at elsewhere. */
void sluice_lanes_set_cursor (SluiceLanes *self, gboolean is_there, gint64 time);
/* FALSE: there is none. */
gboolean sluice_lanes_get_area (SluiceLanes *self, SluiceLanesArea *area);
void sluice_lanes_set_area (SluiceLanes *self, const SluiceLanesArea *area); /* (nullable) */
const SluiceLanesLayout *sluice_lanes_get_layout (SluiceLanes *self); /* (nullable): no view */

/* The time at the pointer, or in the middle. */
gint64 sluice_lanes_get_pointed (SluiceLanes *self);
/* At the pointer, or in the middle; or takes that away. */
void sluice_lanes_toggle_mark (SluiceLanes *self);
guint sluice_lanes_get_n_marks (SluiceLanes *self);

G_END_DECLS
