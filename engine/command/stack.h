/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/command.h"

/*
 * Commands that were done to a graph, and undone. The graph changes by nothing else while there is
 * something to undo. Not thread-safe, like the graph.
 */
typedef struct _SluiceCommandStack SluiceCommandStack;

/* Keeps the graph. */
SluiceCommandStack *sluice_command_stack_new (SluiceGraph *graph);
void sluice_command_stack_free (SluiceCommandStack *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCommandStack, sluice_command_stack_free)

SluiceGraph *sluice_command_stack_get_graph (SluiceCommandStack *self);

/* The graph's text is kept from now on, so that what a file says in comments stays: from before the
 * first command on, that the same commands make the same text again. (transfer full) */
void sluice_command_stack_take_text (SluiceCommandStack *self, SluiceGraphText *text);
/* The same, of what the graph's file holds, where that is text. */
void sluice_command_stack_take_file (SluiceCommandStack *self, GBytes *bytes);
SluiceGraphText *sluice_command_stack_get_text (SluiceCommandStack *self); /* (nullable) */
/* What a file of the graph is to hold: as text such a one, if there is one. (transfer full)
 * (nullable) */
GBytes *sluice_command_stack_export (SluiceCommandStack *self, gboolean is_text, GError **error);

/**
 * sluice_command_stack_do:
 * @line: a command; an empty line or a comment does nothing
 * @said: (nullable): what the command has to say is appended, a line each
 *
 * Does a command whole, or not at all.
 *
 * Returns: %FALSE with a code of TensorFlow's and a message that names the command, the node, the
 * input, what does not fit and the nearest that would; nothing has changed then
 */
gboolean
sluice_command_stack_do (SluiceCommandStack *self, const char *line, GString *said, GError **error);

/* An input of a node that is there, which would read something new. */
typedef struct
{
  char *node; /* (nullable): there is none */
  guint input;
  char *edge;
} SluicePreviewInput;
void sluice_preview_input_clear (SluicePreviewInput *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluicePreviewInput, sluice_preview_input_clear)

/* What a command would add, blocks of text: it is tried, and nothing stays. (transfer full)
 * (nullable): it would be refused. reader: (out) (optional): the first of those that would read it
 */
char *sluice_command_stack_dup_preview (SluiceCommandStack *self,
                                        const char *line,
                                        SluicePreviewInput *reader);

/* The n last ones. FALSE with FAILED_PRECONDITION where there are fewer, and nothing has changed.
 */
gboolean sluice_command_stack_undo (SluiceCommandStack *self, guint n, GError **error);
gboolean sluice_command_stack_redo (SluiceCommandStack *self, guint n, GError **error);
guint sluice_command_stack_get_n_undo (SluiceCommandStack *self);
guint sluice_command_stack_get_n_redo (SluiceCommandStack *self);
/* "connect fc1 → logits:0", in the user's language, of what comes next. (transfer full)
 * (nullable) */
char *sluice_command_stack_dup_undo_words (SluiceCommandStack *self);
char *sluice_command_stack_dup_redo_words (SluiceCommandStack *self);
/* The same of each, the first one first; from n_undo on they are undone. (transfer none) */
const char *sluice_command_stack_get_words (SluiceCommandStack *self, guint i);

/* All that was done to the graph, undoing as well, as a script that does the same to the same graph
 * again, to the last byte, and leaves the same to undo. Borrowed until the next command. */
const char *sluice_command_stack_get_journal (SluiceCommandStack *self);

/**
 * SluiceCommandKeep:
 * @line: a command that was done, or "undo N", "redo N"
 *
 * Keeps a line before the stack says that it is done (engine/command/journal.h).
 *
 * Returns: %FALSE: it is not kept, so it is taken back, and is no more done than one that was wrong
 */
typedef gboolean (*SluiceCommandKeep) (const char *line, gpointer user_data, GError **error);
/* keep: (nullable) */
void sluice_command_stack_set_keep (SluiceCommandStack *self,
                                    SluiceCommandKeep keep,
                                    gpointer user_data);

/* A line of the layout came, "+moved fc1 20 0", or went, "-moved fc1 20 0": by a command, or as one
 * is undone or done again. */
typedef void (*SluiceCommandArrange) (const char *line, gpointer user_data);
/* arrange: (nullable) */
void sluice_command_stack_set_arrange (SluiceCommandStack *self,
                                       SluiceCommandArrange arrange,
                                       gpointer user_data);

/* What the graph is now is what its file holds; FALSE: nothing that can be undone or done again
 * is. A new stack's graph is. */
void sluice_command_stack_set_saved (SluiceCommandStack *self, gboolean is_saved);
/* The same of what the graph was at a moment, for who saves while it changes. */
guint64 sluice_command_stack_get_moment (SluiceCommandStack *self);
void sluice_command_stack_set_saved_at (SluiceCommandStack *self, guint64 moment);
/* Also once all that was done since was undone. */
gboolean sluice_command_stack_is_saved (SluiceCommandStack *self);
/* How many commands are done where it is; FALSE: it is nowhere to be reached. */
gboolean sluice_command_stack_find_saved (SluiceCommandStack *self, guint *n);

/* As sluice_command_write(), of such a text. */
gboolean sluice_command_stack_write (SluiceCommandStack *self, const char *path, GError **error);

/* What became of a line of a script. error: (nullable): it was done. said: may be empty. */
typedef void (*SluiceCommandReport) (
    guint line, const char *text, const char *said, const GError *error, gpointer user_data);

/**
 * sluice_command_stack_run:
 * @script: a command a line
 * @keep_going: a command that fails does not end the script
 * @report: (nullable): told of each line that is not empty
 *
 * Returns: %FALSE with the first error, which begins with the number of its line; what was done
 * before stays done
 */
gboolean sluice_command_stack_run (SluiceCommandStack *self,
                                   const char *script,
                                   gboolean keep_going,
                                   SluiceCommandReport report,
                                   gpointer user_data,
                                   GError **error);
