/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/debug-words.h"

#include <glib/gi18n-lib.h>

char *
sluice_debug_words_of_node (const SluiceDebugNode *node)
{
  return node->loops != NULL
             ? g_strdup_printf (_ ("%s '%s' on %s in %s"), node->op, node->name, node->device,
                                node->loops)
             : g_strdup_printf (_ ("%s '%s' on %s"), node->op, node->name, node->device);
}

const char *
sluice_debug_words_of_turn (SluiceTurn turn)
{
  static const char *const words[] = {
    N_ ("the run has stopped at it"),
    N_ ("ready"),
    N_ ("under way"),
    N_ ("waits"),
    N_ ("has run"),
    N_ ("does not run: its branch is not taken"),
    N_ ("its loop does not run"),
  };
  return _ (words[turn]);
}

char *
sluice_debug_words_of_why (const SluiceDebugWhy *why, const char *asked, guint most)
{
  g_autofree char *node = sluice_debug_words_of_node (&why->node);
  GString *line = g_string_new (NULL);
  guint n = most > 0 ? MIN (most, why->missing->len) : why->missing->len;
  if (asked != NULL && !g_str_equal (asked, why->node.name))
    g_string_append_printf (line, _ ("'%s' runs within "), asked);
  g_string_append (line, node);
  g_string_append_printf (line, ": %s", sluice_debug_words_of_turn (why->node.turn));
  if (why->waits_for != NULL)
    g_string_append_printf (line, _ (", waits for %s"), why->waits_for);
  for (guint i = 0; i < n; i++)
    {
      const SluiceDebugMissing *missing = &g_array_index (why->missing, SluiceDebugMissing, i);
      const char *loops = missing->source.loops;
      g_string_append_printf (line, "%s%s (%s%s%s)", i > 0 ? ", " : _ (" for "), missing->edge,
                              loops != NULL ? loops : "", loops != NULL ? ": " : "",
                              sluice_debug_words_of_turn (missing->source.turn));
    }
  if (n < why->missing->len)
    g_string_append_printf (line,
                            ngettext (", and %u more", ", and %u more", why->missing->len - n),
                            why->missing->len - n);
  return g_string_free (line, FALSE);
}
