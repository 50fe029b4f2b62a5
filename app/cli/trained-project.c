/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/trained-project.h"

#include "app/cli/run-options.h"
#include "engine/train/project-changes.h"

static gboolean
set_key (SluiceProject *project, const char *key, const char *value, GError **error)
{
  g_autofree char *assignment = g_strdup_printf ("%s=%s", key, value);
  return value == NULL || sluice_project_set (project, assignment, error);
}

/* What was given of the options that a project has. */
static gboolean
set_run_options (SluiceProject *project, GError **error)
{
  guint n;
  const SluiceOption *list = sluice_options_list (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *key = g_strconcat ("train.", list[i].key, NULL);
      if (list[i].flags & SLUICE_OPTION_PROJECT
          && !set_key (project, key, sluice_cli_get_option_text (&list[i]), error))
        return FALSE;
    }
  return TRUE;
}

SluiceProject *
sluice_cli_load_project (
    const char *folder, char **assignments, const char *n_steps, const char *seed, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  if (project == NULL)
    return NULL;
  for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++)
    if (!sluice_project_set (project, assignments[i], error))
      return NULL;
  if (!set_key (project, "train.steps", n_steps, error)
      || !set_key (project, "train.seed", seed, error) || !set_run_options (project, error))
    return NULL;
  return g_steal_pointer (&project);
}

gboolean
sluice_cli_plan_changes (SluiceProject *project, char **plans, GError **error)
{
  for (guint i = 0; plans != NULL && plans[i] != NULL; i++)
    if (!sluice_project_plan (project, plans[i], error))
      return FALSE;
  return TRUE;
}
