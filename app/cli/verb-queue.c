/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/cli/follow.h"
#include "app/cli/queue-list.h"
#include "app/cli/queue-work.h"
#include "app/cli/run-options.h"
#include "engine/base/pool.h"
#include "engine/store/run-queue.h"

#define MAX_JOBS 64

static char *workspace;
static gint64 jobs = 1;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "jobs", 0, 0, G_OPTION_ARG_INT64, &jobs, N_ ("Of 'run': so many runs at a time (1)"),
    N_ ("N") },
  G_OPTION_ENTRY_NULL,
};

/* words: those behind the sub-verb; as many as it wants. */
typedef int (*SubverbFunc) (SluiceStore *store, char **words, GError **error);

static int
run_queue (SluiceStore *store, char **words, GError **error)
{
  if (!sluice_cli_check_count ("--jobs", jobs, 1, MAX_JOBS, error))
    return EXIT_USAGE;
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  sluice_cli_tell_lost_runs (store);
  return sluice_cli_work_queue (store, NULL, (guint) jobs, NULL, error);
}

static int
pause_queue (SluiceStore *store, char **words, GError **error)
{
  return sluice_run_queue_set_paused (store, TRUE, error)
                 && sluice_cli_print_queue (store, 0, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

static int
resume_queue (SluiceStore *store, char **words, GError **error)
{
  return sluice_run_queue_set_paused (store, FALSE, error)
                 && sluice_cli_print_queue (store, 0, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

static int
move_run (SluiceStore *store, char **words, GError **error)
{
  gboolean before = strcmp (words[1], "before") == 0;
  if (!before && strcmp (words[1], "after") != 0)
    return sluice_cli_usage (error, _ ("'%s': must be before or after"), words[1]);
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, words[0], error);
  g_autoptr (SluiceRunInfo) other =
      run != NULL ? sluice_store_dup_run (store, words[2], error) : NULL;
  return other != NULL && sluice_run_queue_move (store, run, other, before, error)
                 && sluice_cli_print_queue (store, 0, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

static int
drop_run (SluiceStore *store, char **words, GError **error)
{
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, words[0], error);
  return run != NULL && sluice_run_queue_drop (store, run, error)
                 && sluice_cli_print_queue (store, 0, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

static const struct
{
  const char *name;
  SubverbFunc func;
  guint n_words;
} subverbs[] = {
  { "run", run_queue, 0 }, { "pause", pause_queue, 0 }, { "resume", resume_queue, 0 },
  { "move", move_run, 3 }, { "drop", drop_run, 1 },
};

static int
queue (char **arguments, GError **error)
{
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  if (arguments[0] == NULL)
    {
      g_autoptr (SluiceStore) read = sluice_cli_open_to_read (folder, error);
      return read != NULL && sluice_cli_print_queue (read, 0, error) ? EXIT_OK : EXIT_FAILED;
    }
  guint i = 0;
  while (i < G_N_ELEMENTS (subverbs) && strcmp (subverbs[i].name, arguments[0]) != 0)
    i++;
  if (i == G_N_ELEMENTS (subverbs))
    return sluice_cli_usage (
        error, _ ("'%s' is not known; there are run, pause, resume, move and drop"), arguments[0]);
  if (g_strv_length (arguments + 1) != subverbs[i].n_words)
    return sluice_cli_usage (error, _ ("'%s': give what --help says, and no more"), arguments[0]);
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, TRUE, error);
  return store != NULL ? subverbs[i].func (store, arguments + 1, error) : EXIT_FAILED;
}

const Verb sluice_verb_queue = {
  .name = "queue",
  .arguments = N_ ("[run | pause | resume | move RUN before|after RUN | drop RUN]"),
  .summary = N_ ("List the runs that wait, and train them"),
  .details = N_ (
      "'run' trains until nothing waits, in order. Several of them, on one workspace, share "
      "the list, and no run is trained twice. Ctrl-C saves the run under way, which waits "
      "again; one whose program was killed goes on from its newest checkpoint. A run that "
      "cannot be trained, because its data have changed or what it was to come after failed, "
      "is told as failed, and the others go on; a full disk fails none, they wait again. A run "
      "stands on the --device that it was queued with, unless 'run' is given another one. While "
      "the queue is paused nothing more begins. What is dropped stays among the runs."),
  .json = CLI_QUEUE_JSON "\n" CLI_TRAIN_JSON,
  .options = options,
  .run_options = SLUICE_OPTION_MACHINE,
  .run = queue,
};
