/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/line.h"
#include "engine/command/stack.h"
#include "engine/graph/edit.h"

/* Does the command of a line within the transaction of another, of which it is part. */
gboolean sluice_command_run_line (SluiceCommandCall *call, const SluiceLine *line, GError **error);

/* The same of the words from the first on, call->command being known. */
gboolean sluice_command_run_words (SluiceCommandCall *call,
                                   const SluiceLine *line,
                                   guint first,
                                   GError **error);

/* A command whose edit was made and judged already is kept, and counts. words, edit: (transfer
 * full). FALSE: it cannot be kept, and is taken back. */
gboolean sluice_command_stack_take (
    SluiceCommandStack *self, SluiceEdit *edit, char *words, const char *line, GError **error);

/* Commands of the stack itself. */
gboolean sluice_command_undo (SluiceCommandCall *call, GError **error);
gboolean sluice_command_redo (SluiceCommandCall *call, GError **error);
