/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Patterns: RE2's own cases, no pattern that takes for ever, and what a bad one is told. */
#include <string.h>

#include "kernels/string/regex.h"
#include "tests/kernels/harness.h"

#define TEXT(literal) literal, sizeof (literal) - 1

static SluiceEdge
constant (Harness *h, const char *text, gsize length)
{
  return sluice_builder_const (&h->b, sluice_tensor_new_string (text, (gssize) length));
}

/* The text replaced by the op with inputs or by the one with attributes. (transfer full) (nullable)
 */
static SluiceTensor *
replace (gboolean is_static,
         const char *pattern,
         const char *rewrite,
         gboolean all,
         const char *text,
         gsize length,
         GError **error)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge in = constant (&h, text, length);
  SluiceAttr global = sluice_attr_bool ("replace_global", all);
  if (is_static)
    harness_add (&h, "StaticRegexReplace", "node", &in, 1,
                 SLUICE_ATTRS (sluice_attr_string ("pattern", pattern),
                               sluice_attr_string ("rewrite", rewrite), global));
  else
    harness_add (&h, "RegexReplace", "node",
                 (SluiceEdge[]){ in, constant (&h, pattern, strlen (pattern)),
                                 constant (&h, rewrite, strlen (rewrite)) },
                 3, &global, 1);
  return harness_run (&h, "node", NULL, NULL, 0, error);
}

static gboolean
matches (gboolean is_static, const char *pattern, const char *text, gsize length)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge in = constant (&h, text, length);
  if (is_static)
    harness_add (&h, "StaticRegexFullMatch", "node", &in, 1,
                 SLUICE_ATTRS (sluice_attr_string ("pattern", pattern)));
  else
    harness_op (&h, "RegexFullMatch", "node", in, constant (&h, pattern, strlen (pattern)));
  g_autoptr (SluiceTensor) out = harness_fetch (&h, "node");
  return *(const guint8 *) out->data;
}

/* From RE2's re2/testing/re2_test.cc, and what TensorFlow 2.21 gives. */
static void
test_replace (void)
{
  static const struct
  {
    const char *pattern, *rewrite, *text;
    gsize length;
    const char *first, *all;
  } cases[] = {
    { "(qu|[b-df-hj-np-tv-z]*)([a-z]+)", "\\2\\1ay",
      TEXT ("the quick brown fox jumps over the lazy dogs."),
      "ethay quick brown fox jumps over the lazy dogs.",
      "ethay ickquay ownbray oxfay umpsjay overay ethay azylay ogsday." },
    { "\\w+", "\\0-NOSPAM", TEXT ("abcd.efghi@google.com"), "abcd-NOSPAM.efghi@google.com",
      "abcd-NOSPAM.efghi-NOSPAM@google-NOSPAM.com-NOSPAM" },
    { "^", "(START)", TEXT ("foo"), "(START)foo", "(START)foo" },
    { "$", "(END)", TEXT (""), "(END)", "(END)" },
    { "b", "bb", TEXT ("ababababab"), "abbabababab", "abbabbabbabbabb" },
    { "b+", "bb", TEXT ("bbbbbb"), "bb", "bb" },
    { "b*", "bb", TEXT ("bbbbbb"), "bb", "bb" },
    { "b*", "bb", TEXT ("aaaaa"), "bbaaaaa", "bbabbabbabbabbabb" },
    { "a.*a", "(\\0)", TEXT ("aba\naba"), "(aba)\naba", "(aba)\n(aba)" },
    /* A group that is not there, and an escape that is none. */
    { "a", "\\1", TEXT ("bab"), "bab", "bab" },
    { "a", "<\\x>", TEXT ("bab"), "bab", "b<b" },
    /* By characters, not by bytes, and by bytes where there are no characters. */
    { "", "-", TEXT ("\xc3\xa9z"), "-\xc3\xa9z", "-\xc3\xa9-z-" },
    { ".", "x", TEXT ("a\xff\xc3\xa9"), "x\xff\xc3\xa9", "x\xffx" },
    { "\\pL+", "<\\0>", TEXT ("\xe4\xbd\xa0 \xd7\xa9"), "<\xe4\xbd\xa0> \xd7\xa9",
      "<\xe4\xbd\xa0> <\xd7\xa9>" },
    { "(?i)straSSe", "S", TEXT ("Strasse STRASSE"), "S STRASSE", "S S" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint form = 0; form < 4; form++)
      {
        g_autoptr (GError) error = NULL;
        const char *expected = form & 1 ? cases[i].all : cases[i].first;
        g_autoptr (SluiceTensor) out = replace (form & 2, cases[i].pattern, cases[i].rewrite,
                                                form & 1, cases[i].text, cases[i].length, &error);
        g_assert_no_error (error);
        const SluiceString *got = out->data;
        g_assert_cmpmem (got->data, got->length, expected, strlen (expected));
      }
}

static void
test_match (void)
{
  for (int is_static = 0; is_static < 2; is_static++)
    {
      g_assert_true (matches (is_static, "h.*o", TEXT ("hello")));
      g_assert_false (matches (is_static, "h.*o", TEXT ("othello")));
      g_assert_false (matches (is_static, "h.*o", TEXT ("hello!")));
      g_assert_false (matches (is_static, "h.*o", TEXT ("hel\nlo")));
      g_assert_true (matches (is_static, "(?s)h.*o", TEXT ("hel\nlo")));
      /* The alternative that matches all is found behind one that does not. */
      g_assert_true (matches (is_static, "a|ab|abc", TEXT ("abc")));
      g_assert_false (matches (is_static, "a$", TEXT ("a\n")));
      g_assert_true (matches (is_static, "a\\x00b", TEXT ("a\0b")));
      g_assert_true (matches (is_static, "", TEXT ("")));
    }
}

/* Each takes a matcher that goes back and tries again longer than anybody waits, in 100,000
 * characters. */
static void
test_linear (void)
{
  static const char *const patterns[] = { "(a*)*b", "(a|aa)+b", "(a+a+)+b", "(.*)(.*)(.*)(.*)b",
                                          "(a?){50}(a{50})b" };
  gsize n = 100000;
  g_autofree char *text = g_malloc (n + 1);
  memset (text, 'a', n);
  text[n] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    for (int is_static = 0; is_static < 2; is_static++)
      {
        g_autoptr (GError) error = NULL;
        g_assert_false (matches (is_static, patterns[i], text, n));
        g_autoptr (SluiceTensor) out =
            replace (is_static, patterns[i], "!", FALSE, text, n, &error);
        g_assert_no_error (error);
        const SluiceString *got = out->data;
        g_assert_cmpmem (got->data, got->length, text, n);
      }
}

/* The node, and where in the pattern. */
static void
test_bad_patterns (void)
{
  static const struct
  {
    const char *pattern, *words;
  } cases[] = {
    { "a(b", "at byte 1, \"(\": missing )" },
    { "(a)(b(c)", "at byte 3, \"(\": missing )" },
    { "[(]\\((b", "at byte 5, \"(\": missing )" },
    { "(a)b)", "at byte 4, \")\": unexpected )" },
    { "x[abc", "at byte 1, \"[abc\": missing ]" },
    { "a*|*", "at byte 3, \"*\": no argument for repetition operator" },
    { "\\\\8\\8", "at byte 3, \"\\\\8\": invalid escape sequence" },
    { "(?:a(?=b))", "at byte 4, \"(?=\": invalid perl operator" },
    { "(a)\\1", "at byte 3, \"\\\\1\": invalid escape sequence" },
    { "x[b-a]", "at byte 2, \"b-a\": invalid character class range" },
    { "a{1001}", "at byte 1, \"{1001}\": invalid repetition size" },
    { "a\xff", "invalid UTF-8" },
    { "((((a{30}){30}){30}){30})", "invalid repetition size" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int is_static = 0; is_static < 2; is_static++)
      {
        g_autoptr (GError) error = NULL;
        g_assert_null (replace (is_static, cases[i].pattern, "", TRUE, TEXT ("abc"), &error));
        g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
        if (!strstr (error->message, cases[i].words) || !strstr (error->message, "node"))
          g_test_fail_printf ("'%s' does not say '%s' of 'node'", error->message, cases[i].words);
      }
}

/* As many wrong places as right ones before them: said without a place, and soon. */
static void
test_long_bad_pattern (void)
{
  GString *pattern = g_string_new (NULL);
  for (int i = 0; i < 20000; i++)
    g_string_append (pattern, "\\\\8");
  g_string_append (pattern, "\\8");
  g_autoptr (GError) error = NULL;
  g_assert_null (replace (FALSE, pattern->str, "", TRUE, TEXT ("abc"), &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "invalid escape sequence"));
  g_string_free (pattern, TRUE);
}

static SluiceString
words (const char *text)
{
  return (SluiceString){ (char *) text, strlen (text) };
}

/* One expression as long as the pattern is the same, bytes of value zero and all; a bad one in
 * between takes nothing away. */
static void
test_cache (void)
{
  SluiceRegexCache cache;
  SluiceString plain = words ("a+"), other = words ("b+"), bad = words ("("), zero = { "a\0b", 3 },
               also_zero = { "a\0c", 3 };
  g_autoptr (GError) error = NULL;
  sluice_regex_cache_init (&cache);
  g_autoptr (SluiceRegex) first = sluice_regex_cache_get (&cache, &plain, &error);
  g_autoptr (SluiceRegex) again = sluice_regex_cache_get (&cache, &plain, &error);
  g_assert_no_error (error);
  g_assert_true (first == again);
  g_assert_null (sluice_regex_cache_get (&cache, &bad, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_autoptr (SluiceRegex) still = sluice_regex_cache_get (&cache, &plain, &error);
  g_assert_true (still == first);
  g_autoptr (SluiceRegex) second = sluice_regex_cache_get (&cache, &other, &error);
  g_assert_true (second != first);
  g_autoptr (SluiceRegex) third = sluice_regex_cache_get (&cache, &zero, &error);
  g_autoptr (SluiceRegex) fourth = sluice_regex_cache_get (&cache, &also_zero, &error);
  g_assert_no_error (error);
  g_assert_true (third != fourth);
  sluice_regex_cache_clear (&cache);
  /* Who has one keeps it. */
  gboolean matches_all = FALSE;
  SluiceString text = words ("aaa");
  g_assert_true (sluice_regex_match_all (first, &text, &matches_all, NULL));
  g_assert_true (matches_all);
}

#define N_CALLS 300

typedef struct
{
  SluiceSession *session;
  guint number;
} Caller;

/* Calls of one node with patterns that take turns: each gets its own. */
static gpointer
call_often (gpointer data)
{
  const Caller *self = data;
  for (guint i = 0; i < N_CALLS; i++)
    {
      g_autofree char *pattern = g_strdup_printf ("<%u*>", (self->number + i / 7) % 3);
      g_autofree char *text = g_strdup_printf ("<%u>", (self->number + i / 7) % 3);
      g_autoptr (SluiceTensor) in = sluice_tensor_new_string (text, -1);
      g_autoptr (SluiceTensor) by = sluice_tensor_new_string (pattern, -1);
      g_autoptr (SluiceTensor) out = NULL;
      g_autoptr (GError) error = NULL;
      const SluiceFeed feeds[] = { { "text", in }, { "pattern", by } };
      const char *fetch = "node";
      sluice_session_run (
          self->session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 2, .n_fetches = 1 },
          &out, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (*(const guint8 *) out->data);
    }
  return NULL;
}

static void
test_callers (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceSession) session = sluice_session_new (NULL, NULL);
  g_autoptr (GError) error = NULL;
  SluiceBuilder b;
  Caller callers[4];
  GThread *threads[4];
  sluice_builder_init (&b, graph, NULL);
  SluiceAttr dtype = sluice_attr_type ("dtype", SLUICE_STRING);
  SluiceEdge in = sluice_builder_add (&b, "Placeholder", "text", NULL, 0, &dtype, 1);
  SluiceEdge by = sluice_builder_add (&b, "Placeholder", "pattern", NULL, 0, &dtype, 1);
  sluice_builder_add (&b, "RegexFullMatch", "node", (SluiceEdge[]){ in, by }, 2, NULL, 0);
  g_assert_true (sluice_builder_finish (&b, &error));
  g_assert_true (sluice_session_extend (session, graph, &error));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      callers[i] = (Caller){ session, i };
      threads[i] = g_thread_new ("caller", call_often, &callers[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/regex/replace", test_replace);
  g_test_add_func ("/kernels/regex/match", test_match);
  g_test_add_func ("/kernels/regex/linear", test_linear);
  g_test_add_func ("/kernels/regex/bad-patterns", test_bad_patterns);
  g_test_add_func ("/kernels/regex/long-bad-pattern", test_long_bad_pattern);
  g_test_add_func ("/kernels/regex/cache", test_cache);
  g_test_add_func ("/kernels/regex/callers", test_callers);
  return g_test_run ();
}
