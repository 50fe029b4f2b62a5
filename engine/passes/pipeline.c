/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/pipeline.h"

#include <string.h>

#define DECLARE(name) extern const SluicePass sluice_pass_##name;
SLUICE_PASSES (DECLARE)

#define LIST(name) &sluice_pass_##name,
static const SluicePass *const passes[] = { SLUICE_PASSES (LIST) };

const SluicePass *const *
sluice_passes_list (guint *n)
{
  *n = G_N_ELEMENTS (passes);
  return passes;
}

const SluicePass *
sluice_passes_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    if (strcmp (passes[i]->name, name) == 0)
      return passes[i];
  return NULL;
}

gboolean
sluice_pass_run (const SluicePass *self,
                 SluiceWork *work,
                 const SluicePassOptions *options,
                 GError **error)
{
  g_assert ((self->requires & ~work->facts) == 0 && (self->excludes & work->facts) == 0);
  if (!self->run (work, options, error))
    return FALSE;
  work->facts |= self->provides;
  return TRUE;
}

SluiceWork *
sluice_passes_run (const SluicePassOptions *options, GError **error)
{
  g_autoptr (SluiceWork) work = sluice_work_new (options->devices, options->max_rank);
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    if (sluice_pass_is_enabled (passes[i], options)
        && !sluice_pass_run (passes[i], work, options, error))
      return NULL;
  return g_steal_pointer (&work);
}
