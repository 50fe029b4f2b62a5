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
typedef struct _Crew Crew;

typedef struct
{
  SluiceProject *project; /* borrowed */
  SluiceGraph *graph;
  SluiceSession *session;
  const SluiceExamples *examples; /* borrowed; NULL: batches come out of the graph */
  const SluiceExamples *test;     /* borrowed; NULL: no evaluation */
  SluiceDType x_dtype, y_dtype;
  SluiceTensor **feeds;                /* x and y as far as they are fed, then the overrides */
  guint n_feeds, n_batch;              /* n_batch: of x and y */
  SluiceTensor **outputs;              /* of a step under way: its scalars, then the summaries */
  SluiceCallable *step;                /* loss, fetches */
  SluiceCallable *step_with_summaries; /* the same, then summaries; NULL: none */
  SluiceCallable *evaluate;            /* NULL: none */
  guint n_scalars;                     /* loss and fetches */
  SluiceBatches *batches;
  SluiceQueueRunners *runners; /* NULL: none, or not begun */
  SluiceCursor cursor;         /* of the next batch */
  gint64 n_done;               /* steps */
  /* Several train targets: as many asynchronous workers, made at the first step. None begins a
     step once limit have begun. step is the first worker's. */
  guint n_workers;
  SluiceCallable **worker_steps; /* until the crew has them */
  SluiceCallable *summaries;     /* run on their own; NULL: none */
  Crew *crew;
  gint64 limit;
  SluiceSessionOptions host; /* what the machine was given of it; texts are owned */
} Machine;

/* n_cpus: virtual devices; 0: as many as the project says. host (nullable): of whose options those
 * of the machine count (SLUICE_OPTION_MACHINE). */
Machine *machine_new (SluiceProject *project,
                      const SluiceExamples *examples,
                      const SluiceExamples *test,
                      guint n_cpus,
                      const SluiceSessionOptions *host,
                      GError **error);
void machine_free (Machine *self);

/* Of a project whose graph is a SavedModel: its variables' values and its tables; else nothing. */
gboolean machine_restore_saved_model (Machine *self, GError **error);
/* Makes the initial values (those of a SavedModel over what init made), or takes those of a
 * checkpoint file. Then batches come from the cursor
 * on. */
gboolean machine_initialize (Machine *self, GError **error);
/* FALSE with the error that machine_initialize() would meet before it runs anything. */
gboolean machine_check_initialize (Machine *self, GError **error);
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
/* Takes the place of what was in feeds, (array length=n_batch). */
gboolean machine_next_batch (Machine *self, SluiceTensor **feeds, GError **error);
/* outputs: room for what the step fetches; what comes after the scalars is left there. */
gboolean machine_run_step (Machine *self,
                           SluiceCallable *step,
                           SluiceTensor *const *feeds,
                           SluiceTensor **outputs,
                           double *scalars,
                           const SluiceRunOptions *options,
                           GError **error);
/* Steps that asynchronous workers have begun and machine_step() has not returned. */
guint machine_get_n_under_way (Machine *self);

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
/* The strings of an edge, one a line; fed nothing. (transfer full) */
char *machine_read_text (Machine *self,
                         const char *edge,
                         const SluiceRunOptions *options,
                         GError **error);
/* Runs n steps with nothing logged. */
gboolean machine_replay (Machine *self, gint64 n, const SluiceRunOptions *options, GError **error);
