/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/runtime/session/session.h"

/* The lines that these print, for Verb.json. */
#define CLI_EXPLAIN_JSON                                                                           \
  "{\"passes\": [{\"pass\": \"string\", \"summary\": \"string\", \"option\": \"string|null\"}]}\n" \
  "{\"pass\": \"string\", \"summary\": \"string\", \"nodes_before\": \"int\", "                    \
  "\"nodes_after\": \"int\", \"changes\": [{\"change\": \"string\", \"node\": \"string\", "        \
  "\"before\": \"string|null\", \"after\": \"string|null\"}]}"

/* All passes in order, what they do, and with which option those run that do not always. */
void sluice_cli_list_passes (void);

/**
 * sluice_cli_explain:
 * @pass: a name
 *
 * Prints what a pass does to the graph of a step: a line a node that went (-), came (+), changed
 * (both) or was moved (~). With --json one object.
 *
 * Returns: %FALSE as sluice_session_explain()
 */
gboolean sluice_cli_explain (SluiceSession *session,
                             const SluiceStepNames *names,
                             const char *pass,
                             GError **error);
