/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/importance.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/store/kinds/hparams.h"
#include "engine/train/seed-spread.h"

enum
{
  MOST_LEVELS = 5,   /* of a number with more values than that */
  LEAST_FREEDOM = 3, /* runs more than levels */
  MOST_PARTS = 100,  /* that are left out in turn */
};

static void
setting_importance_free (gpointer data)
{
  SluiceSettingImportance *self = data;
  g_free (self->name);
  g_free (self);
}

void
sluice_importance_free (SluiceImportance *self)
{
  g_ptr_array_unref (self->settings);
  g_free (self->result);
  g_free (self);
}

/* ---- ranks ---- */

typedef struct
{
  double value;
  guint at;
} Placed;

static gint
by_value (gconstpointer a, gconstpointer b)
{
  const Placed *first = a, *second = b;
  return (first->value > second->value) - (first->value < second->value);
}

/* Of finite values and infinities, from 0 on; equal values have the mean of their ranks. */
static void
find_ranks (const double *values, guint n, double *ranks)
{
  g_autofree Placed *placed = g_new (Placed, n);
  for (guint i = 0; i < n; i++)
    placed[i] = (Placed){ values[i], i };
  qsort (placed, n, sizeof *placed, by_value);
  for (guint i = 0, end; i < n; i = end)
    {
      for (end = i + 1; end < n && placed[end].value == placed[i].value;)
        end++;
      for (guint k = i; k < end; k++)
        ranks[placed[k].at] = (i + end - 1) / 2.0;
    }
}

static double
correlate (const double *a, const double *b, guint n)
{
  double mean = (n - 1) / 2.0, ab = 0, aa = 0, bb = 0; /* of any ranks of n */
  for (guint i = 0; i < n; i++)
    {
      ab += (a[i] - mean) * (b[i] - mean);
      aa += (a[i] - mean) * (a[i] - mean);
      bb += (b[i] - mean) * (b[i] - mean);
    }
  return aa > 0 && bb > 0 ? ab / sqrt (aa * bb) : NAN;
}

/* ---- which runs, and how they came out ---- */

/* NAN: it does not count. */
static double
get_outcome (const SluiceRunEntry *entry, const char *tag)
{
  const SluiceRunResult *result = sluice_run_entry_get_result (entry, tag);
  if (result == NULL)
    return NAN;
  if (isfinite (result->last))
    return result->last;
  switch (sluice_tag_get_better (tag))
    {
    case SLUICE_BEST_LEAST:
      return INFINITY;
    case SLUICE_BEST_GREATEST:
      return -INFINITY;
    default:
      return NAN;
    }
}

typedef struct
{
  GPtrArray *entries; /* of SluiceRunEntry, not owned: those that count */
  double *ranks;      /* of their results */
} Outcomes;

static void
outcomes_clear (Outcomes *self)
{
  g_ptr_array_unref (self->entries);
  g_free (self->ranks);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outcomes, outcomes_clear)

static void
outcomes_init (Outcomes *self, GPtrArray *entries, const char *tag)
{
  g_autofree double *values = g_new (double, MAX (1, entries->len));
  self->entries = g_ptr_array_new ();
  for (guint i = 0; i < entries->len; i++)
    {
      double value = get_outcome (entries->pdata[i], tag);
      if (isnan (value))
        continue;
      values[self->entries->len] = value;
      g_ptr_array_add (self->entries, entries->pdata[i]);
    }
  self->ranks = g_new (double, MAX (1, self->entries->len));
  find_ranks (values, self->entries->len, self->ranks);
}

/* ---- levels of a setting ---- */

/* (transfer full): runs that have it alike have the same. */
static char *
dup_value (const SluiceSetting *setting)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  if (setting == NULL)
    return g_strdup ("");
  return setting->text != NULL ? g_strconcat ("\"", setting->text, NULL)
                               : g_strdup (g_ascii_dtostr (digits, sizeof digits, setting->number));
}

typedef struct
{
  guint *levels;   /* of each run */
  double *numbers; /* (nullable): of each run; NULL: not all have a number */
  guint n_values, n_levels;
} Levels;

static void
levels_clear (Levels *self)
{
  g_free (self->levels);
  g_free (self->numbers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Levels, levels_clear)

/* As many neighbours in each; equal numbers stay together. */
static void
cut_numbers (Levels *self, guint n)
{
  g_autofree double *ranks = g_new (double, n);
  gboolean used[MOST_LEVELS] = { FALSE };
  find_ranks (self->numbers, n, ranks);
  self->n_levels = 0;
  for (guint i = 0; i < n; i++)
    {
      self->levels[i] = (guint) (ranks[i] * MOST_LEVELS / n);
      self->n_levels += !used[self->levels[i]];
      used[self->levels[i]] = TRUE;
    }
}

static void
levels_init (Levels *self, GPtrArray *entries, const char *name)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = entries->len;
  self->levels = g_new (guint, MAX (1, n));
  self->numbers = g_new (double, MAX (1, n));
  for (guint i = 0; i < n; i++)
    {
      const SluiceSetting *setting = sluice_run_entry_get_setting (entries->pdata[i], name);
      char *value = dup_value (setting);
      gpointer level = g_hash_table_lookup (seen, value);
      if (level == NULL)
        {
          level = GUINT_TO_POINTER (g_hash_table_size (seen) + 1);
          g_hash_table_insert (seen, g_strdup (value), level);
        }
      g_free (value);
      self->levels[i] = GPOINTER_TO_UINT (level) - 1;
      if (setting == NULL || setting->text != NULL || isnan (setting->number))
        g_clear_pointer (&self->numbers, g_free);
      else if (self->numbers != NULL)
        self->numbers[i] = setting->number;
    }
  self->n_values = self->n_levels = g_hash_table_size (seen);
  if (self->numbers != NULL && self->n_values > MOST_LEVELS)
    cut_numbers (self, n);
}

/* ---- what of the variance lies between levels ---- */

/* Epsilon squared: 1 less what is left within levels, each by its degrees of freedom. @part:
 * without every run of which the number leaves it over, divided by @n_parts; G_MAXUINT: of all. */
static double
get_share (const Levels *levels, const double *ranks, guint n, guint part, guint n_parts)
{
  guint most = MAX (levels->n_levels, MOST_LEVELS);
  g_autofree double *sums = g_new0 (double, most);
  g_autofree guint *counts = g_new0 (guint, most);
  double sum = 0, squares = 0, between = 0;
  guint count = 0, n_levels = 0;
  for (guint i = 0; i < n; i++)
    {
      if (part != G_MAXUINT && i % n_parts == part)
        continue;
      sums[levels->levels[i]] += ranks[i];
      counts[levels->levels[i]]++;
      sum += ranks[i];
      squares += ranks[i] * ranks[i];
      count++;
    }
  for (guint i = 0; i < most; i++)
    if (counts[i] > 0)
      {
        between += sums[i] * sums[i] / counts[i];
        n_levels++;
      }
  double total = squares - sum * sum / count, within = squares - between;
  return count > n_levels && total > 0 ? 1 - within / (count - n_levels) / (total / (count - 1))
                                       : 0;
}

static double
get_plus_minus (const Levels *levels, const double *ranks, guint n)
{
  guint n_parts = MIN (n, MOST_PARTS);
  g_autofree double *shares = g_new (double, n_parts);
  double mean = 0, squares = 0;
  for (guint i = 0; i < n_parts; i++)
    {
      shares[i] = get_share (levels, ranks, n, i, n_parts);
      mean += shares[i] / n_parts;
    }
  for (guint i = 0; i < n_parts; i++)
    squares += (shares[i] - mean) * (shares[i] - mean);
  /* A share lies between 0 and 1: that is all that few runs can say. */
  return MIN (sluice_student_t (n_parts - 1) * sqrt (squares * (n_parts - 1) / n_parts), 1);
}

static SluiceSettingImportance *
look_at (const Outcomes *outcomes, const char *name)
{
  SluiceSettingImportance *self = g_new0 (SluiceSettingImportance, 1);
  guint n = outcomes->entries->len;
  g_auto (Levels) levels = { 0 };
  levels_init (&levels, outcomes->entries, name);
  self->name = g_strdup (name);
  self->n_values = levels.n_values;
  self->n_levels = levels.n_levels;
  self->share = self->plus_minus = self->correlation = NAN;
  if (levels.n_levels < 2)
    self->why = N_ ("all runs that have the result have it alike");
  else if (n < levels.n_levels + LEAST_FREEDOM)
    self->why = N_ ("too few runs: nearly each has a value of its own");
  if (self->why != NULL)
    return self;
  self->share = CLAMP (get_share (&levels, outcomes->ranks, n, G_MAXUINT, 1), 0, 1);
  self->plus_minus = get_plus_minus (&levels, outcomes->ranks, n);
  if (levels.numbers != NULL)
    {
      g_autofree double *ranks = g_new (double, n);
      find_ranks (levels.numbers, n, ranks);
      self->correlation = correlate (ranks, outcomes->ranks, n);
    }
  return self;
}

/* ---- all settings ---- */

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* (transfer container): sorted names of what is not the same in all of them, but for the seed. */
static GPtrArray *
list_varied (GPtrArray *entries)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *names = g_ptr_array_new ();
  for (guint i = 0; i < entries->len; i++)
    {
      GPtrArray *settings = ((const SluiceRunEntry *) entries->pdata[i])->settings;
      for (guint k = 0; k < settings->len; k++)
        {
          char *name = ((SluiceSetting *) settings->pdata[k])->name;
          if (strcmp (name, "seed") != 0 && g_hash_table_add (seen, name))
            g_ptr_array_add (names, name);
        }
    }
  for (guint i = names->len; i-- > 0;)
    {
      g_auto (Levels) levels = { 0 };
      levels_init (&levels, entries, names->pdata[i]);
      if (levels.n_values < 2)
        g_ptr_array_remove_index (names, i);
    }
  g_ptr_array_sort (names, by_name);
  return names;
}

static gint
by_share (gconstpointer a, gconstpointer b)
{
  const SluiceSettingImportance *x = *(SluiceSettingImportance *const *) a;
  const SluiceSettingImportance *y = *(SluiceSettingImportance *const *) b;
  double p = isnan (x->share) ? -1 : x->share, q = isnan (y->share) ? -1 : y->share;
  return p != q ? (p < q) - (p > q) : strcmp (x->name, y->name);
}

SluiceImportance *
sluice_importance_new (GPtrArray *entries, const char *result)
{
  SluiceImportance *self = g_new0 (SluiceImportance, 1);
  g_auto (Outcomes) outcomes = { 0 };
  g_autoptr (GPtrArray) names = list_varied (entries);
  outcomes_init (&outcomes, entries, result);
  self->result = g_strdup (result);
  self->n = outcomes.entries->len;
  self->n_without = entries->len - self->n;
  self->settings = g_ptr_array_new_with_free_func (setting_importance_free);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (self->settings, look_at (&outcomes, names->pdata[i]));
  g_ptr_array_sort (self->settings, by_share);
  return self;
}

/* 0: it tells nothing by itself. */
static guint
rate_result (const char *tag)
{
  gboolean is_evaluated = g_str_has_prefix (tag, "evaluate/");
  return is_evaluated && sluice_tag_get_better (tag) == SLUICE_BEST_GREATEST ? 3
         : is_evaluated                                                      ? 2
                        : strcmp (tag, "loss") == 0;
}

const char *
sluice_importance_choose_result (GPtrArray *entries)
{
  const char *best = NULL;
  for (guint i = 0; i < entries->len; i++)
    {
      GPtrArray *results = ((const SluiceRunEntry *) entries->pdata[i])->results;
      for (guint k = 0; k < results->len; k++)
        {
          const char *tag = ((const SluiceRunResult *) results->pdata[k])->tag;
          if (rate_result (tag) > (best != NULL ? rate_result (best) : 0))
            best = tag;
        }
    }
  return best;
}
