/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/loss-match.h"

/* The line that sluice_cli_match_losses() prints, for Verb.json. */
#define CLI_LOSS_MATCH_LINE(first)                                                                 \
  "{\"equal\": \"bool\", \"losses\": [[\"number\"]], \"compared\": \"int\", "                      \
  "\"only_first\": \"int\", \"only_second\": \"int\", \"first\": " first "}"
#define CLI_LOSS_MATCH_JSON                                                                        \
  CLI_LOSS_MATCH_LINE ("\"null\"")                                                                 \
  "\n" CLI_LOSS_MATCH_LINE (                                                                       \
      "{\"batch\": \"int\", \"node\": \"string\", \"op\": \"string\", \"tensor\": \"string\", "    \
      "\"mismatch\": \"string|null\", \"absolute\": \"number\", \"differ\": \"int\", "             \
      "\"element\": \"int\"}")

/* names: (array length=2): folders of projects, or runs of the workspace. Returns the exit status:
 * 1 where the losses are not the same. workspace: (nullable) */
int sluice_cli_match_losses (char **names,
                             const char *workspace,
                             const SluiceLossMatchOptions *options,
                             GError **error);
