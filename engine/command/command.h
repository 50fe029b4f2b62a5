/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * The command language in which a graph is edited: `sluice edit` reads scripts of it, the window's
 * stack holds commands of it, and so does the journal. Everything that a person can do to a graph
 * is a line, everything that a line does is one transaction (engine/graph/edit.h).
 */

/* A key of a command: KEY=VALUE. */
typedef struct
{
  const char *name;      /* NULL: any name, of an attribute or a parameter */
  const char *arguments; /* "X", "SCOPE": as help shows it */
  gboolean is_needed;
} SluiceCommandKey;

typedef struct _SluiceCommandCall SluiceCommandCall;

/* A row of the table. Help, the manual's page and the man page are made from it. */
typedef struct
{
  const char *name;
  const char *arguments; /* "EDGE NODE:K" */
  const char *summary;   /* N_(): one sentence */
  const char *words; /* (nullable): N_(): what a menu says behind Undo: $1 is the first argument,
                        $* all from the second on. NULL: there is nothing to undo */
  guint n_least, n_most;        /* arguments that are no KEY=VALUE */
  const SluiceCommandKey *keys; /* (nullable) */
  guint n_keys;
  gboolean (*run) (SluiceCommandCall *call, GError **error);
} SluiceCommand;

extern const SluiceCommand sluice_commands[];
extern const guint sluice_n_commands;

/* (nullable): with NOT_FOUND, which says the nearest one. */
const SluiceCommand *sluice_command_find (const char *name, GError **error);

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

/* All that was done to the graph, undoing as well, as a script that does the same to the same graph
 * again, to the last byte, and leaves the same to undo. Borrowed until the next command. */
const char *sluice_command_stack_get_journal (SluiceCommandStack *self);

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

/* Writes a graph whole or not at all; as text where the name ends in .pbtxt or .txt. */
gboolean sluice_command_write (SluiceGraph *graph, const char *path, GError **error);
