/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/policy-private.h"

/* Each device is tried: what cannot stand there stands where it takes least. */
static gboolean
choose (const SluiceWorkload *workload,
        const SluicePolicyOptions *options,
        SluiceChoice *choice,
        GError **error)
{
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (workload, error);
  if (groups == NULL)
    return FALSE;
  g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (workload);
  g_autofree guint *devices = g_new0 (guint, workload->n_nodes + 1);
  g_autoptr (GError) reason = NULL;
  double best_us = INFINITY;
  for (guint d = 0; d < groups->n_devices; d++)
    {
      sluice_policy_groups_put_all (groups, d, devices);
      double us = sluice_policy_simulate (simulator, devices, reason == NULL ? &reason : NULL);
      choice->n_tried++;
      if (us < best_us)
        {
          best_us = us;
          memcpy (choice->devices, devices, workload->n_nodes * sizeof (guint));
        }
      if (g_cancellable_is_cancelled (options->cancellable))
        return sluice_fail (error, SLUICE_ERROR_CANCELLED, "the placement was cancelled");
    }
  if (isfinite (best_us))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

const SluicePolicy sluice_policy_single = {
  .name = "single",
  .summary = N_ ("everything on the best one device"),
  .choose = choose,
};
