/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/graph/graph-text.h"

/*
 * The part of a long text that a buffer holds: whole blocks, some thousand lines. A view lays out
 * and colours each line of its buffer, seen or not, which takes a minute of the main loop for a
 * graph of 36,000 nodes. Lines and places are those of the whole text.
 *
 * Where lines are hidden behind it, the buffer's last line is empty and stands for the first of
 * them.
 */
typedef struct
{
  GtkTextBuffer *buffer;
  guint top;    /* lines hidden before it */
  guint bottom; /* lines hidden behind it, without that first one */
} SluiceTextWindow;

guint sluice_text_window_count_lines (const SluiceTextWindow *self); /* of the whole text */
gboolean sluice_text_window_is_whole (const SluiceTextWindow *self);
SluiceTextPlace sluice_text_window_get_place (const SluiceTextWindow *self, const GtkTextIter *at);
/* FALSE: it is hidden, or nowhere. */
gboolean sluice_text_window_get_iter (const SluiceTextWindow *self,
                                      SluiceTextPlace place,
                                      GtkTextIter *iter);

/* As SluiceTextFollower tells it: hidden lines are only counted. */
void sluice_text_window_replace (SluiceTextWindow *self,
                                 SluiceTextPlace begin,
                                 SluiceTextPlace end,
                                 const char *text);

/* These read @map, which is up to date; what is typed and not the map's yet stays. */
void sluice_text_window_grow_up (SluiceTextWindow *self, SluiceGraphText *map);
void sluice_text_window_grow_down (SluiceTextWindow *self, SluiceGraphText *map);
/* Around a line, the buffer holding nothing that is not the map's. */
void sluice_text_window_move (SluiceTextWindow *self, SluiceGraphText *map, guint line);
