/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* The lowest key first, of equal keys the lowest number: in memory of the caller's, which is long
 * enough. */
typedef struct
{
  double key;
  guint number;
} SluiceHeapEntry;

typedef struct
{
  SluiceHeapEntry *entries;
  guint n;
} SluiceHeap;

static inline gboolean
sluice_heap_entry_is_before (SluiceHeapEntry a, SluiceHeapEntry b)
{
  return a.key < b.key || (a.key <= b.key && a.number < b.number);
}

static inline void
sluice_heap_push (SluiceHeap *self, double key, guint number)
{
  SluiceHeapEntry entry = { key, number };
  guint i = self->n++;
  for (; i > 0 && sluice_heap_entry_is_before (entry, self->entries[(i - 1) / 2]); i = (i - 1) / 2)
    self->entries[i] = self->entries[(i - 1) / 2];
  self->entries[i] = entry;
}

static inline SluiceHeapEntry
sluice_heap_pop (SluiceHeap *self)
{
  SluiceHeapEntry first = self->entries[0], last = self->entries[--self->n];
  guint i = 0;
  for (guint child; (child = 2 * i + 1) < self->n; i = child)
    {
      child += child + 1 < self->n
               && sluice_heap_entry_is_before (self->entries[child + 1], self->entries[child]);
      if (!sluice_heap_entry_is_before (self->entries[child], last))
        break;
      self->entries[i] = self->entries[child];
    }
  self->entries[i] = last;
  return first;
}
