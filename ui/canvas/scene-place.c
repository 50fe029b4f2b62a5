/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <math.h>
#include <string.h>

#include "ui/canvas/dot.h"
#include "ui/canvas/path.h"
#include "ui/canvas/text-metrics.h"

#define VARIABLE_GAP 28.0
#define CONSTANT_GAP 12.0
#define GLYPH_STEP   6.0
#define PORT_INSET   22.0 /* of the gap between the border and the first row: half is enough */

static SceneMember *
member_at (const SceneLevel *level, guint i)
{
  return &g_array_index (level->members, SceneMember, i);
}

static SceneWire *
wire_at (const SceneLevel *level, guint i)
{
  return &g_array_index (level->wires, SceneWire, i);
}

/* An open scope is as large as what is in it; lines enter and leave where they do inside. */
static gboolean
open_member (SceneBuilder *b, const SceneLevel *level, SceneMember *m)
{
  SluiceFlowDirection against = level->flow == SLUICE_FLOW_UP ? SLUICE_FLOW_DOWN : SLUICE_FLOW_UP;
  m->inner = sluice_scene_level_new (b, m->group, m->second ? against : level->flow);
  if (!sluice_scene_level_place (b, m->inner))
    return FALSE;
  const SluiceGroup *g = sluice_hierarchy_get_group (b->hierarchy, m->group);
  double title = sluice_text_width (g->label, SCENE_TITLE_SIZE, TRUE) + 110;
  double width = m->inner->content.width + 2 * SCENE_PADDING;
  m->width = MAX (width, title);
  m->height = m->inner->content.height + SCENE_HEADER + SCENE_PADDING;
  m->anchor = m->inner->port_x - m->inner->content.x + (m->width - m->inner->content.width) / 2;
  m->anchor = CLAMP (m->anchor, 12, m->width - 12);
  return TRUE;
}

/* The line back is drawn beside it, also where the loop is only a part of what is closed. */
static gboolean
is_closed_loop (const SceneBuilder *b, const SceneMember *m)
{
  const SluiceGroup *g = sluice_hierarchy_get_group (b->hierarchy, m->group);
  return m->kind == SLUICE_ITEM_SCOPE && !m->aside
         && (g->loop != NULL || g->inner_loop != NULL || g->carries);
}

/* Room that satellites take beside their hosts. Satellites of a host and side are neighbours in the
 * array. */
static void
measure_satellites (SceneBuilder *b, SceneLevel *level)
{
  for (guint i = 0; i < level->members->len; i++)
    {
      SceneMember *m = member_at (level, i);
      m->left = m->anchor;
      m->right = m->width - m->anchor + (is_closed_loop (b, m) ? SCENE_LOOP_ROOM : 0);
      m->row = m->height;
    }
  for (guint i = 0, end; i < level->satellites->len; i = end)
    {
      const SceneSatellite *s = &g_array_index (level->satellites, SceneSatellite, i);
      SceneMember *m = member_at (level, s->host);
      double width = 0, height = -GLYPH_STEP;
      for (end = i; end < level->satellites->len && s[end - i].host == s->host
                    && s[end - i].right == s->right;
           end++)
        {
          gboolean small = s[end - i].kind == SLUICE_ITEM_CONSTANT;
          width = MAX (width, s[end - i].width + (small ? CONSTANT_GAP : VARIABLE_GAP));
          height += s[end - i].height + GLYPH_STEP;
        }
      if (s->right)
        m->right += width;
      else
        m->left += width;
      m->row = MAX (m->row, height);
    }
}

static void
place_satellites (SceneLevel *level)
{
  for (guint i = 0, end; i < level->satellites->len; i = end)
    {
      SceneSatellite *s = &g_array_index (level->satellites, SceneSatellite, i);
      const SceneMember *m = member_at (level, s->host);
      double height = -GLYPH_STEP;
      for (end = i; end < level->satellites->len && s[end - i].host == s->host
                    && s[end - i].right == s->right;
           end++)
        height += s[end - i].height + GLYPH_STEP;
      double y = m->y + m->height / 2 - height / 2;
      for (guint k = 0; k < end - i; k++)
        {
          double gap = s[k].kind == SLUICE_ITEM_CONSTANT ? CONSTANT_GAP : VARIABLE_GAP;
          s[k].x = s[k].right ? m->x + m->width + gap : m->x - gap - s[k].width;
          s[k].y = y;
          y += s[k].height + GLYPH_STEP;
        }
    }
}

/* What the layered layout gets to see of a level. */
typedef struct
{
  GArray *nodes; /* SluiceLayoutNode */
  GArray *edges; /* SluiceLayoutEdge */
  GArray *wires; /* guint: wire of each edge, SLUICE_NONE for the unseen ones that keep the ports
                    outside */
  guint *member; /* per node: member, SLUICE_NONE for ports */
  guint in, out; /* nodes of the ports, SLUICE_NONE */
} Input;

static void
add_edge (Input *input, guint from, guint to, double weight, guint wire)
{
  SluiceLayoutEdge e = { from, to, weight };
  g_array_append_val (input->edges, e);
  g_array_append_val (input->wires, wire);
}

static guint
node_of (const SceneLevel *level, const Input *input, guint end)
{
  if (end == SCENE_PORT_IN)
    return input->in;
  if (end == SCENE_PORT_OUT)
    return input->out;
  return member_at (level, end)->layout;
}

/* How much a line wants to be short and straight: by its bytes; in a backward half the way from
 * gradient to gradient before the ways out of it. */
static double
weight_of (SceneBuilder *b, const SceneLevel *level, const SceneWire *w)
{
  guint n = level->members->len;
  if (w->from == SCENE_PORT_IN || w->to == SCENE_PORT_OUT)
    return 0.5;
  if (w->kind != SLUICE_EDGE_DATA)
    return 0.1;
  double weight = 1 + sluice_scene_edge_width (w->bytes, w->kind);
  if (w->from < n && w->to < n && member_at (level, w->from)->second
      && sluice_hierarchy_get_group (b->hierarchy, w->to_group)->gradient)
    weight *= 4;
  return weight;
}

/* It stands where lines lead, not on a shelf. */
static gboolean
is_in_flow (const SceneMember *m)
{
  return !m->aside && !m->loose;
}

/* Nothing holds them in the flow. */
static void
find_loose (SceneBuilder *b, SceneLevel *level)
{
  guint n = level->members->len;
  g_autofree guint8 *tied = g_new0 (guint8, n + 1);
  for (guint i = 0; i < level->wires->len; i++)
    {
      const SceneWire *w = wire_at (level, i);
      if (w->quiet || w->stub)
        continue;
      tied[MIN (w->from, n)] = tied[MIN (w->to, n)] = 1; /* n: a port */
    }
  for (guint i = 0; i < n; i++)
    {
      SceneMember *m = member_at (level, i);
      m->loose = !tied[i] && !m->aside;
      /* At the top: counters, rates and constants that nothing visible reads. */
      m->aside |= m->loose && level->group == 0
                  && (m->kind == SLUICE_ITEM_VARIABLE || m->kind == SLUICE_ITEM_CONSTANT)
                  && sluice_hierarchy_get_group (b->hierarchy, m->group)->params == 0;
    }
}

static void
collect_nodes (SceneLevel *level, Input *input)
{
  for (guint i = 0; i < level->members->len; i++)
    {
      SceneMember *m = member_at (level, i);
      SluiceLayoutNode node = { m->left, m->right, m->row, 0, 0 };
      if (!is_in_flow (m))
        continue;
      m->layout = input->nodes->len;
      input->member[input->nodes->len] = i;
      g_array_append_val (input->nodes, node);
    }
  SluiceLayoutNode port = { 4, 4, 0, 0, 0 };
  input->in = input->out = SLUICE_NONE;
  if (level->has_in)
    {
      input->in = input->nodes->len;
      input->member[input->in] = SLUICE_NONE;
      g_array_append_val (input->nodes, port);
    }
  if (level->has_out)
    {
      input->out = input->nodes->len;
      input->member[input->out] = SLUICE_NONE;
      g_array_append_val (input->nodes, port);
    }
}

static void
collect_edges (SceneBuilder *b, SceneLevel *level, Input *input)
{
  g_autofree guint8 *tied = g_new0 (guint8, input->nodes->len + 1);
  guint n;
  for (guint i = 0; i < level->wires->len; i++)
    {
      const SceneWire *w = wire_at (level, i);
      if (w->quiet || w->stub || w->kind == SLUICE_EDGE_BACK)
        continue; /* routed round all that the iteration computes */
      guint from = node_of (level, input, w->from), to = node_of (level, input, w->to);
      tied[from] |= 2;
      tied[to] |= 1;
      add_edge (input, from, to, weight_of (b, level, w), i);
    }
  /* Everything else lies between the ports. */
  n = input->nodes->len;
  for (guint v = 0; v < n; v++)
    {
      if (input->in != SLUICE_NONE && v != input->in && v != input->out && !(tied[v] & 1))
        add_edge (input, input->in, v, SLUICE_LAYOUT_UNSEEN, SLUICE_NONE);
      if (input->out != SLUICE_NONE && v != input->in && v != input->out && !(tied[v] & 2))
        add_edge (input, v, input->out, SLUICE_LAYOUT_UNSEEN, SLUICE_NONE);
    }
}

/* Marks the backward half: gradients whose forward half stands in this level, and all that is
 * computed from them. FALSE when there is none. */
static gboolean
find_second_half (SceneBuilder *b, SceneLevel *level)
{
  gboolean any = FALSE, grown = TRUE;
  g_autofree guint8 *forward = g_new0 (guint8, level->members->len + 1);
  for (guint i = 0; i < level->members->len; i++)
    {
      SceneMember *m = member_at (level, i);
      const SluiceGroup *g = sluice_hierarchy_get_group (b->hierarchy, m->group);
      guint pair = g->gradient ? g->pair : SLUICE_NONE;
      if (pair == SLUICE_NONE
          || sluice_hierarchy_get_group (b->hierarchy, pair)->parent != level->group)
        continue;
      guint other = b->member_of[pair];
      m->second = TRUE;
      if (other != SLUICE_NONE)
        forward[other] = 1;
      any |= is_in_flow (m) && other != SLUICE_NONE && is_in_flow (member_at (level, other));
    }
  while (any && grown)
    {
      grown = FALSE;
      for (guint i = 0; i < level->wires->len; i++)
        {
          const SceneWire *w = wire_at (level, i);
          if (w->quiet || w->kind == SLUICE_EDGE_REFERENCE || w->from >= level->members->len
              || w->to >= level->members->len)
            continue;
          SceneMember *to = member_at (level, w->to);
          const SluiceGroup *g = sluice_hierarchy_get_group (b->hierarchy, to->group);
          /* What is learnt is updated from gradients; it is no part of them. */
          if (member_at (level, w->from)->second && !to->second && !forward[w->to]
              && (g->params == 0 || g->gradient))
            to->second = grown = TRUE;
        }
    }
  for (guint i = 0; i < level->members->len && !any; i++)
    member_at (level, i)->second = FALSE;
  /* The corridor between the halves is kept free for the lines across. */
  for (guint i = 0; any && i < level->satellites->len; i++)
    {
      SceneSatellite *s = &g_array_index (level->satellites, SceneSatellite, i);
      s->right = member_at (level, s->host)->second;
    }
  return any;
}

/* Rows that are given: the forward half's own, and beside them those of gradients. */
static void
rank_pairs (SceneBuilder *b, SceneLevel *level, gint *rank, guint8 *known)
{
  for (guint i = 0; i < level->members->len; i++)
    {
      const SceneMember *m = member_at (level, i);
      const SluiceGroup *g = sluice_hierarchy_get_group (b->hierarchy, m->group);
      guint other = g->gradient && g->pair != SLUICE_NONE ? b->member_of[g->pair] : SLUICE_NONE;
      known[i] = !m->second;
      if (!m->second || !is_in_flow (m) || other == SLUICE_NONE || member_at (level, other)->second
          || !is_in_flow (member_at (level, other)))
        continue;
      rank[m->layout] = rank[member_at (level, other)->layout];
      known[i] = 1;
    }
}

static gboolean
is_backward_wire (const SceneLevel *level, const SceneWire *w)
{
  guint n = level->members->len;
  return !w->quiet && w->from < n && w->to < n && member_at (level, w->from)->second
         && member_at (level, w->to)->second;
}

/* Other rows of the backward half, which flows downwards: a box below what it is computed from, a
 * seed above what is computed from it.
 * @depth, free of cycles, says which way a wire counts; it also orders the boxes, so that two
 * passes over the wires do. */
static void
rank_loose (SceneLevel *level, gint *rank, guint8 *known, const guint *depth)
{
  guint n = level->members->len, deepest = 0, n_wires = level->wires->len;
  g_autofree guint8 *given = g_memdup2 (known, n);
  g_autofree GPtrArray **at = NULL;
  for (guint i = 0; i < n; i++)
    if (member_at (level, i)->layout != SLUICE_NONE)
      deepest = MAX (deepest, depth[member_at (level, i)->layout]);
  at = g_new0 (GPtrArray *, deepest + 1); /* wires by the depth of their upper end */
  for (guint k = 0; k < n_wires; k++)
    {
      SceneWire *w = wire_at (level, k);
      if (!is_backward_wire (level, w))
        continue;
      guint from = depth[member_at (level, w->from)->layout];
      if (from >= depth[member_at (level, w->to)->layout])
        continue;
      if (at[from] == NULL)
        at[from] = g_ptr_array_new ();
      g_ptr_array_add (at[from], w);
    }
  for (guint pass = 0; pass < 2; pass++)
    for (guint step = 0; step <= deepest; step++)
      {
        const GPtrArray *wires = at[pass == 0 ? step : deepest - step];
        for (guint k = 0; wires != NULL && k < wires->len; k++)
          {
            const SceneWire *w = wires->pdata[k];
            guint fixed = pass == 0 ? w->from : w->to, loose = pass == 0 ? w->to : w->from;
            gint wanted = rank[member_at (level, fixed)->layout] + (pass == 0 ? -1 : 1);
            gint *now = &rank[member_at (level, loose)->layout];
            if (given[loose] || !known[fixed])
              continue;
            *now = !known[loose] ? wanted : pass == 0 ? MIN (*now, wanted) : MAX (*now, wanted);
            known[loose] = 1;
          }
        if (pass == 0 && step == deepest)
          memcpy (given, known, n);
      }
  for (guint i = 0; i <= deepest; i++)
    g_clear_pointer (&at[i], g_ptr_array_unref);
}

/* The layout's edges within one half; returns how many. */
static guint
pick_half (const SceneLevel *level, const Input *input, gboolean second, SluiceLayoutEdge *edges)
{
  guint n = 0;
  for (guint i = 0; i < input->edges->len; i++)
    {
      const SluiceLayoutEdge *e = &g_array_index (input->edges, SluiceLayoutEdge, i);
      guint from = input->member[e->from], to = input->member[e->to];
      if ((from != SLUICE_NONE && member_at (level, from)->second) == second
          && (to != SLUICE_NONE && member_at (level, to)->second) == second)
        edges[n++] = *e;
    }
  return n;
}

/* What stands in too wide a row is wrapped, gradients with their forward halves. */
static void
wrap_halves (SceneBuilder *b, SceneLevel *level, Input *input, const SluiceLayoutOptions *options)
{
  SluiceLayoutNode *nodes = (SluiceLayoutNode *) input->nodes->data;
  guint n = input->nodes->len;
  double limit = (sluice_layout_get_row_limit (options) - options->column_gap) / 2;
  if (limit <= 0)
    return;
  g_autofree double *width = g_new (double, n + 1);
  g_autofree guint *column = g_new (guint, n + 1);
  g_autofree guint *mate = g_new (guint, n + 1);
  g_autofree guint *rank = g_new (guint, n + 1);
  for (guint v = 0; v < n; v++)
    {
      guint i = input->member[v];
      const SluiceGroup *g =
          i == SLUICE_NONE ? NULL
                           : sluice_hierarchy_get_group (b->hierarchy, member_at (level, i)->group);
      guint pair =
          g != NULL && g->gradient && g->pair != SLUICE_NONE ? b->member_of[g->pair] : SLUICE_NONE;
      width[v] = nodes[v].left + nodes[v].right + options->node_gap;
      column[v] = nodes[v].column;
      rank[v] = nodes[v].rank;
      mate[v] = pair != SLUICE_NONE ? member_at (level, pair)->layout : SLUICE_NONE;
    }
  sluice_layout_wrap_rows (n, width, column, mate, limit, rank);
  for (guint v = 0; v < n; v++)
    nodes[v].rank = rank[v];
}

/* Fixed ranks and columns for a level with two halves. */
static void
fix_halves (SceneBuilder *b, SceneLevel *level, Input *input)
{
  guint n = input->nodes->len, n_edges = 0;
  g_autofree SluiceLayoutEdge *edges = g_new (SluiceLayoutEdge, input->edges->len + 1);
  g_autofree gint *rank = g_new0 (gint, n + 1);
  g_autofree guint8 *known = g_new0 (guint8, level->members->len + 1);
  gint lowest = G_MAXINT;

  n_edges = pick_half (level, input, FALSE, edges);
  g_autofree guint *forward = sluice_layout_dup_ranks (n, edges, n_edges);
  n_edges = pick_half (level, input, TRUE, edges);
  g_autofree guint *depth = sluice_layout_dup_ranks (n, edges, n_edges);
  for (guint v = 0; v < n; v++)
    rank[v] = (gint) forward[v];
  rank_pairs (b, level, rank, known);
  rank_loose (level, rank, known, depth);
  for (guint v = 0; v < n; v++)
    lowest = MIN (lowest, rank[v]);
  for (guint v = 0; v < n; v++)
    {
      SluiceLayoutNode *node = &g_array_index (input->nodes, SluiceLayoutNode, v);
      node->rank = rank[v] - lowest;
      node->column = input->member[v] != SLUICE_NONE && member_at (level, input->member[v])->second;
    }
}

/* Where the line meets the box at one of its ends, the other being at @other; at a port it stays.
 */
static double
border_of (const SceneLevel *level, guint end, double y, double other)
{
  if (end >= level->members->len)
    return y;
  const SceneMember *m = member_at (level, end);
  return y < other ? m->y + m->height : m->y;
}

/* Boxes may be lower than their rows, where something beside them is taller: lines go straight on
 * to the box. */
static void
add_points (SceneLevel *level,
            SceneWire *w,
            const SluiceLayout *layout,
            const SluiceLayoutRoute *route)
{
  const SluicePoint *p = &g_array_index (layout->points, SluicePoint, route->first_point);
  const SluicePoint first = p[0], last = p[route->n_points - 1];
  w->first_point = level->points->len;
  sluice_path_add (level->points, first.x, border_of (level, w->from, first.y, last.y));
  sluice_path_line_to (level->points, first.x, first.y);
  g_array_append_vals (level->points, p + 1, route->n_points - 1);
  sluice_path_line_to (level->points, last.x, border_of (level, w->to, last.y, first.y));
  w->n_points = level->points->len - w->first_point;
}

/* Takes positions and paths over, in flow coordinates. */
static void
take_layout (SceneLevel *level, const Input *input, const SluiceLayout *layout)
{
  for (guint i = 0; i < level->members->len; i++)
    {
      SceneMember *m = member_at (level, i);
      if (m->layout == SLUICE_NONE)
        continue;
      m->x = layout->anchors[m->layout].x - m->anchor;
      m->y = layout->anchors[m->layout].y - m->height / 2;
    }
  for (guint e = 0; e < input->edges->len; e++)
    {
      guint i = g_array_index (input->wires, guint, e);
      if (i == SLUICE_NONE)
        continue;
      SceneWire *w = wire_at (level, i);
      if (layout->routes[e].port)
        w->stub = TRUE;
      else if (layout->routes[e].n_points > 0)
        add_points (level, w, layout, &layout->routes[e]);
    }
  level->port_x = layout->width / 2;
  if (input->in != SLUICE_NONE && input->out != SLUICE_NONE)
    level->port_x = (layout->anchors[input->in].x + layout->anchors[input->out].x) / 2;
  else if (input->in != SLUICE_NONE || input->out != SLUICE_NONE)
    level->port_x = layout->anchors[input->in != SLUICE_NONE ? input->in : input->out].x;
}

/* Leads the line of a port on to @y, where the drawing begins or ends. */
static void
lead_out (SceneLevel *level, SceneWire *w, double y)
{
  GArray *points = level->points;
  guint first = points->len, n = w->n_points;
  g_autofree SluicePoint *p =
      g_memdup2 (&g_array_index (points, SluicePoint, w->first_point), n * sizeof *p);
  if (w->from == SCENE_PORT_IN)
    {
      sluice_path_add (points, level->port_x, y - PORT_INSET);
      sluice_path_curve_to (points, p[0].x, y);
      sluice_path_line_to (points, p[0].x, p[0].y);
      g_array_append_vals (points, p + 1, n - 1);
    }
  else
    {
      g_array_append_vals (points, p, n);
      sluice_path_line_to (points, p[n - 1].x, y);
      sluice_path_curve_to (points, level->port_x, y + PORT_INSET);
    }
  w->first_point = first;
  w->n_points = points->len - first;
}

/* Lines at the border all start where the line outside ends. The first gap has no boxes, so the
 * bend cannot meet one. Where something of the drawing reaches farther out than they do, such as
 * what leads back from the end of folded rows, they bend outside of it. */
static void
bend_to_port (SceneLevel *level, double height)
{
  for (guint i = 0; i < level->wires->len; i++)
    {
      SceneWire *w = wire_at (level, i);
      gboolean in = w->from == SCENE_PORT_IN;
      if (w->n_points == 0 || (!in && w->to != SCENE_PORT_OUT))
        continue;
      SluicePoint *p = &g_array_index (level->points, SluicePoint, w->first_point);
      guint end = in ? 0 : w->n_points - 1, next = in ? 1 : end - 1;
      double y = in ? 0 : height;
      gboolean is_outermost = fabs (p[end].y - y) < 1;
      if (is_outermost)
        {
          p[end].x = p[next].x = level->port_x;
          p[end].y += in ? PORT_INSET : -PORT_INSET;
        }
      else if (fabs (p[end].x - level->port_x) > 0.5)
        lead_out (level, w, y);
    }
}

static void
flip (SceneLevel *level, double height)
{
  for (guint i = 0; i < level->members->len; i++)
    member_at (level, i)->y = height - member_at (level, i)->y - member_at (level, i)->height;
  for (guint i = 0; i < level->points->len; i++)
    {
      SluicePoint *p = &g_array_index (level->points, SluicePoint, i);
      p->y = height - p->y;
    }
}

static void
apply_moves (SceneBuilder *b, SceneLevel *level)
{
  double x, y;
  for (guint i = 0; b->state != NULL && i < level->members->len; i++)
    {
      SceneMember *m = member_at (level, i);
      const char *path = sluice_hierarchy_get_group (b->hierarchy, m->group)->path;
      if (!sluice_view_state_get_move (b->state, path, &x, &y))
        continue;
      m->moved = TRUE;
      m->x += x;
      m->y += y;
    }
}

static void
grow (SluiceRect *all, gboolean *any, SluiceRect r)
{
  *all = *any ? sluice_rect_union (all, &r) : r;
  *any = TRUE;
}

static void
measure_content (SceneLevel *level)
{
  gboolean any = FALSE;
  SluiceRect all = { 0, 0, 0, 0 };
  for (guint i = 0; i < level->members->len; i++)
    {
      const SceneMember *m = member_at (level, i);
      grow (&all, &any, (SluiceRect){ m->x, m->y, m->width, m->height });
    }
  for (guint i = 0; i < level->satellites->len; i++)
    {
      const SceneSatellite *s = &g_array_index (level->satellites, SceneSatellite, i);
      grow (&all, &any, (SluiceRect){ s->x, s->y, s->width, s->height });
    }
  for (guint i = 0; i < level->points->len; i++)
    {
      const SluicePoint *p = &g_array_index (level->points, SluicePoint, i);
      grow (&all, &any, (SluiceRect){ p->x, p->y, 0, 0 });
    }
  if (level->has_heading)
    grow (&all, &any, (SluiceRect){ level->heading_x - 34, level->heading_y, 68, 12 });
  level->content = all;
  /* Lines from outside end at the border. */
  if (!level->has_in && !level->has_out)
    level->port_x = all.x + all.width / 2;
}

static SluiceLayout *
run_layout (SceneBuilder *b, SceneLevel *level, Input *input, gboolean halves)
{
  SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  input->nodes = g_array_new (FALSE, TRUE, sizeof (SluiceLayoutNode));
  input->edges = g_array_new (FALSE, FALSE, sizeof (SluiceLayoutEdge));
  input->wires = g_array_new (FALSE, FALSE, sizeof (guint));
  input->member = g_new (guint, level->members->len + 3);
  collect_nodes (level, input);
  collect_edges (b, level, input);
  options.fixed = halves;
  options.view_width = level->view_width;
  options.view_height = level->view_height;
  options.beside = sluice_scene_level_get_aside_width (level);
  if (options.fixed)
    {
      fix_halves (b, level, input);
      wrap_halves (b, level, input, &options);
    }
  else if (b->state != NULL && sluice_view_state_get_use_dot (b->state))
    {
      SluiceLayout *layout = sluice_dot_layout_new (
          (SluiceLayoutNode *) input->nodes->data, input->nodes->len,
          (SluiceLayoutEdge *) input->edges->data, input->edges->len, &options);
      if (layout != NULL)
        return layout;
    }
  return sluice_layout_new ((SluiceLayoutNode *) input->nodes->data, input->nodes->len,
                            (SluiceLayoutEdge *) input->edges->data, input->edges->len, &options,
                            b->cancelled);
}

gboolean
sluice_scene_level_place (SceneBuilder *b, SceneLevel *level)
{
  Input input = { 0 };
  find_loose (b, level);
  gboolean halves = find_second_half (b, level);
  for (guint i = 0; i < level->members->len; i++)
    if (member_at (level, i)->kind == SLUICE_ITEM_OPEN_SCOPE
        && !open_member (b, level, member_at (level, i)))
      return FALSE;
  measure_satellites (b, level);
  g_autoptr (SluiceLayout) layout = run_layout (b, level, &input, halves);
  if (layout != NULL)
    {
      take_layout (level, &input, layout);
      sluice_scene_level_route (level, layout);
      sluice_scene_level_untangle (b, level);
      double width = MAX (layout->width, sluice_scene_level_route_back (level));
      bend_to_port (level, layout->height);
      if (level->flow == SLUICE_FLOW_UP)
        flip (level, layout->height);
      sluice_scene_level_shelve (level, width, layout->height);
      apply_moves (b, level);
      place_satellites (level);
      sluice_scene_level_reroute (level);
      measure_content (level);
    }
  g_array_unref (input.nodes);
  g_array_unref (input.edges);
  g_array_unref (input.wires);
  g_free (input.member);
  return layout != NULL;
}
