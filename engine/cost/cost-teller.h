/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/cost-model.h"

/*
 * Who knows what nodes and links cost when a session chooses devices: the session does not know
 * where figures are kept. Whoever implements one has this as its first member.
 */
typedef struct _SluiceCostTeller SluiceCostTeller;

struct _SluiceCostTeller
{
  _Atomic int ref_count; /* 1 at first */
  /* Under the session's lock of its graph, one at a time. What costs borrows lives until the next
   * call. */
  void (*tell) (SluiceCostTeller *self,
                SluiceGraph *graph,
                SluiceMachine *machine,
                SluiceCostModel *costs);
  void (*finalize) (SluiceCostTeller *self);
};

SluiceCostTeller *sluice_cost_teller_ref (SluiceCostTeller *self);
void sluice_cost_teller_unref (SluiceCostTeller *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCostTeller, sluice_cost_teller_unref)
