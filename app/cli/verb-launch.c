/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>

#include "app/cli/devices.h"
#include "app/cli/files.h"
#include "app/cli/follow.h"
#include "app/cli/memory.h"
#include "app/cli/preflight-card.h"
#include "app/cli/queue-list.h"
#include "app/cli/queue-needs.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/pool.h"
#include "engine/train/queue.h"

static char *workspace, *run_name, *after, *init_from;
static char **plans;
static gboolean queues, checks, init_partly;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name, N_ ("Name of the run (the project's)"),
    N_ ("NAME") },
  { "queue", 0, 0, G_OPTION_ARG_NONE, &queues,
    N_ ("Do not train it now: it waits, and 'sluice queue run' trains it"), NULL },
  { "after", 0, 0, G_OPTION_ARG_STRING, &after,
    N_ ("With --queue: only when this run has finished"), N_ ("RUN") },
  CLI_NEEDS_MEMORY_OPTION,
  { "check", 0, 0, G_OPTION_ARG_NONE, &checks,
    N_ ("Start nothing: tell how long it will take, what it will need, and what looks wrong"),
    NULL },
  { "init-from", 0, 0, G_OPTION_ARG_FILENAME, &init_from,
    N_ ("Begin with the values of this checkpoint; with --check: tell which variable gets which"),
    N_ ("CHECKPOINT") },
  { "init-partly", 0, 0, G_OPTION_ARG_NONE, &init_partly,
    N_ ("Variables that the checkpoint lacks, or has in another shape, keep their initial values"),
    NULL },
  CLI_AT_OPTION (&plans),
  CLI_MEMORY_OPTION,
  G_OPTION_ENTRY_NULL,
};

static int
train_now (SluiceStore *store, const char *folder, SluiceProject *take_project, GError **error)
{
  SluiceTrainerOptions trainer_options = {
    .run_name = run_name,
    .init_from = init_from,
    .init_partly = init_partly,
    .begins = sluice_cli_catch_signals,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
    .runs_commands = sluice_cli_allow_commands,
  };
  g_autoptr (SluiceTrainer) trainer =
      sluice_trainer_new (store, take_project, &trainer_options, error);
  if (trainer == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_moved (sluice_trainer_get_session (trainer));
  sluice_cli_tell_file_ops (sluice_trainer_get_graph (trainer));
  return !sluice_cli_train (trainer, folder, FALSE, error) ? EXIT_FAILED
         : sluice_cli_was_interrupted ()                   ? EXIT_INTERRUPTED
                                                           : EXIT_OK;
}

static int
let_wait (SluiceStore *store, SluiceProject *project, GError **error)
{
  SluiceQueueRequest request = { .name = run_name,
                                 .host = &sluice_cli_session_options,
                                 .init_from = init_from,
                                 .init_partly = init_partly };
  if (!sluice_cli_get_needs (&request.needs, error))
    return EXIT_USAGE;
  if (after != NULL)
    {
      g_autoptr (SluiceRunInfo) first = sluice_store_dup_run (store, after, error);
      if (first == NULL)
        return EXIT_FAILED;
      request.needs.after = first->id;
    }
  g_autoptr (SluiceRunInfo) info = sluice_queue_add (store, project, &request, error);
  return info != NULL && sluice_cli_print_queue (store, info->id, error) ? EXIT_OK : EXIT_FAILED;
}

/* ---- before it ---- */

/* Settings that there are not stand on the card, beside all else that is wrong. */
static SluiceProject *
load_to_check (char **arguments, GPtrArray *refused, GError **error)
{
  g_autoptr (SluiceProject) project =
      sluice_cli_load_project (arguments[0], NULL, NULL, NULL, error);
  for (guint i = 1; project != NULL && arguments[i] != NULL; i++)
    {
      g_autoptr (GError) failure = NULL;
      if (!sluice_project_set (project, arguments[i], &failure))
        g_ptr_array_add (refused, g_strdup (failure->message));
    }
  g_ptr_array_add (refused, NULL);
  return project != NULL && sluice_cli_plan_changes (project, plans, error)
             ? g_steal_pointer (&project)
             : NULL;
}

static int
check (char **arguments, GError **error)
{
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_autoptr (GPtrArray) refused = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (SluiceProject) project = load_to_check (arguments, refused, error);
  if (project == NULL)
    return EXIT_FAILED;
  const SluicePreflightOptions wanted = {
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
    .workspace = folder,
    .init_from = init_from,
    .refused = (const char *const *) refused->pdata,
  };
  g_autoptr (SluicePreflight) card = sluice_preflight (project, &wanted, error);
  if (card == NULL)
    return EXIT_FAILED;
  sluice_cli_print_preflight (card, init_from);
  return card->ok ? EXIT_OK : EXIT_FAILED;
}

/* ---- the verb ---- */

static int
check_usage (char **arguments, GError **error)
{
  if (arguments[0] == NULL)
    return sluice_cli_usage (error,
                             _ ("give a PROJECT, and KEY=VALUE for what is to be different"));
  if (after != NULL && !queues)
    return sluice_cli_usage (error, _ ("--after is for a run that waits; give --queue, too"));
  if (init_partly && init_from == NULL)
    return sluice_cli_usage (error, _ ("--init-partly needs --init-from"));
  if (sluice_cli_needs_memory != NULL && !queues)
    return sluice_cli_usage (error,
                             _ ("--needs-memory is for a run that waits; give --queue, too"));
  return EXIT_OK;
}

static int
launch (char **arguments, GError **error)
{
  int status = check_usage (arguments, error);
  if (status != EXIT_OK)
    return status;
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  if (checks)
    return check (arguments, error);
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_autoptr (SluiceProject) project =
      sluice_cli_load_project (arguments[0], arguments + 1, NULL, NULL, error);
  /* A project that cannot be trained makes no workspace. */
  g_autoptr (SluiceStore) store = project != NULL && sluice_cli_plan_changes (project, plans, error)
                                      ? sluice_cli_open_workspace (folder, FALSE, error)
                                      : NULL;
  if (store == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_lost_runs (store);
  return queues ? let_wait (store, project, error)
                : train_now (store, folder, g_steal_pointer (&project), error);
}

const Verb sluice_verb_launch = {
  .name = "launch",
  .arguments = N_ ("PROJECT [KEY=VALUE]…"),
  .summary = N_ ("Train a project with other settings, now or when its turn comes"),
  .details = N_ (
      "KEY is one of project.ini, as steps or train.batch, or a promoted parameter. With "
      "--queue the run is made whole, its project frozen, and waits: later changes of the "
      "project, or of a checkpoint that it begins with, do not touch it; changed data are noticed "
      "when its turn comes. --check tries a "
      "few steps and prints a line a fact: well, look (somebody should) or stop (it would fail, "
      "or learn nothing); the exit status is 1 where one says stop."),
  .json = CLI_TRAIN_JSON "\n" CLI_MEMORY_JSON "\n" CLI_QUEUE_JSON "\n" CLI_PREFLIGHT_JSON,
  .options = options,
  .run_options = SLUICE_OPTION_PROJECT | SLUICE_OPTION_MACHINE,
  .run = launch,
};
