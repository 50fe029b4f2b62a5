/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sluice_markdown_to_markup:
 * @text: UTF-8
 *
 * What people write into a run's texts, as CommonMark: headings, emphasis, code in lines and
 * fences, lists, quotes, links to web pages, tables as they stand. What is none of it stays as it
 * is.
 *
 * Returns: (transfer full): Pango markup, valid whatever @text is.
 */
char *sluice_markdown_to_markup (const char *text);

G_END_DECLS
