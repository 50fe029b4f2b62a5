/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/train/data.h"
#include "engine/train/queue-runners.h"
#include "engine/train/trainer.h"

typedef struct _SluiceAsyncWorkers SluiceAsyncWorkers;

/*
 * A replica of a project's model: graph, session, data and the callables of a step. The trainer has
 * one; when a loss is not finite it makes another and runs it up to that step again, to find the
 * node that began it.
 */
typedef struct
{
  SluiceProject *project; /* borrowed */
  SluiceGraph *graph;
  SluiceSession *session;
  const SluiceExamples *examples; /* borrowed; NULL: batches come out of the graph */
  const SluiceExamples *test;     /* borrowed; NULL: no evaluation */
  SluiceDType x_dtype, y_dtype;
  SluiceTensor **feeds;                /* x and y as far as they are fed, then the parameters */
  gboolean is_refitted;                /* since then steps are not what fit_seen says */
  GHashTable *fit_seen;                /* (nullable): what kernels took before */
  guint n_feeds, n_batch;              /* n_batch: of x and y */
  SluiceTensor **outputs;              /* of a step under way: its scalars, then the summaries */
  SluiceCallable *step;                /* loss, fetches */
  SluiceCallable *step_with_summaries; /* the same, then summaries; NULL: none */
  SluiceCallable *evaluate;            /* NULL: none */
  guint n_scalars;                     /* loss and fetches */
  SluiceDataBatches *batches;
  SluiceQueueRunners *runners; /* NULL: none, or not begun */
  SluiceDataCursor cursor;     /* of the next batch */
  GArray *sent, *sent_next; /* (nullable): this batch and the next, held on devices with memory of
                               their own */
  gboolean has_run;
  gint64 n_done;      /* steps */
  GArray *fed;        /* of SluiceOverride, its texts borrowed: parameters as they are fed */
  gint64 next_change; /* they are looked at again once so many steps are done */
  GArray *injected;   /* (nullable): replica-inject.c */
  /* Several train targets: as many asynchronous workers, made at the first step. None begins a
     step once limit have begun. step is the first worker's. */
  guint n_workers;
  SluiceCallable **worker_steps; /* until the workers have them */
  SluiceCallable *summaries;     /* run on their own; NULL: none */
  SluiceAsyncWorkers *workers;
  gint64 limit;
  SluiceSessionOptions host; /* what the replica was given of it; texts are owned */
} SluiceReplica;

/* n_cpus: virtual devices; 0: as many as the project says. host (nullable): of whose options those
 * of the machine count (SLUICE_OPTION_MACHINE). */
SluiceReplica *sluice_replica_new (SluiceProject *project,
                                   const SluiceExamples *examples,
                                   const SluiceExamples *test,
                                   guint n_cpus,
                                   const SluiceSessionOptions *host,
                                   GError **error);
/* The same with another graph than the project's. */
SluiceReplica *sluice_replica_new_of (SluiceProject *project,
                                      SluiceGraph *take_graph,
                                      const SluiceExamples *examples,
                                      const SluiceExamples *test,
                                      guint n_cpus,
                                      const SluiceSessionOptions *host,
                                      GError **error);
void sluice_replica_free (SluiceReplica *self);
/* "CPU:0, CPU:1". (transfer full) */
char *sluice_replica_dup_devices (const SluiceReplica *self);

/* Of a project whose graph is a SavedModel: its variables' values and its tables; else nothing. */
gboolean sluice_replica_restore_saved_model (SluiceReplica *self, GError **error);
/* Makes the initial values (those of a SavedModel over what init made), or takes those of a
 * checkpoint file. Then batches come from the cursor
 * on. */
gboolean sluice_replica_initialize (SluiceReplica *self, GError **error);
/* FALSE with the error that sluice_replica_initialize() would meet before it runs anything. */
gboolean sluice_replica_check_initialize (SluiceReplica *self, GError **error);
gboolean sluice_replica_restore (SluiceReplica *self, const char *path, GError **error);
/* Which variables keep what they have. */
typedef enum
{
  SLUICE_TAKE_ALL,   /* none */
  SLUICE_TAKE_THERE, /* those that the checkpoint lacks */
  SLUICE_TAKE_FIT,   /* and those that it has in another shape or type */
} SluiceTake;
/**
 * sluice_replica_take_values:
 *
 * After sluice_replica_initialize(): variables take the values of that name from a checkpoint of
 * any format. NOT_FOUND lists all that the checkpoint lacks, with similar names, and all that do
 * not fit; so does a checkpoint of which nothing fits.
 *
 * Returns: FALSE: no variable has changed
 */
gboolean sluice_replica_take_values (SluiceReplica *self,
                                     const char *path,
                                     SluiceTake which,
                                     GError **error);
/**
 * sluice_replica_carry:
 * @from: of the same project with another graph
 *
 * After sluice_replica_initialize(): stands where the other one does. Variables of the same name,
 * dtype and shape have its values, random streams go on, the data's next batch is the same; the
 * other variables keep what they have.
 */
gboolean sluice_replica_carry (SluiceReplica *self,
                               SluiceReplica *from,
                               guint *n_kept,
                               guint *n_new,
                               guint *n_dropped,
                               GError **error);
/* (transfer full) (element-type SluiceNamedTensor) (nullable): as a checkpoint names them, sorted
 * by container and name, in memory that the host reaches: RESOURCE_EXHAUSTED where there is none.
 * They change with the next step. */
GArray *sluice_replica_dup_variables (SluiceReplica *self, GError **error);
/* What a checkpoint holds beside the variables, as JSON: step, cursor of the input, random streams.
 * (transfer full) */
char *sluice_replica_dup_state (SluiceReplica *self, GError **error);
gboolean sluice_replica_save (SluiceReplica *self, const char *path, gsize *bytes, GError **error);

/* Starts the graph's queue runners, and ends them. A step that fails after one of them did fails of
 * that. */
gboolean sluice_replica_begin_input (SluiceReplica *self, GError **error);
void sluice_replica_end_input (SluiceReplica *self);
/* Takes the place of what was in feeds, (array length=n_batch). */
gboolean sluice_replica_next_batch (SluiceReplica *self, SluiceTensor **feeds, GError **error);
/* outputs: room for what the step fetches; what comes after the scalars is left there. */
gboolean sluice_replica_run_step (SluiceReplica *self,
                                  SluiceCallable *step,
                                  SluiceTensor *const *feeds,
                                  SluiceTensor **outputs,
                                  double *scalars,
                                  const SluiceRunOptions *options,
                                  GError **error);
/* Steps that asynchronous workers have begun and sluice_replica_step() has not returned. */
guint sluice_replica_get_n_under_way (SluiceReplica *self);

/**
 * sluice_replica_obey_changes:
 *
 * Promoted parameters get the values that the project's changes give them at this step; each step
 * does it before it begins. Callables are made anew where one is fed that was not, or the other way
 * round. FALSE: all is as it was.
 */
gboolean sluice_replica_obey_changes (SluiceReplica *self, GError **error);
/* The project has other changes, or the replica stands at another step. */
void sluice_replica_forget_changes (SluiceReplica *self);

/**
 * sluice_replica_inject:
 * @value: (nullable): as sluice_value_change() takes it, of what the edge had in the last step, or
 *   "now": that very value, so that a batch is trained on again and again; %NULL: the edge has what
 *   the graph makes again
 *
 * The edge has that value in each step that follows. Nothing of it is saved.
 *
 * Returns: %FALSE: all is as it was. FAILED_PRECONDITION where no step has run
 */
gboolean
sluice_replica_inject (SluiceReplica *self, const char *edge, const char *value, GError **error);
/* Has the values that another one was given, under the names that their edges have in this graph;
 * one whose edge is gone, or is of another kind now, is left out. Returns: "EDGE VALUE" of each, as
 * they were given. (transfer full) */
char **sluice_replica_carry_injected (SluiceReplica *self, const SluiceReplica *from);

/**
 * sluice_replica_step:
 * @scalars: (array length=n_scalars): loss first
 * @summary: (out) (nullable): NULL: without summaries; (transfer full)
 */
gboolean sluice_replica_step (SluiceReplica *self,
                              double *scalars,
                              SluiceTensor **summary,
                              const SluiceRunOptions *options,
                              GError **error);
/* Means over the held-out split, or its first examples: most; 0: all. values: one an entry of
 * project->evaluate. */
gboolean sluice_replica_evaluate (SluiceReplica *self,
                                  gint64 most,
                                  double *values,
                                  const SluiceRunOptions *options,
                                  GError **error);
/* The strings of an edge, one a line; fed nothing. (transfer full) */
char *sluice_replica_read_text (SluiceReplica *self,
                                const char *edge,
                                const SluiceRunOptions *options,
                                GError **error);
/* Runs n steps with nothing logged. */
gboolean sluice_replica_replay (SluiceReplica *self,
                                gint64 n,
                                const SluiceRunOptions *options,
                                GError **error);
