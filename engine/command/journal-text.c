/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/journal-text.h"

#include <string.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/command/line.h"

#define VERSION     1
#define BEGINS      "# sluice journal "
#define IS_OF       "# of "
#define IS_ON       "# on "
#define HASH_LENGTH 64 /* SHA-256 in hex */
#define SUM_LENGTH  (sizeof " # 01234567" - 1)
#define N_HEADER    3 /* lines */

/* By SluiceJournalKind. */
static const char *const marks[] = { NULL, "# saved ", "# read ", "# not saved" };

void
sluice_journal_text_free (SluiceJournalText *self)
{
  g_array_unref (self->lines);
  g_ptr_array_unref (self->texts);
  g_free (self->path);
  g_free (self);
}

/* ---- out ---- */

static guint32
sum_of (guint32 before, const char *text, gsize length)
{
  /* The length as well: an empty line leaves the sum of zlib as it is. */
  guint32 n = GUINT32_TO_LE ((guint32) length);
  uLong sum = crc32_z (before, (const Bytef *) &n, sizeof n);
  return (guint32) crc32_z (sum, (const Bytef *) text, length);
}

char *
sluice_journal_text_line (const char *text, guint32 *sum)
{
  *sum = sum_of (*sum, text, strlen (text));
  return g_strdup_printf ("%s # %08x\n", text, *sum);
}

char *
sluice_journal_text_mark (SluiceJournalKind kind, const char *hash)
{
  return g_strconcat (marks[kind], hash, NULL);
}

char *
sluice_journal_text_begin (const char *path, const char *base, guint32 *sum)
{
  g_autofree char *quoted = g_strescape (path, NULL);
  g_autofree char *of = g_strdup_printf (IS_OF "\"%s\"", quoted);
  g_autofree char *on = g_strconcat (IS_ON, base, NULL);
  *sum = 0;
  g_autofree char *first = sluice_journal_text_line (BEGINS G_STRINGIFY (VERSION), sum);
  g_autofree char *second = sluice_journal_text_line (of, sum);
  g_autofree char *third = sluice_journal_text_line (on, sum);
  return g_strconcat (first, second, third, NULL);
}

/* ---- in ---- */

/* The line without its sum. (transfer full) (nullable): the sum is another */
static char *
read_line (const char *line, gsize length, guint32 *sum)
{
  if (length < SUM_LENGTH)
    return NULL;
  gsize n = length - SUM_LENGTH;
  guint32 now = sum_of (*sum, line, n);
  char wanted[SUM_LENGTH + 1];
  g_snprintf (wanted, sizeof wanted, " # %08x", now);
  if (memcmp (line + n, wanted, SUM_LENGTH) != 0 || memchr (line, '\0', n) != NULL
      || !g_utf8_validate (line, (gssize) n, NULL))
    return NULL;
  *sum = now;
  return g_strndup (line, n);
}

/* Of the mark, or the base. (nullable): it is none */
static const char *
read_hash (const char *text)
{
  return strlen (text) == HASH_LENGTH && strspn (text, G_CSET_DIGITS "abcdef") == HASH_LENGTH
             ? text
             : NULL;
}

static gboolean
take_header (SluiceJournalText *self, guint number, const char *text, GError **error)
{
  static const char *const begins[N_HEADER] = { BEGINS, IS_OF, IS_ON };
  const char *begin = begins[number - 1];
  gboolean is_one = g_str_has_prefix (text, begin);
  const char *value = text + (is_one ? strlen (begin) : 0);
  if (is_one && number == 1 && !g_str_equal (value, G_STRINGIFY (VERSION)))
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "it is a journal of version %s, and this program knows version %d; use "
                        "the one that wrote it",
                        value, VERSION);
  if (is_one && number == 2)
    {
      gsize length = strlen (value);
      g_autofree char *inside = length > 2 ? g_strndup (value + 1, length - 2) : NULL;
      self->path = inside != NULL ? g_strcompress (inside) : NULL;
      is_one = self->path != NULL;
    }
  if (is_one && number == 3)
    is_one = (self->base = read_hash (value)) != NULL;
  return is_one
         || sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "line %u: it is no journal's header",
                         number);
}

static gboolean
take_line (SluiceJournalText *self, SluiceJournalLine line, const char *text)
{
  line.text = text;
  for (guint kind = SLUICE_JOURNAL_SAVED; kind < G_N_ELEMENTS (marks); kind++)
    if (g_str_has_prefix (text, marks[kind]))
      {
        line.kind = kind;
        line.text = read_hash (text + strlen (marks[kind]));
        if (line.text == NULL && kind != SLUICE_JOURNAL_NOT_SAVED)
          return FALSE;
      }
  self->n_commands += line.kind == SLUICE_JOURNAL_COMMAND;
  g_array_append_val (self->lines, line);
  return TRUE;
}

SluiceJournalText *
sluice_journal_text_parse (const char *data, gsize length, GError **error)
{
  g_autoptr (SluiceJournalText) self = g_new0 (SluiceJournalText, 1);
  const char *end;
  guint number = 1;
  self->lines = g_array_new (FALSE, FALSE, sizeof (SluiceJournalLine));
  self->texts = g_ptr_array_new_with_free_func (g_free);
  for (const char *at = data;
       at < data + length && (end = memchr (at, '\n', (gsize) (data + length - at))) != NULL;
       at = end + 1, number++)
    {
      SluiceJournalLine line = { .number = number, .at = at - data, .before = self->sum };
      char *text = read_line (at, (gsize) (end - at), &self->sum);
      if (text != NULL)
        g_ptr_array_add (self->texts, text);
      if (number <= N_HEADER)
        {
          if (!take_header (self, number, text != NULL ? text : "", error))
            return NULL;
        }
      else if (text == NULL || !take_line (self, line, text))
        {
          self->sum = line.before;
          self->damaged = number;
          break;
        }
      self->length = end + 1 - data;
    }
  if (self->base != NULL)
    return g_steal_pointer (&self);
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "line %u: it is no journal's header", number);
  return NULL;
}
