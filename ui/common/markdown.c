/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/markdown.h"

#include <cmark-gfm-core-extensions.h>
#include <pango/pango.h>
#include <string.h>

/* A longer text is no prose. */
#define LONGEST_TEXT (64 * 1024)
/* Deeper is nothing that people write, and Pango walks through all that is around a letter. */
#define DEEPEST 32

SluiceMarkdown *
sluice_markdown_parse (const char *text)
{
  cmark_gfm_core_extensions_ensure_registered ();
  cmark_parser *parser = cmark_parser_new (CMARK_OPT_VALIDATE_UTF8);
  cmark_parser_attach_syntax_extension (parser, cmark_find_syntax_extension ("table"));
  cmark_parser_feed (parser, text, strlen (text));
  cmark_node *document = cmark_parser_finish (parser);
  cmark_parser_free (parser);
  return document;
}

static void
append_escaped (GString *out, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  g_string_append (out, escaped);
}

/* ---- words ---- */

static gboolean
is_web (const char *url)
{
  return g_str_has_prefix (url, "https://") || g_str_has_prefix (url, "http://");
}

/* What begins and ends an inline node: markup, or what was written where it is none here. */
static void
append_mark (GString *out, cmark_node *node, gboolean enters, gboolean is_page)
{
  cmark_node_type type = cmark_node_get_type (node);
  const char *url = type == CMARK_NODE_LINK ? cmark_node_get_url (node) : NULL;
  if (type == CMARK_NODE_EMPH)
    g_string_append (out, enters ? "<i>" : "</i>");
  else if (type == CMARK_NODE_STRONG)
    g_string_append (out, enters ? "<b>" : "</b>");
  else if (url != NULL && (is_page || is_web (url)))
    {
      g_string_append (out, enters ? "<a href=\"" : "</a>");
      if (enters)
        {
          append_escaped (out, url);
          g_string_append (out, "\">");
        }
    }
  else if (url != NULL)
    {
      g_string_append (out, enters ? "[" : "](");
      if (!enters)
        {
          append_escaped (out, url);
          g_string_append_c (out, ')');
        }
    }
}

/* FALSE: other nodes are in it. */
static gboolean
append_leaf (GString *out, cmark_node *node, gboolean is_page)
{
  cmark_node_type type = cmark_node_get_type (node);
  const char *text = cmark_node_get_literal (node);
  if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
    g_string_append_c (out, is_page && type == CMARK_NODE_SOFTBREAK ? ' ' : '\n');
  else if (text == NULL)
    return FALSE;
  else
    {
      g_string_append (out, type == CMARK_NODE_CODE ? "<tt>" : "");
      append_escaped (out, text);
      g_string_append (out, type == CMARK_NODE_CODE ? "</tt>" : "");
    }
  return TRUE;
}

void
sluice_markdown_append_words (GString *out, SluiceMarkdown *block, gboolean is_page)
{
  cmark_iter *iter = cmark_iter_new (block);
  guint depth = 0;
  for (cmark_event_type event; (event = cmark_iter_next (iter)) != CMARK_EVENT_DONE;)
    {
      cmark_node *node = cmark_iter_get_node (iter);
      if (node == block || append_leaf (out, node, is_page))
        continue;
      if (event == CMARK_EVENT_ENTER && ++depth <= DEEPEST)
        append_mark (out, node, TRUE, is_page);
      else if (event == CMARK_EVENT_EXIT && depth-- <= DEEPEST)
        append_mark (out, node, FALSE, is_page);
    }
  cmark_iter_free (iter);
}

static gboolean
is_inline (cmark_node *node)
{
  return (cmark_node_get_type (node) & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_INLINE;
}

char *
sluice_markdown_dup_text (SluiceMarkdown *block)
{
  GString *out = g_string_new (NULL);
  cmark_iter *iter = cmark_iter_new (block);
  for (cmark_event_type event; (event = cmark_iter_next (iter)) != CMARK_EVENT_DONE;)
    {
      cmark_node *node = cmark_iter_get_node (iter);
      cmark_node_type type = cmark_node_get_type (node);
      const char *text = cmark_node_get_literal (node);
      if (text != NULL)
        g_string_append (out, text);
      if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK
          || (!is_inline (node) && event == CMARK_EVENT_EXIT))
        g_string_append_c (out, ' ');
    }
  cmark_iter_free (iter);
  return g_string_free (out, FALSE);
}

gboolean
sluice_markdown_is_table (SluiceMarkdown *block)
{
  return g_str_equal (cmark_node_get_type_string (block), "table");
}

char *
sluice_markdown_dup_item_mark (SluiceMarkdown *item)
{
  cmark_node *list = cmark_node_parent (item);
  if (cmark_node_get_list_type (list) != CMARK_ORDERED_LIST)
    return g_strdup ("•");
  int number = cmark_node_get_list_start (list);
  for (cmark_node *i = cmark_node_previous (item); i != NULL; i = cmark_node_previous (i))
    number++;
  return g_strdup_printf ("%d.", number);
}

/* ---- a whole text as one label's markup ---- */

typedef struct
{
  GString *out;
  guint depth;      /* of lists that are open */
  cmark_node *item; /* (nullable): whose mark is to be written */
} Writer;

/* Between blocks is an empty line; between the items of a list none where none was written. */
static void
begin_block (Writer *self, cmark_node *node)
{
  cmark_node *parent = cmark_node_parent (node);
  gboolean is_tight = cmark_node_get_type (parent) == CMARK_NODE_ITEM
                      && cmark_node_get_list_tight (cmark_node_parent (parent))
                      && (self->depth > 1 || cmark_node_previous (parent) != NULL);
  if (self->out->len > 0)
    g_string_append (self->out, is_tight ? "\n" : "\n\n");
  for (guint i = 1; i < MIN (self->depth, DEEPEST); i++)
    g_string_append (self->out, "  ");
  if (self->item != NULL)
    {
      g_autofree char *mark = sluice_markdown_dup_item_mark (self->item);
      g_string_append_printf (self->out, "%s ", mark);
    }
  self->item = NULL;
}

static void
append_in (GString *out, const char *tag, const char *text)
{
  g_string_append_printf (out, "<%s>", tag);
  append_escaped (out, text);
  g_string_append_printf (out, "</%s>", tag);
}

#define BETWEEN 2 /* letters between columns */

typedef struct
{
  glong *widths; /* in letters */
  guint n;
  const uint8_t *sides; /* 'l', 'c', 'r', or 0: none was given */
} Columns;

/* As they are shown: a link that leads nowhere is written out. */
static glong
count_letters (cmark_node *cell)
{
  g_autoptr (GString) words = g_string_new (NULL);
  g_autofree char *text = NULL;
  sluice_markdown_append_words (words, cell, FALSE);
  return pango_parse_markup (words->str, -1, 0, NULL, &text, NULL, NULL) ? g_utf8_strlen (text, -1)
                                                                         : 0;
}

static void
append_times (GString *out, const char *text, glong n)
{
  for (; n > 0; n--)
    g_string_append (out, text);
}

/* Behind the last cell nothing is filled up. */
static void
append_row (GString *out, cmark_node *row, const Columns *columns, gboolean is_head)
{
  g_string_append (out, is_head ? "<tt><b>" : "<tt>");
  guint i = 0;
  for (cmark_node *cell = cmark_node_first_child (row); cell != NULL && i < columns->n;
       cell = cmark_node_next (cell), i++)
    {
      glong room = columns->widths[i] - count_letters (cell);
      glong before = columns->sides[i] == 'r' ? room : columns->sides[i] == 'c' ? room / 2 : 0;
      append_times (out, " ", before);
      sluice_markdown_append_words (out, cell, FALSE);
      if (cmark_node_next (cell) != NULL)
        append_times (out, " ", room - before + BETWEEN);
    }
  g_string_append (out, is_head ? "</b></tt>" : "</tt>");
}

static void
append_rule (GString *out, const Columns *columns)
{
  glong length = BETWEEN * ((glong) columns->n - 1);
  for (guint i = 0; i < columns->n; i++)
    length += columns->widths[i];
  g_string_append (out, "\n<tt>");
  append_times (out, "─", length);
  g_string_append (out, "</tt>");
}

/* One label has no columns: letters of one width make them. */
static void
append_table (GString *out, cmark_node *table)
{
  Columns columns = { .n = cmark_gfm_extensions_get_table_columns (table),
                      .sides = cmark_gfm_extensions_get_table_alignments (table) };
  g_autofree glong *widths = columns.widths = g_new0 (glong, columns.n + 1);
  cmark_node *head = cmark_node_first_child (table);
  for (cmark_node *row = head; row != NULL; row = cmark_node_next (row))
    {
      guint i = 0;
      for (cmark_node *cell = cmark_node_first_child (row); cell != NULL && i < columns.n;
           cell = cmark_node_next (cell), i++)
        widths[i] = MAX (widths[i], count_letters (cell));
    }
  for (cmark_node *row = head; row != NULL; row = cmark_node_next (row))
    {
      append_row (out, row, &columns, row == head);
      if (row == head)
        append_rule (out, &columns);
      g_string_append (out, cmark_node_next (row) != NULL ? "\n" : "");
    }
}

static void
append_heading (Writer *self, cmark_node *node)
{
  static const char *const sizes[] = { "x-large", "large", "medium" };
  int level = MIN (cmark_node_get_heading_level (node), (int) G_N_ELEMENTS (sizes));
  g_string_append_printf (self->out, "<span weight=\"bold\" size=\"%s\">", sizes[level - 1]);
  sluice_markdown_append_words (self->out, node, FALSE);
  g_string_append (self->out, "</span>");
}

static void
append_paragraph (Writer *self, cmark_node *node)
{
  gboolean quoted = cmark_node_get_type (cmark_node_parent (node)) == CMARK_NODE_BLOCK_QUOTE;
  g_string_append (self->out, quoted ? "<i>" : "");
  sluice_markdown_append_words (self->out, node, FALSE);
  g_string_append (self->out, quoted ? "</i>" : "");
}

/* FALSE: other blocks are in it. */
static gboolean
append_block (Writer *self, cmark_node *node)
{
  cmark_node_type type = cmark_node_get_type (node);
  gboolean is_table = sluice_markdown_is_table (node);
  const char *text = cmark_node_get_literal (node);
  if (!is_table && type != CMARK_NODE_HEADING && type != CMARK_NODE_PARAGRAPH
      && type != CMARK_NODE_THEMATIC_BREAK && text == NULL)
    return FALSE;
  begin_block (self, node);
  g_autofree char *chopped = text != NULL ? g_strchomp (g_strdup (text)) : NULL;
  if (is_table)
    append_table (self->out, node);
  else if (type == CMARK_NODE_HEADING)
    append_heading (self, node);
  else if (type == CMARK_NODE_PARAGRAPH)
    append_paragraph (self, node);
  else if (type == CMARK_NODE_CODE_BLOCK)
    append_in (self->out, "tt", chopped);
  else if (text != NULL)
    append_escaped (self->out, chopped);
  else
    g_string_append (self->out, "———");
  return TRUE;
}

static void
append_document (Writer *self, cmark_node *document)
{
  cmark_iter *iter = cmark_iter_new (document);
  for (cmark_event_type event; (event = cmark_iter_next (iter)) != CMARK_EVENT_DONE;)
    {
      cmark_node *node = cmark_iter_get_node (iter);
      gboolean enters = event == CMARK_EVENT_ENTER;
      if (cmark_node_get_type (node) == CMARK_NODE_LIST)
        self->depth += enters ? 1 : -1;
      else if (cmark_node_get_type (node) == CMARK_NODE_ITEM)
        self->item = enters ? node : NULL;
      else if (enters && append_block (self, node) && cmark_node_first_child (node) != NULL)
        cmark_iter_reset (iter, node, CMARK_EVENT_EXIT);
    }
  cmark_iter_free (iter);
}

char *
sluice_markdown_to_markup (const char *text)
{
  if (strlen (text) > LONGEST_TEXT)
    return g_markup_escape_text (text, -1);
  g_autoptr (SluiceMarkdown) document = sluice_markdown_parse (text);
  Writer writer = { .out = g_string_new (NULL) };
  append_document (&writer, document);
  return g_string_free (writer.out, FALSE);
}
