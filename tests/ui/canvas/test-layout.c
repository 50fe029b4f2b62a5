/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <graphviz/gvc.h>
#include <math.h>
#include <string.h>

#include "ui/canvas/layout.h"

/* A graph for the layout, with boxes of varied size. */
typedef struct
{
  GArray *nodes; /* SluiceLayoutNode */
  GArray *edges; /* SluiceLayoutEdge */
} Graph;

static void
graph_clear (Graph *g)
{
  g_array_unref (g->nodes);
  g_array_unref (g->edges);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Graph, graph_clear)

static Graph
graph_new (guint n)
{
  Graph g = { g_array_new (FALSE, TRUE, sizeof (SluiceLayoutNode)),
              g_array_new (FALSE, TRUE, sizeof (SluiceLayoutEdge)) };
  for (guint i = 0; i < n; i++)
    {
      SluiceLayoutNode node = { 20 + i * 7 % 40, 30 + i * 11 % 50, 20 + i * 5 % 30, 0, 0 };
      g_array_append_val (g.nodes, node);
    }
  return g;
}

static void
connect_nodes (Graph *g, guint from, guint to)
{
  SluiceLayoutEdge e = { from, to, 1 };
  g_array_append_val (g->edges, e);
}

static SluiceLayout *
lay_out (const Graph *g)
{
  const SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  return sluice_layout_new ((SluiceLayoutNode *) g->nodes->data, g->nodes->len,
                            (SluiceLayoutEdge *) g->edges->data, g->edges->len, &options, NULL);
}

static SluiceRect
box_of (const Graph *g, const SluiceLayout *l, guint v)
{
  const SluiceLayoutNode *n = &g_array_index (g->nodes, SluiceLayoutNode, v);
  return (SluiceRect){ l->anchors[v].x - n->left, l->anchors[v].y - n->height / 2,
                       n->left + n->right, n->height };
}

static void
assert_no_overlaps (const Graph *g, const SluiceLayout *l)
{
  for (guint a = 0; a < l->n_nodes; a++)
    for (guint b = a + 1; b < l->n_nodes; b++)
      {
        SluiceRect ra = box_of (g, l, a), rb = box_of (g, l, b);
        ra = sluice_rect_grown (&ra, -0.01);
        if (sluice_rect_touches (&ra, &rb))
          g_error ("boxes %u and %u overlap", a, b);
      }
}

static SluicePoint
on_cubic (const SluicePoint *p, double t)
{
  double a = (1 - t) * (1 - t) * (1 - t), b = 3 * (1 - t) * (1 - t) * t, c = 3 * (1 - t) * t * t,
         d = t * t * t;
  return (SluicePoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                        a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

/* Samples every line and looks whether it enters a box that is not one of its ends. */
static void
assert_lines_are_clear (const Graph *g, const SluiceLayout *l)
{
  for (guint e = 0; e < l->n_edges; e++)
    {
      const SluiceLayoutEdge *edge = &g_array_index (g->edges, SluiceLayoutEdge, e);
      const SluiceLayoutRoute *r = &l->routes[e];
      if (r->n_points == 0)
        continue;
      const SluicePoint *p = &g_array_index (l->points, SluicePoint, r->first_point);
      for (guint k = 0; k + 3 < r->n_points; k += 3)
        for (double t = 0; t <= 1; t += 0.1)
          {
            SluicePoint at = on_cubic (p + k, t);
            for (guint v = 0; v < l->n_nodes; v++)
              {
                SluiceRect box = box_of (g, l, v);
                box = sluice_rect_grown (&box, -0.5);
                if (v != edge->from && v != edge->to && sluice_rect_contains (&box, at.x, at.y))
                  g_error ("edge %u runs through box %u", e, v);
              }
          }
    }
}

/* Every line starts at its source's border and ends at its target's, whichever way it was turned.
 */
static void
assert_lines_meet_ends (const Graph *g, const SluiceLayout *l)
{
  for (guint e = 0; e < l->n_edges; e++)
    {
      const SluiceLayoutEdge *edge = &g_array_index (g->edges, SluiceLayoutEdge, e);
      const SluiceLayoutRoute *r = &l->routes[e];
      if (edge->from == edge->to || r->port)
        {
          g_assert_cmpuint (r->n_points, ==, 0);
          continue;
        }
      g_assert_cmpuint (r->n_points % 3, ==, 1);
      SluicePoint a = g_array_index (l->points, SluicePoint, r->first_point);
      SluicePoint b = g_array_index (l->points, SluicePoint, r->first_point + r->n_points - 1);
      SluiceRect from = box_of (g, l, edge->from), to = box_of (g, l, edge->to);
      g_assert_cmpfloat_with_epsilon (a.x, l->anchors[edge->from].x, 0.02);
      g_assert_cmpfloat_with_epsilon (b.x, l->anchors[edge->to].x, 0.02);
      g_assert_cmpfloat_with_epsilon (a.y, r->reversed ? from.y : from.y + from.height, 0.02);
      g_assert_cmpfloat_with_epsilon (b.y, r->reversed ? to.y + to.height : to.y, 0.02);
    }
}

static void
assert_sound (const Graph *g, const SluiceLayout *l)
{
  assert_no_overlaps (g, l);
  assert_lines_are_clear (g, l);
  assert_lines_meet_ends (g, l);
  for (guint v = 0; v < l->n_nodes; v++)
    {
      SluiceRect box = box_of (g, l, v);
      g_assert_cmpfloat (box.x, >=, -0.01);
      g_assert_cmpfloat (box.y, >=, -0.01);
      g_assert_cmpfloat (box.x + box.width, <=, l->width + 0.01);
      g_assert_cmpfloat (box.y + box.height, <=, l->height + 0.01);
    }
}

static void
test_empty (void)
{
  g_auto (Graph) none = graph_new (0);
  g_autoptr (SluiceLayout) l = lay_out (&none);
  g_assert_cmpuint (l->n_components, ==, 0);
  g_assert_cmpfloat (l->width, ==, 0);
  g_auto (Graph) one = graph_new (1);
  connect_nodes (&one, 0, 0);
  g_autoptr (SluiceLayout) loop = lay_out (&one);
  assert_sound (&one, loop);
}

static void
test_chain_is_straight (void)
{
  g_auto (Graph) g = graph_new (6);
  for (guint i = 0; i + 1 < 6; i++)
    connect_nodes (&g, i, i + 1);
  connect_nodes (&g, 0, 5);
  g_autoptr (SluiceLayout) l = lay_out (&g);
  assert_sound (&g, l);
  g_assert_cmpuint (l->n_dummies, ==, 4);
  g_assert_cmpuint (l->crossings, ==, 0);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpuint (l->ranks[i], ==, i);
  for (guint i = 1; i + 2 < 6; i++)
    g_assert_cmpfloat_with_epsilon (l->anchors[i].x, l->anchors[i + 1].x, 0.01);
  /* The long edge has one level stretch: its dummies stand above each other. */
  const SluiceLayoutRoute *r = &l->routes[5];
  const SluicePoint *p = &g_array_index (l->points, SluicePoint, r->first_point);
  g_assert_cmpfloat_with_epsilon (p[6].x, p[r->n_points - 7].x, 0.01);
}

static void
test_ranks_are_tight (void)
{
  /* 0 -> 1 -> 2 -> 3 and 4 -> 3: the short branch stands next to its reader, not at the far end. */
  g_auto (Graph) g = graph_new (5);
  connect_nodes (&g, 0, 1);
  connect_nodes (&g, 1, 2);
  connect_nodes (&g, 2, 3);
  connect_nodes (&g, 4, 3);
  g_autoptr (SluiceLayout) l = lay_out (&g);
  g_assert_cmpuint (l->ranks[4], ==, 2);
  g_assert_cmpuint (l->n_dummies, ==, 0);
}

/* What only says what stands before what ranks a box, and is no line that others could cross. */
static void
test_unseen_edges (void)
{
  g_auto (Graph) g = graph_new (5);
  SluiceLayoutEdge unseen = { 0, 4, SLUICE_LAYOUT_UNSEEN };
  for (guint i = 0; i < 3; i++)
    connect_nodes (&g, i, i + 1);
  connect_nodes (&g, 4, 3);
  g_autoptr (SluiceLayout) plain = lay_out (&g);
  g_array_append_val (g.edges, unseen);
  unseen = (SluiceLayoutEdge){ 0, 3, SLUICE_LAYOUT_UNSEEN };
  g_array_append_val (g.edges, unseen);
  g_autoptr (SluiceLayout) l = lay_out (&g);
  g_assert_cmpuint (l->n_dummies, ==, 0);
  g_assert_cmpuint (l->routes[4].n_points, ==, 0);
  g_assert_cmpuint (l->routes[5].n_points, ==, 0);
  g_assert_cmpuint (l->ranks[4], >, l->ranks[0]);
  g_assert_cmpfloat_with_epsilon (l->width, plain->width, 0.01);
}

static void
test_cycles (void)
{
  g_auto (Graph) g = graph_new (4);
  connect_nodes (&g, 0, 1);
  connect_nodes (&g, 1, 2);
  connect_nodes (&g, 2, 1);
  connect_nodes (&g, 2, 3);
  connect_nodes (&g, 3, 3);
  connect_nodes (&g, 0, 1);
  g_autoptr (SluiceLayout) l = lay_out (&g);
  assert_sound (&g, l);
  g_assert_false (l->routes[1].reversed);
  g_assert_true (l->routes[2].reversed);
  g_assert_cmpuint (l->routes[0].n_points, ==, l->routes[5].n_points);
}

static void
test_long_edges_are_ports (void)
{
  g_auto (Graph) g = graph_new (30);
  for (guint i = 0; i + 1 < 30; i++)
    connect_nodes (&g, i, i + 1);
  connect_nodes (&g, 0, 20);
  connect_nodes (&g, 0, 21);
  g_autoptr (SluiceLayout) l = lay_out (&g);
  assert_sound (&g, l);
  g_assert_false (l->routes[29].port);
  g_assert_true (l->routes[30].port);
}

static void
test_components (void)
{
  g_auto (Graph) g = graph_new (40);
  for (guint i = 0; i < 10; i++)
    connect_nodes (&g, i, i + 1);
  connect_nodes (&g, 20, 21);
  g_autoptr (SluiceLayout) l = lay_out (&g);
  assert_sound (&g, l);
  g_assert_cmpuint (l->n_components, ==, 1 + 1 + 27);
  g_assert_cmpfloat (l->width, <, 3 * l->height); /* packed, not one row */
}

static void
test_columns (void)
{
  g_auto (Graph) g = graph_new (6);
  SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  SluiceLayoutNode *n = (SluiceLayoutNode *) g.nodes->data;
  options.fixed = TRUE;
  for (guint i = 0; i < 6; i++)
    {
      n[i].rank = i % 3;
      n[i].column = i / 3;
    }
  connect_nodes (&g, 0, 1);
  connect_nodes (&g, 1, 2);
  connect_nodes (&g, 5, 4); /* against the rows */
  connect_nodes (&g, 2, 5); /* across */
  g_autoptr (SluiceLayout) l =
      sluice_layout_new (n, 6, (SluiceLayoutEdge *) g.edges->data, 4, &options, NULL);
  assert_no_overlaps (&g, l);
  g_assert_cmpuint (l->n_rows, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (l->anchors[i].y, l->anchors[i + 3].y, 0.01);
  g_assert_true (l->routes[2].reversed);
  g_assert_cmpuint (l->routes[3].n_points, ==, 0);
  for (guint i = 3; i < 6; i++)
    g_assert_cmpfloat (box_of (&g, l, i).x, >=, l->column_x[1] - 0.01);
}

static SluiceLayout *
lay_out_for (const Graph *g, double width, double height, SluiceLayoutOptions *options)
{
  options->view_width = width;
  options->view_height = height;
  return sluice_layout_new ((SluiceLayoutNode *) g->nodes->data, g->nodes->len,
                            (SluiceLayoutEdge *) g->edges->data, g->edges->len, options, NULL);
}

/* A chain with a line past each second box, of 40 rows. */
static void
connect_ladder (Graph *g, guint first, guint n)
{
  for (guint i = first; i + 1 < first + n; i++)
    {
      connect_nodes (g, i, i + 1);
      if (i % 2 == 0 && i + 2 < first + n)
        connect_nodes (g, i, i + 2);
    }
}

static void
test_fold (void)
{
  g_auto (Graph) g = graph_new (40);
  SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  connect_ladder (&g, 0, 40);
  g_autoptr (SluiceLayout) plain = lay_out (&g);
  g_autoptr (SluiceLayout) folded = lay_out_for (&g, 1100, 760, &options);
  assert_sound (&g, folded);
  g_assert_cmpfloat (plain->height, >, 2500);
  g_assert_cmpfloat (sluice_layout_fit (&options, folded->width, folded->height), >, 0.6);
  /* Every band runs the same way, and the next one is right of it. */
  for (guint i = 0; i + 1 < 40; i++)
    g_assert_true (folded->anchors[i + 1].y > folded->anchors[i].y
                   || folded->anchors[i + 1].x > folded->anchors[i].x + 50);
  /* What fits is left alone, and the same again is the same. */
  g_autoptr (SluiceLayout) large = lay_out_for (&g, 8000, 8000, &options);
  g_assert_cmpfloat (large->height, ==, plain->height);
  g_autoptr (SluiceLayout) again = lay_out_for (&g, 1100, 760, &options);
  g_assert_cmpmem (folded->anchors, 40 * sizeof (SluicePoint), again->anchors,
                   40 * sizeof (SluicePoint));
}

/* What would be hard to read, and is too wide to be folded, stands closer. */
static void
test_tight (void)
{
  const guint n_ranks = 18, n_lanes = 6;
  g_auto (Graph) g = graph_new (n_ranks * n_lanes);
  SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  for (guint i = 0; i + n_lanes < n_ranks * n_lanes; i++)
    {
      connect_nodes (&g, i, i + n_lanes);
      connect_nodes (&g, i, i / n_lanes * n_lanes + n_lanes);
    }
  g_autoptr (SluiceLayout) plain = lay_out (&g);
  g_autoptr (SluiceLayout) tight = lay_out_for (&g, 1100, 760, &options);
  assert_sound (&g, tight);
  g_assert_cmpfloat (tight->height, <, 0.85 * plain->height);
  g_assert_cmpfloat_with_epsilon (tight->width, plain->width, 0.01);
}

/* Lanes that each hold one box, wide at one side, all in rows of their own: what is too wide to be
 * read stands one beside the other's lanes, in the same order. */
static void
test_narrow (void)
{
  const guint n_lanes = 12;
  g_auto (Graph) g = graph_new (n_lanes + 2);
  SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  SluiceLayoutNode *n = (SluiceLayoutNode *) g.nodes->data;
  options.fixed = TRUE;
  for (guint i = 1; i <= n_lanes; i++)
    {
      n[i].rank = i;
      n[i].left = 300;
      connect_nodes (&g, 0, i);
      connect_nodes (&g, i, n_lanes + 1);
    }
  n[n_lanes + 1].rank = n_lanes + 1;
  g_autoptr (SluiceLayout) plain = lay_out_for (&g, 8000, 8000, &options);
  g_autoptr (SluiceLayout) narrow = lay_out_for (&g, 1100, 1100, &options);
  assert_sound (&g, narrow);
  g_assert_cmpfloat (sluice_layout_fit (&options, plain->width, 0), <, 0.6);
  g_assert_cmpfloat (sluice_layout_fit (&options, narrow->width, narrow->height), >, 0.6);
  g_assert_cmpuint (narrow->crossings, ==, plain->crossings);
}

/* Two halves of 20 rows: both are cut at the same rows, and stand side by side in each band. */
static void
test_fold_columns (void)
{
  g_auto (Graph) g = graph_new (40);
  SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  SluiceLayoutNode *n = (SluiceLayoutNode *) g.nodes->data;
  options.fixed = TRUE;
  for (guint i = 0; i < 40; i++)
    {
      n[i].rank = i < 20 ? i : 39 - i;
      n[i].column = i / 20;
    }
  connect_ladder (&g, 0, 20);
  connect_ladder (&g, 20, 20);
  g_autoptr (SluiceLayout) l = lay_out_for (&g, 1100, 500, &options);
  assert_sound (&g, l);
  g_assert_cmpuint (l->bands[19], >, 0);
  for (guint i = 0; i < 20; i++)
    {
      SluiceRect forward = box_of (&g, l, i), backward = box_of (&g, l, 39 - i);
      guint band = l->bands[i];
      g_assert_cmpfloat_with_epsilon (l->anchors[i].y, l->anchors[39 - i].y, 0.01);
      g_assert_cmpfloat (forward.x + forward.width, <=, l->column_x[2 * band + 1]);
      g_assert_cmpfloat (backward.x, >=, l->column_x[2 * band + 1] - 0.01);
    }
}

/* Many boxes between two: they share several rows. */
static void
test_wrap (void)
{
  g_auto (Graph) g = graph_new (26);
  SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  for (guint i = 1; i < 25; i++)
    {
      connect_nodes (&g, 0, i);
      connect_nodes (&g, i, 25);
    }
  g_autoptr (SluiceLayout) plain = lay_out (&g);
  g_autoptr (SluiceLayout) l = lay_out_for (&g, 1100, 760, &options);
  assert_sound (&g, l);
  g_assert_cmpfloat (l->width, <, 0.75 * plain->width);
  g_assert_cmpuint (l->crossings, ==, 0);
}

/* The x at which a line passes the middle of the box @beside, which it has no part in. */
static double
get_lane (const SluiceLayout *l, guint edge, guint beside)
{
  const SluicePoint *p = (const SluicePoint *) l->points->data + l->routes[edge].first_point;
  double y = l->anchors[beside].y;
  for (guint i = 0; i + 3 < l->routes[edge].n_points; i += 3)
    if (p[i].y <= y && p[i + 3].y >= y)
      return p[i].x;
  g_assert_not_reached ();
}

/* A chain whose boxes all lead to its last one too, or all come from its first one: on either side
 * of it there is one trunk. */
static void
test_lanes_are_shared (void)
{
  for (guint outward = 0; outward < 2; outward++)
    {
      g_auto (Graph) g = graph_new (8);
      guint n_shared = 0, last = outward ? 2 : 5; /* beside it all are on their way */
      for (guint i = 0; i < 7; i++)
        connect_nodes (&g, i, i + 1);
      for (guint i = 0; i < 4; i++)
        connect_nodes (&g, outward ? 0 : i, outward ? 7 - i : 7);
      g_autoptr (SluiceLayout) l = lay_out (&g);
      for (guint a = 7; a < 11; a++)
        for (guint b = 7; b < a; b++)
          {
            double x = get_lane (l, a, last), y = get_lane (l, b, last);
            if ((x < l->anchors[last].x) != (y < l->anchors[last].x))
              continue;
            g_assert_cmpfloat_with_epsilon (x, y, 0.01);
            n_shared++;
          }
      g_assert_cmpuint (n_shared, >, 0);
      assert_no_overlaps (&g, l);
    }
}

static void
test_cancelled (void)
{
  g_auto (Graph) g = graph_new (4);
  const SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  gint cancelled = 1;
  g_assert_null (
      sluice_layout_new ((SluiceLayoutNode *) g.nodes->data, 4, NULL, 0, &options, &cancelled));
}

static void
test_count_crossings (void)
{
  GRand *rand = g_rand_new_with_seed (5);
  for (guint round = 0; round < 200; round++)
    {
      guint n = g_rand_int_range (rand, 0, 30), upper[30], lower[30];
      guint64 slow = 0;
      for (guint i = 0; i < n; i++)
        {
          upper[i] = g_rand_int_range (rand, 0, 8);
          lower[i] = g_rand_int_range (rand, 0, 8);
        }
      for (guint i = 0; i < n; i++)
        for (guint k = 0; k < i; k++)
          slow += (upper[i] < upper[k] && lower[i] > lower[k])
                  || (upper[i] > upper[k] && lower[i] < lower[k]);
      g_assert_cmpuint (sluice_layout_count_crossings (upper, lower, n), ==, slow);
    }
  g_rand_free (rand);
}

/* Random graphs with self edges, parallel edges and cycles: sound every time, and the same twice.
 */
static void
test_fuzz (void)
{
  GRand *rand = g_rand_new_with_seed (17);
  for (guint round = 0; round < 150; round++)
    {
      guint n = g_rand_int_range (rand, 1, 40);
      g_auto (Graph) g = graph_new (n);
      for (guint e = g_rand_int_range (rand, 0, (int) (3 * n)); e > 0; e--)
        connect_nodes (&g, g_rand_int_range (rand, 0, (int) n),
                       g_rand_int_range (rand, 0, (int) n));
      g_autoptr (SluiceLayout) a = lay_out (&g);
      g_autoptr (SluiceLayout) b = lay_out (&g);
      assert_sound (&g, a);
      g_assert_cmpmem (a->anchors, n * sizeof *a->anchors, b->anchors, n * sizeof *b->anchors);
      g_assert_cmpmem (a->points->data, a->points->len * sizeof (SluicePoint), b->points->data,
                       b->points->len * sizeof (SluicePoint));
    }
  g_rand_free (rand);
}

/* Nothing in the layout recurses: a chain as deep as a model can be, and a star. */
static void
test_extremes (void)
{
  g_auto (Graph) chain = graph_new (20000);
  for (guint i = 0; i + 1 < 20000; i++)
    connect_nodes (&chain, i, i + 1);
  g_autoptr (SluiceLayout) deep = lay_out (&chain);
  g_assert_cmpuint (deep->ranks[19999], ==, 19999);
  g_auto (Graph) star = graph_new (5000);
  for (guint i = 1; i < 5000; i++)
    connect_nodes (&star, i % 2 == 0 ? 0 : i, i % 2 == 0 ? i : 0);
  g_autoptr (SluiceLayout) wide = lay_out (&star);
  g_assert_cmpuint (wide->crossings, ==, 0);
}

/* Crossings that dot is left with, counted by our own counter; stops dot after its ordering. */
static guint64
crossings_of_dot (GVC_t *gvc, const Graph *g)
{
  Agraph_t *dot = agopen ((char *) "g", Agdirected, NULL);
  g_autofree Agnode_t **v = g_new (Agnode_t *, g->nodes->len);
  guint64 crossings = 0;
  agattr (dot, AGRAPH, (char *) "phase", "2");
  agattr (dot, AGNODE, (char *) "label", "");
  for (guint i = 0; i < g->nodes->len; i++)
    {
      char name[16];
      g_snprintf (name, sizeof name, "%u", i);
      v[i] = agnode (dot, name, TRUE);
    }
  for (guint i = 0; i < g->edges->len; i++)
    {
      const SluiceLayoutEdge *e = &g_array_index (g->edges, SluiceLayoutEdge, i);
      agedge (dot, v[e->from], v[e->to], NULL, TRUE);
    }
  g_assert_cmpint (gvLayout (gvc, dot, "dot"), ==, 0);
  for (int r = GD_minrank (dot); r < GD_maxrank (dot); r++)
    {
      g_autoptr (GArray) upper = g_array_new (FALSE, FALSE, sizeof (guint));
      g_autoptr (GArray) lower = g_array_new (FALSE, FALSE, sizeof (guint));
      for (int i = 0; i < GD_rank (dot)[r].n; i++)
        for (size_t k = 0; k < (size_t) ND_out (GD_rank (dot)[r].v[i]).size; k++)
          {
            guint a = ND_order (GD_rank (dot)[r].v[i]);
            guint b = ND_order (aghead (ND_out (GD_rank (dot)[r].v[i]).list[k]));
            g_array_append_val (upper, a);
            g_array_append_val (lower, b);
          }
      crossings +=
          sluice_layout_count_crossings ((guint *) upper->data, (guint *) lower->data, upper->len);
    }
  gvFreeLayout (gvc, dot);
  agclose (dot);
  return crossings;
}

/* Layered, nearly layered, and chain-like graphs without parallel edges. */
static Graph
graph_random (GRand *rand, guint n, int kind)
{
  Graph g = graph_new (n);
  guint width = MAX (4, (guint) sqrt (n));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n + n / 2; i++)
    {
      guint a = g_rand_int_range (rand, 0, (int) n), first = (a / width + 1) * width, b;
      if (kind == 0)
        b = first + g_rand_int_range (rand, 0, (int) width);
      else if (kind == 1)
        b = a + g_rand_int_range (rand, 1, 8);
      else
        b = first + a % width + g_rand_int_range (rand, 0, 3);
      if (b < n && g_hash_table_add (seen, GUINT_TO_POINTER (a * n + b + 1)))
        connect_nodes (&g, a, b);
    }
  return g;
}

static void
test_crossings_against_dot (void)
{
  GVC_t *gvc = gvContext ();
  guint64 ours = 0, dots = 0;
  for (int kind = 0; kind < 3; kind++)
    for (guint seed = 1; seed <= 4; seed++)
      for (guint n = 20; n <= 180; n *= 3)
        {
          GRand *rand = g_rand_new_with_seed (seed * 10 + kind);
          g_auto (Graph) g = graph_random (rand, n, kind);
          g_autoptr (SluiceLayout) l = lay_out (&g);
          ours += l->crossings;
          dots += crossings_of_dot (gvc, &g);
          g_rand_free (rand);
        }
  gvFreeContext (gvc);
  g_test_message ("crossings: ours %" G_GUINT64_FORMAT ", dot's %" G_GUINT64_FORMAT ", ratio %.3f",
                  ours, dots, (double) ours / (double) dots);
  g_assert_cmpuint (dots, >, 100);
  g_assert_cmpfloat ((double) ours, <=, 1.05 * (double) dots);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/layout/empty", test_empty);
  g_test_add_func ("/canvas/layout/chain", test_chain_is_straight);
  g_test_add_func ("/canvas/layout/tight", test_ranks_are_tight);
  g_test_add_func ("/canvas/layout/unseen", test_unseen_edges);
  g_test_add_func ("/canvas/layout/cycles", test_cycles);
  g_test_add_func ("/canvas/layout/ports", test_long_edges_are_ports);
  g_test_add_func ("/canvas/layout/components", test_components);
  g_test_add_func ("/canvas/layout/columns", test_columns);
  g_test_add_func ("/canvas/layout/fold", test_fold);
  g_test_add_func ("/canvas/layout/hard-to-read", test_tight);
  g_test_add_func ("/canvas/layout/too-wide", test_narrow);
  g_test_add_func ("/canvas/layout/fold-columns", test_fold_columns);
  g_test_add_func ("/canvas/layout/wrap", test_wrap);
  g_test_add_func ("/canvas/layout/lanes", test_lanes_are_shared);
  g_test_add_func ("/canvas/layout/cancelled", test_cancelled);
  g_test_add_func ("/canvas/layout/count-crossings", test_count_crossings);
  g_test_add_func ("/canvas/layout/fuzz", test_fuzz);
  g_test_add_func ("/canvas/layout/extremes", test_extremes);
  g_test_add_func ("/canvas/layout/dot", test_crossings_against_dot);
  return g_test_run ();
}
