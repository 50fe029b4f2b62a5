/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/queue.h"
#include "engine/train/run-edit.h"

/* How the controller's next trainer comes to be, for a worker's thread. */
typedef struct
{
  SluiceStore *store;
  char *folder;
  char *resume;    /* (nullable) */
  char *init_from; /* (nullable): a checkpoint that a new run begins with */
  gboolean init_partly;
  char *device;      /* (nullable): where nodes of a new run stand that ask for none */
  char *name;        /* (nullable): of a new run */
  GStrv assignments; /* (nullable): what of the project a new run has otherwise */
  char *repeated;    /* (nullable): what came of it: the run whose numbers it will repeat */
  gint64 from_step;  /* -1: the newest checkpoint's */
  gboolean accept_data;
  gboolean audits;                  /* a run that goes on first takes a step of its past again */
  gboolean has_changed_data;        /* what came of it */
  gint64 parent, parent_step;       /* of a run that is forked; 0: it is not */
  GBytes *graph;                    /* (nullable): with which the resumed run goes on */
  char *words;                      /* (nullable): what was done to it */
  gboolean takes_back;              /* the last edit of the resumed run */
  SluiceGraphEdited edited;         /* what came of it */
  GError *edit_failure;             /* (nullable): the same: it is paused where it stood */
  gboolean takes;                   /* the next run of the queue */
  SluiceQueueClaim claim;           /* what came of it */
  const char *const *allowed_files; /* (nullable): as SluiceTrainerOptions */
  gboolean runs_commands;
} SluiceStartTask;

/* folder: (nullable) */
SluiceStartTask *sluice_start_task_new (SluiceStore *store, const char *folder);
void sluice_start_task_free (SluiceStartTask *self);
/* Does it edit the graph of a run, or take that back? */
gboolean sluice_start_task_edits (const SluiceStartTask *self);
/* (transfer full) (nullable) */
SluiceTrainer *sluice_start_task_run (SluiceStartTask *self, GError **error);
/* The next run of the queue that may begin. (transfer full) (nullable): error need not be set */
SluiceTrainer *sluice_start_task_take (SluiceStartTask *self, GError **error);
