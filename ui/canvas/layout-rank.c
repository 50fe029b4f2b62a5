/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/layout-private.h"

#include <string.h>

/* Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993), section 2:
 * ranks that make the edges as short as possible in total, by network simplex over a spanning tree
 * of tight edges. A subtree is a range of postorder numbers, so walking one is walking an array. */

#define NONE G_MAXUINT

typedef struct
{
  guint n, n_edges;
  const guint *from, *to;
  const double *weight;
  guint *start[2]; /* edges by their `from`, by their `to` */
  guint *edges[2];
  gint *rank;
  guint8 *in_tree; /* per edge */
  double *cut;     /* per tree edge: weight gained by lengthening it */
  guint *parent;   /* per node: tree edge towards the root */
  guint *low;      /* per node: smallest postorder number below it */
  guint *lim;      /* per node: its postorder number */
  guint *by_lim;   /* node with a postorder number */
  guint *stack;    /* scratch */
  guint *cursor;   /* scratch: next incident edge */
  guint64 work;    /* steps so far */
} Simplex;

static void
index_edges (Simplex *s, int side, const guint *end)
{
  guint *start = s->start[side] = g_new0 (guint, s->n + 2);
  guint *edges = s->edges[side] = g_new (guint, MAX (s->n_edges, 1));
  for (guint e = 0; e < s->n_edges; e++)
    start[end[e] + 2]++;
  for (guint v = 0; v < s->n; v++)
    start[v + 2] += start[v + 1];
  for (guint e = 0; e < s->n_edges; e++)
    edges[start[end[e] + 1]++] = e;
}

/* The @i-th edge at @v, outgoing ones first; NONE past the last. */
static guint
incident (const Simplex *s, guint v, guint i)
{
  guint n_out = s->start[0][v + 1] - s->start[0][v];
  if (i < n_out)
    return s->edges[0][s->start[0][v] + i];
  i -= n_out;
  return i < s->start[1][v + 1] - s->start[1][v] ? s->edges[1][s->start[1][v] + i] : NONE;
}

static guint
other_end (const Simplex *s, guint e, guint v)
{
  return s->from[e] == v ? s->to[e] : s->from[e];
}

static gint
slack (const Simplex *s, guint e)
{
  return s->rank[s->to[e]] - s->rank[s->from[e]] - 1;
}

static void
longest_path (Simplex *s)
{
  guint *waiting = s->cursor, *queue = s->stack, head = 0, tail = 0;
  for (guint v = 0; v < s->n; v++)
    {
      s->rank[v] = 0;
      if ((waiting[v] = s->start[1][v + 1] - s->start[1][v]) == 0)
        queue[tail++] = v;
    }
  while (head < tail)
    {
      guint v = queue[head++];
      for (guint i = s->start[0][v]; i < s->start[0][v + 1]; i++)
        {
          guint w = s->to[s->edges[0][i]];
          s->rank[w] = MAX (s->rank[w], s->rank[v] + 1);
          if (--waiting[w] == 0)
            queue[tail++] = w;
        }
    }
  g_assert (tail == s->n);
}

/* A binary heap of edges by key, ties by index. */
typedef struct
{
  guint *edge;
  gint *key;
  guint n;
} Heap;

static gboolean
heap_less (const Heap *h, guint a, guint b)
{
  return h->key[a] != h->key[b] ? h->key[a] < h->key[b] : h->edge[a] < h->edge[b];
}

static void
heap_swap (Heap *h, guint a, guint b)
{
  guint edge = h->edge[a];
  gint key = h->key[a];
  h->edge[a] = h->edge[b];
  h->key[a] = h->key[b];
  h->edge[b] = edge;
  h->key[b] = key;
}

static void
heap_push (Heap *h, guint edge, gint key)
{
  guint i = h->n++;
  h->edge[i] = edge;
  h->key[i] = key;
  for (; i > 0 && heap_less (h, i, (i - 1) / 2); i = (i - 1) / 2)
    heap_swap (h, i, (i - 1) / 2);
}

static void
heap_pop (Heap *h)
{
  heap_swap (h, 0, --h->n);
  for (guint i = 0, child; (child = 2 * i + 1) < h->n; i = child)
    {
      if (child + 1 < h->n && heap_less (h, child + 1, child))
        child++;
      if (!heap_less (h, child, i))
        break;
      heap_swap (h, i, child);
    }
}

static void
join_tree (Simplex *s, Heap heaps[2], guint8 *inside, guint v, gint offset)
{
  inside[v] = 1;
  s->rank[v] += offset;
  for (guint i = 0, e; (e = incident (s, v, i)) != NONE; i++)
    if (!inside[other_end (s, e, v)])
      heap_push (&heaps[s->from[e] == v ? 0 : 1], e, slack (s, e));
}

/* Grows a spanning tree of tight edges. All nodes outside of it are shifted together (@offset, not
 * yet added to their ranks) until the nearest of them touches the tree. */
static void
tight_tree (Simplex *s)
{
  guint room = MAX (s->n_edges, 1);
  Heap heaps[2] = { { g_new (guint, room), g_new (gint, room), 0 },
                    { g_new (guint, room), g_new (gint, room), 0 } };
  g_autofree guint8 *inside = g_new0 (guint8, s->n);
  gint offset = 0;

  join_tree (s, heaps, inside, 0, 0);
  for (guint joined = 1; joined < s->n; joined++)
    {
      for (int side = 0; side < 2; side++)
        while (heaps[side].n > 0 && inside[s->from[heaps[side].edge[0]]]
               && inside[s->to[heaps[side].edge[0]]])
          heap_pop (&heaps[side]);
      g_assert (heaps[0].n + heaps[1].n > 0); /* connected */
      gint out = heaps[0].n > 0 ? heaps[0].key[0] + offset : G_MAXINT;
      gint in = heaps[1].n > 0 ? heaps[1].key[0] - offset : G_MAXINT;
      int side = out <= in ? 0 : 1;
      guint e = heaps[side].edge[0];
      offset += side == 0 ? -out : in;
      s->in_tree[e] = 1;
      join_tree (s, heaps, inside, inside[s->from[e]] ? s->to[e] : s->from[e], offset);
    }
  for (int side = 0; side < 2; side++)
    {
      g_free (heaps[side].edge);
      g_free (heaps[side].key);
    }
}

/* Numbers the subtree of @root in postorder from @number on, and sets parents. */
static void
number_tree (Simplex *s, guint root, guint parent, guint number)
{
  guint depth = 0;
  s->stack[depth++] = root;
  s->parent[root] = parent;
  s->low[root] = number;
  s->cursor[root] = 0;
  while (depth > 0)
    {
      guint v = s->stack[depth - 1], e = incident (s, v, s->cursor[v]++);
      if (e == NONE)
        {
          s->by_lim[number] = v;
          s->lim[v] = number++;
          depth--;
        }
      else if (s->in_tree[e] && e != s->parent[v])
        {
          guint w = other_end (s, e, v);
          s->parent[w] = e;
          s->low[w] = number;
          s->cursor[w] = 0;
          s->stack[depth++] = w;
        }
    }
}

static gboolean
is_below (const Simplex *s, guint v, guint top)
{
  return s->low[top] <= s->lim[v] && s->lim[v] <= s->lim[top];
}

/* Cut value of the edge above @v from those below it. */
static double
cut_above (const Simplex *s, guint v)
{
  gboolean upwards = s->from[s->parent[v]] == v;
  double sum = 0;
  for (guint i = 0, e; (e = incident (s, v, i)) != NONE; i++)
    {
      gboolean inside = is_below (s, other_end (s, e, v), v);
      double value = inside ? (s->in_tree[e] ? s->cut[e] : 0) - s->weight[e] : s->weight[e];
      gboolean arrives = upwards ? s->to[e] == v : s->from[e] == v;
      sum += arrives == inside ? value : -value;
    }
  return sum;
}

/* The worst of the next thirty negative edges after @from_edge, NONE when the ranks are best. */
static guint
leaving_edge (Simplex *s, guint *from_edge)
{
  guint best = NONE, found = 0;
  for (guint i = 0; i < s->n_edges; i++)
    {
      guint e = *from_edge + i < s->n_edges ? *from_edge + i : *from_edge + i - s->n_edges;
      s->work++;
      if (!s->in_tree[e] || s->cut[e] > -1e-9)
        continue;
      if (best == NONE || s->cut[e] < s->cut[best])
        best = e;
      if (++found == 30)
        {
          *from_edge = e;
          break;
        }
    }
  return best;
}

/* The tightest edge that joins the two halves again the other way round. @top: root of the half
 * that moves. */
static guint
entering_edge (Simplex *s, guint top, gboolean outgoing)
{
  guint best = NONE;
  int side = outgoing ? 0 : 1;
  for (guint k = s->low[top]; k <= s->lim[top]; k++)
    {
      guint v = s->by_lim[k];
      s->work += 1 + s->start[side][v + 1] - s->start[side][v];
      for (guint i = s->start[side][v]; i < s->start[side][v + 1]; i++)
        {
          guint e = s->edges[side][i];
          if (!s->in_tree[e] && !is_below (s, other_end (s, e, v), top)
              && (best == NONE || slack (s, e) < slack (s, best)))
            best = e;
        }
    }
  return best;
}

/* Adds @value to the cuts on the tree path from @v up to the subtree that holds @w; returns its
 * root. */
static guint
update_path (Simplex *s, guint v, guint w, double value, gboolean forward)
{
  while (!is_below (s, w, v))
    {
      guint e = s->parent[v];
      gboolean add = (s->from[e] == v) == forward;
      s->cut[e] += add ? value : -value;
      v = other_end (s, e, v);
    }
  return v;
}

/* One exchange; FALSE when there is nothing to gain. */
static gboolean
pivot (Simplex *s, guint *from_edge)
{
  guint e = leaving_edge (s, from_edge);
  if (e == NONE)
    return FALSE;
  gboolean tail_moves = s->lim[s->from[e]] < s->lim[s->to[e]];
  guint top = tail_moves ? s->from[e] : s->to[e];
  guint f = entering_edge (s, top, !tail_moves);
  if (f == NONE)
    return FALSE;
  gint by = slack (s, f);
  for (guint k = s->low[top]; k <= s->lim[top]; k++)
    s->rank[s->by_lim[k]] += tail_moves ? -by : by;
  double value = s->cut[e];
  guint lca = update_path (s, s->from[f], s->to[f], value, TRUE);
  update_path (s, s->to[f], s->from[f], value, FALSE);
  s->cut[f] = -value;
  s->cut[e] = 0;
  s->in_tree[e] = 0;
  s->in_tree[f] = 1;
  s->work += 4 * (s->lim[lca] - s->low[lca] + 1);
  number_tree (s, lca, s->parent[lca], s->low[lca]);
  return TRUE;
}

static void
optimise (Simplex *s)
{
  /* Ranks are valid after every exchange. The limit counts steps, not time: same graph, same ranks.
   * Some two thousand nodes are done before it ends. */
  const guint64 limit = 3000000;
  guint from_edge = 0;

  tight_tree (s);
  number_tree (s, 0, NONE, 0);
  for (guint k = 0; k + 1 < s->n; k++)
    s->cut[s->parent[s->by_lim[k]]] = cut_above (s, s->by_lim[k]);
  while (s->work < limit && pivot (s, &from_edge))
    ;
}

void
sluice_layout_rank (
    guint n, const guint *from, const guint *to, const double *weight, guint n_edges, guint *rank)
{
  Simplex s = { .n = n, .n_edges = n_edges, .from = from, .to = to, .weight = weight };
  gint lowest = G_MAXINT;

  index_edges (&s, 0, from);
  index_edges (&s, 1, to);
  s.rank = g_new (gint, n);
  s.in_tree = g_new0 (guint8, n_edges + 1);
  s.cut = g_new0 (double, n_edges + 1);
  guint *block = g_new (guint, 6 * (gsize) n);
  s.parent = block;
  s.low = block + n;
  s.lim = block + 2 * (gsize) n;
  s.by_lim = block + 3 * (gsize) n;
  s.stack = block + 4 * (gsize) n;
  s.cursor = block + 5 * (gsize) n;
  longest_path (&s);
  if (n > 1)
    optimise (&s);
  for (guint v = 0; v < n; v++)
    lowest = MIN (lowest, s.rank[v]);
  for (guint v = 0; v < n; v++)
    rank[v] = s.rank[v] - lowest;
  g_free (block);
  g_free (s.rank);
  g_free (s.in_tree);
  g_free (s.cut);
  for (int side = 0; side < 2; side++)
    {
      g_free (s.start[side]);
      g_free (s.edges[side]);
    }
}
