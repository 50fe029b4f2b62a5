/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/policy-private.h"

/* Groups of a workload put together by what travels between them: what a policy moves as one. */
typedef struct
{
  guint n;
  guint *first_member, *members; /* CSR: groups */
} SluiceClusters;

/* At most so many, of about the same time each; the largest values stay within one. */
SluiceClusters *
sluice_clusters_new (const SluiceWorkload *workload, const SluicePolicyGroups *groups, guint most);
void sluice_clusters_free (SluiceClusters *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceClusters, sluice_clusters_free)
