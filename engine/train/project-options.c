/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a project says of its sessions, in [train]: the options of options.h that projects have. */
#include "engine/train/project-private.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/policy.h"
#include "engine/device/sim.h"
#include "engine/train/ini.h"

const SluiceOption *
sluice_project_find_option (const char *group, const char *name)
{
  const SluiceOption *option = sluice_options_find (name);
  return strcmp (group, "train") == 0 && option != NULL && option->flags & SLUICE_OPTION_PROJECT
             ? option
             : NULL;
}

gboolean
sluice_project_check_device (const SluiceProject *self, GError **error)
{
  if (!sluice_sim_check_options (self->session.device, self->session.device_options, error))
    {
      g_prefix_error (error, "[train] device, device-options: ");
      return FALSE;
    }
  if (self->session.policy == NULL || sluice_policies_find (self->session.policy, error) != NULL)
    return TRUE;
  g_prefix_error (error, "[train] policy: ");
  return FALSE;
}

gboolean
sluice_project_set_option (SluiceProject *self,
                           const SluiceOption *option,
                           const char *text,
                           GError **error)
{
  const char *kept = option->type == SLUICE_OPTION_PATH ? g_intern_string (text) : text;
  if (sluice_option_parse (option, &self->session, kept, error))
    return TRUE;
  g_prefix_error (error, "[train] %s=%s: ", option->key, text);
  return FALSE;
}

void
sluice_project_save_options (const SluiceProject *self, GKeyFile *file)
{
  guint n;
  const SluiceOption *options = sluice_options_list (&n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceSessionOptions usual = { 0 };
      g_autofree char *text = sluice_option_to_text (&options[i], &self->session);
      g_autofree char *otherwise = sluice_option_to_text (&options[i], &usual);
      if (options[i].flags & SLUICE_OPTION_PROJECT && strcmp (text, otherwise) != 0)
        sluice_ini_set_text (file, "train", options[i].key, text);
    }
}
