/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/run.h"
#include "engine/store/runs.h"
#include "ui/chart/ticks.h"

/*
 * What there is to say of one run, or of one tag in several runs, taken at one moment. Main thread
 * only; nothing is read from the store, but for where a run was imported from.
 */

/* What a run has logged of a scalar tag. */
typedef struct
{
  char *tag;
  char *run; /* name of the run */
  SluiceUnit unit;
  guint64 n_points; /* whose values are read; 0: none, or nobody shows them: all below is NaN */
  gint64 first_step, last_step;
  double first, last;
  double least, greatest; /* of the finite values; NaN: there is none */
  guint64 n_non_finite;
  double seconds; /* from the first to the last, pauses and all */
  SluiceBest better;
  double best;      /* least or greatest; NaN where it is not known which is better */
  gint64 best_step; /* of a tag alone: the first that has it */
} SluiceTagFacts;

typedef struct
{
  char *name, *value;
  char *others; /* what the other runs of the project have: "0.1, 0.03"; (nullable): the same */
} SluiceSettingFacts;

typedef struct
{
  gint64 id;
  char *name, *project; /* project: (nullable) of an imported run */
  SluiceRunState state;
  char *status;         /* the state in words, as the list of runs says it */
  char *message;        /* (nullable): why it failed */
  gint64 step, n_steps; /* n_steps: 0 where it is not known */
  guint64 seed;
  double started, ended; /* Unix seconds; 0: not yet, or not known */
  double seconds_active; /* of training, pauses left out */
  GPtrArray *settings;   /* of SluiceSettingFacts: those that differ from other runs' first */
  guint n_differing;     /* of them */
  GPtrArray *tags;       /* of SluiceTagFacts: results first, then by name; those with values */
  guint n_other_tags;    /* scalars whose values are not read */
} SluiceRunFacts;

/**
 * sluice_run_facts_new:
 * @runs: of SluiceRun: all of the workspace; those of the same project are what it is compared with
 */
SluiceRunFacts *sluice_run_facts_new (SluiceRun *run, GListModel *runs);
void sluice_run_facts_free (SluiceRunFacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunFacts, sluice_run_facts_free)

/* (transfer full) (nullable): of one tag, with the step of its best value; NULL where the run has
 * no such scalar. */
SluiceTagFacts *sluice_tag_facts_new (SluiceRun *run, const char *tag);
void sluice_tag_facts_free (SluiceTagFacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTagFacts, sluice_tag_facts_free)

/* The last value of a scalar tag; NaN where there is none, or it is not read. */
double sluice_run_get_last_value (SluiceRun *run, const char *tag);
