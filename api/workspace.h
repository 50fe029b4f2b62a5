/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "api/tensor.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

G_BEGIN_DECLS

/**
 * SluiceWorkspace:
 *
 * A folder of runs: what was trained there, what waits for its turn, and all that was recorded. Any
 * number of threads and programs may use one at once. Counted.
 *
 * A run is named by its name, by its number, or by "#" and its number.
 */
typedef struct _SluiceStore SluiceWorkspace;

#define SLUICE_TYPE_WORKSPACE (sluice_workspace_get_type ())
GType sluice_workspace_get_type (void) G_GNUC_CONST;

/* What a boxed type is copied and freed with: one more reference, one less. */
SluiceWorkspace *sluice_workspace_share (SluiceWorkspace *self);
void sluice_workspace_release (SluiceWorkspace *self);

/**
 * sluice_workspace_open: (constructor)
 * @path: (type filename): a folder; made where it is missing
 * @error: return location
 *
 * Returns: (transfer full): the workspace; %NULL with PERMISSION_DENIED, FAILED_PRECONDITION (of a
 *   newer version, or another program's), UNAVAILABLE (held by another program), DATA_LOSS or
 *   RESOURCE_EXHAUSTED
 */
SluiceWorkspace *sluice_workspace_open (const char *path, GError **error);

/**
 * sluice_workspace_open_to_read: (constructor)
 * @path: (type filename): a folder that is a workspace
 * @error: return location
 *
 * Nothing is made or changed there, and what would change it fails.
 *
 * Returns: (transfer full): the workspace; %NULL with NOT_FOUND where there is none, and as
 *   sluice_workspace_open()
 */
SluiceWorkspace *sluice_workspace_open_to_read (const char *path, GError **error);

/**
 * sluice_workspace_get_path:
 * @self: a workspace
 *
 * Returns: (type filename): its folder
 */
const char *sluice_workspace_get_path (SluiceWorkspace *self);

/**
 * sluice_workspace_dup_runs:
 * @self: a workspace
 * @filter: (nullable): which runs, as `sluice runs --filter` takes it: "lr<0.1 tag:lenet
 *   group:digits-1"; none: all
 * @error: return location
 *
 * The table of runs. What is null in `sluice runs --json` is a maybe without a value, and numbers
 * that JSON has not are numbers.
 *
 * Returns: (transfer full): aa{sv}, newest first, with the keys of `sluice runs --json`; %NULL with
 *   INVALID_ARGUMENT, which says what is wrong with which term of the filter
 */
GVariant *sluice_workspace_dup_runs (SluiceWorkspace *self, const char *filter, GError **error);

/**
 * sluice_workspace_dup_table:
 * @self: a workspace
 * @filter: (nullable): as of sluice_workspace_dup_runs()
 * @error: return location
 *
 * The same table by columns, in as many elements as there are runs: what is said of a run, its
 * settings, of each tag the last value and ("TAG/best") the best one. A name that is taken has
 * "settings/" or "results/" before it. A column is "ax" or "ab" where each run has its number or
 * truth value, "ad" of numbers, where NaN is none, "(asab)" of texts and whether they are there,
 * else "amv".
 *
 * Returns: (transfer full): a{sv} of columns by name, in their order; %NULL with INVALID_ARGUMENT
 */
GVariant *sluice_workspace_dup_table (SluiceWorkspace *self, const char *filter, GError **error);

/**
 * sluice_workspace_dup_tags:
 * @self: a workspace
 * @run: a run
 * @error: return location
 *
 * Returns: (transfer full) (array zero-terminated=1): tags that sluice_workspace_dup_points()
 * takes, sorted; %NULL with NOT_FOUND and the nearest run
 */
char **sluice_workspace_dup_tags (SluiceWorkspace *self, const char *run, GError **error);

/**
 * sluice_workspace_dup_points:
 * @self: a workspace
 * @run: a run
 * @tag: of a series of scalars: "loss"
 * @steps: (out) (transfer full): of int64, rising
 * @walls: (out) (transfer full): of double, seconds since 1970
 * @values: (out) (transfer full): of double
 * @error: return location
 *
 * All points of a series, side by side.
 *
 * Returns: (skip): %FALSE with NOT_FOUND and the nearest run or tag
 */
gboolean sluice_workspace_dup_points (SluiceWorkspace *self,
                                      const char *run,
                                      const char *tag,
                                      SluiceTensor **steps,
                                      SluiceTensor **walls,
                                      SluiceTensor **values,
                                      GError **error);

/**
 * sluice_workspace_launch:
 * @self: a workspace
 * @project: (type filename): the folder of a project
 * @settings: (array zero-terminated=1) (nullable): "KEY=VALUE", where KEY is one of project.ini, as
 *   "steps" or "train.batch", or a promoted parameter
 * @options: (nullable): a dictionary a{sv}: "name" (of the run; the project's), "group", "after" (a
 *   run that is to finish first)
 * @error: return location
 *
 * Makes a run that waits in the queue, its project frozen.
 *
 * Returns: (transfer full): its name; %NULL with NOT_FOUND or INVALID_ARGUMENT, which name the
 *   project, setting or option, and nothing is made
 */
char *sluice_workspace_launch (SluiceWorkspace *self,
                               const char *project,
                               const char *const *settings,
                               GVariant *options,
                               GError **error);

/**
 * sluice_workspace_sweep:
 * @self: a workspace
 * @project: (type filename): the folder of a project
 * @values: (array zero-terminated=1): what is varied, "KEY=VALUES": "batch=32,64", or a range as
 *   "learning-rate=0.001..0.1", "…/5" (so many points), "…:log" (equal factors)
 * @settings: (array zero-terminated=1) (nullable): "KEY=VALUE" of all runs
 * @options: (nullable): a dictionary a{sv}: "method" ("grid", "random", "asha": worse ones are
 *   dropped early), "trials" (so many), "seed" (of what is drawn, 1), "metric" (a tag), "direction"
 *   ("min", "max"), "one-of" and "first-rung" (of asha), "group" (its name)
 * @error: return location
 *
 * Makes a group of runs that wait in the queue, one for each trial.
 *
 * Returns: (transfer full) (array zero-terminated=1): their names, in order; %NULL with NOT_FOUND
 *   or INVALID_ARGUMENT, which name the project, value or option, and nothing is made
 */
char **sluice_workspace_sweep (SluiceWorkspace *self,
                               const char *project,
                               const char *const *values,
                               const char *const *settings,
                               GVariant *options,
                               GError **error);

/**
 * sluice_workspace_fork:
 * @self: a workspace
 * @run: a run
 * @step: where the fork begins
 * @settings: (array zero-terminated=1) (nullable): "KEY=VALUE", what is to be different
 * @options: (nullable): a dictionary a{sv}: "name" (the run's and the step), "after" (a run that is
 *   to finish first), "accept-changed-data" (boolean)
 * @error: return location
 *
 * Makes a run that waits in the queue and begins where the other one stood at a step. Steps that
 * it has no checkpoint of are computed again first.
 *
 * Returns: (transfer full): its name; %NULL with OUT_OF_RANGE where the run has not come so far,
 *   FAILED_PRECONDITION where data have changed, and as sluice_workspace_launch()
 */
char *sluice_workspace_fork (SluiceWorkspace *self,
                             const char *run,
                             gint64 step,
                             const char *const *settings,
                             GVariant *options,
                             GError **error);

/**
 * sluice_workspace_train:
 * @self: a workspace
 * @group: (nullable): only its runs
 * @jobs: so many runs at a time
 * @cancellable: (nullable): runs under way are saved and wait again
 * @error: return location
 *
 * Trains what waits until nothing does, and blocks. Runs that other programs train are waited for.
 *
 * Returns: how many of the runs failed; -1 with CANCELLED, or with what keeps all of them from
 *   being trained (a full disk, a queue that is paused)
 */
int sluice_workspace_train (SluiceWorkspace *self,
                            const char *group,
                            guint jobs,
                            GCancellable *cancellable,
                            GError **error);

/**
 * sluice_workspace_control:
 * @self: a workspace
 * @run: a run that is at work, in any program
 * @verb: "pause", "go", "step", "checkpoint", "stop" or "set"
 * @argument: (nullable): of "set" "KEY=VALUE"; of "step" how many
 * @patience: seconds that the step under way may take
 * @error: return location
 *
 * Asks something of a run, which does it at the end of its step under way, and waits for the
 * answer. A setting that is changed counts from that step on, as if the run had been begun with
 * that change planned.
 *
 * Returns: (transfer full): a{sv} with the keys of `sluice control --json`; %NULL with
 *   FAILED_PRECONDITION where nobody trains the run or it refuses, DEADLINE_EXCEEDED, or ABORTED
 *   where its program went away: it is not done later
 */
GVariant *sluice_workspace_control (SluiceWorkspace *self,
                                    const char *run,
                                    const char *verb,
                                    const char *argument,
                                    double patience,
                                    GError **error);

/**
 * sluice_workspace_reproduce:
 * @self: a workspace
 * @run: a run
 * @from: a step with a checkpoint, 0 for the start; -1: where the run began
 * @n_steps: so many; 0: to the end
 * @cancellable: (nullable): to give up
 * @error: return location
 *
 * Trains a run again and compares all that was recorded of it, bit for bit. It takes as long as the
 * training did.
 *
 * Returns: (transfer full): a{sv} with the keys of `sluice reproduce --json`; %NULL where it could
 *   not be tried: NOT_FOUND, FAILED_PRECONDITION (asynchronous workers make each run another one),
 *   CANCELLED
 */
GVariant *sluice_workspace_reproduce (SluiceWorkspace *self,
                                      const char *run,
                                      gint64 from,
                                      gint64 n_steps,
                                      GCancellable *cancellable,
                                      GError **error);

/**
 * sluice_workspace_diff:
 * @self: a workspace
 * @runs: (array zero-terminated=1): two or more
 * @error: return location
 *
 * What differs between runs, and whether what came of them differs by more than seeds do.
 *
 * Returns: (transfer full): a{sv} with the keys of `sluice runs diff --json`; %NULL with NOT_FOUND
 *   and the nearest run, or INVALID_ARGUMENT where there is only one
 */
GVariant *sluice_workspace_diff (SluiceWorkspace *self, const char *const *runs, GError **error);

G_END_DECLS

SLUICE_PUBLIC_END
