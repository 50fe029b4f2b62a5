/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"
#include "engine/base/tensor.h"

/*
 * What came together: one element of a queue, or the rows of a batch, one tensor a component.
 * Counted, once for every item; never changed.
 */
typedef struct
{
  _Atomic gint64 ref_count;
  guint n; /* tensors */
  SluiceTensor *tensors[];
} SluiceElements;

#define SLUICE_WHOLE (-1) /* the row of what is no batch */

typedef struct
{
  SluiceElements *elements;
  gint64 row; /* of the first dimension of its tensors, or SLUICE_WHOLE */
} SluiceItem;

/* Items, each owned, in a ring: both ends are cheap. All zero: none. */
typedef struct
{
  SluiceItem *ring;
  gsize first, n;
  gsize mask; /* a power of two less one; the ring is NULL at first */
} SluiceItems;

/* Tensors are NULL, to be filled in; one reference. */
SluiceElements *sluice_elements_new (guint n);
void sluice_elements_unref (SluiceElements *self);

static inline SluiceItem *
sluice_items_at (const SluiceItems *self, gsize i)
{
  return &self->ring[(self->first + i) & self->mask];
}

void sluice_items_push (SluiceItems *self, SluiceItem item);
void sluice_items_push_front (SluiceItems *self, SluiceItem item);
SluiceItem sluice_items_pop (SluiceItems *self);
SluiceItem sluice_items_pop_front (SluiceItems *self);
/* One element, whole. (transfer full) take */
void sluice_items_push_element (SluiceItems *self, SluiceElements *take);
/* n rows of a batch. (transfer full) take */
void sluice_items_push_rows (SluiceItems *self, SluiceElements *take, gint64 n);
void sluice_items_clear (SluiceItems *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceItems, sluice_items_clear)

SluiceShape sluice_item_shape (const SluiceItem *self, guint component);
const void *sluice_item_data (const SluiceItem *self, guint component);
/* A component as a tensor of its own, which is the one that went in where that was no batch.
 * (transfer full) (nullable): RESOURCE_EXHAUSTED */
SluiceTensor *sluice_item_dup (const SluiceItem *self,
                               guint component,
                               SluiceAllocator *allocator,
                               SluiceOwner owner,
                               GError **error);
/* One element into a place of the same rank, no longer than that; padding: as of
 * sluice_items_stack. */
void sluice_item_put (SluiceDType dtype,
                      void *to,
                      const SluiceShape *place,
                      const void *from,
                      const SluiceShape *shape,
                      const void *padding);

/**
 * sluice_items_stack:
 * @shape: of an element; unknown dimensions become as long as the longest item's, 0 where there is
 * none. No item is longer in a known one
 * @padding: (nullable): one element, what shorter items are filled up with; %NULL: zeros and empty
 * strings
 *
 * Returns: (transfer full) (nullable): a component of all items, one behind the other;
 * RESOURCE_EXHAUSTED, INVALID_ARGUMENT where the rank is at its limit
 */
SluiceTensor *sluice_items_stack (const SluiceItems *self,
                                  guint component,
                                  SluiceDType dtype,
                                  const SluiceShape *shape,
                                  const void *padding,
                                  SluiceAllocator *allocator,
                                  SluiceOwner owner,
                                  GError **error);
