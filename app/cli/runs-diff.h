/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* Shape of its one line of --json. */
#define SLUICE_CLI_RUNS_DIFF_JSON                                                                  \
  "{\"runs\": [\"string\"], \"differs\": [{\"what\": \"string\", \"name\": \"string\", "           \
  "\"values\": [\"string|null\"]}], \"same\": [\"string\"], \"results\": [{\"tag\": \"string\", "  \
  "\"values\": [\"number\"], \"more_than_seeds\": \"bool|null\", \"why\": \"string\"}]}"

/* Prints what differs between two or more runs. */
gboolean sluice_cli_print_runs_diff (SluiceStore *store, char **names, GError **error);
