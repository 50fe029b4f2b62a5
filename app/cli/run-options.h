/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/runtime/session/options.h"

/*
 * The options of sessions on the command line, made from the one table of them
 * (engine/runtime/session/options.h): a verb says which flags its options have, or which they are,
 * and their entries are added to its own.
 */

/* What was given; else as the table has it. */
extern SluiceSessionOptions sluice_cli_session_options;

/* (transfer full): entries of the verb's run_options and run_keys */
GOptionEntry *sluice_cli_make_run_entries (const Verb *verb);

/* What was given for an option, as project.ini has it. (nullable) */
const char *sluice_cli_get_option_text (const SluiceOption *option);
