/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/loss-match.h"

/* A divergence as sluice_cli_json_divergence() adds it, for Verb.json; first: members before. */
#define CLI_DIVERGENCE_JSON(first)                                                                 \
  "{" first "\"node\": \"string\", \"op\": \"string\", \"tensor\": \"string\", "                   \
  "\"variable\": \"string|null\", \"inputs\": [\"string\"], \"not_compared\": [\"string\"], "      \
  "\"mismatch\": \"string|null\", \"absolute\": \"number\", \"relative\": \"number\", "            \
  "\"differ\": \"int\", \"beyond\": \"int\", \"element\": \"int\", \"place\": \"string|null\", "   \
  "\"was\": \"string|null\", \"is\": \"string|null\", \"others\": \"int\", \"words\": \"string\"}"
/* The line that sluice_cli_match_losses() prints, for Verb.json. */
#define CLI_LOSS_MATCH_LINE(first)                                                                 \
  "{\"equal\": \"bool\", \"losses\": [[\"number\"]], \"compared\": \"int\", "                      \
  "\"only_first\": \"int\", \"only_second\": \"int\", \"first\": " first "}"
#define CLI_LOSS_MATCH_JSON                                                                        \
  CLI_LOSS_MATCH_LINE ("\"null\"")                                                                 \
  "\n" CLI_LOSS_MATCH_LINE (CLI_DIVERGENCE_JSON ("\"batch\": \"int\", "))

typedef struct _JsonBuilder JsonBuilder;
/* Members of the object that is open. */
void sluice_cli_json_divergence (JsonBuilder *b, const SluiceDivergence *divergence);

/* names: (array length=2): folders of projects, or runs of the workspace. Returns the exit status:
 * 1 where the losses are not the same. workspace: (nullable) */
int sluice_cli_match_losses (char **names,
                             const char *workspace,
                             const SluiceLossMatchOptions *options,
                             GError **error);
