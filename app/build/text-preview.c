/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/text-preview.h"

static GtkTextBuffer *
get_buffer (SluiceTextView *view)
{
  return gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
}

static gboolean
take_lines (SluiceTextView *view, SluiceTextSync *sync, SluiceTextRange which)
{
  GtkTextBuffer *buffer = get_buffer (view);
  guint first, last;
  GtkTextIter begin, end;
  if (!sluice_text_view_get_range (view, which, &first, &last))
    return FALSE;
  gtk_text_buffer_get_iter_at_line (buffer, &begin, (int) first);
  gtk_text_buffer_get_iter_at_line (buffer, &end, (int) last + 1);
  sluice_text_sync_freeze (sync);
  gtk_text_buffer_begin_irreversible_action (buffer);
  gtk_text_buffer_delete (buffer, &begin, &end);
  gtk_text_buffer_end_irreversible_action (buffer);
  sluice_text_sync_thaw (sync);
  sluice_text_view_set_range (view, which, NULL, NULL);
  return TRUE;
}

gboolean
sluice_text_preview_end (SluiceTextView *view, SluiceTextSync *sync)
{
  gboolean has_input = take_lines (view, sync, SLUICE_TEXT_PREVIEW_INPUT);
  return take_lines (view, sync, SLUICE_TEXT_PREVIEW) || has_input;
}

/* text: ends with a newline. offset: -1: nowhere */
static void
put_lines (
    SluiceTextView *view, SluiceTextSync *sync, SluiceTextRange which, const char *text, int offset)
{
  GtkTextBuffer *buffer = get_buffer (view);
  GtkTextIter at, begin;
  if (offset < 0)
    return;
  gtk_text_buffer_get_iter_at_offset (buffer, &at, offset);
  sluice_text_sync_freeze (sync);
  gtk_text_buffer_begin_irreversible_action (buffer);
  gtk_text_buffer_insert (buffer, &at, text, -1);
  gtk_text_buffer_end_irreversible_action (buffer);
  sluice_text_sync_thaw (sync);
  gtk_text_buffer_get_iter_at_offset (buffer, &begin, offset);
  sluice_text_view_set_range (view, which, &begin, &at);
}

/* Behind the node that is selected, or all there is. */
static int
find_block (SluiceTextView *view, SluiceTextSync *sync, const char *node)
{
  g_auto (SluiceTextSpot) spot = { 0 };
  GtkTextIter at;
  if (node == NULL
      || !sluice_text_sync_find_node (sync, node, SLUICE_NODE_FIELD_NONE, NULL, 0, &spot)
      || !sluice_text_sync_get_iter (sync, spot.end, &at))
    gtk_text_buffer_get_end_iter (get_buffer (view), &at);
  return gtk_text_iter_get_offset (&at);
}

/* Before the line of what is read now. -1: that is not in the buffer */
static int
find_reader (SluiceTextSync *sync, const SluicePreviewInput *reader)
{
  g_auto (SluiceTextSpot) spot = { 0 };
  GtkTextIter at;
  if (reader == NULL || reader->node == NULL
      || !sluice_text_sync_find_node (sync, reader->node, SLUICE_NODE_FIELD_INPUT, NULL,
                                      reader->input, &spot)
      || spot.kind != SLUICE_NODE_FIELD_INPUT
      || !sluice_text_sync_get_iter (sync, spot.field_begin, &at))
    return -1;
  gtk_text_iter_set_line_offset (&at, 0);
  return gtk_text_iter_get_offset (&at);
}

void
sluice_text_preview_begin (SluiceTextView *view,
                           SluiceTextSync *sync,
                           const char *node,
                           const char *text,
                           const SluicePreviewInput *reader)
{
  int block = find_block (view, sync, node), input = find_reader (sync, reader);
  g_autofree char *line = input >= 0 ? g_strdup_printf ("  input: \"%s\"\n", reader->edge) : NULL;
  if (input > block) /* the later one first: the other stays where it is */
    put_lines (view, sync, SLUICE_TEXT_PREVIEW_INPUT, line, input);
  put_lines (view, sync, SLUICE_TEXT_PREVIEW, text, block);
  if (input <= block)
    put_lines (view, sync, SLUICE_TEXT_PREVIEW_INPUT, line, input);
}
