/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/view-state-private.h"

#include <string.h>

/* Lines of @a that are not in @b, both sorted, with a sign before each. */
static void
append_missing (const GPtrArray *a, const GPtrArray *b, char sign, GPtrArray *out)
{
  for (guint i = 0, k = 0; i < a->len; i++)
    {
      while (k < b->len && strcmp (b->pdata[k], a->pdata[i]) < 0)
        k++;
      if (k == b->len || strcmp (b->pdata[k], a->pdata[i]) != 0)
        g_ptr_array_add (out, g_strdup_printf ("%c%s", sign, (const char *) a->pdata[i]));
    }
}

GPtrArray *
sluice_view_state_diff (const SluiceViewState *before, const SluiceViewState *after)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) was = sluice_view_state_list_lines (before);
  g_autoptr (GPtrArray) is = sluice_view_state_list_lines (after);
  append_missing (was, is, '-', lines);
  append_missing (is, was, '+', lines);
  return lines;
}

static void
remove_line (SluiceViewState *self, char **words)
{
  guint n = g_strv_length (words);
  const char *kind = n > 0 ? words[0] : "";
  if (g_str_equal (kind, "engine"))
    self->use_dot = FALSE;
  else if (n < 2)
    return;
  else if (g_str_equal (kind, "moved"))
    g_hash_table_remove (self->moves, words[1]);
  else if (g_str_equal (kind, "include") || g_str_equal (kind, "exclude"))
    g_hash_table_remove (self->places, words[1]);
  else if (g_str_equal (kind, "note") || g_str_equal (kind, "frame"))
    g_hash_table_remove (self->notes, words[1]);
  else if (g_str_equal (kind, "bend") && n > 2)
    sluice_view_state_unset_bend (self, words[1], words[2]);
}

void
sluice_view_state_apply (SluiceViewState *self, const char *line)
{
  if (*line == '+')
    sluice_view_state_parse_line (self, line + 1);
  else if (*line == '-')
    {
      g_auto (GStrv) words = sluice_view_line_split (line + 1);
      if (words != NULL)
        remove_line (self, words);
    }
}
