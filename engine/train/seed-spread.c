/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/seed-spread.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/train/experiment.h"

#define MACHINE "system/"

void
sluice_run_result_diff_free (SluiceRunResultDiff *self)
{
  g_free (self->tag);
  g_free (self->values);
  g_free (self->means);
  g_free (self->why);
  g_free (self);
}

/* ---- experiments ---- */

/* What runs that differ by their seed alone have in common; one of which too little is known has it
 * alone. (transfer full) */
static char *
dup_experiment (const SluiceRunEntry *entry)
{
  guint64 seed;
  char *key = sluice_experiment_dup_key (entry->info, entry->settings, &seed);
  return key != NULL ? key : g_strdup_printf ("#%" G_GINT64_FORMAT, entry->info->id);
}

typedef struct
{
  GPtrArray *runs;     /* of SluiceRunEntry: no seed twice */
  GPtrArray *compared; /* of SluiceRunEntry: those of the compared runs that are of it */
} Experiment;

static void
experiment_free (gpointer data)
{
  Experiment *self = data;
  g_ptr_array_unref (self->runs);
  g_ptr_array_unref (self->compared);
  g_free (self);
}

static gboolean
has_seed (const Experiment *self, guint64 seed)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (((const SluiceRunEntry *) self->runs->pdata[i])->info->seed == seed)
      return TRUE;
  return FALSE;
}

/* Of the compared runs, by key; and which settings are worth a closer look. */
static void
add_experiments (GPtrArray *experiments,
                 GHashTable *by_key,
                 GHashTable *settings,
                 GPtrArray *compared,
                 const SluiceRunMark *mark)
{
  for (guint i = 0; i < compared->len; i++)
    {
      char *own = dup_experiment (compared->pdata[i]);
      g_autofree char *rest = mark->dup (compared->pdata[i], mark->data);
      g_autofree char *key = g_strconcat (own, rest, NULL);
      g_hash_table_add (settings, own);
      Experiment *experiment = g_hash_table_lookup (by_key, key);
      if (experiment == NULL)
        {
          experiment = g_new (Experiment, 1);
          *experiment = (Experiment){ g_ptr_array_new (), g_ptr_array_new () };
          g_ptr_array_add (experiments, experiment);
          g_hash_table_insert (by_key, g_steal_pointer (&key), experiment);
        }
      g_ptr_array_add (experiment->compared, compared->pdata[i]);
    }
}

static Experiment *
find_experiment (GHashTable *by_key,
                 GHashTable *settings,
                 const SluiceRunEntry *entry,
                 const SluiceRunMark *mark)
{
  g_autofree char *own = dup_experiment (entry);
  if (!g_hash_table_contains (settings, own))
    return NULL; /* most of them: their folders are not read */
  g_autofree char *rest = mark->dup (entry, mark->data);
  g_autofree char *key = g_strconcat (own, rest, NULL);
  return g_hash_table_lookup (by_key, key);
}

/* Those of the compared runs, with all other runs of theirs. (transfer full) (element-type
 * Experiment) */
static GPtrArray *
find_experiments (GPtrArray *entries, GPtrArray *compared, const SluiceRunMark *mark)
{
  GPtrArray *experiments = g_ptr_array_new_with_free_func (experiment_free);
  g_autoptr (GHashTable) by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) settings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  add_experiments (experiments, by_key, settings, compared, mark);
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceRunEntry *entry = entries->pdata[i];
      Experiment *experiment = find_experiment (by_key, settings, entry, mark);
      gboolean has_ended =
          entry->info->state == SLUICE_RUN_FINISHED || g_ptr_array_find (compared, entry, NULL);
      if (experiment != NULL && has_ended && !has_seed (experiment, entry->info->seed))
        g_ptr_array_add (experiment->runs, (gpointer) entry);
    }
  return experiments;
}

/* ---- the spread ---- */

double
sluice_student_t (guint freedom)
{
  static const struct
  {
    guint freedom;
    double t;
  } table[] = {
    { 2, 4.303 },  { 3, 3.182 },  { 4, 2.776 },  { 5, 2.571 },  { 6, 2.447 },
    { 7, 2.365 },  { 8, 2.306 },  { 9, 2.262 },  { 10, 2.228 }, { 12, 2.179 },
    { 15, 2.131 }, { 20, 2.086 }, { 30, 2.042 }, { 60, 2.000 }, { 120, 1.980 },
  };
  double t = table[0].t;
  for (guint i = 0; i < G_N_ELEMENTS (table) && table[i].freedom <= freedom; i++)
    t = table[i].t;
  return t;
}

static gboolean
is_of (const Experiment *self, const SluiceRunEntry *compared)
{
  return g_ptr_array_find (self->compared, compared, NULL);
}

/* The last values of a tag in one experiment. */
typedef struct
{
  guint n;
  double mean, squares; /* of the distances from the mean */
} Sample;

static Sample
sample_experiment (const Experiment *experiment, const char *tag)
{
  Sample self = { 0 };
  for (guint i = 0; i < experiment->runs->len; i++)
    {
      const SluiceRunResult *result = sluice_run_entry_get_result (experiment->runs->pdata[i], tag);
      if (result == NULL || !isfinite (result->last))
        continue;
      double distance = result->last - self.mean; /* Welford */
      self.n++;
      self.mean += distance / self.n;
      self.squares += distance * (result->last - self.mean);
    }
  return self;
}

/* Are any two further apart than the pooled spread explains? */
static gboolean
is_apart (const Sample *samples, guint n, double spread, guint freedom)
{
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < i; k++)
      {
        double error = spread * sqrt (1.0 / samples[i].n + 1.0 / samples[k].n);
        if (samples[i].n > 0 && samples[k].n > 0
            && fabs (samples[i].mean - samples[k].mean) > sluice_student_t (freedom) * error)
          return TRUE;
      }
  return FALSE;
}

static void
judge (SluiceRunResultDiff *self, GPtrArray *experiments, GPtrArray *compared)
{
  g_autofree Sample *samples = g_new0 (Sample, experiments->len);
  double squares = 0;
  guint freedom = 0, n_runs = 0;
  for (guint i = 0; i < experiments->len; i++)
    {
      samples[i] = sample_experiment (experiments->pdata[i], self->tag);
      squares += samples[i].squares;
      n_runs += samples[i].n;
      freedom += samples[i].n > 0 ? samples[i].n - 1 : 0;
    }
  double spread = freedom > 0 ? sqrt (squares / freedom) : NAN;
  self->spread = spread;
  self->n_trained = n_runs;
  for (guint k = 0; k < compared->len; k++)
    for (guint i = 0; i < experiments->len; i++)
      if (samples[i].n > 0 && is_of (experiments->pdata[i], compared->pdata[k]))
        self->means[k] = samples[i].mean;
  if (experiments->len == 1)
    {
      self->more_than_seeds = SLUICE_SEEDS_LESS;
      self->why = g_strdup (_ ("they differ by their seed alone, or by nothing"));
    }
  else if (freedom < 2)
    self->why = g_strdup_printf (
        _ ("too few runs differ by their seed alone: train each with %u seeds or more"), 3);
  else
    {
      gboolean apart = is_apart (samples, experiments->len, spread, freedom);
      self->more_than_seeds = apart ? SLUICE_SEEDS_MORE : SLUICE_SEEDS_LESS;
      self->why = g_strdup_printf (
          _ ("by %u runs, seeds alone spread the last value by ± %.3g (standard deviation)"),
          n_runs, spread);
    }
}

/* ---- the tags ---- */

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* That at least two of them have. (transfer container) */
static GPtrArray *
list_tags (GPtrArray *compared)
{
  GPtrArray *tags = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) twice = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < compared->len; i++)
    {
      const SluiceRunEntry *entry = compared->pdata[i];
      for (guint k = 0; k < entry->results->len; k++)
        {
          char *tag = ((SluiceRunResult *) entry->results->pdata[k])->tag;
          if (!g_str_has_prefix (tag, MACHINE) && !g_hash_table_add (seen, tag)
              && g_hash_table_add (twice, tag))
            g_ptr_array_add (tags, tag);
        }
    }
  g_ptr_array_sort (tags, compare_texts);
  return tags;
}

GPtrArray *
sluice_seed_spread_compare (GPtrArray *entries, GPtrArray *compared, const SluiceRunMark *mark)
{
  GPtrArray *results =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_result_diff_free);
  g_autoptr (GPtrArray) experiments = find_experiments (entries, compared, mark);
  g_autoptr (GPtrArray) tags = list_tags (compared);
  for (guint i = 0; i < tags->len; i++)
    {
      SluiceRunResultDiff *result = g_new0 (SluiceRunResultDiff, 1);
      result->tag = g_strdup (tags->pdata[i]);
      result->n_values = compared->len;
      result->values = g_new (double, compared->len);
      result->means = g_new (double, compared->len);
      for (guint k = 0; k < compared->len; k++)
        {
          const SluiceRunResult *own =
              sluice_run_entry_get_result (compared->pdata[k], result->tag);
          result->values[k] = own != NULL ? own->last : NAN;
          result->means[k] = NAN;
        }
      judge (result, experiments, compared);
      g_ptr_array_add (results, result);
    }
  return results;
}
