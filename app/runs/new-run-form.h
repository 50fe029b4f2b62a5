/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/store/store.h"

/* One thing that a run may be begun with otherwise than its project says. */
typedef struct
{
  const char *group; /* of project.ini; "" of a promoted parameter */
  char *key;
  char *value; /* as the project has it; (nullable): a parameter that the graph itself gives one */
  const char *title; /* (nullable) N_(): NULL: the key is what it is called */
  gboolean is_switch;
} SluiceRunFormRow;

/* All of them: promoted parameters, then the keys of [train], [data], [evaluate] and [project] that
 * sluice_project_set() takes, options of sessions among those of [train]. (transfer full)
 * (nullable) (element-type SluiceRunFormRow) */
GPtrArray *sluice_run_form_rows_new (const char *folder, GError **error);

/* "train.batch=32": what sluice_project_set() wants. (transfer full) */
char *sluice_run_form_row_assign (const SluiceRunFormRow *self, const char *value);

/**
 * sluice_run_form_check:
 * @assignments: what differs from the project in @folder
 * @repeated: (out) (nullable) (transfer full): the run that such a one would repeat
 *
 * Returns: FALSE where one of them is refused
 */
gboolean sluice_run_form_check (const char *folder,
                                const char *const *assignments,
                                SluiceStore *store,
                                char **repeated,
                                GError **error);
