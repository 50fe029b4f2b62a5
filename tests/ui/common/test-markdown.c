/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/markdown.h"

#include <pango/pango.h>
#include <string.h>

static void
test_markup (void)
{
  static const struct
  {
    const char *text, *markup;
  } cases[] = {
    { "# Run 3", "<span weight=\"bold\" size=\"x-large\">Run 3</span>" },
    { "a **b *c* d** e", "a <b>b <i>c</i> d</b> e" },
    { "`a<b` & c", "<tt>a&lt;b</tt> &amp; c" },
    { "- one\n- two\n  - three", "• one\n• two\n  • three" },
    { "3. one\n4. two", "3. one\n4. two" },
    { "```\n**x**\n```", "<tt>**x**</tt>" },
    { "[w](https://a/?b&c)", "<a href=\"https://a/?b&amp;c\">w</a>" },
    { "[w](javascript:x)", "[w](javascript:x)" },
    { "![w](x.png)", "w" },
    { "2 * 3 * 4 and **", "2 * 3 * 4 and **" },
    { "a\nb\n\nc", "a\nb\n\nc" },
    { "> said", "<i>said</i>" },
    { "| a |  b |\n|---|---|\n| 1 | 2 |", "<tt><b>a  b</b></tt>\n<tt>────</tt>\n<tt>1  2</tt>" },
    { "a | b", "a | b" },
    { "<script>", "&lt;script&gt;" },
    { "", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *markup = sluice_markdown_to_markup (cases[i].text);
      g_assert_cmpstr (markup, ==, cases[i].markup);
    }
}

static void
check_valid (const char *text)
{
  g_autofree char *markup = sluice_markdown_to_markup (text);
  g_assert_true (pango_parse_markup (markup, -1, 0, NULL, NULL, NULL, NULL)
                 || strstr (markup, "<a href") != NULL); /* which GTK's labels add */
}

/* Whatever it is, it is valid markup. */
static void
test_by_lot (void)
{
  static const char letters[] = "*_`[]()#-|>!1. \n\n<&ahttps://";
  for (int round = 0; round < 4000; round++)
    {
      char text[61] = "";
      for (int i = 0; i < 60; i++)
        text[i] = letters[g_test_rand_int_range (0, (int) sizeof letters - 1)];
      check_valid (text);
    }
}

/* What is deep, long or endless. */
static void
test_hostile (void)
{
  static const char *const parts[] = { "> ",    "- ",  "*a ", "**a_",   "[",
                                       "![a](", "<",   "`a",  "|a\n|-", "a\n\n",
                                       "# ",    "1. ", "&a",  "\\",     "[a](<b" };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      while (text->len < 60 * 1024)
        g_string_append (text, parts[i]);
      check_valid (text->str);
      while (text->len < 200 * 1024)
        g_string_append (text, parts[i]);
      check_valid (text->str);
    }
}

/* What the manual asks of it. */
static void
test_blocks (void)
{
  g_autoptr (SluiceMarkdown) page = sluice_markdown_parse (
      "# A *b*\n\nSee [c](d.md#e).\nAnd\n\n| f | g |\n|---|---|\n| `h` | i |\n");
  SluiceMarkdown *heading = cmark_node_first_child (page), *paragraph = cmark_node_next (heading),
                 *table = cmark_node_next (paragraph);
  g_autofree char *title = sluice_markdown_dup_text (heading);
  g_autofree char *text = sluice_markdown_dup_text (page);
  g_autoptr (GString) words = g_string_new (NULL);
  sluice_markdown_append_words (words, paragraph, TRUE);
  g_assert_cmpstr (title, ==, "A b ");
  g_assert_cmpstr (words->str, ==, "See <a href=\"d.md#e\">c</a>. And");
  g_assert_true (sluice_markdown_is_table (table));
  g_assert_false (sluice_markdown_is_table (paragraph));
  g_assert_nonnull (strstr (text, "See c. And"));
  g_assert_nonnull (strstr (text, "h i"));
}

/* Letters of one width make columns, whatever marks up the words in them. */
static void
test_table (void)
{
  g_autofree char *markup = sluice_markdown_to_markup (
      "| name | loss | seen |\n|---|---:|:-:|\n| `mlp` | 0.25 | [a](b.md) |\n| **Größe** | 1 ||\n");
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  pango_parse_markup (markup, -1, 0, NULL, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==,
                   "name   loss    seen\n"
                   "──────────────────────\n"
                   "mlp    0.25  [a](b.md)\n"
                   "Größe     1      ");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/common/markdown/markup", test_markup);
  g_test_add_func ("/ui/common/markdown/by-lot", test_by_lot);
  g_test_add_func ("/ui/common/markdown/hostile", test_hostile);
  g_test_add_func ("/ui/common/markdown/blocks", test_blocks);
  g_test_add_func ("/ui/common/markdown/table", test_table);
  return g_test_run ();
}
