/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * A line of the command language: words with blanks between. What stands in double quotes or in
 * brackets belongs to one word; '#' at the beginning of a word begins a comment. KEY=VALUE is a
 * word with a key.
 */
typedef struct
{
  char *key;  /* (nullable): a name, before '=' */
  char *text; /* without its quotes; of a value as it was written */
} SluiceWord;

typedef struct
{
  SluiceWord *words;
  guint n;
} SluiceLine;

/* Longer lines are refused: a value of this size belongs into a file. */
#define SLUICE_LINE_MAX (16 * 1024 * 1024)

/**
 * sluice_line_parse:
 *
 * Returns: (transfer full) (nullable): without words where it is empty or a comment; %NULL with
 * INVALID_ARGUMENT that says where in the line what is wrong
 */
SluiceLine *sluice_line_parse (const char *text, GError **error);
void sluice_line_free (SluiceLine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLine, sluice_line_free)

/* The text as a word that reads back the same: in quotes where it must be. (transfer full) */
char *sluice_line_quote (const char *text);
/* What a value's text is without its quotes. (transfer full) (nullable): with INVALID_ARGUMENT */
char *sluice_line_unquote (const char *text, GError **error);

/* How many blanks a text begins with. */
gsize sluice_line_blanks (const char *text);
/* The length of the word that a text begins with; G_MAXSIZE: a quote or bracket is not closed. key:
 * (out): the length of its "KEY="; 0: it has none */
gsize sluice_line_span (const char *text, gsize *key);
