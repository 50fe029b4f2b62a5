/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/train/run-edit.h"

/* The line that the two print, for Verb.json. */
#define CLI_EDIT_RUN_JSON                                                                          \
  "{\"run\": \"string\", \"edited\": \"bool\", \"step\": \"int\", \"kept\": \"int\", \"new\": "    \
  "\"int\", \"dropped\": \"int\"}\n"                                                               \
  "{\"run\": \"string\", \"taken_back\": \"int\"}"

/* Gives the run the graph of a file, at that step (-1: where it stands), and says what it keeps.
 * words: (nullable): as SluiceGraphEdit.words */
gboolean sluice_cli_edit_run (SluiceStore *store,
                              const char *run,
                              const char *graph,
                              const char *words,
                              gint64 step,
                              GError **error);
gboolean sluice_cli_take_back_edit (SluiceStore *store, const char *run, GError **error);
/* SluiceGraphEdit.recomputes: says so. */
void sluice_cli_tell_recompute (gint64 from, gint64 to, gpointer unused);
