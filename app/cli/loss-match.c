/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/loss-match.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/pool.h"
#include "engine/store/store.h"

static void
print_json (const SluiceLossMatch *found)
{
  const SluiceOpDifference *first = found->first;
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
  if (first == NULL)
    sluice_cli_json_null (b, "first");
  else
    {
      json_builder_set_member_name (b, "first");
      json_builder_begin_object (b);
      sluice_cli_json_int (b, "batch", first->batch);
      sluice_cli_json_string (b, "node", first->node);
      sluice_cli_json_string (b, "op", first->op);
      sluice_cli_json_string (b, "tensor", first->tensor);
      sluice_cli_json_string (b, "mismatch", first->mismatch);
      sluice_cli_json_double (b, "absolute", first->difference.max_abs);
      sluice_cli_json_int (b, "differ", first->difference.n_differ);
      sluice_cli_json_int (b, "element", first->difference.first_beyond);
      json_builder_end_object (b);
    }
  sluice_cli_json_end (b);
}

static void
print_text (const SluiceLossMatch *found)
{
  const SluiceOpDifference *first = found->first;
  for (guint i = 0; i < found->losses->len; i++)
    {
      const SluiceLossPair *pair = &g_array_index (found->losses, SluiceLossPair, i);
      printf (_ ("batch %-5u loss %.9g, %.9g\n"), i + 1, pair->first, pair->second);
    }
  printf (_ ("outputs    %u in both, %u and %u in one only\n"), found->n_compared, found->n_only[0],
          found->n_only[1]);
  if (first == NULL)
    puts (_ ("first      none differs"));
  else if (first->mismatch != NULL)
    printf (_ ("first      %s (%s): %s\n"), first->tensor, first->op, first->mismatch);
  else
    printf (_ ("first      %s (%s): %" PRId64 " elements from %" PRId64 " on, by %.3g at the "
               "most\n"),
            first->tensor, first->op, first->difference.n_differ, first->difference.first_beyond,
            first->difference.max_abs);
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
