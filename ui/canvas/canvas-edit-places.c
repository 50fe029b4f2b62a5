/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <math.h>

/* Where ports are: side by side where data enters and leaves a box, at the end of the line where
 * one comes from the side. A line that arrives elsewhere at that border is drawn to its port. */

#define PORT_STEP  24.0 /* between ports side by side, in the scene */
#define LEAST_STEP 13.0
#define SIDE_AIR   9.0 /* between a port and the corner of its box */
#define ON_BORDER  2.0 /* so near the end of a line is at a border */

/* A line at a box. */
typedef struct
{
  guint edge;
  gboolean is_shown, is_data;
  gboolean is_at_border; /* where data enters or leaves; else it comes from the side */
  guint n_tensors;
  SluicePoint end;
  double comes_from; /* x of its next bend, or of its other end */
  double sum_x;      /* of the ports that it reaches */
  guint n_ports;
} Line;

/* A tensor of a line, and its port. */
typedef struct
{
  guint line, port;
} Tie;

/* One direction of a box. */
typedef struct
{
  gboolean is_output, at_top;
  GArray *lines; /* Line */
  GArray *ties;  /* Tie */
} Side;

typedef struct
{
  SluiceCanvas *self;
  SluiceRect rect;
  gboolean is_scope;
  double anchor; /* x about which lines leave and arrive */
  GArray *ports; /* CanvasPort */
  Side sides[2];
} Places;

static gboolean
is_at_border (const SluiceRect *r, SluicePoint p, gboolean top)
{
  return fabs (p.y - (top ? r->y : r->y + r->height)) < ON_BORDER && p.x > r->x
         && p.x < r->x + r->width;
}

static void
collect_lines (Places *p, guint item, Side *side)
{
  SluiceScene *scene = p->self->scene;
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  sluice_scene_get_item_edges (scene, item, side->is_output, edges);
  for (guint i = 0; i < edges->len; i++)
    {
      Line line = { .edge = g_array_index (edges, guint, i) };
      const SluiceSceneEdge *e = sluice_scene_get_edge (scene, line.edge);
      if (e->n_points < 4 || e->bundle == SLUICE_NONE
          || (e->kind != SLUICE_EDGE_DATA && e->kind != SLUICE_EDGE_BACK))
        continue;
      line.is_data = e->kind == SLUICE_EDGE_DATA;
      line.is_shown = !e->quiet;
      line.n_tensors =
          sluice_hierarchy_get_bundle (sluice_scene_get_hierarchy (scene), e->bundle)->n_edges;
      const SluicePoint *points = sluice_scene_get_points (scene) + e->first_point;
      line.end = points[side->is_output ? 0 : e->n_points - 1];
      line.comes_from = points[side->is_output ? 3 : e->n_points - 4].x;
      g_array_append_val (side->lines, line);
    }
}

/* Data flows through a box from one side to the other; which way, its lines say: in the backward
 * half it is turned round. */
static void
find_flow (Places *p)
{
  gboolean up = sluice_scene_get_flow (p->self->scene) == SLUICE_FLOW_UP, is_known = FALSE;
  p->anchor = p->rect.x + p->rect.width / 2;
  for (int out = 0; out < 2; out++)
    for (guint i = 0; i < p->sides[out].lines->len && !is_known; i++)
      {
        const Line *line = &g_array_index (p->sides[out].lines, Line, i);
        gboolean top = is_at_border (&p->rect, line->end, TRUE);
        if (!line->is_shown || !line->is_data
            || (!top && !is_at_border (&p->rect, line->end, FALSE)))
          continue;
        up = top == (out == 1);
        p->anchor = line->end.x;
        is_known = TRUE;
      }
  p->sides[0].at_top = !up;
  p->sides[1].at_top = up;
}

static guint
find_port (const Places *p, gboolean is_output, guint id, guint index)
{
  for (guint i = 0; i < p->ports->len; i++)
    {
      const CanvasPort *port = &g_array_index (p->ports, CanvasPort, i);
      if (port->id == id && port->index == index && port->is_output == is_output)
        return i;
    }
  return SLUICE_NONE;
}

static void
tie_lines (Places *p, Side *side)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (p->self->scene);
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  for (guint i = 0; i < side->lines->len; i++)
    {
      Line *line = &g_array_index (side->lines, Line, i);
      const SluiceSceneEdge *e = sluice_scene_get_edge (p->self->scene, line->edge);
      const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (h, e->bundle);
      line->is_at_border = is_at_border (&p->rect, line->end, side->at_top);
      for (guint k = 0; k < b->n_edges; k++)
        {
          const SluiceModelEdge *m = sluice_graph_model_get_edge (
              model, sluice_hierarchy_get_bundled_edge (h, b->first_edge + k));
          Tie tie = { i, side->is_output ? find_port (p, TRUE, m->from, m->port)
                                         : find_port (p, FALSE, m->to, m->slot) };
          if (m->kind != SLUICE_EDGE_CONTROL && tie.port != SLUICE_NONE)
            g_array_append_val (side->ties, tie);
        }
    }
}

/* ---- a row ---- */

typedef struct
{
  CanvasPort *port;
  double key; /* by which a scope's are sorted */
} RowPort;

static int
compare_ports (gconstpointer pa, gconstpointer pb)
{
  const RowPort *a = pa, *b = pb;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->port < b->port ? -1 : a->port > b->port;
}

/* The first line that is shown at a port, (nullable). */
static const Line *
line_at (const Side *side, guint port)
{
  for (guint i = 0; i < side->ties->len; i++)
    {
      const Tie *tie = &g_array_index (side->ties, Tie, i);
      const Line *line = &g_array_index (side->lines, Line, tie->line);
      if (tie->port == port && line->is_shown)
        return line;
    }
  return NULL;
}

/* What stands side by side; the others have their places, or are not shown. (transfer full) */
static GArray *
collect_row (Places *p, const Side *side)
{
  GArray *row = g_array_new (FALSE, FALSE, sizeof (RowPort));
  for (guint i = 0; i < p->ports->len; i++)
    {
      RowPort entry = { &g_array_index (p->ports, CanvasPort, i), HUGE_VAL };
      const Line *line = line_at (side, i);
      if (entry.port->is_output != side->is_output)
        continue;
      entry.port->at = (SluicePoint){ p->anchor, p->rect.y + (side->at_top ? 0 : p->rect.height) };
      if (line != NULL && !line->is_at_border && line->n_tensors == 1)
        {
          entry.port->at = line->end;
          entry.port->is_drawn = TRUE;
          continue;
        }
      /* What goes without saying in the picture, or many at once, does so at the border, too. */
      if (p->is_scope && !entry.port->is_open && (line == NULL || !line->is_at_border))
        continue;
      if (line != NULL)
        entry.key = line->comes_from;
      g_array_append_val (row, entry);
    }
  if (p->is_scope) /* a node's have the order of its arguments */
    g_array_sort (row, compare_ports);
  return row;
}

/* About the anchor, within the box; of too many, open ones come first. */
static void
spread (const Places *p, const GArray *row)
{
  double room = MAX (p->rect.width - 2 * SIDE_AIR, 0), step = PORT_STEP;
  guint most = (guint) (room / LEAST_STEP) + 1, n = MIN (row->len, most), shown = 0, n_open = 0;
  if (n > 1)
    step = MIN (step, room / (n - 1));
  double half = step * (n - 1) / 2, least = p->rect.x + SIDE_AIR + half;
  double middle =
      CLAMP (p->anchor, least, MAX (least, p->rect.x + p->rect.width - SIDE_AIR - half));
  for (guint i = 0; i < row->len; i++)
    n_open += g_array_index (row, RowPort, i).port->is_open;
  guint n_used = n > n_open ? n - n_open : 0;
  for (guint i = 0; i < row->len && shown < n; i++)
    {
      CanvasPort *port = g_array_index (row, RowPort, i).port;
      if (row->len > n && !port->is_open && n_used == 0)
        continue;
      n_used -= !port->is_open && n_used > 0;
      port->at.x = middle - half + step * shown++;
      port->is_drawn = TRUE;
    }
}

/* A line of several tensors ends in the middle of its ports. */
static void
draw_to_ports (Places *p, Side *side)
{
  for (guint i = 0; i < side->ties->len; i++)
    {
      const Tie *tie = &g_array_index (side->ties, Tie, i);
      const CanvasPort *port = &g_array_index (p->ports, CanvasPort, tie->port);
      Line *line = &g_array_index (side->lines, Line, tie->line);
      line->sum_x += port->is_drawn ? port->at.x : 0;
      line->n_ports += port->is_drawn;
    }
  for (guint i = 0; i < side->lines->len; i++)
    {
      const Line *line = &g_array_index (side->lines, Line, i);
      if (line->n_ports == 0 || !line->is_at_border)
        continue;
      double by = line->sum_x / line->n_ports - line->end.x;
      if (side->is_output)
        p->self->edit->ends[line->edge].x = by;
      else
        p->self->edit->ends[line->edge].y = by;
    }
}

void
sluice_canvas_edit_place_ports (SluiceCanvas *self, guint item, GArray *ports)
{
  Places p = { .self = self,
               .rect = sluice_scene_get_item (self->scene, item)->rect,
               .is_scope = sluice_canvas_edit_get_node (self, item) == NULL,
               .ports = ports };
  for (int out = 0; out < 2; out++)
    {
      p.sides[out] = (Side){ .is_output = out == 1,
                             .lines = g_array_new (FALSE, FALSE, sizeof (Line)),
                             .ties = g_array_new (FALSE, FALSE, sizeof (Tie)) };
      collect_lines (&p, item, &p.sides[out]);
    }
  find_flow (&p);
  for (int out = 0; out < 2; out++)
    {
      tie_lines (&p, &p.sides[out]);
      g_autoptr (GArray) row = collect_row (&p, &p.sides[out]);
      spread (&p, row);
      draw_to_ports (&p, &p.sides[out]);
      g_array_unref (p.sides[out].lines);
      g_array_unref (p.sides[out].ties);
    }
}
