/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/draw-charts.h"

#include <string.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/store/kinds/histogram.h"
#include "engine/store/store.h"
#include "ui/chart/chart.h"
#include "ui/common/export.h"
#include "ui/chart/histogram-chart.h"
#include "ui/chart/series-buffer.h"

/* Cards stand in rows of two. */
enum
{
  CARD_WIDTH = 560,
  CARD_HEIGHT = 320,
  GAP = 16,
  MAX_HISTOGRAMS = 40, /* ridges of a card; thinned evenly where there are more */
};

typedef struct
{
  SluiceChart *chart; /* or */
  SluiceHistogramChart *histogram;
} Card;

typedef struct
{
  GArray *cards; /* of Card */
  const SluiceTheme *theme;
} Board;

static void
card_clear (gpointer data)
{
  Card *card = data;
  g_clear_pointer (&card->chart, sluice_chart_free);
  g_clear_pointer (&card->histogram, sluice_histogram_chart_free);
}

static gboolean
add_scalars (Board *board,
             SluiceStore *store,
             const SluiceRunInfo *run,
             const SluiceSeriesInfo *series,
             SluiceColor color,
             GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (!sluice_store_read_points (store, series->id, G_MININT64, G_MAXSIZE, points, error))
    return FALSE;
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  for (guint i = 0; i < points->len; i++)
    {
      SluiceScalar *p = &g_array_index (points, SluiceScalar, i);
      sluice_series_buffer_append (buffer, p->step, p->wall, p->value);
    }
  Card card = { .chart = sluice_chart_new () };
  sluice_chart_set_title (card.chart, series->tag);
  sluice_chart_add_series (card.chart, run->name, color, sluice_series_buffer_as_source (buffer));
  sluice_chart_set_expected_steps (card.chart, run->n_steps);
  sluice_chart_prepare (card.chart, -1);
  g_array_append_val (board->cards, card);
  return TRUE;
}

static gboolean
add_histograms (Board *board,
                SluiceStore *store,
                const SluiceRunInfo *run,
                const SluiceSeriesInfo *series,
                SluiceColor color,
                GError **error)
{
  g_autoptr (GPtrArray) items =
      sluice_store_read_records (store, series, G_MININT64, MAX_HISTOGRAMS, error);
  if (items == NULL)
    return FALSE;
  Card card = { .histogram = sluice_histogram_chart_new () };
  sluice_histogram_chart_set_title (card.histogram, series->tag);
  guint id = sluice_histogram_chart_add_run (card.histogram, run->name, color);
  for (guint i = 0; i < items->len; i++)
    {
      SluiceHistogram *h = items->pdata[i];
      sluice_histogram_chart_append_proto (card.histogram, id, h->base.step, h->min, h->max, h->n,
                                           h->limits, h->counts);
    }
  g_array_append_val (board->cards, card);
  return TRUE;
}

static void
draw_board (cairo_t *cr, double width, double height, gboolean vector, gpointer data)
{
  Board *board = data;
  SluiceColor ground = board->theme->window;
  cairo_set_source_rgb (cr, ground.r, ground.g, ground.b);
  cairo_paint (cr);
  for (guint i = 0; i < board->cards->len; i++)
    {
      Card *card = &g_array_index (board->cards, Card, i);
      SluiceChartFlags flags = SLUICE_CHART_FRAME | SLUICE_CHART_TITLE
                               | (vector ? SLUICE_CHART_VECTOR : (SluiceChartFlags) 0);
      cairo_save (cr);
      cairo_translate (cr, GAP + (i % 2) * (CARD_WIDTH + GAP), GAP + (i / 2) * (CARD_HEIGHT + GAP));
      if (card->chart != NULL)
        sluice_chart_render (card->chart, cr, CARD_WIDTH, CARD_HEIGHT, board->theme, flags);
      else
        sluice_histogram_chart_render (card->histogram, cr, CARD_WIDTH, CARD_HEIGHT, board->theme,
                                       flags);
      cairo_restore (cr);
    }
}

static SluiceRunInfo *
find_run (SluiceStore *store, const char *project, const char *name, GError **error)
{
  if (name != NULL)
    return sluice_store_dup_run (store, name, error);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, error);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    if (g_strcmp0 (((SluiceRunInfo *) runs->pdata[i])->project, project) == 0)
      return sluice_run_info_copy (runs->pdata[i]);
  if (runs != NULL)
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                 "'%s' has no run of project '%s'; train it first, or name one with --run",
                 sluice_store_get_workspace (store), project);
  return NULL;
}

static gboolean
fill_board (Board *board, SluiceStore *store, const SluiceRunInfo *run, GError **error)
{
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run->id, error);
  gboolean ok = series != NULL;
  for (guint i = 0; ok && i < series->len; i++)
    {
      SluiceSeriesInfo *info = series->pdata[i];
      SluiceColor color = sluice_palette_color (0);
      if (info->n_points > 0 && info->kind == SLUICE_SERIES_SCALAR)
        ok = add_scalars (board, store, run, info, color, error);
      else if (info->n_points > 0 && info->kind == SLUICE_SERIES_HISTOGRAM)
        ok = add_histograms (board, store, run, info, color, error);
    }
  return ok
         && (board->cards->len > 0
             || sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "run '%s' has no points yet",
                             run->name));
}

gboolean
sluice_cli_draw_charts (const char *workspace,
                        const char *project,
                        const char *run,
                        const char *path,
                        gboolean dark,
                        GError **error)
{
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (workspace, error);
  g_autoptr (SluiceRunInfo) info = store != NULL ? find_run (store, project, run, error) : NULL;
  if (info == NULL)
    return FALSE;
  Board board = { .cards = g_array_new (FALSE, TRUE, sizeof (Card)) };
  g_array_set_clear_func (board.cards, card_clear);
  board.theme = sluice_theme_get (dark ? SLUICE_THEME_DARK : SLUICE_THEME_LIGHT);
  gboolean ok = fill_board (&board, store, info, error);
  if (ok)
    {
      guint columns = MIN (board.cards->len, 2), rows = (board.cards->len + 1) / 2;
      ok = sluice_export_named_picture (path, GAP + columns * (CARD_WIDTH + GAP),
                                        GAP + rows * (CARD_HEIGHT + GAP), 2, draw_board, &board,
                                        error);
    }
  g_array_unref (board.cards);
  return ok;
}
