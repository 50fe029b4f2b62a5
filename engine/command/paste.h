/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

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
