/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/command.h"

/* stack.c: commands of the stack itself. */
gboolean sluice_command_undo (SluiceCommandCall *call, GError **error);
gboolean sluice_command_redo (SluiceCommandCall *call, GError **error);
