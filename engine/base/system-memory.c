/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/system-memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ALIGNMENT 64
#define HUGE_PAGE ((gsize) 2 << 20)
#define PAGE      ((gsize) 4096)
/* Blocks as large are mapped one by one: what the C library frees it may keep, and a limit holds
 * for what the program has of the system. AddressSanitizer must see them come and go. */
#ifdef SLUICE_SANITIZES_ADDRESS
#define MAP_BYTES G_MAXSIZE
#else
#define MAP_BYTES ((gsize) 64 << 10)
#endif

gsize
sluice_system_memory_round (gsize bytes)
{
  return bytes < MAP_BYTES ? bytes : (bytes + PAGE - 1) & ~(PAGE - 1);
}

static void *
map_pages (gsize bytes, gsize alignment)
{
  gsize more = alignment > PAGE ? alignment : 0;
  char *start =
      mmap (NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  gsize before = more ? -(guintptr) start & (alignment - 1) : 0;
  if (before > 0)
    munmap (start, before);
  if (more > before)
    munmap (start + before + bytes, more - before);
  return start + before;
}

void *
sluice_system_memory_map (gsize bytes)
{
  void *memory = NULL;
  gboolean is_huge = bytes >= 4 * HUGE_PAGE;
  gsize alignment = is_huge ? HUGE_PAGE : ALIGNMENT;
  if (bytes >= MAP_BYTES)
    memory = map_pages (bytes, alignment);
  else if (posix_memalign (&memory, alignment, bytes) != 0)
    return NULL;
#ifdef MADV_HUGEPAGE
  if (is_huge && memory != NULL)
    madvise (memory, bytes, MADV_HUGEPAGE); /* advice: where there are none, small ones do */
#endif
  return memory;
}

void
sluice_system_memory_unmap (void *memory, gsize bytes)
{
  if (bytes >= MAP_BYTES)
    munmap (memory, bytes);
  else
    free (memory);
}

void
sluice_system_memory_prefer_huge (void *memory, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  guintptr first = ((guintptr) memory + PAGE - 1) & ~(PAGE - 1);
  guintptr end = ((guintptr) memory + bytes) & ~(PAGE - 1);
  if (end > first)
    madvise ((void *) first, end - first, MADV_HUGEPAGE); /* advice, as above */
#endif
}
