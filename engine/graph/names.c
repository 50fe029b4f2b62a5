/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Nodes by name, and the process's interned texts: open addressing. Loading a graph looks up every
 * edge by a long name, so the hash takes eight bytes at a time and is kept beside the entry. */
#include <pthread.h>
#include <string.h>

#include "engine/graph/graph-private.h"

struct _SluiceNameSlot
{
  guint32 hash;
  SluiceNode *node; /* NULL: free */
};

static guint32
hash_name (const char *name, gsize length)
{
  guint64 hash = length * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15), word;
  for (; length >= 8; name += 8, length -= 8)
    {
      memcpy (&word, name, 8);
      hash = (hash ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
      hash ^= hash >> 32;
    }
  word = 0;
  memcpy (&word, name, length);
  hash = (hash ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  return (guint32) (hash ^ hash >> 32);
}

/* The slot of the name, or the free one where it belongs. */
static SluiceNameSlot *
find_slot (const SluiceNameTable *self, const char *name, gsize length, guint32 hash)
{
  guint mask = self->capacity - 1;
  for (guint i = hash & mask;; i = (i + 1) & mask)
    {
      SluiceNameSlot *slot = &self->slots[i];
      if (slot->node == NULL
          || (slot->hash == hash && strncmp (slot->node->name, name, length) == 0
              && slot->node->name[length] == '\0'))
        return slot;
    }
}

/* The place of a name that is not there. */
static SluiceNameSlot *
free_slot (const SluiceNameTable *self, guint32 hash)
{
  guint mask = self->capacity - 1, i = hash & mask;
  while (self->slots[i].node != NULL)
    i = (i + 1) & mask;
  return &self->slots[i];
}

void
sluice_name_table_reserve (SluiceNameTable *self, guint n)
{
  SluiceNameTable old = *self;
  guint capacity = MAX (64, old.capacity);
  while (capacity / 2 < old.n + n)
    capacity *= 2;
  if (capacity == old.capacity)
    return;
  self->capacity = capacity;
  self->slots = g_new0 (SluiceNameSlot, capacity);
  for (guint i = 0; i < old.capacity; i++)
    if (old.slots[i].node != NULL)
      *free_slot (self, old.slots[i].hash) = old.slots[i];
  g_free (old.slots);
}

SluiceNode *
sluice_name_table_find (const SluiceNameTable *self, const char *name, gsize length)
{
  return self->n > 0 ? find_slot (self, name, length, hash_name (name, length))->node : NULL;
}

gboolean
sluice_name_table_add (SluiceNameTable *self, SluiceNode *node)
{
  sluice_name_table_reserve (self, 1);
  gsize length = strlen (node->name);
  guint32 hash = hash_name (node->name, length);
  SluiceNameSlot *slot = find_slot (self, node->name, length, hash);
  if (slot->node != NULL)
    return FALSE;
  *slot = (SluiceNameSlot){ hash, node };
  self->n++;
  return TRUE;
}

void
sluice_name_table_remove (SluiceNameTable *self, const SluiceNode *node)
{
  gsize length = strlen (node->name);
  guint mask = self->capacity - 1;
  SluiceNameSlot *slot = find_slot (self, node->name, length, hash_name (node->name, length));
  g_assert (slot->node == node);
  self->n--;
  /* What a look-up would no longer come to moves up, so that no slot need say "go on here". */
  for (guint hole = slot - self->slots, i = (hole + 1) & mask;; i = (i + 1) & mask)
    {
      self->slots[hole] = (SluiceNameSlot){ 0 };
      while (self->slots[i].node != NULL
             && ((i - self->slots[i].hash) & mask) < ((i - hole) & mask))
        i = (i + 1) & mask;
      if (self->slots[i].node == NULL)
        return;
      self->slots[hole] = self->slots[i];
      hole = i;
    }
}

void
sluice_name_table_clear (SluiceNameTable *self)
{
  g_free (self->slots);
  *self = (SluiceNameTable){ 0 };
}

/* ---- interned texts ---- */

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
  guint32 hash = hash_name (text, strlen (text));
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
