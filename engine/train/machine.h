/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/train/data.h"
#include "engine/train/queue-runners.h"
#include "engine/train/trainer.h"

/*
 * What can run a project: graph, session, data and the callables of a step. The trainer has one;
 * when a loss is not finite it makes another and runs it up to that step again, to find the node
 * that began it.
 */
typedef struct
{
  SluiceProject *project; /* borrowed */
  SluiceGraph *graph;
  SluiceSession *session;
  const SluiceExamples *examples; /* borrowed; NULL: batches come out of the graph */
  const SluiceExamples *test;     /* borrowed; NULL: no evaluation */
  SluiceDType x_dtype, y_dtype;
  SluiceTensor **feeds; /* x, y where there are examples, then the overrides */
  guint n_feeds;
  SluiceTensor **outputs;              /* of a step under way: its scalars, then the summaries */
  SluiceCallable *step;                /* loss, fetches */
  SluiceCallable *step_with_summaries; /* the same, then summaries; NULL: none */
  SluiceCallable *evaluate;            /* NULL: none */
  guint n_scalars;                     /* loss and fetches */
  SluiceBatches *batches;
  SluiceQueueRunners *runners; /* NULL: none, or not begun */
  SluiceCursor cursor;         /* of the next batch */
  gint64 n_done;               /* steps */
} Machine;

Machine *machine_new (SluiceProject *project,
                      const SluiceExamples *examples,
                      const SluiceExamples *test,
                      guint n_cpus,
                      GError **error);
void machine_free (Machine *self);

/* Makes the initial values, or takes those of a checkpoint file. Then batches come from the cursor
 * on. */
gboolean machine_initialize (Machine *self, GError **error);
gboolean machine_restore (Machine *self, const char *path, GError **error);
/**
 * machine_take_values:
 * @partly: variables that the checkpoint lacks keep what they have
 *
 * After machine_initialize(): variables take the values of that name from a checkpoint of any
 * format. NOT_FOUND lists all that the checkpoint lacks, with near names, and all that do not fit.
 *
 * Returns: FALSE: no variable has changed
 */
gboolean machine_take_values (Machine *self, const char *path, gboolean partly, GError **error);
gboolean machine_save (Machine *self, const char *path, gsize *bytes, GError **error);

/* Starts the graph's queue runners, and ends them. A step that fails after one of them did fails of
 * that. */
gboolean machine_begin_input (Machine *self, GError **error);
void machine_end_input (Machine *self);

/**
 * machine_step:
 * @scalars: (array length=n_scalars): loss first
 * @summary: (out) (nullable): NULL: without summaries; (transfer full)
 */
gboolean machine_step (Machine *self,
                       double *scalars,
                       SluiceTensor **summary,
                       const SluiceRunOptions *options,
                       GError **error);
/* Means over the held-out split; values: one an entry of project->evaluate. */
gboolean
machine_evaluate (Machine *self, double *values, const SluiceRunOptions *options, GError **error);
/* Runs n steps with nothing logged. */
gboolean machine_replay (Machine *self, gint64 n, const SluiceRunOptions *options, GError **error);
