/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/launch/launch-form.h"
#include "app/launch/launch-job.h"
#include "app/launch/launch-page.h"
#include "app/launch/launch-row.h"
#include "app/launch/preflight-card.h"
#include "app/launch/queue-view.h"

/* launch-page.c (the page), launch-page-form.c (the settings), launch-page-origin.c (where a run
 * begins), launch-page-start.c (what is asked for, looked at and begun), launch-page-keep.c (what
 * outlives the window). */

/* What settings are read from: a project, or a run that is to be forked. */
typedef struct
{
  char *folder;
  char *title;      /* what its runs are called by: the project's name, or the run's */
  char *project;    /* its name */
  gint64 run, step; /* 0, -1: it is no run */
} SluiceLaunchSource;
void sluice_launch_source_free (SluiceLaunchSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLaunchSource, sluice_launch_source_free)

struct _SluiceLaunchPage
{
  GtkWidget parent;
  GtkBox *box, *bar;
  GtkStack *states;
  AdwStatusPage *failure;
  GtkViewport *viewport;
  GtkLabel *title, *subtitle;
  GtkWidget *away_button, *check_button, *queue_button, *start_button;

  SluicePageContext window;         /* what all pages share */
  const SluicePageContext *context; /* (nullable): the same, as long as there is a window */
  SluiceLaunchForm *form;           /* (nullable): nothing is read */
  SluiceLaunchSource *source;       /* (nullable): what it was read from */
  char *shown;                      /* (nullable): what of the form the rows were made of */
  SluiceLaunchSource *asked;        /* (nullable): what is being read */
  gboolean wants_focus;             /* once it is read */

  GtkBox *settings; /* made anew when the form has changed */
  GPtrArray *rows;  /* of SluiceLaunchRow */
  GtkWidget *name, *reset_all;
  GtkDropDown *origin;
  GPtrArray *origins; /* of Origin in launch-page-origin.c */
  GtkWidget *step_box, *step;
  GtkLabel *origin_problem;
  gint64 wanted_run, wanted_step; /* to begin from, once it is listed; 0: none */
  char *checkpoint;               /* (nullable): a file to begin with */
  GtkWidget *file_box, *file;     /* file: a button that says which, and asks for another one */
  GtkWidget *partly;              /* variables that it lacks keep their initial values */
  GtkLabel *sum, *said;
  GtkWidget *grid, *seed_button, *halve, *halve_box;
  GtkLabel *halve_said;
  SluiceLaunchRow *seed_row; /* (nullable) */

  /* What is asked for. */
  SluiceLaunchVerdict *verdict; /* (nullable): of what is there now */
  guint64 n_runs;
  gboolean is_refused;
  guint timeout;        /* to the check that comes */
  GCancellable *latest; /* (nullable): of the check under way, whose answer counts */
  guint n_jobs;         /* that make runs */

  gint64 draft;         /* the run that keeps what is changed; 0: none */
  char *kept;           /* (nullable): what stands in it, as this window knows */
  GKeyFile *taking;     /* (nullable): a draft, until the form has its rows */
  guint keep_timeout;   /* to what is kept next; 0: all is */
  gboolean is_keeping;  /* in a worker */
  gboolean keeps_again; /* something was changed meanwhile */
  guint n_loads;        /* of drafts */

  SluicePreflightCard *preflight;   /* (nullable) */
  double looked_steps;              /* of the run that it looked at */
  double step_seconds, step_spread; /* as it said; NAN: not */
  SluiceQueueView *queue;           /* (nullable) */
  gint64 n_steps;                   /* as the project says */
};

/* launch-page.c */
void sluice_launch_page_tell (SluiceLaunchPage *self, const char *message);
void sluice_launch_page_read (SluiceLaunchPage *self);
/* The same, if what is to be read is another one than was. */
void sluice_launch_page_follow_source (SluiceLaunchPage *self);
void sluice_launch_page_follow_preflight (SluiceLaunchPage *self);

/* launch-page-form.c */
/* (transfer floating): without settings. */
GtkWidget *sluice_launch_page_make_form (SluiceLaunchPage *self);
/* Of another form: what was changed stays so where it is a setting of that one, too. */
void sluice_launch_page_take_settings (SluiceLaunchPage *self, SluiceLaunchForm *take_form);
void sluice_launch_page_reset (SluiceLaunchPage *self);
/* The one action of a parameter that the graph has no more, and of the inspector's switch. */
void sluice_launch_page_demote (SluiceLaunchPage *self, const char *name);

/* launch-page-origin.c */
GtkWidget *sluice_launch_page_make_origin (SluiceLaunchPage *self);
void sluice_launch_page_list_origins (SluiceLaunchPage *self);
void sluice_launch_page_choose_origin (SluiceLaunchPage *self, gint64 run, gint64 step);
/* What the settings are to be read from: (transfer full) (nullable): no project is open. */
SluiceLaunchSource *sluice_launch_page_new_source (SluiceLaunchPage *self);
/* The checkpoint file that it begins with: (nullable) (transfer none). */
const char *sluice_launch_page_get_file (SluiceLaunchPage *self);
void sluice_launch_page_choose_file (SluiceLaunchPage *self, const char *path, gboolean partly);
/* FALSE: a step was typed that is none. run: (out): 0: none */
gboolean sluice_launch_page_get_origin (SluiceLaunchPage *self, gint64 *run, gint64 *step);

/* launch-page-start.c */
GtkWidget *sluice_launch_page_make_queue (SluiceLaunchPage *self);
/* Something was typed or chosen. */
void sluice_launch_page_changed (SluiceLaunchPage *self);
void sluice_launch_page_update (SluiceLaunchPage *self);
void sluice_launch_page_install_actions (GtkWidgetClass *widget_class);
/* Nothing is being looked at or made. */
gboolean sluice_launch_page_is_idle (SluiceLaunchPage *self);
/* Of one run that is asked for. */
gint64 sluice_launch_page_get_last_step (SluiceLaunchPage *self);
/* (transfer full) (nullable): "3 × 2"; nothing is varied */
char *sluice_launch_page_dup_variety (SluiceLaunchPage *self);
/* As it was before anything was typed. */
void sluice_launch_page_clear (SluiceLaunchPage *self);

/* launch-page-keep.c */
/* Whether there is one to throw away. */
void sluice_launch_page_show_draft (SluiceLaunchPage *self);
/* Soon. */
void sluice_launch_page_keep (SluiceLaunchPage *self);
gboolean sluice_launch_page_is_kept (SluiceLaunchPage *self);
/* self->taking into the form. */
void sluice_launch_page_take_up (SluiceLaunchPage *self);
/* Of the open project, the newest. 0: there is none, or the form has something in it. */
gint64 sluice_launch_page_find_draft (SluiceLaunchPage *self);
void sluice_launch_page_throw_away (SluiceLaunchPage *self);
