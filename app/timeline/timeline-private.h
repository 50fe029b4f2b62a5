/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/page.h"
#include "app/place/predictor.h"
#include "app/timeline/area-table.h"
#include "app/timeline/number-table.h"
#include "app/timeline/span-pane.h"
#include "app/timeline/step-analysis.h"
#include "app/timeline/timeline-page.h"
#include "ui/common/mode-bar.h"
#include "ui/timeline/heat-map.h"
#include "ui/timeline/lanes.h"
#include "ui/timeline/memory-bands.h"
#include "ui/timeline/step-bars.h"

typedef struct _SluiceTimelineReporter SluiceTimelineReporter;

/* For app/timeline only. timeline-page.c has what is shown, timeline-make.c what it consists of,
 * timeline-read.c what is read of the run, timeline-actions.c what can be done,
 * timeline-predicted.c what was predicted, timeline-area.c the sums of an area, timeline-find.c the
 * search, timeline-dump.c what a test wants to know. */
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

  char *lower; /* what stands under the lanes */
  GtkWidget *lanes_overlay, *lower_box;
  GtkLabel *lower_title, *lower_words;
  SluiceModeBar *lower_modes;
  GtkStack *lower_stack;

  SluicePredictor *predictor; /* (nullable) */
  SluiceLanes *ghosts;        /* what was predicted, on the lanes' axis */
  SluiceTraceView *predicted; /* (nullable): of ghosts */
  char *carried_to;           /* (nullable): device that a bar is held over */
  gboolean aligns;            /* they follow the lanes, not the lanes them */

  SluiceMemoryBands *bands;
  GtkWidget *memory_legend;
  SluiceMemoryView *memory; /* (nullable) */
  gint64 memory_shift;      /* from its times to those of the lanes */
  guint band;               /* that is told of: of the node that is selected; SLUICE_BAND_NONE */
  gboolean band_is_chosen;  /* by a person, not by its node */
  gboolean memory_making;
  guint n_looks; /* at the run */

  SluiceWorkspace *workspace; /* (nullable) */
  GPtrArray *notes;           /* (nullable): of SluiceTraceNote, in that file: */
  char *notes_path;           /* (nullable) */
  char *notes_failure;        /* (nullable): why they could not be read, or written */
  gint64 note_from, note_to;  /* of what is being written, */
  gboolean note_is_asked;     /* if that was asked for by its key */
  GtkListBox *notes_list;
  GtkWidget *notes_entry;

  SluiceHeatMap *heat_map;
  SluiceTraceHeat *heat;      /* (nullable), */
  SluiceStepPicture *heat_of; /* of that one */
  gboolean heat_by_time;

  SluiceNumberTable *differences;
  SluiceStepPicture *other; /* (nullable): that has the step that is compared with, */
  guint64 other_step;       /* which is that one, */
  char *other_of;           /* (nullable): of that file */
  guint64 other_wanted;     /* as soon as all steps are there; 0: none */
  guint n_compared;         /* the last that was asked for is shown */

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
/* A node is selected that did not run in the step; the same. */
void sluice_timeline_page_select_idle (SluiceTimelinePage *self, const char *name);
/* The navigator. */
void sluice_timeline_page_show_bars (SluiceTimelinePage *self);
/* Again, for more is known of it. */
void sluice_timeline_page_show_selected (SluiceTimelinePage *self);
/* Somebody moves the time: the run is not followed any more. */
void sluice_timeline_page_touch (SluiceTimelinePage *self);
/* Its place among the steps; their number where it is not among them. */
guint sluice_timeline_page_get_place (SluiceTimelinePage *self);

/* The picture is shown; somebody's choices stay as far as it has them. */
void sluice_timeline_page_take_picture (SluiceTimelinePage *self, SluiceStepPicture *picture);
/* Nothing is shown. */
void sluice_timeline_page_clear (SluiceTimelinePage *self);

/* timeline-make.c: (transfer floating) */
GtkWidget *sluice_timeline_page_make_empty (void);
GtkWidget *sluice_timeline_page_make_steps (SluiceTimelinePage *self);
/* Over what scrolls by it; seen where there is something to scroll. */
GtkWidget *sluice_timeline_page_make_scrollbar (GtkAdjustment *adjustment);
void sluice_timeline_page_init_words (SluiceTimelinePage *self, SluiceLanes *lanes);

/* timeline-read.c */
gboolean sluice_timeline_page_is_at_work (SluiceTimelinePage *self);
/* Looks at the run, if somebody looks at the page. */
void sluice_timeline_page_read (SluiceTimelinePage *self);
/* From now on. */
void sluice_timeline_page_begin_reading (SluiceTimelinePage *self);

/* timeline-lower.c */
GtkWidget *sluice_timeline_page_make_lower (SluiceTimelinePage *self);
/* One of its modes; others are not taken. */
void sluice_timeline_page_set_lower (SluiceTimelinePage *self, const char *mode);
void sluice_timeline_page_turn_lower (SluiceTimelinePage *self);
/* The sums of an area stand in its place. */
void sluice_timeline_page_cover_lower (SluiceTimelinePage *self, gboolean covers);
gboolean sluice_timeline_page_is_lower (SluiceTimelinePage *self, const char *mode);
/* Anew, of the step that is shown. */
void sluice_timeline_page_show_lower (SluiceTimelinePage *self);
/* Of a mode, as long as it is the one that is on. has_content: there is more than that to see */
void sluice_timeline_page_say_lower (SluiceTimelinePage *self,
                                     const char *mode,
                                     const char *title,
                                     const char *words,
                                     gboolean has_content);

/* timeline-compare.c */
GtkWidget *sluice_timeline_page_make_compared (SluiceTimelinePage *self);
void sluice_timeline_page_show_compared (SluiceTimelinePage *self);
/* A step of what is shown; that one again: none. */
void sluice_timeline_page_set_other (SluiceTimelinePage *self, guint64 step);
/* 0: none, or one of another trace than the one that is shown */
guint64 sluice_timeline_page_get_other (SluiceTimelinePage *self);
void sluice_timeline_page_drop_other (SluiceTimelinePage *self);

/* timeline-heat.c */
GtkWidget *sluice_timeline_page_make_heat (SluiceTimelinePage *self);
void sluice_timeline_page_show_heat (SluiceTimelinePage *self);
/* What is selected, in it. */
void sluice_timeline_page_mark_heat (SluiceTimelinePage *self);
/* To the map; there already: by time, or by the median. */
void sluice_timeline_page_turn_heat (SluiceTimelinePage *self);
void sluice_timeline_page_drop_heat (SluiceTimelinePage *self);

/* timeline-notes.c */
GtkWidget *sluice_timeline_page_make_notes (SluiceTimelinePage *self);
void sluice_timeline_page_show_notes (SluiceTimelinePage *self);
/* Asks for one. */
void sluice_timeline_page_write_note (SluiceTimelinePage *self);
void sluice_timeline_page_remove_note (SluiceTimelinePage *self, guint place);
void sluice_timeline_page_drop_notes (SluiceTimelinePage *self);

/* timeline-memory.c */
GtkWidget *sluice_timeline_page_make_memory (SluiceTimelinePage *self);
void sluice_timeline_page_show_memory (SluiceTimelinePage *self);
void sluice_timeline_page_clear_memory (SluiceTimelinePage *self);
/* Has a step of a run that is followed recorded now and then. */
void sluice_timeline_page_follow_memory (SluiceTimelinePage *self);
/* (nullable); band: (out): what the selected node holds, or what somebody chose of it */
const SluiceMemoryView *sluice_timeline_page_get_memory (SluiceTimelinePage *self, guint *band);
/* From who made the band that was chosen to who reads it. (element-type SluiceLanesFlow) */
void sluice_timeline_page_add_readers (SluiceTimelinePage *self, guint64 maker, GArray *flows);

/* timeline-predicted.c */
GtkWidget *sluice_timeline_page_make_predicted (SluiceTimelinePage *self);
void sluice_timeline_page_show_predicted (SluiceTimelinePage *self);
void sluice_timeline_page_clear_predicted (SluiceTimelinePage *self);

/* timeline-dump.c */
void sluice_timeline_page_init_dump (SluicePageInterface *iface);

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
void sluice_timeline_page_show_report (SluiceTimelinePage *self);
gboolean sluice_timeline_page_is_reporting (SluiceTimelinePage *self);
/* What is shown, a line a row: for tests. */
char *sluice_timeline_page_dup_report (SluiceTimelinePage *self);

/* timeline-actions.c */
void sluice_timeline_page_install_actions (GtkWidgetClass *widget_class);
void sluice_timeline_page_update_actions (SluiceTimelinePage *self);

/* timeline-find.c */
void sluice_timeline_page_init_find (SluicePageInterface *iface);
