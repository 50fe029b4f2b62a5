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

static guint *
find_path_slot (const SluicePathTable *self,
                const SluiceGroup *groups,
                const char *path,
                guint hash)
{
  for (guint i = hash & (self->n_slots - 1);; i = (i + 1) & (self->n_slots - 1))
    {
      if (self->slots[i] == 0)
        return &self->slots[i];
      const SluiceGroup *g = &groups[self->slots[i] - 1];
      if (g->path_hash == hash && (g->path == path || strcmp (g->path, path) == 0))
        return &self->slots[i];
    }
}

static void
reserve_paths (SluicePathTable *self, const SluiceGroup *groups, guint n)
{
  guint n_slots = MAX (64, self->n_slots), n_old = self->n_slots;
  while (n_slots / 2 < n)
    n_slots *= 2;
  if (n_slots == n_old)
    return;
  g_autofree guint *old = self->slots;
  self->slots = g_new0 (guint, n_slots);
  self->n_slots = n_slots;
  for (guint k = 0; k < n_old; k++)
    if (old[k] != 0)
      {
        guint i = groups[old[k] - 1].path_hash & (n_slots - 1);
        while (self->slots[i] != 0)
          i = (i + 1) & (n_slots - 1);
        self->slots[i] = old[k];
      }
}

void
sluice_path_table_insert (SluicePathTable *self, const SluiceGroup *groups, guint group)
{
  reserve_paths (self, groups, ++self->n_used);
  guint *slot = find_path_slot (self, groups, groups[group].path, groups[group].path_hash);
  self->has_twins |= *slot != 0;
  *slot = group + 1;
}

guint
sluice_path_table_lookup (const SluicePathTable *self,
                          const SluiceGroup *groups,
                          const char *path,
                          guint hash)
{
  return self->n_slots > 0 ? *find_path_slot (self, groups, path, hash) - 1 : SLUICE_NONE;
}

void
sluice_path_table_rebuild (SluicePathTable *self, const SluiceGroup *groups, guint n)
{
  sluice_path_table_clear (self);
  reserve_paths (self, groups, n);
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
