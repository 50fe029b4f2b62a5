/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib-object.h>

#include "app/run-color.h"
#include "engine/store/store.h"
#include "ui/chart/series-buffer.h"

/* A run as the window shows it: its row, its colour, its series. Main thread only; filled by the
 * workspace. */

/* Items a series holds after it was thinned; an eighth more before. */
#define SLUICE_RUN_MAX_ITEMS 200

/* One series of a run. Of scalars, charts read a summary, and the store; histograms and images wait
   in their lists until the charts page takes them. */
typedef struct
{
  gint64 id, run;
  char *tag;
  SluiceSeriesKind kind;
  SluiceSeriesBuffer *buffer; /* scalars */
  GPtrArray *items;   /* SluiceHistogram or SluiceStoredImage in order of steps, thinned evenly */
  gint64 last_step;   /* G_MININT64: nothing yet */
  guint n_segments;   /* that they are of */
  guint64 n_restarts; /* how often they were cleared */
  guint64 n_dropped;  /* items that were thinned out */
  gboolean wanted;    /* its values are read; set by sluice_workspace_want() */
} SluiceRunSeries;

#define SLUICE_TYPE_RUN (sluice_run_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRun, sluice_run, SLUICE, RUN, GObject)

/**
 * SluiceRun:
 *
 * Properties: name (string), status (string: the state in words, with step or result), state (int,
 * #SluiceRunState), shown (boolean: its curves are drawn). Signal: points-added, after new points
 * of any series.
 */
SluiceRun *sluice_run_new (const SluiceRunInfo *info);
void sluice_run_update (SluiceRun *self, const SluiceRunInfo *info);

const SluiceRunInfo *sluice_run_get_info (SluiceRun *self);
SluiceColor sluice_run_get_color (SluiceRun *self); /* notify::status tells of another one */
gboolean sluice_run_get_shown (SluiceRun *self);
void sluice_run_set_shown (SluiceRun *self, gboolean shown);

/* Of a run then and now: nothing that a window shows of it differs. */
gboolean sluice_run_info_says_same (const SluiceRunInfo *a, const SluiceRunInfo *b);

/* Is there a card for such series, or does the run itself tell what they hold? */
gboolean sluice_run_has_card (SluiceSeriesKind kind);
/* Does the row of a run show values of that series, or does every page ask for them? */
gboolean sluice_run_row_shows (const char *tag);

/* (element-type SluiceRunSeries) (transfer none), sorted by tag. */
GPtrArray *sluice_run_get_series (SluiceRun *self);
guint sluice_run_get_n_series (SluiceRun *self);
/* Those of images among them, in no order: of a million series few are. */
GPtrArray *sluice_run_get_images (SluiceRun *self);
SluiceRunSeries *sluice_run_find_series (SluiceRun *self, const char *tag); /* (nullable) */
SluiceRunSeries *
sluice_run_ensure_series (SluiceRun *self, SluiceStore *store, const SluiceSeriesInfo *info);
void sluice_run_clear_series (SluiceRun *self, SluiceRunSeries *series);
/* Takes what came after all that is there. */
void sluice_run_series_take_items (SluiceRunSeries *self, GPtrArray *items);
/* A point of a series was taken: its time tells when the run stood still. */
void sluice_run_note_time (SluiceRun *self, const SluiceRunSeries *series, double wall);
/* (element-type SluiceSetting) (transfer none): what the run was begun with, in order of names;
 * empty where nothing is recorded, or as long as it is not read. */
GPtrArray *sluice_run_get_settings (SluiceRun *self);
/* (element-type SluiceEvent) (transfer none) */
GPtrArray *sluice_run_get_events (SluiceRun *self);
/* Of the trainer: an evaluation has written a file, whose name it has. Texts have cards. */
#define SLUICE_EVENT_TEXT "text"
/* Takes what came after all that is there, or takes its place. Returns: are there other texts? */
gboolean sluice_run_take_events (SluiceRun *self, GPtrArray *take, gboolean anew);
/**
 * sluice_run_has_former:
 * @last: (out): the step of the series' last value
 * @from: (out): where the run went on
 *
 * A run that was killed goes on at its last checkpoint and does again what came after that. Returns
 * %TRUE until it is there again: the last value is of the attempt before.
 */
gboolean
sluice_run_has_former (SluiceRun *self, SluiceRunSeries *series, gint64 *last, gint64 *from);
/* How often others took the place of those that were there. */
guint sluice_run_get_n_event_restarts (SluiceRun *self);
void sluice_run_points_added (SluiceRun *self);
