/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <math.h>
#include <string.h>

#include "ui/canvas/path.h"

/* Lines that the layered layout does not draw: between the two halves of a level, and within a row.
 * They run in the gaps between rows and in the corridor between the halves, where no boxes are. */

#define RADIUS      14.0
#define BACK_GAP    14.0 /* between a box and a back edge that passes it */
#define BACK_MARGIN 26.0 /* between everything and the line of the back edges */

typedef struct
{
  SceneLevel *level;
  const SluiceLayout *layout;
} Router;

static SceneMember *
member_at (const SceneLevel *level, guint i)
{
  return &g_array_index (level->members, SceneMember, i);
}

/* Straight lines through @via with round corners; returns the number of points added. */
static guint
add_rounded (GArray *points, const SluicePoint *via, guint n, double radius)
{
  guint first = points->len;
  sluice_path_add (points, via[0].x, via[0].y);
  sluice_path_follow (points, via, n, radius);
  return points->len - first;
}

static guint
row_of (const Router *r, const SceneMember *m)
{
  return r->layout->ranks[m->layout];
}

static guint
band_of (const Router *r, const SceneMember *m)
{
  return r->layout->bands[row_of (r, m)];
}

/* x between the halves where @m stands */
static double
corridor_at (const Router *r, const SceneMember *m)
{
  const SluiceLayout *layout = r->layout;
  return layout->n_components > 1 ? layout->column_x[band_of (r, m) * layout->n_components + 1] - 38
                                  : layout->width;
}

/* Whether nothing stands in @m's row between it and the corridor. */
static gboolean
faces_corridor (const Router *r, const SceneMember *m)
{
  for (guint i = 0; i < r->level->members->len; i++)
    {
      const SceneMember *o = member_at (r->level, i);
      if (o == m || o->layout == SLUICE_NONE || o->second != m->second
          || row_of (r, o) != row_of (r, m))
        continue;
      if (m->second ? o->x < m->x : o->x > m->x)
        return FALSE;
    }
  /* Satellites on that side are in the way as well. */
  double edge = m->second ? m->left - m->anchor : m->right - (m->width - m->anchor);
  return edge < 0.5;
}

/* The way between a box and the corridor, from the box: one point, or three through the gap beside
 * its row. @shift keeps parallel lines apart. */
static guint
way_out (const Router *r, const SceneMember *m, gboolean upper, double shift, SluicePoint *via)
{
  guint row = row_of (r, m);
  double middle = m->y + m->height / 2, gap;
  if (faces_corridor (r, m))
    {
      via[0] = (SluicePoint){ m->second ? m->x : m->x + m->width, middle + shift };
      via[1] = (SluicePoint){ corridor_at (r, m), middle + shift };
      return 2;
    }
  gap = upper ? r->layout->bottom[row] + 16 : r->layout->top[row] - 16;
  via[0] = (SluicePoint){ m->x + m->anchor + 12, upper ? m->y + m->height : m->y };
  via[1] = (SluicePoint){ m->x + m->anchor + 12, gap };
  via[2] = (SluicePoint){ corridor_at (r, m), gap };
  return 3;
}

/* Whether a line can run level from the corridor to above or below @to, and from there straight
 * into it. */
static gboolean
can_drop (const Router *r, const SceneMember *from, const SceneMember *to)
{
  guint a = row_of (r, from), b = row_of (r, to);
  double x = to->x + to->anchor;
  if (a == b || from->second || !to->second || !faces_corridor (r, from))
    return FALSE;
  for (guint i = 0; i < r->level->members->len; i++)
    {
      const SceneMember *o = member_at (r->level, i);
      if (o == to || o->layout == SLUICE_NONE || !o->second)
        continue;
      guint row = row_of (r, o);
      gboolean between = (row > MIN (a, b) && row < MAX (a, b)) || row == a;
      if (between && o->x - 8 < x && (row == a || o->x + o->width + 8 > x))
        return FALSE;
    }
  return TRUE;
}

static void
route_across (Router *r, SceneWire *w, guint lane)
{
  const SceneMember *from = member_at (r->level, w->from), *to = member_at (r->level, w->to);
  SluicePoint via[6];
  guint n;

  w->first_point = r->level->points->len;
  if (w->kind == SLUICE_EDGE_DATA && can_drop (r, from, to))
    {
      double y = from->y + from->height / 2, x = to->x + to->anchor;
      gboolean falls = row_of (r, to) < row_of (r, from);
      via[0] = (SluicePoint){ from->x + from->width, y };
      via[1] = (SluicePoint){ x, y };
      via[2] = (SluicePoint){ x, falls ? to->y + to->height : to->y };
      w->n_points = add_rounded (r->level->points, via, 3, 60);
      return;
    }
  /* Updates share one trunk; data has lanes beside it. */
  double shift = w->kind == SLUICE_EDGE_REFERENCE ? 7 : 0;
  double trunk = w->kind == SLUICE_EDGE_REFERENCE ? 0 : 8.0 + 4.0 * (lane % 4);
  SluicePoint back[3];
  guint n_back = way_out (r, to, row_of (r, from) > row_of (r, to), shift, back);
  n = way_out (r, from, row_of (r, to) > row_of (r, from), shift, via);
  via[n - 1].x += trunk;
  back[n_back - 1].x += trunk;
  for (guint i = n_back; i-- > 0;)
    via[n++] = back[i];
  w->n_points = add_rounded (r->level->points, via, n, RADIUS);
}

/* An arc through the gap beside the row. */
static void
route_in_row (Router *r, SceneWire *w)
{
  const SceneMember *from = member_at (r->level, w->from), *to = member_at (r->level, w->to);
  double gap = r->layout->bottom[row_of (r, from)] + 18;
  SluicePoint via[] = { { from->x + from->anchor, from->y + from->height },
                        { from->x + from->anchor, gap },
                        { to->x + to->anchor, gap },
                        { to->x + to->anchor, to->y + to->height } };
  w->in_row = TRUE;
  w->first_point = r->level->points->len;
  w->n_points = add_rounded (r->level->points, via, 4, RADIUS);
}

/* A line between the halves is drawn when it says something: where gradients begin, which is at
 * what is nearest to the loss, and what updates a variable. That a gradient reads its forward half
 * goes without saying, and is shown on selection. begins: per member, the wire from there, or
 * SLUICE_NONE. */
static gboolean
says_something (const SceneLevel *level, guint wire, const guint *begins)
{
  const SceneWire *w = &g_array_index (level->wires, SceneWire, wire);
  return w->kind == SLUICE_EDGE_REFERENCE
         || (w->kind == SLUICE_EDGE_DATA
             && (member_at (level, w->from)->second || begins[w->to] == wire));
}

/* Per member that nothing feeds in its half: the wire from the other half's last box. */
static guint *
find_beginnings (const Router *r)
{
  SceneLevel *level = r->level;
  guint n = level->members->len;
  guint *begins = g_new (guint, n + 1);
  g_autofree guint8 *fed = g_new0 (guint8, n + 1);
  memset (begins, 0xff, (n + 1) * sizeof *begins);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < level->wires->len; i++)
      {
        const SceneWire *w = &g_array_index (level->wires, SceneWire, i);
        if (w->quiet || w->kind != SLUICE_EDGE_DATA || w->from >= n || w->to >= n)
          continue;
        const SceneMember *from = member_at (level, w->from);
        gboolean within = from->second == member_at (level, w->to)->second;
        if (pass == 0)
          fed[w->to] |= within;
        else if (!within && !w->stub && !fed[w->to]
                 && (begins[w->to] == SLUICE_NONE
                     || row_of (r, from) > row_of (
                            r, member_at (
                                   level,
                                   g_array_index (level->wires, SceneWire, begins[w->to]).from))))
          begins[w->to] = i;
      }
  return begins;
}

void
sluice_scene_level_route (SceneLevel *level, const SluiceLayout *layout)
{
  Router r = { level, layout };
  guint lane = 0, n = level->members->len;

  if (layout->n_rows == 0)
    return; /* one half: the layout has drawn it all */
  g_autofree guint *begins = find_beginnings (&r);
  for (guint i = 0; i < level->wires->len; i++)
    {
      SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      if (w->quiet || w->stub || w->n_points > 0 || w->kind == SLUICE_EDGE_BACK)
        continue;
      if (w->from >= n || w->to >= n)
        w->quiet = TRUE; /* between a port and the backward half */
      else if (member_at (level, w->from)->second == member_at (level, w->to)->second)
        route_in_row (&r, w);
      else if (!says_something (level, i, begins))
        w->quiet = TRUE;
      else if (band_of (&r, member_at (level, w->from)) == band_of (&r, member_at (level, w->to)))
        route_across (&r, w, lane++);
      else if (w->kind == SLUICE_EDGE_DATA)
        w->stub = TRUE;
      else
        w->quiet = TRUE;
    }
}

/* How far up and down the flow a box reaches with what stands beside it. */
static void
get_rows (const SceneMember *m, double *top, double *bottom)
{
  *top = m->y + m->height / 2 - m->row / 2;
  *bottom = *top + m->row;
}

/* Where a level line can leave @m for the right side and meet no box: just after it, or before it.
 */
static double
find_gap (const SceneLevel *level, const SceneMember *m, gboolean after)
{
  double y = after ? m->y + m->height + BACK_GAP : m->y - BACK_GAP, top, bottom;
  for (gboolean moved = TRUE; moved;)
    {
      moved = FALSE;
      for (guint i = 0; i < level->members->len; i++)
        {
          const SceneMember *o = member_at (level, i);
          get_rows (o, &top, &bottom);
          if (o == m || o->layout == SLUICE_NONE || o->x + o->width < m->x || y <= top - 4
              || y >= bottom + 4)
            continue;
          y = after ? bottom + BACK_GAP : top - BACK_GAP;
          moved = TRUE;
        }
    }
  return y;
}

double
sluice_scene_level_route_back (SceneLevel *level)
{
  double right = 0;
  gboolean any = FALSE;
  for (guint i = 0; i < level->wires->len; i++)
    {
      const SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      any |= w->kind == SLUICE_EDGE_BACK && !w->quiet;
    }
  if (!any)
    return 0;
  for (guint i = 0; i < level->members->len; i++)
    if (member_at (level, i)->layout != SLUICE_NONE)
      right = MAX (right, member_at (level, i)->x + member_at (level, i)->anchor
                              + member_at (level, i)->right);
  for (guint i = 0; i < level->points->len; i++)
    right = MAX (right, g_array_index (level->points, SluicePoint, i).x);
  right += BACK_MARGIN;
  for (guint i = 0; i < level->wires->len; i++)
    {
      SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      if (w->kind != SLUICE_EDGE_BACK || w->quiet)
        continue;
      const SceneMember *from = member_at (level, w->from), *to = member_at (level, w->to);
      double leave = from->x + from->anchor + 10, enter = to->x + to->anchor + 14;
      double after = find_gap (level, from, TRUE), before = find_gap (level, to, FALSE);
      SluicePoint via[] = { { leave, from->y + from->height },
                            { leave, after },
                            { right, after },
                            { right, before },
                            { enter, before },
                            { enter, to->y } };
      w->first_point = level->points->len;
      w->n_points = add_rounded (level->points, via, G_N_ELEMENTS (via), RADIUS);
    }
  return right;
}

guint
sluice_scene_direct_path (const SluiceRect *from, const SluiceRect *to, GArray *points)
{
  SluicePoint a = sluice_rect_centre (from), b = sluice_rect_centre (to);
  gboolean up = b.y < a.y;
  gboolean beside = from->y < to->y + to->height && to->y < from->y + from->height;
  if (beside)
    {
      gboolean right = b.x > a.x;
      a.x = right ? from->x + from->width : from->x;
      b.x = right ? to->x : to->x + to->width;
      double middle = (a.x + b.x) / 2;
      sluice_path_add (points, a.x, a.y);
      sluice_path_add (points, middle, a.y);
      sluice_path_add (points, middle, b.y);
    }
  else
    {
      a.y = up ? from->y : from->y + from->height;
      b.y = up ? to->y + to->height : to->y;
      double middle = (a.y + b.y) / 2;
      sluice_path_add (points, a.x, a.y);
      sluice_path_add (points, a.x, middle);
      sluice_path_add (points, b.x, middle);
    }
  sluice_path_add (points, b.x, b.y);
  return 4;
}

double
sluice_scene_edge_width (guint64 bytes, SluiceEdgeKind kind)
{
  if (kind != SLUICE_EDGE_DATA)
    return kind == SLUICE_EDGE_BACK ? 1.8 : 1.2;
  if (bytes == 0)
    return 1.4; /* unknown */
  /* 64 bytes and less are hair lines; each factor of ten adds 0.6 px; 17 MB and more are 4 px: the
   * gradients of many weights are no more than what makes them. */
  return CLAMP (0.75 + 0.6 * log10 (bytes / 64.0), 0.75, 4);
}
