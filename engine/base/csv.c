/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/csv.h"

#include "engine/base/error.h"

void
sluice_csv_init (SluiceCsv *self, const char *text, gsize length, char delimiter, gboolean by_lines)
{
  *self = (SluiceCsv){
    .delimiter = delimiter,
    .has_quotes = TRUE,
    .by_lines = by_lines,
    .at = text,
    .end = text + length,
  };
}

static gboolean
fail (GError **error, const char *what)
{
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", what);
}

static gboolean
ends_line (const SluiceCsv *self, const char *at)
{
  return self->by_lines && at < self->end
         && (*at == '\n' || (*at == '\r' && (at + 1 == self->end || at[1] == '\n')));
}

static gboolean
ends_field (const SluiceCsv *self, const char *at)
{
  return at == self->end || *at == self->delimiter || ends_line (self, at);
}

static gboolean
is_blank (const SluiceCsv *self, const char *at)
{
  return self->by_lines && at < self->end && (*at == ' ' || *at == '\t') && *at != self->delimiter;
}

static const char *
skip_blanks (const SluiceCsv *self, const char *at)
{
  while (is_blank (self, at))
    at++;
  return at;
}

/* Behind the opening quote, up to one with the field's end behind it; two quotes are one. */
static gboolean
read_quoted (SluiceCsv *self, GString *field, GError **error)
{
  for (; self->at < self->end; self->at++)
    {
      if (*self->at == '"')
        {
          const char *behind = skip_blanks (self, self->at + 1);
          if (ends_field (self, behind))
            {
              self->at = behind;
              return TRUE;
            }
          if (self->at[1] != '"')
            return fail (error, "a quote within a quoted field must be doubled");
          /* At the end, two quotes are the first of a pair and no more. */
          if (self->at + 2 == self->end)
            break;
          self->at++;
        }
      self->line += *self->at == '\n';
      g_string_append_c (field, *self->at);
    }
  return fail (error,
               "a quoted field must end with a quote, and then a delimiter or the record's end");
}

static gboolean
read_plain (SluiceCsv *self, GString *field, GError **error)
{
  for (; !ends_field (self, self->at); self->at++)
    {
      if ((self->has_quotes && *self->at == '"') || *self->at == '\n' || *self->at == '\r')
        return fail (error, "a field with a quote or a line's end in it must be quoted");
      g_string_append_c (field, *self->at);
    }
  return TRUE;
}

static SluiceCsvResult
end_of_field (SluiceCsv *self)
{
  if (!self->by_lines || (self->at < self->end && *self->at == self->delimiter))
    {
      self->behind_delimiter = self->at < self->end && self->at + 1 == self->end;
      self->at += self->at < self->end;
      return SLUICE_CSV_FIELD;
    }
  self->at += self->at < self->end && *self->at == '\r';
  if (self->at < self->end && *self->at == '\n')
    {
      self->at++;
      self->line++;
    }
  return SLUICE_CSV_LAST_FIELD;
}

SluiceCsvResult
sluice_csv_next (SluiceCsv *self, GString *field, GError **error)
{
  while (!self->by_lines && self->at < self->end && (*self->at == '\n' || *self->at == '\r'))
    self->at++;
  g_string_truncate (field, 0);
  if (self->at == self->end)
    {
      /* An empty field, where the last byte is a delimiter. */
      gboolean last = self->behind_delimiter;
      self->behind_delimiter = FALSE;
      return !last ? SLUICE_CSV_END : self->by_lines ? SLUICE_CSV_LAST_FIELD : SLUICE_CSV_FIELD;
    }
  const char *start = self->has_quotes ? skip_blanks (self, self->at) : self->at;
  gboolean quoted = self->has_quotes && start < self->end && *start == '"';
  if (quoted)
    self->at = start + 1;
  if (!(quoted ? read_quoted : read_plain) (self, field, error))
    return SLUICE_CSV_FAILED;
  return end_of_field (self);
}
