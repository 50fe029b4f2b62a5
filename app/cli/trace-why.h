/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/bottleneck.h"

/* Lines that sluice_cli_print_trace_why() prints, for Verb.json. */
#define CLI_TRACE_WHY_JSON                                                                         \
  "{\"steps\": \"int\", \"median_ns\": \"int|null\", \"findings\": \"int\"}\n"                     \
  "{\"kind\": \"string\", \"share\": \"float\", \"cost_ns\": \"int\", \"gain_ns\": \"int\", "      \
  "\"bytes\": \"int\", \"step\": \"int|null\", \"node\": \"string|null\", "                        \
  "\"device\": \"string|null\", \"lane\": \"string|null\", \"start_ns\": \"int|null\", "           \
  "\"end_ns\": \"int|null\", \"words\": \"string\", \"remedy\": \"string\"}"

/* What makes steps slow or large, the worst first. */
void sluice_cli_print_trace_why (const SluiceBottleneckSource *source);
