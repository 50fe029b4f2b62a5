/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* The manual: Markdown pages in a folder (data/help). A page's name is its file's path without
 * ".md", as in "graph" and "ops/MatMul"; a translation stands in a folder of the language's name.
 */

#include <glib.h>

G_BEGIN_DECLS

/* The page that says what there is; its lists of links are the table of contents. */
#define SLUICE_HELP_INDEX "index"

/** sluice_help_init: finds the manual for a program that was called as @program. */
void sluice_help_init (const char *program);

/** sluice_help_has: is there such a page, in any language? */
gboolean sluice_help_has (const char *page);

/**
 * sluice_help_load:
 *
 * Returns: (transfer full) (nullable): the page's Markdown in the user's language, or in English
 *   where there is none.
 */
char *sluice_help_load (const char *page, GError **error);

/**
 * sluice_help_resolve:
 * @page: on which the link stands
 * @link: relative to the page, as in "graph.md#colours"
 * @anchor: (out) (transfer full) (nullable): the heading after '#'
 *
 * Returns: (transfer full) (nullable): a page's name; %NULL where it leads out of the manual.
 */
char *sluice_help_resolve (const char *page, const char *link, char **anchor);

/** sluice_help_dup_anchor: (transfer full): the anchor of a heading, as GitHub makes it. */
char *sluice_help_dup_anchor (const char *heading);

/**
 * sluice_help_find_picture:
 * @link: of a picture on a page, as in "pictures/graph.png"
 *
 * Returns: (transfer full) (nullable): the file's path: in the user's language and for a dark
 *   ground where there is such a one. %NULL where the build drew none.
 */
char *sluice_help_find_picture (const char *link, gboolean is_dark);

typedef struct
{
  char *page, *anchor; /* (nullable) */
  char *title;
  char *detail; /* of contents: the heading it stands under; of a hit: where and what was found */
} SluiceHelpEntry;

void sluice_help_entry_free (SluiceHelpEntry *entry);

/** sluice_help_list_contents: (transfer full) (element-type SluiceHelpEntry) */
GPtrArray *sluice_help_list_contents (void);

/**
 * sluice_help_search:
 *
 * Returns: (transfer full) (element-type SluiceHelpEntry): the sections of all pages that have
 * every word of @text, titles first; of the ops' pages those that are named so.
 */
GPtrArray *sluice_help_search (const char *text);

G_END_DECLS
