/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"

/* What waits, printed. */

/* The line of a run that waits, for Verb.json. */
#define CLI_QUEUE_JSON                                                                             \
  "{\"id\": \"int\", \"run\": \"string\", \"state\": \"string\", \"place\": \"int\", "             \
  "\"group\": \"string|null\", \"after\": \"string|null\", \"step\": \"int\", \"steps\": "         \
  "\"int\", "                                                                                      \
  "\"devices\": \"string|null\", \"memory\": \"int|null\", \"threads\": \"int|null\", "            \
  "\"paused\": \"bool\"}"

/* only: the number of a run, or 0 for all. */
gboolean sluice_cli_print_queue (SluiceStore *store, gint64 only, GError **error);
/* runs: (element-type SluiceRunInfo): their numbers follow each other */
gboolean sluice_cli_print_new (SluiceStore *store, GPtrArray *runs, GError **error);
