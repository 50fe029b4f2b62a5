/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/charts/chart-choice.h"
#include "app/workspace.h"

/*
 * A card of the charts page: what the runs that are shown have logged under one tag. Its widget
 * exists while it is near the view; what it shows it can take from the runs again at any time.
 */
typedef struct _SluiceTagCard SluiceTagCard;

/* What a card of one kind of data is: a line of the table in tag-card.c. */
typedef struct
{
  const char *name;
  GtkWidget *(*create) (SluiceTagCard *self);
  /* Has the run something to show here? */
  gboolean (*has) (const SluiceTagCard *self, SluiceRun *run);
  /* Takes what the run has and the widget has not yet. */
  void (*take) (SluiceTagCard *self, SluiceRun *run, gboolean front);
  /* (nullable): after that, once for all runs. */
  void (*taken) (SluiceTagCard *self);
  /* (nullable): somebody points at the run elsewhere; 0: at none. */
  void (*mark) (SluiceTagCard *self, gint64 run);
  /* The run is not to be seen any more, though its curves may be again. */
  void (*hide) (SluiceTagCard *self, gint64 run);
  /* (transfer full): what is shown, in words. */
  char *(*dup_text) (SluiceTagCard *self);
  gboolean shares;  /* runs are shown together; else one at a time */
  guint least_runs; /* that have something for it, or there is no card; 0: one */
  /* (nullable) (transfer full): the card of several tags that this one is of. */
  char *(*dup_name) (const char *tag);
} SluiceTagCardKind;

/* What a widget has of a run. */
typedef struct
{
  guint series;                 /* id in a chart; 0: not there */
  const SluiceSeedGroup *group; /* (nullable): whose curve that is */
  guint n_members;              /* that the curve is of */
  guint n_events;               /* taken */
  guint n_event_restarts;       /* sluice_run_get_n_event_restarts() when they were */
  guint n_items;                /* histograms taken */
  guint64 restart, dropped;     /* SluiceRunSeries.n_restarts and n_dropped when they were */
  GHashTable *by_series; /* (nullable): SluiceRunSeries -> how many were taken of it, or its id */
  SluiceRunSeries *x;    /* (nullable): of scalars: the series that gives the places */
  SluiceColor color;     /* that the run had then */
} SluiceTaken;

struct _SluiceTagCard
{
  const SluiceTagCardKind *kind;
  char *tag; /* of a text: its file's name */
  int rank;  /* of a page's order, before the tag */
  SluiceWorkspace *workspace;
  const SluiceChartChoice *choice; /* the page's */
  GPtrArray *others;               /* of char *: tags of scalars that are drawn too */
  guint n_runs;                    /* of those shown that have the tag */
  guint round;                     /* in which they were counted */
  GtkWidget *widget;               /* (nullable) a SluiceCard */
  GtkWidget *former;               /* (nullable): on it: what it says of an attempt before */
  GHashTable *taken;               /* gint64 run -> SluiceTaken; empty without a widget */
  GHashTable *means;               /* SluiceSeedGroup -> id of its curve */
  gint64 text_run, text_step;      /* of a text: what was asked for last */
  gboolean large;
  double y0, y1; /* of a chart without a widget: the values that somebody chose to see; NaN: all */
};

const SluiceTagCardKind *sluice_tag_card_find_kind (SluiceSeriesKind kind); /* (nullable) */
extern const SluiceTagCardKind sluice_tag_card_text; /* of files that evaluations write */

SluiceTagCard *sluice_tag_card_new (SluiceWorkspace *workspace,
                                    const SluiceTagCardKind *kind,
                                    const char *tag,
                                    const SluiceChartChoice *choice);
void sluice_tag_card_free (gpointer card);

/* Draws the scalars of another tag too, in shades of the runs' colours. */
void sluice_tag_card_join (SluiceTagCard *self, const char *tag);
/* Only its own again. */
void sluice_tag_card_split (SluiceTagCard *self);
/* Are there as many runs as it is made for? */
gboolean sluice_tag_card_is_there (const SluiceTagCard *self);
gboolean sluice_tag_card_is_scalar (const SluiceTagCard *self);
/* What is drawn is named or placed otherwise now: the next update takes it anew. */
void sluice_tag_card_begin_anew (SluiceTagCard *self);

/* (transfer floating): the widget, empty as yet. */
GtkWidget *sluice_tag_card_create (SluiceTagCard *self);
/* The widget goes; values are no longer wanted. */
void sluice_tag_card_drop (SluiceTagCard *self);

/* What the widget has of a run; made where it has nothing. */
SluiceTaken *sluice_tag_card_ensure_taken (SluiceTagCard *self, gint64 run);
/* SluiceTagCardKind.has of most: a series of the tag and the kind. */
gboolean sluice_tag_card_has_series (const SluiceTagCard *self, SluiceRun *run);

/**
 * sluice_tag_card_update:
 * @front: (nullable): the run in front
 *
 * Brings the widget, if there is one, up to date with the runs of the workspace that are shown, and
 * wants their values.
 */
void sluice_tag_card_update (SluiceTagCard *self, SluiceRun *front);

/* Shows which run somebody points at, in any card; 0: none. */
void sluice_tag_card_mark (SluiceTagCard *self, gint64 run);

/* (transfer full): what it shows, in words, "" without a widget. */
char *sluice_tag_card_dup_text (SluiceTagCard *self);

/* Order on a page: what is learnt first, then how weights unfold, the machine last; inside each by
 * tag, numbers in it by their size. */
int sluice_tag_card_compare (const SluiceTagCard *a, const SluiceTagCard *b);
