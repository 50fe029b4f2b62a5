/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "engine/cost/policy-private.h"

/* What a policy that knows of costs is held against. */
static gboolean
choose (const SluiceWorkload *workload,
        const SluicePolicyOptions *options,
        SluiceChoice *choice,
        GError **error)
{
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (workload, error);
  guint next = 0;
  if (groups == NULL)
    return FALSE;
  for (guint group = 0; group < groups->n; group++)
    {
      while (!isfinite (sluice_policy_groups_get_us (groups, group, next)))
        next = (next + 1) % groups->n_devices;
      sluice_policy_groups_put (groups, group, next, choice->devices);
      next = (next + 1) % groups->n_devices;
    }
  return TRUE;
}

const SluicePolicy sluice_policy_round_robin = {
  .name = "round-robin",
  .summary = N_ ("each node on the next device"),
  .choose = choose,
};
