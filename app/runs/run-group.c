/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-group.h"

#include <math.h>
#include <string.h>

#include "app/runs/run-settings.h"
#include "app/runs/seed-groups.h"
#include "engine/train/experiment.h"
#include "engine/store/kinds/hparams.h"
#include "ui/chart/ticks.h"

#define SETTING "setting:"

/* ---- which belong together ---- */

static const SluiceSetting *
find_setting (const SluiceRunEntry *entry, const char *name)
{
  for (guint i = 0; i < entry->settings->len; i++)
    if (strcmp (((const SluiceSetting *) entry->settings->pdata[i])->name, name) == 0)
      return entry->settings->pdata[i];
  return NULL;
}

char *
sluice_run_group_dup_key (const char *by, const SluiceRunEntry *entry)
{
  guint64 seed;
  if (strcmp (by, "group") == 0)
    return g_strdup (entry->info->group);
  if (strcmp (by, "seed") == 0)
    return sluice_experiment_dup_key (entry->info, entry->settings, &seed);
  if (!g_str_has_prefix (by, SETTING))
    return NULL;
  const SluiceSetting *setting = find_setting (entry, by + strlen (SETTING));
  if (setting == NULL || setting->text != NULL)
    return setting != NULL ? g_strdup (setting->text) : NULL;
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  return g_strdup (g_ascii_dtostr (digits, sizeof digits, setting->number));
}

char *
sluice_run_group_dup_title (const char *by, const char *key, GPtrArray *entries)
{
  if (strcmp (by, "group") == 0)
    return g_strdup (key);
  if (g_str_has_prefix (by, SETTING))
    {
      const char *name = by + strlen (SETTING);
      const SluiceSetting *setting = find_setting (entries->pdata[0], name);
      g_autofree char *value = setting == NULL || setting->text != NULL
                                   ? g_strdup (key)
                                   : sluice_format_exact (setting->number);
      return g_strdup_printf ("%s = %s", name, value);
    }
  g_autoptr (GPtrArray) infos = g_ptr_array_new ();
  for (guint i = 0; i < entries->len; i++)
    g_ptr_array_add (infos, ((const SluiceRunEntry *) entries->pdata[i])->info);
  return sluice_seed_groups_dup_name (infos);
}

/* ---- as if it was one run ---- */

/* The member that the group waits for, or that went wrong, tells its state. */
static SluiceRunState
join_states (GPtrArray *entries)
{
  static const SluiceRunState order[] = { SLUICE_RUN_RUNNING, SLUICE_RUN_PAUSED,
                                          SLUICE_RUN_WAITING, SLUICE_RUN_FAILED,
                                          SLUICE_RUN_CRASHED, SLUICE_RUN_STOPPED,
                                          SLUICE_RUN_DRAFT };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    for (guint k = 0; k < entries->len; k++)
      if (((const SluiceRunEntry *) entries->pdata[k])->info->state == order[i])
        return order[i];
  return SLUICE_RUN_FINISHED;
}

static char **
join_tags (GPtrArray *entries)
{
  char **first = ((const SluiceRunEntry *) entries->pdata[0])->info->tags;
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  guint n = 0;
  for (guint i = 0; first != NULL && first[i] != NULL; i++)
    {
      gboolean all = TRUE;
      for (guint k = 1; all && k < entries->len; k++)
        {
          char **other = ((const SluiceRunEntry *) entries->pdata[k])->info->tags;
          all = other != NULL && g_strv_contains ((const char *const *) other, first[i]);
        }
      if (all)
        g_strv_builder_add (tags, first[i]);
      n += all;
    }
  return n > 0 ? g_strv_builder_end (tags) : NULL;
}

static gboolean
all_have (GPtrArray *entries, const SluiceSetting *setting)
{
  for (guint i = 1; i < entries->len; i++)
    {
      const SluiceSetting *other = find_setting (entries->pdata[i], setting->name);
      if (other == NULL || !sluice_setting_is_same (setting, other))
        return FALSE;
    }
  return TRUE;
}

static GPtrArray *
join_settings (GPtrArray *entries)
{
  GPtrArray *settings = ((const SluiceRunEntry *) entries->pdata[0])->settings;
  GPtrArray *joined = g_ptr_array_new_with_free_func (sluice_setting_free);
  for (guint i = 0; i < settings->len; i++)
    {
      const SluiceSetting *setting = settings->pdata[i];
      if (!all_have (entries, setting))
        continue;
      SluiceSetting *copy = g_memdup2 (setting, sizeof *setting);
      copy->name = g_strdup (setting->name);
      copy->text = g_strdup (setting->text);
      g_ptr_array_add (joined, copy);
    }
  return joined;
}

/* @at: where it is in most of them. */
static const SluiceRunResult *
find_result (const SluiceRunEntry *entry, const char *tag, guint at)
{
  if (at < entry->results->len
      && strcmp (((const SluiceRunResult *) entry->results->pdata[at])->tag, tag) == 0)
    return entry->results->pdata[at];
  for (guint i = 0; i < entry->results->len; i++)
    if (strcmp (((const SluiceRunResult *) entry->results->pdata[i])->tag, tag) == 0)
      return entry->results->pdata[i];
  return NULL;
}

/* A value of a result, of those that count. */
typedef double (*ValueFunc) (const SluiceRunResult *result);

static double
get_first (const SluiceRunResult *result)
{
  return result->first;
}

static double
get_last (const SluiceRunResult *result)
{
  return result->last;
}

static double
get_min (const SluiceRunResult *result)
{
  return result->min;
}

static double
get_max (const SluiceRunResult *result)
{
  return result->max;
}

typedef struct
{
  guint n;
  double mean, squares;
} Moments;

static Moments
measure (GPtrArray *entries, const char *tag, guint at, ValueFunc get)
{
  Moments self = { 0 };
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceRunResult *result = find_result (entries->pdata[i], tag, at);
      double value = result != NULL ? get (result) : NAN;
      if (!isfinite (value))
        continue;
      double distance = value - self.mean; /* Welford */
      self.n++;
      self.mean += distance / self.n;
      self.squares += distance * (value - self.mean);
    }
  return self;
}

static double
get_mean (GPtrArray *entries, const char *tag, guint at, ValueFunc get)
{
  Moments moments = measure (entries, tag, at, get);
  return moments.n > 0 ? moments.mean : NAN;
}

double
sluice_run_group_get_deviation (GPtrArray *entries, const char *tag, gboolean best)
{
  ValueFunc get = !best                                                 ? get_last
                  : sluice_tag_get_better (tag) == SLUICE_BEST_GREATEST ? get_max
                                                                        : get_min;
  Moments moments = measure (entries, tag, 0, get);
  return moments.n > 1 ? sqrt (moments.squares / (moments.n - 1)) : NAN;
}

static void
result_free (gpointer data)
{
  SluiceRunResult *self = data;
  g_free (self->tag);
  g_free (self);
}

/* Of the tags that the first one has. */
static GPtrArray *
join_results (GPtrArray *entries)
{
  GPtrArray *results = ((const SluiceRunEntry *) entries->pdata[0])->results;
  GPtrArray *joined = g_ptr_array_new_with_free_func (result_free);
  for (guint i = 0; i < results->len; i++)
    {
      SluiceRunResult *mean = g_memdup2 (results->pdata[i], sizeof (SluiceRunResult));
      mean->tag = g_strdup (mean->tag);
      mean->first = get_mean (entries, mean->tag, i, get_first);
      mean->last = get_mean (entries, mean->tag, i, get_last);
      mean->min = get_mean (entries, mean->tag, i, get_min);
      mean->max = get_mean (entries, mean->tag, i, get_max);
      g_ptr_array_add (joined, mean);
    }
  return joined;
}

SluiceRunEntry *
sluice_run_group_new_entry (GPtrArray *entries, char *title)
{
  const SluiceRunInfo *first = ((const SluiceRunEntry *) entries->pdata[0])->info;
  SluiceRunEntry *self = g_new0 (SluiceRunEntry, 1);
  SluiceRunInfo *info = g_new0 (SluiceRunInfo, 1);
  *info = (SluiceRunInfo){ .id = first->id,
                           .name = title,
                           .project = g_strdup (first->project),
                           .state = join_states (entries),
                           .n_steps = first->n_steps,
                           .started = first->started,
                           .created = first->created,
                           .group = g_strdup (first->group),
                           .tags = join_tags (entries),
                           .color = g_strdup (first->color),
                           .is_starred = TRUE };
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceRunInfo *member = ((const SluiceRunEntry *) entries->pdata[i])->info;
      info->step = MAX (info->step, member->step);
      info->seconds += member->seconds;
      info->is_starred &= member->is_starred;
      if (g_strcmp0 (info->group, member->group) != 0)
        g_clear_pointer (&info->group, g_free);
    }
  self->info = info;
  self->settings = join_settings (entries);
  self->results = join_results (entries);
  return self;
}
