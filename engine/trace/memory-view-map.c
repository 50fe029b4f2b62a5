/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where everything lies at a moment. */
#include "engine/trace/memory-view-private.h"

static GHashTable *
find_live (const SluiceMemoryView *view, guint moment)
{
  GHashTable *live = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < view->bands->len; i++)
    {
      SluiceMemoryBand *band = sluice_memory_view_band_at (view, i);
      if (sluice_memory_band_is_live (band, moment))
        g_hash_table_insert (live, &band->address, GUINT_TO_POINTER (i + 1));
    }
  return live;
}

SluiceMemoryMap *
sluice_memory_view_make_map (const SluiceMemoryView *self, guint moment)
{
  SluiceMemoryMap *map = g_new0 (SluiceMemoryMap, 1);
  map->pieces = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryPiece));
  g_autoptr (GHashTable) live = find_live (self, moment);
  for (guint i = 0; i < self->places->len; i++)
    {
      const SluiceMemoryPlace *place = &g_array_index (self->places, SluiceMemoryPlace, i);
      if (place->begin > moment || moment >= place->end)
        continue;
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (live, &place->address));
      const SluiceMemoryPiece piece = { map->pool, place->given,
                                        number > 0 ? number - 1 : SLUICE_BAND_NONE };
      g_array_append_val (map->pieces, piece);
      map->pool += place->given;
      if (number == 0)
        {
          map->free += place->given;
          map->largest = MAX (map->largest, place->given);
          map->n_holes++;
          continue;
        }
      gsize bytes = sluice_memory_view_band_at (self, number - 1)->bytes;
      map->live += bytes;
      map->rounding += place->given - bytes;
    }
  return map;
}

void
sluice_memory_map_free (SluiceMemoryMap *self)
{
  g_array_unref (self->pieces);
  g_free (self);
}

double
sluice_memory_map_get_fragmentation (const SluiceMemoryMap *self)
{
  return self->free > 0 ? 1 - (double) self->largest / (double) self->free : 0;
}
