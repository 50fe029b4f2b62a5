/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* A key of project.ini that differs. */
typedef struct
{
  char *group, *key;
  char *was, *is; /* (nullable): it is not said */
} SluiceOptionChange;

/* Between two texts of a project, but for keys on which no value depends (experiment.h). (transfer
 * full) (element-type SluiceOptionChange) */
GPtrArray *sluice_option_diff (const char *was, const char *is);
