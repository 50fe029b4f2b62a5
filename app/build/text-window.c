/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/text-window.h"

#include <string.h>

#define MORE_LINES 500 /* that come at once */

static guint
count_shown (const SluiceTextWindow *self)
{
  return (guint) gtk_text_buffer_get_line_count (self->buffer);
}

guint
sluice_text_window_count_lines (const SluiceTextWindow *self)
{
  return self->top + count_shown (self) + self->bottom;
}

gboolean
sluice_text_window_is_whole (const SluiceTextWindow *self)
{
  return self->top == 0 && self->bottom == 0;
}

SluiceTextPlace
sluice_text_window_get_place (const SluiceTextWindow *self, const GtkTextIter *at)
{
  return (SluiceTextPlace){ self->top + (guint) gtk_text_iter_get_line (at),
                            (guint) gtk_text_iter_get_line_index (at) };
}

gboolean
sluice_text_window_get_iter (const SluiceTextWindow *self, SluiceTextPlace place, GtkTextIter *iter)
{
  return place.line >= self->top && place.line - self->top < count_shown (self)
         && gtk_text_buffer_get_iter_at_line_index (
             self->buffer, iter, (int) (place.line - self->top), (int) place.byte);
}

/* ---- the text changes ---- */

/* Texts change by whole lines where they do at the window's edge. */
void
sluice_text_window_replace (SluiceTextWindow *self,
                            SluiceTextPlace begin,
                            SluiceTextPlace end,
                            const char *text)
{
  const guint n = sluice_text_place ((SluiceTextPlace){ 0 }, text, strlen (text)).line;
  const guint n_old = end.line - begin.line, last = self->top + count_shown (self) - 1;
  GtkTextIter from, to;
  gtk_text_buffer_get_bounds (self->buffer, &from, &to);
  if (begin.line < self->top && end.line <= self->top)
    {
      self->top += n - n_old;
      return;
    }
  if (self->bottom > 0 && begin.line >= last)
    {
      self->bottom += n - n_old;
      return;
    }
  if ((begin.line >= self->top && !sluice_text_window_get_iter (self, begin, &from))
      || (end.line <= last && !sluice_text_window_get_iter (self, end, &to)))
    g_return_if_reached ();
  self->bottom -= end.line > last ? end.line - last : 0;
  self->top = MIN (self->top, begin.line);
  if (!gtk_text_iter_equal (&from, &to))
    gtk_text_buffer_delete (self->buffer, &from, &to);
  gtk_text_buffer_insert (self->buffer, &from, text, -1);
}

/* ---- another part of it ---- */

/* The lines from first on that are shown with whole blocks; *n_behind: as many stay hidden.
 * (transfer full) */
static char *
dup_blocks (SluiceGraphText *map, guint *first, guint *n_behind)
{
  sluice_graph_text_widen (map, first, n_behind);
  if (*n_behind == 1) /* the last line may have no newline */
    *n_behind = 0;
  return sluice_graph_text_dup_lines (map, *first, sluice_graph_text_get_n_lines (map) - *n_behind);
}

void
sluice_text_window_grow_up (SluiceTextWindow *self, SluiceGraphText *map)
{
  guint first = self->top - MIN (self->top, MORE_LINES);
  guint n_behind = sluice_graph_text_get_n_lines (map) - self->top;
  GtkTextIter start;
  if (self->top == 0)
    return;
  g_autofree char *text = dup_blocks (map, &first, &n_behind);
  gtk_text_buffer_get_start_iter (self->buffer, &start);
  gtk_text_buffer_insert (self->buffer, &start, text, -1);
  self->top = first;
}

void
sluice_text_window_grow_down (SluiceTextWindow *self, SluiceGraphText *map)
{
  guint n_hidden = self->bottom + 1, n_behind = n_hidden - MIN (n_hidden, MORE_LINES);
  guint first = sluice_graph_text_get_n_lines (map) - n_hidden;
  GtkTextIter end;
  if (self->bottom == 0)
    return;
  g_autofree char *text = dup_blocks (map, &first, &n_behind);
  gtk_text_buffer_get_end_iter (self->buffer, &end);
  gtk_text_buffer_insert (self->buffer, &end, text, -1);
  self->bottom = n_behind > 0 ? n_behind - 1 : 0;
}

void
sluice_text_window_move (SluiceTextWindow *self, SluiceGraphText *map, guint line)
{
  guint n = sluice_graph_text_get_n_lines (map);
  guint first = line - MIN (line, MORE_LINES), n_behind = n - MIN (n, line + MORE_LINES);
  g_autofree char *text = dup_blocks (map, &first, &n_behind);
  gtk_text_buffer_set_text (self->buffer, text, -1);
  self->top = first;
  self->bottom = n_behind > 0 ? n_behind - 1 : 0;
}
