/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/layout-private.h"

#include <string.h>

/* Scratch memory of one ordering, sized once. */
typedef struct
{
  SluiceLayers *g;
  guint *tree;    /* Fenwick tree over positions */
  guint *near[2]; /* per CSR slot of in / out: positions of neighbours, sorted for each node */
  double *key;    /* per node: where it wants to be; negative = no wish */
  guint *sorted;  /* nodes of a rank that move */
  guint *merge;   /* scratch of the sort */
  guint *best;    /* best order so far */
} Ordering;

static int
compare_uint (const void *a, const void *b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return (x > y) - (x < y);
}

static void
sort_positions (guint *values, guint n)
{
  if (n > 16)
    {
      qsort (values, n, sizeof *values, compare_uint);
      return;
    }
  for (guint i = 1; i < n; i++)
    {
      guint v = values[i], j = i;
      for (; j > 0 && values[j - 1] > v; j--)
        values[j] = values[j - 1];
      values[j] = v;
    }
}

/* Inversions among the rows of @lower taken in order of the upper ends; @tree has room for @width +
 * 1 counters. */
static guint64
add_row (guint *tree, guint width, const guint *lower, guint n, guint *seen)
{
  guint64 crossings = 0;
  /* Count first, insert after: edges of one upper node do not cross each other. */
  for (guint i = 0; i < n; i++)
    {
      guint before = 0;
      for (guint k = lower[i] + 1; k > 0; k &= k - 1)
        before += tree[k];
      crossings += *seen - before;
    }
  for (guint i = 0; i < n; i++)
    for (guint k = lower[i] + 1; k <= width; k += k & -k)
      tree[k]++;
  *seen += n;
  return crossings;
}

static guint64
count_below (Ordering *o, guint r)
{
  SluiceLayers *g = o->g;
  guint width = g->rank_start[r + 2] - g->rank_start[r + 1], seen = 0;
  guint64 crossings = 0;
  memset (o->tree, 0, (width + 1) * sizeof *o->tree);
  for (guint i = g->rank_start[r]; i < g->rank_start[r + 1]; i++)
    {
      guint v = g->order[i], first = g->out_start[v], n = g->out_start[v + 1] - first;
      guint *row = o->near[1] + first;
      for (guint k = 0; k < n; k++)
        row[k] = g->pos[g->out[first + k]];
      crossings += add_row (o->tree, width, row, n, &seen);
    }
  return crossings;
}

static guint64
count_all (Ordering *o)
{
  guint64 crossings = 0;
  for (guint r = 0; r + 1 < o->g->n_ranks; r++)
    crossings += count_below (o, r);
  return crossings;
}

guint64
sluice_layout_count_crossings (const guint *upper, const guint *lower, guint n_edges)
{
  guint n_upper = 0, n_lower = 0, seen = 0;
  guint64 crossings = 0;
  for (guint e = 0; e < n_edges; e++)
    {
      n_upper = MAX (n_upper, upper[e] + 1);
      n_lower = MAX (n_lower, lower[e] + 1);
    }
  g_autofree guint *start = g_new0 (guint, n_upper + 2);
  g_autofree guint *rows = g_new (guint, MAX (n_edges, 1));
  g_autofree guint *tree = g_new0 (guint, n_lower + 1);
  for (guint e = 0; e < n_edges; e++)
    start[upper[e] + 2]++;
  for (guint v = 0; v < n_upper; v++)
    start[v + 2] += start[v + 1];
  for (guint e = 0; e < n_edges; e++)
    rows[start[upper[e] + 1]++] = lower[e];
  for (guint v = 0; v < n_upper; v++)
    crossings += add_row (tree, n_lower, rows + start[v], start[v + 1] - start[v], &seen);
  return crossings;
}

/* The node's weighted median among its neighbours (as dot's): between the two middle ones, nearer
 * to the denser side. */
static double
median_of (const guint *p, guint n)
{
  if (n == 0)
    return -1;
  if (n % 2 == 1)
    return p[n / 2];
  if (n == 2)
    return (p[0] + p[1]) / 2.0;
  double left = p[n / 2 - 1] - p[0], right = p[n - 1] - p[n / 2];
  if (left + right == 0)
    return (p[n / 2 - 1] + p[n / 2]) / 2.0;
  return (p[n / 2 - 1] * right + p[n / 2] * left) / (left + right);
}

static double
barycentre_of (const guint *p, guint n)
{
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += p[i];
  return n == 0 ? -1 : sum / n;
}

/* Stable merge sort by key; equal keys change places when @flip, which shakes ties loose. */
static void
sort_by_key (guint *nodes, guint *scratch, guint n, const double *key, gboolean flip)
{
  for (guint width = 1; width < n; width *= 2)
    {
      for (guint at = 0; at < n; at += 2 * width)
        {
          guint a = at, a_end = MIN (at + width, n), b = a_end, b_end = MIN (at + 2 * width, n);
          for (guint k = at; k < b_end; k++)
            if (a < a_end
                && (b == b_end
                    || (flip ? key[nodes[a]] < key[nodes[b]] : key[nodes[a]] <= key[nodes[b]])))
              scratch[k] = nodes[a++];
            else
              scratch[k] = nodes[b++];
        }
      memcpy (nodes, scratch, n * sizeof *nodes);
    }
}

/* Collects the sorted positions of the neighbours of every node of rank @r on one side (0: before,
 * 1: after). */
static void
gather (Ordering *o, guint r, int side)
{
  SluiceLayers *g = o->g;
  const guint *start = side == 0 ? g->in_start : g->out_start;
  const guint *list = side == 0 ? g->in : g->out;
  for (guint i = g->rank_start[r]; i < g->rank_start[r + 1]; i++)
    {
      guint v = g->order[i];
      for (guint k = start[v]; k < start[v + 1]; k++)
        o->near[side][k] = g->pos[list[k]];
      sort_positions (o->near[side] + start[v], start[v + 1] - start[v]);
    }
}

/* Reorders rank @r by its neighbours on one side; nodes without neighbours there keep their places.
 */
static void
reorder_rank (Ordering *o, guint r, int side, gboolean barycentre, gboolean flip)
{
  SluiceLayers *g = o->g;
  const guint *start = side == 0 ? g->in_start : g->out_start;
  guint moving = 0, next = 0;

  gather (o, r, side);
  for (guint i = g->rank_start[r]; i < g->rank_start[r + 1]; i++)
    {
      guint v = g->order[i], n = start[v + 1] - start[v];
      const guint *p = o->near[side] + start[v];
      o->key[v] = barycentre ? barycentre_of (p, n) : median_of (p, n);
      if (o->key[v] >= 0)
        o->sorted[moving++] = v;
    }
  sort_by_key (o->sorted, o->merge, moving, o->key, flip);
  for (guint i = g->rank_start[r]; i < g->rank_start[r + 1]; i++)
    {
      if (o->key[g->order[i]] >= 0)
        g->order[i] = o->sorted[next++];
      g->pos[g->order[i]] = i - g->rank_start[r];
    }
}

/* Crossings between the edges of v and w with v on the left: pairs with a neighbour of v right of
 * one of w. */
static gint64
count_pair (const guint *v, guint n_v, const guint *w, guint n_w)
{
  gint64 crossings = 0;
  guint j = 0;
  for (guint i = 0; i < n_v; i++)
    {
      while (j < n_w && w[j] < v[i])
        j++;
      crossings += j;
    }
  return crossings;
}

static gint64
gain_of_swap (Ordering *o, guint v, guint w)
{
  SluiceLayers *g = o->g;
  gint64 gain = 0;
  for (int side = 0; side < 2; side++)
    {
      const guint *start = side == 0 ? g->in_start : g->out_start;
      const guint *pv = o->near[side] + start[v], *pw = o->near[side] + start[w];
      guint nv = start[v + 1] - start[v], nw = start[w + 1] - start[w];
      gain += count_pair (pv, nv, pw, nw) - count_pair (pw, nw, pv, nv);
    }
  return gain;
}

/* Swaps neighbours of rank @r while that removes crossings; with @even also where it costs nothing.
 * Returns crossings removed. */
static gint64
transpose_rank (Ordering *o, guint r, gboolean even)
{
  SluiceLayers *g = o->g;
  gint64 gained = 0;
  gboolean again = TRUE;

  gather (o, r, 0);
  gather (o, r, 1);
  for (int pass = 0; again && pass < 16; pass++)
    {
      again = FALSE;
      for (guint i = g->rank_start[r]; i + 1 < g->rank_start[r + 1]; i++)
        {
          guint v = g->order[i], w = g->order[i + 1];
          gint64 gain = gain_of_swap (o, v, w);
          if (gain < 0 || (gain == 0 && !(even && pass == 0)))
            continue;
          g->order[i] = w;
          g->order[i + 1] = v;
          g->pos[w]--;
          g->pos[v]++;
          gained += gain;
          again |= gain > 0;
        }
    }
  return gained;
}

static void
transpose (Ordering *o, gboolean even, guint rounds)
{
  gint64 gained = 1;
  for (guint round = 0; gained > 0 && round < rounds; round++)
    {
      gained = 0;
      for (guint r = 0; r < o->g->n_ranks; r++)
        gained += transpose_rank (o, r, even);
    }
}

/* First order: breadth first along the edges from the sources (or, from the sinks, against them).
 */
static void
start_order (Ordering *o, gboolean from_sinks)
{
  SluiceLayers *g = o->g;
  g_autofree guint *queue = g_new (guint, g->n);
  g_autofree guint *filled = g_new0 (guint, g->n_ranks);
  g_autofree guint8 *seen = g_new0 (guint8, g->n);

  for (guint s = 0; s < g->n; s++)
    {
      const guint *back = from_sinks ? g->out_start : g->in_start;
      guint head = 0, tail = 0;
      if (seen[s] || back[s] != back[s + 1])
        continue;
      seen[s] = 1;
      queue[tail++] = s;
      while (head < tail)
        {
          guint v = queue[head++];
          g->pos[v] = filled[g->rank[v]]++;
          g->order[g->rank_start[g->rank[v]] + g->pos[v]] = v;
          for (int side = 0; side < 2; side++)
            {
              const guint *start = (side == 0) == from_sinks ? g->in_start : g->out_start;
              const guint *list = (side == 0) == from_sinks ? g->in : g->out;
              for (guint k = start[v]; k < start[v + 1]; k++)
                if (!seen[list[k]])
                  {
                    seen[list[k]] = 1;
                    queue[tail++] = list[k];
                  }
            }
        }
    }
}

/* First order: any, the same for the same @seed. */
static void
shuffle_order (Ordering *o, guint32 seed)
{
  SluiceLayers *g = o->g;
  for (guint r = 0; r < g->n_ranks; r++)
    for (guint n = g->rank_start[r + 1] - g->rank_start[r]; n > 0; n--)
      {
        guint *last = &g->order[g->rank_start[r] + n - 1];
        seed = seed * 1664525u + 1013904223u;
        guint *other = &g->order[g->rank_start[r] + (seed >> 16) % n];
        guint swap = *last;
        *last = *other;
        *other = swap;
        g->pos[*last] = n - 1;
      }
}

static gboolean
is_cancelled (const gint *cancelled)
{
  return cancelled != NULL && g_atomic_int_get (cancelled);
}

/* Sweeps down and up from the present order; keeps the best in o->best. */
static guint64
sweep (Ordering *o,
       guint64 best,
       guint sweeps,
       guint rounds,
       gboolean barycentre,
       const gint *cancelled)
{
  SluiceLayers *g = o->g;
  guint stale = 0;
  for (guint s = 0; s < sweeps && best > 0 && stale < 6 && !is_cancelled (cancelled); s++)
    {
      gboolean flip = s % 4 >= 2;
      if (s % 2 == 0)
        for (guint r = 1; r < g->n_ranks; r++)
          reorder_rank (o, r, 0, barycentre, flip);
      else
        for (guint r = g->n_ranks - 1; r-- > 0;)
          reorder_rank (o, r, 1, barycentre, flip);
      transpose (o, !flip, rounds);
      guint64 now = count_all (o);
      stale = now < best ? 0 : stale + 1;
      if (now < best)
        {
          best = now;
          memcpy (o->best, g->order, g->n * sizeof *g->order);
        }
    }
  return best;
}

static void
restore_best (Ordering *o)
{
  SluiceLayers *g = o->g;
  memcpy (g->order, o->best, g->n * sizeof *g->order);
  for (guint r = 0; r < g->n_ranks; r++)
    for (guint i = g->rank_start[r]; i < g->rank_start[r + 1]; i++)
      g->pos[g->order[i]] = i - g->rank_start[r];
}

guint64
sluice_layers_order (SluiceLayers *self, const gint *cancelled)
{
  guint slots = MAX (self->n_edges, 1);
  /* Effort falls with size, by count and never by the clock, so that the result is the same
   * everywhere. */
  guint size = self->n + self->n_edges;
  guint sweeps = size < 2000 ? 24 : size < 8000 ? 10 : size < 40000 ? 8 : 4;
  guint rounds = size < 2000 ? 12 : 3;
  guint attempts = size < 400 ? 12 : size < 1000 ? 4 : size < 2000 ? 2 : 1;
  guint64 best = G_MAXUINT64;
  Ordering o = { .g = self,
                 .tree = g_new (guint, self->n + 2),
                 .near = { g_new (guint, slots), g_new (guint, slots) },
                 .key = g_new (double, self->n),
                 .sorted = g_new (guint, self->n),
                 .merge = g_new (guint, self->n),
                 .best = g_new (guint, self->n) };

  for (guint attempt = 0; attempt < attempts && best > 0; attempt++)
    {
      if (attempt < 4)
        start_order (&o, attempt % 2 == 1);
      else
        shuffle_order (&o, attempt);
      guint64 start = count_all (&o);
      if (start < best)
        {
          best = start;
          memcpy (o.best, self->order, self->n * sizeof *self->order);
        }
      best = sweep (&o, best, sweeps, rounds, attempt >= 2, cancelled);
    }
  restore_best (&o);
  g_free (o.tree);
  g_free (o.near[0]);
  g_free (o.near[1]);
  g_free (o.key);
  g_free (o.sorted);
  g_free (o.merge);
  g_free (o.best);
  return best;
}
