/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/intern.h"

#include <pthread.h>
#include <string.h>

#include "engine/graph/name-hash.h"

/* The process's texts: open addressing, the hash beside the entry. */
typedef struct
{
  guint32 hash;
  const char *text; /* NULL: free */
} InternSlot;

typedef struct _Chunk
{
  struct _Chunk *next;
  char text[];
} Chunk;

static struct
{
  pthread_mutex_t lock; /* guards all below */
  InternSlot *slots;
  guint n, capacity; /* a power of two */
  Chunk *chunks;     /* never given back */
  gsize room;        /* left in the first of them, at `at` */
  char *at;
} interned = { .lock = PTHREAD_MUTEX_INITIALIZER };

static InternSlot *
find_text (const char *text, guint32 hash)
{
  guint mask = interned.capacity - 1;
  for (guint i = hash & mask;; i = (i + 1) & mask)
    {
      InternSlot *slot = &interned.slots[i];
      if (slot->text == NULL || (slot->hash == hash && strcmp (slot->text, text) == 0))
        return slot;
    }
}

static void
grow_interned (void)
{
  InternSlot *old = interned.slots;
  guint capacity = interned.capacity;
  interned.capacity = MAX (1024, capacity * 2);
  interned.slots = g_new0 (InternSlot, interned.capacity);
  for (guint i = 0; i < capacity; i++)
    if (old[i].text != NULL)
      *find_text (old[i].text, old[i].hash) = old[i];
  g_free (old);
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
  pthread_mutex_lock (&interned.lock);
  if (interned.n * 2 >= interned.capacity)
    grow_interned ();
  InternSlot *slot = find_text (text, hash);
  if (slot->text == NULL)
    {
      *slot = (InternSlot){ hash, store_text (text) };
      interned.n++;
    }
  const char *result = slot->text;
  pthread_mutex_unlock (&interned.lock);
  return result;
}
