/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtksourceview/gtksource.h>

/* A text of a graph with its line numbers, in which ranges of lines stand out: the block of the
 * node that is selected, what the caret is in, what may come. */
#define SLUICE_TYPE_TEXT_VIEW (sluice_text_view_get_type ())
G_DECLARE_FINAL_TYPE (SluiceTextView, sluice_text_view, SLUICE, TEXT_VIEW, GtkSourceView)

typedef enum
{
  SLUICE_TEXT_BLOCK,
  SLUICE_TEXT_FIELD,
  SLUICE_TEXT_PREVIEW,       /* dashed; these lines have no numbers */
  SLUICE_TEXT_PREVIEW_INPUT, /* the same: what reads it */
  SLUICE_N_TEXT_RANGES,
} SluiceTextRange;

/* For the text of a file of that language. */
SluiceTextView *sluice_text_view_new (void);

/* Of a long text of which the buffer holds a part: lines before it, and all. */
void sluice_text_view_set_lines (SluiceTextView *self, guint top, guint lines);
/* From the line of one place to that of the other, the latter left out if it is its beginning.
 * begin: (nullable): none of it stands out */
void sluice_text_view_set_range (SluiceTextView *self,
                                 SluiceTextRange which,
                                 const GtkTextIter *begin,
                                 const GtkTextIter *end);
/* FALSE: none does. The lines from one to the other. */
gboolean
sluice_text_view_get_range (SluiceTextView *self, SluiceTextRange which, guint *first, guint *last);
