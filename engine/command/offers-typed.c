/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Values that are typed behind the name of an offer. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/line.h"
#include "engine/command/offers-private.h"

char *
sluice_offer_split_text (const char *text, char ***values)
{
  g_autoptr (GStrvBuilder) others = g_strv_builder_new (), found = g_strv_builder_new ();
  for (const char *at = text; *(at += sluice_line_blanks (at)) != '\0';)
    {
      gsize key, length = sluice_line_span (at, &key);
      if (length == G_MAXSIZE) /* still being typed */
        length = strlen (at);
      g_autofree char *word = g_strndup (at, length);
      g_strv_builder_add (key > 0 ? found : others, word);
      at += length;
    }
  g_auto (GStrv) rest = g_strv_builder_end (others);
  *values = g_strv_builder_end (found);
  return g_strjoinv (" ", rest);
}

/* ---- the commands of an offer ---- */

/* A command, each of its words as it is written. */
typedef GPtrArray Part;

static Part *
part_new (const SluiceLine *line)
{
  Part *self = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < line->n; i++)
    {
      const SluiceWord *word = &line->words[i];
      g_ptr_array_add (self, word->key != NULL ? g_strdup_printf ("%s=%s", word->key, word->text)
                                               : sluice_line_quote (word->text));
    }
  return self;
}

/* "KEY=VALUE": in the place of what the key had, else at the end. */
static void
part_set (Part *self, const char *value)
{
  gsize n = strcspn (value, "=") + 1;
  guint i = 2;
  while (i < self->len && strncmp (self->pdata[i], value, n) != 0)
    i++;
  if (i < self->len)
    g_ptr_array_remove_index (self, i);
  g_ptr_array_insert (self, (int) i, g_strdup (value));
}

static gboolean
part_is (const Part *self, const char *command)
{
  return self->len > 2 && strcmp (self->pdata[0], command) == 0;
}

/* Does it make what the offer is about? */
static gboolean
part_makes (const Part *self, const SluiceOffer *offer)
{
  static const char layer[] = "layer ", block[] = "block ";
  if (part_is (self, "instance"))
    return g_str_has_prefix (offer->key, block)
           && strcmp (self->pdata[1], offer->key + strlen (block)) == 0;
  if (part_is (self, "layer"))
    return g_str_has_prefix (offer->key, layer)
           && strcmp (self->pdata[1], offer->key + strlen (layer)) == 0;
  return (part_is (self, "add") || part_is (self, "insert"))
         && strcmp (self->pdata[1], offer->key) == 0;
}

/* parts: (element-type Part). (nullable) */
static Part *
find_main (const GPtrArray *parts, const SluiceOffer *offer)
{
  for (guint i = 0; i < parts->len; i++)
    if (part_makes (parts->pdata[i], offer))
      return parts->pdata[i];
  return NULL;
}

/* The constant "NODE/KEY" beside the node. (nullable) */
static Part *
find_constant (const GPtrArray *parts, const Part *node, const char *key)
{
  g_autofree char *name = sluice_line_unquote (node->pdata[2], NULL);
  g_autofree char *full = g_strdup_printf ("%s/%s", name, key);
  g_autofree char *quoted = sluice_line_quote (full);
  for (guint i = 0; i < parts->len; i++)
    {
      Part *part = parts->pdata[i];
      if (part != node && part_is (part, "add") && strcmp (part->pdata[2], quoted) == 0)
        return part;
    }
  return NULL;
}

/* Where there are more commands than one the others name it, too. */
static gboolean
set_name (GPtrArray *parts, Part *node, const char *value, GError **error)
{
  g_autofree char *name = sluice_line_unquote (value, error);
  if (name == NULL)
    return FALSE;
  g_autofree char *quoted = sluice_line_quote (name);
  if (parts->len == 1)
    {
      g_free (node->pdata[2]);
      node->pdata[2] = g_steal_pointer (&quoted);
      return TRUE;
    }
  Part *rename = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (rename, g_strdup ("rename"));
  g_ptr_array_add (rename, g_strdup (node->pdata[2]));
  g_ptr_array_add (rename, g_steal_pointer (&quoted));
  g_ptr_array_add (parts, rename);
  return TRUE;
}

static gboolean
set_value (GPtrArray *parts, Part *node, const char *value, GError **error)
{
  gsize n = strcspn (value, "=");
  g_autofree char *key = g_strndup (value, n);
  if (strcmp (key, "name") == 0)
    return set_name (parts, node, value + n + 1, error);
  Part *constant = find_constant (parts, node, key);
  g_autofree char *of_constant = g_strconcat ("value", value + n, NULL);
  part_set (constant != NULL ? constant : node, constant != NULL ? of_constant : value);
  return TRUE;
}

/* ---- all of it ---- */

static char *
part_dup_line (Part *self)
{
  g_ptr_array_add (self, NULL);
  return g_strjoinv (" ", (char **) self->pdata);
}

static GPtrArray *
split (const SluiceLine *line)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  if (strcmp (line->words[0].text, "together") != 0)
    g_ptr_array_add (parts, part_new (line));
  else
    for (guint i = 2; i < line->n; i++)
      {
        g_autoptr (SluiceLine) one = sluice_line_parse (line->words[i].text, NULL);
        g_ptr_array_add (parts, part_new (one)); /* of our own making */
      }
  return parts;
}

static char *
join (const SluiceLine *line, const GPtrArray *parts)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; i < parts->len; i++)
    {
      g_autofree char *text = part_dup_line (parts->pdata[i]);
      g_strv_builder_add (builder, text);
    }
  g_auto (GStrv) lines = g_strv_builder_end (builder);
  return parts->len == 1 ? g_strdup (lines[0])
                         : sluice_offer_join (line->words[1].text, (const char *const *) lines);
}

char *
sluice_offer_dup_line_with (const SluiceOffer *self, const char *const *values, GError **error)
{
  if (values[0] == NULL)
    return g_strdup (self->line);
  g_autoptr (SluiceLine) line = sluice_line_parse (self->line, error);
  if (line == NULL)
    return NULL;
  g_autoptr (GPtrArray) parts = split (line);
  Part *node = find_main (parts, self);
  if (node == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s makes nothing that %s could be said of; leave it out", self->title,
                   values[0]);
      return NULL;
    }
  for (guint i = 0; values[i] != NULL; i++)
    if (!set_value (parts, node, values[i], error))
      return NULL;
  return join (line, parts);
}
