/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"
#include "app/queue-worker.h"
#include "app/runs/run-set.h"
#include "app/search/hit.h"
#include "app/search/query.h"

/*
 * A page of the window: a widget that the window knows through these calls and the line of
 * sluice_page_kinds[] that names it. What an implementation leaves out is not there to be done.
 * Signal: tag-selected, when sluice_page_get_tag() is another one.
 */
#define SLUICE_TYPE_PAGE (sluice_page_get_type ())
G_DECLARE_INTERFACE (SluicePage, sluice_page, SLUICE, PAGE, GtkWidget)

/* What all pages of a window share. Lives as long as they do. */
typedef struct
{
  SluiceWorkspace *workspace;
  SluiceRunSet *shown; /* which of its runs */
  SluiceRunController *controller;
  SluiceQueueWorker *queue;
  SluiceDocument *document;
} SluicePageContext;

/* What was kept of some steps of a run (engine/train/flight-file.h). */
typedef struct
{
  const char *run;  /* its name */
  gint64 step;      /* that is asked for */
  const char *path; /* (nullable): of the trace; NULL: none is there */
} SluiceKeptMoment;

struct _SluicePageInterface
{
  GTypeInterface parent;
  void (*attach) (SluicePage *self, const SluicePageContext *context);
  void (*apply_settings) (SluicePage *self, GSettings *settings);
  void (*filter) (SluicePage *self, const SluiceQuery *query);
  gboolean (*search) (SluicePage *self, const SluiceQuery *query, SluiceHits *hits);
  void (*show_hit) (SluicePage *self, const char *title);
  gboolean (*show_moment) (SluicePage *self, const SluiceKeptMoment *moment);
  gboolean (*is_settled) (SluicePage *self);
  gboolean (*prepare_print) (SluicePage *self);
  void (*end_print) (SluicePage *self);
  guint (*print) (SluicePage *self, cairo_t *cr, guint sheet, double width, double height);
  const char *(*get_tag) (SluicePage *self);
  void (*keep_state) (SluicePage *self, GKeyFile *state, gboolean saves);
  char *(*dump_state) (SluicePage *self);
  GtkWidget *(*get_left) (SluicePage *self);
  GtkWidget *(*get_right) (SluicePage *self);
};

/* Once, when the window has its workspace. */
void sluice_page_attach (SluicePage *self, const SluicePageContext *context);
/* Takes up preferences, at the start and whenever one has changed. */
void sluice_page_apply_settings (SluicePage *self, GSettings *settings);
/* While a search is being typed: shows only what matches; an empty query shows everything. */
void sluice_page_filter (SluicePage *self, const SluiceQuery *query);
/* Adds what matches, in the order in which it is to be walked through, of as many things from
 * hits->from on as the budget is for. Returns: those were all */
gboolean sluice_page_search (SluicePage *self, const SluiceQuery *query, SluiceHits *hits);
/* Goes to what it found under that title. */
void sluice_page_show_hit (SluicePage *self, const char *title);
/* Goes to a step of the past. FALSE: that is not for this page. */
gboolean sluice_page_show_moment (SluicePage *self, const SluiceKeptMoment *moment);
/* Everything that was asked for is drawn. */
gboolean sluice_page_is_settled (SluicePage *self);
/* Asks for all that is to be printed. Returns: FALSE, and is called again, as long as some of it is
 * still to be read. In the end, also where nothing was printed: sluice_page_end_print(). */
gboolean sluice_page_prepare_print (SluicePage *self);
void sluice_page_end_print (SluicePage *self);
/* Draws one of its sheets of paper, on which @width x @height are pixels of a screen; @cr:
 * (nullable). Returns: how many there are */
guint sluice_page_print (SluicePage *self, cairo_t *cr, guint sheet, double width, double height);
/* (nullable): the tag of the card that somebody chose, for the inspector. */
const char *sluice_page_get_tag (SluicePage *self);
/* Writes what is to be as it was when the workspace is opened again, or takes it up. */
void sluice_page_keep_state (SluicePage *self, GKeyFile *state, gboolean saves);
/* What a test wants to know. (transfer full) (nullable): JSON */
char *sluice_page_dump_state (SluicePage *self);

/* Of what is dumped a member of the object that is open. */
typedef struct _JsonBuilder JsonBuilder;
void sluice_page_dump_int (JsonBuilder *b, const char *name, gint64 value);
void sluice_page_dump_bool (JsonBuilder *b, const char *name, gboolean value);
void sluice_page_dump_string (JsonBuilder *b, const char *name, const char *value);

/* A text that a page keeps, such as the name of what is selected, is another one; both: (nullable).
 * FALSE: it is that one already */
gboolean sluice_page_renew_text (char **text, const char *news);

/* (nullable) (transfer none): what stands in the place of the runs, and of the inspector, while the
 * page is shown and as long as it is visible. */
GtkWidget *sluice_page_get_left (SluicePage *self);
GtkWidget *sluice_page_get_right (SluicePage *self);

/* The pages there are, in the order of their switcher and of Alt+1, Alt+2 … */
typedef struct
{
  const char *name;  /* of the action win.show-page and of --screenshot */
  const char *title; /* to be translated */
  const char *icon;
  const char *help; /* the manual's page about it */
  GType (*get_type) (void);
  const char *state; /* what dump-state calls what it tells */
  const char *over;  /* (nullable): of the switcher, on which this one is pushed */
} SluicePageKind;

#define SLUICE_N_PAGE_KINDS 7
extern const SluicePageKind sluice_page_kinds[SLUICE_N_PAGE_KINDS];
extern const guint sluice_n_page_kinds;

/* "build, graph, charts". (transfer full) */
char *sluice_page_list_names (void);
gboolean sluice_page_exists (const char *name);
