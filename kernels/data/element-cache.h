/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/data/dataset.h"

/*
 * Elements that a cursor keeps, their tensors side by side in one array: a block of memory an
 * element would leave millions of small holes behind, which the C library tidies up while somebody
 * waits. All zero: none.
 */
typedef struct
{
  SluiceTensor **tensors;
  gint64 n_places; /* for an element each */
  guint n;         /* components */
} SluiceElementCache;

static inline SluiceTensor **
sluice_element_cache_at (const SluiceElementCache *self, gint64 place)
{
  return self->tensors + place * self->n;
}

/**
 * sluice_element_cache_reserve:
 * @n_places: that there are to be at least
 * @most: places that it does not pass where it makes more at a time
 *
 * Returns: %FALSE with RESOURCE_EXHAUSTED; what it holds is still there
 */
gboolean sluice_element_cache_reserve (SluiceElementCache *self,
                                       gint64 n_places,
                                       gint64 most,
                                       GError **error);

/* What caches of elements held that nobody wants any more: freeing millions of tensors takes a
 * while. */
typedef struct _SluiceRemains SluiceRemains;

/* The cache is empty then. Its elements stood in n places from the first on, which go on at the
 * beginning behind the last one. */
void sluice_remains_add (SluiceRemains **list, SluiceElementCache *take, gint64 first, gint64 n);

/* Frees them all, or leaves them to the pool's threads as soon as *cancelled is not 0. (nullable)
 * cancelled */
void sluice_remains_free (SluiceRemains **list, const _Atomic int *cancelled);
