/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-facts.h"

#include <math.h>
#include <string.h>

#include "app/runs/run-settings.h"
#include "app/status-text.h"

/* More values of other runs than these nobody reads in a line. */
#define MOST_OTHERS 4

/* ---- tags ---- */

void
sluice_tag_facts_free (SluiceTagFacts *self)
{
  g_free (self->tag);
  g_free (self->run);
  g_free (self);
}

double
sluice_run_get_last_value (SluiceRun *run, const char *tag)
{
  const SluiceRunSeries *series = sluice_run_find_series (run, tag);
  SluiceSeriesSample last;
  if (series == NULL || series->buffer == NULL
      || !sluice_series_source_lookup (sluice_series_buffer_as_source (series->buffer),
                                       SLUICE_X_STEP, INFINITY, &last))
    return NAN;
  return last.value;
}

static void
fill_values (SluiceTagFacts *self, SluiceSeriesBuffer *buffer)
{
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  SluiceSeriesSample first, last;
  SluiceExtent extent;
  sluice_series_source_get_extent (source, SLUICE_X_STEP, &extent);
  self->n_points = extent.n_points;
  if (!sluice_series_source_lookup (source, SLUICE_X_STEP, -INFINITY, &first)
      || !sluice_series_source_lookup (source, SLUICE_X_STEP, INFINITY, &last))
    return;
  self->first_step = first.step;
  self->last_step = last.step;
  self->first = first.value;
  self->last = last.value;
  self->least = extent.min;
  self->greatest = extent.max;
  self->n_non_finite = sluice_series_buffer_count_non_finite (buffer);
  self->seconds = last.wall - first.wall;
  if (self->better != SLUICE_BEST_UNKNOWN)
    self->best = self->better == SLUICE_BEST_LEAST ? extent.min : extent.max;
}

static SluiceTagFacts *
tag_facts_new (SluiceRun *run, const SluiceRunSeries *series)
{
  SluiceTagFacts *self = g_new (SluiceTagFacts, 1);
  *self = (SluiceTagFacts){ .tag = g_strdup (series->tag),
                            .run = g_strdup (sluice_run_get_info (run)->name),
                            .unit = sluice_tag_unit (series->tag),
                            .first = NAN,
                            .last = NAN,
                            .least = NAN,
                            .greatest = NAN,
                            .better = sluice_tag_get_better (series->tag),
                            .best = NAN };
  if (series->buffer != NULL)
    fill_values (self, series->buffer);
  return self;
}

static int
by_tag (gconstpointer a, gconstpointer b)
{
  const char *first = (*(SluiceTagFacts *const *) a)->tag;
  const char *second = (*(SluiceTagFacts *const *) b)->tag;
  int order = sluice_run_row_shows (second) - sluice_run_row_shows (first);
  return order != 0 ? order : strcmp (first, second);
}

static void
add_tags (SluiceRunFacts *self, SluiceRun *run)
{
  GPtrArray *all = sluice_run_get_series (run);
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceRunSeries *series = all->pdata[i];
      if (series->kind != SLUICE_SERIES_SCALAR)
        continue;
      /* Of what nobody has asked for, there are none: a million such tags cost nothing here. */
      if (series->buffer != NULL && sluice_series_buffer_get_n_points (series->buffer) > 0)
        g_ptr_array_add (self->tags, tag_facts_new (run, series));
      else
        self->n_other_tags++;
    }
  g_ptr_array_sort (self->tags, by_tag);
}

SluiceTagFacts *
sluice_tag_facts_new (SluiceRun *run, const char *tag)
{
  const SluiceRunSeries *series = sluice_run_find_series (run, tag);
  if (series == NULL || series->kind != SLUICE_SERIES_SCALAR)
    return NULL;
  SluiceTagFacts *self = tag_facts_new (run, series);
  SluiceSeriesSample best;
  if (isfinite (self->best)
      && sluice_series_buffer_find_extreme (series->buffer, self->better == SLUICE_BEST_GREATEST,
                                            &best))
    self->best_step = best.step;
  return self;
}

/* ---- settings ---- */

static void
setting_free (gpointer data)
{
  SluiceSettingFacts *self = data;
  g_free (self->name);
  g_free (self->value);
  g_free (self->others);
  g_free (self);
}

/* (transfer full) (element-type SluiceRun): those of the same project that were begun with
 * something, itself among them. */
static GPtrArray *
collect_alike (SluiceRun *run, GListModel *runs)
{
  GPtrArray *alike = g_ptr_array_new_with_free_func (g_object_unref);
  const char *project = sluice_run_get_info (run)->project;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) other = g_list_model_get_item (runs, i);
      if (sluice_run_get_settings (other)->len > 0
          && g_strcmp0 (sluice_run_get_info (other)->project, project) == 0)
        g_ptr_array_add (alike, g_steal_pointer (&other));
    }
  return alike;
}

/* What others have in its place, each value once. */
static char *
dup_others (const SluiceSetting *setting, GPtrArray *alike)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < alike->len && seen->len < MOST_OTHERS; i++)
    {
      const SluiceSetting *other = sluice_run_find_setting (alike->pdata[i], setting->name);
      g_autofree char *value = sluice_setting_format (other);
      if (!sluice_setting_is_same (setting, other)
          && !g_ptr_array_find_with_equal_func (seen, value, g_str_equal, NULL))
        g_ptr_array_add (seen, g_steal_pointer (&value));
    }
  if (seen->len == 0)
    return NULL;
  g_ptr_array_add (seen, NULL);
  return g_strjoinv (", ", (GStrv) seen->pdata);
}

static void
add_settings (SluiceRunFacts *self, SluiceRun *run, GListModel *runs)
{
  g_autoptr (GPtrArray) alike = collect_alike (run, runs);
  GPtrArray *settings = sluice_run_get_settings (run);
  for (guint i = 0; i < settings->len; i++)
    {
      const SluiceSetting *setting = settings->pdata[i];
      SluiceSettingFacts *fact = g_new (SluiceSettingFacts, 1);
      *fact = (SluiceSettingFacts){ g_strdup (setting->name), sluice_setting_format (setting),
                                    dup_others (setting, alike) };
      if (fact->others != NULL)
        g_ptr_array_insert (self->settings, (int) self->n_differing++, fact);
      else
        g_ptr_array_add (self->settings, fact);
    }
}

/* ---- all of it ---- */

SluiceRunFacts *
sluice_run_facts_new (SluiceRun *run, GListModel *runs)
{
  const SluiceRunInfo *info = sluice_run_get_info (run);
  SluiceRunFacts *self = g_new0 (SluiceRunFacts, 1);
  self->id = info->id;
  self->name = g_strdup (info->name);
  self->project = info->project != NULL && *info->project != '\0' ? g_strdup (info->project) : NULL;
  self->state = info->state;
  g_object_get (run, "status", &self->status, NULL);
  self->message = g_strdup (info->message);
  self->step = info->step;
  self->n_steps = info->n_steps;
  self->seed = info->seed;
  self->started =
      info->started != 0 ? info->started : info->created; /* of a log: its first record */
  self->ended = info->ended;
  self->seconds_active = info->seconds;
  self->settings = g_ptr_array_new_with_free_func (setting_free);
  self->tags = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tag_facts_free);
  add_settings (self, run, runs);
  add_tags (self, run);
  return self;
}

void
sluice_run_facts_free (SluiceRunFacts *self)
{
  g_free (self->name);
  g_free (self->project);
  g_free (self->status);
  g_free (self->message);
  g_ptr_array_unref (self->settings);
  g_ptr_array_unref (self->tags);
  g_free (self);
}
