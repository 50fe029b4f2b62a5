/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/store/run-queue.h"

/* Of verbs that let runs wait; --device and --threads are the session's options. */
#define CLI_NEEDS_MEMORY_OPTION                                                                    \
  {                                                                                                \
    "needs-memory", 0, 0, G_OPTION_ARG_STRING, &sluice_cli_needs_memory,                           \
        N_ ("With --queue: what it needs beside others, as 500M or 2G (what its plan takes)"),     \
        N_ ("BYTES")                                                                               \
  }
extern char *sluice_cli_needs_memory; /* (nullable) */

/* What was said on the command line that a run needs. */
gboolean sluice_cli_get_needs (SluiceQueueNeeds *needs, GError **error);
