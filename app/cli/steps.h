/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/* Steps of a PROJECT, or of a GRAPH that is fed and fetched, for verbs that look at how they ran.
 */
typedef struct
{
  char **feeds, **fetches, **targets; /* (nullable): of a GRAPH; with fetches, targets are run once
                                         before the steps */
  /* After what comes before the steps, which is step 0, and after each step. batch: stands for
   * dimensions that are not known. FALSE: it is enough */
  gboolean (*after) (SluiceSession *session, gint64 step, gint64 batch, gpointer data);
  gpointer data;
} CliSteps;

/* EXIT_OK, or EXIT_USAGE with a message: feeds of a project, a graph without anything to run. */
int sluice_cli_check_steps (const CliSteps *self, const char *path, GError **error);

/* Returns: (transfer full) (nullable): the session, which texts of events live as long as */
SluiceSession *sluice_cli_run_steps (const CliSteps *self, const char *path, GError **error);
