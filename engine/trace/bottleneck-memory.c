/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What holds memory for nothing: more from step to step, longer than it is used, or in pieces. */
#include <glib/gi18n-lib.h>

#include "engine/trace/bottleneck-private.h"

/* What grows by a share of the peak weighs as if so many steps more had been taken. */
#define STEPS_AHEAD 100
/* Of a device without a limit: less is not worth a word. */
#define MIN_BYTES ((gsize) 8 << 20)

static gsize
get_peak (const SluiceMemoryView *view)
{
  return MAX (sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view)), 1);
}

static const SluiceMemoryView *
get_last (const SluiceBottlenecks *self)
{
  return self->source->memories[self->source->n_memories - 1];
}

static const char *
name_of (const SluiceMemoryView *view, SluiceOwner owner)
{
  const char *name = sluice_memory_view_get_name (view, owner.node);
  return name != NULL ? name : _ ("what belongs to no node");
}

static char *
dup_bytes (gsize bytes)
{
  return g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
}

static SluiceBottleneck *
add (SluiceBottlenecks *self, SluiceBottleneckKind kind, gsize bytes, guint memory, guint band)
{
  const SluiceMemoryView *view = self->source->memories[memory];
  SluiceBottleneck *one = sluice_bottlenecks_add (self, kind);
  one->bytes = bytes;
  one->share = one->weight = (double) bytes / (double) get_peak (view);
  one->memory = memory;
  one->band = band;
  one->step = sluice_memory_view_get_tape (view)->step;
  if (band != SLUICE_BAND_NONE)
    {
      const SluiceMemoryBand *at = sluice_memory_view_get_band (view, band);
      one->node = g_strdup (sluice_memory_view_get_name (view, at->owner.node));
      one->start = at->made;
      one->end = at->freed;
    }
  return one;
}

static gboolean
is_worth (const SluiceMemoryView *view, gsize bytes)
{
  return bytes >= MIN_BYTES || sluice_memory_view_get_tape (view)->is_limited;
}

/* ---- more from step to step ---- */

static void
look_at_growth (SluiceBottlenecks *self)
{
  guint n = self->source->n_memories;
  g_autoptr (GArray) growing =
      n >= 3 ? sluice_memory_find_growth (self->source->memories, n) : NULL;
  if (growing == NULL || growing->len == 0)
    return;
  const SluiceMemoryGrowth *worst = &g_array_index (growing, SluiceMemoryGrowth, 0);
  const SluiceMemoryView *view = get_last (self);
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  gsize each = (worst->last - worst->first) / (n - 1);
  double peak = (double) get_peak (view);
  SluiceBottleneck *one =
      add (self, SLUICE_BOTTLENECK_LEAK, worst->last - worst->first, n - 1, worst->band);
  /* It is not what it holds that counts, but what it will. */
  one->weight = MIN (1, STEPS_AHEAD * (double) each / peak);
  one->share = MAX (one->share, one->weight);
  g_autofree char *step = dup_bytes (each), *held = dup_bytes (worst->last);
  g_autofree char *limit = dup_bytes (tape->limit);
  one->words = g_strdup_printf (_ ("Leak: %s holds %s more after each step, %s after %u steps."),
                                name_of (view, worst->owner), step, held, n);
  double left = (double) tape->limit - peak;
  one->remedy =
      tape->is_limited && each > 0 && left > 0
          ? g_strdup_printf (_ ("Take out or clear what is put there: the limit of %s is reached "
                                "in %.0f steps."),
                             limit, left / (double) each)
          : g_strdup_printf (_ ("Take out or clear what is put there: in %.0f steps it takes as "
                                "much as all does now."),
                             peak / MAX ((double) each, 1));
}

/* ---- behind their last use ---- */

static void
look_at_late (SluiceBottlenecks *self)
{
  const SluiceMemoryView *view = get_last (self);
  g_autoptr (GArray) holdings =
      sluice_memory_view_dup_holdings (view, sluice_memory_view_get_peak (view));
  const SluiceMemoryHolding *worst = NULL;
  for (guint i = 0; i < holdings->len; i++)
    {
      const SluiceMemoryHolding *at = &g_array_index (holdings, SluiceMemoryHolding, i);
      if (at->help == SLUICE_HELP_AT_ONCE && (worst == NULL || at->gain > worst->gain))
        worst = at;
    }
  if (worst == NULL || !is_worth (view, worst->gain))
    return;
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, worst->band);
  SluiceBottleneck *one = add (self, SLUICE_BOTTLENECK_LATE_FREE, worst->gain,
                               self->source->n_memories - 1, worst->band);
  g_autofree char *held = dup_bytes (band->bytes), *gain = dup_bytes (worst->gain);
  g_autofree char *time = sluice_bottleneck_dup_time (band->freed - band->used);
  const char *reader = NULL;
  if (band->freer != SLUICE_BAND_NONE)
    reader =
        sluice_memory_view_get_name (view, sluice_memory_view_get_run (view, band->freer)->node);
  one->words = g_strdup_printf (_ ("Freed late: %s of %s lie there for %s after their last use, "
                                   "%.0f %% of the peak."),
                                held, name_of (view, band->owner), time, 100 * one->share);
  one->remedy =
      reader != NULL
          ? g_strdup_printf (_ ("Let go of it at once, not with %s: the peak would be %s lower."),
                             reader, gain)
          : g_strdup_printf (_ ("Let go of it at once: the peak would be %s lower."), gain);
}

/* ---- in pieces ---- */

/* The smallest of what was there that fits in none of the holes. */
static guint
find_unfit (const SluiceMemoryView *view, const SluiceMemoryMap *map)
{
  guint found = SLUICE_BAND_NONE;
  gsize least = G_MAXSIZE;
  for (guint i = 0; i < map->pieces->len; i++)
    {
      const SluiceMemoryPiece *at = &g_array_index (map->pieces, SluiceMemoryPiece, i);
      if (at->band == SLUICE_BAND_NONE || at->bytes <= map->largest || at->bytes >= least)
        continue;
      least = at->bytes;
      found = at->band;
    }
  return found;
}

static void
look_at_pieces (SluiceBottlenecks *self)
{
  const SluiceMemoryView *view = get_last (self);
  g_autoptr (SluiceMemoryMap) map =
      sluice_memory_view_make_map (view, sluice_memory_view_get_peak (view));
  if (map->free <= map->largest || map->pool == 0)
    return;
  gsize lost = map->free - map->largest;
  if (!is_worth (view, lost))
    return;
  SluiceBottleneck *one = add (self, SLUICE_BOTTLENECK_FRAGMENTATION, lost,
                               self->source->n_memories - 1, find_unfit (view, map));
  one->share = one->weight = (double) lost / (double) map->pool;
  g_autofree char *all_free = dup_bytes (map->free), *largest = dup_bytes (map->largest);
  g_autofree char *pool = dup_bytes (map->pool);
  one->words = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE,
                   "In pieces: of %s that are free at the peak no more than %s lie together, in %u "
                   "hole of a pool of %s (%.0f %% lost).",
                   "In pieces: of %s that are free at the peak no more than %s lie together, in %u "
                   "holes of a pool of %s (%.0f %% lost).",
                   map->n_holes),
      all_free, largest, map->n_holes, pool, 100 * one->share);
  one->remedy =
      one->node != NULL
          ? g_strdup_printf (_ ("Make values of fewer sizes, so that one takes the place of "
                                "another: %s fits into none of the holes."),
                             one->node)
          : g_strdup (_ ("Make values of fewer sizes, so that one takes the place of another."));
}

void
sluice_bottlenecks_look_at_memory (SluiceBottlenecks *self)
{
  look_at_growth (self);
  look_at_late (self);
  look_at_pieces (self);
}
