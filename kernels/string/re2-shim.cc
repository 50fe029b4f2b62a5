/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/string/re2-shim.h"

#include <new>
#include <string>

#include <re2/re2.h>

/* Prefixes of a bad pattern that are tried for where it goes wrong. */
#define MAX_PLACES 64

struct _SluiceRe2
{
  RE2 re;
};

static re2::StringPiece
piece_of (const char *text, gsize length)
{
  return re2::StringPiece (length ? text : "", length);
}

static RE2::Options
get_options ()
{
  RE2::Options options;
  options.set_log_errors (false); /* to standard error */
  return options;
}

/* RE2 says what it could not read, not where. That is the first place behind which the pattern, cut
 * off, is wrong in the same way: the same text may stand before it and be right. */
static gssize
find_wrong (const RE2 &bad, re2::StringPiece pattern)
{
  const std::string &wrong = bad.error_arg ();
  if (wrong.empty ())
    return -1;
  size_t at = pattern.find (wrong, 0);
  if (at != pattern.npos && pattern.find (wrong, at + 1) == pattern.npos)
    return (gssize) at;
  for (int i = 0; at != pattern.npos && i < MAX_PLACES; i++)
    {
      RE2 cut (pattern.substr (0, at + wrong.size ()), get_options ());
      if (cut.error_code () == bad.error_code () && cut.error_arg () == wrong)
        return (gssize) at;
      at = pattern.find (wrong, at + 1);
    }
  return -1;
}

/* The outermost parenthesis that nothing closes: the last one before which the pattern is whole. */
static gssize
find_open (re2::StringPiece pattern)
{
  /* From the end, which must be said: by default it finds nothing. */
  size_t at = pattern.rfind ('(', pattern.size ());
  for (int i = 0; at != pattern.npos && i < MAX_PLACES; i++)
    {
      if (RE2 (pattern.substr (0, at), get_options ()).ok ())
        return (gssize) at;
      at = at > 0 ? pattern.rfind ('(', at - 1) : pattern.npos;
    }
  return -1;
}

/* The first parenthesis that closes nothing. */
static gssize
find_close (re2::StringPiece pattern)
{
  size_t at = pattern.find (')');
  for (int i = 0; at != pattern.npos && i < MAX_PLACES; i++)
    {
      RE2 cut (pattern.substr (0, at + 1), get_options ());
      if (cut.error_code () == RE2::ErrorUnexpectedParen)
        return (gssize) at;
      at = pattern.find (')', at + 1);
    }
  return -1;
}

static void
describe_error (const RE2 &bad, re2::StringPiece pattern, SluiceRe2Error *error)
{
  std::string message = bad.error (), tail = ": " + bad.error_arg ();
  if (message.size () > tail.size ()
      && message.compare (message.size () - tail.size (), tail.size (), tail) == 0)
    message.resize (message.size () - tail.size ());
  bool is_open = bad.error_code () == RE2::ErrorMissingParen;
  bool is_close = bad.error_code () == RE2::ErrorUnexpectedParen;
  error->at = is_open    ? find_open (pattern)
              : is_close ? find_close (pattern)
                         : find_wrong (bad, pattern);
  error->length = is_open || is_close ? 1 : bad.error_arg ().size ();
  error->message = g_strndup (message.data (), message.size ());
}

SluiceRe2 *
sluice_re2_new (const char *pattern, gsize length, SluiceRe2Error *error)
try
  {
    re2::StringPiece piece = piece_of (pattern, length);
    SluiceRe2 *self = new SluiceRe2{ { piece, get_options () } };
    if (self->re.ok ())
      return self;
    describe_error (self->re, piece, error);
    delete self;
    return NULL;
  }
catch (const std::exception &)
  {
    *error = SluiceRe2Error{ NULL, -1, 0 };
    return NULL;
  }

void
sluice_re2_free (SluiceRe2 *self)
{
  delete self;
}

SluiceRe2Result
sluice_re2_full_match (const SluiceRe2 *self, const char *text, gsize length)
try
  {
    return RE2::FullMatch (piece_of (text, length), self->re) ? SLUICE_RE2_YES : SLUICE_RE2_NO;
  }
catch (const std::exception &)
  {
    return SLUICE_RE2_NO_MEMORY;
  }

SluiceRe2Result
sluice_re2_replace (const SluiceRe2 *self,
                    const char *text,
                    gsize length,
                    const char *rewrite,
                    gsize rewrite_length,
                    gboolean all,
                    char **out,
                    gsize *out_length)
try
  {
    std::string whole (length ? text : "", length);
    re2::StringPiece with = piece_of (rewrite, rewrite_length);
    bool replaced = all ? RE2::GlobalReplace (&whole, self->re, with) > 0
                        : RE2::Replace (&whole, self->re, with);
    if (!replaced)
      return SLUICE_RE2_NO;
    *out_length = whole.size ();
    *out = (char *) g_memdup2 (whole.data (), whole.size ());
    return SLUICE_RE2_YES;
  }
catch (const std::exception &)
  {
    return SLUICE_RE2_NO_MEMORY;
  }
