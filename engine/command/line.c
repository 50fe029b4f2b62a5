/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/line.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/tensor-text.h"
#include "engine/graph/attr-text.h"

static const char blanks[] = " \t\r\n\f\v";

static void
word_clear (gpointer data)
{
  SluiceWord *word = data;
  g_free (word->key);
  g_free (word->text);
}

char *
sluice_line_unquote (const char *text, GError **error)
{
  if (*text != '"')
    return g_strdup (text);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_parse (text, SLUICE_STRING, error);
  if (tensor == NULL)
    return NULL;
  const SluiceString *string = tensor->data;
  if (string->length > 0 && memchr (string->data, '\0', string->length) != NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s holds a zero byte", text);
      return NULL;
    }
  return g_strndup (string->length > 0 ? string->data : "", string->length);
}

char *
sluice_line_quote (const char *text)
{
  if (*text != '\0' && *text != '#' && strpbrk (text, "\"\\[]{}()= \t\r\n\f\v") == NULL)
    return g_strdup (text);
  g_autofree char *escaped = g_strescape (text, NULL);
  return g_strdup_printf ("\"%s\"", escaped);
}

/* The length of "KEY=", or 0. */
static gsize
key_length (const char *text)
{
  gsize n = strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-");
  return n > 0 && text[n] == '=' && *text != '-' ? n + 1 : 0;
}

/* "KEY=shape { … }" is one word, too. */
static gsize
word_span (const char *text, gsize key)
{
  gsize n = sluice_attr_text_span (text + key, blanks);
  if (key == 0 || n == G_MAXSIZE || n == 0)
    return n;
  gsize name = strspn (text + key, G_CSET_A_2_Z G_CSET_a_2_z "_");
  const char *after = text + key + n + strspn (text + key + n, blanks);
  if (name != n || *after != '{')
    return n;
  gsize braces = sluice_attr_text_span (after, blanks);
  return braces == G_MAXSIZE ? braces : (gsize) (after - text) - key + braces;
}

gsize
sluice_line_blanks (const char *text)
{
  return strspn (text, blanks);
}

gsize
sluice_line_span (const char *text, gsize *key)
{
  gsize span = word_span (text, *key = key_length (text));
  return span == G_MAXSIZE ? span : *key + span;
}

static gboolean
read_word (const char *line, const char *at, gsize *length, GArray *words, GError **error)
{
  gsize key, span = sluice_line_span (at, &key);
  SluiceWord word = { 0 };
  *length = span;
  if (span == G_MAXSIZE)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "character %zu: a quote or bracket is not closed", (gsize) (at - line) + 1);
  g_autofree char *text = g_strndup (at + key, span - key);
  if (key > 0)
    {
      word.key = g_strndup (at, key - 1);
      word.text = g_steal_pointer (&text);
    }
  else if ((word.text = sluice_line_unquote (text, error)) == NULL)
    {
      g_prefix_error (error, "character %zu: ", (gsize) (at - line) + 1);
      return FALSE;
    }
  g_array_append_val (words, word);
  return TRUE;
}

SluiceLine *
sluice_line_parse (const char *text, GError **error)
{
  g_autoptr (GArray) words = g_array_new (TRUE, TRUE, sizeof (SluiceWord));
  g_array_set_clear_func (words, word_clear);
  if (strnlen (text, SLUICE_LINE_MAX + 1) > SLUICE_LINE_MAX)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "the line has over %d bytes; keep large values in a checkpoint",
                   SLUICE_LINE_MAX);
      return NULL;
    }
  if (!g_utf8_validate (text, -1, NULL))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "the line is no UTF-8; write other bytes as \\x41");
      return NULL;
    }
  for (const char *at = text + strspn (text, blanks); *at != '\0' && *at != '#';
       at += strspn (at, blanks))
    {
      gsize length = 0;
      if (!read_word (text, at, &length, words, error))
        return NULL;
      at += length;
    }
  SluiceLine *self = g_new0 (SluiceLine, 1);
  self->n = words->len;
  g_array_set_clear_func (words, NULL);
  self->words = (SluiceWord *) g_array_free (g_steal_pointer (&words), FALSE);
  return self;
}

void
sluice_line_free (SluiceLine *self)
{
  for (guint i = 0; i < self->n; i++)
    word_clear (&self->words[i]);
  g_free (self->words);
  g_free (self);
}
