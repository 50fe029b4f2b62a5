/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/train/replica.h"

/* What `sluice debug` runs, on a thread of its own: a step of a graph, or training steps of a
 * project. The caller's thread but for what is said of the other one. */
typedef struct
{
  SluiceDebugger *debugger;
  SluiceGraph *graph;
  SluiceSession *session;
  SluiceFileAccess *files; /* (nullable) */

  /* Of a graph. */
  GArray *feeds; /* of SluiceFeed */
  char **fetches, **targets;

  /* Of a project. */
  SluiceProject *project; /* (nullable): it is a graph */
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  GPtrArray *before; /* of SluiceReplica: one an edit that can be taken back */
  double *scalars;
  gint64 n_steps; /* of this run */

  gboolean is_running; /* or stopped */
  pthread_t thread;
  GCancellable *cancellable;
  SluiceTensor **outputs; /* the other thread's until it has ended; so is error */
  GError *error;
} CliDebugRun;

/* (transfer full) (nullable). The texts are borrowed for its life; those of feeds are cut in two.
 */
CliDebugRun *sluice_cli_debug_new (
    const char *path, char **feeds, char **fetches, char **targets, GError **error);
CliDebugRun *
sluice_cli_debug_new_of_project (const char *folder, char **assignments, GError **error);
/* A run under way is cancelled. */
void sluice_cli_debug_free (CliDebugRun *self);

/* Begins a run; n: of a project, steps. */
gboolean sluice_cli_debug_begin (CliDebugRun *self, gint64 n, GError **error);
/* A run that is stopped ends, without its effects being taken back. Was there one? */
gboolean sluice_cli_debug_give_up (CliDebugRun *self);
/* Until it stops or ends, and prints that. FALSE with what it ended with. */
gboolean sluice_cli_debug_wait (CliDebugRun *self, GError **error);
/* Does a command of `sluice edit` to the graph; a step that is stopped is given up. Of a project
 * the next step is trained with it, from where the last one that has run left the variables. */
gboolean sluice_cli_debug_edit (CliDebugRun *self, const char *line, GError **error);
/* Graph, and of a project variables and step, are as before the last edit. */
gboolean sluice_cli_debug_unedit (CliDebugRun *self, GError **error);

/* value: as --feed takes it. */
gboolean
sluice_cli_debug_put (CliDebugRun *self, const char *name, const char *value, GError **error);
