/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/measured.h"

#include <math.h>
#include <string.h>

#include "engine/cost/measured-private.h"

/* Families of what is no node's. */
static const char *const overheads[SLUICE_N_OVERHEADS] = { "(between)", "(wake)", "(give)",
                                                           "(news)" };
/* A way in which so small a part of the samples ran does not widen the figure. */
#define RARE 0.05

/* ---- the table ---- */

static guint
hash_entry (gconstpointer entry)
{
  const SluiceMeasuredEntry *self = entry;
  return (g_str_hash (self->family) * 31 + g_str_hash (self->shapes)) * 31
         + g_str_hash (self->device);
}

static gboolean
equal_entries (gconstpointer a, gconstpointer b)
{
  const SluiceMeasuredEntry *x = a, *y = b;
  return g_str_equal (x->shapes, y->shapes) && g_str_equal (x->family, y->family)
         && g_str_equal (x->device, y->device);
}

static void
free_entry (gpointer entry)
{
  SluiceMeasuredEntry *self = entry;
  for (guint how = 0; how < SLUICE_MEASURED_NOT_RUN; how++)
    {
      g_free (self->kept[how]);
      g_free (self->fresh[how]);
    }
  g_free (self->device);
  g_free (self->family);
  g_free (self->shapes);
  g_free (self);
}

SluiceMeasured *
sluice_measured_new (void)
{
  SluiceMeasured *self = g_new0 (SluiceMeasured, 1);
  self->entries = g_hash_table_new_full (hash_entry, equal_entries, free_entry, NULL);
  self->families =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
sluice_measured_free (SluiceMeasured *self)
{
  g_hash_table_unref (self->families);
  g_hash_table_unref (self->entries);
  g_hash_table_unref (self->names);
  g_free (self->device_options);
  g_free (self);
}

void
sluice_measured_set_options (SluiceMeasured *self, const char *device_options)
{
  char *options =
      device_options != NULL ? g_strdelimit (g_strdup (device_options), "\t\n\r", ' ') : NULL;
  g_free (self->device_options);
  self->device_options = options;
  g_hash_table_remove_all (self->names);
}

static const char *
short_name (const char *name)
{
  const char *last = strstr (name, "device:");
  return last != NULL ? last + strlen ("device:") : name;
}

const char *
sluice_measured_name_device (SluiceMeasured *self, const char *name)
{
  const char *known = g_hash_table_lookup (self->names, name), *own = short_name (name);
  if (known != NULL)
    return known;
  char *kept = g_str_has_prefix (own, "CPU:") ? g_strdup ("CPU")
               : self->device_options != NULL ? g_strconcat (own, " ", self->device_options, NULL)
                                              : g_strdup (own);
  g_hash_table_insert (self->names, g_strdup (name), kept);
  return kept;
}

static char *
dup_family (const char *device, const char *family)
{
  return g_strconcat (device, "\t", family, NULL);
}

static SluiceMeasuredEntry *
find_texts (const SluiceMeasured *self, const char *device, const char *family, const char *shapes)
{
  const SluiceMeasuredEntry wanted = { .device = (char *) device,
                                       .family = (char *) family,
                                       .shapes = (char *) shapes };
  return g_hash_table_lookup (self->entries, &wanted);
}

static void
add_to_family (SluiceMeasured *self, SluiceMeasuredEntry *entry)
{
  char *family = dup_family (entry->device, entry->family);
  GPtrArray *list = g_hash_table_lookup (self->families, family);
  if (list == NULL)
    g_hash_table_insert (self->families, family, list = g_ptr_array_new ());
  else
    g_free (family);
  g_ptr_array_add (list, entry);
}

SluiceMeasuredEntry *
sluice_measured_open_texts (SluiceMeasured *self,
                            const char *device,
                            const char *family,
                            const char *shapes,
                            SluiceCost cost)
{
  SluiceMeasuredEntry *entry = find_texts (self, device, family, shapes);
  if (entry == NULL)
    {
      entry = g_new0 (SluiceMeasuredEntry, 1);
      entry->device = g_strdup (device);
      entry->family = g_strdup (family);
      entry->shapes = g_strdup (shapes);
      entry->cost = cost;
      g_hash_table_add (self->entries, entry);
      add_to_family (self, entry);
    }
  return entry;
}

SluiceMeasuredEntry *
sluice_measured_open (SluiceMeasured *self, const char *device, const SluiceCostKey *key)
{
  return sluice_measured_open_texts (self, sluice_measured_name_device (self, device), key->family,
                                     key->shapes, key->cost);
}

static guint32
add_bounded (guint32 a, guint32 b)
{
  return (guint32) MIN ((guint64) a + b, SLUICE_SKETCH_MOST);
}

void
sluice_measured_entry_add (SluiceMeasuredEntry *entry,
                           SluiceMeasuredHow how,
                           double ns,
                           guint32 times)
{
  if (how == SLUICE_MEASURED_NOT_RUN)
    {
      entry->fresh_not_run = add_bounded (entry->fresh_not_run, times);
      return;
    }
  if (entry->fresh[how] == NULL)
    entry->fresh[how] = g_new0 (SluiceSketch, 1);
  sluice_sketch_add_times (entry->fresh[how], ns, times);
}

/* ---- asking ---- */

gboolean
sluice_measured_entry_get_times (const SluiceMeasuredEntry *entry,
                                 SluiceMeasuredHow how,
                                 SluiceSketch *times)
{
  *times = (SluiceSketch){ 0 };
  if (entry->kept[how] != NULL)
    *times = *entry->kept[how];
  if (entry->fresh[how] != NULL)
    sluice_sketch_merge (times, entry->fresh[how]);
  return times->weight > 0;
}

guint32
sluice_measured_entry_get_not_run (const SluiceMeasuredEntry *entry)
{
  return add_bounded (entry->kept_not_run, entry->fresh_not_run);
}

static gboolean
has_run (const SluiceMeasuredEntry *entry)
{
  for (guint how = 0; how < SLUICE_MEASURED_NOT_RUN; how++)
    if (entry->kept[how] != NULL || entry->fresh[how] != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
has_samples (const SluiceMeasuredEntry *entry)
{
  return has_run (entry) || sluice_measured_entry_get_not_run (entry) > 0;
}

const SluiceMeasuredEntry *
sluice_measured_find (SluiceMeasured *self, const char *device, const SluiceCostKey *key)
{
  const SluiceMeasuredEntry *entry =
      find_texts (self, sluice_measured_name_device (self, device), key->family, key->shapes);
  return entry != NULL && has_samples (entry) ? entry : NULL;
}

/* How far apart two costs are: sum of the logarithms of their factors. INFINITY: one is unknown */
static double
distance (const SluiceCost *a, const SluiceCost *b)
{
  if (a->bytes <= 0 || b->bytes <= 0)
    return INFINITY;
  return fabs (log (a->bytes / b->bytes)) + fabs (log ((a->flops + 1) / (b->flops + 1)));
}

const SluiceMeasuredEntry *
sluice_measured_find_near (SluiceMeasured *self, const char *device, const SluiceCostKey *key)
{
  g_autofree char *family = dup_family (sluice_measured_name_device (self, device), key->family);
  const GPtrArray *list = g_hash_table_lookup (self->families, family);
  const SluiceMeasuredEntry *nearest = NULL;
  double least = INFINITY;
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const SluiceMeasuredEntry *entry = list->pdata[i];
      double far = distance (&entry->cost, &key->cost);
      if (far < least && has_run (entry))
        {
          nearest = entry;
          least = far;
        }
    }
  return nearest;
}

void
sluice_measured_entry_get (const SluiceMeasuredEntry *entry, SluiceMeasuredFigure *figure)
{
  SluiceSketch times[SLUICE_MEASURED_NOT_RUN];
  const SluiceSketch *most = NULL;
  guint32 not_run = sluice_measured_entry_get_not_run (entry);
  double weight = not_run;
  *figure =
      (SluiceMeasuredFigure){ .cost = entry->cost, .n = not_run, .how = SLUICE_MEASURED_NOT_RUN };
  for (guint how = 0; how < SLUICE_MEASURED_NOT_RUN; how++)
    {
      if (!sluice_measured_entry_get_times (entry, how, &times[how]))
        continue;
      weight += times[how].weight;
      figure->n += times[how].n;
      if (most != NULL && times[how].weight <= most->weight)
        continue;
      most = &times[how];
      figure->how = how;
    }
  if (most != NULL && most->weight >= not_run)
    {
      figure->us = sluice_sketch_get (most, 0.5) / 1000;
      figure->p95 = sluice_sketch_get (most, 0.95) / 1000;
      figure->mean_us = sluice_sketch_get_mean (most, 0.95) / 1000;
    }
  else
    figure->how = SLUICE_MEASURED_NOT_RUN;
  if (not_run >= RARE * weight)
    figure->plus_minus = figure->us;
  for (guint how = 0; how < SLUICE_MEASURED_NOT_RUN; how++)
    if (times[how].weight >= MAX (RARE * weight, 1))
      for (guint end = 0; end < 2; end++)
        figure->plus_minus =
            fmax (figure->plus_minus,
                  fabs (sluice_sketch_get (&times[how], end ? 0.95 : 0.05) / 1000 - figure->us));
}

/* ---- overheads ---- */

SluiceMeasuredEntry *
sluice_measured_open_overhead (SluiceMeasured *self, const char *device, SluiceOverhead overhead)
{
  return sluice_measured_open_texts (self, sluice_measured_name_device (self, device),
                                     overheads[overhead], "", (SluiceCost){ 0, 0 });
}

void
sluice_measured_get_overhead (SluiceMeasured *self,
                              const char *device,
                              SluiceOverhead overhead,
                              SluiceMeasuredFigure *figure)
{
  const SluiceMeasuredEntry *entry =
      find_texts (self, sluice_measured_name_device (self, device), overheads[overhead], "");
  *figure = (SluiceMeasuredFigure){ .n = 0 };
  if (entry != NULL)
    sluice_measured_entry_get (entry, figure);
}

/* ---- loops ---- */

/* One round counts as a microsecond. */
#define ROUNDS   "(rounds)"
#define ROUND_NS 1000

void
sluice_measured_add_rounds (SluiceMeasured *self, const char *device, const char *loop, guint n)
{
  sluice_measured_entry_add (sluice_measured_open_texts (self,
                                                         sluice_measured_name_device (self, device),
                                                         ROUNDS, loop, (SluiceCost){ 0, 0 }),
                             SLUICE_MEASURED_ALONE, (double) n * ROUND_NS, 1);
}

double
sluice_measured_get_rounds (SluiceMeasured *self, const char *device, const char *loop)
{
  const SluiceMeasuredEntry *entry =
      find_texts (self, sluice_measured_name_device (self, device), ROUNDS, loop);
  SluiceMeasuredFigure figure;
  if (entry == NULL)
    return 1;
  sluice_measured_entry_get (entry, &figure);
  return fmax (figure.us, 1);
}

/* ---- predictions ---- */

/* A part of a million off counts as a nanosecond. */
#define OFF     "(off)"
#define PART_NS 1e6

void
sluice_measured_add_prediction (SluiceMeasured *self, double predicted_us, double us)
{
  sluice_measured_entry_add (
      sluice_measured_open_texts (self, "CPU", OFF, "", (SluiceCost){ 0, 0 }),
      SLUICE_MEASURED_ALONE, PART_NS * fabs (us / predicted_us - 1), 1);
}

double
sluice_measured_get_off (SluiceMeasured *self)
{
  const SluiceMeasuredEntry *entry = find_texts (self, "CPU", OFF, "");
  SluiceSketch offs;
  if (entry == NULL || !sluice_measured_entry_get_times (entry, SLUICE_MEASURED_ALONE, &offs))
    return NAN;
  return sluice_sketch_get (&offs, 0.9) / PART_NS;
}

/* ---- keeping ---- */

guint
sluice_measured_get_n (const SluiceMeasured *self)
{
  return g_hash_table_size (self->entries);
}

static void
merge_sketch (SluiceSketch **to, const SluiceSketch *from)
{
  if (from == NULL)
    return;
  if (*to == NULL)
    *to = g_new0 (SluiceSketch, 1);
  sluice_sketch_merge (*to, from);
}

void
sluice_measured_entry_keep (SluiceMeasuredEntry *entry,
                            SluiceSketch *const sketches[SLUICE_MEASURED_NOT_RUN],
                            guint32 not_run,
                            gint64 when)
{
  for (guint how = 0; how < SLUICE_MEASURED_NOT_RUN; how++)
    merge_sketch (&entry->kept[how], sketches[how]);
  entry->kept_not_run = add_bounded (entry->kept_not_run, not_run);
  entry->when = MAX (entry->when, when);
}

static gboolean
is_fresh (const SluiceMeasuredEntry *entry)
{
  return entry->fresh_not_run > 0 || entry->fresh[SLUICE_MEASURED_ALONE] != NULL
         || entry->fresh[SLUICE_MEASURED_TOGETHER] != NULL;
}

void
sluice_measured_merge_fresh (SluiceMeasured *self, const SluiceMeasured *other)
{
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  GHashTableIter i;
  gpointer at;
  g_hash_table_iter_init (&i, other->entries);
  while (g_hash_table_iter_next (&i, &at, NULL))
    {
      const SluiceMeasuredEntry *from = at;
      if (is_fresh (from))
        sluice_measured_entry_keep (
            sluice_measured_open_texts (self, from->device, from->family, from->shapes, from->cost),
            from->fresh, from->fresh_not_run, now);
    }
  sluice_measured_trim (self);
}

void
sluice_measured_set_kept (SluiceMeasured *self)
{
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  GHashTableIter i;
  gpointer at;
  g_hash_table_iter_init (&i, self->entries);
  while (g_hash_table_iter_next (&i, &at, NULL))
    {
      SluiceMeasuredEntry *entry = at;
      if (!is_fresh (entry))
        continue;
      sluice_measured_entry_keep (entry, entry->fresh, entry->fresh_not_run, now);
      for (guint how = 0; how < SLUICE_MEASURED_NOT_RUN; how++)
        g_clear_pointer (&entry->fresh[how], g_free);
      entry->fresh_not_run = 0;
    }
}

gboolean
sluice_measured_has_fresh (const SluiceMeasured *self)
{
  GHashTableIter i;
  gpointer at;
  g_hash_table_iter_init (&i, self->entries);
  while (g_hash_table_iter_next (&i, &at, NULL))
    if (is_fresh (at))
      return TRUE;
  return FALSE;
}

static gint64
get_when (const SluiceMeasuredEntry *entry)
{
  return is_fresh (entry) ? G_MAXINT64 : entry->when;
}

static int
compare_newest_first (gconstpointer a, gconstpointer b)
{
  const SluiceMeasuredEntry *x = *(SluiceMeasuredEntry *const *) a;
  const SluiceMeasuredEntry *y = *(SluiceMeasuredEntry *const *) b;
  return (get_when (x) < get_when (y)) - (get_when (x) > get_when (y));
}

void
sluice_measured_trim (SluiceMeasured *self)
{
  if (sluice_measured_get_n (self) <= SLUICE_MEASURED_MOST)
    return;
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer at;
  g_hash_table_iter_init (&iter, self->entries);
  while (g_hash_table_iter_next (&iter, &at, NULL))
    g_ptr_array_add (entries, at);
  g_ptr_array_sort (entries, compare_newest_first);
  g_hash_table_remove_all (self->families);
  for (guint i = 0; i < entries->len; i++)
    if (i < SLUICE_MEASURED_MOST)
      add_to_family (self, entries->pdata[i]);
    else
      g_hash_table_remove (self->entries, entries->pdata[i]);
}
