/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/page.h"
#include "app/timeline/area-table.h"
#include "app/timeline/span-pane.h"
#include "app/timeline/step-analysis.h"
#include "app/timeline/timeline-page.h"
#include "ui/timeline/lanes.h"
#include "ui/timeline/step-bars.h"

typedef struct _SluiceTimelineReporter SluiceTimelineReporter;

/* For app/timeline only. timeline-page.c has what is shown, timeline-actions.c what can be done,
 * timeline-area.c the sums of an area, timeline-find.c the search. */
struct _SluiceTimelinePage
{
  GtkWidget parent;
  GtkWidget *box;
  GtkStack *states;
  GtkWidget *steps_box; /* a state of it */
  SluiceStepBars *bars;
  SluiceLanes *lanes;
  SluiceSpanPane *pane;
  SluiceAreaTable *table;
  GtkRevealer *table_revealer;
  GtkWidget *file_bar;
  GtkLabel *file_label; /* in it */
  char *file;           /* (nullable): whose trace is shown, not the run's */
  guint n_opened;       /* files that were asked for: the last one is shown */
  gboolean opening;
  guint n_areas; /* that were asked for: the last one is shown */
  SluiceTimelineReporter *reporter;

  SluiceRunController *controller; /* (nullable) */
  SluiceDocument *document;        /* borrowed from the window */
  SluiceStepRecord *record;        /* (nullable): of the session */
  SluiceStepPicture *picture;      /* (nullable) */
  guint source;
  gboolean is_live;        /* the newest step is shown */
  gboolean follows_step;   /* the time shown is that of the step */
  gboolean reading, again; /* again: something was asked for meanwhile */

  SluiceStepAnalysis *analysis; /* (nullable): of the step that stands */
  guint64 step;                 /* shown; 0: none */
  char *node;                   /* (nullable): selected */
  guint64 iteration;            /* the same, */
  gint64 start;                 /* and when it began */
};

/* timeline-page.c */
void sluice_timeline_page_set_live (SluiceTimelinePage *self, gboolean is_live);
void sluice_timeline_page_show_step (SluiceTimelinePage *self, guint64 step);
/* SLUICE_SPAN_NONE: nothing. The graph is told. */
void sluice_timeline_page_select_span (SluiceTimelinePage *self, guint64 span);
/* Its place among the steps; their number where it is not among them. */
guint sluice_timeline_page_get_place (SluiceTimelinePage *self);

/* The picture is shown; somebody's choices stay as far as it has them. */
void sluice_timeline_page_take_picture (SluiceTimelinePage *self, SluiceStepPicture *picture);
/* Nothing is shown. */
void sluice_timeline_page_clear (SluiceTimelinePage *self);

/* timeline-page-file.c */
void sluice_timeline_page_init_moment (SluicePageInterface *iface);
void sluice_timeline_page_close_file (SluiceTimelinePage *self);
GtkWidget *sluice_timeline_page_make_file_bar (SluiceTimelinePage *self);

/* timeline-area.c */
/* The sums of the area that is marked now; without one the table goes. */
void sluice_timeline_page_show_area (SluiceTimelinePage *self);
GtkWidget *sluice_timeline_page_make_table (SluiceTimelinePage *self);

/* timeline-report.c */
void sluice_timeline_page_install_report (GtkWidgetClass *widget_class);
GtkWidget *sluice_timeline_page_make_report (SluiceTimelinePage *self);
GtkWidget *sluice_timeline_page_make_report_button (void);
void sluice_timeline_reporter_free (SluiceTimelineReporter *self);
/* Another picture is shown. */
void sluice_timeline_page_renew_report (SluiceTimelinePage *self);
gboolean sluice_timeline_page_is_reporting (SluiceTimelinePage *self);
/* What is shown, a line a row: for tests. */
char *sluice_timeline_page_dup_report (SluiceTimelinePage *self);

/* timeline-actions.c */
void sluice_timeline_page_install_actions (GtkWidgetClass *widget_class);
void sluice_timeline_page_update_actions (SluiceTimelinePage *self);

/* timeline-find.c */
void sluice_timeline_page_init_find (SluicePageInterface *iface);
