/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/charts/card-memory.h"

/* Which cards there are, by tag: those of the series, settings and texts of the runs that are
 * shown.
 */
typedef struct
{
  GHashTable *cards; /* tag -> SluiceTagCard */
  SluiceWorkspace *workspace;
  SluiceChartChoice *choice;
  SluiceCardMemory *memory;
} SluiceCardCount;

/* Makes what is missing and counts the runs of each. Those without a run are not there any more,
 * and go with sluice_cards_forget_empty(), when nobody shows them. */
void sluice_cards_count_runs (const SluiceCardCount *self);
void sluice_cards_forget_empty (GHashTable *cards);
