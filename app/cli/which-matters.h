/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* The line that sluice_cli_print_which_matters() prints. */
#define SLUICE_CLI_WHICH_MATTERS_JSON                                                              \
  "{\"runs\": [\"string\"], \"steps\": \"int\", \"seeds\": \"int\", \"loss\": \"number\", "        \
  "\"spread\": \"number\", \"other\": \"number\", \"matters\": [{\"name\": \"string\", "           \
  "\"was\": \"string|null\", \"is\": \"string|null\", \"effect\": \"number|null\", "               \
  "\"plus_minus\": \"number|null\", \"matters\": \"bool\", \"why\": \"string|null\"}]}"

/* Trains two runs for n_steps, with one difference at a time: what each does to the loss. An exit
 * status. */
int
sluice_cli_print_which_matters (SluiceStore *store, char **names, gint64 n_steps, GError **error);
