/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/command/stack.h"

/*
 * The graph that is open for editing, one of a window. Everything that changes it is a command
 * (engine/command/command.h); the file changes by sluice_document_save() alone. Main thread only.
 *
 * Signals: opened (another graph is there, or none), changed (after a command, an undo, a save).
 */
#define SLUICE_TYPE_DOCUMENT (sluice_document_get_type ())
G_DECLARE_FINAL_TYPE (SluiceDocument, sluice_document, SLUICE, DOCUMENT, GObject)

SluiceDocument *sluice_document_new (void);

/* graph: (nullable): which nobody else changes from now on. path: (nullable): the file that it was
 * read from, a GraphDef as text or binary */
void sluice_document_open (SluiceDocument *self, SluiceGraph *graph, const char *path);
SluiceGraph *sluice_document_get_graph (SluiceDocument *self); /* (nullable) (transfer none) */
SluiceCommandStack *sluice_document_get_stack (SluiceDocument *self); /* (nullable), with graph */
const char *sluice_document_get_path (SluiceDocument *self);          /* (nullable) */

/* The text of the graph, with the comments of its file. (nullable) (transfer none): with graph */
SluiceGraphText *sluice_document_get_text (SluiceDocument *self);
/* The text was changed, and the graph was not. */
void sluice_document_text_changed (SluiceDocument *self);

/**
 * sluice_document_do:
 * @line: a command
 *
 * Returns: %FALSE with what is wrong and what would be right, as sluice_command_stack_do(); nothing
 * has changed then
 */
gboolean sluice_document_do (SluiceDocument *self, const char *line, GError **error);
/* Goes to where n commands are done: undoes or does again. */
gboolean sluice_document_go_to (SluiceDocument *self, guint n, GError **error);

/* Is the graph another one than in the file? */
gboolean sluice_document_is_changed (SluiceDocument *self);
/* As sluice_command_write(). FAILED_PRECONDITION: there is no file yet. */
gboolean sluice_document_save (SluiceDocument *self, GError **error);
gboolean sluice_document_save_as (SluiceDocument *self, const char *path, GError **error);
