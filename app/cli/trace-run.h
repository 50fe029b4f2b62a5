/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/trace-file.h"

/* Lines that sluice_cli_list_traces() and sluice_cli_write_kept() print, for Verb.json. */
#define CLI_KEPT_TRACE_JSON                                                                        \
  "{\"run\": \"string\", \"traces\": [{\"step\": \"int\", \"cause\": \"string\", "                 \
  "\"words\": \"string|null\", \"first\": \"int\", \"last\": \"int\", \"events\": \"int\", "       \
  "\"file\": \"string\", \"problem\": \"string|null\"}]}\n"                                        \
  "{\"run\": \"string\", \"file\": \"string\", \"step\": \"int\", \"cause\": \"string\", "         \
  "\"first\": \"int\", \"last\": \"int\", \"events\": \"int\"}"

/* What a run's flight recorder kept. workspace: (nullable). Both return the exit status. */
int sluice_cli_list_traces (const char *run, const char *workspace, GError **error);
/* Says what makes steps slow, of what was kept of a step; below 0: of the last. */
int
sluice_cli_say_why_of_kept (const char *run, const char *workspace, gint64 step, GError **error);
/* Writes what was kept of a step: as it is, where out ends so, else in the format. format:
 * (nullable)
 */
int sluice_cli_write_kept (const char *run,
                           const char *workspace,
                           gint64 step,
                           const char *out,
                           SluiceTraceFormat format,
                           GError **error);
