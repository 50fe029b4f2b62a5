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

/* ---- names ---- */

typedef struct
{
  const char *from, *to;
} Renaming;

/* (transfer full) (nullable): it is neither that nor in it */
static char *
dup_renamed (const Renaming *names, const char *name)
{
  gsize length = strlen (names->from);
  if (strncmp (name, names->from, length) != 0 || (name[length] != '\0' && name[length] != '/'))
    return NULL;
  return g_strconcat (names->to, name + length, NULL);
}

/* Of one name, or of a bend's two. (transfer full) (nullable) */
static char *
dup_renamed_key (const Renaming *names, const char *key, gboolean of_pairs)
{
  const char *second = of_pairs ? strchr (key, '\n') : NULL;
  if (second == NULL)
    return dup_renamed (names, key);
  g_autofree char *from = g_strndup (key, (gsize) (second - key));
  g_autofree char *a = dup_renamed (names, from), *b = dup_renamed (names, second + 1);
  if (a == NULL && b == NULL)
    return NULL;
  return g_strconcat (a != NULL ? a : from, "\n", b != NULL ? b : second + 1, NULL);
}

static void
rename_keys (GHashTable *table, const Renaming *names, gboolean of_pairs)
{
  guint n;
  g_autofree char **keys = (char **) g_hash_table_get_keys_as_array (table, &n);
  for (guint i = 0; i < n; i++)
    {
      gpointer key, value;
      g_autofree char *renamed = dup_renamed_key (names, keys[i], of_pairs);
      if (renamed == NULL || !g_hash_table_steal_extended (table, keys[i], &key, &value))
        continue;
      g_free (key);
      g_hash_table_replace (table, g_steal_pointer (&renamed), value);
    }
}

void
sluice_view_state_rename (SluiceViewState *self, const char *from, const char *to)
{
  const Renaming names = { from, to };
  GHashTableIter iter;
  gpointer value;
  rename_keys (self->moves, &names, FALSE);
  rename_keys (self->places, &names, FALSE);
  rename_keys (self->bends, &names, TRUE);
  g_hash_table_iter_init (&iter, self->notes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    for (char **name = ((SluiceViewNote *) value)->names; *name != NULL; name++)
      {
        char *renamed = dup_renamed (&names, *name);
        if (renamed == NULL)
          continue;
        g_free (*name);
        *name = renamed;
      }
}
