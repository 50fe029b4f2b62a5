/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/canvas/path.h"

/* Lines at boxes that were moved by hand, and lines that a moved box was put on. Where a direct
 * line meets no other box it is drawn; else the way is the cheapest one over a grid whose lines run
 * beside the boxes: short, with few turns, and through a box only where there is no other way. */

#define RADIUS       14.0
#define AIR          12.0  /* between a line and the boxes that it passes */
#define LANE         4.0   /* between parallel lines */
#define TURN         60.0  /* what a turn costs, in pixels of way */
#define THROUGH      200.0 /* what a pixel through a box costs */
#define SHARED       0.3   /* what a pixel costs on the way of a line with an end in common */
#define AROUND       240.0 /* how far off the straight way boxes are looked at */
#define MOST_BOXES   160   /* beside one line; with more of them it is drawn direct */
#define MOST_SHARED  8     /* lines whose ways are looked at */
#define HIT_MARGIN   3.0
#define N_DIRECTIONS 2 /* of the last piece: level, upright */

/* One end of a line: a box, or a point at the border of the scope around. */
typedef struct
{
  SluiceRect rect;
  double x; /* where lines attach at its top and foot */
  guint member;
} End;

typedef struct
{
  SceneLevel *level;
  GArray *boxes;   /* SluiceRect, of members and what stands beside them */
  guint *owner;    /* per box: its member */
  guint n_members; /* the first boxes are the members */
  GArray *ways;    /* Way, that lines around boxes took */
  GArray *corners; /* SluicePoint, of these */
} Rerouter;

typedef struct
{
  guint from, to; /* members or ports */
  guint first, n; /* corners */
} Way;

static SceneMember *
member_at (const SceneLevel *level, guint i)
{
  return &g_array_index (level->members, SceneMember, i);
}

static const SluiceRect *
box_at (const Rerouter *r, guint i)
{
  return &g_array_index (r->boxes, SluiceRect, i);
}

/* ---- what is in the way ---- */

static void
collect_boxes (Rerouter *r, SceneLevel *level)
{
  guint n = level->members->len;
  *r = (Rerouter){ level,
                   g_array_new (FALSE, FALSE, sizeof (SluiceRect)),
                   g_new (guint, n + level->satellites->len + 1),
                   n,
                   g_array_new (FALSE, FALSE, sizeof (Way)),
                   g_array_new (FALSE, FALSE, sizeof (SluicePoint)) };
  for (guint i = 0; i < n; i++)
    {
      const SceneMember *m = member_at (level, i);
      SluiceRect rect = { m->x, m->y, m->width, m->height };
      r->owner[i] = i;
      g_array_append_val (r->boxes, rect);
    }
  for (guint i = 0; i < level->satellites->len; i++)
    {
      const SceneSatellite *s = &g_array_index (level->satellites, SceneSatellite, i);
      SluiceRect rect = { s->x, s->y, s->width, s->height };
      r->owner[n + i] = s->host;
      g_array_append_val (r->boxes, rect);
    }
}

/* Whether the straight piece from @a to @b enters the box: its part within two borders, then within
 * the other two. */
static gboolean
enters (SluicePoint a, SluicePoint b, const SluiceRect *box)
{
  double from = 0, to = 1;
  const double start[] = { a.x, a.y }, step[] = { b.x - a.x, b.y - a.y };
  const double low[] = { box->x, box->y }, high[] = { box->x + box->width, box->y + box->height };
  for (guint i = 0; i < 2; i++)
    {
      if (fabs (step[i]) < 1e-9)
        {
          if (start[i] <= low[i] || start[i] >= high[i])
            return FALSE;
          continue;
        }
      double t = (low[i] - start[i]) / step[i], u = (high[i] - start[i]) / step[i];
      from = MAX (from, MIN (t, u));
      to = MIN (to, MAX (t, u));
    }
  return from < to;
}

static gboolean
path_enters (const SluicePoint *path, guint n, const SluiceRect *box)
{
  SluiceRect grown = sluice_rect_grown (box, HIT_MARGIN);
  g_autoptr (GArray) pieces = sluice_path_flatten (path, n);
  for (guint i = 1; i < pieces->len; i++)
    if (enters (g_array_index (pieces, SluicePoint, i - 1), g_array_index (pieces, SluicePoint, i),
                &grown))
      return TRUE;
  return FALSE;
}

/* Boxes but those that the line joins. */
static gboolean
meets_any (const Rerouter *r, guint first_point, guint n_points, const End *from, const End *to)
{
  const SluicePoint *path = &g_array_index (r->level->points, SluicePoint, first_point);
  for (guint i = 0; i < r->boxes->len; i++)
    if ((i >= r->n_members || (i != from->member && i != to->member))
        && path_enters (path, n_points, box_at (r, i)))
      return TRUE;
  return FALSE;
}

/* ---- the grid ---- */

typedef struct
{
  double cost;
  guint state;
} Entry;

typedef enum
{
  PIECE_BLOCKED = 1 << 0, /* it goes through a box */
  PIECE_SHARED = 1 << 1,  /* a line with an end in common takes it */
} Piece;

typedef struct
{
  double *x, *y;
  guint nx, ny;
  guint8 *level, *upright; /* Piece by point: that to the next one */
  double *cost;            /* by state */
  guint *before;           /* by state */
  GArray *heap;            /* Entry, the cheapest first */
} Grid;

static int
compare_doubles (const void *pa, const void *pb)
{
  double a = *(const double *) pa, b = *(const double *) pb;
  return (a > b) - (a < b);
}

static guint
sort_unique (double *values, guint n)
{
  guint kept = 0;
  qsort (values, n, sizeof *values, compare_doubles);
  for (guint i = 0; i < n; i++)
    if (kept == 0 || values[i] - values[kept - 1] > 0.01)
      values[kept++] = values[i];
  return kept;
}

static guint
index_of (const double *values, guint n, double value)
{
  guint best = 0;
  for (guint i = 1; i < n; i++)
    if (fabs (values[i] - value) < fabs (values[best] - value))
      best = i;
  return best;
}

static void
push (Grid *g, double cost, guint state)
{
  Entry entry = { cost, state };
  g_array_append_val (g->heap, entry);
  Entry *heap = (Entry *) g->heap->data;
  for (guint i = g->heap->len - 1; i > 0 && heap[i].cost < heap[(i - 1) / 2].cost; i = (i - 1) / 2)
    {
      Entry swap = heap[i];
      heap[i] = heap[(i - 1) / 2];
      heap[(i - 1) / 2] = swap;
    }
}

static Entry
pop (Grid *g)
{
  Entry *heap = (Entry *) g->heap->data, top = heap[0];
  guint n = g->heap->len - 1;
  heap[0] = heap[n];
  g_array_set_size (g->heap, n);
  for (guint i = 0, child; (child = 2 * i + 1) < n; i = child)
    {
      if (child + 1 < n && heap[child + 1].cost < heap[child].cost)
        child++;
      if (heap[i].cost <= heap[child].cost)
        break;
      Entry swap = heap[i];
      heap[i] = heap[child];
      heap[child] = swap;
    }
  return top;
}

/* Which pieces of the grid go through the box. */
static void
block (Grid *g, const SluiceRect *box)
{
  SluiceRect b = sluice_rect_grown (box, HIT_MARGIN);
  for (guint iy = 0; iy < g->ny; iy++)
    for (guint ix = 0; ix < g->nx; ix++)
      {
        gboolean in_row = g->y[iy] > b.y && g->y[iy] < b.y + b.height;
        gboolean in_column = g->x[ix] > b.x && g->x[ix] < b.x + b.width;
        if (in_row && ix + 1 < g->nx && g->x[ix] < b.x + b.width && g->x[ix + 1] > b.x)
          g->level[iy * g->nx + ix] |= PIECE_BLOCKED;
        if (in_column && iy + 1 < g->ny && g->y[iy] < b.y + b.height && g->y[iy + 1] > b.y)
          g->upright[iy * g->nx + ix] |= PIECE_BLOCKED;
      }
}

/* For the coordinates that the grid has. */
static void
make_pieces (Grid *g)
{
  g->nx = sort_unique (g->x, g->nx);
  g->ny = sort_unique (g->y, g->ny);
  guint n = g->nx * g->ny;
  g->level = g_new0 (guint8, n);
  g->upright = g_new0 (guint8, n);
  g->cost = g_new (double, n *N_DIRECTIONS);
  g->before = g_new (guint, n * N_DIRECTIONS);
  g->heap = g_array_new (FALSE, FALSE, sizeof (Entry));
  for (guint i = 0; i < n * N_DIRECTIONS; i++)
    g->cost[i] = HUGE_VAL;
}

/* Which pieces of the grid the straight way from @a to @b takes. */
static void
share (Grid *g, SluicePoint a, SluicePoint b)
{
  gboolean is_upright = fabs (a.x - b.x) < 0.01;
  guint x0 = index_of (g->x, g->nx, MIN (a.x, b.x)), x1 = index_of (g->x, g->nx, MAX (a.x, b.x));
  guint y0 = index_of (g->y, g->ny, MIN (a.y, b.y)), y1 = index_of (g->y, g->ny, MAX (a.y, b.y));
  for (guint i = is_upright ? y0 : x0; i < (is_upright ? y1 : x1); i++)
    if (is_upright)
      g->upright[i * g->nx + x0] |= PIECE_SHARED;
    else
      g->level[y0 * g->nx + i] |= PIECE_SHARED;
}

/* The corners that lines from where @w begins, or to where it ends, have: they become one trunk.
 * (transfer full) (element-type Way) */
static GArray *
find_siblings (const Rerouter *r, const SceneWire *w)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Way));
  for (guint i = 0; i < r->ways->len && found->len < MOST_SHARED; i++)
    {
      const Way *way = &g_array_index (r->ways, Way, i);
      if (way->from == w->from || way->to == w->to)
        g_array_append_vals (found, way, 1);
    }
  return found;
}

/* Lines of the grid beside each box near the way from @a to @b, and on those of @siblings. FALSE:
 * there are too many. */
static gboolean
make_grid (
    Grid *g, const Rerouter *r, SluicePoint a, SluicePoint b, double air, const GArray *siblings)
{
  SluiceRect way = { MIN (a.x, b.x), MIN (a.y, b.y), fabs (a.x - b.x), fabs (a.y - b.y) };
  way = sluice_rect_grown (&way, AROUND);
  g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (SluiceRect));
  const SluicePoint *corners = (const SluicePoint *) r->corners->data;
  guint n_corners = 0;
  for (guint i = 0; i < r->boxes->len; i++)
    if (sluice_rect_touches (&way, box_at (r, i)))
      g_array_append_vals (near, box_at (r, i), 1);
  if (near->len > MOST_BOXES)
    return FALSE;
  for (guint i = 0; i < siblings->len; i++)
    n_corners += g_array_index (siblings, Way, i).n;
  guint most = 2 * near->len + n_corners + 2;
  *g = (Grid){ .x = g_new (double, most), .y = g_new (double, most) };
  g->x[g->nx++] = a.x, g->y[g->ny++] = a.y;
  g->x[g->nx++] = b.x, g->y[g->ny++] = b.y;
  for (guint i = 0; i < near->len; i++)
    {
      SluiceRect box = sluice_rect_grown (&g_array_index (near, SluiceRect, i), air);
      g->x[g->nx++] = box.x, g->x[g->nx++] = box.x + box.width;
      g->y[g->ny++] = box.y, g->y[g->ny++] = box.y + box.height;
    }
  for (guint i = 0; i < siblings->len; i++)
    for (guint k = 0; k < g_array_index (siblings, Way, i).n; k++)
      {
        SluicePoint corner = corners[g_array_index (siblings, Way, i).first + k];
        g->x[g->nx++] = corner.x, g->y[g->ny++] = corner.y;
      }
  make_pieces (g);
  for (guint i = 0; i < near->len; i++)
    block (g, &g_array_index (near, SluiceRect, i));
  for (guint i = 0; i < siblings->len; i++)
    for (guint k = 1; k < g_array_index (siblings, Way, i).n; k++)
      share (g, corners[g_array_index (siblings, Way, i).first + k - 1],
             corners[g_array_index (siblings, Way, i).first + k]);
  return TRUE;
}

static void
free_grid (Grid *g)
{
  g_free (g->x);
  g_free (g->y);
  g_free (g->level);
  g_free (g->upright);
  g_free (g->cost);
  g_free (g->before);
  g_array_unref (g->heap);
}

static double
weight_of (guint8 piece)
{
  return piece & PIECE_BLOCKED ? THROUGH : piece & PIECE_SHARED ? SHARED : 1;
}

/* The four ways on from a state. */
static void
step_on (Grid *g, guint state, double cost)
{
  static const int dx[] = { 1, -1, 0, 0 }, dy[] = { 0, 0, 1, -1 };
  guint point = state / N_DIRECTIONS, ix = point % g->nx, iy = point / g->nx;
  for (guint i = 0; i < 4; i++)
    {
      guint x = ix + (guint) dx[i], y = iy + (guint) dy[i]; /* wraps round below 0: too large */
      if (x >= g->nx || y >= g->ny)
        continue;
      gboolean is_upright = dy[i] != 0;
      guint first = MIN (iy, y) * g->nx + MIN (ix, x);
      double length = fabs (g->x[x] - g->x[ix]) + fabs (g->y[y] - g->y[iy]);
      double next = cost + length * weight_of ((is_upright ? g->upright : g->level)[first])
                    + ((state % N_DIRECTIONS) != (guint) is_upright ? TURN : 0);
      guint to = (y * g->nx + x) * N_DIRECTIONS + (guint) is_upright;
      if (next >= g->cost[to])
        continue;
      g->cost[to] = next;
      g->before[to] = state;
      push (g, next, to);
    }
}

/* Corners from @a to @b, both included, appended to @via. */
static void
find_way (Grid *g, SluicePoint a, SluicePoint b, gboolean is_upright, GArray *via)
{
  guint start = (index_of (g->y, g->ny, a.y) * g->nx + index_of (g->x, g->nx, a.x)) * N_DIRECTIONS
                + (guint) is_upright;
  guint end = (index_of (g->y, g->ny, b.y) * g->nx + index_of (g->x, g->nx, b.x)) * N_DIRECTIONS
              + (guint) is_upright;
  g->cost[start] = 0;
  g->before[start] = start;
  push (g, 0, start);
  while (g->heap->len > 0)
    {
      Entry entry = pop (g);
      if (entry.state == end)
        break;
      if (entry.cost <= g->cost[entry.state])
        step_on (g, entry.state, entry.cost);
    }
  g_autoptr (GArray) back = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  /* The end is left upright or level as it was entered: one of its states has a way to it. */
  if (g->cost[end] == HUGE_VAL)
    end ^= 1;
  for (guint at = end;; at = g->before[at])
    {
      guint point = at / N_DIRECTIONS;
      SluicePoint p = { g->x[point % g->nx], g->y[point / g->nx] };
      g_array_append_val (back, p);
      if (g->before[at] == at || g->cost[at] == HUGE_VAL)
        break;
    }
  for (guint i = back->len; i-- > 0;)
    g_array_append_val (via, g_array_index (back, SluicePoint, i));
}

/* ---- lines ---- */

static End
end_of (const SceneLevel *level, guint member, SluicePoint point)
{
  if (member >= level->members->len)
    return (End){ { point.x, point.y, 0, 0 }, point.x, SLUICE_NONE };
  const SceneMember *m = member_at (level, member);
  return (End){ { m->x, m->y, m->width, m->height }, m->x + m->anchor, member };
}

/* Where the line leaves @end towards @other, and where it is clear of the box. */
static void
leave (const End *end, const End *other, gboolean is_upright, SluicePoint *at, SluicePoint *clear)
{
  SluicePoint a = sluice_rect_centre (&end->rect), b = sluice_rect_centre (&other->rect);
  double sign = is_upright ? (b.y > a.y ? 1 : -1) : (b.x > a.x ? 1 : -1);
  double air = end->rect.height > 0 ? AIR : 0;
  *at = is_upright ? (SluicePoint){ end->x, a.y + sign * end->rect.height / 2 }
                   : (SluicePoint){ a.x + sign * end->rect.width / 2, a.y };
  *clear = is_upright ? (SluicePoint){ at->x, at->y + sign * air }
                      : (SluicePoint){ at->x + sign * air, at->y };
}

static void
route_around (Rerouter *r, SceneWire *w, const End *from, const End *to, guint lane)
{
  GArray *points = r->level->points;
  gboolean beside = from->rect.y < to->rect.y + to->rect.height + 2 * AIR
                    && to->rect.y < from->rect.y + from->rect.height + 2 * AIR;
  SluicePoint ends[2], clear[2];
  Grid grid;
  leave (from, to, !beside, &ends[0], &clear[0]);
  leave (to, from, !beside, &ends[1], &clear[1]);
  g_autoptr (GArray) siblings = find_siblings (r, w);
  if (!make_grid (&grid, r, clear[0], clear[1], AIR + LANE * (lane % 3), siblings))
    return;
  g_autoptr (GArray) via = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  g_array_append_val (via, ends[0]);
  find_way (&grid, clear[0], clear[1], !beside, via);
  g_array_append_val (via, ends[1]);
  free_grid (&grid);
  /* Corners only: what lies on a straight piece is no corner. */
  SluicePoint *p = (SluicePoint *) via->data;
  guint n = 1;
  for (guint i = 1; i < via->len; i++)
    {
      gboolean straight = i + 1 < via->len
                          && fabs ((p[i].x - p[n - 1].x) * (p[i + 1].y - p[i].y)
                                   - (p[i].y - p[n - 1].y) * (p[i + 1].x - p[i].x))
                                 < 0.01;
      if (!straight)
        p[n++] = p[i];
    }
  Way way = { w->from, w->to, r->corners->len, n };
  g_array_append_val (r->ways, way);
  g_array_append_vals (r->corners, p, n);
  w->first_point = points->len;
  sluice_path_add (points, p[0].x, p[0].y);
  sluice_path_follow (points, p, n, RADIUS);
  w->n_points = points->len - w->first_point;
}

static void
reroute (Rerouter *r, SceneWire *w, guint lane)
{
  SceneLevel *level = r->level;
  const SluicePoint *path = &g_array_index (level->points, SluicePoint, w->first_point);
  End from = end_of (level, w->from, path[0]), to = end_of (level, w->to, path[w->n_points - 1]);
  guint first = level->points->len;
  guint n = sluice_scene_direct_path (&from.rect, &to.rect, level->points);
  if (!meets_any (r, first, n, &from, &to))
    {
      w->first_point = first;
      w->n_points = n;
      return;
    }
  g_array_set_size (level->points, first);
  route_around (r, w, &from, &to, lane);
}

static gboolean
is_moved (const SceneLevel *level, guint member)
{
  return member < level->members->len && member_at (level, member)->moved;
}

/* Was a box put where the line runs? */
static gboolean
is_covered (const Rerouter *r, const SceneWire *w)
{
  const SluicePoint *path = &g_array_index (r->level->points, SluicePoint, w->first_point);
  for (guint i = 0; i < r->boxes->len; i++)
    if (is_moved (r->level, r->owner[i]) && r->owner[i] != w->from && r->owner[i] != w->to
        && path_enters (path, w->n_points, box_at (r, i)))
      return TRUE;
  return FALSE;
}

void
sluice_scene_level_reroute (SceneLevel *level)
{
  Rerouter r;
  gboolean any = FALSE;
  for (guint i = 0; i < level->members->len; i++)
    any |= member_at (level, i)->moved;
  if (!any)
    return;
  collect_boxes (&r, level);
  for (guint i = 0, lane = 0; i < level->wires->len; i++)
    {
      SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      if (w->quiet || w->stub || w->n_points < 4)
        continue;
      if (is_moved (level, w->from) || is_moved (level, w->to) || is_covered (&r, w))
        reroute (&r, w, lane++);
    }
  g_array_unref (r.boxes);
  g_array_unref (r.ways);
  g_array_unref (r.corners);
  g_free (r.owner);
}
