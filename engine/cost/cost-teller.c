/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/cost-teller.h"

#include <stdatomic.h>

SluiceCostTeller *
sluice_cost_teller_ref (SluiceCostTeller *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_cost_teller_unref (SluiceCostTeller *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    self->finalize (self);
}
