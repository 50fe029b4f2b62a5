/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "engine/base/error.h"
#include "kernels/string/regex.h"
#include "kernels/string/text.h"

/* Steps of one search, about 50 ms: PCRE2 goes back and tries again where RE2 would not. */
#define MAX_STEPS 1000000

struct _SluiceRegex
{
  pcre2_code *code;
  pcre2_match_context *context;
  guint32 n_groups;
};

SluiceRegex *
sluice_regex_new (const SluiceString *pattern, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *spelled = sluice_regex_translate (pattern, &reason);
  g_autofree char *quoted = sluice_string_quote (pattern);
  if (spelled == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the pattern %s cannot be read: %s",
                   quoted, reason->message);
      return NULL;
    }
  int code;
  gsize offset;
  pcre2_code *compiled = pcre2_compile ((PCRE2_SPTR) spelled, PCRE2_ZERO_TERMINATED,
                                        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOLLAR_ENDONLY
                                            | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C,
                                        &code, &offset, NULL);
  if (compiled == NULL)
    {
      char message[256];
      pcre2_get_error_message (code, (PCRE2_UCHAR *) message, sizeof message);
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the pattern %s cannot be read: %s",
                   quoted, message);
      return NULL;
    }
  SluiceRegex *self = g_new0 (SluiceRegex, 1);
  self->code = compiled;
  self->context = pcre2_match_context_create (NULL);
  pcre2_set_match_limit (self->context, MAX_STEPS);
  pcre2_pattern_info (compiled, PCRE2_INFO_CAPTURECOUNT, &self->n_groups);
  return self;
}

void
sluice_regex_free (SluiceRegex *self)
{
  pcre2_match_context_free (self->context);
  pcre2_code_free (self->code);
  g_free (self);
}

/* Searches from an offset. 1: found, 0: not found, -1: error is set. */
static int
search (const SluiceRegex *self,
        const SluiceString *text,
        gsize from,
        guint32 options,
        pcre2_match_data *match,
        GError **error)
{
  const char *data = text->length ? text->data : "";
  int code = pcre2_match (self->code, (PCRE2_SPTR) data, text->length, from, options, match,
                          self->context);
  if (code >= 0)
    return 1;
  if (code == PCRE2_ERROR_NOMATCH)
    return 0;
  g_autofree char *quoted = sluice_string_quote (text);
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
               "the search in %s of %" G_GSIZE_FORMAT " bytes takes more than %d steps; make the "
               "pattern simpler, so that it can match in one way only",
               quoted, text->length, MAX_STEPS);
  return -1;
}

/* The highest group that the rewrite names; 0 where it names none. */
static guint
highest_group (const SluiceString *rewrite)
{
  guint highest = 0;
  for (gsize i = 0; i + 1 < rewrite->length; i++)
    if (rewrite->data[i] == '\\')
      {
        i++;
        if (g_ascii_isdigit (rewrite->data[i]))
          highest = MAX (highest, (guint) (rewrite->data[i] - '0'));
      }
  return highest;
}

/* FALSE at an escape that is none; what stands before it is written. */
static gboolean
append_rewrite (GString *out,
                const SluiceString *rewrite,
                const SluiceString *text,
                const gsize *ends,
                guint n_ends)
{
  for (gsize i = 0; i < rewrite->length; i++)
    {
      char c = rewrite->data[i];
      if (c != '\\')
        {
          g_string_append_c (out, c);
          continue;
        }
      c = ++i < rewrite->length ? rewrite->data[i] : '\0';
      if (c == '\\')
        g_string_append_c (out, c);
      else if (!g_ascii_isdigit (c))
        return FALSE;
      guint group = (guint) (c - '0');
      /* Unset groups have equal ends too. */
      if (g_ascii_isdigit (c) && group < n_ends && ends[2 * group] < ends[2 * group + 1])
        g_string_append_len (out, text->data + ends[2 * group],
                             (gssize) (ends[2 * group + 1] - ends[2 * group]));
    }
  return TRUE;
}

/* Bytes of the character at `at`; 1 where none is there. */
static gsize
character_length (const SluiceString *text, gsize at)
{
  const guint8 *begin = (const guint8 *) text->data + at, *end = begin;
  return sluice_utf8_next (&end, (const guint8 *) text->data + text->length) < 0
             ? 1
             : (gsize) (end - begin);
}

/* As RE2's GlobalReplace: an empty match right behind a match does not count. 1, 0 (nothing to
 * replace) or -1. */
static int
replace_into (const SluiceRegex *self,
              const SluiceString *text,
              const SluiceString *rewrite,
              gboolean all,
              pcre2_match_data *match,
              GString *out,
              GError **error)
{
  const gsize *ends = pcre2_get_ovector_pointer (match);
  gsize at = 0, last_end = G_MAXSIZE;
  guint count = 0;
  while (at <= text->length && (all || count == 0))
    {
      int found = search (self, text, at, 0, match, error);
      if (found < 0)
        return -1;
      if (found == 0)
        break;
      gsize begin = ends[0], end = ends[1];
      if (begin > at)
        g_string_append_len (out, text->data + at, (gssize) (begin - at));
      if (begin == end && begin == last_end)
        {
          gsize n = begin < text->length ? character_length (text, begin) : 0;
          g_string_append_len (out, n ? text->data + begin : "", (gssize) n);
          at = begin + MAX (n, 1);
          continue;
        }
      if (!append_rewrite (out, rewrite, text, ends, pcre2_get_ovector_count (match)) && !all)
        return 0;
      at = last_end = end;
      count++;
    }
  if (at < text->length)
    g_string_append_len (out, text->data + at, (gssize) (text->length - at));
  return count > 0;
}

gboolean
sluice_regex_replace (const SluiceRegex *self,
                      const SluiceString *text,
                      const SluiceString *rewrite,
                      gboolean all,
                      SluiceString *to,
                      GError **error)
{
  int replaced = 0;
  GString *out = g_string_new (NULL);
  if (highest_group (rewrite) <= self->n_groups)
    {
      pcre2_match_data *match = pcre2_match_data_create_from_pattern (self->code, NULL);
      replaced = replace_into (self, text, rewrite, all, match, out, error);
      pcre2_match_data_free (match);
    }
  if (replaced > 0)
    sluice_string_take_text (to, out);
  else
    g_string_free (out, TRUE);
  if (replaced == 0)
    sluice_string_set (to, text->data, text->length);
  return replaced >= 0;
}

gboolean
sluice_regex_match_all (const SluiceRegex *self,
                        const SluiceString *text,
                        gboolean *matches,
                        GError **error)
{
  pcre2_match_data *match = pcre2_match_data_create (1, NULL);
  const gsize *ends = pcre2_get_ovector_pointer (match);
  int found = search (self, text, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED, match, error);
  /* Bytes that are no UTF-8 end what PCRE2 looks at, and match nothing. */
  *matches = found > 0 && ends[0] == 0 && ends[1] == text->length;
  pcre2_match_data_free (match);
  return found >= 0;
}
