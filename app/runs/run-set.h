/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/workspace.h"

/*
 * Which runs of a workspace are looked at: those of the open project and of none (imported ones,
 * and those of other programs), unless somebody checks others or hides some; one of them in front;
 * for a while one alone. What a page shows of runs it asks here. Main thread only.
 */
#define SLUICE_TYPE_RUN_SET (sluice_run_set_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunSet, sluice_run_set, SLUICE, RUN_SET, GObject)

/* Signal: changed, when other runs are shown or another one is in front. */
SluiceRunSet *sluice_run_set_new (SluiceWorkspace *workspace);

/* Of the open project what its runs have as theirs, its folder's name; NULL: none is open, the runs
 * of all projects are shown. */
void sluice_run_set_set_project (SluiceRunSet *self, const char *project);

/* 0: none is chosen, the newest of those shown is in front. A run in front is shown unless it was
 * hidden. */
void sluice_run_set_set_front (SluiceRunSet *self, gint64 run);
gint64 sluice_run_set_get_front (SluiceRunSet *self); /* what was set: the run that is selected */
/* The same of a run that has begun, which nobody chose. */
void sluice_run_set_follow (SluiceRunSet *self, gint64 run);
gboolean sluice_run_set_is_following (SluiceRunSet *self);
/* (nullable) (transfer full): the run in front, one that is shown. */
SluiceRun *sluice_run_set_dup_front (SluiceRunSet *self);
/* (nullable) (transfer full): what it failed with, as it is written down, where it is of the open
 * project and a node is known that did it. */
GError *sluice_run_set_dup_failure (SluiceRunSet *self);

/* Is that run one that somebody selected, or one at work? It decides then what the axes show; else
 * all runs are alike. */
gboolean sluice_run_set_front_leads (SluiceRunSet *self);

/* Checks or hides a run. Ends solo. */
void sluice_run_set_set_checked (SluiceRunSet *self, gint64 run, gboolean checked);
/* Checks @n of them at once; @only: and hides all others. Ends solo. */
void sluice_run_set_check_many (SluiceRunSet *self, const gint64 *runs, guint n, gboolean only);
/* Hides all runs but one. Ends solo. */
void sluice_run_set_isolate (SluiceRunSet *self, gint64 run);
/* Forgets what was checked and hidden: the runs of the open project, or those of all. */
void sluice_run_set_reset (SluiceRunSet *self);
void sluice_run_set_check_all (SluiceRunSet *self);
/* One run alone until solo ends (0); what is checked stays as it was. */
void sluice_run_set_set_solo (SluiceRunSet *self, gint64 run);
gint64 sluice_run_set_get_solo (SluiceRunSet *self);

/* Another number where other runs are shown, or have more series, texts or settings. */
guint64 sluice_run_set_hash (SluiceRunSet *self);
/* How many runs there are that are not shown. */
guint sluice_run_set_get_n_hidden (SluiceRunSet *self);
