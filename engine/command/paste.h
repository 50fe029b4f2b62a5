/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/stack.h"

/* Parts of a graph as text, for a clipboard: what is copied is TensorFlow's text form, which a
 * text editor shows, and what is pasted is one command. */

/* names: of nodes and scopes. (transfer full) */
char *sluice_copy_dup_text (SluiceGraph *graph, const char *const *names);

/**
 * sluice_paste_dup_line:
 * @text: blocks of nodes
 * @is_wired: inputs that the text does not bring along are kept where the graph has them
 *
 * A name that is taken gets another one, with all that is in its scope; control inputs that the
 * text does not bring along go.
 *
 * Returns: (transfer full) (nullable): the command; %NULL with INVALID_ARGUMENT, where it is no
 * text of nodes
 */
char *
sluice_paste_dup_line (SluiceGraph *graph, const char *text, gboolean is_wired, GError **error);

/*
 * A paste that is done in pieces, for who lets others have their turn in between: one command, one
 * step back, one line of the journal, as that line makes it. Until it is over or freed nothing else
 * is done to the stack, and nobody walks through the graph (sluice_graph_is_in_transaction()).
 */
typedef struct _SluicePasting SluicePasting;
/* stack: (nullable): nothing is done, but for what sluice_paste_dup_line() does. Must stay. */
SluicePasting *sluice_pasting_new (SluiceCommandStack *stack,
                                   SluiceGraph *graph,
                                   const char *text,
                                   gboolean is_wired);
/* What is not over is cancelled: the graph is as it was. */
void sluice_pasting_free (SluicePasting *self);
/* Goes on for so many µs, and a few nodes at least. TRUE: it is over. */
gboolean sluice_pasting_go_on (SluicePasting *self, gint64 budget_us);
/* It is over. FALSE: as sluice_command_stack_do() */
gboolean sluice_pasting_end (SluicePasting *self, GError **error);
double sluice_pasting_get_progress (const SluicePasting *self); /* from 0 to 1 */
guint sluice_pasting_get_n_nodes (const SluicePasting *self);   /* as far as the text is read */
