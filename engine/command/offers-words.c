/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What people say of ops and layers, as data. */
#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/command/template.h"

#define PATH "/org/sluice/words/ops.words"

typedef struct
{
  GHashTable *order; /* op -> its number, from 1 */
  GHashTable *also;  /* key -> words */
  GHashTable *fits;  /* way -> SluiceLine */
  GHashTable *sets;  /* what ops are -> GHashTable of them */
} Words;

static void
read_line (Words *words, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceLine) line = sluice_line_parse (text, &error);
  if (line == NULL)
    g_error ("%s: %s", PATH, error->message); /* of our own making */
  const SluiceWord *word = line->words;
  if (line->n == 0)
    return;
  if (g_str_equal (word[0].text, "usual"))
    for (guint i = 1; i < line->n; i++)
      g_hash_table_insert (words->order, g_strdup (word[i].text),
                           GUINT_TO_POINTER (g_hash_table_size (words->order) + 1));
  else if (g_str_equal (word[0].text, "also") && line->n == 3)
    g_hash_table_insert (words->also, g_strdup (word[1].text), g_strdup (word[2].text));
  else if (g_str_equal (word[0].text, "fit") && line->n == 4)
    {
      char *way = word[1].text;
      g_hash_table_insert (words->fits, way, g_steal_pointer (&line));
    }
  else
    {
      GHashTable *set = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 1; i < line->n; i++)
        g_hash_table_add (set, g_strdup (word[i].text));
      g_hash_table_insert (words->sets, g_strdup (word[0].text), set);
    }
}

static const Words *
get_words (void)
{
  static Words *all;
  if (g_once_init_enter (&all))
    {
      g_autoptr (GError) error = NULL;
      Words *words = g_new (Words, 1);
      g_autoptr (GBytes) bytes =
          g_resource_lookup_data (sluice_template_get_resource (), PATH, 0, &error);
      if (bytes == NULL)
        g_error ("%s", error->message);
      g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
      words->order = g_hash_table_new (g_str_hash, g_str_equal);
      words->also = g_hash_table_new (g_str_hash, g_str_equal);
      words->fits = g_hash_table_new (g_str_hash, g_str_equal);
      words->sets = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; lines[i] != NULL; i++)
        read_line (words, lines[i]);
      g_once_init_leave (&all, words);
    }
  return all;
}

guint
sluice_op_words_get_order (const char *op)
{
  gpointer number = g_hash_table_lookup (get_words ()->order, op);
  return number != NULL ? GPOINTER_TO_UINT (number) - 1 : G_MAXUINT16;
}

const char *
sluice_op_words_get_also (const char *key)
{
  return g_hash_table_lookup (get_words ()->also, key);
}

const char *
sluice_op_words_get_fit (const char *way, const char **name)
{
  const SluiceLine *line = g_hash_table_lookup (get_words ()->fits, way);
  g_assert (line != NULL); /* the ways are those of this program */
  *name = line->words[3].text;
  return line->words[2].text;
}

gboolean
sluice_op_words_is (const char *what, const char *op)
{
  return g_hash_table_contains (g_hash_table_lookup (get_words ()->sets, what), op);
}
