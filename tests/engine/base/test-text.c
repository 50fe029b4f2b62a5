/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/text.h"

#include <string.h>

#include "engine/base/count.h"
#include "engine/base/error.h"

static void
test_names (void)
{
  static const char *const good[] = { "run", "lenet, 2nd try", "größer", "a/b", "#a", "#" };
  static const char *const bad[] = { "",
                                     " a",
                                     "a ",
                                     "a\nb",
                                     "a\033[2J",
                                     "a\177",
                                     "#12",
                                     "\t",
                                     "\xff",
                                     "a\xc2\x9b"
                                     "31m",
                                     "a\xe2\x80\xae"
                                     "b" };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (sluice_text_check_name ("the name", good[i], NULL));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (sluice_text_check_name ("the name", bad[i], &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      for (const char *at = error->message; *at != '\0'; at++)
        g_assert_false (g_ascii_iscntrl (*at));
    }
  g_assert_true (sluice_text_is_visible ("a\tname, größer "));
  g_assert_false (sluice_text_is_visible ("a\nname"));
  g_assert_false (sluice_text_is_visible ("a\033[31m"));
  g_autofree char *longest = g_strnfill (255, 'a'), *longer = g_strnfill (256, 'a');
  g_assert_true (sluice_text_check_name ("the name", longest, NULL));
  g_assert_false (sluice_text_check_name ("the name", longer, NULL));
}

static void
test_escape (void)
{
  static const struct
  {
    const char *text, *want;
  } cases[] = {
    { "plain, größer", "plain, größer" },
    { "a\033[31m\n\t", "a\\x1b[31m\\n\\t" },
    { "\xff\xc3", "\\xff\\xc3" },
    { "a\xe2\x80\xae"
      "b",
      "a\\u202eb" },
    { "\xc2\x9b", "\\x9b" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *got = sluice_text_escape (cases[i].text);
      g_assert_cmpstr (got, ==, cases[i].want);
    }
}

static void
test_number (void)
{
  static const struct
  {
    double value;
    gboolean is_float;
    const char *want;
  } cases[] = {
    { 0.003, FALSE, "0.003" },
    { 0.003f, TRUE, "0.003" },
    { 0.003f, FALSE, "0.003000000026077032" },
    { 1.0 / 3, FALSE, "0.3333333333333333" },
    { 100000000, FALSE, "100000000" },
    { -1e-300, FALSE, "-1e-300" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *got = sluice_text_dup_number (cases[i].value, cases[i].is_float);
      g_assert_cmpstr (got, ==, cases[i].want);
    }
}

static char *
dup_in_words (gint64 n)
{
  return g_strdup (n == 2 ? "two" : "many");
}

/* A program writes the numbers of the engine's sentences as its own; others get digits. */
static void
test_count (void)
{
  g_autofree char *plain = sluice_count_dup (-12345);
  g_assert_cmpstr (plain, ==, "-12345");
  sluice_count_set_format (dup_in_words);
  g_autofree char *words = sluice_count_dup (2);
  g_assert_cmpstr (words, ==, "two");
}

/* Brackets in texts count for nothing, nor do those that close what was not open. */
static void
test_shallow_json (void)
{
  static const struct
  {
    const char *text;
    guint depth; /* of what lies deepest */
  } cases[] = {
    { "", 0 },
    { "3", 0 },
    { "[]", 1 },
    { "{\"a\": [1, {\"b\": []}], \"c\": [[]]}", 4 },
    { "\"[[[[\\\"[[[[\"", 0 },
    { "]]]][[", 2 },
    { "[\"\\", 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint depth = 0; depth < 6; depth++)
      g_assert_cmpint (sluice_text_is_shallow_json (cases[i].text, strlen (cases[i].text), depth),
                       ==, cases[i].depth <= depth);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/text/names", test_names);
  g_test_add_func ("/base/text/escape", test_escape);
  g_test_add_func ("/base/text/number", test_number);
  g_test_add_func ("/base/text/count", test_count);
  g_test_add_func ("/base/text/shallow-json", test_shallow_json);
  return g_test_run ();
}
