/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/layout-private.h"

#include <math.h>
#include <string.h>

#include "ui/canvas/path.h"

#define NONE G_MAXUINT

#define HARD_TO_READ 0.63 /* what fits at less is drawn closer than it would be good */

/* Between ranks, where the drawing fits no better with more: a label still has its line. */
static const struct
{
  double fit, gap;
} tight[] = { { SLUICE_LAYOUT_GOOD_FIT, 28 }, { HARD_TO_READ, 22 } };

#define WORTH_WHILE  1.02 /* what drawing it in must bring */
#define NARROW_BANDS 3    /* side by side that it is drawn in for */

/* A distinct edge between two boxes, turned with the flow. */
typedef struct
{
  guint from, to;
  gboolean reversed;
  double weight;
  guint component;
  guint first_dummy; /* in its component's layers; NONE = no dummies */
} Link;

typedef struct
{
  const SluiceLayoutNode *nodes;
  guint n_nodes;
  const SluiceLayoutEdge *edges;
  guint n_edges;
  const SluiceLayoutOptions *options;
  const gint *cancelled;
  SluiceLayout *layout;

  guint8 *back;        /* per edge: closes a cycle */
  GArray *links;       /* Link, grouped by component */
  guint *link_of_edge; /* NONE for self edges */
  guint *component;    /* per node */
  guint *members;      /* nodes by component */
  guint *member_start; /* [n_components + 1] */
  guint *link_start;   /* [n_components + 1] */
  guint *local;        /* per node: index within its component */

  SluiceLayers **layers; /* per component */
  double *widths;        /* of these */
  SluiceBands *strips;
  guint n_strips;
} Job;

SluiceLayers *
sluice_layers_new (guint n, guint n_edges)
{
  SluiceLayers *self = g_new0 (SluiceLayers, 1);
  guint e = MAX (n_edges, 1);
  self->n = n;
  self->n_edges = n_edges;
  self->rank = g_new (guint, n);
  self->left = g_new (double, n);
  self->right = g_new (double, n);
  self->height = g_new (double, n);
  self->from = g_new (guint, e);
  self->to = g_new (guint, e);
  self->weight = g_new (double, e);
  self->out_weight = g_new (double, e);
  self->in_weight = g_new (double, e);
  self->out_start = g_new0 (guint, n + 2);
  self->in_start = g_new0 (guint, n + 2);
  self->out = g_new (guint, e);
  self->in = g_new (guint, e);
  self->order = g_new (guint, n);
  self->pos = g_new (guint, n);
  self->x = g_new0 (double, n);
  return self;
}

void
sluice_layers_free (SluiceLayers *self)
{
  g_free (self->rank);
  g_free (self->left);
  g_free (self->right);
  g_free (self->height);
  g_free (self->from);
  g_free (self->to);
  g_free (self->weight);
  g_free (self->out_weight);
  g_free (self->in_weight);
  g_free (self->out_start);
  g_free (self->in_start);
  g_free (self->out);
  g_free (self->in);
  g_free (self->rank_start);
  g_free (self->order);
  g_free (self->pos);
  g_free (self->x);
  g_free (self);
}

static void
fill_csr (const SluiceLayers *g,
          const guint *key,
          const guint *value,
          guint *start,
          guint *list,
          double *weight)
{
  for (guint e = 0; e < g->n_edges; e++)
    start[key[e] + 2]++;
  for (guint v = 0; v < g->n; v++)
    start[v + 2] += start[v + 1];
  for (guint e = 0; e < g->n_edges; e++)
    {
      guint slot = start[key[e] + 1]++;
      list[slot] = value[e];
      weight[slot] = g->weight[e];
    }
}

void
sluice_layers_index (SluiceLayers *self)
{
  /* The counting needs one slot beyond n; allocated by sluice_layers_new(). */
  self->n_ranks = 0;
  for (guint v = 0; v < self->n; v++)
    self->n_ranks = MAX (self->n_ranks, self->rank[v] + 1);
  self->rank_start = g_new0 (guint, self->n_ranks + 2);
  for (guint v = 0; v < self->n; v++)
    self->rank_start[self->rank[v] + 1]++;
  for (guint r = 0; r < self->n_ranks; r++)
    self->rank_start[r + 1] += self->rank_start[r];
  fill_csr (self, self->from, self->to, self->out_start, self->out, self->out_weight);
  fill_csr (self, self->to, self->from, self->in_start, self->in, self->in_weight);
}

/* Depth first from the sources, then from what is left, in index order; an edge to a node still
 * open closes a cycle. */
static void
break_cycles (Job *job)
{
  guint n = job->n_nodes;
  g_autofree guint *start = g_new0 (guint, n + 2);
  g_autofree guint *list = g_new (guint, MAX (job->n_edges, 1));
  g_autofree guint *next = g_new (guint, n + 1);
  g_autofree guint *stack = g_new (guint, n + 1);
  g_autofree guint8 *state = g_new0 (guint8, n + 1); /* 0 new, 1 open, 2 done */
  g_autofree guint8 *has_in = g_new0 (guint8, n + 1);

  for (guint e = 0; e < job->n_edges; e++)
    {
      start[job->edges[e].from + 2]++;
      has_in[job->edges[e].to] |= job->edges[e].from != job->edges[e].to;
    }
  for (guint v = 0; v < n; v++)
    start[v + 2] += start[v + 1];
  for (guint e = 0; e < job->n_edges; e++)
    list[start[job->edges[e].from + 1]++] = e;
  memcpy (next, start, n * sizeof *next);
  for (guint pass = 0; pass < 2; pass++)
    for (guint s = 0; s < n; s++)
      {
        guint depth = 0;
        if (state[s] != 0 || (pass == 0 && has_in[s]))
          continue;
        state[s] = 1;
        stack[depth++] = s;
        while (depth > 0)
          {
            guint v = stack[depth - 1];
            if (next[v] == start[v + 1])
              {
                state[v] = 2;
                depth--;
                continue;
              }
            guint e = list[next[v]++], w = job->edges[e].to;
            if (state[w] == 1)
              job->back[e] = 1;
            else if (state[w] == 0)
              {
                state[w] = 1;
                stack[depth++] = w;
              }
          }
      }
}

/* With fixed ranks every edge runs down the rows. */
static void
turn_edges (Job *job)
{
  for (guint e = 0; e < job->n_edges; e++)
    job->back[e] = job->nodes[job->edges[e].from].rank > job->nodes[job->edges[e].to].rank;
}

/* Whether an edge takes part in the layered drawing at all. */
static gboolean
is_layered (const Job *job, const SluiceLayoutEdge *edge)
{
  if (edge->from == edge->to)
    return FALSE;
  if (!job->options->fixed)
    return TRUE;
  const SluiceLayoutNode *from = &job->nodes[edge->from], *to = &job->nodes[edge->to];
  return from->column == to->column && from->rank != to->rank;
}

static guint
find_root (guint *parent, guint v)
{
  while (parent[v] != v)
    v = parent[v] = parent[parent[v]];
  return v;
}

/* Numbers components by their first node. */
static guint
find_components (Job *job)
{
  guint n = job->n_nodes, count = 0;
  g_autofree guint *parent = g_new (guint, n + 1);
  for (guint v = 0; v < n; v++)
    parent[v] = v;
  for (guint e = 0; e < job->n_edges; e++)
    {
      guint a = find_root (parent, job->edges[e].from), b = find_root (parent, job->edges[e].to);
      parent[MAX (a, b)] = MIN (a, b);
    }
  for (guint v = 0; v < n; v++)
    {
      guint root = find_root (parent, v);
      job->component[v] = root == v ? count++ : job->component[root];
    }
  return count;
}

static guint
find_columns (Job *job)
{
  guint count = 0;
  for (guint v = 0; v < job->n_nodes; v++)
    {
      job->component[v] = job->nodes[v].column;
      count = MAX (count, job->nodes[v].column + 1);
    }
  return count;
}

static void
split_components (Job *job)
{
  guint n = job->n_nodes, count = job->options->fixed ? find_columns (job) : find_components (job);
  job->layout->n_components = count;
  job->member_start = g_new0 (guint, count + 2);
  job->link_start = g_new0 (guint, count + 2);
  for (guint v = 0; v < n; v++)
    job->member_start[job->component[v] + 2]++;
  for (guint c = 0; c < count; c++)
    job->member_start[c + 2] += job->member_start[c + 1];
  for (guint v = 0; v < n; v++)
    {
      guint at = job->member_start[job->component[v] + 1]++;
      job->members[at] = v;
      job->local[v] = at;
    }
  for (guint v = 0; v < n; v++)
    job->local[v] -= job->member_start[job->component[v]];
}

typedef struct
{
  guint component, from, to, edge;
  gboolean reversed;
} Key;

static int
compare_keys (const void *pa, const void *pb)
{
  const Key *a = pa, *b = pb;
  if (a->component != b->component)
    return a->component < b->component ? -1 : 1;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  if (a->to != b->to)
    return a->to < b->to ? -1 : 1;
  if (a->reversed != b->reversed)
    return a->reversed ? 1 : -1;
  return a->edge < b->edge ? -1 : a->edge > b->edge;
}

/* Parallel edges become one link; links are grouped by component. */
static void
merge_parallel (Job *job)
{
  g_autofree Key *keys = g_new (Key, MAX (job->n_edges, 1));
  guint n = 0;
  for (guint e = 0; e < job->n_edges; e++)
    {
      const SluiceLayoutEdge *edge = &job->edges[e];
      gboolean back = job->back[e];
      job->link_of_edge[e] = NONE;
      if (is_layered (job, edge))
        keys[n++] = (Key){ job->component[edge->from], back ? edge->to : edge->from,
                           back ? edge->from : edge->to, e, back };
    }
  qsort (keys, n, sizeof *keys, compare_keys);
  for (guint i = 0; i < n; i++)
    {
      const Key *k = &keys[i];
      gboolean same = i > 0 && k->from == keys[i - 1].from && k->to == keys[i - 1].to
                      && k->reversed == keys[i - 1].reversed;
      if (!same)
        {
          Link link = { k->from, k->to, k->reversed, 0, k->component, NONE };
          g_array_append_val (job->links, link);
          job->link_start[k->component + 1]++;
        }
      g_array_index (job->links, Link, job->links->len - 1).weight += job->edges[k->edge].weight;
      job->link_of_edge[k->edge] = job->links->len - 1;
    }
  for (guint c = 0; c < job->layout->n_components; c++)
    job->link_start[c + 1] += job->link_start[c];
}

static guint
span (const Link *link, const guint *ranks)
{
  return ranks[link->to] - ranks[link->from];
}

static gboolean
is_port (const Job *job, const Link *link)
{
  return job->options->max_span > 0 && span (link, job->layout->ranks) > job->options->max_span;
}

/* Only its ranks count: it has no line. */
static gboolean
is_unseen (const Link *link)
{
  return link->weight <= SLUICE_LAYOUT_UNSEEN;
}

static void
wrap_component (const Job *job, guint c, guint *rank)
{
  double limit = sluice_layout_get_row_limit (job->options);
  guint first = job->member_start[c], n = job->member_start[c + 1] - first;
  if (limit <= 0 || job->nodes == NULL)
    return;
  g_autofree double *width = g_new (double, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const SluiceLayoutNode *node = &job->nodes[job->members[first + i]];
      width[i] = node->left + node->right + job->options->node_gap;
    }
  sluice_layout_wrap_rows (n, width, NULL, NULL, limit, rank);
}

static void
rank_component (Job *job, guint c)
{
  if (job->options->fixed)
    {
      for (guint i = job->member_start[c]; i < job->member_start[c + 1]; i++)
        job->layout->ranks[job->members[i]] = job->nodes[job->members[i]].rank;
      return;
    }
  guint first = job->link_start[c], n_links = job->link_start[c + 1] - first;
  guint n = job->member_start[c + 1] - job->member_start[c];
  g_autofree guint *from = g_new (guint, MAX (n_links, 1));
  g_autofree guint *to = g_new (guint, MAX (n_links, 1));
  g_autofree double *weight = g_new (double, MAX (n_links, 1));
  g_autofree guint *rank = g_new (guint, n);
  for (guint i = 0; i < n_links; i++)
    {
      const Link *link = &g_array_index (job->links, Link, first + i);
      from[i] = job->local[link->from];
      to[i] = job->local[link->to];
      weight[i] = link->weight;
    }
  sluice_layout_rank (n, from, to, weight, n_links, rank);
  wrap_component (job, c, rank);
  for (guint i = 0; i < n; i++)
    job->layout->ranks[job->members[job->member_start[c] + i]] = rank[i];
}

/* Boxes and dummies of component @c, not yet ordered. */
static SluiceLayers *
build_layers (Job *job, guint c)
{
  const guint *ranks = job->layout->ranks;
  guint first = job->link_start[c], last = job->link_start[c + 1];
  guint n = job->member_start[c + 1] - job->member_start[c], n_dummies = 0, n_edges = 0;
  for (guint l = first; l < last; l++)
    {
      const Link *link = &g_array_index (job->links, Link, l);
      if (is_port (job, link) || is_unseen (link))
        continue;
      n_dummies += span (link, ranks) - 1;
      n_edges += span (link, ranks);
    }
  SluiceLayers *g = sluice_layers_new (n + n_dummies, n_edges);
  guint dummy = n, edge = 0;
  g->n_real = n;
  for (guint i = 0; i < n; i++)
    {
      guint v = job->members[job->member_start[c] + i];
      g->rank[i] = ranks[v];
      g->left[i] = job->nodes[v].left;
      g->right[i] = job->nodes[v].right;
      g->height[i] = job->nodes[v].height;
    }
  for (guint l = first; l < last; l++)
    {
      Link *link = &g_array_index (job->links, Link, l);
      guint before = job->local[link->from];
      if (is_port (job, link) || is_unseen (link))
        continue;
      link->first_dummy = span (link, ranks) > 1 ? dummy : NONE;
      for (guint r = ranks[link->from] + 1; r < ranks[link->to]; r++, dummy++)
        {
          g->rank[dummy] = r;
          g->left[dummy] = g->right[dummy] = g->height[dummy] = 0;
          g->weight[edge] = link->weight;
          g->from[edge] = before;
          g->to[edge++] = dummy;
          before = dummy;
        }
      g->weight[edge] = link->weight;
      g->from[edge] = before;
      g->to[edge++] = job->local[link->to];
    }
  job->layout->n_dummies += n_dummies;
  sluice_layers_index (g);
  return g;
}

/* Components with fixed ranks are columns of one strip. */
static SluiceBands *
strip_of (const Job *job, guint component, guint *column)
{
  *column = job->options->fixed ? component : 0;
  return &job->strips[job->options->fixed ? 0 : component];
}

/* Returns how the drawing fits with that gap between ranks. */
static double
pack_with (Job *job, double rank_gap)
{
  SluiceLayout *layout = job->layout;
  guint n_columns = job->options->fixed ? layout->n_components : 1;
  SluiceLayoutOptions options = *job->options;
  options.rank_gap = rank_gap;
  for (guint i = 0; i < job->n_strips; i++)
    {
      sluice_bands_clear (&job->strips[i]);
      sluice_bands_init (&job->strips[i], job->layers + i, n_columns, job->widths + i, &options);
      sluice_bands_fold (&job->strips[i], &options);
    }
  sluice_bands_pack (job->strips, job->n_strips, &options, &layout->width, &layout->height);
  return sluice_layout_fit (&options, layout->width, layout->height);
}

/* Draws strips that are wider than that in, each of their columns by what it can give. */
static void
narrow_strips (Job *job, double width)
{
  guint n_columns = job->options->fixed ? job->layout->n_components : 1;
  g_autofree double *least = g_new (double, n_columns + 1);
  for (guint s = 0; s < job->n_strips; s++)
    {
      SluiceLayers **columns = &job->layers[s];
      double *widths = &job->widths[s], all = (n_columns - 1) * job->options->column_gap;
      double least_all = all;
      for (guint c = 0; c < n_columns; c++)
        {
          least[c] = sluice_layers_get_least_width (columns[c], job->options);
          least_all += least[c];
          all += widths[c];
        }
      if (all <= width)
        continue;
      double kept = all > least_all ? MAX (width - least_all, 0) / (all - least_all) : 0;
      for (guint c = 0; c < n_columns; c++)
        widths[c] = sluice_layers_narrow (columns[c], job->options,
                                          least[c] + kept * (widths[c] - least[c]));
    }
}

/* As placed, but no wider than that. */
static double
pack_narrowed (Job *job, const GPtrArray *placed, const double *widths, double width, double gap)
{
  for (guint c = 0; c < placed->len; c++)
    {
      memcpy (job->layers[c]->x, placed->pdata[c], job->layers[c]->n * sizeof (double));
      job->widths[c] = widths[c];
    }
  narrow_strips (job, width);
  return pack_with (job, gap);
}

/* What is too wide to be read is drawn in: to as wide as the view may show, or to a part of it
 * where it is folded. */
static void
pack_narrower (Job *job, double gap, double fit)
{
  guint n = job->layout->n_components;
  double chosen = G_MAXDOUBLE,
         room = job->options->view_width / HARD_TO_READ - job->options->beside, best = fit;
  g_autofree double *widths = g_memdup2 (job->widths, (n + 1) * sizeof *widths);
  g_autoptr (GPtrArray) placed = g_ptr_array_new_with_free_func (g_free);
  for (guint c = 0; c < n; c++)
    g_ptr_array_add (placed, g_memdup2 (job->layers[c]->x, job->layers[c]->n * sizeof (double)));
  for (guint n_bands = 1; n_bands <= NARROW_BANDS && best < HARD_TO_READ; n_bands++)
    {
      fit = pack_narrowed (job, placed, widths, room / n_bands, gap);
      if (fit < WORTH_WHILE * best)
        continue;
      best = fit;
      chosen = room / n_bands;
    }
  pack_narrowed (job, placed, widths, chosen, gap);
}

static void
pack_all (Job *job)
{
  SluiceLayout *layout = job->layout;
  guint n_columns = job->options->fixed ? layout->n_components : 1;
  double gap = job->options->rank_gap, fit = pack_with (job, gap);
  for (guint i = 0; i < G_N_ELEMENTS (tight) && job->options->view_width > 0; i++)
    {
      if (fit >= tight[i].fit || gap <= tight[i].gap)
        break;
      double tighter = pack_with (job, tight[i].gap);
      if (tighter < fit)
        {
          pack_with (job, gap);
          break;
        }
      gap = tight[i].gap;
      fit = tighter;
    }
  if (job->options->view_width > 0 && fit < HARD_TO_READ)
    pack_narrower (job, gap, fit);
  if (!job->options->fixed || job->n_strips == 0)
    return;
  const SluiceBands *all = &job->strips[0];
  layout->n_rows = all->n_rows;
  layout->top = g_memdup2 (all->top, (all->n_rows + 1) * sizeof *all->top);
  layout->bottom = g_memdup2 (all->bottom, (all->n_rows + 1) * sizeof *all->bottom);
  layout->bands = g_memdup2 (all->band, (all->n_rows + 1) * sizeof *all->band);
  layout->column_x = g_new0 (double, all->n_bands *(gsize) n_columns + 1);
  for (guint b = 0; b < all->n_bands; b++)
    for (guint c = 0; c < n_columns; c++)
      layout->column_x[b * n_columns + c] = sluice_bands_left (all, c, b);
}

/* Within a gap between ranks a curve cannot meet a box. */
static void
route_link (Job *job, const Link *link)
{
  guint column, u = job->local[link->from], v = job->local[link->to];
  const SluiceBands *s = strip_of (job, link->component, &column);
  const SluiceLayers *g = s->columns[column];
  GArray *points = job->layout->points;
  guint last = g->rank[v], first = g->rank[u], d = link->first_dummy;
  double y = s->y, x = s->x + sluice_bands_shift (s, column, first) + g->x[u];

  sluice_path_add (points, x, y + (s->top[first] + s->bottom[first] + g->height[u]) / 2);
  sluice_path_curve_to (points, x, y + s->bottom[first]);
  for (guint r = first + 1, before = u; r <= last; r++)
    {
      guint w = r < last ? d++ : v;
      x = s->x + sluice_bands_shift (s, column, r) + g->x[w];
      if (s->band[r] != s->band[r - 1])
        sluice_bands_route_over (s, job->options, column, before, w, points);
      else
        sluice_path_curve_to (points, x, y + s->top[r]);
      if (r < last)
        sluice_path_curve_to (points, x, y + s->bottom[r]);
      before = w;
    }
  sluice_path_curve_to (points, x, y + (s->top[last] + s->bottom[last] - g->height[v]) / 2);
}

static void
reverse_points (GArray *points, guint first)
{
  SluicePoint *p = (SluicePoint *) points->data;
  for (guint a = first, b = points->len - 1; a < b; a++, b--)
    {
      SluicePoint swap = p[a];
      p[a] = p[b];
      p[b] = swap;
    }
}

static void
route_all (Job *job)
{
  SluiceLayout *layout = job->layout;
  for (guint e = 0; e < job->n_edges; e++)
    {
      SluiceLayoutRoute *route = &layout->routes[e];
      if (job->link_of_edge[e] == NONE)
        continue;
      const Link *link = &g_array_index (job->links, Link, job->link_of_edge[e]);
      route->reversed = link->reversed;
      route->port = is_port (job, link);
      route->first_point = layout->points->len;
      if (route->port || is_unseen (link))
        continue;
      route_link (job, link);
      if (link->reversed)
        reverse_points (layout->points, route->first_point);
      route->n_points = layout->points->len - route->first_point;
    }
}

static void
set_anchors (Job *job)
{
  for (guint v = 0; v < job->n_nodes; v++)
    {
      guint column, r = job->layout->ranks[v];
      const SluiceBands *s = strip_of (job, job->component[v], &column);
      job->layout->anchors[v].x =
          s->x + sluice_bands_shift (s, column, r) + s->columns[column]->x[job->local[v]];
      job->layout->anchors[v].y = s->y + (s->top[r] + s->bottom[r]) / 2;
    }
}

static gboolean
run (Job *job)
{
  gboolean done = TRUE;
  if (job->options->fixed)
    turn_edges (job);
  else
    break_cycles (job);
  split_components (job);
  merge_parallel (job);
  guint n = job->layout->n_components;
  job->layers = g_new0 (SluiceLayers *, n + 1);
  job->widths = g_new0 (double, n + 1);
  job->n_strips = job->options->fixed ? MIN (n, 1) : n;
  job->strips = g_new0 (SluiceBands, job->n_strips + 1);
  for (guint c = 0; c < n && done; c++)
    {
      rank_component (job, c);
      SluiceLayers *g = job->layers[c] = build_layers (job, c);
      job->layout->crossings += sluice_layers_order (g, job->cancelled);
      job->widths[c] = sluice_layers_place (g, job->options);
      sluice_layers_share_lanes (g, job->options);
      done = job->cancelled == NULL || !g_atomic_int_get (job->cancelled);
    }
  if (done)
    {
      pack_all (job);
      set_anchors (job);
      route_all (job);
    }
  return done;
}

static void
start_job (Job *job, const SluiceLayoutEdge *edges)
{
  guint n_nodes = job->n_nodes, n_edges = job->n_edges;
  SluiceLayout *layout = job->layout = g_new0 (SluiceLayout, 1);
  layout->n_nodes = n_nodes;
  layout->n_edges = n_edges;
  layout->anchors = g_new0 (SluicePoint, n_nodes + 1);
  layout->ranks = g_new0 (guint, n_nodes + 1);
  layout->routes = g_new0 (SluiceLayoutRoute, n_edges + 1);
  layout->points = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  job->edges = edges;
  job->back = g_new0 (guint8, n_edges + 1);
  job->links = g_array_new (FALSE, FALSE, sizeof (Link));
  job->link_of_edge = g_new (guint, n_edges + 1);
  job->component = g_new (guint, n_nodes + 1);
  job->members = g_new (guint, n_nodes + 1);
  job->local = g_new (guint, n_nodes + 1);
}

static void
end_job (Job *job)
{
  for (guint i = 0; i < job->n_strips; i++)
    sluice_bands_clear (&job->strips[i]);
  for (guint c = 0; job->layers != NULL && c < job->layout->n_components; c++)
    g_clear_pointer (&job->layers[c], sluice_layers_free);
  g_free (job->layers);
  g_free (job->widths);
  g_free (job->strips);
  g_free (job->back);
  g_array_unref (job->links);
  g_free (job->link_of_edge);
  g_free (job->component);
  g_free (job->members);
  g_free (job->member_start);
  g_free (job->link_start);
  g_free (job->local);
}

SluiceLayout *
sluice_layout_new (const SluiceLayoutNode *nodes,
                   guint n_nodes,
                   const SluiceLayoutEdge *edges,
                   guint n_edges,
                   const SluiceLayoutOptions *options,
                   const gint *cancelled)
{
  Job job = { .nodes = nodes,
              .n_nodes = n_nodes,
              .n_edges = n_edges,
              .options = options,
              .cancelled = cancelled };
  start_job (&job, edges);
  g_autoptr (SluiceLayout) layout = job.layout;
  gboolean done = run (&job);
  end_job (&job);
  return done ? g_steal_pointer (&layout) : NULL;
}

guint *
sluice_layout_dup_ranks (guint n_nodes, const SluiceLayoutEdge *edges, guint n_edges)
{
  const SluiceLayoutOptions options = SLUICE_LAYOUT_OPTIONS_INIT;
  Job job = { .n_nodes = n_nodes, .n_edges = n_edges, .options = &options };
  start_job (&job, edges);
  g_autoptr (SluiceLayout) layout = job.layout;
  break_cycles (&job);
  split_components (&job);
  merge_parallel (&job);
  for (guint c = 0; c < layout->n_components; c++)
    rank_component (&job, c);
  end_job (&job);
  return g_steal_pointer (&layout->ranks);
}

void
sluice_layout_free (SluiceLayout *self)
{
  g_free (self->anchors);
  g_free (self->ranks);
  g_free (self->routes);
  g_free (self->top);
  g_free (self->bottom);
  g_free (self->bands);
  g_free (self->column_x);
  g_array_unref (self->points);
  g_free (self);
}
