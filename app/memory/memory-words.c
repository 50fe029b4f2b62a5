/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/memory/memory-words.h"

#include <glib/gi18n.h>

#include "engine/passes/graph-workload.h"
#include "ui/chart/ticks.h"
#include "ui/timeline/memory-draw.h"

static char *
dup_node (const SluiceMemoryView *view, guint32 node)
{
  return sluice_memory_dup_name (view, (SluiceOwner){ node, SLUICE_MEMORY_OTHER });
}

char *
sluice_memory_words_freer (const SluiceMemoryView *view, guint number)
{
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
  gboolean is_failure = sluice_memory_view_get_tape (view)->is_failure;
  if (band->stays && !is_failure)
    return g_strdup (_ ("the session keeps it"));
  if (is_failure || band->freer == SLUICE_BAND_NONE)
    return g_strdup ("–");
  return dup_node (view, sluice_memory_view_get_run (view, band->freer)->node);
}

char *
sluice_memory_words_choice (const SluiceMemoryChoice *choice)
{
  g_autofree char *bytes = sluice_memory_format_bytes (choice->bytes);
  g_autofree char *time = sluice_graph_workload_dup_time (choice->us);
  return choice->decision.kind == SLUICE_FIT_SWAP
             ? g_strdup_printf (_ ("swap −%s +%s"), bytes, time)
             : g_strdup_printf (_ ("recompute −%s +%s"), bytes, time);
}

/* "alive 0.95 ms to 3.80 ms" */
static char *
dup_life (const SluiceMemoryView *view, const SluiceMemoryBand *band)
{
  g_autofree char *made = sluice_memory_format_time (view, band->made);
  g_autofree char *freed = sluice_memory_format_time (view, band->freed);
  if (sluice_memory_view_get_tape (view)->is_failure)
    return g_strdup (_ ("alive when the request was refused"));
  if (band->was_before && band->stays)
    return g_strdup (_ ("alive all the time"));
  if (band->stays)
    return g_strdup_printf (_ ("alive from %s, and stays"), made);
  return g_strdup_printf (_ ("alive from %s to %s"), made, freed);
}

char *
sluice_memory_words_band (const SluiceMemoryView *view, guint number)
{
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
  g_autofree char *name = sluice_memory_dup_name (view, band->owner);
  g_autofree char *bytes = sluice_memory_format_bytes ((double) band->bytes);
  g_autofree char *label = sluice_memory_format_label (&band->label);
  g_autofree char *life = dup_life (view, band);
  GString *words = g_string_new (NULL);
  guint n;
  sluice_memory_view_get_readings (view, number, &n);
  g_string_printf (words, "%s, %s, %s", name, sluice_memory_class_words (band->owner.memory_class),
                   bytes);
  if (label != NULL)
    g_string_append_printf (words, ", %s", label);
  g_string_append_printf (words, "; %s", life);
  if (n > 0)
    {
      g_string_append (words, ", ");
      g_string_append_printf (words, ngettext ("read %u time", "read %u times", n), n);
    }
  if (!band->stays && band->freer != SLUICE_BAND_NONE)
    {
      g_autofree char *freer = sluice_memory_words_freer (view, number);
      g_string_append (words, ", ");
      g_string_append_printf (words, band->waste > 0 ? _ ("held until %s") : _ ("freed by %s"),
                              freer);
    }
  return g_string_free (words, FALSE);
}

/* Bytes at the peak that no node has. */
static gsize
count_nobodys (const SluiceMemoryView *view)
{
  guint peak = sluice_memory_view_get_peak (view);
  gsize bytes = 0;
  for (guint i = 0; i < sluice_memory_view_get_n_bands (view); i++)
    {
      const SluiceMemoryBand *band = sluice_memory_view_get_band (view, i);
      if (band->owner.node == 0 && band->begin <= peak && peak < band->end)
        bytes += band->bytes;
    }
  return bytes;
}

char *
sluice_memory_words_sum (const SluiceMemoryView *view, gboolean *is_whole)
{
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  gsize peak = sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view));
  gsize nobodys = count_nobodys (view);
  guint64 n_wrong = sluice_memory_view_get_n_wrong (view);
  g_autofree char *bytes = sluice_format_step ((gint64) peak);
  *is_whole = n_wrong == 0 && nobodys == 0 && tape->log->n_lost == 0;
  if (tape->log->n_lost > 0)
    {
      g_autofree char *kept = sluice_format_step ((gint64) tape->log->n_records);
      g_autofree char *lost = sluice_format_step ((gint64) tape->log->n_lost);
      return g_strdup_printf (_ ("Cut: %s events are kept, %s came after them"), kept, lost);
    }
  if (n_wrong > 0)
    {
      g_autofree char *wrong = sluice_format_step ((gint64) n_wrong);
      return g_strdup_printf (_ ("The allocator counts otherwise at %s events"), wrong);
    }
  if (nobodys == 0)
    return g_strdup_printf (_ ("%s bytes at the peak, every one has an owner"), bytes);
  g_autofree char *others = sluice_format_step ((gint64) nobodys);
  return g_strdup_printf (_ ("%s bytes at the peak, %s of them of no node"), bytes, others);
}

char *
sluice_memory_words_map (const SluiceMemoryMap *map)
{
  g_autofree char *pool = sluice_memory_format_bytes ((double) map->pool);
  g_autofree char *live = sluice_memory_format_bytes ((double) map->live);
  g_autofree char *free = sluice_memory_format_bytes ((double) map->free);
  g_autofree char *largest = sluice_memory_format_bytes ((double) map->largest);
  g_autofree char *share =
      sluice_format_tick (sluice_memory_map_get_fragmentation (map), 0.01, SLUICE_UNIT_PERCENT);
  if (map->n_holes == 0)
    return g_strdup_printf (_ ("pool %s · live %s · no hole"), pool, live);
  return g_strdup_printf (
      ngettext ("pool %s · live %s · free %s in %u hole, largest %s · fragmentation %s",
                "pool %s · live %s · free %s in %u holes, largest %s · fragmentation %s",
                map->n_holes),
      pool, live, free, map->n_holes, largest, share);
}

char *
sluice_memory_words_help (const SluiceMemoryView *view, const SluiceMemoryHolding *holding)
{
  g_autofree char *gain = sluice_memory_format_bytes ((double) holding->gain);
  g_autofree char *until = sluice_memory_format_time (view, holding->until);
  if (sluice_memory_view_get_tape (view)->is_failure)
    return g_strdup ("–");
  switch (holding->help)
    {
    case SLUICE_HELP_AT_ONCE:
      return g_strdup_printf (_ ("free at its last use −%s"), gain);
    case SLUICE_HELP_WAITS:
      return g_strdup_printf (_ ("not used until %s"), until);
    case SLUICE_HELP_KEPT:
      return g_strdup (_ ("stays for the next step"));
    case SLUICE_HELP_NONE:
      break;
    }
  return g_strdup (_ ("in use then: nothing to gain"));
}

char *
sluice_memory_words_refusal (const SluiceMemoryView *view)
{
  guint moment;
  const SluiceAllocationRecord *refusal = sluice_memory_view_get_refusal (view, &moment);
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  if (refusal == NULL)
    return NULL;
  g_autofree char *name = sluice_memory_dup_name (view, refusal->owner);
  g_autofree char *wanted = sluice_memory_format_bytes ((double) refusal->bytes);
  g_autofree char *live = sluice_memory_format_bytes ((double) refusal->counted);
  g_autofree char *limit = sluice_memory_format_bytes ((double) tape->limit);
  g_autofree char *enough =
      sluice_memory_format_bytes ((double) (refusal->counted + refusal->bytes));
  return g_strdup_printf (_ ("%s had no %s for %s: %s of %s were in use. %s would have done."),
                          tape->device, wanted, name, live, limit, enough);
}

char *
sluice_memory_words_late (const SluiceMemoryView *view, guint number)
{
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
  g_autofree char *waste = sluice_memory_format_time (view, band->waste);
  g_autofree char *freer = sluice_memory_words_freer (view, number);
  return g_strdup_printf (_ ("%s after its last use, held until %s ended"), waste, freer);
}

char *
sluice_memory_words_growth (const SluiceMemoryView *view, const SluiceMemoryGrowth *growth)
{
  g_autofree char *first = sluice_memory_format_bytes ((double) growth->first);
  g_autofree char *last = sluice_memory_format_bytes ((double) growth->last);
  return g_strdup_printf (_ ("%s, from %s to %s"),
                          sluice_memory_class_words (growth->owner.memory_class), first, last);
}
