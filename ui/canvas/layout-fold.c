/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/layout-private.h"

#include <math.h>
#include <string.h>

#include "ui/canvas/path.h"

/* Long drawings are folded as text is set in columns: the rows are cut into bands that stand side
 * by side and all begin at the same height. A line over a cut leaves at the end of its band, goes
 * back through the corridor beside it, each in a lane of its own, and enters the next band at its
 * beginning. Lanes are nested, so that no two lines cross that do not cross anyway. */

#define MAX_BANDS    10
#define LANE_GAP     22.0 /* between a band and the first lane beside it */
#define CORRIDOR_GAP 26.0 /* between what stands in a band and the corridor */
#define RADIUS       14.0
/* What another band must bring: then an edit seldom changes the number of bands. */
#define WORTH_WHILE 1.08
#define CUT_COST    30.0 /* pixels that a cut may lie off the middle to spare a line */

double
sluice_layout_fit (const SluiceLayoutOptions *options, double width, double height)
{
  return MIN (1, MIN (options->view_width / MAX (width + options->beside, 1),
                      options->view_height / MAX (height, 1)));
}

double
sluice_layout_get_row_limit (const SluiceLayoutOptions *options)
{
  return options->view_width > 0 ? options->view_width / SLUICE_LAYOUT_GOOD_FIT - options->beside
                                 : 0;
}

/* A row and the rows that it becomes, per column. Neighbours go to different ones: then each stands
 * below the gap between two others, and the lines past it lead straight on. */
typedef struct
{
  double width[2];
  guint n_rows[2], next[2], first;
} Wide;

void
sluice_layout_wrap_rows (
    guint n, const double *width, const guint *column, const guint *mate, double limit, guint *rank)
{
  guint n_ranks = 0, next = 0;
  for (guint v = 0; v < n; v++)
    n_ranks = MAX (n_ranks, rank[v] + 1);
  g_autofree Wide *rows = g_new0 (Wide, n_ranks + 1);
  g_autofree guint *row = g_new0 (guint, n + 1); /* within what its rank becomes */
  for (guint v = 0; v < n; v++)
    rows[rank[v]].width[column != NULL ? column[v] : 0] += width[v];
  for (guint r = 0; r < n_ranks; r++)
    {
      for (guint c = 0; c < 2; c++)
        rows[r].n_rows[c] = (guint) MAX (1, ceil (rows[r].width[c] / limit));
      rows[r].first = next;
      next += MAX (rows[r].n_rows[0], rows[r].n_rows[1]);
    }
  for (guint v = 0; v < n; v++)
    {
      Wide *wide = &rows[rank[v]];
      guint c = column != NULL ? column[v] : 0;
      row[v] = wide->next[c]++ % wide->n_rows[c];
    }
  for (guint v = 0; v < n && mate != NULL; v++)
    if (mate[v] < n && rank[mate[v]] == rank[v])
      row[v] = row[mate[v]];
  for (guint v = 0; v < n; v++)
    row[v] += rows[rank[v]].first;
  memcpy (rank, row, n * sizeof *rank);
}

/* ---- rows ---- */

void
sluice_bands_init (SluiceBands *self,
                   SluiceLayers **columns,
                   guint n_columns,
                   const double *widths,
                   const SluiceLayoutOptions *options)
{
  double y = 0;
  *self = (SluiceBands){ .columns = columns, .n_columns = n_columns, .n_bands = 1 };
  for (guint c = 0; c < n_columns; c++)
    self->n_rows = MAX (self->n_rows, columns[c]->n_ranks);
  self->top = g_new0 (double, self->n_rows + 1);
  self->bottom = g_new0 (double, self->n_rows + 1);
  self->band = g_new0 (guint, self->n_rows + 1);
  self->first_row = g_new0 (guint, 2);
  self->first_row[1] = self->n_rows;
  self->shift = g_new0 (double, n_columns + 1);
  for (guint c = 0; c < n_columns; c++)
    {
      const SluiceLayers *g = columns[c];
      for (guint v = 0; v < g->n; v++)
        self->bottom[g->rank[v]] = MAX (self->bottom[g->rank[v]], g->height[v]);
      self->shift[c] = self->width + (c > 0 ? options->column_gap : 0);
      self->width = self->shift[c] + widths[c];
    }
  for (guint r = 0; r < self->n_rows; r++)
    {
      self->top[r] = y;
      self->bottom[r] += y;
      y = self->bottom[r] + options->rank_gap;
    }
  self->height = self->n_rows > 0 ? self->bottom[self->n_rows - 1] : 0;
}

void
sluice_bands_clear (SluiceBands *self)
{
  for (guint c = 0; self->lane != NULL && c < self->n_columns; c++)
    g_free (self->lane[c]);
  g_free (self->lane);
  g_free (self->n_lanes);
  g_free (self->corridor);
  g_free (self->top);
  g_free (self->bottom);
  g_free (self->band);
  g_free (self->first_row);
  g_free (self->shift);
}

/* ---- where to cut ---- */

/* Lines from each row to the next one. */
static guint *
count_lines (const SluiceBands *self)
{
  guint *n = g_new0 (guint, self->n_rows + 1);
  for (guint c = 0; c < self->n_columns; c++)
    for (guint e = 0; e < self->columns[c]->n_edges; e++)
      n[self->columns[c]->rank[self->columns[c]->from[e]]]++;
  return n;
}

/* Cuts near where the bands would be equally high, through few lines. first_row: [n_bands + 1];
 * FALSE: there is no such cut. */
static gboolean
choose_cuts (const SluiceBands *self, const guint *n_lines, guint n_bands, guint *first_row)
{
  double height = self->height / n_bands;
  first_row[0] = 0;
  for (guint b = 1; b < n_bands; b++)
    {
      double best = G_MAXDOUBLE;
      first_row[b] = 0;
      for (guint r = first_row[b - 1]; r + 1 < self->n_rows; r++)
        {
          double off = fabs ((self->bottom[r] + self->top[r + 1]) / 2 - b * height);
          double cost = off + CUT_COST * n_lines[r];
          if (off > 0.4 * height || cost >= best)
            continue;
          best = cost;
          first_row[b] = r + 1;
        }
      if (first_row[b] == 0)
        return FALSE;
    }
  first_row[n_bands] = self->n_rows;
  return TRUE;
}

/* ---- bands side by side ---- */

/* What a column takes up in a band, from side to side; FALSE: nothing of it is there. */
static gboolean
measure_column (const SluiceLayers *g, guint first_row, guint end_row, double *left, double *right)
{
  *left = G_MAXDOUBLE;
  *right = -G_MAXDOUBLE;
  for (guint i = first_row < g->n_ranks ? g->rank_start[first_row] : g->n;
       i < (end_row < g->n_ranks ? g->rank_start[end_row] : g->n); i++)
    {
      guint v = g->order[i];
      *left = MIN (*left, g->x[v] - g->left[v]);
      *right = MAX (*right, g->x[v] + g->right[v]);
    }
  return *left <= *right;
}

/* Bands as they would stand: fills @shift [n_bands * n_columns] and @corridor [n_bands]; returns
 * the height, *@width, and in *@above how far lanes reach out before the first rows. */
static double
stand_side_by_side (const SluiceBands *self,
                    const SluiceLayoutOptions *options,
                    const guint *n_lines,
                    const guint *first_row,
                    guint n_bands,
                    double *shift,
                    double *corridor,
                    double *width,
                    double *above)
{
  double x = 0, height = 0;
  *above = 0;
  for (guint b = 0; b < n_bands; b++)
    {
      guint last = first_row[b + 1] - 1, lanes = b + 1 < n_bands ? n_lines[last] : 0;
      double reach = lanes > 0 ? LANE_GAP + (lanes - 1) * options->edge_gap : 0;
      gboolean any = FALSE;
      for (guint c = 0; c < self->n_columns; c++)
        {
          double left, right;
          shift[b * self->n_columns + c] = x + (any ? options->column_gap : 0);
          if (!measure_column (self->columns[c], first_row[b], last + 1, &left, &right))
            continue;
          x += any ? options->column_gap : 0;
          shift[b * self->n_columns + c] = x - left;
          x += right - left;
          any = TRUE;
        }
      *above = MAX (*above, reach);
      height = MAX (height, self->bottom[last] - self->top[first_row[b]] + reach);
      if (b + 1 == n_bands)
        break;
      corridor[b] = x + CORRIDOR_GAP;
      x = corridor[b] + (lanes > 0 ? (lanes - 1) * options->edge_gap : 0) + CORRIDOR_GAP;
    }
  *width = x;
  return height + *above;
}

/* Numbers the lines over each cut from left to right. */
static void
number_lanes (SluiceBands *self)
{
  self->lane = g_new0 (guint *, self->n_columns + 1);
  for (guint c = 0; c < self->n_columns; c++)
    self->lane[c] = g_new0 (guint, self->columns[c]->n_edges + 1);
  for (guint b = 0; b + 1 < self->n_bands; b++)
    {
      guint row = self->first_row[b + 1] - 1, n = 0;
      for (guint c = 0; c < self->n_columns; c++)
        {
          const SluiceLayers *g = self->columns[c];
          for (guint i = row < g->n_ranks ? g->rank_start[row] : g->n;
               i < (row < g->n_ranks ? g->rank_start[row + 1] : g->n); i++)
            for (guint k = g->out_start[g->order[i]]; k < g->out_start[g->order[i] + 1]; k++)
              self->lane[c][k] = n++;
        }
      self->n_lanes[b] = n;
    }
}

static void
take_bands (SluiceBands *self, const guint *first_row, guint n_bands, double above)
{
  g_free (self->first_row);
  self->first_row = g_memdup2 (first_row, (n_bands + 1) * sizeof *first_row);
  self->n_bands = n_bands;
  self->n_lanes = g_new0 (guint, n_bands + 1);
  for (guint b = 0; b < n_bands; b++)
    {
      double up = self->top[first_row[b]] - above;
      for (guint r = first_row[b]; r < first_row[b + 1]; r++)
        {
          self->band[r] = b;
          self->top[r] -= up;
          self->bottom[r] -= up;
        }
    }
  number_lanes (self);
}

void
sluice_bands_fold (SluiceBands *self, const SluiceLayoutOptions *options)
{
  double best = sluice_layout_fit (options, self->width, self->height), best_above = 0;
  guint cuts[MAX_BANDS + 1], best_cuts[MAX_BANDS + 1], n_best = 1;
  if (options->view_width <= 0 || best >= SLUICE_LAYOUT_GOOD_FIT || self->n_rows < 4)
    return;
  g_autofree guint *n_lines = count_lines (self);
  g_autofree double *shift = g_new0 (double, MAX_BANDS *(gsize) self->n_columns);
  double corridor[MAX_BANDS] = { 0 }, width, height, above;
  for (guint n = 2; n <= MIN (MAX_BANDS, self->n_rows / 2) && best < SLUICE_LAYOUT_GOOD_FIT; n++)
    {
      if (!choose_cuts (self, n_lines, n, cuts))
        continue;
      height =
          stand_side_by_side (self, options, n_lines, cuts, n, shift, corridor, &width, &above);
      double fit = sluice_layout_fit (options, width, height);
      if (fit < WORTH_WHILE * best)
        continue;
      best = fit;
      n_best = n;
      best_above = above;
      memcpy (best_cuts, cuts, sizeof cuts);
    }
  if (n_best == 1)
    return;
  g_free (self->shift);
  self->shift = g_new0 (double, n_best *(gsize) self->n_columns);
  self->corridor = g_new0 (double, n_best);
  self->height = stand_side_by_side (self, options, n_lines, best_cuts, n_best, self->shift,
                                     self->corridor, &self->width, &above);
  take_bands (self, best_cuts, n_best, best_above);
}

double
sluice_bands_left (const SluiceBands *self, guint column, guint band)
{
  double left, right, shift = self->shift[band * self->n_columns + column];
  return measure_column (self->columns[column], self->first_row[band], self->first_row[band + 1],
                         &left, &right)
                 && self->n_bands > 1
             ? shift + left
             : shift;
}

void
sluice_bands_route_over (const SluiceBands *self,
                         const SluiceLayoutOptions *options,
                         guint column,
                         guint from,
                         guint to,
                         GArray *points)
{
  const SluiceLayers *g = self->columns[column];
  guint row = g->rank[from], b = self->band[row], slot = g->out_start[from];
  while (slot + 1 < g->out_start[from + 1] && g->out[slot] != to)
    slot++;
  guint lane = MIN (self->lane[column][slot], MAX (self->n_lanes[b], 1) - 1);
  guint behind = MAX (self->n_lanes[b], 1) - 1 - lane;
  double x = self->x + sluice_bands_shift (self, column, row + 1) + g->x[to];
  double out = self->y + self->bottom[row] + LANE_GAP + behind * options->edge_gap;
  double in = self->y + self->top[row + 1] - LANE_GAP - lane * options->edge_gap;
  double side = self->x + self->corridor[b] + behind * options->edge_gap;
  SluicePoint start = g_array_index (points, SluicePoint, points->len - 1);
  SluicePoint via[] = { start,        { start.x, out }, { side, out },
                        { side, in }, { x, in },        { x, self->y + self->top[row + 1] } };
  sluice_path_follow (points, via, G_N_ELEMENTS (via), RADIUS);
}

/* ---- strips beside and below each other ---- */

static int
compare_strips (gconstpointer pa, gconstpointer pb, gpointer data)
{
  const SluiceBands *strips = data;
  guint a = *(const guint *) pa, b = *(const guint *) pb;
  if (strips[a].height != strips[b].height)
    return strips[a].height > strips[b].height ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* Rows of columns: the tallest strip opens a row, smaller ones are stacked beside it while they fit
 * below each other. */
static void
pack_into (SluiceBands *strips,
           const guint *order,
           guint n,
           double gap,
           double limit,
           double *width,
           double *height)
{
  double row_y = 0, row_height = 0, column_x = 0, column_width = 0, y = 0;
  *width = *height = 0;
  for (guint i = 0; i < n; i++)
    {
      SluiceBands *strip = &strips[order[i]];
      if (y > 0 && y + strip->height > row_height)
        {
          column_x += column_width + gap;
          column_width = y = 0;
        }
      if (i == 0 || column_x + strip->width > limit)
        {
          row_y += i == 0 ? 0 : row_height + gap;
          row_height = strip->height;
          column_x = column_width = y = 0;
        }
      strip->x = column_x;
      strip->y = row_y + y;
      y += strip->height + gap;
      column_width = MAX (column_width, strip->width);
      *width = MAX (*width, strip->x + strip->width);
      *height = MAX (*height, strip->y + strip->height);
    }
}

void
sluice_bands_pack (
    SluiceBands *strips, guint n, const SluiceLayoutOptions *options, double *width, double *height)
{
  /* Of the side of a square of the same area; the first one where nothing is better. */
  static const double limits[] = { 1.3, 1, 1.6, 2, 2.5, 3.2, 4.5 };
  g_autofree guint *order = g_new (guint, n + 1);
  double gap = 2 * options->node_gap, area = 0, widest = 0, best = 0;
  guint chosen = 0;
  for (guint i = 0; i < n; i++)
    {
      order[i] = i;
      area += (strips[i].width + gap) * (strips[i].height + gap);
      widest = MAX (widest, strips[i].width);
    }
  g_qsort_with_data (order, n, sizeof *order, compare_strips, strips);
  for (guint k = 0; k < G_N_ELEMENTS (limits) && options->view_width > 0 && n > 1; k++)
    {
      pack_into (strips, order, n, gap, MAX (widest, limits[k] * sqrt (area)), width, height);
      double fit = sluice_layout_fit (options, *width, *height);
      if (fit > 1.02 * best)
        {
          best = fit;
          chosen = k;
        }
    }
  pack_into (strips, order, n, gap, MAX (widest, limits[chosen] * sqrt (area)), width, height);
}
