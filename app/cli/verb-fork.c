/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/devices.h"
#include "app/cli/edit-run.h"
#include "app/cli/files.h"
#include "app/cli/follow.h"
#include "app/cli/memory.h"
#include "app/cli/queue-list.h"
#include "app/cli/queue-needs.h"
#include "app/cli/run-options.h"
#include "engine/base/pool.h"
#include "engine/train/fork.h"
#include "engine/train/trainer.h"

static char *workspace, *run_name;
static gint64 step = -1;
static gboolean queues, accept_changed_data;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "step", 0, 0, G_OPTION_ARG_INT64, &step, N_ ("Where the fork begins"), N_ ("K") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name, N_ ("Name of the fork (RUN-at-K)"), N_ ("NAME") },
  { "queue", 0, 0, G_OPTION_ARG_NONE, &queues,
    N_ ("Do not train it now: it waits, and 'sluice queue run' trains it"), NULL },
  CLI_NEEDS_MEMORY_OPTION,
  { "accept-changed-data", 0, 0, G_OPTION_ARG_NONE, &accept_changed_data,
    N_ ("Fork although data files are not what they were"), NULL },
  CLI_MEMORY_OPTION,
  G_OPTION_ENTRY_NULL,
};

static int
train_now (SluiceStore *store, const char *folder, const SluiceRunInfo *fork, GError **error)
{
  g_autofree char *id = g_strdup_printf ("#%" G_GINT64_FORMAT, fork->id);
  g_autofree char *run_folder = sluice_store_dup_run_folder (store, fork->id);
  SluiceProject *project = sluice_project_load (run_folder, error);
  SluiceTrainerOptions trainer_options = {
    .resume = id,
    .begins = sluice_cli_catch_signals,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
    .runs_commands = sluice_cli_allow_commands,
  };
  g_autoptr (SluiceTrainer) trainer =
      project != NULL ? sluice_trainer_new (store, project, &trainer_options, error) : NULL;
  if (trainer == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_moved (sluice_trainer_get_session (trainer));
  return !sluice_cli_train (trainer, folder, FALSE, error) ? EXIT_FAILED
         : sluice_cli_was_interrupted ()                   ? EXIT_INTERRUPTED
                                                           : EXIT_OK;
}

static int
fork_run (char **arguments, GError **error)
{
  if (arguments[0] == NULL || step == -1)
    return sluice_cli_usage (
        error, _ ("give a RUN and --step K, and KEY=VALUE for what is to be different"));
  if (!sluice_cli_check_count ("--step", step, 0, G_MAXINT64, error))
    return EXIT_USAGE;
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, TRUE, error);
  g_autoptr (SluiceRunInfo) parent =
      store != NULL ? sluice_store_dup_run (store, arguments[0], error) : NULL;
  if (parent == NULL)
    return EXIT_FAILED;
  SluiceForkRequest request = { .name = run_name,
                                .step = step,
                                .assignments = (const char *const *) arguments + 1,
                                .waits = queues,
                                .accept_changed_data = accept_changed_data,
                                .host = &sluice_cli_session_options,
                                .recomputes = sluice_cli_tell_recompute };
  if (!sluice_cli_get_needs (&request.needs, error))
    return EXIT_USAGE;
  g_autoptr (SluiceRunInfo) fork = sluice_fork (store, parent, &request, error);
  if (fork == NULL)
    return EXIT_FAILED;
  return !queues                                           ? train_now (store, folder, fork, error)
         : sluice_cli_print_queue (store, fork->id, error) ? EXIT_OK
                                                           : EXIT_FAILED;
}

const Verb sluice_verb_fork = {
  .name = "fork",
  .arguments = N_ ("RUN [KEY=VALUE]…"),
  .summary = N_ ("Begin a run where another one stood at a step"),
  .details =
      N_ ("The fork has the values, random streams, place in the data and optimizer's state that "
          "RUN had at step K, and goes on with the settings that RUN had there and those given. "
          "With none it goes on exactly as RUN did. Where RUN has no checkpoint of step K the "
          "steps from the one before are computed again, which is said. What RUN is and does is "
          "not touched; it may be at work."),
  .json = CLI_TRAIN_JSON "\n" CLI_MEMORY_JSON "\n" CLI_QUEUE_JSON,
  .options = options,
  .run_options = SLUICE_OPTION_MACHINE,
  .run = fork_run,
};
