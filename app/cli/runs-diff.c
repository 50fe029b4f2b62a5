/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/runs-diff.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/files.h"
#include "app/cli/json.h"
#include "app/cli/run-options.h"
#include "engine/base/text.h"
#include "engine/train/run-diff.h"
#include "engine/train/which-matters.h"

/* ---- JSON ---- */

static void
add_items (JsonBuilder *b, const SluiceRunDiff *diff)
{
  json_builder_set_member_name (b, "differs");
  json_builder_begin_array (b);
  for (guint i = 0; i < diff->differs->len; i++)
    {
      const SluiceRunDiffItem *item = diff->differs->pdata[i];
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "what", item->what);
      sluice_cli_json_string (b, "name", item->name);
      json_builder_set_member_name (b, "values");
      json_builder_begin_array (b);
      for (guint k = 0; k < item->n_values; k++)
        sluice_cli_json_add_string (b, item->values[k]);
      json_builder_end_array (b);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
add_verdict (JsonBuilder *b, SluiceSeedsVerdict verdict)
{
  if (verdict == SLUICE_SEEDS_UNKNOWN)
    sluice_cli_json_null (b, "more_than_seeds");
  else
    sluice_cli_json_bool (b, "more_than_seeds", verdict == SLUICE_SEEDS_MORE);
}

static void
add_results (JsonBuilder *b, const SluiceRunDiff *diff)
{
  json_builder_set_member_name (b, "results");
  json_builder_begin_array (b);
  for (guint i = 0; i < diff->results->len; i++)
    {
      const SluiceRunResultDiff *result = diff->results->pdata[i];
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "tag", result->tag);
      json_builder_set_member_name (b, "values");
      json_builder_begin_array (b);
      for (guint k = 0; k < result->n_values; k++)
        sluice_cli_json_add_double (b, result->values[k]);
      json_builder_end_array (b);
      add_verdict (b, result->more_than_seeds);
      sluice_cli_json_string (b, "why", result->why);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
print_json (const SluiceRunDiff *diff, char **names)
{
  g_autoptr (GPtrArray) same = g_ptr_array_new ();
  for (guint i = 0; i < diff->same->len; i++)
    g_ptr_array_add (same, diff->same->pdata[i]);
  g_ptr_array_add (same, NULL);
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_strings (b, "runs", (const char *const *) names);
  add_items (b, diff);
  sluice_cli_json_strings (b, "same", (const char *const *) same->pdata);
  add_results (b, diff);
  sluice_cli_json_end (b);
}

/* ---- text ---- */

static void
print_line (const char *text)
{
  g_autofree char *safe = sluice_text_escape (text);
  puts (safe);
}

static const char *
verdict_words (SluiceSeedsVerdict verdict)
{
  return verdict == SLUICE_SEEDS_MORE   ? _ ("more than seeds do")
         : verdict == SLUICE_SEEDS_LESS ? _ ("no more than seeds do")
                                        : _ ("perhaps by seeds alone");
}

static void
print_results (const SluiceRunDiff *diff)
{
  for (guint i = 0; i < diff->results->len; i++)
    {
      const SluiceRunResultDiff *result = diff->results->pdata[i];
      g_autoptr (GString) line = g_string_new (result->tag);
      for (guint k = 0; k < result->n_values; k++)
        g_string_append_printf (line, "%s%.5g", k == 0 ? "  " : " | ", result->values[k]);
      g_string_append_printf (line, "  %s (%s)", verdict_words (result->more_than_seeds),
                              result->why);
      print_line (line->str);
    }
}

static void
print_items (const SluiceRunDiff *diff)
{
  for (guint i = 0; i < diff->differs->len; i++)
    {
      const SluiceRunDiffItem *item = diff->differs->pdata[i];
      g_autoptr (GString) line = g_string_new (NULL);
      g_string_append_printf (line, "%-8s %s: ", _ (item->what), item->name);
      for (guint k = 0; k < item->n_values; k++)
        g_string_append_printf (line, "%s%s", k > 0 ? " | " : "",
                                item->values[k] != NULL ? item->values[k] : "–");
      print_line (line->str);
    }
}

static void
print_same (const SluiceRunDiff *diff)
{
  g_autoptr (GString) line = g_string_new (NULL);
  for (guint i = 0; i < diff->same->len; i++)
    g_string_append_printf (line, "%s%s", i > 0 ? ", " : "",
                            _ ((const char *) diff->same->pdata[i]));
  if (diff->same->len > 0)
    printf (_ ("the same: %s\n"), line->str);
}

/* ---- the whole ---- */

gboolean
sluice_cli_print_runs_diff (SluiceStore *store, char **names, GError **error)
{
  g_autoptr (GPtrArray) runs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  g_autoptr (GStrvBuilder) own = g_strv_builder_new ();
  for (guint i = 0; names[i] != NULL; i++)
    {
      SluiceRunInfo *run = sluice_store_dup_run (store, names[i], error);
      if (run == NULL)
        return FALSE;
      g_ptr_array_add (runs, run);
      g_strv_builder_add (own, run->name);
    }
  g_auto (GStrv) own_names = g_strv_builder_end (own);
  g_autoptr (SluiceRunDiff) diff =
      sluice_run_diff_new (store, (const SluiceRunInfo *const *) runs->pdata, runs->len, error);
  if (diff == NULL)
    return FALSE;
  print_json (diff, own_names);
  if (!sluice_cli_json)
    {
      print_results (diff);
      print_items (diff);
      print_same (diff);
    }
  return TRUE;
}

/* ---- which one matters ---- */

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
  g_string_append_printf (line, "%s: %s | %s  ", matter->name,
                          matter->was != NULL ? matter->was : "–",
                          matter->is != NULL ? matter->is : "–");
  if (matter->why != NULL)
    g_string_append_printf (line, _ ("cannot be taken over alone: %s"), matter->why);
  else
    g_string_append_printf (line, "%+.3g ± %.2g  %s", matter->effect, matter->plus_minus,
                            matter->matters ? _ ("matters") : _ ("no more than seeds do"));
  print_line (line->str);
}

gboolean
sluice_cli_print_which_matters (SluiceStore *store, char **names, gint64 n_steps, GError **error)
{
  g_autoptr (SluiceRunInfo) first = sluice_store_dup_run (store, names[0], error);
  g_autoptr (SluiceRunInfo) second =
      first != NULL ? sluice_store_dup_run (store, names[1], error) : NULL;
  if (second == NULL)
    return FALSE;
  const SluiceWhichMattersOptions options = {
    .n_steps = n_steps,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
  };
  g_autoptr (SluiceWhichMatters) found =
      sluice_which_matters (store, first, second, &options, error);
  if (found == NULL)
    return FALSE;
  if (sluice_cli_json)
    {
      const SluiceRunInfo *const runs[] = { first, second };
      print_matters_json (found, runs);
      return TRUE;
    }
  printf (
      _ ("loss after %" PRId64 " steps, %u seeds each: %.4g ± %.2g, with all differences %.4g\n"),
      found->n_steps, found->n_seeds, found->loss, found->spread, found->other);
  for (guint i = 0; i < found->matters->len; i++)
    print_matter (found->matters->pdata[i]);
  return TRUE;
}
