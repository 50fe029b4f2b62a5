/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/options.h"
#include "engine/train/project-changes.h"

/* Under which a project's folder has its graph: of a SavedModel the folder, whose own file may be
 * what the project named. (transfer full) */
char *sluice_project_dup_graph_name (const SluiceProject *self);
/* The graph, under the name that the project will call it, and the layout where there is one. */
gboolean sluice_project_copy_files (const SluiceProject *self, const char *folder, GError **error);

/* (nullable): of sessions, in [train] */
const SluiceOption *sluice_project_find_option (const char *group, const char *name);
gboolean sluice_project_set_option (SluiceProject *self,
                                    const SluiceOption *option,
                                    const char *text,
                                    GError **error);
/* Do options and device go together? What is no device here may be one elsewhere. */
gboolean sluice_project_check_device (const SluiceProject *self, GError **error);
/* Those that are not as everywhere. */
void sluice_project_save_options (const SluiceProject *self, GKeyFile *file);

GArray *sluice_project_changes_new (void);
/* Sets *name: (transfer full). The value, in assignment; NULL: it is no KEY=VALUE. */
const char *sluice_project_split_assignment (const char *assignment, char **name, GError **error);
void sluice_project_drop_changes (SluiceProject *self, const char *key);
gboolean sluice_project_load_changes (SluiceProject *self, GKeyFile *file, GError **error);
void sluice_project_save_changes (const SluiceProject *self, GKeyFile *file);
