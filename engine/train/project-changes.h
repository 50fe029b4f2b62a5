/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/*
 * Settings that become otherwise while a run is at work, planned or as somebody asked: once STEP
 * steps are done KEY is VALUE. In project.ini they are the group [changes]:
 *
 *   100=learning-rate=0.01;keep-last=3
 *
 * What the other groups say is what holds before the first of them. So a run's folder says what
 * held at each step, and a run with a planned change is the same run, bit for bit, as one that was
 * changed at that step.
 */
typedef struct
{
  gint64 step;
  char *key;   /* of [train], or a promoted parameter */
  char *value; /* a number, as it was written */
} SluiceSettingChange;

/* Of keys that say what a trainer does between steps. */
typedef struct
{
  gint64 n_steps, checkpoint_every, summary_every, evaluate_every;
  gint64 keep_last, keep_best, keep_every;
} SluiceSchedule;

/* What may change at a step, as words: "steps, checkpoint-every, …". (transfer full) */
char *sluice_project_list_changeable (const SluiceProject *self);

/**
 * sluice_project_change:
 * @assignment: "learning-rate=0.01"
 *
 * Plans a change, behind those of that step. NOT_FOUND: no such key; FAILED_PRECONDITION: one that
 * needs a restart. What the graph says to a parameter's value is not known here.
 */
gboolean
sluice_project_change (SluiceProject *self, gint64 step, const char *assignment, GError **error);
/* The same of "STEP:KEY=VALUE". */
gboolean sluice_project_plan (SluiceProject *self, const char *text, GError **error);
/* Takes back the last one of a step. */
void sluice_project_unchange (SluiceProject *self, gint64 step);

/* What holds once so many steps are done. */
void sluice_project_get_schedule (const SluiceProject *self, gint64 step, SluiceSchedule *schedule);
/* FALSE: nothing was said, the graph's own value holds. */
gboolean sluice_project_get_parameter (const SluiceProject *self,
                                       const char *name,
                                       gint64 step,
                                       double *value);
/* The least step of a change after that one; G_MAXINT64: there is none. */
gint64 sluice_project_next_change (const SluiceProject *self, gint64 step);
/* What key was before a change, as text: of this project or (graph not NULL) a constant of it.
 * (transfer full) (nullable): the graph's own value, which it computes. */
char *sluice_project_dup_before (const SluiceProject *self, guint change, SluiceGraph *graph);
/* The value that a promoted parameter has in the graph, where that is a constant of one number.
 * (transfer full) (nullable): there is none, or no such edge */
char *sluice_project_dup_constant (SluiceGraph *graph, const char *edge);
/**
 * sluice_project_go_on_at:
 * @before: as the run was until then
 *
 * A run goes on at that step with other settings than it had: what differs of what may change at a
 * step becomes a change of that step, so that what held before is still told.
 */
void sluice_project_go_on_at (SluiceProject *self, const SluiceProject *before, gint64 step);
/* It is to begin there: changes up to that step become its settings. */
void sluice_project_begin_at (SluiceProject *self, gint64 step);
