/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/string/regex.h"

#include <string.h>

#include "kernels/string/text.h"

/* RE2's limit for x{n}, also of those inside each other multiplied. */
#define MAX_REPEAT   1000
#define MAX_NESTING  250
#define END          (-1)
#define NO_CHARACTER (-2)

/* What a repetition would repeat. */
typedef enum
{
  ITEM_NONE,
  ITEM_ATOM,
  ITEM_BARE, /* an assertion and its like, which must be in a group before it can be repeated */
  ITEM_REPEATED,
} Item;

/* A group that is open. */
typedef struct
{
  gsize begin;   /* of its text in out */
  guint repeats; /* of the most repeated thing in it */
} Group;

typedef struct
{
  const guint8 *at, *end;
  GString *out;
  GArray *groups; /* Group; the first is the pattern itself */
  Item last;
  gsize last_begin, last_end; /* of the last item in out; flags may stand behind it */
  guint last_repeats;         /* how often its inmost part can come */
  GError **error;
} Translator;

static gboolean
fail (Translator *t, const char *what)
{
  return sluice_fail (t->error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", what);
}

static int
peek (const Translator *t, gsize offset)
{
  return offset < (gsize) (t->end - t->at) ? t->at[offset] : END;
}

static gboolean
accept (Translator *t, const char *token)
{
  gsize n = strlen (token);
  if ((gsize) (t->end - t->at) < n || memcmp (t->at, token, n) != 0)
    return FALSE;
  t->at += n;
  return TRUE;
}

static void
put_character (Translator *t, gint32 c)
{
  if (g_ascii_isalnum (c))
    g_string_append_c (t->out, (char) c);
  else
    g_string_append_printf (t->out, "\\x{%x}", (guint) c);
}

static Group *
inmost (Translator *t)
{
  return &g_array_index (t->groups, Group, t->groups->len - 1);
}

static void
begin_item (Translator *t, Item item)
{
  t->last = item;
  t->last_begin = t->out->len;
  t->last_repeats = 1;
}

/* ---- escapes ---- */

static int
digit_of (int c, int base)
{
  int value = c == END ? -1 : g_ascii_xdigit_value ((char) c);
  return value < base ? value : -1;
}

/* Behind "\x": two digits, or any number of them in braces. */
static gint32
read_hex (Translator *t)
{
  gint32 value = 0;
  if (!accept (t, "{"))
    {
      int high = digit_of (peek (t, 0), 16), low = digit_of (peek (t, 1), 16);
      if (high < 0 || low < 0)
        return NO_CHARACTER;
      t->at += 2;
      return high * 16 + low;
    }
  guint n = 0;
  for (int digit; (digit = digit_of (peek (t, 0), 16)) >= 0; n++, t->at++)
    {
      value = value * 16 + digit;
      if (value > 0x10ffff)
        return NO_CHARACTER;
    }
  return n > 0 && accept (t, "}") ? value : NO_CHARACTER;
}

/* Behind a backslash, one character: \n, \x41, \101, \. … NO_CHARACTER: it is something else. */
static gint32
read_escaped (Translator *t)
{
  static const char names[] = "afnrtv", values[] = "\a\f\n\r\t\v";
  int c = peek (t, 0);
  const char *name = c > 0 ? strchr (names, c) : NULL;
  if (c == END || c >= 0x80)
    return NO_CHARACTER;
  /* \1 … \7 alone would be references to groups. */
  if (c == '0' || (digit_of (c, 8) > 0 && digit_of (peek (t, 1), 8) >= 0))
    {
      gint32 value = 0;
      for (guint n = 0; n < 3 && digit_of (peek (t, 0), 8) >= 0; n++)
        value = value * 8 + digit_of (*t->at++, 8);
      return value;
    }
  if (c == 'x')
    {
      t->at++;
      return read_hex (t);
    }
  if (name == NULL && g_ascii_isalnum (c))
    return NO_CHARACTER;
  t->at++;
  return name ? values[name - names] : c;
}

/* Behind a backslash: \d, \pL and their like, which also stand in brackets. FALSE: none, or an
 * error. */
static gboolean
put_class_escape (Translator *t, gboolean in_brackets)
{
  /* Perl's white space, and so PCRE2's, has the vertical tab; RE2's has not. */
  static const char space[] = "\\t\\n\\f\\r\\x{20}";
  int c = peek (t, 0);
  if (c == 's' || c == 'S')
    {
      if (in_brackets)
        g_string_append (t->out, c == 's' ? space : "\\S\\x{b}");
      else
        g_string_append_printf (t->out, "[%s%s]", c == 's' ? "" : "^", space);
    }
  else if (c != END && c != 0 && strchr ("dDwW", c) != NULL)
    g_string_append_printf (t->out, "\\%c", c);
  else
    return FALSE;
  t->at++;
  return TRUE;
}

/* Behind a backslash: \pL, \p{Greek}, \P{^Lu}. */
static gboolean
put_property (Translator *t)
{
  int kind = *t->at++;
  const guint8 *name = t->at, *end = name + 1;
  gboolean is_braced = accept (t, "{");
  if (is_braced)
    {
      name = t->at;
      end = memchr (name, '}', t->end - name);
    }
  if (end == NULL || end > t->end || end == name)
    return fail (t, "\\p wants a letter, or a name in braces");
  t->at = end + is_braced;
  gboolean negated = end - name > 1 && *name == '^';
  name += negated;
  for (const guint8 *at = name; at < end; at++)
    if (!g_ascii_isalnum (*at) && *at != '_')
      return fail (t, "\\p names no script or category of Unicode");
  /* PCRE2's own inventions: Xan, Xps … */
  if (end - name == 3 && *name == 'X')
    return fail (t, "\\p names no script or category of Unicode");
  g_string_append_printf (t->out, "\\%c{%.*s}", negated ? 'p' + 'P' - kind : kind,
                          (int) (end - name), name);
  return TRUE;
}

/* \Q … \E: as it stands. */
static gboolean
put_quoted (Translator *t)
{
  while (t->at < t->end && !accept (t, "\\E"))
    {
      gint32 c = sluice_utf8_next (&t->at, t->end);
      if (c < 0)
        return fail (t, "the pattern is not valid UTF-8");
      begin_item (t, ITEM_ATOM);
      put_character (t, c);
    }
  return TRUE;
}

static gboolean
put_escape (Translator *t)
{
  int c = peek (t, 0);
  if (accept (t, "Q"))
    return put_quoted (t);
  gboolean asserts = c != END && c != 0 && strchr ("bBAz", c) != NULL;
  begin_item (t, asserts ? ITEM_BARE : ITEM_ATOM);
  if (asserts)
    {
      g_string_append_printf (t->out, "\\%c", *t->at++);
      return TRUE;
    }
  if (c == 'C')
    return fail (t, "\\C (one byte of a character) is not supported");
  if (c == 'p' || c == 'P')
    return put_property (t);
  if (put_class_escape (t, FALSE))
    return TRUE;
  gint32 character = read_escaped (t);
  if (character < 0)
    return fail (t, c == END ? "a backslash at the end" : "an escape sequence that is none");
  put_character (t, character);
  return TRUE;
}

/* ---- brackets ---- */

/* "[:alpha:]" within brackets. 1: it was one; 0: it is none; -1: an error. */
static int
put_posix_class (Translator *t)
{
  static const char *const names[] = { "alnum", "alpha", "ascii", "blank", "cntrl",
                                       "digit", "graph", "lower", "print", "punct",
                                       "space", "upper", "word",  "xdigit" };
  if (peek (t, 0) != '[' || peek (t, 1) != ':')
    return 0;
  const guint8 *name = t->at + 2, *end = memmem (name, t->end - name, ":]", 2);
  if (end == NULL)
    return 0;
  gboolean negated = *name == '^';
  name += negated;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i]) == (gsize) (end - name) && memcmp (names[i], name, end - name) == 0)
      {
        g_string_append_printf (t->out, "[:%s%s:]", negated ? "^" : "", names[i]);
        t->at = end + 2;
        return 1;
      }
  fail (t, "[: :] around a class that is none");
  return -1;
}

/* One end of a range. */
static gint32
read_class_character (Translator *t)
{
  if (accept (t, "\\"))
    {
      gint32 c = read_escaped (t);
      if (c < 0)
        fail (t, "an escape sequence that is none in brackets");
      return c;
    }
  gint32 c = t->at < t->end ? sluice_utf8_next (&t->at, t->end) : END;
  if (c < 0)
    fail (t, t->at < t->end ? "the pattern is not valid UTF-8" : "a ] is missing");
  return c;
}

static gboolean
put_class_item (Translator *t)
{
  int posix = put_posix_class (t);
  if (posix != 0)
    return posix > 0;
  if (peek (t, 0) == '\\' && (peek (t, 1) == 'p' || peek (t, 1) == 'P'))
    {
      t->at++;
      return put_property (t);
    }
  if (accept (t, "\\"))
    {
      if (put_class_escape (t, TRUE))
        return TRUE;
      t->at--;
    }
  gint32 low = read_class_character (t), high = low;
  if (low < 0)
    return FALSE;
  if (peek (t, 0) == '-' && peek (t, 1) != ']' && peek (t, 1) != END)
    {
      t->at++;
      high = read_class_character (t);
      if (high < 0)
        return FALSE;
      if (high < low)
        return fail (t, "a range in brackets that ends before it begins");
    }
  put_character (t, low);
  if (high > low)
    {
      g_string_append_c (t->out, '-');
      put_character (t, high);
    }
  return TRUE;
}

static gboolean
put_class (Translator *t)
{
  begin_item (t, ITEM_ATOM);
  g_string_append (t->out, accept (t, "^") ? "[^" : "[");
  for (gboolean first = TRUE; first || peek (t, 0) != ']'; first = FALSE)
    {
      if (t->at == t->end)
        return fail (t, "a ] is missing");
      if (!put_class_item (t))
        return FALSE;
    }
  t->at++;
  g_string_append_c (t->out, ']');
  return TRUE;
}

/* ---- groups ---- */

static gboolean
open_group (Translator *t, const char *spelled)
{
  if (t->groups->len > MAX_NESTING)
    return fail (t, "groups are nested too deeply");
  Group group = { t->out->len, 1 };
  g_array_append_val (t->groups, group);
  g_string_append (t->out, spelled);
  t->last = ITEM_NONE;
  return TRUE;
}

/* "(?P<name>": RE2's groups may share a name, and nobody asks for it here. */
static gboolean
open_named (Translator *t)
{
  const guint8 *name = t->at;
  while (t->at < t->end && (g_ascii_isalnum (*t->at) || *t->at == '_' || *t->at >= 0x80))
    t->at++;
  if (t->at == name || !accept (t, ">"))
    return fail (t, "a group with a name that is none");
  return open_group (t, "(");
}

/* "(?i)", "(?s-i:". */
static gboolean
put_flags (Translator *t)
{
  g_autoptr (GString) flags = g_string_new ("(?");
  gboolean negated = FALSE, any = FALSE;
  for (int c; (c = peek (t, 0)) != ')' && c != ':'; t->at++)
    if (c == '-' && !negated)
      {
        negated = TRUE;
        any = FALSE;
        g_string_append_c (flags, '-');
      }
    else if (c != END && c != 0 && strchr ("imsU", c) != NULL)
      {
        any = TRUE;
        if (strchr (negated ? strchr (flags->str, '-') : flags->str, c) == NULL)
          g_string_append_c (flags, (char) c);
      }
    else
      return fail (t, "(? begins nothing that RE2 knows");
  if (negated && !any)
    return fail (t, "(?-) switches nothing off");
  g_string_append_c (flags, (char) *t->at);
  if (*t->at++ == ':')
    return open_group (t, flags->str);
  g_string_append (t->out, flags->str);
  /* A repetition may follow yet, of what stands before them. */
  if (t->last == ITEM_REPEATED)
    t->last = ITEM_BARE;
  return TRUE;
}

static gboolean
close_group (Translator *t)
{
  if (t->groups->len == 1)
    return fail (t, "a ) without a (");
  Group group = *inmost (t);
  g_array_set_size (t->groups, t->groups->len - 1);
  g_string_append_c (t->out, ')');
  t->last = ITEM_ATOM;
  t->last_begin = group.begin;
  t->last_repeats = group.repeats;
  return TRUE;
}

/* ---- repetitions ---- */

/* "{2}", "{2,}", "{2,5}". FALSE: it is none, and stands for itself. */
static gboolean
read_bounds (Translator *t, gint64 *min, gint64 *max)
{
  const guint8 *at = t->at;
  gint64 *bound = min;
  *min = *max = -1;
  for (; at < t->end && *at != '}'; at++)
    if (*at == ',' && bound == min && *min >= 0)
      bound = max;
    else if (g_ascii_isdigit (*at))
      *bound = MIN (MAX (*bound, 0) * 10 + (*at - '0'), MAX_REPEAT + 1);
    else
      return FALSE;
  if (at == t->end || *min < 0)
    return FALSE;
  t->at = at + 1;
  if (bound == min)
    *max = *min;
  return TRUE;
}

static gboolean
put_repetition (Translator *t, const char *spelled, gint64 times)
{
  if (t->last == ITEM_NONE)
    return fail (t, "a repetition of nothing");
  if (t->last == ITEM_REPEATED)
    return fail (t, "a repetition of a repetition, without a group");
  t->last_repeats *= (guint) MAX (1, times);
  if (t->last_repeats > MAX_REPEAT)
    return fail (t, "a repetition of more than 1000 times");
  inmost (t)->repeats = MAX (inmost (t)->repeats, t->last_repeats);
  g_autofree char *tail = g_strdup_printf ("%s%s%s", t->last == ITEM_BARE ? ")" : "", spelled,
                                           accept (t, "?") ? "?" : "");
  g_string_insert (t->out, (gssize) t->last_end, tail);
  t->last_end += strlen (tail);
  if (t->last == ITEM_BARE)
    {
      g_string_insert (t->out, (gssize) t->last_begin, "(?:");
      t->last_end += strlen ("(?:");
    }
  t->last = ITEM_REPEATED;
  return TRUE;
}

static gboolean
put_braces (Translator *t)
{
  gint64 min, max;
  if (!read_bounds (t, &min, &max))
    {
      begin_item (t, ITEM_ATOM);
      put_character (t, '{');
      return TRUE;
    }
  if (max >= 0 && max < min)
    return fail (t, "a repetition whose upper bound is below its lower");
  char spelled[64];
  g_snprintf (spelled, sizeof spelled, "{%d,", (int) min);
  if (max >= 0)
    g_snprintf (spelled, sizeof spelled, "{%d,%d", (int) min, (int) max);
  g_strlcat (spelled, "}", sizeof spelled);
  return put_repetition (t, spelled, MAX (min, max));
}

/* ---- all of it ---- */

static gboolean
put_literal (Translator *t)
{
  gint32 c = sluice_utf8_next (&t->at, t->end);
  if (c < 0)
    return fail (t, "the pattern is not valid UTF-8");
  begin_item (t, ITEM_ATOM);
  put_character (t, c);
  return TRUE;
}

static gboolean
put_item (Translator *t)
{
  if (accept (t, "(?P<"))
    return open_named (t);
  switch (*t->at)
    {
    case '\\':
      t->at++;
      return put_escape (t);
    case '[':
      t->at++;
      return put_class (t);
    case '(':
      t->at++;
      return open_group (t, "(");
    case ')':
      t->at++;
      return close_group (t);
    case '{':
      t->at++;
      return put_braces (t);
    case '*':
    case '+':
    case '?':
      return put_repetition (t, (char[]){ (char) *t->at++, '\0' }, 1);
    case '|':
      t->last = ITEM_NONE;
      break;
    case '.':
      begin_item (t, ITEM_ATOM);
      break;
    case '^':
    case '$':
      begin_item (t, ITEM_BARE);
      break;
    default:
      return put_literal (t);
    }
  g_string_append_c (t->out, (char) *t->at++);
  return TRUE;
}

static gboolean
put_next (Translator *t)
{
  gboolean is_named = t->end - t->at > 3 && memcmp (t->at, "(?P<", 4) == 0;
  if (!is_named && accept (t, "(?"))
    return put_flags (t);
  if (!put_item (t))
    return FALSE;
  /* A repetition has said itself where it ends. */
  if (t->last != ITEM_REPEATED)
    t->last_end = t->out->len;
  return TRUE;
}

char *
sluice_regex_translate (const SluiceString *pattern, GError **error)
{
  const guint8 *begin = pattern->length ? (const guint8 *) pattern->data : (const guint8 *) "";
  Translator t = { .at = begin, .end = begin + pattern->length, .error = error };
  Group whole = { 0, 1 };
  gboolean ok = TRUE;
  t.out = g_string_new (NULL);
  t.groups = g_array_new (FALSE, FALSE, sizeof (Group));
  g_array_append_val (t.groups, whole);
  while (ok && t.at < t.end)
    ok = put_next (&t);
  if (ok && t.groups->len > 1)
    ok = fail (&t, "a ) is missing");
  g_array_unref (t.groups);
  return g_string_free (t.out, !ok);
}
