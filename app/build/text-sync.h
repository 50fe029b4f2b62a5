/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"

/*
 * A buffer that holds the text of a document, of a long one some part (text-window.h): what changes
 * the graph changes the buffer, what is typed into the buffer becomes a command. Places and lines
 * are those of the whole text.
 */
typedef struct _SluiceTextSync SluiceTextSync;

/* Something of what it tells is another thing now. */
typedef void (*SluiceTextSyncNews) (SluiceTextSync *self, gpointer user_data);

/* What becomes of the arrangement where nodes or scopes are called otherwise, lists that end with
 * NULL: a command. (transfer full) (nullable): nothing */
typedef char *(*SluiceTextRenamed) (const char *const *from,
                                    const char *const *to,
                                    gpointer user_data);

/* Keeps the buffer. */
SluiceTextSync *
sluice_text_sync_new (GtkTextBuffer *buffer, SluiceTextSyncNews news, gpointer user_data);
void sluice_text_sync_free (SluiceTextSync *self);

/* renamed: (nullable): nothing is arranged */
void
sluice_text_sync_set_renamed (SluiceTextSync *self, SluiceTextRenamed renamed, gpointer user_data);

/* Begins with the text of the graph that the document has now. document: (nullable) */
void sluice_text_sync_open (SluiceTextSync *self, SluiceDocument *document);

/* What was typed and not read yet is read, now. */
void sluice_text_sync_apply (SluiceTextSync *self);

gboolean sluice_text_sync_is_loading (const SluiceTextSync *self);
gboolean
sluice_text_sync_is_edited (const SluiceTextSync *self); /* what was typed is no graph yet */
/* Is the line part of what was typed? */
gboolean sluice_text_sync_is_edited_at (const SluiceTextSync *self, guint line);
/* (nullable): what is wrong with what was typed. has_place: and place is where */
const char *sluice_text_sync_get_error (const SluiceTextSync *self,
                                        SluiceTextPlace *place,
                                        gboolean *has_place);

/* As of the map. FALSE also in what was typed. */
gboolean
sluice_text_sync_find_spot (SluiceTextSync *self, const GtkTextIter *at, SluiceTextSpot *spot);
gboolean sluice_text_sync_find_node (SluiceTextSync *self,
                                     const char *name,
                                     SluiceNodeFieldKind kind,
                                     const char *attr,
                                     guint input,
                                     SluiceTextSpot *spot);
gboolean sluice_text_sync_get_iter (SluiceTextSync *self, SluiceTextPlace place, GtkTextIter *iter);

/* ---- what of a long text is there ---- */

/* Lines before the buffer's first one, and of the whole text. */
guint sluice_text_sync_get_top (const SluiceTextSync *self);
guint sluice_text_sync_count_lines (const SluiceTextSync *self);
/* Brings a place into the buffer, which may be another one then. FALSE: not while it is read, or
 * what was typed is no graph yet. */
gboolean sluice_text_sync_show (SluiceTextSync *self, SluiceTextPlace place);
/* Some more at one end, where there is. */
void sluice_text_sync_grow (SluiceTextSync *self, gboolean up);
/* All of it comes, in pieces; or it goes back to what is around a line. */
void sluice_text_sync_show_all (SluiceTextSync *self);
void sluice_text_sync_show_part (SluiceTextSync *self, guint line);

/* Between these the buffer is changed, and it is no typing. */
void sluice_text_sync_freeze (SluiceTextSync *self);
void sluice_text_sync_thaw (SluiceTextSync *self);
