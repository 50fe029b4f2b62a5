/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>

#include "app/cli/devices.h"
#include "app/cli/edit-run.h"
#include "app/cli/files.h"
#include "app/cli/follow.h"
#include "app/cli/memory.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/train/trainer.h"

static char *workspace, *run_name, *resume, *init_from;
static gboolean init_partly;
static char *n_steps, *seed; /* as text: checked as project.ini's are */
static gint64 from_step = -1;
static gboolean accept_changed_data, audits, undoes_edit;
static char *graph, *words;
static char **assignments, **plans;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name, N_ ("Name of the run (the project's)"),
    N_ ("NAME") },
  { "steps", 0, 0, G_OPTION_ARG_STRING, &n_steps, N_ ("Train up to this step"), N_ ("N") },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &seed, N_ ("Seed of the shuffle and of random nodes"),
    N_ ("S") },
  { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &assignments,
    N_ ("Override a key of project.ini or a promoted parameter; may be repeated"),
    N_ ("KEY=VALUE") },
  { "resume", 0, 0, G_OPTION_ARG_STRING, &resume,
    N_ ("Go on with a run from its newest checkpoint"), N_ ("NAME") },
  { "from", 0, 0, G_OPTION_ARG_INT64, &from_step,
    N_ ("Go back to the checkpoint of this step, 0 for the start, and forget what was logged after "
        "it"),
    N_ ("STEP") },
  { "accept-changed-data", 0, 0, G_OPTION_ARG_NONE, &accept_changed_data,
    N_ ("Go on although data files are not what they were"), NULL },
  { "audit", 0, 0, G_OPTION_ARG_NONE, &audits,
    N_ ("Before it goes on, take one step of its past again, and go on only where its loss is the "
        "one that was logged"),
    NULL },
  { "graph", 0, 0, G_OPTION_ARG_FILENAME, &graph,
    N_ ("Of a run that goes on: with this graph instead of its own; variables of the same name and "
        "shape keep their values, others begin as the graph makes them"),
    N_ ("FILE") },
  { "say", 0, 0, G_OPTION_ARG_STRING, &words,
    N_ ("What was done to that graph, for the event in the charts"), N_ ("WORDS") },
  { "undo-edit", 0, 0, G_OPTION_ARG_NONE, &undoes_edit,
    N_ ("Of a run that goes on: with graph and checkpoint from before the last --graph; what was "
        "logged since is forgotten"),
    NULL },
  { "init-from", 0, 0, G_OPTION_ARG_FILENAME, &init_from,
    N_ ("Begin with the values of this checkpoint, safetensors or TensorFlow's, by the names of "
        "the variables"),
    N_ ("CHECKPOINT") },
  { "init-partly", 0, 0, G_OPTION_ARG_NONE, &init_partly,
    N_ ("Variables that the checkpoint lacks, or has in another shape, keep their initial values"),
    NULL },
  CLI_AT_OPTION (&plans),
  CLI_MEMORY_OPTION,
  G_OPTION_ENTRY_NULL,
};

/* The one that a run was frozen with. */
static SluiceProject *
load_resumed (SluiceStore *store, GError **error)
{
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (store, resume, error);
  if (info == NULL)
    return NULL;
  g_autofree char *folder = sluice_store_dup_run_folder (store, info->id);
  return sluice_cli_load_project (folder, assignments, n_steps, seed, error);
}

/* To a choice that the error leaves, the option that makes it. */
static int
name_option (GError **error, const char *option)
{
  char *message = g_strdup_printf ("%s: %s", (*error)->message, option);
  g_free ((*error)->message);
  (*error)->message = message;
  return EXIT_FAILED;
}

static int
train (char **arguments, GError **error)
{
  if ((arguments[0] == NULL && resume == NULL) || (arguments[0] != NULL && arguments[1] != NULL))
    return sluice_cli_usage (error, _ ("give one PROJECT, or --resume NAME"));
  if (from_step != -1 && !sluice_cli_check_count ("--from", from_step, 0, G_MAXINT64, error))
    return EXIT_USAGE;
  if ((from_step >= 0 || accept_changed_data || audits) && resume == NULL)
    return sluice_cli_usage (error,
                             _ ("--from, --audit and --accept-changed-data need --resume NAME"));
  if ((graph != NULL || undoes_edit) && (resume == NULL || (graph != NULL && undoes_edit)))
    return sluice_cli_usage (error, _ ("--graph or --undo-edit: one of them, with --resume NAME"));
  if (words != NULL && graph == NULL)
    return sluice_cli_usage (error, _ ("--say is of --graph"));
  if (resume != NULL && run_name != NULL)
    return sluice_cli_usage (
        error, _ ("--run names a new run, --resume one that goes on under its own name; "
                  "give one of them"));
  if (init_from != NULL ? resume != NULL : init_partly)
    return sluice_cli_usage (error, _ ("--init-from is for a new run, and --init-partly needs it"));
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  /* A project that cannot be trained makes no workspace. */
  g_autoptr (SluiceProject) project =
      resume == NULL ? sluice_cli_load_project (arguments[0], assignments, n_steps, seed, error)
                     : NULL;
  if (resume == NULL && (project == NULL || !sluice_cli_plan_changes (project, plans, error)))
    return EXIT_FAILED;
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, resume != NULL, error);
  if (store != NULL
      && ((graph != NULL && !sluice_cli_edit_run (store, resume, graph, words, from_step, error))
          || (undoes_edit && !sluice_cli_take_back_edit (store, resume, error))))
    return EXIT_FAILED;
  if (store != NULL && resume != NULL)
    project = load_resumed (store, error);
  if (store == NULL || project == NULL
      || (resume != NULL && !sluice_cli_plan_changes (project, plans, error)))
    return EXIT_FAILED;
  sluice_cli_tell_lost_runs (store);
  gboolean has_changed_data = FALSE;
  SluiceTrainerOptions trainer_options = {
    .run_name = run_name,
    .resume = resume,
    .goes_back = from_step >= 0 && graph == NULL,
    .from_step = from_step,
    .audits = audits,
    .accept_changed_data = accept_changed_data,
    .has_changed_data = &has_changed_data,
    .init_from = init_from,
    .init_partly = init_partly,
    .begins = sluice_cli_catch_signals,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
    .runs_commands = sluice_cli_allow_commands,
  };
  g_autoptr (SluiceTrainer) trainer =
      sluice_trainer_new (store, g_steal_pointer (&project), &trainer_options, error);
  if (trainer == NULL)
    return has_changed_data ? name_option (error, "--accept-changed-data") : EXIT_FAILED;
  sluice_cli_tell_moved (sluice_trainer_get_session (trainer));
  if (resume == NULL)
    sluice_cli_tell_file_ops (sluice_trainer_get_graph (trainer));
  return !sluice_cli_train (trainer, folder, FALSE, error) ? EXIT_FAILED
         : sluice_cli_was_interrupted ()                   ? EXIT_INTERRUPTED
                                                           : EXIT_OK;
}

const Verb sluice_verb_train = {
  .name = "train",
  .arguments = N_ ("PROJECT"),
  .summary = N_ ("Train a project"),
  .details = N_ ("PROJECT is a folder with project.ini and the graph, which may be a SavedModel: "
                 "its variables are what is begun with. Every point is saved as it "
                 "comes. Ctrl-C saves a checkpoint and says how to go on, and so does every other "
                 "signal that can be caught, and an output that nobody reads any more; a second "
                 "one is told how long it still takes. A run goes on from its newest checkpoint; "
                 "where that is damaged, or data files have changed, it says so and leaves the "
                 "choice to --from and --accept-changed-data."),
  .json = CLI_TRAIN_JSON "\n" CLI_MEMORY_JSON "\n" CLI_EDIT_RUN_JSON,
  .options = options,
  .run_options = SLUICE_OPTION_PROJECT | SLUICE_OPTION_MACHINE,
  .run = train,
};
