/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/workspace-read.h"

#include "app/run.h"

/* Points read at once: a slice of a long series, so that the first ones show while the rest is on
 * its way. */
#define MAX_POINTS 200000

static void
series_news_free (gpointer data)
{
  SluiceSeriesNews *news = data;
  sluice_series_info_free (news->info);
  g_clear_pointer (&news->points, g_array_unref);
  g_clear_pointer (&news->items, g_ptr_array_unref);
  g_free (news);
}

void
sluice_workspace_news_free (SluiceWorkspaceNews *self)
{
  g_clear_pointer (&self->runs, g_ptr_array_unref);
  g_ptr_array_unref (self->series);
  g_hash_table_unref (self->events);
  g_array_unref (self->caught_up);
  g_free (self);
}

/* What there is past @from; TRUE in @all: nothing is left. */
static gboolean
read_values (SluiceStore *store, SluiceSeriesNews *news, gint64 from, gboolean *all, GError **error)
{
  *all = TRUE;
  if (news->info->kind != SLUICE_SERIES_SCALAR)
    {
      news->items =
          sluice_store_read_records (store, news->info, from, SLUICE_RUN_MAX_ITEMS, error);
      return news->items != NULL;
    }
  news->points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (!sluice_store_read_points (store, news->info->id, from, MAX_POINTS, news->points, error))
    return FALSE;
  *all = news->points->len < MAX_POINTS;
  return TRUE;
}

/* Steps that came lie before the last one that is known: only an imported log has that. */
static gboolean
goes_back (const SluiceKnownSeries *known, const SluiceSeriesInfo *info)
{
  return info->n_segments > known->n_segments
         || (info->n_segments > 1 && info->last_step == known->last_step
             && info->n_points != known->n_points);
}

/* Takes @info. */
static gboolean
read_series (SluiceStore *store,
             SluiceWorkspaceNews *batch,
             const SluiceKnownSeries *known,
             SluiceSeriesInfo *info,
             GError **error)
{
  gint64 last = known != NULL ? known->last_step : G_MININT64;
  gboolean wanted = known != NULL ? known->wanted : sluice_run_row_shows (info->tag);
  gboolean restart =
      last != G_MININT64 && (info->last_step < last || (known != NULL && goes_back (known, info)));
  gboolean has_new = info->n_points > 0 && (restart || info->last_step > last);
  gboolean all = TRUE;
  SluiceSeriesNews *news = g_new0 (SluiceSeriesNews, 1);
  *news = (SluiceSeriesNews){ .run = info->run, .info = info, .restart = restart };
  if (known == NULL || restart || (wanted && has_new))
    g_ptr_array_add (batch->series, news);
  if (wanted && has_new
      && !read_values (store, news, restart || last == G_MININT64 ? G_MININT64 : last + 1, &all,
                       error))
    return FALSE;
  if (wanted && all)
    g_array_append_val (batch->caught_up, info->id);
  batch->more |= !all;
  if (known != NULL && !restart && !(wanted && has_new))
    series_news_free (news);
  return TRUE;
}

static gboolean
read_run (SluiceStore *store,
          SluiceWorkspaceNews *batch,
          GHashTable *known,
          const SluiceRunInfo *run,
          GError **error)
{
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run->id, error);
  GPtrArray *events = series != NULL ? sluice_store_read_events (store, run->id, error) : NULL;
  if (events == NULL)
    return FALSE;
  g_hash_table_insert (batch->events, g_memdup2 (&run->id, sizeof run->id), events);
  while (series->len > 0)
    {
      SluiceSeriesInfo *info = g_ptr_array_steal_index_fast (series, series->len - 1);
      if (!sluice_run_has_card (info->kind))
        sluice_series_info_free (info);
      else if (!read_series (store, batch, g_hash_table_lookup (known, &info->id), info, error))
        return FALSE;
    }
  return TRUE;
}

SluiceWorkspaceNews *
sluice_workspace_news_read (SluiceStore *store, GHashTable *known, GError **error)
{
  g_autoptr (SluiceWorkspaceNews) batch = g_new0 (SluiceWorkspaceNews, 1);
  batch->series = g_ptr_array_new_with_free_func (series_news_free);
  batch->events = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                         (GDestroyNotify) g_ptr_array_unref);
  batch->caught_up = g_array_new (FALSE, FALSE, sizeof (gint64));
  batch->runs = sluice_store_dup_runs (store, error);
  for (guint i = 0; batch->runs != NULL && i < batch->runs->len; i++)
    if (!read_run (store, batch, known, batch->runs->pdata[i], error))
      return NULL;
  return batch->runs != NULL ? g_steal_pointer (&batch) : NULL;
}
