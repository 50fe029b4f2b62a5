/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/build/build-page.h"
#include "app/debug-bar.h"
#include "app/devices-button.h"
#include "app/graph/graph-page.h"
#include "app/graph/inspector.h"
#include "app/import-bar.h"
#include "app/place/move-actions.h"
#include "app/place/predictor.h"
#include "app/probe.h"
#include "app/search/search-box.h"
#include "app/run-edits.h"

/* For window.c and window-*.c only. */

struct _SluiceWindow
{
  AdwApplicationWindow parent;
  AdwToastOverlay *toasts;
  GQueue waiting;     /* AdwToast: the head is shown, the others come after it */
  guint toast_source; /* ends its time */
  char *told;         /* (nullable): by the last of them, which goes after a few seconds */
  AdwFlap *left_flap, *right_flap;
  GtkStack *left_stack, *right_stack; /* what a page has in the place of runs and inspector */
  AdwViewStack *stack;
  AdwViewSwitcherBar *low_switcher; /* where the header has no room for one */
  GtkRevealer *failure_revealer;
  SluiceDevicesButton *status_devices;
  GtkLabel *failure_label, *status_step, *status_rate, *status_machine;
  GtkProgressBar *progress;
  SluiceSearchBox *search;
  SluicePage *searched; /* borrowed: the page that was shown when the search under way began */
  GMenu *recent_menu;
  GtkButton *start_button, *step_button, *failure_show, *failure_accept, *failure_workspace;
  GtkWidget *failure_memory;
  SluiceRunsPane *runs_pane;
  SluiceImportBar *import_bar;
  SluiceDebugBar *debug_bar; /* (nullable): no run has stopped yet */
  guint64 seen_stop;         /* its number; 0: no run is stopped */
  SluiceRunEdits *run_edits;
  SluiceInspector *inspector;
  SluicePage *pages[SLUICE_N_PAGE_KINDS]; /* in stack, or in a stack there */
  SluiceGraphPage *graph_page;            /* one of them */

  GSettings *settings;
  SluiceWorkspace *workspace;
  SluiceRunSet *shown;
  SluiceRunController *controller;
  SluiceQueueWorker *queue;
  SluiceDocument *document;
  SluicePredictor *predictor; /* of the document's graph */
  SluiceMoves *moves;
  SluiceGraph *followed; /* (nullable): the document's: names of it are kept beside it, too */
  guint follower;
  char *opened;    /* (nullable): the project or graph */
  gint64 last_run; /* that was begun here; 0: none yet */
  guint status_source;
  int picture_width, picture_height; /* 0: the window has its own size */
  gboolean wants_close;              /* once the run under way is saved */
  SluiceProbe *probe;                /* (nullable): under SLUICE_PROBE */
};

/* window-pages.c */
void sluice_window_add_pages (SluiceWindow *self);
/* (transfer none): by its place in sluice_page_kinds[] */
SluicePage *sluice_window_get_nth_page (SluiceWindow *self, guint i);
const char *sluice_window_get_page_name (SluiceWindow *self);
/* Is the one in front pushed on a page of the switcher? */
gboolean sluice_window_page_is_pushed (SluiceWindow *self);
/* What is selected in the graph is so in the timeline, and the other way: once graph_page is known.
 */
void sluice_window_join_selections (SluiceWindow *self);
/* "/" where nobody writes a text: the filter of the page, or the search of the window. An
 * accelerator of the window would come before what is written. */
void sluice_window_install_find (GtkWidgetClass *widget_class);

/* window-failure.c */
/* failure: (nullable): none any more */
void sluice_window_show_failure (SluiceWindow *self, const char *failure);
void sluice_window_show_failed_node (SluiceWindow *self);
/* What the last run ended of, and what can be done about it. */
void sluice_window_show_end (SluiceWindow *self);

/* window-toasts.c: a run that was deleted, and how to have it back. */
void sluice_window_offer_deleted (SluiceWindow *self);
/* The run that begins has the numbers of that one. */
void sluice_window_tell_repeated (SluiceWindow *self, const char *run);
void sluice_window_end_toasts (SluiceWindow *self);

/* window-document.c: once the pages are there. */
void sluice_window_add_document (SluiceWindow *self);
/* The name of what is open, by which the window is called, and opened next time. full: a path from
 * the root */
void sluice_window_set_opened (SluiceWindow *self, const char *full);
/* graph: (nullable): none any more */
void sluice_window_follow_names (SluiceWindow *self, SluiceGraph *graph);

/* window.c: what can be done now. */
void sluice_window_update_actions (SluiceWindow *self);
/* The same: another page came to the front. */
void sluice_window_page_changed (SluiceWindow *self);
/* Actions that print on standard output what is shown, for scripts and tests. */
void sluice_window_add_dump_actions (SluiceWindow *self);
