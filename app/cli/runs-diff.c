/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/runs-diff.h"

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/json.h"
#include "engine/base/text.h"
#include "engine/train/run-variant.h"

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
  g_auto (GStrv) own_names = NULL;
  g_autoptr (SluiceRunDiff) diff =
      sluice_run_diff_new_of (store, (const char *const *) names, &own_names, error);
  if (diff == NULL)
    return FALSE;
  if (sluice_cli_json)
    sluice_cli_print_variant (sluice_run_diff_to_variant (diff, (const char *const *) own_names));
  else
    {
      print_results (diff);
      print_items (diff);
      print_same (diff);
    }
  return TRUE;
}
