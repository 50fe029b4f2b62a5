/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sys/mman.h>

#include "engine/base/allocator.h"

/* Memory of a device that nobody reads or writes: who touches it ends the program. */
#define FAR_BYTES ((gsize) 1 << 30)
typedef struct
{
  SluiceMemorySource source;
  char *begin;
  gsize used;
  guint n_blocks; /* mapped and not unmapped */
} FarMemory;

static inline void *
far_memory_map (gpointer data, gsize bytes)
{
  FarMemory *self = data;
  char *block = self->begin + self->used;
  if (bytes > FAR_BYTES - self->used)
    return NULL;
  self->used += (bytes + 63) & ~(gsize) 63;
  self->n_blocks++;
  return block;
}

static inline void
far_memory_unmap (gpointer data, void *memory, gsize bytes)
{
  ((FarMemory *) data)->n_blocks--;
}

static inline void
far_memory_init (FarMemory *self)
{
  *self = (FarMemory){ .source = { far_memory_map, far_memory_unmap, NULL, self, 0, TRUE } };
  self->begin =
      mmap (NULL, FAR_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true (self->begin != MAP_FAILED);
}

static inline gboolean
far_memory_holds (const FarMemory *self, const void *address)
{
  return (const char *) address >= self->begin && (const char *) address < self->begin + self->used;
}

static inline void
far_memory_clear (FarMemory *self)
{
  munmap (self->begin, FAR_BYTES);
}
