/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/which-matters.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>

#include "app/cli/files.h"
#include "app/cli/follow.h"
#include "app/cli/json.h"
#include "app/cli/queue-work.h"
#include "app/cli/run-options.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/train/which-matters.h"

static void
print_line (const char *text)
{
  g_autofree char *safe = sluice_text_escape (text);
  puts (safe);
}

static void
add_number (JsonBuilder *b, const char *name, double value)
{
  if (isnan (value))
    sluice_cli_json_null (b, name);
  else
    sluice_cli_json_double (b, name, value);
}

static void
print_matters_json (const SluiceWhichMatters *found, const SluiceRunInfo *const *runs)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  const char *names[] = { runs[0]->name, runs[1]->name, NULL };
  sluice_cli_json_strings (b, "runs", names);
  sluice_cli_json_int (b, "steps", found->n_steps);
  sluice_cli_json_int (b, "seeds", found->n_seeds);
  sluice_cli_json_double (b, "loss", found->loss);
  sluice_cli_json_double (b, "spread", found->spread);
  sluice_cli_json_double (b, "other", found->other);
  json_builder_set_member_name (b, "matters");
  json_builder_begin_array (b);
  for (guint i = 0; i < found->matters->len; i++)
    {
      const SluiceMatter *matter = found->matters->pdata[i];
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "name", matter->name);
      sluice_cli_json_string (b, "was", matter->was);
      sluice_cli_json_string (b, "is", matter->is);
      add_number (b, "effect", matter->effect);
      add_number (b, "plus_minus", matter->plus_minus);
      sluice_cli_json_bool (b, "matters", matter->matters);
      sluice_cli_json_string (b, "why", matter->why);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

static void
print_matter (const SluiceMatter *matter)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_append_printf (line, "%s: %s | %s  ", sluice_matter_get_title (matter),
                          matter->was != NULL ? matter->was : "–",
                          matter->is != NULL ? matter->is : "–");
  if (matter->why != NULL)
    g_string_append_printf (line, _ ("cannot be taken over alone: %s"), matter->why);
  else
    g_string_append_printf (line, "%+.3g ± %.2g  %s", matter->effect, matter->plus_minus,
                            matter->matters ? _ ("matters") : _ ("no more than seeds do"));
  print_line (line->str);
}

static void
print_matters (const SluiceWhichMatters *found)
{
  printf (
      _ ("loss after %" PRId64 " steps, %u seeds each: %.4g ± %.2g, with all differences %.4g\n"),
      found->n_steps, found->n_seeds, found->loss, found->spread, found->other);
  for (guint i = 0; i < found->matters->len; i++)
    print_matter (found->matters->pdata[i]);
}

/* The short runs are runs of the queue: those that were asked for before are not trained again. */
static int
find_out (SluiceStore *store,
          const SluiceRunInfo *const *runs,
          const SluiceWhichMattersOptions *options,
          SluiceWhichMatters **answer,
          GError **error)
{
  SluiceWhichMattersState state;
  g_autofree char *group = sluice_which_matters_dup_group (runs[0], runs[1]);
  guint n_failed;
  if (!sluice_which_matters_look (store, runs[0], runs[1], options, &state, answer, error))
    return EXIT_FAILED;
  if (*answer != NULL)
    return EXIT_OK;
  if (!sluice_which_matters_ask (store, runs[0], runs[1], options, error))
    return EXIT_FAILED;
  sluice_cli_follow_silently ();
  int status = sluice_cli_work_queue (store, group, 1, &n_failed, error);
  if (status != EXIT_OK)
    return status;
  if (!sluice_which_matters_look (store, runs[0], runs[1], options, &state, answer, error))
    return EXIT_FAILED;
  if (*answer != NULL)
    return EXIT_OK;
  sluice_fail (
      error, SLUICE_ERROR_FAILED_PRECONDITION,
      "%u of %u short runs have ended; somebody took the others out of the queue. Ask again",
      state.known, state.all);
  return EXIT_FAILED;
}

int
sluice_cli_print_which_matters (SluiceStore *store, char **names, gint64 n_steps, GError **error)
{
  g_autoptr (SluiceRunInfo) first = sluice_store_dup_run (store, names[0], error);
  g_autoptr (SluiceRunInfo) second =
      first != NULL ? sluice_store_dup_run (store, names[1], error) : NULL;
  if (second == NULL)
    return EXIT_FAILED;
  const SluiceWhichMattersOptions options = {
    .n_steps = n_steps,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
  };
  const SluiceRunInfo *const runs[] = { first, second };
  g_autoptr (SluiceWhichMatters) found = NULL;
  int status = find_out (store, runs, &options, &found, error);
  if (status == EXIT_OK && sluice_cli_json)
    print_matters_json (found, runs);
  else if (status == EXIT_OK)
    print_matters (found);
  return status;
}
