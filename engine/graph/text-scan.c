/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/text-scan.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/wire.h"

typedef struct
{
  const char *text;
  gsize at, length;
} Scanner;

SluiceTextPlace
sluice_text_place (SluiceTextPlace from, const char *text, gsize byte)
{
  SluiceTextPlace place = from;
  const char *begin = text, *end = text + byte;
  for (const char *at; (at = memchr (begin, '\n', (gsize) (end - begin))) != NULL; begin = at + 1)
    {
      place.line++;
      place.byte = 0;
    }
  place.byte += (guint) (end - begin);
  return place;
}

const char *
sluice_text_split_error (const char *message, SluiceTextPlace *place)
{
  char *end;
  guint64 line = g_ascii_strtoull (message, &end, 10);
  if (end == message || *end != ':' || line == 0)
    return NULL;
  const char *second = end + 1;
  guint64 column = g_ascii_strtoull (second, &end, 10);
  if (end == second || !g_str_has_prefix (end, ": ") || column == 0)
    return NULL;
  *place = (SluiceTextPlace){ (guint) line - 1, (guint) column - 1 };
  return end + 2;
}

static gboolean
fail_at (const Scanner *s, gsize at, GError **error, const char *what)
{
  SluiceTextPlace place = sluice_text_place ((SluiceTextPlace){ 0 }, s->text, at);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%u:%u: %s", place.line + 1,
                      place.byte + 1, what);
}

/* Blanks and comments. */
static void
skip (Scanner *s)
{
  for (; s->at < s->length; s->at++)
    if (s->text[s->at] == '#')
      {
        const char *newline = memchr (s->text + s->at, '\n', s->length - s->at);
        s->at = (newline != NULL ? (gsize) (newline - s->text) : s->length) - 1;
      }
    else if (!g_ascii_isspace (s->text[s->at]))
      return;
}

static char
peek (const Scanner *s)
{
  return s->at < s->length ? s->text[s->at] : '\0';
}

static gboolean
skip_string (Scanner *s, GError **error)
{
  gsize begin = s->at;
  char quote = s->text[s->at++];
  for (; s->at < s->length && s->text[s->at] != quote && s->text[s->at] != '\n'; s->at++)
    if (s->text[s->at] == '\\' && s->at + 1 < s->length && s->text[s->at + 1] != '\n')
      s->at++;
  if (peek (s) != quote)
    return fail_at (s, begin, error, "a string is not closed on its line");
  s->at++;
  return TRUE;
}

static char
closing (char c)
{
  return c == '{' ? '}' : c == '<' ? '>' : c == '[' ? ']' : '\0';
}

/* From an opening bracket to behind the one that closes it. */
static gboolean
skip_brackets (Scanner *s, GError **error)
{
  gsize opened[SLUICE_MAX_NESTING + 1];
  guint depth = 0;
  do
    {
      skip (s);
      char c = peek (s);
      if (s->at >= s->length)
        return fail_at (s, opened[depth - 1], error, "this bracket is not closed");
      if (c == '"' || c == '\'')
        {
          if (!skip_string (s, error))
            return FALSE;
          continue;
        }
      if (closing (c) != '\0')
        {
          if (depth == G_N_ELEMENTS (opened))
            return fail_at (s, s->at, error, "messages are nested too deep");
          opened[depth++] = s->at;
        }
      else if (c != '\0' && strchr ("}>]", c) != NULL && closing (s->text[opened[depth - 1]]) != c)
        {
          g_autofree char *what = g_strdup_printf ("'%c' is expected, not '%c'",
                                                   closing (s->text[opened[depth - 1]]), c);
          return fail_at (s, s->at, error, what);
        }
      else if (c != '\0' && strchr ("}>]", c) != NULL)
        depth--;
      s->at++;
    }
  while (depth > 0);
  return TRUE;
}

/* As in 1e-3 or DT_FLOAT. */
static gboolean
is_of_scalar (const Scanner *s, gsize word)
{
  char c = s->text[s->at];
  gboolean is_sign = c == '+' || c == '-';
  return g_ascii_isalnum (c) || c == '.' || c == '_'
         || (is_sign && s->at > word && g_ascii_tolower (s->text[s->at - 1]) == 'e');
}

/* A number or word, or strings that are one. */
static gboolean
skip_scalar (Scanner *s, gsize *end, GError **error)
{
  gsize begin = s->at;
  while (peek (s) == '"' || peek (s) == '\'')
    {
      if (!skip_string (s, error))
        return FALSE;
      *end = s->at;
      skip (s);
    }
  if (s->at > begin)
    return TRUE;
  if (peek (s) == '-')
    {
      s->at++;
      skip (s);
    }
  gsize word = s->at;
  while (s->at < s->length && is_of_scalar (s, word))
    s->at++;
  *end = s->at;
  return s->at > word || fail_at (s, s->at, error, "a value is expected");
}

static gboolean
scan_value (Scanner *s, SluiceTextField *field, GError **error)
{
  skip (s);
  gboolean colon = peek (s) == ':';
  if (colon)
    s->at++;
  skip (s);
  field->value = s->at;
  if (closing (peek (s)) != '\0')
    {
      field->is_message = peek (s) != '[';
      if (!skip_brackets (s, error))
        return FALSE;
      field->end = field->value_end = s->at;
      if (field->is_message)
        {
          field->value++;
          field->value_end--;
        }
      return TRUE;
    }
  if (!colon)
    return fail_at (s, s->at, error, "':' or '{' is expected behind the name of a field");
  if (!skip_scalar (s, &field->end, error))
    return FALSE;
  field->value_end = field->end;
  return TRUE;
}

static gboolean
scan_field (Scanner *s, SluiceTextField *field, GError **error)
{
  char c = peek (s);
  *field = (SluiceTextField){ .begin = s->at };
  if (c == '[')
    {
      if (!skip_brackets (s, error))
        return FALSE;
    }
  else
    while (g_ascii_isalnum (peek (s)) || peek (s) == '_')
      s->at++;
  field->name_end = s->at;
  if (s->at > field->begin)
    return scan_value (s, field, error);
  g_autofree char *what = c >= ' ' && c < 0x7f
                              ? g_strdup_printf ("a field is expected, not '%c'", c)
                              : g_strdup ("a field is expected");
  return fail_at (s, s->at, error, what);
}

gboolean
sluice_text_scan_next (
    const char *text, gsize length, gsize *at, SluiceTextField *field, GError **error)
{
  Scanner s = { text, *at, length };
  skip (&s);
  if (s.at >= s.length || !scan_field (&s, field, error))
    return FALSE;
  skip (&s);
  if (peek (&s) == ',' || peek (&s) == ';')
    s.at++;
  *at = s.at;
  return TRUE;
}

GArray *
sluice_text_scan (const char *text, gsize length, GError **error)
{
  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (SluiceTextField));
  GError *problem = NULL;
  SluiceTextField field;
  for (gsize at = 0; sluice_text_scan_next (text, length, &at, &field, &problem);)
    g_array_append_val (fields, field);
  if (problem == NULL)
    return g_steal_pointer (&fields);
  g_propagate_error (error, problem);
  return NULL;
}

gboolean
sluice_text_field_is (const SluiceTextField *self, const char *text, const char *name)
{
  gsize length = strlen (name);
  return self->name_end - self->begin == length && memcmp (text + self->begin, name, length) == 0;
}

guint
sluice_text_find_field (const GArray *fields, const char *text, const char *name)
{
  for (guint i = 0; i < fields->len; i++)
    if (sluice_text_field_is (&g_array_index (fields, SluiceTextField, i), text, name))
      return i;
  return G_MAXUINT;
}

gsize
sluice_text_end_of_line (const char *text, gsize length, gsize at)
{
  gsize end = at;
  while (end < length && text[end] != '\n' && g_ascii_isspace (text[end]))
    end++;
  if (end < length && text[end] == '#')
    {
      const char *newline = memchr (text + end, '\n', length - end);
      end = newline != NULL ? (gsize) (newline - text) : length;
    }
  return end == length ? end : text[end] == '\n' ? end + 1 : at;
}
