/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/flat-yaml.h"

#include <string.h>

#include "engine/base/error.h"

typedef struct
{
  const char *at, *end; /* what is left */
  guint line;           /* from 1; of what was taken last */
  /* The line at hand, without its end: */
  const char *text, *text_end;
  gsize indent;
  /* Keys that are open, and how far each is indented: */
  char *keys[SLUICE_FLAT_YAML_MAX_DEPTH + 1];
  gsize indents[SLUICE_FLAT_YAML_MAX_DEPTH];
  guint n_keys;
} Reader;

static gboolean
fail (const Reader *self, const char *what, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "line %u: %s", self->line, what);
}

/* ---- lines ---- */

/* The next line as it stands; FALSE: there is none. */
static gboolean
peek (Reader *self, const char **next)
{
  if (self->at >= self->end)
    return FALSE;
  const char *newline = memchr (self->at, '\n', (gsize) (self->end - self->at));
  *next = newline != NULL ? newline + 1 : self->end;
  self->text = self->at;
  self->text_end = newline != NULL ? newline : self->end;
  if (self->text_end > self->text && self->text_end[-1] == '\r')
    self->text_end--;
  self->indent = 0;
  while (self->text < self->text_end && *self->text == ' ')
    {
      self->text++;
      self->indent++;
    }
  while (self->text_end > self->text && g_ascii_isspace (self->text_end[-1]))
    self->text_end--;
  return TRUE;
}

static void
take (Reader *self, const char *next)
{
  self->at = next;
  self->line++;
}

static gboolean
is_empty (const Reader *self)
{
  return self->text == self->text_end;
}

static gboolean
begins (const Reader *self, const char *word)
{
  gsize length = strlen (word);
  return (gsize) (self->text_end - self->text) >= length && memcmp (self->text, word, length) == 0;
}

/* An item of a list; its text begins behind the dash. */
static gboolean
is_item (const Reader *self)
{
  return begins (self, "- ") || (begins (self, "-") && self->text_end == self->text + 1);
}

/* ---- values ---- */

/* Behind the quote that closes what begins at text; NULL: it is not closed. */
static const char *
find_closing (const char *text, const char *end)
{
  char quote = *text++;
  for (; text < end; text++)
    {
      if (quote == '"' && *text == '\\')
        text++;
      else if (*text == quote && quote == '\'' && text + 1 < end && text[1] == quote)
        text++;
      else if (*text == quote)
        return text + 1;
    }
  return NULL;
}

static void
append_escape (GString *value, char letter)
{
  static const char from[] = "ntr0", to[] = "\n\t\r ";
  const char *known = strchr (from, letter);
  g_string_append_c (value, known != NULL && letter != '\0' ? to[known - from] : letter);
}

/* (transfer full): of "…" and '…', the closing quote included in the length */
static char *
unquote (const char *text, gsize length)
{
  GString *value = g_string_new (NULL);
  char quote = *text;
  for (gsize i = 1; i + 1 < length; i++)
    if (quote == '"' && text[i] == '\\')
      append_escape (value, text[++i]);
    else
      {
        i += quote == '\'' && text[i] == '\'';
        g_string_append_c (value, text[i]);
      }
  return g_string_free (value, FALSE);
}

/* Lines that are further in than the key belong to its value. */
static void
gather (Reader *self, gsize indent, GString *value, char between)
{
  const char *next;
  while (peek (self, &next) && (is_empty (self) || self->indent > indent))
    {
      if (value->len > 0)
        g_string_append_c (value, is_empty (self) ? '\n' : between);
      g_string_append_len (value, self->text, self->text_end - self->text);
      take (self, next);
    }
}

/* A comment behind a plain value. */
static void
cut_comment (GString *value)
{
  const char *comment = strstr (value->str, " #");
  if (comment != NULL)
    g_string_truncate (value, (gsize) (comment - value->str));
  while (value->len > 0 && g_ascii_isspace (value->str[value->len - 1]))
    g_string_truncate (value, value->len - 1);
}

/* text: where it begins, in the line that was taken last */
static gboolean
tell_value (Reader *self,
            const char *text,
            const char *end,
            gsize indent,
            SluiceFlatYamlFunc func,
            gpointer data,
            GError **error)
{
  g_autoptr (GString) value = g_string_new_len (text, end - text);
  gboolean is_block = *value->str == '|' || *value->str == '>';
  gboolean is_quoted = *value->str == '"' || *value->str == '\'';
  g_autofree char *unquoted = NULL;
  if (is_block)
    g_string_truncate (value, 0);
  gather (self, indent, value, is_block ? '\n' : ' ');
  if (is_quoted)
    {
      const char *closing = find_closing (value->str, value->str + value->len);
      if (closing == NULL)
        return fail (self, "a quote is not closed", error);
      unquoted = unquote (value->str, (gsize) (closing - value->str));
    }
  else if (!is_block)
    cut_comment (value);
  func ((const char *const *) self->keys, self->n_keys, is_quoted ? unquoted : value->str,
        is_quoted || is_block, data);
  return TRUE;
}

/* ---- keys ---- */

static void
close_keys (Reader *self, gsize indent)
{
  while (self->n_keys > 0 && self->indents[self->n_keys - 1] >= indent)
    g_clear_pointer (&self->keys[--self->n_keys], g_free);
}

/* Where the key of the line ends; NULL: it has none. */
static const char *
find_colon (const Reader *self)
{
  const char *at = self->text;
  if (*at == '"' || *at == '\'')
    at = find_closing (at, self->text_end);
  for (; at != NULL && at < self->text_end; at++)
    if (*at == ':' && (at + 1 == self->text_end || at[1] == ' '))
      return at;
  return NULL;
}

static gboolean
take_key (Reader *self, const char *next, SluiceFlatYamlFunc func, gpointer data, GError **error)
{
  const char *text = self->text, *end = self->text_end, *colon = find_colon (self);
  gsize indent = self->indent;
  take (self, next);
  if (colon == NULL)
    return fail (self, "neither 'key: value' nor an item of a list", error);
  close_keys (self, indent);
  if (self->n_keys == SLUICE_FLAT_YAML_MAX_DEPTH)
    return fail (self, "keys lie too deep", error);
  self->indents[self->n_keys] = indent;
  self->keys[self->n_keys++] = *text == '"' || *text == '\''
                                   ? unquote (text, (gsize) (colon - text))
                                   : g_strndup (text, (gsize) (colon - text));
  for (colon++; colon < end && *colon == ' '; colon++)
    ;
  return colon == end || *colon == '#' || tell_value (self, colon, end, indent, func, data, error);
}

/* An item of the innermost list. One with keys of its own is left out, and what lies below it. */
static gboolean
take_item (Reader *self, const char *next, SluiceFlatYamlFunc func, gpointer data, GError **error)
{
  gsize indent = self->indent;
  const char *end = self->text_end;
  self->text += begins (self, "- ") ? 2 : 1;
  const char *text = self->text;
  gboolean is_plain = text < end && find_colon (self) == NULL && !is_item (self);
  take (self, next);
  close_keys (self, indent + 1);
  if (is_plain)
    return tell_value (self, text, end, indent, func, data, error);
  g_autoptr (GString) left_out = g_string_new (NULL);
  gather (self, indent, left_out, ' ');
  return TRUE;
}

static gboolean
take_line (Reader *self, const char *next, SluiceFlatYamlFunc func, gpointer data, GError **error)
{
  gboolean is_mark = self->indent == 0 && (begins (self, "---") || begins (self, "%"));
  if (is_empty (self) || *self->text == '#' || is_mark)
    {
      take (self, next);
      return TRUE;
    }
  if (*self->text == '\t')
    {
      take (self, next);
      return fail (self, "a tab cannot indent", error);
    }
  return is_item (self) ? take_item (self, next, func, data, error)
                        : take_key (self, next, func, data, error);
}

gboolean
sluice_flat_yaml_each (
    const char *text, gsize length, SluiceFlatYamlFunc func, gpointer data, GError **error)
{
  Reader self = { .at = text, .end = text + length };
  const char *next;
  gboolean ok = !g_utf8_validate_len (text, length, NULL)
                    ? sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "it is no UTF-8 text")
                    : TRUE;
  while (ok && peek (&self, &next))
    ok = take_line (&self, next, func, data, error);
  close_keys (&self, 0);
  return ok;
}
