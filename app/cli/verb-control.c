/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/store/run-control.h"
#include "engine/train/run-variant.h"

/* Seconds: a day. */
#define MAX_WAIT 86400

static char *workspace;
static gint64 patience = 60;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "wait", 0, 0, G_OPTION_ARG_INT64, &patience,
    N_ ("Take it back where the step under way does not end within so long (60)"), N_ ("SECONDS") },
  G_OPTION_ENTRY_NULL,
};

static const struct
{
  const char *verb;
  guint least, most; /* words behind it */
} verbs[] = {
  { "pause", 0, 0 }, { "go", 0, 0 },  { "step", 0, 1 },   { "checkpoint", 0, 0 },
  { "stop", 0, 0 },  { "set", 1, 1 }, { "inject", 1, 2 },
};

static void
tell_waiting (void)
{
  fputs (_ ("Waiting: the step under way ends first.\n"), stderr);
}

static int
ask (SluiceStore *store, char **words, GError **error)
{
  g_autofree char *argument = words[2] != NULL ? g_strjoinv (" ", words + 2) : NULL;
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, words[0], error);
  g_autoptr (SluiceCommand) command =
      run != NULL ? sluice_run_control_call (store, run, words[1], argument, patience * 1000,
                                             tell_waiting, error)
                  : NULL;
  if (command == NULL)
    return EXIT_FAILED;
  if (sluice_cli_json)
    sluice_cli_print_variant (sluice_command_to_variant (command, run));
  else
    printf (_ ("run %s: %s at step %" PRId64 "\n"), run->name, command->answer, command->step);
  return EXIT_OK;
}

static int
control (char **arguments, GError **error)
{
  guint n = g_strv_length (arguments), i = 0;
  if (n < 2)
    return sluice_cli_usage (
        error, _ ("give a RUN, and pause, go, step, checkpoint, stop, set or inject"));
  while (i < G_N_ELEMENTS (verbs) && strcmp (verbs[i].verb, arguments[1]) != 0)
    i++;
  if (i == G_N_ELEMENTS (verbs))
    return sluice_cli_usage (
        error, _ ("'%s' is not known; there are pause, go, step, checkpoint, stop, set and inject"),
        arguments[1]);
  if (n - 2 < verbs[i].least || n - 2 > verbs[i].most)
    return sluice_cli_usage (error, _ ("'%s': give what --help says, and no more"), arguments[1]);
  if (!sluice_cli_check_count ("--wait", patience, 1, MAX_WAIT, error))
    return EXIT_USAGE;
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, TRUE, error);
  return store != NULL ? ask (store, arguments, error) : EXIT_FAILED;
}

const Verb sluice_verb_control = {
  .name = "control",
  .arguments =
      N_ ("RUN pause | go | step [N] | checkpoint | stop | set KEY=VALUE | inject EDGE [VALUE]"),
  .summary = N_ ("Ask something of a run at work"),
  .details = N_ (
      "The run may be at work in any process: another command, the window. It does what is "
      "asked at the end of the step under way, and answers. 'step' takes N steps (1) and "
      "pauses; 'stop' saves first. 'set' changes a promoted parameter, or steps, "
      "checkpoint-every, summary-every, evaluate-every, keep-last, keep-best or keep-every, "
      "from that step on: the run is the same, bit for bit, as one that was launched with "
      "--at STEP:KEY=VALUE. Setting it back takes it back. 'inject' gives an edge another value "
      "in each step that follows: a number, lists, *0, =1, a file .npy, or 'now', the value "
      "that it has; without one the graph's own again. What a run that was killed had not "
      "answered is not done when it goes on."),
  .json = "{\"run\": \"string\", \"command\": \"string\", \"argument\": \"string|null\", "
          "\"step\": \"int\", \"answer\": \"string\"}",
  .options = options,
  .run = control,
};
