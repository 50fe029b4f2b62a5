/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/preflight.h"

/* The line that sluice_cli_print_preflight() prints, for Verb.json. */
#define CLI_START_ROW_JSON                                                                         \
  "{\"name\": \"string\", \"fit\": \"string\", \"dtype\": \"string\", \"shape\": [\"int\"], "      \
  "\"there_dtype\": \"string|null\", \"there_shape\": [\"int\"], \"suggestion\": \"string|null\"}"
#define CLI_PREFLIGHT_LINE(start)                                                                  \
  "{\"ok\": \"bool\", \"items\": [{\"what\": \"string\", \"name\": \"string|null\", "              \
  "\"value\": \"number|null\", \"plus_minus\": \"number|null\", \"unit\": \"string\", "            \
  "\"text\": \"string\", \"level\": \"string\", \"action\": \"string|null\", "                     \
  "\"limit\": \"number|null\", \"source\": \"string|null\", \"set\": \"string|null\", "            \
  "\"node\": \"string|null\", \"min\": \"number|null\", \"max\": \"number|null\", "                \
  "\"elements\": \"int|null\", \"zeros\": \"int|null\", \"non_finite\": \"int|null\", "            \
  "\"bins\": [\"int\"], \"counts\": [\"int\"]}], "                                                 \
  "\"start\": " start "}"
#define CLI_PREFLIGHT_JSON                                                                         \
  CLI_PREFLIGHT_LINE ("\"null\"")                                                                  \
  "\n" CLI_PREFLIGHT_LINE (                                                                        \
      "{\"checkpoint\": \"string\", \"fit\": \"int\", \"rows\": [" CLI_START_ROW_JSON              \
      "], \"unused\": [" CLI_START_ROW_JSON "]}")

/* The card of a project that is to be launched. checkpoint: (nullable): that it begins with. */
void sluice_cli_print_preflight (const SluicePreflight *card, const char *checkpoint);
