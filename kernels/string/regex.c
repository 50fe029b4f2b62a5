/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/string/regex.h"

#include <string.h>

#include "engine/base/error.h"
#include "kernels/string/re2-shim.h"
#include "kernels/string/text.h"

struct _SluiceRegex
{
  _Atomic int ref_count;
  SluiceRe2 *re;
  SluiceString pattern; /* what it was compiled from */
};

static gboolean
fail_no_memory (GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory to match the pattern");
}

static void
fail_pattern (const SluiceString *pattern, const SluiceRe2Error *wrong, GError **error)
{
  g_autofree char *quoted = sluice_string_quote (pattern);
  if (wrong->at < 0)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the pattern %s cannot be read: %s",
                   quoted, wrong->message);
      return;
    }
  SluiceString part = { pattern->data + wrong->at, wrong->length };
  g_autofree char *place = sluice_string_quote (&part);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "the pattern %s cannot be read: at byte %" G_GSSIZE_FORMAT ", %s: %s", quoted,
               wrong->at, place, wrong->message);
}

SluiceRegex *
sluice_regex_new (const SluiceString *pattern, GError **error)
{
  SluiceRe2Error wrong;
  SluiceRe2 *re = sluice_re2_new (pattern->data, pattern->length, &wrong);
  if (re == NULL && wrong.message == NULL)
    fail_no_memory (error);
  else if (re == NULL)
    fail_pattern (pattern, &wrong, error);
  if (re == NULL)
    {
      g_free (wrong.message);
      return NULL;
    }
  SluiceRegex *self = g_new0 (SluiceRegex, 1);
  self->ref_count = 1;
  self->re = re;
  sluice_string_set (&self->pattern, pattern->data, pattern->length);
  return self;
}

SluiceRegex *
sluice_regex_ref (SluiceRegex *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_regex_unref (SluiceRegex *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  sluice_re2_free (self->re);
  g_free (self->pattern.data);
  g_free (self);
}

/* ---- the last one ---- */

void
sluice_regex_cache_init (SluiceRegexCache *self)
{
  pthread_mutex_init (&self->lock, NULL);
  self->last = NULL;
}

void
sluice_regex_cache_clear (SluiceRegexCache *self)
{
  g_clear_pointer (&self->last, sluice_regex_unref);
  pthread_mutex_destroy (&self->lock);
}

/* (transfer full) (nullable) */
static SluiceRegex *
look_up (SluiceRegexCache *self, const SluiceString *pattern)
{
  pthread_mutex_lock (&self->lock);
  SluiceRegex *found =
      self->last != NULL && self->last->pattern.length == pattern->length
              && (pattern->length == 0
                  || memcmp (self->last->pattern.data, pattern->data, pattern->length) == 0)
          ? sluice_regex_ref (self->last)
          : NULL;
  pthread_mutex_unlock (&self->lock);
  return found;
}

SluiceRegex *
sluice_regex_cache_get (SluiceRegexCache *self, const SluiceString *pattern, GError **error)
{
  SluiceRegex *regex = look_up (self, pattern);
  if (regex != NULL)
    return regex;
  regex = sluice_regex_new (pattern, error);
  if (regex == NULL)
    return NULL;
  pthread_mutex_lock (&self->lock);
  SluiceRegex *before = self->last;
  self->last = sluice_regex_ref (regex);
  pthread_mutex_unlock (&self->lock);
  g_clear_pointer (&before, sluice_regex_unref);
  return regex;
}

gboolean
sluice_regex_replace (const SluiceRegex *self,
                      const SluiceString *text,
                      const SluiceString *rewrite,
                      gboolean all,
                      SluiceString *to,
                      GError **error)
{
  char *out;
  gsize length;
  SluiceRe2Result result = sluice_re2_replace (self->re, text->data, text->length, rewrite->data,
                                               rewrite->length, all, &out, &length);
  if (result == SLUICE_RE2_YES)
    sluice_string_take (to, out, length);
  else
    sluice_string_set (to, text->data, text->length);
  return result != SLUICE_RE2_NO_MEMORY || fail_no_memory (error);
}

gboolean
sluice_regex_match_all (const SluiceRegex *self,
                        const SluiceString *text,
                        gboolean *matches,
                        GError **error)
{
  SluiceRe2Result result = sluice_re2_full_match (self->re, text->data, text->length);
  *matches = result == SLUICE_RE2_YES;
  return result != SLUICE_RE2_NO_MEMORY || fail_no_memory (error);
}
