/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/trash.h"

/* A line of it for each run that went. */
#define SLUICE_CLI_RUNS_EMPTY_JSON "{\"id\": \"int\", \"run\": \"string\", \"bytes\": \"int\"}"

/* Deletes for good: the named runs of the trash, all of them or none, or (none is named) what lies
 * beyond the limits. Prints what went. */
gboolean sluice_cli_empty_trash (SluiceStore *store,
                                 char **names,
                                 const SluiceTrashLimits *limits,
                                 GError **error);
