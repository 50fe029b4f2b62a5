/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/run-filter.h"

/* The line that sluice_cli_print_importance() prints. */
#define SLUICE_CLI_IMPORTANCE_JSON                                                                 \
  "{\"result\": \"string\", \"runs\": \"int\", \"without\": \"int\", "                             \
  "\"settings\": [{\"name\": \"string\", \"values\": \"int\", \"levels\": \"int\", "               \
  "\"share\": \"number|null\", \"plus_minus\": \"number|null\", "                                  \
  "\"correlation\": \"number|null\", \"why\": \"string|null\"}]}"

/* How much each setting decides of a result. @wanted: (nullable): of all runs; @result: (nullable):
 * the one that tells most */
gboolean sluice_cli_print_importance (SluiceStore *store,
                                      const SluiceRunFilter *wanted,
                                      const char *result,
                                      GError **error);
