/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/workspace-read.h"

#include "app/run.h"
#include "engine/store/run-control.h"

/* Points read at once: a slice of a long series, so that the first ones show while the rest is on
 * its way. */
#define MAX_POINTS 200000

/* What was read of a series. */
typedef struct
{
  gint64 id;
  gint64 last_step; /* G_MININT64: nothing */
  gint64 n_points;  /* counts only where there are several segments */
  guint n_segments;
  gboolean wanted;
  gboolean stale; /* what the window has of it is not what was read */
} KnownSeries;

/* What was read of a run. */
typedef struct
{
  gint64 id;
  gint64 number;  /* of sluice_store_dup_changes(); -1: it is to be read */
  GArray *series; /* of gint64: those that are known */
  SluiceEventMark events;
  SluiceRunInfo *info;
  guint seen; /* by which reading */
} KnownRun;

struct _SluiceWorkspaceReader
{
  SluiceStore *store;
  GHashTable *series; /* gint64 -> KnownSeries */
  GHashTable *runs;   /* gint64 -> KnownRun */
  GArray *rest;       /* of SluiceSeriesWant: series of which not everything was read */
  gint64 version;     /* of the store, up to which all was read */
  gboolean has_read;  /* anything of that version */
  guint n_readings;
};

static void
series_news_free (gpointer data)
{
  SluiceSeriesNews *news = data;
  sluice_series_info_free (news->info);
  g_clear_pointer (&news->points, g_array_unref);
  g_clear_pointer (&news->items, g_ptr_array_unref);
  g_free (news);
}

static void
events_news_free (gpointer data)
{
  SluiceEventNews *news = data;
  g_clear_pointer (&news->events, g_ptr_array_unref);
  g_free (news);
}

void
sluice_workspace_news_free (SluiceWorkspaceNews *self)
{
  g_clear_pointer (&self->runs, g_ptr_array_unref);
  g_ptr_array_unref (self->series);
  g_ptr_array_unref (self->events);
  g_array_unref (self->caught_up);
  g_free (self);
}

static SluiceWorkspaceNews *
news_new (void)
{
  SluiceWorkspaceNews *self = g_new0 (SluiceWorkspaceNews, 1);
  self->series = g_ptr_array_new_with_free_func (series_news_free);
  self->events = g_ptr_array_new_with_free_func (events_news_free);
  self->caught_up = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

/* ---- what is known ---- */

static void
known_run_free (gpointer data)
{
  KnownRun *run = data;
  g_array_unref (run->series);
  g_clear_pointer (&run->info, sluice_run_info_free); /* none since it is to be read anew */
  g_free (run);
}

SluiceWorkspaceReader *
sluice_workspace_reader_new (SluiceStore *store)
{
  SluiceWorkspaceReader *self = g_atomic_rc_box_new0 (SluiceWorkspaceReader);
  self->store = g_object_ref (store);
  self->series = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  self->runs = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, known_run_free);
  self->rest = g_array_new (FALSE, FALSE, sizeof (SluiceSeriesWant));
  return self;
}

SluiceWorkspaceReader *
sluice_workspace_reader_ref (SluiceWorkspaceReader *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
reader_clear (gpointer data)
{
  SluiceWorkspaceReader *self = data;
  g_object_unref (self->store);
  g_hash_table_unref (self->series);
  g_hash_table_unref (self->runs);
  g_array_unref (self->rest);
}

void
sluice_workspace_reader_unref (SluiceWorkspaceReader *self)
{
  g_atomic_rc_box_release_full (self, reader_clear);
}

static KnownSeries *
ensure_series (SluiceWorkspaceReader *self, const SluiceSeriesInfo *info, gboolean *is_new)
{
  KnownSeries *known = g_hash_table_lookup (self->series, &info->id);
  KnownRun *run = g_hash_table_lookup (self->runs, &info->run);
  *is_new = known == NULL;
  if (known != NULL)
    return known;
  known = g_new0 (KnownSeries, 1);
  *known = (KnownSeries){ .id = info->id,
                          .last_step = G_MININT64,
                          .n_segments = info->n_segments,
                          .wanted = sluice_run_row_shows (info->tag) };
  g_hash_table_insert (self->series, &known->id, known);
  if (run != NULL)
    g_array_append_val (run->series, info->id);
  return known;
}

/* What is wanted stays so. */
static void
forget_values (SluiceWorkspaceReader *self)
{
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, self->series);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      KnownSeries *known = value;
      known->last_step = G_MININT64;
      known->n_points = 0;
      known->stale = TRUE;
    }
  g_hash_table_iter_init (&iter, self->runs);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      KnownRun *run = value;
      run->number = -1;
      /* None has that mark: all of them come, and take the place of what the window has. */
      run->events = (SluiceEventMark){ .n = -1 };
      g_clear_pointer (&run->info, sluice_run_info_free);
    }
  g_array_set_size (self->rest, 0);
  self->has_read = FALSE;
}

/* ---- one series ---- */

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
goes_back (const KnownSeries *known, const SluiceSeriesInfo *info)
{
  return info->n_segments > known->n_segments
         || (info->n_segments > 1 && info->last_step == known->last_step
             && info->n_points != known->n_points);
}

/* The window has it from now on. */
static void
note_values (KnownSeries *known, const SluiceSeriesNews *news)
{
  const GArray *points = news->points;
  if (news->restart)
    {
      known->last_step = G_MININT64;
      known->n_points = 0;
    }
  known->stale = FALSE;
  known->n_segments = news->info->n_segments;
  if (news->items != NULL)
    {
      known->last_step = news->info->last_step;
      known->n_points = news->info->n_points;
    }
  else if (points != NULL && points->len > 0)
    {
      known->last_step = g_array_index (points, SluiceScalar, points->len - 1).step;
      known->n_points += points->len;
    }
}

/* Takes @info. */
static gboolean
read_series (SluiceWorkspaceReader *self,
             SluiceWorkspaceNews *batch,
             SluiceSeriesInfo *info,
             GError **error)
{
  gboolean is_new;
  KnownSeries *known = ensure_series (self, info, &is_new);
  gint64 last = known->last_step;
  gboolean restart =
      known->stale || (last != G_MININT64 && (info->last_step < last || goes_back (known, info)));
  gboolean has_new = info->n_points > 0 && (restart || info->last_step > last);
  gboolean all = TRUE;
  if (known->wanted && !has_new)
    g_array_append_val (batch->caught_up, info->id);
  if (!is_new && !restart && !(known->wanted && has_new))
    {
      sluice_series_info_free (info);
      return TRUE;
    }
  SluiceSeriesNews *news = g_new0 (SluiceSeriesNews, 1);
  *news = (SluiceSeriesNews){ .run = info->run, .info = info, .restart = restart };
  g_ptr_array_add (batch->series, news);
  if (known->wanted && has_new
      && !read_values (self->store, news, restart || last == G_MININT64 ? G_MININT64 : last + 1,
                       &all, error))
    return FALSE;
  note_values (known, news);
  const SluiceSeriesWant rest = { info->run, info->id, TRUE };
  if (!all)
    g_array_append_val (self->rest, rest);
  else if (known->wanted && has_new)
    g_array_append_val (batch->caught_up, info->id);
  batch->more |= !all;
  return TRUE;
}

/* Those that somebody asked for or that are not read to their end, of runs that did not change. */
static gboolean
read_asked (SluiceWorkspaceReader *self,
            SluiceWorkspaceNews *batch,
            const GArray *asked,
            GError **error)
{
  for (guint i = 0; i < asked->len; i++)
    {
      const SluiceSeriesWant *want = &g_array_index (asked, SluiceSeriesWant, i);
      const KnownRun *run = g_hash_table_lookup (self->runs, &want->run);
      SluiceSeriesInfo *info = NULL;
      if (run != NULL && run->seen == self->n_readings)
        continue; /* read with its run */
      if (run != NULL
          && !sluice_store_dup_extent (self->store, want->run, want->series, &info, error))
        return FALSE;
      if (info == NULL)
        g_array_append_val (batch->caught_up, want->series); /* it is gone */
      else if (!read_series (self, batch, info, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- runs ---- */

static gboolean
read_events (SluiceWorkspaceReader *self, SluiceWorkspaceNews *batch, KnownRun *run, GError **error)
{
  gboolean anew;
  g_autoptr (GPtrArray) events =
      sluice_store_read_new_events (self->store, run->id, &run->events, &anew, error);
  if (events == NULL)
    return FALSE;
  if (events->len == 0 && !anew)
    return TRUE;
  SluiceEventNews *news = g_new (SluiceEventNews, 1);
  *news = (SluiceEventNews){ run->id, g_steal_pointer (&events), anew };
  g_ptr_array_add (batch->events, news);
  return TRUE;
}

static gboolean
read_run (SluiceWorkspaceReader *self, SluiceWorkspaceNews *batch, KnownRun *run, GError **error)
{
  g_autoptr (GPtrArray) series = sluice_store_dup_extents (self->store, run->id, error);
  if (series == NULL || !read_events (self, batch, run, error))
    return FALSE;
  while (series->len > 0)
    {
      SluiceSeriesInfo *info = g_ptr_array_steal_index_fast (series, series->len - 1);
      if (!sluice_run_has_card (info->kind))
        sluice_series_info_free (info);
      else if (!read_series (self, batch, info, error))
        return FALSE;
    }
  return TRUE;
}

/* A run that is in the trash has all to be read again where it comes back. */
static void
forget_run (SluiceWorkspaceReader *self, const KnownRun *run)
{
  for (guint i = 0; i < run->series->len; i++)
    g_hash_table_remove (self->series, &g_array_index (run->series, gint64, i));
  g_hash_table_remove (self->runs, &run->id);
}

static gboolean
forget_others (SluiceWorkspaceReader *self, GPtrArray *infos)
{
  g_autoptr (GHashTable) there = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GPtrArray) gone = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer run;
  for (guint i = 0; i < infos->len; i++)
    g_hash_table_add (there, &((SluiceRunInfo *) infos->pdata[i])->id);
  g_hash_table_iter_init (&iter, self->runs);
  while (g_hash_table_iter_next (&iter, NULL, &run))
    if (!g_hash_table_contains (there, &((KnownRun *) run)->id))
      g_ptr_array_add (gone, run);
  for (guint i = 0; i < gone->len; i++)
    forget_run (self, gone->pdata[i]);
  return gone->len > 0;
}

/* TRUE: the window has another one, or none. */
static gboolean
note_run (SluiceWorkspaceReader *self, const SluiceRunInfo *info, gboolean *is_new)
{
  KnownRun *run = g_hash_table_lookup (self->runs, &info->id);
  if (run == NULL)
    {
      run = g_new0 (KnownRun, 1);
      run->id = info->id;
      run->number = -1;
      run->series = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_hash_table_insert (self->runs, &run->id, run);
    }
  *is_new |= run->info == NULL;
  if (run->info != NULL && sluice_run_info_says_same (run->info, info))
    return FALSE;
  g_clear_pointer (&run->info, sluice_run_info_free);
  run->info = sluice_run_info_copy (info);
  return TRUE;
}

static void
note_runs (SluiceWorkspaceReader *self, SluiceWorkspaceNews *batch, GPtrArray *take_infos)
{
  gboolean others = forget_others (self, take_infos);
  g_autoptr (GPtrArray) changed =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  for (guint i = 0; i < take_infos->len; i++)
    if (note_run (self, take_infos->pdata[i], &others))
      g_ptr_array_add (changed, sluice_run_info_copy (take_infos->pdata[i]));
  batch->has_all_runs = others;
  batch->runs = others ? g_ptr_array_ref (take_infos) : g_steal_pointer (&changed);
  g_ptr_array_unref (take_infos);
}

static gboolean
read_runs (SluiceWorkspaceReader *self, SluiceWorkspaceNews *batch, GError **error)
{
  g_autoptr (GHashTable) changes = sluice_store_dup_changes (self->store, error);
  GPtrArray *infos = changes != NULL ? sluice_store_dup_runs (self->store, error) : NULL;
  if (infos == NULL)
    return FALSE;
  g_autoptr (GPtrArray) order = g_ptr_array_ref (infos);
  note_runs (self, batch, infos);
  for (guint i = 0; i < order->len; i++)
    {
      gint64 id = ((SluiceRunInfo *) order->pdata[i])->id;
      KnownRun *run = g_hash_table_lookup (self->runs, &id);
      const gint64 *number = g_hash_table_lookup (changes, &id);
      gint64 now = number != NULL ? *number : 0;
      if (run->number == now)
        continue;
      if (!read_run (self, batch, run, error))
        return FALSE;
      run->number = now;
      run->seen = self->n_readings;
    }
  return TRUE;
}

/* What is asked for now: (transfer full) (element-type SluiceSeriesWant) */
static GArray *
take_wants (SluiceWorkspaceReader *self, const GArray *wants)
{
  GArray *asked = g_array_copy (self->rest);
  g_array_set_size (self->rest, 0);
  for (guint i = 0; i < wants->len; i++)
    {
      const SluiceSeriesWant *want = &g_array_index (wants, SluiceSeriesWant, i);
      KnownSeries *known = g_hash_table_lookup (self->series, &want->series);
      if (known != NULL)
        known->wanted = want->wanted;
      if (want->wanted)
        g_array_append_val (asked, *want);
    }
  return asked;
}

static void
forget_unlisted (SluiceWorkspaceReader *self, const GArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const KnownRun *run = g_hash_table_lookup (self->runs, &g_array_index (runs, gint64, i));
      if (run != NULL)
        forget_run (self, run);
      self->has_read = FALSE;
    }
}

/* Who loses the process that trained it writes nothing any more: no other version tells of it. */
static gboolean
has_lost_run (SluiceWorkspaceReader *self)
{
  GHashTableIter iter;
  gpointer known;
  g_hash_table_iter_init (&iter, self->runs);
  while (g_hash_table_iter_next (&iter, NULL, &known))
    {
      const SluiceRunInfo *info = ((const KnownRun *) known)->info;
      if (info != NULL && (info->state == SLUICE_RUN_RUNNING || info->state == SLUICE_RUN_PAUSED)
          && sluice_run_control_is_over (self->store, info->id))
        return TRUE;
    }
  return FALSE;
}

SluiceWorkspaceNews *
sluice_workspace_reader_read (SluiceWorkspaceReader *self,
                              const SluiceWorkspaceAsk *ask,
                              GError **error)
{
  g_autoptr (SluiceWorkspaceNews) batch = news_new ();
  gint64 version;
  g_autoptr (GArray) asked = take_wants (self, ask->wants);
  self->n_readings++;
  if (ask->anew)
    forget_values (self);
  forget_unlisted (self, ask->unlisted);
  /* Asked first: what is committed meanwhile is another version. */
  gboolean ok = sluice_store_read_version (self->store, &version, error)
                && ((self->has_read && version == self->version && !has_lost_run (self))
                    || read_runs (self, batch, error))
                && read_asked (self, batch, asked, error);
  if (!ok)
    {
      forget_values (self);
      return NULL;
    }
  self->version = version;
  self->has_read = TRUE;
  return g_steal_pointer (&batch);
}
