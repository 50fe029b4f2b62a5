/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/canvas/path.h"

#define MANY_EDGES 600 /* of a level in which nobody looks at each */

/* A level, from the outside in. @at: scene position of the level's own origin. */
typedef struct
{
  SluiceScene *scene;
  GArray *quiet; /* guint pairs of groups and the bundle, joined once everything has its place */
} Placer;

static SluiceSceneItem *
item_at (SluiceScene *scene, guint i)
{
  return &g_array_index (scene->items, SluiceSceneItem, i);
}

static guint
add_item (Placer *p, const SluiceSceneItem *item, SluicePoint origin)
{
  SluiceScene *scene = p->scene;
  guint index = scene->items->len;
  g_array_append_val (scene->items, *item);
  g_array_append_val (scene->origins, origin);
  if (item->node != SLUICE_NONE && scene->item_of[item->node] == SLUICE_NONE)
    scene->item_of[item->node] = index;
  return index;
}

SluiceRect
sluice_scene_path_bounds (const SluicePoint *p, guint n, double width)
{
  SluiceRect r = { p[0].x, p[0].y, 0, 0 };
  for (guint i = 1; i < n; i++)
    {
      SluiceRect point = { p[i].x, p[i].y, 0, 0 };
      r = sluice_rect_union (&r, &point);
    }
  return sluice_rect_grown (&r, width / 2 + 8); /* arrow heads */
}

static void
add_edge (Placer *p, SluiceSceneEdge edge)
{
  SluiceScene *scene = p->scene;
  const SluicePoint *points = &g_array_index (scene->points, SluicePoint, edge.first_point);
  edge.bounds = sluice_scene_path_bounds (points, edge.n_points, edge.width);
  g_array_append_val (scene->edges, edge);
}

static void
add_point (SluiceScene *scene, double x, double y)
{
  SluicePoint point = { x, y };
  g_array_append_val (scene->points, point);
}

static void place_level (Placer *p, SceneLevel *level, SluicePoint at, guint parent, guint depth);

static void
place_member (Placer *p, SceneMember *m, SluicePoint at, guint parent, guint depth)
{
  const SluiceGroup *g = sluice_hierarchy_get_group (p->scene->hierarchy, m->group);
  SluiceSceneItem item = { .kind = m->kind,
                           .node = m->group,
                           .parent = parent,
                           .depth = depth,
                           .rect = { at.x + m->x, at.y + m->y, m->width, m->height },
                           .title = g->label,
                           .note = m->note,
                           .host = SLUICE_NONE,
                           .aside = m->aside };
  m->item = add_item (p, &item, at);
  if (m->inner == NULL)
    return;
  SluicePoint inner = { item.rect.x + (m->width - m->inner->content.width) / 2
                            - m->inner->content.x,
                        item.rect.y + SCENE_HEADER - m->inner->content.y };
  place_level (p, m->inner, inner, m->item, depth + 1);
}

/* A short line between a glyph and its host, level. */
static void
add_stalk (Placer *p, const SceneSatellite *s, guint host)
{
  SluiceScene *scene = p->scene;
  SluiceRect a = item_at (scene, s->item)->rect, b = item_at (scene, host)->rect;
  double x0 = s->right ? b.x + b.width : a.x + a.width, x1 = s->right ? a.x : b.x;
  double y0 = s->right ? b.y + b.height / 2 : a.y + a.height / 2;
  double y1 = s->right ? a.y + a.height / 2 : CLAMP (y0, b.y + 6, b.y + b.height - 6);
  gboolean variable = s->kind == SLUICE_ITEM_VARIABLE;
  gboolean leaves = s->right || s->kind == SLUICE_ITEM_SUMMARY;
  SluiceSceneEdge edge = { .from = leaves ? host : s->item,
                           .to = leaves ? s->item : host,
                           .bundle = s->bundle,
                           .kind = SLUICE_EDGE_DATA,
                           .first_point = scene->points->len,
                           .n_points = 4,
                           .width = variable ? 1.4 : 1,
                           .arrow = variable };
  add_point (scene, x0, y0);
  add_point (scene, (x0 + x1) / 2, y0);
  add_point (scene, (x0 + x1) / 2, y1);
  add_point (scene, x1, y1);
  add_edge (p, edge);
}

static void
place_satellites (Placer *p, SceneLevel *level, SluicePoint at, guint parent, guint depth)
{
  for (guint i = 0; i < level->satellites->len; i++)
    {
      SceneSatellite *s = &g_array_index (level->satellites, SceneSatellite, i);
      guint host = g_array_index (level->members, SceneMember, s->host).item;
      SluiceSceneItem item = { .kind = s->kind,
                               .node = s->group,
                               .parent = parent,
                               .depth = depth,
                               .rect = { at.x + s->x, at.y + s->y, s->width, s->height },
                               .title = s->title,
                               .note = s->note,
                               .host = host };
      s->item = add_item (p, &item, at);
      add_stalk (p, s, host);
    }
}

/* A short piece of a line that is not drawn whole, at the one end or the other, that says what it
 * joins. inward: the arrow is at the box. */
static void
add_stub (Placer *p,
          const SceneWire *w,
          guint from,
          guint to,
          gboolean at_end,
          gboolean inward,
          const char *label)
{
  SluiceScene *scene = p->scene;
  double up = scene->flow == SLUICE_FLOW_UP ? -1 : 1, away = at_end ? -up : up;
  SluiceRect r = item_at (scene, at_end ? to : from)->rect;
  double x = r.x + r.width / 2 + SCENE_STUB_BESIDE, box = away < 0 ? r.y : r.y + r.height;
  double end = box + away * SCENE_STUB_LENGTH;
  double y0 = inward ? end : box, y1 = inward ? box : end;
  SluiceSceneEdge edge = { .from = from,
                           .to = to,
                           .bundle = w->bundle,
                           .kind = w->kind,
                           .first_point = scene->points->len,
                           .n_points = 4,
                           .width = sluice_scene_edge_width (w->bytes, w->kind),
                           .arrow = inward,
                           .stub = TRUE,
                           .label = label };
  add_point (scene, x, y0);
  add_point (scene, x, y0 + (y1 - y0) / 3);
  add_point (scene, x, y1 - (y1 - y0) / 3);
  add_point (scene, x, y1);
  add_edge (p, edge);
}

static void
add_stubs (Placer *p, const SceneWire *w, guint from, guint to)
{
  SluiceScene *scene = p->scene;
  if (w->tag != NULL && w->kind == SLUICE_EDGE_REFERENCE)
    add_stub (p, w, to, from, TRUE, TRUE, w->tag);
  else if (w->tag != NULL)
    add_stub (p, w, from, to, TRUE, TRUE, w->tag);
  else
    {
      g_autofree char *next = g_strdup_printf ("→ %s", item_at (scene, to)->title);
      g_autofree char *last = g_strdup_printf ("← %s", item_at (scene, from)->title);
      add_stub (p, w, from, to, FALSE, FALSE, g_string_chunk_insert_const (scene->strings, next));
      add_stub (p, w, from, to, TRUE, TRUE, g_string_chunk_insert_const (scene->strings, last));
    }
}

/* The model's edge leads from the variable to the op that writes it; the arrow shows where the new
 * value goes. */
static void
turn_round (SluiceScene *scene, SluiceSceneEdge *edge)
{
  SluicePoint *s = &g_array_index (scene->points, SluicePoint, edge->first_point);
  guint to = edge->to;
  for (guint i = 0, k = edge->n_points - 1; i < k; i++, k--)
    {
      SluicePoint swap = s[i];
      s[i] = s[k];
      s[k] = swap;
    }
  edge->to = edge->from;
  edge->from = to;
}

static void
place_wire (Placer *p, SceneLevel *level, const SceneWire *w, SluicePoint at, guint parent)
{
  SluiceScene *scene = p->scene;
  guint n = level->members->len;
  if (w->quiet)
    {
      guint entry[] = { w->from_group, w->to_group, w->bundle };
      g_array_append_vals (p->quiet, entry, 3);
      return;
    }
  guint from = w->from < n ? g_array_index (level->members, SceneMember, w->from).item : parent;
  guint to = w->to < n ? g_array_index (level->members, SceneMember, w->to).item : parent;
  if (w->stub)
    {
      add_stubs (p, w, from, to);
      return;
    }
  /* The border of the scope around is where a port is: lines go on through the padding. */
  gboolean up = level->flow == SLUICE_FLOW_UP;
  SluiceSceneEdge edge = { .from = from,
                           .to = to,
                           .bundle = w->bundle,
                           .kind = w->kind,
                           .first_point = scene->points->len,
                           .width = sluice_scene_edge_width (w->bytes, w->kind),
                           .label = w->label,
                           .arrow = w->arrow };
  const SluicePoint *q = &g_array_index (level->points, SluicePoint, w->first_point);
  SluiceRect frame =
      parent != SLUICE_NONE ? item_at (scene, parent)->rect : (SluiceRect){ 0, 0, 0, 0 };
  if (w->from == SCENE_PORT_IN)
    {
      double y = up ? frame.y + frame.height : frame.y;
      add_point (scene, at.x + q[0].x, y);
      add_point (scene, at.x + q[0].x, y);
      add_point (scene, at.x + q[0].x, at.y + q[0].y);
    }
  for (guint i = 0; i < w->n_points; i++)
    add_point (scene, at.x + q[i].x, at.y + q[i].y);
  if (w->to == SCENE_PORT_OUT)
    {
      double x = at.x + q[w->n_points - 1].x, y = up ? frame.y : frame.y + frame.height;
      add_point (scene, x, at.y + q[w->n_points - 1].y);
      add_point (scene, x, y);
      add_point (scene, x, y);
    }
  edge.n_points = scene->points->len - edge.first_point;
  if (w->kind == SLUICE_EDGE_REFERENCE && edge.n_points >= 4)
    turn_round (scene, &edge);
  if (edge.n_points >= 4)
    add_edge (p, edge);
}

/* Whether no other line of those from @first on crosses that short piece or stands in its place. */
static gboolean
stub_is_clear (SluiceScene *scene, guint first, guint stub)
{
  const SluiceSceneEdge *s = &g_array_index (scene->edges, SluiceSceneEdge, stub);
  const SluicePoint *points = (const SluicePoint *) scene->points->data;
  g_autoptr (GArray) line = sluice_path_flatten (points + s->first_point, s->n_points);
  SluiceRect bounds = sluice_scene_path_bounds (points + s->first_point, s->n_points, s->width);
  for (guint i = first; i < scene->edges->len; i++)
    {
      const SluiceSceneEdge *e = &g_array_index (scene->edges, SluiceSceneEdge, i);
      if (i == stub || e->n_points < 4 || !sluice_rect_touches (&e->bounds, &bounds))
        continue;
      if (e->stub && i < stub)
        return FALSE;
      g_autoptr (GArray) other = sluice_path_flatten (points + e->first_point, e->n_points);
      if (!e->stub && sluice_lines_cross (line, other))
        return FALSE;
    }
  return TRUE;
}

/* @part: of its length, from the box. */
static void
set_stub (SluiceScene *scene, guint stub, double x, double part)
{
  SluiceSceneEdge *edge = &g_array_index (scene->edges, SluiceSceneEdge, stub);
  SluicePoint *points = &g_array_index (scene->points, SluicePoint, edge->first_point);
  double y0 = points[0].y, y1 = points[3].y;
  double length = (y1 > y0 ? 1 : -1) * part * SCENE_STUB_LENGTH;
  if (edge->arrow)
    y0 = y1 - length;
  else
    y1 = y0 + length;
  for (guint i = 0; i < 4; i++)
    points[i] = (SluicePoint){ x, y0 + i * (y1 - y0) / 3 };
  edge->bounds = sluice_scene_path_bounds (points, edge->n_points, edge->width);
}

/* Short pieces are shorter still, or stand beside their place, where a line leads past; unless
 * nothing helps. */
static void
shift_stubs (SluiceScene *scene, guint first)
{
  static const double places[] = { 1, -1, 2, -2, 3, -3 }, parts[] = { 1, 0.6, 0.4 };
  if (scene->edges->len - first > MANY_EDGES)
    return;
  for (guint i = first; i < scene->edges->len; i++)
    {
      const SluiceSceneEdge *edge = &g_array_index (scene->edges, SluiceSceneEdge, i);
      if (!edge->stub)
        continue;
      SluiceRect r = item_at (scene, edge->arrow ? edge->to : edge->from)->rect;
      double middle = r.x + r.width / 2;
      gboolean is_clear = FALSE;
      for (guint k = 0; k < G_N_ELEMENTS (places) * G_N_ELEMENTS (parts) && !is_clear; k++)
        {
          double off = places[k / G_N_ELEMENTS (parts)] * SCENE_STUB_BESIDE;
          if (ABS (off) > r.width / 2 - 8)
            continue;
          set_stub (scene, i, middle + off, parts[k % G_N_ELEMENTS (parts)]);
          is_clear = stub_is_clear (scene, first, i);
        }
      if (!is_clear)
        set_stub (scene, i, middle + SCENE_STUB_BESIDE, 1);
    }
}

/* Lines into an open scope end at its border when others lead on from there. */
static void
mark_passing (SceneLevel *level)
{
  for (guint i = 0; i < level->wires->len; i++)
    {
      SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      if (w->quiet || w->to >= level->members->len)
        continue;
      const SceneMember *to = &g_array_index (level->members, SceneMember, w->to);
      if (to->inner != NULL && to->inner->has_in && w->kind == SLUICE_EDGE_DATA)
        w->arrow = FALSE;
    }
}

static void
place_level (Placer *p, SceneLevel *level, SluicePoint at, guint parent, guint depth)
{
  if (level->has_heading)
    {
      SluiceSceneItem heading = { .kind = SLUICE_ITEM_HEADING,
                                  .node = SLUICE_NONE,
                                  .parent = parent,
                                  .depth = depth,
                                  .rect = { at.x + level->heading_x - 40, at.y + level->heading_y,
                                            80, 12 },
                                  .title = _ ("SET ASIDE"),
                                  .host = SLUICE_NONE,
                                  .aside = TRUE };
      add_item (p, &heading, at);
    }
  for (guint i = 0; i < level->members->len; i++)
    place_member (p, &g_array_index (level->members, SceneMember, i), at, parent, depth);
  place_satellites (p, level, at, parent, depth);
  mark_passing (level);
  guint first = p->scene->edges->len;
  for (guint i = 0; i < level->wires->len; i++)
    place_wire (p, level, &g_array_index (level->wires, SceneWire, i), at, parent);
  shift_stubs (p->scene, first);
}

/* What is drawn only on selection: direct lines between what has its place by now. */
static void
add_quiet_edges (Placer *p)
{
  SluiceScene *scene = p->scene;
  for (guint i = 0; i + 2 < p->quiet->len; i += 3)
    {
      guint from = scene->item_of[g_array_index (p->quiet, guint, i)];
      guint to = scene->item_of[g_array_index (p->quiet, guint, i + 1)];
      guint bundle = g_array_index (p->quiet, guint, i + 2);
      if (from == SLUICE_NONE || to == SLUICE_NONE || from == to || bundle == SLUICE_NONE
          || item_at (scene, from)->host == to || item_at (scene, to)->host == from)
        continue;
      const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (scene->hierarchy, bundle);
      if (b->kind == SLUICE_EDGE_REFERENCE)
        {
          guint writer = to;
          to = from;
          from = writer;
        }
      SluiceSceneEdge edge = { .from = from,
                               .to = to,
                               .bundle = bundle,
                               .kind = b->kind,
                               .first_point = scene->points->len,
                               .width = sluice_scene_edge_width (b->bytes, b->kind),
                               .arrow = TRUE,
                               .quiet = TRUE };
      SluiceRect a = item_at (scene, from)->rect, c = item_at (scene, to)->rect;
      edge.n_points = sluice_scene_direct_path (&a, &c, scene->points);
      add_edge (p, edge);
    }
}

static void
index_edges (SluiceScene *scene)
{
  guint n = scene->items->len;
  for (int side = 0; side < 2; side++)
    {
      guint *start = scene->edge_start[side] = g_new0 (guint, n + 2);
      guint *list = scene->edge_list[side] = g_new (guint, scene->edges->len + 1);
      for (guint pass = 0; pass < 2; pass++)
        {
          for (guint i = 0; i < scene->edges->len; i++)
            {
              const SluiceSceneEdge *e = &g_array_index (scene->edges, SluiceSceneEdge, i);
              guint end = side == 0 ? e->from : e->to;
              if (end == SLUICE_NONE)
                continue;
              if (pass == 0)
                start[end + 2]++;
              else
                list[start[end + 1]++] = i;
            }
          for (guint v = 0; pass == 0 && v < n; v++)
            start[v + 2] += start[v + 1];
        }
    }
}

static void
index_scene (SluiceScene *scene)
{
  g_autofree SluiceRect *rects = g_new (SluiceRect, MAX (scene->items->len, scene->edges->len) + 1);
  for (guint i = 0; i < scene->items->len; i++)
    {
      rects[i] = item_at (scene, i)->rect;
      scene->bounds = i == 0 ? rects[0] : sluice_rect_union (&scene->bounds, &rects[i]);
    }
  scene->item_grid = sluice_grid_new (rects, scene->items->len);
  for (guint i = 0; i < scene->edges->len; i++)
    {
      rects[i] = g_array_index (scene->edges, SluiceSceneEdge, i).bounds;
      if (!g_array_index (scene->edges, SluiceSceneEdge, i).quiet)
        scene->bounds = sluice_rect_union (&scene->bounds, &rects[i]);
    }
  scene->edge_grid = sluice_grid_new (rects, scene->edges->len);
  index_edges (scene);
}

/* Which scopes are drawn as frames; TRUE when there are any. */
static gboolean
find_open (SceneBuilder *b)
{
  guint n = sluice_hierarchy_get_n_groups (b->hierarchy);
  gboolean any = FALSE;
  b->open = g_new0 (guint8, n);
  b->open[0] = 1;
  for (guint i = 1; i < n && b->state != NULL; i++)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (b->hierarchy, i);
      b->open[i] =
          g->n_children > 0 && b->open[g->parent] && sluice_view_state_is_open (b->state, g->path);
      any |= b->open[i];
    }
  return any;
}

static SluiceScene *
make_scene (SluiceHierarchy *hierarchy, SluiceFlowDirection flow)
{
  SluiceScene *scene = g_new0 (SluiceScene, 1);
  guint n = sluice_hierarchy_get_n_groups (hierarchy);
  g_atomic_ref_count_init (&scene->ref_count);
  scene->hierarchy = sluice_hierarchy_ref (hierarchy);
  scene->flow = flow;
  scene->strings = g_string_chunk_new (4096);
  scene->items = g_array_new (FALSE, FALSE, sizeof (SluiceSceneItem));
  scene->origins = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  scene->edges = g_array_new (FALSE, FALSE, sizeof (SluiceSceneEdge));
  scene->points = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  scene->item_of = g_new (guint, n);
  memset (scene->item_of, 0xff, n * sizeof (guint));
  return scene;
}

SluiceScene *
sluice_scene_new (SluiceHierarchy *hierarchy,
                  const SluiceViewState *state,
                  SluiceFlowDirection flow,
                  const gint *cancelled)
{
  g_autoptr (SluiceScene) scene = make_scene (hierarchy, flow);
  guint n = sluice_hierarchy_get_n_groups (hierarchy);
  SceneBuilder b = { .scene = scene,
                     .hierarchy = hierarchy,
                     .state = state,
                     .view_width = SLUICE_SCENE_VIEW_WIDTH,
                     .view_height = SLUICE_SCENE_VIEW_HEIGHT,
                     .cancelled = cancelled,
                     .member_of = g_new (guint, n),
                     .host_of = g_new (guint, n) };
  if (state != NULL)
    sluice_view_state_get_size (state, &b.view_width, &b.view_height);
  Placer p = { scene, g_array_new (FALSE, FALSE, sizeof (guint)) };

  memset (b.member_of, 0xff, n * sizeof (guint));
  memset (b.host_of, 0xff, n * sizeof (guint));
  if (find_open (&b))
    sluice_scene_find_crossings (&b);
  SceneLevel *root = sluice_scene_level_new (&b, 0, flow);
  gboolean done = sluice_scene_level_place (&b, root);
  if (done)
    {
      place_level (&p, root, (SluicePoint){ 0, 0 }, SLUICE_NONE, 0);
      add_quiet_edges (&p);
      sluice_scene_bend (scene, state);
      index_scene (scene);
      sluice_scene_place_labels (scene);
    }
  sluice_scene_level_free (root);
  g_array_unref (p.quiet);
  g_free (b.open);
  g_free (b.in);
  g_free (b.out);
  g_free (b.member_of);
  g_free (b.host_of);
  return done ? g_steal_pointer (&scene) : NULL;
}
