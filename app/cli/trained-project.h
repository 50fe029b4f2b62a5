/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/**
 * sluice_cli_load_project:
 * @assignments: (nullable) (array zero-terminated=1): KEY=VALUE
 * @n_steps: (nullable)
 * @seed: (nullable)
 *
 * Returns: (transfer full) (nullable): with what the command line says on top, the options that a
 * project has among it
 */
SluiceProject *sluice_cli_load_project (
    const char *folder, char **assignments, const char *n_steps, const char *seed, GError **error);

/* What the command line says for all runs, as assignments: of the options that a project has, steps
 * and seed. (transfer full) (array zero-terminated=1) */
char **sluice_cli_dup_settings (const char *n_steps, const char *seed);

/* --at, of the verbs that train. */
#define CLI_AT_OPTION(plans)                                                                       \
  {                                                                                                \
    "at", 0, 0, G_OPTION_ARG_STRING_ARRAY, plans,                                                  \
        N_ ("Once STEP steps are done, change a promoted parameter, steps, or how often "          \
            "something "                                                                           \
            "is done; may be repeated"),                                                           \
        N_ ("STEP:KEY=VALUE")                                                                      \
  }
/* plans: (nullable) (array zero-terminated=1): what it was given */
gboolean sluice_cli_plan_changes (SluiceProject *project, char **plans, GError **error);

/* What --policy says goes before what the project says: of verbs that train it without a run. */
void sluice_cli_take_policy (SluiceProject *project);
