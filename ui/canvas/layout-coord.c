/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/layout-private.h"

#include <math.h>
#include <string.h>

/* Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001): nodes are chained
 * into vertical blocks, four times (from above or below, leaning left or right), and the four
 * placements averaged. Chains of dummies win over everything else, so long edges are straight.
 * Blocks are compacted by longest paths, in both directions. */

#define NONE G_MAXUINT

typedef struct
{
  SluiceLayers *g;
  const SluiceLayoutOptions *options;
  guint8 *
      crossed[2]; /* per slot of `in` and of `out`: crosses a dummy-dummy segment, so it may bend */
  guint *twin;    /* slot of `out` for each slot of `in` */
  guint *root;    /* per node: top of its block */
  guint *align;   /* per node: next in its block, cyclic */
  double *x[4];   /* placements, per node */
} Placing;

/* Sorts the neighbours of every node by position, by dealing them out in order; pairs the two slots
 * of each edge. */
static void
sort_neighbours (Placing *p)
{
  SluiceLayers *g = p->g;
  g_autofree guint *next = g_new (guint, g->n + 1);
  memcpy (next, g->out_start, g->n * sizeof *next);
  for (guint i = 0; i < g->n; i++)
    for (guint w = g->order[i], k = g->in_start[w]; k < g->in_start[w + 1]; k++)
      {
        guint slot = next[g->in[k]]++;
        g->out[slot] = w;
        g->out_weight[slot] = g->in_weight[k];
      }
  memcpy (next, g->in_start, g->n * sizeof *next);
  for (guint i = 0; i < g->n; i++)
    for (guint v = g->order[i], k = g->out_start[v]; k < g->out_start[v + 1]; k++)
      {
        guint slot = next[g->out[k]]++;
        g->in[slot] = v;
        g->in_weight[slot] = g->out_weight[k];
        p->twin[slot] = k;
      }
}

static gboolean
is_dummy (const SluiceLayers *g, guint v)
{
  return v >= g->n_real;
}

/* The dummy before @v on its edge, or NONE when @v does not end a dummy-dummy segment. */
static guint
inner_before (const SluiceLayers *g, guint v)
{
  if (!is_dummy (g, v) || g->in_start[v + 1] == g->in_start[v])
    return NONE;
  guint u = g->in[g->in_start[v]];
  return is_dummy (g, u) ? u : NONE;
}

/* Marks segments from rank @r to @r + 1 that cross an inner segment. */
static void
mark_crossed (Placing *p, guint r)
{
  SluiceLayers *g = p->g;
  guint first = g->rank_start[r + 1], last = g->rank_start[r + 2];
  guint k0 = 0, scan = first;
  for (guint i = first; i < last; i++)
    {
      guint inner = inner_before (g, g->order[i]);
      guint k1 = inner != NONE ? g->pos[inner] : g->rank_start[r + 1] - g->rank_start[r];
      if (inner == NONE && i + 1 < last)
        continue;
      for (; scan <= i; scan++)
        {
          guint w = g->order[scan];
          gboolean is_inner = inner_before (g, w) != NONE;
          for (guint k = g->in_start[w]; !is_inner && k < g->in_start[w + 1]; k++)
            if (g->pos[g->in[k]] < k0 || g->pos[g->in[k]] > k1)
              p->crossed[0][k] = p->crossed[1][p->twin[k]] = 1;
        }
      k0 = k1;
    }
}

/* The slot whose edge is clearly heavier than all others at @v, or NONE. */
static guint
heaviest (const double *weight, guint first, guint last)
{
  guint best = first;
  double second = 0;
  for (guint k = first + 1; k < last; k++)
    if (weight[k] > weight[best])
      {
        second = weight[best];
        best = k;
      }
    else
      second = MAX (second, weight[k]);
  return last - first > 1 && weight[best] > 1.1 * second ? best : NONE;
}

typedef struct
{
  gboolean from_left;
  gint64 limit; /* position beyond which blocks of this rank must not reach back */
} Alignment;

/* Chains @v below the neighbour in @slot if that crosses nothing; TRUE when done. */
static gboolean
try_align (Placing *p, guint v, guint slot, gboolean upper, Alignment *a)
{
  SluiceLayers *g = p->g;
  guint u = upper ? g->in[slot] : g->out[slot];
  guint main = upper ? heaviest (g->out_weight, g->out_start[u], g->out_start[u + 1])
                     : heaviest (g->in_weight, g->in_start[u], g->in_start[u + 1]);
  gint64 at = g->pos[u];
  /* A light line does not bend a heavy one. */
  if (main != NONE && (upper ? g->out[main] : g->in[main]) != v)
    return FALSE;
  if (p->crossed[upper ? 0 : 1][slot] || (a->from_left ? at <= a->limit : at >= a->limit))
    return FALSE;
  p->align[u] = v;
  p->root[v] = p->root[u];
  p->align[v] = p->root[v];
  a->limit = at;
  return TRUE;
}

/* Chains each node to a neighbour of the rank before (@upper) or after: the one with the heaviest
 * edge, so that the main line of a model is straight, else a median one; from the left or from the
 * right. */
static void
align_blocks (Placing *p, gboolean upper, gboolean from_left)
{
  SluiceLayers *g = p->g;
  const guint *start = upper ? g->in_start : g->out_start;
  const double *weight = upper ? g->in_weight : g->out_weight;
  for (guint v = 0; v < g->n; v++)
    p->root[v] = p->align[v] = v;
  for (guint step = 1; step < g->n_ranks; step++)
    {
      guint r = upper ? step : g->n_ranks - 1 - step;
      guint first = g->rank_start[r], n = g->rank_start[r + 1] - first;
      Alignment a = { from_left, from_left ? -1 : G_MAXINT };
      for (guint i = 0; i < n; i++)
        {
          guint v = g->order[first + (from_left ? i : n - 1 - i)];
          guint s = start[v], d = start[v + 1] - s;
          if (d == 0)
            continue;
          guint main = heaviest (weight, s, s + d), lo = s + (d - 1) / 2, hi = s + d / 2;
          if (main != NONE && try_align (p, v, main, upper, &a))
            continue;
          if (!try_align (p, v, from_left ? lo : hi, upper, &a) && lo != hi)
            try_align (p, v, from_left ? hi : lo, upper, &a);
        }
    }
}

static double
distance (const SluiceLayers *g, const SluiceLayoutOptions *options, guint u, guint v)
{
  double gap = is_dummy (g, u) || is_dummy (g, v) ? options->edge_gap : options->node_gap;
  return g->right[u] + gap + g->left[v];
}

typedef struct
{
  guint *start; /* [n + 1]: constraints by their left block */
  guint *to;
  double *gap;
  guint *order; /* blocks from left to right */
  guint n_blocks;
} Blocks;

static void
collect_constraints (Placing *p, Blocks *b)
{
  SluiceLayers *g = p->g;
  b->start = g_new0 (guint, g->n + 2);
  b->to = g_new (guint, g->n);
  b->gap = g_new (double, g->n);
  b->order = g_new (guint, g->n);
  b->n_blocks = 0;
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint r = 0; r < g->n_ranks; r++)
        for (guint i = g->rank_start[r]; i + 1 < g->rank_start[r + 1]; i++)
          {
            guint u = g->order[i], v = g->order[i + 1], from = p->root[u];
            if (pass == 0)
              b->start[from + 2]++;
            else
              {
                guint at = b->start[from + 1]++;
                b->to[at] = p->root[v];
                b->gap[at] = distance (g, p->options, u, v);
              }
          }
      for (guint v = 0; pass == 0 && v < g->n; v++)
        b->start[v + 2] += b->start[v + 1];
    }
}

/* Blocks from left to right: Kahn over the constraints. */
static void
order_blocks (Placing *p, Blocks *b)
{
  SluiceLayers *g = p->g;
  g_autofree guint *waiting = g_new0 (guint, g->n);
  guint head = 0, tail = 0, n_roots = 0;
  for (guint k = 0; k < b->start[g->n]; k++)
    waiting[b->to[k]]++;
  for (guint v = 0; v < g->n; v++)
    if (p->root[v] == v)
      {
        n_roots++;
        if (waiting[v] == 0)
          b->order[tail++] = v;
      }
  while (head < tail)
    {
      guint v = b->order[head++];
      for (guint k = b->start[v]; k < b->start[v + 1]; k++)
        if (--waiting[b->to[k]] == 0)
          b->order[tail++] = b->to[k];
    }
  g_assert (tail == n_roots);
  b->n_blocks = tail;
}

/* Places blocks as far left as they go, then draws each to the right as far as its right neighbours
 * allow. */
static void
compact_left (const Placing *p, const Blocks *b, double *x)
{
  for (guint v = 0; v < p->g->n; v++)
    x[v] = 0;
  for (guint i = 0; i < b->n_blocks; i++)
    for (guint v = b->order[i], k = b->start[v]; k < b->start[v + 1]; k++)
      x[b->to[k]] = MAX (x[b->to[k]], x[v] + b->gap[k]);
  for (guint i = b->n_blocks; i-- > 0;)
    {
      guint v = b->order[i];
      double limit = HUGE_VAL;
      for (guint k = b->start[v]; k < b->start[v + 1]; k++)
        limit = MIN (limit, x[b->to[k]] - b->gap[k]);
      if (b->start[v] < b->start[v + 1])
        x[v] = MAX (x[v], limit);
    }
}

/* The mirror image of compact_left(). */
static void
compact_right (const Placing *p, const Blocks *b, double *x)
{
  g_autofree double *reach = g_new (double, p->g->n);
  for (guint v = 0; v < p->g->n; v++)
    reach[v] = -HUGE_VAL;
  for (guint i = b->n_blocks; i-- > 0;)
    {
      guint v = b->order[i];
      x[v] = 0;
      for (guint k = b->start[v]; k < b->start[v + 1]; k++)
        x[v] = MIN (x[v], x[b->to[k]] - b->gap[k]);
    }
  for (guint i = 0; i < b->n_blocks; i++)
    {
      guint v = b->order[i];
      if (!isinf (reach[v]))
        x[v] = MIN (x[v], reach[v]);
      for (guint k = b->start[v]; k < b->start[v + 1]; k++)
        reach[b->to[k]] = MAX (reach[b->to[k]], x[v] + b->gap[k]);
    }
}

static void
place_once (Placing *p, gboolean upper, gboolean from_left, double *x)
{
  Blocks b;
  align_blocks (p, upper, from_left);
  collect_constraints (p, &b);
  order_blocks (p, &b);
  if (from_left)
    compact_left (p, &b, x);
  else
    compact_right (p, &b, x);
  for (guint v = 0; v < p->g->n; v++)
    x[v] = x[p->root[v]];
  g_free (b.start);
  g_free (b.to);
  g_free (b.gap);
  g_free (b.order);
}

static void
extent (const SluiceLayers *g, const double *x, double *low, double *high)
{
  *low = HUGE_VAL;
  *high = -HUGE_VAL;
  for (guint v = 0; v < g->n; v++)
    {
      *low = MIN (*low, x[v] - g->left[v]);
      *high = MAX (*high, x[v] + g->right[v]);
    }
}

/* Shifts the four placements onto the narrowest one and takes the mean of the middle two. Keeps
 * distances: order statistics of placements that all keep them. */
static void
combine (Placing *p)
{
  SluiceLayers *g = p->g;
  double low[4], high[4];
  int narrow = 0;
  for (int i = 0; i < 4; i++)
    {
      extent (g, p->x[i], &low[i], &high[i]);
      if (high[i] - low[i] < high[narrow] - low[narrow] - 1e-9)
        narrow = i;
    }
  for (int i = 0; i < 4; i++)
    {
      double shift = i % 2 == 0 ? low[narrow] - low[i] : high[narrow] - high[i];
      for (guint v = 0; v < g->n; v++)
        p->x[i][v] += shift;
    }
  for (guint v = 0; v < g->n; v++)
    {
      double a = MIN (p->x[0][v], p->x[1][v]), b = MAX (p->x[0][v], p->x[1][v]);
      double c = MIN (p->x[2][v], p->x[3][v]), d = MAX (p->x[2][v], p->x[3][v]);
      g->x[v] = (MAX (a, c) + MIN (b, d)) / 2;
    }
}

double
sluice_layers_place (SluiceLayers *self, const SluiceLayoutOptions *options)
{
  guint n = MAX (self->n, 1), slots = MAX (self->n_edges, 1);
  double low, high;
  Placing p = { .g = self,
                .options = options,
                .crossed = { g_new0 (guint8, slots), g_new0 (guint8, slots) },
                .twin = g_new (guint, slots),
                .root = g_new (guint, n),
                .align = g_new (guint, n) };

  sort_neighbours (&p);
  for (guint r = 0; r + 1 < self->n_ranks; r++)
    mark_crossed (&p, r);
  for (int i = 0; i < 4; i++)
    {
      p.x[i] = g_new (double, n);
      place_once (&p, i < 2, i % 2 == 0, p.x[i]);
    }
  combine (&p);
  extent (self, self->x, &low, &high);
  for (guint v = 0; v < self->n; v++)
    self->x[v] -= low;
  for (int i = 0; i < 4; i++)
    g_free (p.x[i]);
  g_free (p.crossed[0]);
  g_free (p.crossed[1]);
  g_free (p.twin);
  g_free (p.root);
  g_free (p.align);
  return high - low;
}

/* ---- narrower ---- */

#define SHIFTS 16

/* As far left as everything goes without being closer than it is or has to be: fills @x. Returns
 * the width. */
static double
pack_left (const SluiceLayers *g, const SluiceLayoutOptions *options, double *x)
{
  double width = 0;
  for (guint i = 0; i < g->n; i++)
    {
      guint v = g->order[i], u = g->pos[v] > 0 ? g->order[i - 1] : NONE;
      /* What shares a lane goes on sharing it. */
      x[v] = u == NONE ? g->left[v]
                       : x[u] + MIN (distance (g, options, u, v), MAX (g->x[v] - g->x[u], 0));
      width = MAX (width, x[v] + g->right[v]);
    }
  return width;
}

/* The mirror image, within @width. */
static void
pack_right (const SluiceLayers *g, const SluiceLayoutOptions *options, double width, double *x)
{
  for (guint i = g->n; i-- > 0;)
    {
      guint u = g->order[i],
            v = i + 1 < g->n && g->pos[g->order[i + 1]] > 0 ? g->order[i + 1] : NONE;
      x[u] = v == NONE ? width - g->right[u]
                       : x[v] - MIN (distance (g, options, u, v), MAX (g->x[v] - g->x[u], 0));
    }
}

static double
clamped (const SluiceLayers *g, guint v, double shift, const double *low, const double *high)
{
  return CLAMP (g->x[v] - shift, low[v], high[v]);
}

/* How far the edges lead sideways, the heavy ones before the light ones. */
static double
measure_shift (const SluiceLayers *g, double shift, const double *low, const double *high)
{
  double sum = 0;
  for (guint e = 0; e < g->n_edges; e++)
    sum += g->weight[e]
           * fabs (clamped (g, g->from[e], shift, low, high)
                   - clamped (g, g->to[e], shift, low, high));
  return sum;
}

double
sluice_layers_get_least_width (const SluiceLayers *self, const SluiceLayoutOptions *options)
{
  g_autofree double *x = g_new (double, self->n + 1);
  return pack_left (self, options, x);
}

double
sluice_layers_narrow (SluiceLayers *self, const SluiceLayoutOptions *options, double width)
{
  g_autofree double *low = g_new (double, self->n + 1);
  g_autofree double *high = g_new (double, self->n + 1);
  double left, right, best = HUGE_VAL, chosen = 0;
  width = MAX (width, pack_left (self, options, low));
  extent (self, self->x, &left, &right);
  if (right - left <= width)
    return right - left;
  pack_right (self, options, width, high);
  for (guint i = 0; i <= SHIFTS; i++)
    {
      double shift = left + (right - left - width) * i / SHIFTS;
      double sum = measure_shift (self, shift, low, high);
      if (sum >= best)
        continue;
      best = sum;
      chosen = shift;
    }
  /* Keeps distances, as each of the three does. */
  for (guint v = 0; v < self->n; v++)
    self->x[v] = clamped (self, v, chosen, low, high);
  return width;
}
