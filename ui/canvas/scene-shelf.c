/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <math.h>

/* What no line leads to stands on shelves: what is set aside, under its heading, and boxes that are
 * tied to nothing that is drawn. In columns right of the drawing or in rows beneath it, whichever
 * fits the view better. */

#define COLUMN_GAP     24.0
#define ROW_GAP        12.0
#define HEADING_HEIGHT 22.0
#define WORTH_WHILE    1.03 /* what rows or another limit must bring */

typedef struct
{
  SceneLevel *level;
  const guint *members;
  guint n;
  gboolean heading;
  double widest;
} Shelf;

static SceneMember *
member_at (const Shelf *shelf, guint i)
{
  return &g_array_index (shelf->level->members, SceneMember, shelf->members[i]);
}

static double
width_of (const SceneMember *m)
{
  return m->left + m->right;
}

static void
put (SceneMember *m, double x, double y)
{
  m->x = x + m->left - m->anchor;
  m->y = y + (m->row - m->height) / 2;
}

/* Columns from (x, 0) down to @limit. Returns how far they reach. */
static SluicePoint
lay_columns (Shelf *shelf, double x, double limit)
{
  double top = shelf->heading ? HEADING_HEIGHT : 0, y = top;
  SluicePoint end = { x + shelf->widest, top };
  shelf->level->heading_x = shelf->heading ? x + shelf->widest / 2 : shelf->level->heading_x;
  shelf->level->heading_y = shelf->heading ? 0 : shelf->level->heading_y;
  for (guint i = 0; i < shelf->n; i++)
    {
      SceneMember *m = member_at (shelf, i);
      if (y > top && y + m->row > limit)
        {
          x += shelf->widest + COLUMN_GAP;
          y = top;
        }
      put (m, x + (shelf->widest - width_of (m)) / 2, y);
      end.x = x + shelf->widest;
      end.y = MAX (end.y, y + m->row);
      y += MAX (m->row + ROW_GAP, SCENE_ASIDE_STEP);
    }
  return end;
}

/* Rows from (0, y) over to @limit, the heading above them. Returns how far they reach. */
static SluicePoint
lay_rows (Shelf *shelf, double y, double limit)
{
  double x = 0, tallest = 0;
  SluicePoint end = { 0, y };
  if (shelf->heading)
    {
      shelf->level->heading_x = 40;
      shelf->level->heading_y = y;
      y += HEADING_HEIGHT;
    }
  for (guint i = 0; i < shelf->n; i++)
    {
      SceneMember *m = member_at (shelf, i);
      if (x > 0 && x + width_of (m) > limit)
        {
          x = 0;
          y += tallest + ROW_GAP;
          tallest = 0;
        }
      put (m, x, y);
      tallest = MAX (tallest, m->row);
      end.x = MAX (end.x, x + width_of (m));
      end.y = MAX (end.y, y + m->row);
      x += width_of (m) + COLUMN_GAP;
    }
  return end;
}

/* Either way, with the limit of that number. */
static SluicePoint
lay (Shelf *shelf, SluicePoint drawing, gboolean rows, double stretch)
{
  const SceneLevel *level = shelf->level;
  gboolean first = drawing.x <= 0;
  if (rows)
    return lay_rows (shelf, first ? 0 : drawing.y + SCENE_ASIDE_GAP / 2,
                     MAX (drawing.x, stretch * level->view_width));
  return lay_columns (shelf, first ? 0 : drawing.x + SCENE_ASIDE_GAP,
                      MAX (MAX (drawing.y, stretch * level->view_height), 6 * SCENE_ASIDE_STEP));
}

static void
shelve (Shelf *shelf, SluicePoint *drawing)
{
  double stretches[] = { 0, 0.8, 1, 1.25, 1.6, 2.2 }, best = 0, chosen = 0, area = 0;
  gboolean by_rows = FALSE;
  const SceneLevel *level = shelf->level;
  SluiceLayoutOptions view = { .view_width = level->view_width, .view_height = level->view_height };
  if (shelf->n == 0)
    return;
  for (guint i = 0; i < shelf->n; i++)
    shelf->widest = MAX (shelf->widest, width_of (member_at (shelf, i)));
  /* Where there is nothing else: in the view's proportions. */
  for (guint i = 0; i < shelf->n; i++)
    area +=
        (shelf->widest + COLUMN_GAP) * MAX (member_at (shelf, i)->row + ROW_GAP, SCENE_ASIDE_STEP);
  if (drawing->x <= 0 && !shelf->heading)
    stretches[0] = sqrt (area / (level->view_width * level->view_height));
  /* Lines from outside come in where rows would be. */
  for (int rows = 0; rows < (level->has_in || level->has_out ? 1 : 2); rows++)
    for (guint k = 0; k < G_N_ELEMENTS (stretches); k++)
      {
        SluicePoint end = lay (shelf, *drawing, rows, stretches[k]);
        double fit = sluice_layout_fit (&view, MAX (end.x, drawing->x), MAX (end.y, drawing->y));
        if (fit <= WORTH_WHILE * best)
          continue;
        best = fit;
        by_rows = rows;
        chosen = stretches[k];
      }
  SluicePoint end = lay (shelf, *drawing, by_rows, chosen);
  drawing->x = MAX (end.x, drawing->x);
  drawing->y = MAX (end.y, drawing->y);
}

static Shelf
collect (SceneLevel *level, guint *members, gboolean aside)
{
  Shelf shelf = { .level = level, .members = members, .heading = aside };
  for (guint i = 0; i < level->members->len; i++)
    {
      const SceneMember *m = &g_array_index (level->members, SceneMember, i);
      if (m->aside == aside && (aside || m->loose))
        members[shelf.n++] = i;
    }
  return shelf;
}

void
sluice_scene_level_shelve (SceneLevel *level, double width, double height)
{
  g_autofree guint *members = g_new (guint, level->members->len + 1);
  SluicePoint drawing = { width, height };
  Shelf loose = collect (level, members, FALSE);
  shelve (&loose, &drawing);
  Shelf aside = collect (level, members, TRUE);
  level->has_heading = aside.n > 0;
  shelve (&aside, &drawing);
}

double
sluice_scene_level_get_aside_width (const SceneLevel *level)
{
  double widest = 0;
  for (guint i = 0; i < level->members->len; i++)
    {
      const SceneMember *m = &g_array_index (level->members, SceneMember, i);
      widest = m->aside ? MAX (widest, m->width) : widest;
    }
  return widest > 0 ? widest + SCENE_ASIDE_GAP : 0;
}
