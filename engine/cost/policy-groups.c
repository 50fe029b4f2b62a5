/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "engine/base/error.h"
#include "engine/cost/csr.h"
#include "engine/cost/policy-private.h"

/* As many names as go into a sentence. */
static void
fail_group (const SluicePolicyGroups *self, const SluiceWorkload *w, guint group, GError **error)
{
  const guint most = 6;
  guint first = self->first_member[group], n = self->first_member[group + 1] - first;
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < MIN (n, most); i++)
    g_string_append_printf (names, "%s'%s'", i > 0 ? ", " : "",
                            w->nodes[self->members[first + i]].name);
  if (n > most)
    g_string_append_printf (names, " and %u more", n - most);
  if (n == 1)
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "%s can stand on no device of the machine", names->str);
  else
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "%s must stand together, and there is no device where all of them can",
                 names->str);
}

SluicePolicyGroups *
sluice_policy_groups_new (const SluiceWorkload *w, GError **error)
{
  g_autoptr (SluicePolicyGroups) self = g_new0 (SluicePolicyGroups, 1);
  guint n = self->n = w->n_groups, n_devices = self->n_devices = w->machine->n_devices;
  g_autofree guint *group_of_node = g_new (guint, w->n_nodes + 1);
  self->n_allowed = g_new0 (guint, n + 1);
  self->us = g_new0 (double, (gsize) n *n_devices + 1);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      group_of_node[v] = w->nodes[v].group;
      for (guint d = 0; d < n_devices; d++)
        self->us[w->nodes[v].group * n_devices + d] += sluice_workload_get_us (w, v, d);
    }
  sluice_csr_build (group_of_node, w->n_nodes, n, &self->first_member, &self->members);
  for (guint group = 0; group < n; group++)
    {
      for (guint d = 0; d < n_devices; d++)
        self->n_allowed[group] += isfinite (sluice_policy_groups_get_us (self, group, d));
      if (self->n_allowed[group] == 0)
        {
          fail_group (self, w, group, error);
          return NULL;
        }
    }
  return g_steal_pointer (&self);
}

void
sluice_policy_groups_free (SluicePolicyGroups *self)
{
  g_free (self->first_member);
  g_free (self->members);
  g_free (self->n_allowed);
  g_free (self->us);
  g_free (self);
}

guint
sluice_policy_groups_get_fastest (const SluicePolicyGroups *self, guint group)
{
  guint best = 0;
  for (guint d = 1; d < self->n_devices; d++)
    if (sluice_policy_groups_get_us (self, group, d)
        < sluice_policy_groups_get_us (self, group, best))
      best = d;
  return best;
}

void
sluice_policy_groups_put (const SluicePolicyGroups *self, guint group, guint device, guint *devices)
{
  for (guint i = self->first_member[group]; i < self->first_member[group + 1]; i++)
    devices[self->members[i]] = device;
}

void
sluice_policy_groups_put_all (const SluicePolicyGroups *self, guint device, guint *devices)
{
  for (guint group = 0; group < self->n; group++)
    {
      gboolean can = isfinite (sluice_policy_groups_get_us (self, group, device));
      sluice_policy_groups_put (
          self, group, can ? device : sluice_policy_groups_get_fastest (self, group), devices);
    }
}
