/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"
#include "app/build/text-sync.h"

/*
 * The text of a document beside its picture. What is typed becomes a command where it is valid, as
 * soon as nobody types for a moment; what is not leaves the graph as it was, and is marked with
 * what is wrong.
 *
 * Signals: selected (string: the node that the caret is in), attr-selected (string, nullable: its
 * attribute).
 * Actions: twin.find, twin.find-next, twin.find-previous, twin.end-find.
 */
#define SLUICE_TYPE_TEXT_TWIN (sluice_text_twin_get_type ())
G_DECLARE_FINAL_TYPE (SluiceTextTwin, sluice_text_twin, SLUICE, TEXT_TWIN, GtkWidget)

void sluice_text_twin_set_document (SluiceTextTwin *self, SluiceDocument *document);
/* As sluice_text_sync_set_renamed(). */
void
sluice_text_twin_set_renamed (SluiceTextTwin *self, SluiceTextRenamed renamed, gpointer user_data);
/* The node was selected elsewhere: its block stands out, and is scrolled to. name: (nullable) */
void sluice_text_twin_select (SluiceTextTwin *self, const char *name);
/* An attribute of that node is looked at elsewhere. attr: (nullable) */
void sluice_text_twin_select_attr (SluiceTextTwin *self, const char *attr);
/* Shows what would come, dashed, behind the block of the node that is selected: blocks of text,
 * and what reads it. words: "with Reshape inserted". text: (nullable): nothing any more. reader:
 * (nullable) */
void sluice_text_twin_preview (SluiceTextTwin *self,
                               const char *text,
                               const SluicePreviewInput *reader,
                               const char *words);
/* All of the text is there, and nothing that was typed waits to be read. */
gboolean sluice_text_twin_is_settled (SluiceTextTwin *self);
/* What a test wants to know: JSON. (transfer full) */
char *sluice_text_twin_dump_state (SluiceTextTwin *self);
