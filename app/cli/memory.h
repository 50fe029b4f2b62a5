/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/runtime/session/session.h"

/* The line that cli_print_memory() prints, for Verb.json. */
#define CLI_MEMORY_JSON                                                                            \
  "{\"memory\": [{\"device\": \"string\", \"peak_bytes\": \"int\", \"classes\": {\"*\": "          \
  "\"int\"}, "                                                                                     \
  "\"holders\": [{\"node\": \"string|null\", \"class\": \"string\", \"bytes\": \"int\", "          \
  "\"blocks\": \"int\", \"largest\": \"string|null\"}]}]}"

/* --memory-limit and --memory of the verbs that run graphs. */
#define CLI_MEMORY_OPTIONS                                                                         \
  { "memory-limit",                                                                                \
    0,                                                                                             \
    0,                                                                                             \
    G_OPTION_ARG_STRING,                                                                           \
    &cli_memory_limit,                                                                             \
    N_ ("What each device may hold, as 64M or 2G; loops with swap_memory move values to a file "   \
        "before they reach it"),                                                                   \
    N_ ("BYTES") },                                                                                \
  {                                                                                                \
    "memory", 0, 0, G_OPTION_ARG_NONE, &cli_memory,                                                \
        N_ ("Print who held what when a step needed the most memory"), NULL                        \
  }

#define CLI_RECOMPUTE_OPTION(flag)                                                                 \
  {                                                                                                \
    "recompute", 0, 0, G_OPTION_ARG_NONE, (flag),                                                  \
        N_ ("Compute cheap values again instead of keeping them for the backward pass: less "      \
            "memory, more time, the same numbers"),                                                \
        NULL                                                                                       \
  }

extern char *cli_memory_limit;
extern gboolean cli_memory;

/* Of --memory-limit; 0: none. FALSE: it is no number of bytes. */
gboolean cli_get_memory_limit (gsize *bytes, GError **error);

/* What was recorded since sluice_session_record_memory(): of each device with memory in use a line
 * a class and the largest holders; with --json one document. */
void cli_print_memory (SluiceSession *session);
