/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/settings-cards.h"

#include <math.h>
#include <string.h>

#include "app/runs/run-settings.h"
#include "app/status-text.h"
#include "ui/chart/settings-card.h"

/* Of a run that has neither loss nor evaluation: so many other tags are taken for results. */
#define OTHER_RESULTS 4
/* A table of more is none that a person reads. */
#define MOST_SETTINGS 60

/* ---- which runs ---- */

static gboolean
has_settings (const SluiceTagCard *self, SluiceRun *run)
{
  return sluice_run_get_settings (run)->len > 0;
}

/* (transfer full) (element-type SluiceRun): those that are shown, oldest first. */
static GPtrArray *
collect_runs (SluiceTagCard *self)
{
  GListModel *all = sluice_workspace_get_runs (self->workspace);
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = g_list_model_get_n_items (all); i-- > 0;)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (all, i);
      if (sluice_run_get_shown (run) && has_settings (self, run))
        g_ptr_array_add (runs, g_steal_pointer (&run));
    }
  return runs;
}

/* ---- which columns ---- */

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* (transfer container): sorted names of what a run has. */
typedef void (*CollectNames) (SluiceRun *run, GHashTable *names);

static GPtrArray *
collect_names (GPtrArray *runs, CollectNames collect)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < runs->len; i++)
    collect (runs->pdata[i], names);
  GPtrArray *sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (sorted, name);
  g_ptr_array_sort (sorted, by_text);
  return sorted;
}

static void
collect_settings (SluiceRun *run, GHashTable *names)
{
  GPtrArray *settings = sluice_run_get_settings (run);
  for (guint i = 0; i < settings->len; i++)
    g_hash_table_add (names, ((const SluiceSetting *) settings->pdata[i])->name);
}

static void
collect_results (SluiceRun *run, GHashTable *names)
{
  GPtrArray *series = sluice_run_get_series (run);
  for (guint i = 0; i < series->len; i++)
    {
      const SluiceRunSeries *s = series->pdata[i];
      if (s->kind == SLUICE_SERIES_SCALAR && sluice_run_row_shows (s->tag))
        g_hash_table_add (names, s->tag);
    }
}

static void
collect_others (SluiceRun *run, GHashTable *names)
{
  GPtrArray *series = sluice_run_get_series (run);
  for (guint i = 0; i < series->len && g_hash_table_size (names) < OTHER_RESULTS; i++)
    {
      const SluiceRunSeries *s = series->pdata[i];
      if (s->kind == SLUICE_SERIES_SCALAR && !g_str_has_prefix (s->tag, "system/"))
        g_hash_table_add (names, s->tag);
    }
}

/* Settings that all have alike say nothing, unless there are no others. */
static void
add_settings (SluiceSettingsTable *table, GPtrArray *runs)
{
  g_autoptr (GPtrArray) names = collect_names (runs, collect_settings);
  for (guint all = 0; all < 2 && table->columns->len == 0; all++)
    for (guint i = 0; i < names->len && table->columns->len < MOST_SETTINGS; i++)
      if (all || sluice_runs_differ_in (runs, names->pdata[i]))
        sluice_settings_table_add_column (table, names->pdata[i], FALSE, SLUICE_UNIT_NONE);
}

static GPtrArray *
add_results (SluiceSettingsTable *table, GPtrArray *runs)
{
  GPtrArray *tags = collect_names (runs, collect_results);
  if (tags->len == 0)
    {
      g_ptr_array_unref (tags);
      tags = collect_names (runs, collect_others);
    }
  for (guint i = 0; i < tags->len; i++)
    sluice_settings_table_add_column (table, tags->pdata[i], TRUE,
                                      sluice_tag_unit (tags->pdata[i]));
  return tags;
}

/* ---- values ---- */

static void
fill_row (SluiceTagCard *self, SluiceSettingsTable *table, SluiceSettingsRow *row, SluiceRun *run)
{
  for (guint i = 0; i < table->columns->len; i++)
    {
      const SluiceSettingsColumn *column = table->columns->pdata[i];
      const SluiceSetting *setting =
          column->is_result ? NULL : sluice_run_find_setting (run, column->name);
      SluiceRunSeries *series =
          column->is_result ? sluice_run_find_series (run, column->name) : NULL;
      SluiceSeriesSample last;
      if (setting != NULL)
        row->cells[i] = (SluiceSettingsCell){ setting->number, g_strdup (setting->text) };
      if (series == NULL || series->buffer == NULL)
        continue;
      sluice_workspace_want (self->workspace, series, TRUE);
      if (sluice_series_source_lookup (sluice_series_buffer_as_source (series->buffer),
                                       SLUICE_X_STEP, INFINITY, &last))
        row->cells[i].number = last.value;
    }
}

static SluiceSettingsTable *
make_table (SluiceTagCard *self)
{
  SluiceSettingsTable *table = sluice_settings_table_new ();
  g_autoptr (GPtrArray) runs = collect_runs (self);
  if (runs->len == 0)
    return table;
  add_settings (table, runs);
  g_autoptr (GPtrArray) tags = add_results (table, runs);
  for (guint i = 0; i < runs->len; i++)
    {
      const SluiceRunInfo *info = sluice_run_get_info (runs->pdata[i]);
      SluiceColor color = sluice_run_get_color (runs->pdata[i]);
      fill_row (self, table, sluice_settings_table_add_row (table, info->id, info->name, color),
                runs->pdata[i]);
    }
  return table;
}

/* ---- as a kind ---- */

static GtkWidget *
create_settings (SluiceTagCard *self)
{
  return sluice_settings_card_new (_ (SLUICE_SETTINGS_CARD_TAG));
}

static void
take_settings (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  sluice_tag_card_ensure_taken (self, sluice_run_get_info (run)->id);
}

/* A table is of all runs: it is made once they are known. */
static void
taken_settings (SluiceTagCard *self)
{
  sluice_settings_card_take_table (SLUICE_SETTINGS_CARD (self->widget), make_table (self));
}

static void
hide_settings (SluiceTagCard *self, gint64 run)
{
  g_hash_table_remove (self->taken, &run);
}

static void
mark_settings (SluiceTagCard *self, gint64 run)
{
  sluice_settings_card_set_marked (SLUICE_SETTINGS_CARD (self->widget), run);
}

static char *
dup_settings_text (SluiceTagCard *self)
{
  return sluice_settings_card_dup_text (SLUICE_SETTINGS_CARD (self->widget));
}

const SluiceTagCardKind sluice_tag_card_settings = {
  .name = N_ ("settings"),
  .create = create_settings,
  .has = has_settings,
  .take = take_settings,
  .taken = taken_settings,
  .hide = hide_settings,
  .mark = mark_settings,
  .dup_text = dup_settings_text,
  .shares = TRUE,
  .least_runs = 2,
};
