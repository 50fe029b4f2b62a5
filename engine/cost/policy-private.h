/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/policy.h"

/* What policies share. */

#define DECLARE(id) extern const SluicePolicy sluice_policy_##id;
SLUICE_POLICIES (DECLARE)
#undef DECLARE

/* Who stands together, and where all of them can. */
typedef struct
{
  guint n, n_devices;
  guint *first_member, *members; /* CSR: nodes, in their order */
  guint *n_allowed;              /* by group: devices */
  double *us;                    /* [group * n_devices + device]: of its nodes together; INFINITY */
} SluicePolicyGroups;

/* (nullable): FAILED_PRECONDITION: a group can stand nowhere; names its nodes */
SluicePolicyGroups *sluice_policy_groups_new (const SluiceWorkload *workload, GError **error);
void sluice_policy_groups_free (SluicePolicyGroups *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePolicyGroups, sluice_policy_groups_free)

static inline double
sluice_policy_groups_get_us (const SluicePolicyGroups *self, guint group, guint device)
{
  return self->us[group * self->n_devices + device];
}
/* Of those that it can stand on that where it takes least. */
guint sluice_policy_groups_get_fastest (const SluicePolicyGroups *self, guint group);
/* Puts a group's nodes there. */
void sluice_policy_groups_put (const SluicePolicyGroups *self,
                               guint group,
                               guint device,
                               guint *devices);
/* All that can stand there; the others where they take least. */
void sluice_policy_groups_put_all (const SluicePolicyGroups *self, guint device, guint *devices);

/**
 * sluice_policy_simulate:
 *
 * As sluice_simulator_run() in the order of the longest way; where that takes too much memory, in
 * the nodes' own order, then in those that end one output after the other.
 */
double sluice_policy_simulate (SluiceSimulator *simulator, const guint *devices, GError **error);

/* Candidates and margins of the nodes that have none: where each could have stood, had all others
 * run when and where the schedule has them. */
void sluice_policy_explain (const SluiceWorkload *workload, SluiceChoice *choice);
