/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Who names whom in `_class`. Half of the nodes of a graph with gradients do, so an entry is two
 * numbers and a pointer, and the import can make them on its way. */
#include <string.h>

#include "engine/graph/edit-private.h"
#include "engine/graph/name-hash.h"

#define NOBODY G_MAXUINT32 /* the slot was used once: look-ups go on behind it */

/* Of all names of one hash. */
struct _SluiceClassSlot
{
  guint32 hash;
  guint32 first; /* into users, + 1; 0: free; or NOBODY */
};

struct _SluiceClassUser
{
  const SluiceNode *node;
  guint32 next; /* + 1, or 0 */
};

static SluiceClassSlot *
find_slot (const SluiceClassTable *self, guint32 hash)
{
  guint mask = self->capacity - 1, i = hash & mask;
  while (self->slots[i].first != 0 && self->slots[i].hash != hash)
    i = (i + 1) & mask;
  return &self->slots[i];
}

/* What nobody is named by any more is left out. */
static void
make_room (SluiceClassTable *self)
{
  SluiceClassTable old = *self;
  if (self->n_slots < self->capacity / 2)
    return;
  self->capacity = MAX (64, 2 * old.capacity);
  self->slots = g_new0 (SluiceClassSlot, self->capacity);
  self->n_slots = 0;
  for (guint i = 0; i < old.capacity; i++)
    if (old.slots[i].first != 0 && old.slots[i].first != NOBODY)
      {
        *find_slot (self, old.slots[i].hash) = old.slots[i];
        self->n_slots++;
      }
  g_free (old.slots);
}

static guint32
take_user (SluiceClassTable *self, SluiceClassUser user)
{
  guint32 at = self->spare;
  if (at != 0)
    self->spare = self->users[at - 1].next;
  else
    {
      if (self->n_users == self->users_capacity)
        {
          self->users_capacity = MAX (64, 2 * self->users_capacity);
          self->users = g_renew (SluiceClassUser, self->users, self->users_capacity);
        }
      at = ++self->n_users;
    }
  self->users[at - 1] = user;
  return at;
}

static void
add_user (const SluiceNode *node, const char *name, gsize length, gpointer data)
{
  SluiceClassTable *self = data;
  guint32 hash = sluice_name_hash (name, length);
  make_room (self);
  SluiceClassSlot *slot = find_slot (self, hash);
  self->n_slots += slot->first == 0;
  guint32 next = slot->first == NOBODY ? 0 : slot->first;
  *slot = (SluiceClassSlot){ hash, take_user (self, (SluiceClassUser){ node, next }) };
}

static void
remove_user (const SluiceNode *node, const char *name, gsize length, gpointer data)
{
  SluiceClassTable *self = data;
  if (self->capacity == 0)
    return;
  SluiceClassSlot *slot = find_slot (self, sluice_name_hash (name, length));
  guint32 *link = &slot->first;
  if (*link == 0 || *link == NOBODY)
    return;
  while (*link != 0 && self->users[*link - 1].node != node)
    link = &self->users[*link - 1].next;
  if (*link == 0)
    return;
  guint32 at = *link;
  *link = self->users[at - 1].next;
  self->users[at - 1] = (SluiceClassUser){ NULL, self->spare };
  self->spare = at;
  if (slot->first == 0)
    slot->first = NOBODY;
}

void
sluice_class_table_clear (SluiceClassTable *self)
{
  g_free (self->slots);
  g_free (self->users);
  *self = (SluiceClassTable){ 0 };
}

void
sluice_class_table_note (SluiceClassTable *self, const SluiceNode *node, gboolean add)
{
  sluice_node_foreach_class (node, add ? add_user : remove_user, self);
}

typedef struct
{
  const char *name;
  gsize length;
  gboolean found;
} Sought;

static void
compare (const SluiceNode *node, const char *name, gsize length, gpointer data)
{
  Sought *sought = data;
  sought->found |= length == sought->length && memcmp (name, sought->name, length) == 0;
}

void
sluice_graph_collect_class_users (SluiceGraph *self, const char *name, GPtrArray *users)
{
  const SluiceClassTable *table = &self->class_users;
  Sought sought = { name, strlen (name), FALSE };
  sluice_graph_index_copy (self);
  if (table->capacity == 0)
    return;
  guint32 at = find_slot (table, sluice_name_hash (name, sought.length))->first;
  for (; at != 0 && at != NOBODY; at = table->users[at - 1].next)
    {
      const SluiceNode *node = table->users[at - 1].node;
      sought.found = FALSE;
      sluice_node_foreach_class (node, compare, &sought);
      if (sought.found)
        g_ptr_array_add (users, (gpointer) node);
    }
}
