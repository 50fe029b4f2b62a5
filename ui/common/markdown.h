/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* Markdown as GitHub has it (CommonMark and tables), read by cmark-gfm. */

#include <cmark-gfm.h>
#include <glib.h>

G_BEGIN_DECLS

typedef cmark_node SluiceMarkdown;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMarkdown, cmark_node_free)

/**
 * sluice_markdown_parse:
 * @text: UTF-8
 *
 * Returns: (transfer full): the document.
 */
SluiceMarkdown *sluice_markdown_parse (const char *text);

/**
 * sluice_markdown_append_words:
 * @block: a heading, a paragraph, a cell of a table
 * @is_page: links lead to other pages, too, and lines flow together; else to the web only
 *
 * Appends its words as Pango markup that GTK's labels read. What is no link is shown as it was
 * written; of a picture its alternative text is.
 */
void sluice_markdown_append_words (GString *out, SluiceMarkdown *block, gboolean is_page);

/** sluice_markdown_dup_text: (transfer full): the words of a block and of all in it, bare. */
char *sluice_markdown_dup_text (SluiceMarkdown *block);

/** sluice_markdown_is_table: a table, whose children are rows of cells, the first its heading. */
gboolean sluice_markdown_is_table (SluiceMarkdown *block);

/** sluice_markdown_dup_item_mark: (transfer full): what stands before a list's item, "•" or "3.".
 */
char *sluice_markdown_dup_item_mark (SluiceMarkdown *item);

/**
 * sluice_markdown_to_markup:
 * @text: UTF-8
 *
 * What people write into a run's texts: headings, emphasis, code in lines and fences, lists,
 * quotes, links to web pages, tables in columns. Lines stay lines, and what is none of it stays
 * as it is. A text of more than 64 KiB is shown as it stands.
 *
 * Returns: (transfer full): Pango markup, valid whatever @text is.
 */
char *sluice_markdown_to_markup (const char *text);

G_END_DECLS
