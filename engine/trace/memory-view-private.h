/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/memory-view.h"

/* Memory of the system, which holds one block at a time. */
typedef struct
{
  guint64 address;
  gsize given;
  guint begin, end; /* moments */
} SluiceMemoryPlace;

struct _SluiceMemoryView
{
  SluiceMemoryTape *tape;
  GArray *bands;          /* of SluiceMemoryBand, by moment */
  GArray *places;         /* of SluiceMemoryPlace, by address */
  GArray *floor;          /* of guint: bands that were there before, by rank */
  guint *band_of;         /* by record: which it begins or ends; of one handed on the later one */
  GArray *readings;       /* of guint: numbers of runs */
  gsize *live, *reserved; /* by moment */
  guint n_records, n_initial; /* that tell what there was before */
  guint n_ranks;
  guint peak;
  guint64 n_wrong;
  gint64 end; /* of what was recorded */
};

static inline SluiceMemoryBand *
sluice_memory_view_band_at (const SluiceMemoryView *self, guint band)
{
  return &g_array_index (self->bands, SluiceMemoryBand, band);
}

static inline gboolean
sluice_memory_band_is_live (const SluiceMemoryBand *band, guint moment)
{
  return band->begin <= moment && moment < band->end;
}

/* memory-view-uses.c: who read each band, who freed it, and whether that was late. */
void sluice_memory_view_find_uses (SluiceMemoryView *self);
