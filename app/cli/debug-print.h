/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/debug/debugger.h"

/* What a stopped run looks like, in words, or as JSON where --json was given. */

#define CLI_DEBUG_JSON                                                                             \
  "{\"stop\": \"string\", \"node\": \"string|null\", \"op\": \"string|null\", "                    \
  "\"device\": \"string|null\", \"loops\": \"string|null\", \"iteration\": \"int|null\", "         \
  "\"step\": \"int\", \"breakpoint\": \"int|null\", \"with\": [\"string\"], "                      \
  "\"ran\": \"string|null\", \"dead\": [\"string\"]}\n"                                            \
  "{\"edge\": \"string\", \"of\": \"string\", \"variable\": \"string|null\", "                     \
  "\"shape\": [\"int\"], \"value\": \"value\"}\n"                                                  \
  "{\"node\": \"string\", \"op\": \"string\", \"device\": \"string\", "                            \
  "\"loops\": \"string|null\", \"turn\": \"string\", \"waits_for\": \"string|null\", "             \
  "\"missing\": [{\"edge\": \"string\", \"loops\": \"string|null\", \"turn\": \"string\"}]}\n"     \
  "{\"ended\": \"bool\"}\n"                                                                        \
  "{\"breakpoint\": \"int\", \"place\": \"string\", \"says\": \"string\"}"

/* Where it has stopped, and what has been passed by. */
void sluice_cli_print_stop (const SluiceStop *stop);
/* Inputs and outputs of the node; or outputs of the one that ran. */
void sluice_cli_print_values (const SluiceStop *stop);
/* of: "input", "output", "fetch". */
void sluice_cli_print_debug_value (const SluiceDebugValue *value, const char *of);
void sluice_cli_print_ready (const GArray *nodes); /* of SluiceDebugNode */
/* whys: of SluiceDebugWhy; name: (nullable): the node that was asked for. */
void sluice_cli_print_why (const GArray *whys, const char *name);
void sluice_cli_print_breakpoint (const SluiceBreakpointReport *report);
