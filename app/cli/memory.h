/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/runtime/session/session.h"

/* The line that sluice_cli_print_memory() prints, for Verb.json. */
#define CLI_MEMORY_JSON                                                                            \
  "{\"memory\": [{\"device\": \"string\", \"peak_bytes\": \"int\", "                               \
  "\"held_bytes\": \"int\", \"limit_bytes\": \"int|null\", \"moved\": {\"out\": \"int\", "         \
  "\"out_bytes\": \"int\", \"back\": \"int\", \"back_bytes\": \"int\", \"away_bytes\": \"int\", "  \
  "\"at_once_bytes\": \"int\"}, \"classes\": {\"*\": \"int\"}, "                                   \
  "\"holders\": [{\"node\": \"string|null\", \"class\": \"string\", \"bytes\": \"int\", "          \
  "\"blocks\": \"int\", \"largest\": \"string|null\"}]}]}"

/* --memory of the verbs that run graphs. */
#define CLI_MEMORY_OPTION                                                                          \
  {                                                                                                \
    "memory", 0, 0, G_OPTION_ARG_NONE, &sluice_cli_memory,                                         \
        N_ ("Print who held what when a step needed the most memory"), NULL                        \
  }

extern gboolean sluice_cli_memory;

/* What was recorded since sluice_session_record_memory(): of each device with memory in use a line
 * a class and the largest holders; with --json one document. */
void sluice_cli_print_memory (SluiceSession *session);
