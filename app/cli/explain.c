/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/explain.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "engine/passes/passes.h"

/* (nullable): it runs where nothing is asked for */
static const char *
option_of (const SluicePass *pass)
{
  if (pass->enabled & SLUICE_PASS_RECOMPUTE)
    return "recompute";
  if (pass->enabled & SLUICE_PASS_ORDER_EFFECTS)
    return "ordered";
  if (pass->enabled & SLUICE_PASS_FIT)
    return "fit";
  return pass->enabled & SLUICE_PASS_SHUFFLE ? "order-seed" : NULL;
}

static void
list_as_json (const SluicePass *const *passes, guint n)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  json_builder_set_member_name (b, "passes");
  json_builder_begin_array (b);
  for (guint i = 0; i < n; i++)
    {
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "pass", passes[i]->name);
      sluice_cli_json_string (b, "summary", _ (passes[i]->summary));
      sluice_cli_json_string (b, "option", option_of (passes[i]));
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

void
sluice_cli_list_passes (void)
{
  guint n;
  const SluicePass *const *passes = sluice_passes_list (&n);
  if (sluice_cli_json)
    list_as_json (passes, n);
  for (guint i = 0; i < n && !sluice_cli_json; i++)
    {
      const char *option = option_of (passes[i]);
      printf ("%-13s %s%s%s%s\n", passes[i]->name, _ (passes[i]->summary), option ? " (--" : "",
              option ? option : "", option ? ")" : "");
    }
}

static void
print_change (const SluiceWorkChange *change)
{
  const gboolean differs =
      change->before && change->after && strcmp (change->before, change->after) != 0;
  if (change->before && (differs || !change->after))
    printf ("- %s\n", change->before);
  if (change->after)
    printf ("%c %s\n", differs || !change->before ? '+' : '~', change->after);
}

static void
print_text (const SluiceExplanation *explanation)
{
  printf ("%s: %s\n", explanation->pass->name, _ (explanation->pass->summary));
  printf (_ ("nodes: %u before, %u after\n"), explanation->before->n_nodes,
          explanation->after->n_nodes);
  if (explanation->changes->len == 0)
    puts (_ ("nothing changed"));
  for (guint i = 0; i < explanation->changes->len; i++)
    print_change (&g_array_index (explanation->changes, SluiceWorkChange, i));
}

static void
print_json (const SluiceExplanation *explanation)
{
  static const char *const words[] = { "removed", "added", "changed", "moved" };
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "pass", explanation->pass->name);
  sluice_cli_json_string (b, "summary", _ (explanation->pass->summary));
  sluice_cli_json_int (b, "nodes_before", explanation->before->n_nodes);
  sluice_cli_json_int (b, "nodes_after", explanation->after->n_nodes);
  json_builder_set_member_name (b, "changes");
  json_builder_begin_array (b);
  for (guint i = 0; i < explanation->changes->len; i++)
    {
      const SluiceWorkChange *change = &g_array_index (explanation->changes, SluiceWorkChange, i);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "change", words[change->kind]);
      sluice_cli_json_string (b, "node", change->name);
      sluice_cli_json_string (b, "before", change->before);
      sluice_cli_json_string (b, "after", change->after);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

gboolean
sluice_cli_explain (SluiceSession *session,
                    const SluiceStepNames *names,
                    const char *pass,
                    GError **error)
{
  g_autoptr (SluiceExplanation) explanation = sluice_session_explain (session, names, pass, error);
  if (!explanation)
    return FALSE;
  if (sluice_cli_json)
    print_json (explanation);
  else
    print_text (explanation);
  return TRUE;
}
