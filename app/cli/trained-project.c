/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/trained-project.h"

#include "app/cli/run-options.h"
#include "engine/train/project-changes.h"

static void
add_setting (GStrvBuilder *settings, const char *key, const char *value)
{
  g_autofree char *setting = g_strdup_printf ("train.%s=%s", key, value);
  if (value != NULL)
    g_strv_builder_add (settings, setting);
}

char **
sluice_cli_dup_settings (const char *n_steps, const char *seed)
{
  g_autoptr (GStrvBuilder) settings = g_strv_builder_new ();
  add_setting (settings, "steps", n_steps);
  add_setting (settings, "seed", seed);
  guint n;
  const SluiceOption *list = sluice_options_list (&n);
  for (guint i = 0; i < n; i++)
    if (list[i].flags & SLUICE_OPTION_PROJECT && !(list[i].flags & SLUICE_OPTION_MACHINE))
      add_setting (settings, list[i].key, sluice_cli_get_option_text (&list[i]));
  return g_strv_builder_end (settings);
}

SluiceProject *
sluice_cli_load_project (
    const char *folder, char **assignments, const char *n_steps, const char *seed, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  g_auto (GStrv) settings = sluice_cli_dup_settings (n_steps, seed);
  return project != NULL && sluice_project_set_all (project, assignments, error)
                 && sluice_project_set_all (project, settings, error)
             ? g_steal_pointer (&project)
             : NULL;
}

gboolean
sluice_cli_plan_changes (SluiceProject *project, char **plans, GError **error)
{
  for (guint i = 0; plans != NULL && plans[i] != NULL; i++)
    if (!sluice_project_plan (project, plans[i], error))
      return FALSE;
  return TRUE;
}

void
sluice_cli_take_policy (SluiceProject *project)
{
  if (sluice_cli_session_options.policy != NULL)
    project->session.policy = sluice_cli_session_options.policy;
  if (sluice_cli_session_options.place_again > 0)
    project->session.place_again = sluice_cli_session_options.place_again;
}
