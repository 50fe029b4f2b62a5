/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Nodes by name: open addressing, the hash beside the entry. */
#include "engine/graph/graph-private.h"
#include "engine/graph/name-hash.h"

struct _SluiceNameSlot
{
  guint32 hash;
  SluiceNode *node; /* NULL: free */
};

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
  return self->n > 0 ? find_slot (self, name, length, sluice_name_hash (name, length))->node : NULL;
}

gboolean
sluice_name_table_add (SluiceNameTable *self, SluiceNode *node)
{
  sluice_name_table_reserve (self, 1);
  gsize length = strlen (node->name);
  guint32 hash = sluice_name_hash (node->name, length);
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
  SluiceNameSlot *slot =
      find_slot (self, node->name, length, sluice_name_hash (node->name, length));
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
