/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* Tables of names by g_str_hash(), with open addressing: made of numbers alone where nothing but
 * the numbering changes, and copied at once. */

guint
sluice_name_hash (guint hash, const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    hash = (hash << 5) + hash + (guint) (signed char) text[i];
  return hash;
}

/* ---- groups by path ---- */

void
sluice_path_table_reserve (SluicePathTable *self, guint n)
{
  guint n_slots = MAX (64, self->n_slots), n_old = self->n_slots;
  while (n_slots / 2 < n)
    n_slots *= 2;
  if (n_slots == n_old)
    return;
  g_autofree SluicePathSlot *old = self->slots;
  self->slots = g_new0 (SluicePathSlot, n_slots);
  self->n_slots = n_slots;
  for (guint k = 0; k < n_old; k++)
    if (old[k].group != 0)
      {
        guint i = old[k].hash & (n_slots - 1);
        while (self->slots[i].group != 0)
          i = (i + 1) & (n_slots - 1);
        self->slots[i] = old[k];
      }
}

/* Whether a group is found by its path rather than another one of that path, which came before. */
static gboolean
comes_first (const SluiceGroup *group, const SluiceGroup *other)
{
  static const guint8 ranks[] = { [SLUICE_GROUP_ROOT] = 2,
                                  [SLUICE_GROUP_SCOPE] = 2,
                                  [SLUICE_GROUP_OP] = 1,
                                  [SLUICE_GROUP_SERIES] = 0 };
  return ranks[group->kind] >= ranks[other->kind];
}

void
sluice_path_table_insert (SluicePathTable *self, const SluiceGroup *groups, guint group)
{
  guint hash = groups[group].path_hash;
  sluice_path_table_reserve (self, ++self->n_used);
  for (guint i = hash & (self->n_slots - 1);; i = (i + 1) & (self->n_slots - 1))
    {
      SluicePathSlot *slot = &self->slots[i];
      gboolean is_twin = slot->group != 0 && slot->hash == hash
                         && g_str_equal (groups[slot->group - 1].path, groups[group].path);
      if (slot->group != 0 && !is_twin)
        continue;
      self->has_twins |= is_twin;
      if (!is_twin || comes_first (&groups[group], &groups[slot->group - 1]))
        *slot = (SluicePathSlot){ hash, group + 1 };
      return;
    }
}

guint
sluice_path_table_lookup (const SluicePathTable *self,
                          const SluiceGroup *groups,
                          const char *path,
                          gsize length,
                          guint hash)
{
  if (self->n_slots == 0)
    return SLUICE_NONE;
  for (guint i = hash & (self->n_slots - 1);; i = (i + 1) & (self->n_slots - 1))
    {
      const SluicePathSlot *slot = &self->slots[i];
      if (slot->group == 0)
        return SLUICE_NONE;
      const char *other = groups[slot->group - 1].path;
      if (slot->hash == hash && strncmp (other, path, length) == 0 && other[length] == '\0')
        return slot->group - 1;
    }
}

void
sluice_path_table_move (SluicePathTable *self, const guint *now)
{
  for (guint i = 0; i < self->n_slots; i++)
    if (self->slots[i].group != 0)
      self->slots[i].group = now[self->slots[i].group - 1] + 1;
}

void
sluice_path_table_copy_moved (SluicePathTable *self, const SluicePathTable *other, const guint *now)
{
  self->has_twins = other->has_twins;
  if (other->has_twins)
    return;
  self->n_slots = other->n_slots;
  self->slots = g_new0 (SluicePathSlot, self->n_slots);
  for (guint k = 0; k < other->n_slots; k++)
    {
      const SluicePathSlot *slot = &other->slots[k];
      if (slot->group == 0 || now[slot->group - 1] == SLUICE_NONE)
        continue;
      guint i = slot->hash & (self->n_slots - 1);
      while (self->slots[i].group != 0)
        i = (i + 1) & (self->n_slots - 1);
      self->slots[i] = (SluicePathSlot){ slot->hash, now[slot->group - 1] + 1 };
      self->n_used++;
    }
}

void
sluice_path_table_rebuild (SluicePathTable *self, const SluiceGroup *groups, guint n)
{
  sluice_path_table_clear (self);
  sluice_path_table_reserve (self, n);
  for (guint i = 0; i < n; i++)
    sluice_path_table_insert (self, groups, i);
}

void
sluice_path_table_clear (SluicePathTable *self)
{
  g_clear_pointer (&self->slots, g_free);
  self->n_slots = self->n_used = 0;
  self->has_twins = FALSE;
}

/* ---- how many nodes name a scope ---- */

static SluiceNameCount *
find_count (const SluiceNameCounts *self, const char *text, gsize length, guint hash)
{
  for (guint i = hash & (self->n_slots - 1);; i = (i + 1) & (self->n_slots - 1))
    {
      SluiceNameCount *slot = &self->slots[i];
      if (slot->text == NULL
          || (slot->hash == hash && strncmp (slot->text, text, length) == 0
              && slot->text[length] == '\0'))
        return slot;
    }
}

/* What nobody names any more is not taken along. */
static void
reserve_counts (SluiceNameCounts *self, guint n)
{
  guint n_old = self->n_slots, n_slots = MAX (64, n_old);
  if (n < n_slots / 2 && n_old > 0)
    return;
  while (n_slots / 2 <= n)
    n_slots *= 2;
  g_autofree SluiceNameCount *old = self->slots;
  self->slots = g_new0 (SluiceNameCount, n_slots);
  self->n_slots = n_slots;
  self->n_used = 0;
  for (guint i = 0; i < n_old; i++)
    if (old[i].n > 0)
      {
        *find_count (self, old[i].text, strlen (old[i].text), old[i].hash) = old[i];
        self->n_used++;
      }
}

gboolean
sluice_name_counts_has (const SluiceNameCounts *self, const char *text, gsize length, guint hash)
{
  return self->n_slots > 0 && find_count (self, text, length, hash)->n > 0;
}

const char *
sluice_name_counts_add (SluiceNameCounts *self,
                        SluiceTexts *texts,
                        const char *text,
                        gsize length,
                        guint hash,
                        int change)
{
  reserve_counts (self, self->n_used + 1);
  SluiceNameCount *slot = find_count (self, text, length, hash);
  if (slot->text == NULL)
    {
      const char *kept = sluice_texts_keep_part (texts, text, length);
      *slot =
          (SluiceNameCount){ .text = kept, .hash = hash, .forward = sluice_forward_hash (kept) };
      self->n_used++;
    }
  slot->n += change;
  return slot->n == (change > 0 ? 1 : 0) ? slot->text : NULL;
}

void
sluice_name_counts_copy (SluiceNameCounts *self, const SluiceNameCounts *other)
{
  *self = *other;
  self->slots = g_memdup2 (other->slots, other->n_slots * sizeof *other->slots);
}
