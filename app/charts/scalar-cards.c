/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/scalar-cards.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/event-words.h"
#include "app/status-text.h"
#include "ui/chart/chart-card.h"

static void
set_x_name (const SluiceTagCard *self, SluiceChart *chart)
{
  const char *tag = self->choice->x_tag;
  if (tag != NULL)
    sluice_chart_set_x_name (chart, tag, sluice_tag_unit (tag));
}

/* A loss beside an accuracy is no percentage. */
static void
set_unit (const SluiceTagCard *self, SluiceChart *chart)
{
  SluiceUnit unit = sluice_tag_unit (self->tag);
  for (guint i = 0; i < self->others->len; i++)
    if (sluice_tag_unit (self->others->pdata[i]) != unit)
      unit = SLUICE_UNIT_NONE;
  sluice_chart_set_unit (chart, unit);
}

static GtkWidget *
create_scalars (SluiceTagCard *self)
{
  GtkWidget *widget = sluice_chart_card_new (self->tag);
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (widget));
  set_x_name (self, chart);
  return widget;
}

/* What is not in it is a note. Checkpoints and texts come as regularly as the grid. */
static SluiceEventKind
get_event_kind (const SluiceEvent *event)
{
  static const struct
  {
    const char *name;
    SluiceEventKind kind;
  } kinds[] = {
    { N_ ("failed"), SLUICE_EVENT_FAILURE },
    { N_ ("damaged"), SLUICE_EVENT_FAILURE },
    { N_ ("alert"), SLUICE_EVENT_FAILURE },
    { N_ ("resume"), SLUICE_EVENT_NOTE },
    { N_ ("data-changed"), SLUICE_EVENT_NOTE },
    { N_ ("input-ended"), SLUICE_EVENT_NOTE },
    { N_ ("set"), SLUICE_EVENT_NOTE },
    { N_ ("fork"), SLUICE_EVENT_NOTE },
    { N_ ("edit"), SLUICE_EVENT_NOTE },
    { N_ ("put"), SLUICE_EVENT_NOTE },
    { N_ ("inject"), SLUICE_EVENT_NOTE },
    { N_ ("edit-undone"), SLUICE_EVENT_NOTE },
    { N_ ("not-saved"), SLUICE_EVENT_FAILURE },
    { N_ ("stopped-early"), SLUICE_EVENT_NOTE },
    { N_ ("checkpoint"), SLUICE_EVENT_QUIET },
    { N_ ("init-from"), SLUICE_EVENT_QUIET },
    { N_ ("audit"), SLUICE_EVENT_QUIET },
    { N_ ("files"), SLUICE_EVENT_QUIET },
    { N_ ("not-removed"), SLUICE_EVENT_QUIET },
    { SLUICE_EVENT_TEXT, SLUICE_EVENT_QUIET },
    { N_ ("not-recorded"), SLUICE_EVENT_QUIET },
    { N_ ("placed-again"), SLUICE_EVENT_NOTE },
    { N_ ("not-placed-again"), SLUICE_EVENT_NOTE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (event->kind, kinds[i].name) == 0)
      return kinds[i].kind;
  return SLUICE_EVENT_NOTE;
}

static void
take_events (SluiceChart *chart, SluiceRun *run, SluiceTaken *taken)
{
  GPtrArray *events = sluice_run_get_events (run);
  guint n_restarts = sluice_run_get_n_event_restarts (run);
  if (taken->n_events > 0 && taken->n_event_restarts != n_restarts) /* the run went back */
    {
      sluice_chart_clear_events (chart, taken->series);
      taken->n_events = 0;
    }
  taken->n_event_restarts = n_restarts;
  for (; taken->n_events < events->len; taken->n_events++)
    {
      SluiceEvent *event = events->pdata[taken->n_events];
      if (strcmp (event->kind, SLUICE_FLIGHT_EVENT) == 0)
        continue; /* slow steps would be marks among those that people look for */
      g_autofree char *words = sluice_event_words (event);
      sluice_chart_add_event (chart, taken->series, get_event_kind (event), event->base.step,
                              event->base.wall, _ (event->kind), words);
    }
}

/* Dark, light, darker, lighter …: so many tags are told from each other, and from other runs. */
static SluiceColor
get_shade (SluiceRun *run, guint i)
{
  double v = i % 2 == 0 ? 0 : 1;
  return sluice_color_mix (sluice_run_get_color (run), (SluiceColor){ v, v, v, 1 },
                           MIN (0.75, 0.4 + 0.15 * (i / 2)));
}

/* (transfer full): of a curve, where several tags are in one chart. */
static char *
dup_curve_name (const SluiceTagCard *self, SluiceRun *run, const char *tag)
{
  const char *name = sluice_run_get_info (run)->name;
  /* Translators: a run, a tag. */
  return self->others->len > 0 ? g_strdup_printf (_ ("%s · %s"), name, tag) : g_strdup (name);
}

/* ---- means of seeds ---- */

static gboolean
is_member (const SluiceTagCard *self, SluiceRun *run)
{
  const SluiceRunSeries *series = sluice_run_find_series (run, self->tag);
  return series != NULL && series->buffer != NULL;
}

/* Where several tags are in a chart, they are those of each run. */
static const SluiceSeedGroup *
find_group (const SluiceTagCard *self, SluiceRun *run, guint *n_members)
{
  const SluiceSeedGroup *group =
      self->others->len == 0 ? sluice_seed_groups_find (self->choice->groups, run) : NULL;
  *n_members = 0;
  for (guint i = 0; group != NULL && i < group->runs->len; i++)
    *n_members += is_member (self, group->runs->pdata[i]);
  if (*n_members < 2 || !is_member (self, run))
    {
      *n_members = 0;
      return NULL;
    }
  return group;
}

static guint
add_mean (SluiceTagCard *self, const SluiceSeedGroup *group)
{
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget));
  gboolean range = self->choice->seeds == SLUICE_SEEDS_RANGE;
  g_autoptr (SluiceSeriesSource) mean =
      sluice_mean_source_new (range ? SLUICE_SPREAD_RANGE : SLUICE_SPREAD_DEVIATION);
  guint n = 0;
  for (guint i = 0; i < group->runs->len; i++)
    {
      SluiceRun *run = group->runs->pdata[i];
      const SluiceRunSeries *series = sluice_run_find_series (run, self->tag);
      if (!is_member (self, run))
        continue;
      sluice_mean_source_add (mean, sluice_run_get_info (run)->name,
                              sluice_series_buffer_as_source (series->buffer));
      n++;
    }
  /* Translators: a name, of how many runs the curve is the mean; what its band covers. */
  g_autofree char *name = g_strdup_printf (
      range ? _ ("%s × %u, least to greatest") : _ ("%s × %u, ± deviation"), group->name, n);
  return sluice_chart_add_series (chart, name, sluice_run_get_color (group->runs->pdata[0]), mean);
}

/* The curve of a run or of its group; what was taken of it is to be taken again. */
static void
drop_curve (SluiceTagCard *self, SluiceTaken *taken)
{
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget));
  const SluiceSeedGroup *group = taken->group;
  guint series = taken->series;
  GHashTableIter iter;
  gpointer other;
  if (series == 0)
    return;
  sluice_chart_remove_series (chart, series);
  if (group != NULL)
    g_hash_table_remove (self->means, group);
  g_hash_table_iter_init (&iter, self->taken);
  while (g_hash_table_iter_next (&iter, NULL, &other))
    if (((SluiceTaken *) other)->series == series)
      {
        taken = other;
        taken->series = taken->n_events = taken->n_members = 0;
        taken->group = NULL;
      }
}

/* FALSE: the run has a curve of its own. */
static gboolean
take_mean (SluiceTagCard *self, SluiceRun *run, SluiceTaken *taken)
{
  guint n;
  const SluiceSeedGroup *group = find_group (self, run, &n);
  if (taken->group != group || taken->n_members != n)
    drop_curve (self, taken);
  if (group == NULL)
    return FALSE;
  gpointer id = g_hash_table_lookup (self->means, group);
  if (id == NULL)
    {
      id = GUINT_TO_POINTER (add_mean (self, group));
      g_hash_table_insert (self->means, (gpointer) group, id);
    }
  taken->series = GPOINTER_TO_UINT (id);
  taken->group = group;
  taken->n_members = n;
  return TRUE;
}

/* ---- what is taken of a run ---- */

static void
take_others (SluiceTagCard *self, SluiceRun *run, SluiceTaken *taken)
{
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget));
  if (taken->by_series == NULL)
    taken->by_series = g_hash_table_new (NULL, NULL);
  set_unit (self, chart);
  for (guint i = 0; i < self->others->len; i++)
    {
      SluiceRunSeries *series = sluice_run_find_series (run, self->others->pdata[i]);
      if (series == NULL || series->kind != SLUICE_SERIES_SCALAR
          || g_hash_table_contains (taken->by_series, series))
        continue;
      g_autofree char *name = dup_curve_name (self, run, series->tag);
      guint id = sluice_chart_add_series (chart, name, get_shade (run, i),
                                          sluice_series_buffer_as_source (series->buffer));
      g_hash_table_insert (taken->by_series, series, GUINT_TO_POINTER (id));
      taken->x = NULL; /* it has none yet */
    }
}

/* The series of the run that the axis shows: other tags' may come later than the first point. */
static void
take_x (SluiceTagCard *self, SluiceRun *run, SluiceTaken *taken)
{
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget));
  const char *tag = self->choice->x_tag;
  SluiceRunSeries *x = tag != NULL ? sluice_run_find_series (run, tag) : NULL;
  SluiceSeriesSource *source =
      x != NULL && x->buffer != NULL ? sluice_series_buffer_as_source (x->buffer) : NULL;
  GHashTableIter iter;
  gpointer id;
  if (taken->x == x)
    return;
  taken->x = x;
  set_x_name (self, chart);
  if (taken->series != 0)
    sluice_chart_set_series_x (chart, taken->series, source);
  if (taken->by_series == NULL)
    return;
  g_hash_table_iter_init (&iter, taken->by_series);
  while (g_hash_table_iter_next (&iter, NULL, &id))
    sluice_chart_set_series_x (chart, GPOINTER_TO_UINT (id), source);
}

static void
take_scalars (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget));
  const SluiceRunInfo *info = sluice_run_get_info (run);
  SluiceTaken *taken = sluice_tag_card_ensure_taken (self, info->id);
  SluiceRunSeries *series = sluice_run_find_series (run, self->tag);
  g_autofree char *name = dup_curve_name (self, run, self->tag);
  gboolean is_mean = take_mean (self, run, taken);
  if (!is_mean && taken->series == 0 && series != NULL)
    {
      taken->series = sluice_chart_add_series (chart, name, sluice_run_get_color (run),
                                               sluice_series_buffer_as_source (series->buffer));
      taken->x = NULL;
    }
  take_others (self, run, taken);
  if (!is_mean)
    take_x (self, run, taken);
  if (taken->series == 0)
    return;
  if (front)
    {
      sluice_chart_set_front (chart, taken->series);
      sluice_chart_set_front_leads (chart, self->choice->front_leads);
      sluice_chart_set_expected_steps (chart, self->choice->front_leads ? info->n_steps : 0);
    }
  take_events (chart, run, taken);
}

static void
hide_scalars (SluiceTagCard *self, gint64 run)
{
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget));
  SluiceTaken *taken = g_hash_table_lookup (self->taken, &run);
  GHashTableIter iter;
  gpointer id;
  drop_curve (self, taken);
  if (taken->by_series != NULL)
    {
      g_hash_table_iter_init (&iter, taken->by_series);
      while (g_hash_table_iter_next (&iter, NULL, &id))
        sluice_chart_remove_series (chart, GPOINTER_TO_UINT (id));
    }
  g_hash_table_remove (self->taken, &run);
}

static void
mark_scalars (SluiceTagCard *self, gint64 run)
{
  const SluiceTaken *taken = g_hash_table_lookup (self->taken, &run);
  sluice_chart_set_marked (sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget)),
                           taken != NULL ? taken->series : 0);
  sluice_card_refresh (SLUICE_CARD (self->widget));
}

/* Of its own tag or one that was joined to it. */
static gboolean
has_scalars (const SluiceTagCard *self, SluiceRun *run)
{
  if (sluice_tag_card_has_series (self, run))
    return TRUE;
  for (guint i = 0; i < self->others->len; i++)
    {
      SluiceRunSeries *series = sluice_run_find_series (run, self->others->pdata[i]);
      if (series != NULL && series->kind == SLUICE_SERIES_SCALAR)
        return TRUE;
    }
  return FALSE;
}

static char *
dup_scalars_text (SluiceTagCard *self)
{
  return sluice_chart_dup_summary (sluice_chart_card_get_chart (SLUICE_CHART_CARD (self->widget)));
}

const SluiceTagCardKind sluice_tag_card_scalars = {
  .name = N_ ("scalars"),
  .create = create_scalars,
  .has = has_scalars,
  .take = take_scalars,
  .hide = hide_scalars,
  .mark = mark_scalars,
  .dup_text = dup_scalars_text,
  .shares = TRUE,
};
