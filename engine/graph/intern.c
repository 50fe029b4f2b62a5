/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/intern.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/graph/name-hash.h"

/* The process's texts: open addressing, the hash beside the entry. A text that is there once is
 * there for good, so that it is found without the lock; only who adds one takes it. */
typedef struct
{
  guint32 hash;                /* there before the text is */
  _Atomic (const char *) text; /* NULL: free */
} InternSlot;

typedef struct _InternTable
{
  struct _InternTable *smaller; /* (nullable): the one before, which somebody may still look in */
  guint capacity;               /* a power of two */
  InternSlot slots[];
} InternTable;

typedef struct _Chunk
{
  struct _Chunk *next;
  char text[];
} Chunk;

static _Atomic (InternTable *) current; /* NULL: nothing is interned yet */

static struct
{
  pthread_mutex_t lock; /* guards all below, and what is written to the table */
  guint n;
  Chunk *chunks; /* never given back */
  gsize room;    /* left in the first of them, at `at` */
  char *at;
} interned = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The slot of the text, or the free one where it belongs. (nullable): the text in it */
static InternSlot *
find_text (InternTable *table, const char *text, guint32 hash, const char **found)
{
  guint mask = table->capacity - 1;
  for (guint i = hash & mask;; i = (i + 1) & mask)
    {
      InternSlot *slot = &table->slots[i];
      *found = atomic_load_explicit (&slot->text, memory_order_acquire);
      if (*found == NULL || (slot->hash == hash && strcmp (*found, text) == 0))
        return slot;
    }
}

static void
fill_slot (InternSlot *slot, guint32 hash, const char *text)
{
  slot->hash = hash;
  atomic_store_explicit (&slot->text, text, memory_order_release);
}

/* Under the lock. (transfer none): with room for one more; the tables before it are together no
 * larger than it is, and are kept. */
static InternTable *
reserve_slot (void)
{
  InternTable *old = atomic_load_explicit (&current, memory_order_relaxed);
  const char *found;
  if (old != NULL && interned.n * 2 < old->capacity)
    return old;
  guint capacity = old != NULL ? old->capacity * 2 : 1024;
  InternTable *table = g_malloc0 (sizeof *table + capacity * sizeof (InternSlot));
  table->smaller = old;
  table->capacity = capacity;
  for (guint i = 0; old != NULL && i < old->capacity; i++)
    {
      const char *text = atomic_load_explicit (&old->slots[i].text, memory_order_relaxed);
      if (text != NULL)
        fill_slot (find_text (table, text, old->slots[i].hash, &found), old->slots[i].hash, text);
    }
  atomic_store_explicit (&current, table, memory_order_release);
  return table;
}

static const char *
store_text (const char *text)
{
  const gsize chunk_bytes = 32 * 1024;
  gsize bytes = strlen (text) + 1;
  if (bytes > interned.room)
    {
      interned.room = MAX (bytes, chunk_bytes);
      Chunk *chunk = g_malloc (sizeof *chunk + interned.room);
      chunk->next = interned.chunks;
      interned.chunks = chunk;
      interned.at = chunk->text;
    }
  const char *stored = memcpy (interned.at, text, bytes);
  interned.at += bytes;
  interned.room -= bytes;
  return stored;
}

const char *
sluice_intern (const char *text)
{
  guint32 hash = sluice_name_hash (text, strlen (text));
  InternTable *table = atomic_load_explicit (&current, memory_order_acquire);
  const char *found = NULL;
  if (table != NULL)
    find_text (table, text, hash, &found);
  if (found != NULL)
    return found;
  pthread_mutex_lock (&interned.lock);
  InternSlot *slot = find_text (reserve_slot (), text, hash, &found);
  if (found == NULL)
    {
      found = store_text (text);
      fill_slot (slot, hash, found);
      interned.n++;
    }
  pthread_mutex_unlock (&interned.lock);
  return found;
}
