/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/memory-view.h"

#include <string.h>

#include "engine/trace/memory-view-private.h"

#define N_SHARDS 256

/* While the records are gone through, one after the other. */
typedef struct
{
  SluiceMemoryView *view;
  GHashTable *bands;                      /* address -> number + 1 of the one that is live there */
  GHashTable *places;                     /* the same of places */
  gsize (*sums)[SLUICE_N_MEMORY_CLASSES]; /* by shard: over the owners */
} Reading;

static guint
lookup (GHashTable *numbers, guint64 address)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (numbers, &address));
}

static void
keep (GHashTable *numbers, guint64 address, guint number)
{
  g_hash_table_insert (numbers, g_memdup2 (&address, sizeof address), GUINT_TO_POINTER (number));
}

static const SluiceAllocationRecord *
record_at (const SluiceMemoryView *self, guint i)
{
  return &self->tape->log->records[i];
}

static void
add_place (Reading *reading, const SluiceAllocationRecord *record, guint moment)
{
  SluiceMemoryView *view = reading->view;
  const SluiceMemoryPlace place = { record->address, record->given, moment, G_MAXUINT };
  g_array_append_val (view->places, place);
  keep (reading->places, record->address, view->places->len);
  view->reserved[moment] += record->given;
}

static void
end_place (Reading *reading, const SluiceAllocationRecord *record, guint moment)
{
  guint number = lookup (reading->places, record->address);
  if (number == 0)
    return; /* it was on its way back when the recording began */
  g_array_index (reading->view->places, SluiceMemoryPlace, number - 1).end = moment;
  reading->view->reserved[moment] -= record->given;
  g_hash_table_remove (reading->places, &record->address);
}

static guint
add_band (Reading *reading, const SluiceAllocationRecord *record, guint moment, guint before)
{
  SluiceMemoryView *view = reading->view;
  guint number = view->bands->len;
  SluiceMemoryBand band = {
    .address = record->address,
    .bytes = record->bytes,
    .given = record->given,
    .owner = record->owner,
    .label = record->label,
    .made = sluice_memory_tape_get_time (view->tape, moment - 1),
    .freed = view->end,
    .begin = moment,
    .end = G_MAXUINT,
    .was_before = moment <= view->n_initial,
    .stays = TRUE,
    .before = before,
    .after = SLUICE_BAND_NONE,
    .freer = SLUICE_BAND_NONE,
  };
  if (before != SLUICE_BAND_NONE)
    {
      SluiceMemoryBand *old = sluice_memory_view_band_at (view, before);
      old->after = number;
      band.rank = old->rank;
    }
  else if (!band.was_before)
    band.rank = view->n_ranks++;
  g_array_append_val (view->bands, band);
  keep (reading->bands, record->address, number + 1);
  return number;
}

static void
end_band (Reading *reading, guint number, guint moment)
{
  SluiceMemoryBand *band = sluice_memory_view_band_at (reading->view, number);
  band->end = moment;
  band->freed = sluice_memory_tape_get_time (reading->view->tape, moment - 1);
  band->stays = FALSE;
}

/* What a record about a block does. Returns: FALSE where there is no such block */
static gboolean
follow_block (Reading *reading, const SluiceAllocationRecord *record, guint moment)
{
  SluiceMemoryView *view = reading->view;
  gsize *sums = reading->sums[record->shard];
  guint number = lookup (reading->bands, record->address);
  if ((record->kind == SLUICE_ALLOCATION_MADE) != (number == 0))
    return FALSE;
  guint before = number > 0 ? number - 1 : SLUICE_BAND_NONE;
  if (number > 0)
    {
      sums[sluice_memory_view_band_at (view, before)->owner.memory_class] -= record->bytes;
      end_band (reading, before, moment);
    }
  if (record->kind == SLUICE_ALLOCATION_FREED)
    {
      g_hash_table_remove (reading->bands, &record->address);
      view->live[moment] -= record->bytes;
      view->band_of[moment - 1] = before;
    }
  else
    {
      sums[record->owner.memory_class] += record->bytes;
      view->band_of[moment - 1] = add_band (reading, record, moment, before);
    }
  if (record->kind == SLUICE_ALLOCATION_MADE)
    {
      view->live[moment] += record->bytes;
      if (lookup (reading->places, record->address) == 0)
        add_place (reading, record, moment);
    }
  return sums[record->owner.memory_class] == record->counted;
}

static void
follow (Reading *reading, guint i)
{
  SluiceMemoryView *view = reading->view;
  const SluiceAllocationRecord *record = record_at (view, i);
  guint moment = i + 1;
  view->live[moment] = view->live[i];
  view->reserved[moment] = view->reserved[i];
  view->band_of[i] = SLUICE_BAND_NONE;
  if (record->kind == SLUICE_ALLOCATION_RESERVED)
    add_place (reading, record, moment);
  else if (record->kind == SLUICE_ALLOCATION_RETURNED)
    end_place (reading, record, moment);
  else if (record->kind != SLUICE_ALLOCATION_REFUSED)
    view->n_wrong += !follow_block (reading, record, moment);
  if (view->live[moment] > view->live[view->peak])
    view->peak = moment;
}

/* What stays for long lies at the floor, the largest lowest. */
static int
compare_floor (gconstpointer a, gconstpointer b, gpointer data)
{
  static const guint8 heights[SLUICE_N_MEMORY_CLASSES] = {
    [SLUICE_MEMORY_PARAMETER] = 0, [SLUICE_MEMORY_OPTIMIZER] = 1,  [SLUICE_MEMORY_OTHER] = 2,
    [SLUICE_MEMORY_QUEUE] = 3,     [SLUICE_MEMORY_ARRAY] = 4,      [SLUICE_MEMORY_STACK] = 5,
    [SLUICE_MEMORY_TRANSFER] = 6,  [SLUICE_MEMORY_ACTIVATION] = 7, [SLUICE_MEMORY_GRADIENT] = 8,
    [SLUICE_MEMORY_TEMPORARY] = 9, [SLUICE_MEMORY_WORKSPACE] = 10
  };
  const SluiceMemoryView *view = data;
  const SluiceMemoryBand *x = sluice_memory_view_band_at (view, *(const guint *) a);
  const SluiceMemoryBand *y = sluice_memory_view_band_at (view, *(const guint *) b);
  if (x->owner.memory_class != y->owner.memory_class)
    return heights[x->owner.memory_class] - heights[y->owner.memory_class];
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->begin < y->begin ? -1 : 1;
}

static void
lay_floor (SluiceMemoryView *self)
{
  for (guint i = 0; i < self->bands->len; i++)
    g_array_append_val (self->floor, i);
  g_array_sort_with_data (self->floor, compare_floor, self);
  for (guint i = 0; i < self->floor->len; i++)
    sluice_memory_view_band_at (self, g_array_index (self->floor, guint, i))->rank = i;
  self->n_ranks = self->floor->len;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryPlace *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

SluiceMemoryView *
sluice_memory_view_new (SluiceMemoryTape *tape)
{
  SluiceMemoryView *self = g_new0 (SluiceMemoryView, 1);
  const SluiceAllocationLog *log = tape->log;
  self->tape = sluice_memory_tape_ref (tape);
  self->bands = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryBand));
  self->places = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryPlace));
  self->floor = g_array_new (FALSE, FALSE, sizeof (guint));
  self->readings = g_array_new (FALSE, FALSE, sizeof (guint));
  self->n_records = (guint) log->n_records;
  self->band_of = g_new (guint, self->n_records + 1);
  self->live = g_new0 (gsize, self->n_records + 1);
  self->reserved = g_new0 (gsize, self->n_records + 1);
  /* Of what is missing nothing is said. */
  self->end = log->n_lost > 0 && self->n_records > 0
                  ? sluice_memory_tape_get_time (tape, self->n_records - 1)
                  : tape->length;
  while (self->n_initial < self->n_records
         && record_at (self, self->n_initial)->ticks == log->begin_ticks)
    self->n_initial++;
  g_autofree gpointer sums = g_malloc0 (sizeof (gsize[N_SHARDS][SLUICE_N_MEMORY_CLASSES]));
  Reading reading = { self, g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
                      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL), sums };
  for (guint i = 0; i < self->n_initial; i++)
    follow (&reading, i);
  lay_floor (self);
  for (guint i = self->n_initial; i < self->n_records; i++)
    follow (&reading, i);
  g_hash_table_unref (reading.bands);
  g_hash_table_unref (reading.places);
  g_array_sort (self->places, compare_places);
  sluice_memory_view_find_uses (self);
  return self;
}

void
sluice_memory_view_free (SluiceMemoryView *self)
{
  sluice_memory_tape_unref (self->tape);
  g_array_unref (self->bands);
  g_array_unref (self->places);
  g_array_unref (self->floor);
  g_array_unref (self->readings);
  g_free (self->band_of);
  g_free (self->live);
  g_free (self->reserved);
  g_free (self);
}

/* ---- asking ---- */

SluiceMemoryTape *
sluice_memory_view_get_tape (const SluiceMemoryView *self)
{
  return self->tape;
}

guint64
sluice_memory_view_get_n_wrong (const SluiceMemoryView *self)
{
  return self->n_wrong;
}

guint
sluice_memory_view_get_n_bands (const SluiceMemoryView *self)
{
  return self->bands->len;
}

const SluiceMemoryBand *
sluice_memory_view_get_band (const SluiceMemoryView *self, guint band)
{
  return sluice_memory_view_band_at (self, band);
}

const guint *
sluice_memory_view_get_readings (const SluiceMemoryView *self, guint number, guint *n)
{
  const SluiceMemoryBand *band = sluice_memory_view_band_at (self, number);
  *n = band->n_readings;
  return (const guint *) self->readings->data + band->first_reading;
}

const SluiceMemoryRun *
sluice_memory_view_get_run (const SluiceMemoryView *self, guint run)
{
  return &g_array_index (self->tape->runs, SluiceMemoryRun, run);
}

const char *
sluice_memory_view_get_name (const SluiceMemoryView *self, guint32 node)
{
  const SluiceMemoryNode *named = sluice_memory_tape_get_node (self->tape, node);
  return named != NULL ? named->name : NULL;
}

guint
sluice_memory_view_find_node (const SluiceMemoryView *self, const char *name)
{
  guint found = SLUICE_BAND_NONE;
  for (guint i = 0; name != NULL && i < self->bands->len; i++)
    {
      const SluiceMemoryBand *band = sluice_memory_view_band_at (self, i);
      if (g_strcmp0 (sluice_memory_view_get_name (self, band->owner.node), name) == 0
          && (found == SLUICE_BAND_NONE
              || band->bytes > sluice_memory_view_band_at (self, found)->bytes))
        found = i;
    }
  return found;
}

guint
sluice_memory_view_find_moment (const SluiceMemoryView *self, gint64 time)
{
  guint from = self->n_initial, to = self->n_records;
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      if (sluice_memory_tape_get_time (self->tape, middle) <= time)
        from = middle + 1;
      else
        to = middle;
    }
  return from;
}

gint64
sluice_memory_view_get_time (const SluiceMemoryView *self, guint moment)
{
  return moment > 0 ? sluice_memory_tape_get_time (self->tape, moment - 1) : 0;
}

guint
sluice_memory_view_get_peak (const SluiceMemoryView *self)
{
  return MAX (self->peak, self->n_initial);
}

guint
sluice_memory_view_get_n_moments (const SluiceMemoryView *self)
{
  return self->n_records + 1;
}

gsize
sluice_memory_view_get_live (const SluiceMemoryView *self, guint moment)
{
  return self->live[moment];
}

gsize
sluice_memory_view_get_reserved (const SluiceMemoryView *self, guint moment)
{
  return self->reserved[moment];
}

const SluiceAllocationRecord *
sluice_memory_view_get_refusal (const SluiceMemoryView *self, guint *moment)
{
  for (guint i = self->n_records; i-- > self->n_initial;)
    if (record_at (self, i)->kind == SLUICE_ALLOCATION_REFUSED)
      {
        *moment = i + 1;
        return record_at (self, i);
      }
  return NULL;
}

void
sluice_memory_view_sum_classes (const SluiceMemoryView *self,
                                guint moment,
                                gsize bytes[SLUICE_N_MEMORY_CLASSES])
{
  memset (bytes, 0, SLUICE_N_MEMORY_CLASSES * sizeof *bytes);
  for (guint i = 0; i < self->bands->len; i++)
    {
      const SluiceMemoryBand *band = sluice_memory_view_band_at (self, i);
      if (sluice_memory_band_is_live (band, moment))
        bytes[band->owner.memory_class] += band->bytes;
    }
}
