/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/files.h"
#include "app/cli/run-options.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/train/run-variant.h"

static char *workspace;
static gint64 from = -1, n_steps;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "from", 0, 0, G_OPTION_ARG_INT64, &from,
    N_ ("Begin with the checkpoint of this step, 0 for the start (where the run began)"),
    N_ ("STEP") },
  { "steps", 0, 0, G_OPTION_ARG_INT64, &n_steps, N_ ("So many steps (to the end)"), N_ ("K") },
  G_OPTION_ENTRY_NULL,
};
static const CliRunKey run_keys[] = {
  { "cpus", N_ ("Virtual CPU devices (as the run had); results do not depend on it") },
  { NULL },
};

/* ---- text ---- */

static void
print_line (const char *text)
{
  g_autofree char *safe = sluice_text_escape (text);
  puts (safe);
}

static void
print_parting (const SluiceParting *parting)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_append_printf (line, _ ("parted at step %" PRId64 ": %s"), parting->step, parting->node);
  if (parting->tensor != NULL)
    g_string_append_printf (line, ", %s", parting->tensor);
  if (parting->element >= 0)
    g_string_append_printf (line, _ (", element %" PRId64), parting->element);
  if (parting->was != NULL && parting->is != NULL)
    g_string_append_printf (line, _ (": was %s, is %s"), parting->was, parting->is);
  print_line (line->str);
  g_autofree char *because = g_strdup_printf (_ ("because: %s"), parting->because);
  print_line (because);
}

static void
print_text (const SluiceReproduction *found)
{
  if (found->parting != NULL)
    print_parting (found->parting);
  else
    {
      g_autofree char *text = g_strdup_printf (
          _ ("equal bit for bit from step %" PRId64 " to %" PRId64 ": %" PRIu64
             " logged values, the variables of %u checkpoints, on %s"),
          found->from, found->to, found->n_values, found->n_checkpoints, found->machine);
      print_line (text);
    }
  for (guint i = 0; i < found->notes->len; i++)
    print_line (found->notes->pdata[i]);
}

/* A line that is written over, for who looks at it. */
static void
show_step (gint64 step, gint64 to, gpointer shown)
{
  gint64 *last = shown, now = g_get_monotonic_time ();
  if (now - *last < G_USEC_PER_SEC / 5 && step < to)
    return;
  *last = now;
  fprintf (stderr, _ ("\rstep %" PRId64 " of %" PRId64), step, to);
  if (step == to)
    fputs ("\r\033[K", stderr);
}

/* ---- the verb ---- */

static int
reproduce (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one RUN"));
  if ((from != -1 && !sluice_cli_check_count ("--from", from, 0, G_MAXINT64, error))
      || (n_steps != 0 && !sluice_cli_check_count ("--steps", n_steps, 1, G_MAXINT64, error)))
    return EXIT_USAGE;
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (folder, error);
  if (store == NULL)
    return EXIT_FAILED;
  gint64 shown = 0;
  const SluiceReproduceOptions wanted = {
    .from = from,
    .n_steps = n_steps,
    .n_cpus = sluice_cli_session_options.n_cpus,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
    .progress = !sluice_cli_json && isatty (STDERR_FILENO) ? show_step : NULL,
    .progress_data = &shown,
  };
  g_autoptr (SluiceReproduction) found = sluice_reproduce (store, arguments[0], &wanted, error);
  if (found == NULL)
    return EXIT_FAILED;
  if (sluice_cli_json)
    sluice_cli_print_variant (sluice_reproduction_to_variant (found));
  else
    print_text (found);
  return found->equal ? EXIT_OK : EXIT_FAILED;
}

#define REPRODUCE_JSON(difference)                                                                 \
  "{\"equal\": \"bool\", \"from\": \"int\", \"to_step\": \"int\", \"values\": \"int\", "           \
  "\"checkpoints\": \"int\", \"machine\": \"string\", \"build\": \"string|null\", "                \
  "\"first_difference\": " difference ", \"notes\": [\"string\"]}"

const Verb sluice_verb_reproduce = {
  .name = "reproduce",
  .arguments = N_ ("RUN"),
  .summary = N_ ("Train a run again and compare every value, bit for bit"),
  .details = N_ (
      "Nothing of it is kept but a badge, which 'sluice runs' tells. All values that were logged "
      "and the variables of all checkpoints are compared at their steps. Where both part, the "
      "first step, the variable, input or op, and the reason are told, and the exit status is 1: "
      "a checkpoint holds other bytes than were computed, an example of the data, an option or the "
      "graph is another one now, or another build or machine made the run. A run of asynchronous "
      "workers cannot be made again."),
  .json = REPRODUCE_JSON ("\"null\"") "\n" REPRODUCE_JSON (
      "{\"step\": \"int\", \"node\": \"string\", \"tensor\": \"string|null\", "
      "\"element\": \"int|null\", \"was\": \"number|string|null\", "
      "\"is\": \"number|string|null\", \"cause\": \"string\", \"because\": \"string\"}"),
  .options = options,
  .run_options = SLUICE_OPTION_MACHINE,
  .run_keys = run_keys,
  .run = reproduce,
};
