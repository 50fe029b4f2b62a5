/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/loss-match.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "app/divergence-words.h"
#include "engine/base/pool.h"
#include "engine/store/store.h"

static void
add_names (JsonBuilder *b, const char *name, const GPtrArray *names)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < names->len; i++)
    sluice_cli_json_add_string (b, names->pdata[i]);
  json_builder_end_array (b);
}

void
sluice_cli_json_divergence (JsonBuilder *b, const SluiceDivergence *divergence)
{
  const SluiceDifference *d = &divergence->difference;
  g_autofree char *words = sluice_divergence_words (divergence);
  sluice_cli_json_string (b, "node", divergence->node);
  sluice_cli_json_string (b, "op", divergence->op);
  sluice_cli_json_string (b, "tensor", divergence->tensor);
  sluice_cli_json_string (b, "variable", divergence->variable);
  add_names (b, "inputs", divergence->inputs);
  add_names (b, "not_compared", divergence->unknown);
  sluice_cli_json_string (b, "mismatch", divergence->mismatch);
  sluice_cli_json_double (b, "absolute", d->max_abs);
  sluice_cli_json_double (b, "relative", d->max_rel);
  sluice_cli_json_int (b, "differ", d->n_differ);
  sluice_cli_json_int (b, "beyond", d->n_beyond);
  sluice_cli_json_int (b, "element", d->first_beyond);
  sluice_cli_json_string (b, "place", divergence->place);
  sluice_cli_json_string (b, "was", divergence->was);
  sluice_cli_json_string (b, "is", divergence->is);
  sluice_cli_json_int (b, "others", divergence->n_others);
  sluice_cli_json_string (b, "words", words);
}

static void
print_json (const SluiceLossMatch *found)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_bool (b, "equal", found->equal);
  json_builder_set_member_name (b, "losses");
  json_builder_begin_array (b);
  for (guint i = 0; i < found->losses->len; i++)
    {
      const SluiceLossPair *pair = &g_array_index (found->losses, SluiceLossPair, i);
      json_builder_begin_array (b);
      sluice_cli_json_add_double (b, pair->first);
      sluice_cli_json_add_double (b, pair->second);
      json_builder_end_array (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_int (b, "compared", found->n_compared);
  sluice_cli_json_int (b, "only_first", found->n_only[0]);
  sluice_cli_json_int (b, "only_second", found->n_only[1]);
  if (found->first == NULL)
    sluice_cli_json_null (b, "first");
  else
    {
      json_builder_set_member_name (b, "first");
      json_builder_begin_object (b);
      sluice_cli_json_int (b, "batch", found->batch);
      sluice_cli_json_divergence (b, found->first);
      json_builder_end_object (b);
    }
  sluice_cli_json_end (b);
}

static void
print_text (const SluiceLossMatch *found)
{
  for (guint i = 0; i < found->losses->len; i++)
    {
      const SluiceLossPair *pair = &g_array_index (found->losses, SluiceLossPair, i);
      printf (_ ("batch %-5u loss %.9g, %.9g\n"), i + 1, pair->first, pair->second);
    }
  printf (_ ("outputs    %u in both, %u and %u in one only\n"), found->n_compared, found->n_only[0],
          found->n_only[1]);
  if (found->first == NULL)
    puts (_ ("first      none differs"));
  else
    {
      g_autofree char *words = sluice_divergence_words (found->first);
      printf (_ ("first      %s\n"), words);
    }
  puts (found->equal ? _ ("The losses are the same.") : _ ("The losses differ."));
}

/* (transfer full) (nullable) */
static SluiceProject *
load (const char *name, const char *workspace, GError **error)
{
  if (sluice_project_is_folder (name))
    return sluice_cli_load_project (name, NULL, NULL, NULL, error);
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (folder, error);
  g_autoptr (SluiceRunInfo) run = store != NULL ? sluice_store_dup_run (store, name, error) : NULL;
  g_autofree char *frozen = run != NULL ? sluice_store_dup_run_folder (store, run->id) : NULL;
  return frozen != NULL ? sluice_project_load (frozen, error) : NULL;
}

int
sluice_cli_match_losses (char **names,
                         const char *workspace,
                         const SluiceLossMatchOptions *options,
                         GError **error)
{
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autoptr (SluiceProject) first = load (names[0], workspace, error);
  g_autoptr (SluiceProject) second = first != NULL ? load (names[1], workspace, error) : NULL;
  g_autoptr (SluiceLossMatch) found =
      second != NULL ? sluice_loss_match (first, second, options, error) : NULL;
  if (found == NULL)
    return EXIT_FAILED;
  if (sluice_cli_json)
    print_json (found);
  else
    print_text (found);
  return found->equal ? EXIT_OK : EXIT_FAILED;
}
