/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/sweep-runs.h"

/* What a launch form asks for: one run or a sweep, of a project as it stands or of another run's
 * state at a step. No GTK; in a worker. */
typedef struct
{
  char *folder;               /* of the project, or of the run to begin from */
  char **assignments;         /* KEY=VALUE that are otherwise than the project's */
  char **values;              /* KEY=VALUES that are varied; none: one run */
  char *name;                 /* (nullable): the title, or a free one */
  char *title;                /* what runs of a sweep are called by */
  gboolean halves;            /* the worse half of a sweep is stopped early */
  gint64 parent, parent_step; /* the run to begin from; 0: none */
  char *checkpoint;           /* (nullable): a file to begin with */
  gboolean partly;            /* variables that it lacks keep their initial values */
  char **needs;               /* KEY=VALUE as sluice_queue_needs_set() has them */
  gboolean is_next;           /* before all others that wait */
} SluiceLaunchJob;
void sluice_launch_job_free (SluiceLaunchJob *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLaunchJob, sluice_launch_job_free)

/* Of what would be: nothing is made. */
typedef struct
{
  guint n_runs;
  char *repeated; /* (nullable): the run that it would repeat */
  char *rungs;    /* (nullable): in words, where it halves: "500 and 1 000" */
  double part;    /* of the steps of all runs, where it halves; else 1 */
  char *metric;   /* (nullable): by which */
  char *name;     /* (nullable): what is given where none is; of a sweep a pattern */
} SluiceLaunchVerdict;
void sluice_launch_verdict_free (SluiceLaunchVerdict *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLaunchVerdict, sluice_launch_verdict_free)

/* (transfer full) (nullable): one of its settings is refused */
SluiceLaunchVerdict *
sluice_launch_job_check (const SluiceLaunchJob *self, SluiceStore *store, GError **error);

/* What it is said to need; device: borrowed from it. */
gboolean
sluice_launch_job_get_needs (const SluiceLaunchJob *self, SluiceQueueNeeds *needs, GError **error);

/**
 * sluice_launch_job_enqueue:
 * @n_added: (out): that wait now: all of them or none
 */
gboolean sluice_launch_job_enqueue (const SluiceLaunchJob *self,
                                    SluiceStore *store,
                                    guint *n_added,
                                    GError **error);
