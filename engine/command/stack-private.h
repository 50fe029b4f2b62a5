/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/line.h"
#include "engine/command/stack.h"

/* Does the command of a line within the transaction of another, of which it is part. */
gboolean sluice_command_run_line (SluiceCommandCall *call, const SluiceLine *line, GError **error);

/* The same of the words from the first on, call->command being known. */
gboolean sluice_command_run_words (SluiceCommandCall *call,
                                   const SluiceLine *line,
                                   guint first,
                                   GError **error);

/* Commands of the stack itself. */
gboolean sluice_command_undo (SluiceCommandCall *call, GError **error);
gboolean sluice_command_redo (SluiceCommandCall *call, GError **error);
