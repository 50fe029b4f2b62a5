/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Who holds what at a moment and what that could be spared, what was held for too long, and who
 * holds more from step to step. */
#include "engine/trace/memory-view-private.h"

static guint64
key_of (SluiceOwner owner)
{
  return (guint64) owner.node << 8 | owner.memory_class;
}

/* ---- at a moment ---- */

static int
compare_holdings (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryHolding *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return key_of (x->owner) < key_of (y->owner) ? -1 : key_of (x->owner) > key_of (y->owner);
}

/* Owners and what they have. (transfer full) (element-type SluiceMemoryHolding) */
static GArray *
sum_up (const SluiceMemoryView *view, guint moment)
{
  GArray *holdings = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryHolding));
  g_autoptr (GHashTable) numbers =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < view->bands->len; i++)
    {
      const SluiceMemoryBand *band = sluice_memory_view_band_at (view, i);
      if (!sluice_memory_band_is_live (band, moment))
        continue;
      guint64 key = key_of (band->owner);
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, &key));
      if (number == 0)
        {
          const SluiceMemoryHolding holding = { .owner = band->owner, .band = i };
          g_array_append_val (holdings, holding);
          number = holdings->len;
          g_hash_table_insert (numbers, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (number));
        }
      SluiceMemoryHolding *holding = &g_array_index (holdings, SluiceMemoryHolding, number - 1);
      holding->bytes += band->bytes;
      holding->n_blocks++;
      if (band->bytes > sluice_memory_view_band_at (view, holding->band)->bytes)
        holding->band = i;
    }
  return holdings;
}

/* How much lower the peak would be if that band ended with its last use. */
static gsize
find_gain (const SluiceMemoryView *view, const SluiceMemoryBand *band)
{
  guint from = sluice_memory_view_find_moment (view, band->used);
  gsize peak = 0;
  for (guint m = view->n_initial; m <= view->n_records; m++)
    peak = MAX (peak, view->live[m] - (m > from && m < band->end ? band->bytes : 0));
  return view->live[sluice_memory_view_get_peak (view)] - peak;
}

static void
find_help (const SluiceMemoryView *view, guint moment, SluiceMemoryHolding *holding)
{
  const SluiceMemoryBand *band = sluice_memory_view_band_at (view, holding->band);
  gint64 now = sluice_memory_view_get_time (view, moment), next = G_MAXINT64;
  guint n;
  const guint *readings = sluice_memory_view_get_readings (view, holding->band, &n);
  gboolean is_read = FALSE;
  for (guint i = 0; i < n; i++)
    {
      const SluiceMemoryRun *run = sluice_memory_view_get_run (view, readings[i]);
      is_read |= run->start <= now && now <= run->end;
      if (run->start > now)
        next = MIN (next, run->start);
    }
  if (band->stays)
    holding->help = SLUICE_HELP_KEPT;
  else if (n == 0 || is_read || now <= band->ready)
    holding->help = SLUICE_HELP_NONE;
  else if (next < G_MAXINT64)
    {
      holding->help = SLUICE_HELP_WAITS;
      holding->until = next;
    }
  else if (band->used < now && (holding->gain = find_gain (view, band)) > 0)
    holding->help = SLUICE_HELP_AT_ONCE;
}

GArray *
sluice_memory_view_dup_holdings (const SluiceMemoryView *self, guint moment)
{
  GArray *holdings = sum_up (self, moment);
  g_array_sort (holdings, compare_holdings);
  for (guint i = 0; i < holdings->len; i++)
    find_help (self, moment, &g_array_index (holdings, SluiceMemoryHolding, i));
  return holdings;
}

/* ---- freed late ---- */

static int
compare_waste (gconstpointer a, gconstpointer b, gpointer data)
{
  const SluiceMemoryBand *x = sluice_memory_view_band_at (data, *(const guint *) a);
  const SluiceMemoryBand *y = sluice_memory_view_band_at (data, *(const guint *) b);
  double p = (double) x->bytes * (double) x->waste, q = (double) y->bytes * (double) y->waste;
  if (p != q)
    return p > q ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

GArray *
sluice_memory_view_dup_late (const SluiceMemoryView *self)
{
  GArray *late = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < self->bands->len; i++)
    if (sluice_memory_view_band_at (self, i)->waste > 0)
      g_array_append_val (late, i);
  g_array_sort_with_data (late, compare_waste, (gpointer) self);
  return late;
}

/* ---- over steps ---- */

/* What stays behind a step: key -> SluiceMemoryHolding of the array. */
static GHashTable *
index_holdings (GArray *holdings)
{
  GHashTable *index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < holdings->len; i++)
    {
      SluiceMemoryHolding *holding = &g_array_index (holdings, SluiceMemoryHolding, i);
      guint64 key = key_of (holding->owner);
      g_hash_table_insert (index, g_memdup2 (&key, sizeof key), holding);
    }
  return index;
}

static int
compare_growth (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryGrowth *x = a, *y = b;
  gsize p = x->last - x->first, q = y->last - y->first;
  if (p != q)
    return p > q ? -1 : 1;
  return key_of (x->owner) < key_of (y->owner) ? -1 : 1;
}

static gsize
bytes_of (GHashTable *index, guint64 key)
{
  const SluiceMemoryHolding *holding = g_hash_table_lookup (index, &key);
  return holding != NULL ? holding->bytes : 0;
}

GArray *
sluice_memory_find_growth (SluiceMemoryView *const *views, guint n)
{
  GArray *grown = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryGrowth));
  g_autoptr (GPtrArray) holdings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GPtrArray) indexes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (holdings, sum_up (views[i], views[i]->n_records));
      g_ptr_array_add (indexes, index_holdings (holdings->pdata[i]));
    }
  const GArray *last = n >= 3 ? holdings->pdata[n - 1] : NULL;
  for (guint k = 0; last != NULL && k < last->len; k++)
    {
      const SluiceMemoryHolding *holding = &g_array_index (last, SluiceMemoryHolding, k);
      guint64 key = key_of (holding->owner);
      guint i = 1;
      while (i < n && bytes_of (indexes->pdata[i], key) > bytes_of (indexes->pdata[i - 1], key))
        i++;
      const SluiceMemoryGrowth growth = { holding->owner, bytes_of (indexes->pdata[0], key),
                                          holding->bytes, holding->band };
      if (i == n)
        g_array_append_val (grown, growth);
    }
  g_array_sort (grown, compare_growth);
  return grown;
}
