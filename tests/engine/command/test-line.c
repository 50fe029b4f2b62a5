/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Lines of the command language: words, keys, quotes, comments. */
#include "engine/base/error.h"
#include "engine/command/line.h"

/* "word|KEY=value|…" */
static char *
words_of (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceLine) line = sluice_line_parse (text, &error);
  GString *all = g_string_new (NULL);
  g_assert_no_error (error);
  for (guint i = 0; i < line->n; i++)
    g_string_append_printf (all, "%s%s%s%s", i > 0 ? "|" : "",
                            line->words[i].key != NULL ? line->words[i].key : "",
                            line->words[i].key != NULL ? "=" : "", line->words[i].text);
  return g_string_free (all, FALSE);
}

static void
test_words (void)
{
  static const char *const cases[][2] = {
    { "", "" },
    { "  # all of it", "" },
    { "add Neg y x:1 # behind", "add|Neg|y|x:1" },
    { "a#b #c", "a#b" },
    { "add Const \"a b\" \"\"", "add|Const|a b|" },
    { "device n \"a\\\"b\\n\"", "device|n|a\"b\n" },
    { "set n shape=[?, 3] T=DT_FLOAT", "set|n|shape=[?, 3]|T=DT_FLOAT" },
    { "set n s=\"a b # c\"", "set|n|s=\"a b # c\"" },
    { "set n v={ tensor { s: \"}\" } } k=1", "set|n|v={ tensor { s: \"}\" } }|k=1" },
    { "set n v=tensor { dtype: DT_INT32 } k=1", "set|n|v=tensor { dtype: DT_INT32 }|k=1" },
    { "train l learning-rate=0.1\r", "train|l|learning-rate=0.1" },
    { "set n v=", "set|n|v=" },
    { "add Neg =x", "add|Neg|=x" },
    { "rename ä ö", "rename|ä|ö" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *words = words_of (cases[i][0]);
      g_assert_cmpstr (words, ==, cases[i][1]);
    }
}

static void
test_refused (void)
{
  static const char *const cases[][2] = {
    { "add \"x", "character 5" },     { "set n v=[1,2", "character 7" },
    { "set n v={ a", "character 7" }, { "add \"a\"b", "character 5" },
    { "add \"\\q\"", "character 5" }, { "add \"a\\x00b\"", "zero byte" },
    { "add \xff", "UTF-8" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_line_parse (cases[i][0], &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (g_strstr_len (error->message, -1, cases[i][1]));
    }
}

/* What is quoted reads back. */
static void
test_quote (void)
{
  static const char *const texts[] = { "a/b", "", "a b", "#x", "a=b", "[", "\"", "ä\n\\" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *quoted = sluice_line_quote (texts[i]);
      g_autofree char *words = words_of (quoted);
      g_assert_cmpstr (words, ==, texts[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/command/line/words", test_words);
  g_test_add_func ("/command/line/refused", test_refused);
  g_test_add_func ("/command/line/quote", test_quote);
  return g_test_run ();
}
