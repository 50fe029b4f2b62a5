/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "api/graph.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

G_BEGIN_DECLS

/**
 * SluiceSession:
 *
 * Devices, variables and other resources, and one graph that only grows. Any number of threads may
 * run at once.
 */
typedef struct _SluiceSession SluiceSession;

#define SLUICE_TYPE_SESSION (sluice_session_get_type ())
GType sluice_session_get_type (void) G_GNUC_CONST;

/**
 * sluice_session_open: (constructor)
 * @options: (nullable): a dictionary a{sv}: "cpus" (virtual CPU devices, 1), "nulls" (devices that
 *   compute nothing, 0), "memory-limit" (bytes of each CPU device; 0: none), "fit" (bytes of
 *   each device that a step is fitted into; 0: none), "seed" (of random nodes that have none; 0:
 *   from the system), "max-iterations" (of a loop; 0: no limit),
 *   "reference-kernels", "nan-guard", "truncate-transfers" (of floats between devices), "ordered"
 *   (what the graph leaves without an order), "recompute" (cheap values instead of keeping them)
 *   (booleans, false), "soft-placement" (devices that are not here are replaced), "optimize",
 *   "fusion" (of element-wise nodes), "keep-waiting" (a run that waits, say for a queue, while no
 * run does anything logs what it waits for and goes on waiting, as another thread may begin a run;
 * else it fails with DEADLINE_EXCEEDED) (booleans, true)
 * @error: return location
 *
 * Returns: (transfer full): a session with an empty graph; %NULL with INVALID_ARGUMENT for an
 * option that there is not
 */
SluiceSession *sluice_session_open (GVariant *options, GError **error);

/**
 * sluice_session_open_beside:
 * @other: a session
 * @options: (nullable): as sluice_session_open() has them
 * @error: return location
 *
 * A session with a graph and devices of its own that shares the variables, queues and other
 * resources of another: what has one name in one container is one thing for both.
 *
 * Returns: (transfer full): as sluice_session_open()
 */
SluiceSession *sluice_session_open_beside (SluiceSession *other, GVariant *options, GError **error);

/**
 * sluice_session_open_like:
 * @other: a session
 * @options: (nullable): as sluice_session_open() has them: "seed", "max-iterations" and
 *   "keep-waiting"; the rest is as of @other
 * @error: return location
 *
 * A session with the graph and the plans of another, and variables, random numbers, memory and
 * trace of its own: what one has run before, the other runs at once. A graph that is added to
 * either is added to both.
 *
 * Returns: (transfer full): the session; %NULL with INVALID_ARGUMENT for another option
 */
SluiceSession *sluice_session_open_like (SluiceSession *other, GVariant *options, GError **error);

/**
 * sluice_session_reset:
 * @self: a session
 * @containers: (array zero-terminated=1) (nullable): names of containers; none or an empty list:
 * the default container
 *
 * Drops what lies in the containers, for every session that shares them: variables have to be
 * initialised again. Steps under way keep what they hold. As TensorFlow's Session.reset().
 */
void sluice_session_reset (SluiceSession *self, const char *const *containers);

/**
 * sluice_session_add_graph:
 * @self: a session
 * @graph: its nodes that the session has not seen are added; it is the same graph as before, grown
 * @error: return location
 *
 * Returns: %FALSE where the back edge of a loop does not fit its Merge
 */
gboolean sluice_session_add_graph (SluiceSession *self, SluiceGraph *graph, GError **error);

/**
 * sluice_session_run_step:
 * @self: a session
 * @feeds: (array zero-terminated=1) (nullable): edges that get a value
 * @values: (array length=n_values) (nullable): one a feed
 * @n_values: how many
 * @fetches: (array zero-terminated=1) (nullable): edges whose value is wanted
 * @targets: (array zero-terminated=1) (nullable): nodes to run beside them
 * @cancellable: (nullable): ends the step with CANCELLED
 * @n_outputs: (out): as many as there are fetches
 * @error: return location
 *
 * Runs one step and blocks until it is done. White paper 2, "Sessions".
 *
 * Returns: (transfer full) (array length=n_outputs): the values of @fetches; %NULL with the first
 *   error of the step
 */
SluiceTensor **sluice_session_run_step (SluiceSession *self,
                                        const char *const *feeds,
                                        SluiceTensor *const *values,
                                        gsize n_values,
                                        const char *const *fetches,
                                        const char *const *targets,
                                        GCancellable *cancellable,
                                        gsize *n_outputs,
                                        GError **error);

/**
 * SluicePartialRun:
 *
 * A step that is fed and fetched from in several calls.
 */
typedef struct _SluicePartialRun SluicePartialRun;

#define SLUICE_TYPE_PARTIAL_RUN (sluice_partial_run_get_type ())
GType sluice_partial_run_get_type (void) G_GNUC_CONST;

/**
 * sluice_session_begin_partial_run:
 * @self: a session
 * @feeds: (array zero-terminated=1) (nullable): edges that will get a value
 * @fetches: (array zero-terminated=1) (nullable): edges whose value will be wanted
 * @targets: (array zero-terminated=1) (nullable): nodes to run beside them
 * @cancellable: (nullable): ends the step with CANCELLED
 * @error: return location
 *
 * Begins a step that sluice_partial_run_part_step() feeds, as TensorFlow's partial_run_setup.
 *
 * Returns: (transfer full): the step; its last reference cancels it where it has not ended
 */
SluicePartialRun *sluice_session_begin_partial_run (SluiceSession *self,
                                                    const char *const *feeds,
                                                    const char *const *fetches,
                                                    const char *const *targets,
                                                    GCancellable *cancellable,
                                                    GError **error);

/**
 * sluice_partial_run_part_step:
 * @self: a step that is under way
 * @feeds: (array zero-terminated=1) (nullable): edges that get their value now
 * @values: (array length=n_values) (nullable): one a feed
 * @n_values: how many
 * @fetches: (array zero-terminated=1) (nullable): edges whose value is wanted now
 * @n_outputs: (out): as many as there are fetches
 * @error: return location
 *
 * Feeds and fetches each edge once. The call that completes both waits for the end of the step.
 *
 * Returns: (transfer full) (array length=n_outputs): the values of @fetches; %NULL with
 *   INVALID_ARGUMENT for what was not named in the beginning, came before, or cannot be computed
 *   from what has been fed so far; with the first error of the step, which is over then
 */
SluiceTensor **sluice_partial_run_part_step (SluicePartialRun *self,
                                             const char *const *feeds,
                                             SluiceTensor *const *values,
                                             gsize n_values,
                                             const char *const *fetches,
                                             gsize *n_outputs,
                                             GError **error);

/**
 * sluice_partial_run_cancel:
 * @self: a step that is under way
 *
 * Ends it early, from any thread.
 */
void sluice_partial_run_cancel (SluicePartialRun *self);

/**
 * sluice_session_dup_placement:
 * @self: a session
 * @node: name of a node
 * @reason: (out) (optional) (transfer full): why it stands there, or why nowhere
 *
 * Returns: (transfer full) (nullable): the device of a node: "CPU:0"
 */
char *sluice_session_dup_placement (SluiceSession *self, const char *node, char **reason);

G_END_DECLS

SLUICE_PUBLIC_END
