/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/json-pull.h"

#include <string.h>

void
sluice_json_pull_init (SluiceJsonPull *self, const void *bytes, gsize length)
{
  self->start = self->at = bytes;
  self->end = self->start + length;
  self->failed = FALSE;
}

static gboolean
fail (SluiceJsonPull *self)
{
  self->failed = TRUE;
  return FALSE;
}

char
sluice_json_pull_peek (SluiceJsonPull *self)
{
  while (self->at < self->end && strchr (" \t\r\n", *self->at) != NULL && *self->at != '\0')
    self->at++;
  if (self->at >= self->end || self->failed)
    return '\0';
  char c = (char) *self->at;
  if (g_ascii_isdigit (c) || c == '-' || c == '+')
    return '0';
  return g_ascii_isalpha (c) ? 't' : c;
}

gboolean
sluice_json_pull_take (SluiceJsonPull *self, char which)
{
  if (sluice_json_pull_peek (self) != which)
    return FALSE;
  self->at++;
  return TRUE;
}

/* Four digits of \uXXXX. */
static gboolean
take_code (SluiceJsonPull *self, gunichar *code)
{
  *code = 0;
  if (self->end - self->at < 4)
    return fail (self);
  for (guint i = 0; i < 4; i++)
    {
      gint digit = g_ascii_xdigit_value ((char) *self->at++);
      if (digit < 0)
        return fail (self);
      *code = *code << 4 | (guint) digit;
    }
  return TRUE;
}

/* What is no pair of surrogates becomes the character that stands for what cannot be read. */
static gboolean
take_unicode (SluiceJsonPull *self, GString *out)
{
  gunichar high, low;
  if (!take_code (self, &high))
    return FALSE;
  if (high >= 0xd800 && high < 0xdc00 && self->end - self->at >= 6 && self->at[0] == '\\'
      && self->at[1] == 'u')
    {
      self->at += 2;
      if (!take_code (self, &low))
        return FALSE;
      high = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)
                                           : 0xfffd;
    }
  g_string_append_unichar (out, high == 0 || (high >= 0xd800 && high < 0xe000) ? 0xfffd : high);
  return TRUE;
}

static gboolean
take_escape (SluiceJsonPull *self, GString *out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (self->at >= self->end)
    return fail (self);
  char c = (char) *self->at++;
  const char *found = c != '\0' ? strchr (from, c) : NULL;
  if (c == 'u')
    return take_unicode (self, out);
  if (found == NULL)
    return fail (self);
  g_string_append_c (out, to[found - from]);
  return TRUE;
}

/* Behind its quotation mark. */
static gboolean
take_string (SluiceJsonPull *self, GString *out)
{
  while (self->at < self->end)
    {
      const guint8 *plain = self->at;
      while (self->at < self->end && *self->at != '"' && *self->at != '\\')
        self->at++;
      g_string_append_len (out, (const char *) plain, self->at - plain);
      if (self->at >= self->end)
        break;
      if (*self->at++ == '"')
        return TRUE;
      if (!take_escape (self, out))
        return FALSE;
    }
  return fail (self);
}

gboolean
sluice_json_pull_scalar (SluiceJsonPull *self, GString *out)
{
  char kind = sluice_json_pull_peek (self);
  g_string_truncate (out, 0);
  if (kind == '"')
    {
      self->at++;
      if (!take_string (self, out))
        return FALSE;
      if (!g_utf8_validate (out->str, (gssize) out->len, NULL))
        {
          g_autofree char *valid = g_utf8_make_valid (out->str, (gssize) out->len);
          g_string_assign (out, valid);
        }
      return TRUE;
    }
  if (kind != '0' && kind != 't')
    return fail (self);
  while (self->at < self->end && (g_ascii_isalnum ((char) *self->at) || strchr ("+-.", *self->at))
         && *self->at != '\0')
    g_string_append_c (out, (char) *self->at++);
  return TRUE;
}

gboolean
sluice_json_pull_skip (SluiceJsonPull *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint64 depth = 0;
  do
    {
      char kind = sluice_json_pull_peek (self);
      if (kind == '{' || kind == '[')
        depth++;
      if (kind == '}' || kind == ']')
        {
          if (depth == 0)
            return fail (self);
          depth--;
        }
      if (kind == '"' || kind == '0' || kind == 't')
        sluice_json_pull_scalar (self, text);
      else if (kind != '\0' && strchr ("{}[],:", kind) != NULL)
        self->at++;
      else
        fail (self);
    }
  while (depth > 0 && !self->failed);
  return !self->failed;
}

gboolean
sluice_json_pull_more (SluiceJsonPull *self, char end, gboolean is_first)
{
  if (sluice_json_pull_take (self, end))
    return FALSE;
  if (!is_first && !sluice_json_pull_take (self, ','))
    return fail (self);
  /* Who writes while it runs leaves a comma behind the last. */
  if (sluice_json_pull_take (self, end))
    return FALSE;
  return sluice_json_pull_peek (self) != '\0' || fail (self);
}

gboolean
sluice_json_pull_name (SluiceJsonPull *self, GString *out)
{
  if (sluice_json_pull_peek (self) != '"')
    return fail (self);
  return sluice_json_pull_scalar (self, out) && (sluice_json_pull_take (self, ':') || fail (self));
}
