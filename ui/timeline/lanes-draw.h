/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <cairo.h>

#include "ui/common/geometry.h"
#include "ui/common/theme.h"
#include "ui/timeline/lanes-layout.h"
#include "ui/timeline/time-axis.h"

G_BEGIN_DECLS

#define SLUICE_LANES_NAMES 128.0 /* units at the start, for what lanes are called */
#define SLUICE_LANES_END   14.0  /* air behind the time */
#define SLUICE_LANES_HEAD  28.0  /* height of the axis */
#define SLUICE_LANES_FOOT  28.0  /* under the last lane */
#define SLUICE_LANES_FLAG  9.0   /* how wide that of a note is */

/* One has what the other reads. */
typedef struct
{
  guint64 from, to; /* spans */
} SluiceLanesFlow;

/* When a lane did nothing, and why. */
typedef struct
{
  guint lane;
  gint64 start, end;
  gboolean is_wait; /* for somebody's value: it is outlined also where the words do not fit */
  char *words;      /* (nullable): "waits for loss"; NULL: as empty as it is */
  char *sentence;   /* for a tooltip, and for who does not see it */
} SluiceLanesGap;

/* (transfer full) (element-type SluiceLanesGap): which owns its texts. */
GArray *sluice_lanes_gaps_new (void);

/* Time and rows. */
typedef struct
{
  gint64 from, to;
  guint first, last; /* places in the layout's rows */
} SluiceLanesArea;

/* What somebody wrote to a moment, or to some time. */
typedef struct
{
  gint64 from, to;
  char *text;
} SluiceLanesNote;

/* What ran in other lanes of the same names, or at another time: thin, over the bars. */
typedef struct
{
  const SluiceTraceView *view;
  gint64 from, to; /* of it */
  gint64 shift;    /* to when it is shown */
} SluiceLanesGhosts;

/* What is drawn, at the origin. */
typedef struct
{
  const SluiceTraceView *view;
  const SluiceLanesLayout *layout;
  SluiceTimeAxis axis;
  gint64 zero; /* what times are told from */
  double width, height;
  double scroll;               /* how far the rows are moved up */
  const double *busy;          /* (nullable): by lane, 0 to 1 */
  guint64 selected;            /* SLUICE_SPAN_NONE: nothing is */
  const GArray *flows;         /* (nullable): of SluiceLanesFlow */
  const GArray *path;          /* (nullable): of guint64: spans of the critical path, in order */
  const GArray *gaps;          /* (nullable): of SluiceLanesGap, by lane and time */
  const GArray *marks;         /* (nullable): of gint64: times */
  const GArray *notes;         /* (nullable): of SluiceLanesNote */
  const GHashTable *found;     /* (nullable): set of names; the others are pale */
  const SluiceLanesArea *area; /* (nullable) */
  const SluiceLanesGhosts *ghosts; /* (nullable) */
  const gint64 *cursor;            /* (nullable): when somebody looks at, beside the lanes */
  gboolean is_ghost;               /* nothing of it ran: it is dashed */
  gboolean mirrored; /* time goes from right to left; all places are as if it did not */
} SluiceLanesPicture;

void sluice_lanes_draw (const SluiceLanesPicture *self, cairo_t *cr, const SluiceTheme *theme);

/* The bar of a span, if its lane has a place; it may be out of what is seen. */
gboolean sluice_lanes_get_bar (const SluiceLanesPicture *self, guint64 span, SluiceRect *bar);
/* SLUICE_SPAN_NONE: nothing is there. What is too thin to be met is met by who comes near. */
guint64 sluice_lanes_pick (const SluiceLanesPicture *self, double x, double y);

/* (nullable) (transfer none): whose flag is there, or whose time under the axis. */
const SluiceLanesNote *sluice_lanes_pick_note (const SluiceLanesPicture *self, double x, double y);

/* (nullable) (transfer none): nothing ran there, and it is known why. */
const SluiceLanesGap *sluice_lanes_pick_gap (const SluiceLanesPicture *self, double x, double y);
/* Of such an array those of a lane: the first one, and behind the last. */
void sluice_lanes_find_gaps (const GArray *gaps, guint lane, guint *first, guint *end);
/* Where a gap is: as high as a bar. FALSE: its lane has no place */
gboolean sluice_lanes_get_gap_rect (const SluiceLanesPicture *self,
                                    const SluiceLanesGap *gap,
                                    SluiceRect *rect);

/* The times at which the axis has lines. */
void sluice_lanes_get_ticks (const SluiceTimeAxis *axis, gint64 zero, SluiceTimeTicks *ticks);
/* "CPU:0", as lanes call their device. */
const char *sluice_lanes_get_device (const SluiceTraceLane *lane);

/* By the scope that the span's node stands in. */
SluiceColor sluice_lanes_get_color (const SluiceTraceSpan *span, const SluiceTheme *theme);
/* What a bar says where there is room: "conv1/filter", of a gradient "conv1/filter ∇".
 * (transfer full) */
char *sluice_lanes_dup_name (const SluiceTraceSpan *span);

G_END_DECLS
