/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "app/build/opened-graph.h"
#include "engine/command/stack.h"

/*
 * The graph that is open for editing, one of a window. Everything that changes it is a command
 * (engine/command/command.h), which is kept in a journal before it counts; the file changes by
 * sluice_document_save_then() alone, and only where it holds what is known. Main thread only.
 *
 * Signals: opened (another graph is there, or none), changed (after a command, an undo, a save),
 * arranged (after it; a GPtrArray of lines as of sluice_view_state_diff(): the picture changed),
 * news (sluice_document_get_news()), reload (the file is to be opened anew), hashed (the hash of
 * what was saved is known), pasting (sluice_document_get_paste()).
 */
#define SLUICE_TYPE_DOCUMENT (sluice_document_get_type ())
G_DECLARE_FINAL_TYPE (SluiceDocument, sluice_document, SLUICE, DOCUMENT, GObject)

SluiceDocument *sluice_document_new (void);

/* A graph that has no file yet. graph: (nullable): which nobody else changes from now on */
void sluice_document_open (SluiceDocument *self, SluiceGraph *graph);
/* opened: (transfer full) */
void sluice_document_take (SluiceDocument *self, SluiceOpenedGraph *opened);
/* What is not saved stays in its journal, to be opened again. */
void sluice_document_close (SluiceDocument *self);
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
/* `set NAME KEY=VALUE` of a node or a layer. value: as a command has it; INVALID_ARGUMENT also
 * where it is several. */
gboolean sluice_document_set (
    SluiceDocument *self, const char *name, const char *key, const char *value, GError **error);
/* error: (nullable): it was done. CANCELLED: it was not */
typedef void (*SluiceDocumentPasted) (const GError *error, gpointer user_data);
/* Blocks of nodes, as sluice_paste_dup_line() has them, become nodes, as one command. A large text
 * is pasted in pieces: done is called later then. Whoever changes, saves or leaves the document
 * takes the rest at once. */
void sluice_document_paste (SluiceDocument *self,
                            const char *text,
                            gboolean is_wired,
                            SluiceDocumentPasted done,
                            gpointer user_data);
/* Is there one under way? progress: from 0 to 1. n_nodes: as far as is known */
gboolean sluice_document_get_paste (SluiceDocument *self, double *progress, guint *n_nodes);
/* For who walks through the graph. */
void sluice_document_finish_paste (SluiceDocument *self);
/* The graph is as it was. */
void sluice_document_cancel_paste (SluiceDocument *self);
/* Goes to where n commands are done: undoes or does again. */
gboolean sluice_document_go_to (SluiceDocument *self, guint n, GError **error);

/* Is the graph another one than in the file? */
gboolean sluice_document_is_changed (SluiceDocument *self);
/* sluice_graph_dup_hash() of what the file holds; %NULL while the graph is another one, and until a
 * thread has found it, which is told (hashed). (nullable) (transfer none) */
const char *sluice_document_get_saved_hash (SluiceDocument *self);
/* error: (nullable): it was saved. FAILED_PRECONDITION: there is no file yet. ABORTED: another
 * program has changed it, which is news. */
typedef void (*SluiceDocumentSaved) (SluiceDocument *self, const GError *error, gpointer data);
/* What the graph is now is written by another thread; it may be edited meanwhile, and be closed,
 * which waits. Calls done in the end, at once where nothing can be written. */
void sluice_document_save_then (SluiceDocument *self, SluiceDocumentSaved done, gpointer user_data);
/* While it is told that it is saved: what the file held before. (nullable) (transfer none) */
GBytes *sluice_document_get_replaced (SluiceDocument *self);
/* Is there a file that sluice_document_save_then() writes? */
gboolean sluice_document_has_place (SluiceDocument *self);
/* The same under another name, which the document has from then on: as text where it ends in
 * .pbtxt, not where it ends in .pb, else as it was. What stands there is written over. */
void sluice_document_save_as_then (SluiceDocument *self,
                                   const char *path,
                                   SluiceDocumentSaved done,
                                   gpointer user_data);
/* The same, but the document stays where and what it was, saved or not. */
void sluice_document_save_copy_then (SluiceDocument *self,
                                     const char *path,
                                     SluiceDocumentSaved done,
                                     gpointer user_data);
void sluice_document_settle (SluiceDocument *self); /* waits until nothing is being saved */

/* ---- what happened beside commands ---- */

typedef enum
{
  SLUICE_NEWS_NONE,
  SLUICE_NEWS_RECOVERED, /* what was not saved last time is here again */
  SLUICE_NEWS_LOST,      /* not all of it could be, or another window has it */
  SLUICE_NEWS_CHANGED,   /* another program has written the file */
  SLUICE_NEWS_CONFLICT,  /* the same was changed there in another way */
} SluiceDocumentNews;

/* words: (transfer none): a sentence; valid until the next news */
SluiceDocumentNews sluice_document_get_news (SluiceDocument *self, const char **words);
void sluice_document_dismiss_news (SluiceDocument *self);

/* Goes back to what the file holds: what was recovered is undone, and can be redone. */
gboolean sluice_document_drop_recovered (SluiceDocument *self, GError **error);
/* What another program made of the file is done to the graph, as a command. */
gboolean sluice_document_merge (SluiceDocument *self, GError **error);
/* Both, to be compared: what the file holds, and what it held when it was read. base: (out)
 * (nullable): not known any more. (transfer full) (nullable) */
SluiceGraph *sluice_document_read_theirs (SluiceDocument *self, SluiceGraph **base, GError **error);
/* What it made of it is left out: saving overwrites it. */
gboolean sluice_document_keep_own (SluiceDocument *self, GError **error);
/* What was done here is left out; the journal of it is kept aside. */
gboolean sluice_document_reload (SluiceDocument *self, GError **error);
