/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/steps.h"

#define CLI_FIT_JSON                                                                               \
  "{\"fits\": \"bool\", \"limit_bytes\": \"int\", \"natural_us\": \"number\", \"us\": "            \
  "\"number\", \"tried\": \"int\", \"devices\": [{\"device\": \"string\", \"natural_bytes\": "     \
  "\"int\", \"bytes\": \"int\", \"held_bytes\": \"int\"}], \"decisions\": [{\"do\": \"string\", "  \
  "\"value\": \"string\", \"device\": \"string\", \"before\": \"string\", \"value_bytes\": "       \
  "\"int\", \"nodes\": \"int\", \"bytes\": \"int\", \"us\": \"number\"}]}"

/* What makes a step fit, by the simulator. bytes: as text. Returns: exit status */
int
sluice_cli_place_fit (const CliSteps *names, const char *path, const char *bytes, GError **error);
