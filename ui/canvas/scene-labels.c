/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/path.h"
#include "ui/canvas/scene-private.h"

#include <math.h>
#include <string.h>

#include "ui/canvas/text-metrics.h"

#define PLATE_HEIGHT  16.0
#define PLATE_PADDING 5.0
#define STUB_GAP      8.0
#define CELL          128.0

/* Plates already placed, in a hash of cells. */
typedef struct
{
  GArray *rects;         /* SluiceRect */
  GHashTable *cells;     /* cell -> GArray of indices into rects */
  GHashTable *stretches; /* of lines: key -> how many lead over it */
} Plates;

/* One to one, and mixed: GLib's direct hash looks at the low half only. */
static gpointer
cell_key (double x, double y)
{
  guint32 a = (guint32) (gint32) floor (x / CELL), b = (guint32) (gint32) floor (y / CELL);
  guint64 key = ((guint64) a << 32 | b) * 0x9e3779b97f4a7c15u;
  return GSIZE_TO_POINTER (key ^ key >> 32);
}

static gboolean
is_free (const Plates *plates, const SluiceRect *r)
{
  for (double y = r->y; y < r->y + r->height + CELL; y += CELL)
    for (double x = r->x; x < r->x + r->width + CELL; x += CELL)
      {
        const GArray *cell = g_hash_table_lookup (plates->cells, cell_key (x, y));
        for (guint i = 0; cell != NULL && i < cell->len; i++)
          if (sluice_rect_touches (
                  &g_array_index (plates->rects, SluiceRect, g_array_index (cell, guint, i)), r))
            return FALSE;
      }
  return TRUE;
}

static void
take_place (Plates *plates, const SluiceRect *r)
{
  guint index = plates->rects->len;
  g_array_append_val (plates->rects, *r);
  for (double y = r->y; y < r->y + r->height + CELL; y += CELL)
    for (double x = r->x; x < r->x + r->width + CELL; x += CELL)
      {
        gpointer key = cell_key (x, y);
        GArray *cell = g_hash_table_lookup (plates->cells, key);
        if (cell == NULL)
          {
            cell = g_array_new (FALSE, FALSE, sizeof (guint));
            g_hash_table_insert (plates->cells, key, cell);
          }
        g_array_append_val (cell, index);
      }
}

/* By where it begins and ends. Two that meet in a key cost a place for a plate, no more. */
static gpointer
stretch_key (const SluicePoint *s)
{
  guint64 key = 0;
  for (guint i = 0; i < 4; i += 3)
    key = (key ^ (guint64) (gint64) (s[i].x * 8) ^ (guint64) (gint64) (s[i].y * 8) << 32)
          * 0x9e3779b97f4a7c15u;
  return GSIZE_TO_POINTER (key ^ key >> 32);
}

static void
count_stretches (const SluiceScene *scene, Plates *plates)
{
  for (guint i = 0; i < scene->edges->len; i++)
    {
      const SluiceSceneEdge *e = &g_array_index (scene->edges, SluiceSceneEdge, i);
      const SluicePoint *p = (const SluicePoint *) scene->points->data + e->first_point;
      for (guint k = 0; !e->quiet && k + 3 < e->n_points; k += 3)
        {
          gpointer key = stretch_key (p + k);
          gsize n = GPOINTER_TO_SIZE (g_hash_table_lookup (plates->stretches, key));
          g_hash_table_insert (plates->stretches, key, GSIZE_TO_POINTER (n + 1));
        }
    }
}

/* Of a trunk nobody knows which of its lines a plate on it is about. */
static gboolean
is_trunk (const Plates *plates, const SluicePoint *stretch)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (plates->stretches, stretch_key (stretch))) > 1;
}

/* The middle of each stretch of a line that is long enough for a plate, the one nearest to the
 * middle of the line first. */
static gboolean
place_on (SluiceScene *scene, Plates *plates, SluiceSceneEdge *edge)
{
  const SluicePoint *p = &g_array_index (scene->points, SluicePoint, edge->first_point);
  guint n = (edge->n_points - 1) / 3;
  double width = sluice_text_width (edge->label, SCENE_LABEL_SIZE, FALSE) + 2 * PLATE_PADDING;
  for (guint step = 0; step < 2 * n; step++)
    {
      guint k = step % 2 == 0 ? n / 2 + step / 2 : n / 2 - (step + 1) / 2; /* may wrap: then >= n */
      if (k >= n)
        continue;
      const SluicePoint *s = p + 3 * k;
      double x = (s[0].x + 3 * s[1].x + 3 * s[2].x + s[3].x) / 8;
      double y = (s[0].y + 3 * s[1].y + 3 * s[2].y + s[3].y) / 8;
      SluiceRect r = { x - width / 2, y - PLATE_HEIGHT / 2, width, PLATE_HEIGHT };
      gboolean level = fabs (s[3].y - s[0].y) < PLATE_HEIGHT;
      if ((level && fabs (s[3].x - s[0].x) < width + 16) || is_trunk (plates, s)
          || !is_free (plates, &r))
        continue;
      take_place (plates, &r);
      scene->bounds = sluice_rect_union (&scene->bounds, &r);
      edge->label_at = (SluicePoint){ x, y };
      return TRUE;
    }
  return FALSE;
}

/* Does a line other than its own lead through it? Then it crosses one of its diagonals. */
static gboolean
is_crossed (SluiceScene *scene, const SluiceSceneEdge *edge, const SluiceRect *r)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) diagonals = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  gboolean crosses = FALSE;
  sluice_path_add (diagonals, r->x, r->y);
  sluice_path_add (diagonals, r->x + r->width, r->y + r->height);
  sluice_path_add (diagonals, r->x + r->width, r->y);
  sluice_path_add (diagonals, r->x, r->y + r->height);
  sluice_grid_query (scene->edge_grid, r, 0, edges);
  for (guint i = 0; i < edges->len && !crosses; i++)
    {
      const SluiceSceneEdge *e =
          &g_array_index (scene->edges, SluiceSceneEdge, g_array_index (edges, guint, i));
      if (e == edge || e->quiet || e->n_points < 4)
        continue;
      g_autoptr (GArray) line = sluice_path_flatten (
          &g_array_index (scene->points, SluicePoint, e->first_point), e->n_points);
      crosses = sluice_lines_cross (diagonals, line);
    }
  return crosses;
}

static gboolean
is_inside (const SluiceRect *r, const SluiceRect *bounds)
{
  return r->x >= bounds->x && r->x + r->width <= bounds->x + bounds->width;
}

/* Beside the short piece, on the side where nothing is, least of all a line; its upper part is over
 * the box's end. If it can, it makes the drawing no wider. */
static gboolean
place_beside (SluiceScene *scene, Plates *plates, SluiceSceneEdge *edge)
{
  const SluicePoint *p = &g_array_index (scene->points, SluicePoint, edge->first_point);
  double width = sluice_text_width (edge->label, SCENE_LABEL_SIZE, FALSE) + 2 * PLATE_PADDING;
  double y = (p[0].y + p[edge->n_points - 1].y) / 2;
  double below = p[0].y > p[edge->n_points - 1].y ? 1 : -1;
  for (guint step = 0; step < 12; step++) /* three times the four places */
    {
      double x = p[0].x + (step % 2 == 0 ? 1 : -1) * (width / 2 + STUB_GAP);
      SluiceRect r = { x - width / 2, y - PLATE_HEIGHT / 2, width, PLATE_HEIGHT };
      r.y += (step / 2 % 2) * 12 * below;
      if (!is_free (plates, &r) || (step < 8 && is_crossed (scene, edge, &r))
          || (step < 4 && !is_inside (&r, &scene->bounds)))
        continue;
      take_place (plates, &r);
      scene->bounds = sluice_rect_union (&scene->bounds, &r);
      edge->label_at = (SluicePoint){ x, r.y + PLATE_HEIGHT / 2 };
      return TRUE;
    }
  return FALSE;
}

/* Places the labels of thick lines first. A line that fans out with one shape says so once; a label
 * without room is seen on selection, in the inspector and by the screen reader. */
static int
compare_widths (gconstpointer pa, gconstpointer pb, gpointer data)
{
  const SluiceScene *scene = data;
  guint a = *(const guint *) pa, b = *(const guint *) pb;
  double wa = g_array_index (scene->edges, SluiceSceneEdge, a).width;
  double wb = g_array_index (scene->edges, SluiceSceneEdge, b).width;
  gboolean sa = g_array_index (scene->edges, SluiceSceneEdge, a).stub;
  gboolean sb = g_array_index (scene->edges, SluiceSceneEdge, b).stub;
  if (sa != sb)
    return sa ? -1 : 1; /* they say nothing without */
  if (wa != wb)
    return wa > wb ? -1 : 1;
  return a < b ? -1 : a > b;
}

static void
block_boxes (SluiceScene *scene, Plates *plates)
{
  for (guint i = 0; i < scene->items->len; i++)
    {
      const SluiceSceneItem *item = &g_array_index (scene->items, SluiceSceneItem, i);
      SluiceRect r = item->rect;
      if (item->kind == SLUICE_ITEM_OPEN_SCOPE)
        r = (SluiceRect){ r.x + 8, r.y + 8, 90, 16 }; /* its name */
      if (item->kind == SLUICE_ITEM_HEADING)
        continue;
      take_place (plates, &r);
    }
}

/* Of a scene whose lines can be found by their places. */
void
sluice_scene_place_labels (SluiceScene *scene)
{
  Plates plates = { g_array_new (FALSE, FALSE, sizeof (SluiceRect)),
                    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref),
                    g_hash_table_new (NULL, NULL) };
  g_autofree guint *order = g_new (guint, scene->edges->len + 1);
  g_autofree const char **said = g_new0 (const char *, scene->items->len + 1);

  block_boxes (scene, &plates);
  count_stretches (scene, &plates);
  for (guint i = 0; i < scene->edges->len; i++)
    order[i] = i;
  g_qsort_with_data (order, scene->edges->len, sizeof *order, compare_widths, scene);
  for (guint i = 0; i < scene->edges->len; i++)
    {
      SluiceSceneEdge *e = &g_array_index (scene->edges, SluiceSceneEdge, order[i]);
      if (e->label == NULL || e->n_points < 4 || e->quiet)
        {
          e->label = e->quiet ? NULL : e->label;
          continue;
        }
      if (e->stub ? !place_beside (scene, &plates, e)
                  : said[e->from] == e->label || !place_on (scene, &plates, e))
        e->label = NULL;
      else if (!e->stub)
        said[e->from] = e->label;
    }
  g_array_unref (plates.rects);
  g_hash_table_unref (plates.cells);
  g_hash_table_unref (plates.stretches);
}
