/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <stdlib.h>
#include <string.h>

/* Series: siblings that repeat under one numbered name become one box. */

#define MIN_SIBLINGS 12 /* smaller levels are read at a glance as they are */
#define MIN_SCOPES   3
#define MIN_OPS      5
#define MIN_ALIKE    12 /* of one name, whatever the structure */

typedef struct
{
  guint group;
  guint64 structure;
  const char *path;
  gsize stem;   /* length of the path without the number and a '_' before it */
  guint number; /* 0 when there is none */
} Candidate;

static Candidate
make_candidate (const SluiceHierarchy *self, guint index)
{
  const SluiceGroup *g = &self->groups[index];
  gsize length = strlen (g->path), digits = 0;
  Candidate c = { index, g->structure, g->path, length, 0 };
  while (digits < length && digits < 9 && g_ascii_isdigit (g->path[length - 1 - digits]))
    digits++;
  if (digits > 0)
    c.number = (guint) strtoul (g->path + length - digits, NULL, 10);
  c.stem = length - digits;
  if (digits > 0 && c.stem > 0 && g->path[c.stem - 1] == '_')
    c.stem--;
  return c;
}

static int
compare_stems (const Candidate *a, const Candidate *b)
{
  if (a->structure != b->structure)
    return a->structure < b->structure ? -1 : 1;
  if (a->stem != b->stem)
    return a->stem < b->stem ? -1 : 1;
  return strncmp (a->path, b->path, a->stem);
}

static int
compare_candidates (const void *pa, const void *pb)
{
  const Candidate *a = pa, *b = pb;
  int order = compare_stems (a, b);
  if (order != 0)
    return order;
  if (a->number != b->number)
    return a->number < b->number ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

/* Children that stand alone so far, ready for runs to be found. Without @exact, structure is not
 * looked at. */
static guint
collect_candidates (
    SluiceHierarchy *self, guint scope, const guint *series, gboolean exact, Candidate *c)
{
  const SluiceGroup *parent = &self->groups[scope];
  guint n = 0;
  for (guint child = parent->first_child; child < parent->first_child + parent->n_children; child++)
    {
      const SluiceGroup *g = &self->groups[child];
      if (series[child] > 0 || g->node_class == SLUICE_NODE_CLASS_CONSTANT
          || g->node_class == SLUICE_NODE_CLASS_SUMMARY)
        continue;
      c[n] = make_candidate (self, child);
      if (!exact)
        c[n].structure = g->kind == SLUICE_GROUP_OP ? 1 : 0;
      n++;
    }
  qsort (c, n, sizeof *c, compare_candidates);
  return n;
}

/* Numbers each run of members in @series, which holds 0 for what stands alone. Runs of one
 * structure may be short; a long run of one name is a series even if its members differ in a
 * detail. */
static guint
mark_runs (SluiceHierarchy *self, guint scope, guint *series, guint n_series)
{
  g_autofree Candidate *c = g_new (Candidate, self->groups[scope].n_children);
  for (int exact = 1; exact >= 0; exact--)
    {
      guint n = collect_candidates (self, scope, series, exact, c);
      for (guint i = 0, end; i < n; i = end)
        {
          gboolean op = self->groups[c[i].group].kind == SLUICE_GROUP_OP;
          guint least = !exact ? MIN_ALIKE : op ? MIN_OPS : MIN_SCOPES;
          for (end = i + 1; end < n && compare_stems (&c[i], &c[end]) == 0
                            && c[end].number == c[end - 1].number + 1
                            && (self->groups[c[end].group].kind == SLUICE_GROUP_OP) == op;
               end++)
            ;
          if (end - i < least)
            continue;
          n_series++;
          for (guint k = i; k < end; k++)
            series[c[k].group] = n_series;
        }
    }
  return n_series;
}

/* The gradients of a series' members are a series as well, whatever sums stand in one of them. */
static guint
mark_gradients (SluiceHierarchy *self, guint scope, guint *series, guint n_series)
{
  const SluiceGroup *parent = &self->groups[scope];
  g_autofree guint *n_of = g_new0 (guint, n_series + 1); /* gradients of each series' members */
  guint n_before = n_series;
  for (int pass = 0; pass < 2; pass++)
    {
      g_autofree guint *mark = g_new0 (guint, n_before + 1);
      for (guint i = parent->first_child; i < parent->first_child + parent->n_children; i++)
        {
          const SluiceGroup *g = &self->groups[i];
          guint forward = g->gradient && g->pair < SLUICE_OUTSIDE ? series[g->pair] : 0;
          if (forward == 0 || forward > n_before || series[i] != 0
              || self->groups[g->pair].parent != scope)
            continue;
          n_of[forward] += pass == 0;
          if (pass == 1 && n_of[forward] >= MIN_SCOPES)
            {
              if (mark[forward] == 0)
                mark[forward] = ++n_series;
              series[i] = mark[forward];
            }
        }
    }
  return n_series;
}

typedef struct
{
  guint n; /* contracted nodes of one scope */
  guint *start, *to;
  guint *index, *low, *stack, *call, *next;
  guint8 *on_stack, *cyclic;
} Contracted;

/* Tarjan without recursion: marks nodes on a cycle. */
static void
mark_cycles (Contracted *c)
{
  guint time = 0, depth;
  for (guint root = 0, top = 0; root < c->n; root++)
    {
      if (c->index[root] != 0)
        continue;
      c->call[0] = root;
      depth = 1;
      c->index[root] = c->low[root] = ++time;
      c->stack[top++] = root;
      c->on_stack[root] = 1;
      while (depth > 0)
        {
          guint v = c->call[depth - 1];
          if (c->next[v] < c->start[v + 1])
            {
              guint w = c->to[c->next[v]++];
              if (c->index[w] == 0)
                {
                  c->index[w] = c->low[w] = ++time;
                  c->stack[top++] = w;
                  c->on_stack[w] = 1;
                  c->call[depth++] = w;
                }
              else if (c->on_stack[w])
                c->low[v] = MIN (c->low[v], c->index[w]);
              continue;
            }
          if (--depth > 0)
            c->low[c->call[depth - 1]] = MIN (c->low[c->call[depth - 1]], c->low[v]);
          if (c->low[v] != c->index[v])
            continue;
          gboolean cyclic = c->stack[top - 1] != v;
          for (guint w = G_MAXUINT; w != v;)
            {
              w = c->stack[--top];
              c->on_stack[w] = 0;
              c->cyclic[w] = cyclic;
            }
        }
    }
}

/* Dissolves the series of @scope that lie on a cycle once contracted: conv_1 -> relu_1 -> conv_2 ->
 * relu_2 is no pair of series. */
static gboolean
dissolve_cyclic (
    SluiceHierarchy *self, guint scope, guint *series, guint first_series, guint n_series)
{
  const SluiceGroup *g = &self->groups[scope];
  guint n_marks = n_series - first_series,
        n_edges = self->bundle_start[scope + 1] - self->bundle_start[scope];
  guint n = g->n_children + n_marks;
  g_autofree guint *block = g_new0 (guint, 6 * (gsize) n + 2 + MAX (n_edges, 1));
  g_autofree guint8 *bytes = g_new0 (guint8, 2 * (gsize) n);
  Contracted c = { n,
                   block,
                   block + 6 * (gsize) n + 2,
                   block + n + 2,
                   block + 2 * (gsize) n + 2,
                   block + 3 * (gsize) n + 2,
                   block + 4 * (gsize) n + 2,
                   block + 5 * (gsize) n + 2,
                   bytes,
                   bytes + n };
  const SluiceEdgeBundle *bundles = self->bundles + self->bundle_start[scope];
  gboolean dissolved = FALSE;

#define NODE(child)                                                                                \
  (series[child] > first_series ? g->n_children + series[child] - first_series - 1                 \
                                : (child) -g->first_child)
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint b = 0; b < n_edges; b++)
        {
          /* What is set aside, and what only orders or updates, closes no cycle in the drawing. */
          if (bundles[b].kind != SLUICE_EDGE_DATA || self->groups[bundles[b].from].hub
              || self->groups[bundles[b].to].hub)
            continue;
          guint from = NODE (bundles[b].from), to = NODE (bundles[b].to);
          if (from == to)
            continue;
          if (pass == 0)
            c.start[from + 1]++;
          else
            c.to[c.next[from]++] = to;
        }
      for (guint v = 0; pass == 0 && v < n; v++)
        c.start[v + 1] += c.start[v];
      memcpy (c.next, c.start, n * sizeof *c.next);
    }
  mark_cycles (&c);
  for (guint i = g->first_child; i < g->first_child + g->n_children; i++)
    if (series[i] > first_series && c.cyclic[NODE (i)])
      {
        c.on_stack[i - g->first_child] = 1;
        dissolved = TRUE;
      }
  for (guint i = g->first_child; i < g->first_child + g->n_children; i++)
    if (c.on_stack[i - g->first_child])
      series[i] = 0;
#undef NODE
  return dissolved;
}

static guint
visible_children (const SluiceHierarchy *self, const SluiceGroup *g)
{
  guint n = 0;
  for (guint i = 0; i < g->n_children; i++)
    {
      SluiceNodeClass node_class = self->groups[g->first_child + i].node_class;
      n += node_class != SLUICE_NODE_CLASS_CONSTANT && node_class != SLUICE_NODE_CLASS_SUMMARY
           && node_class != SLUICE_NODE_CLASS_VARIABLE;
    }
  return n;
}

static SluiceGroup
make_series (SluiceHierarchy *self, const guint *series, guint first)
{
  const SluiceGroup *g = &self->groups[first];
  Candidate low = make_candidate (self, first), high = low;
  guint end = self->groups[g->parent].first_child + self->groups[g->parent].n_children, n = 0;
  for (guint i = first; i < end; i++)
    if (series[i] == series[first])
      {
        Candidate c = make_candidate (self, i);
        low = c.number < low.number ? c : low;
        high = c.number > high.number ? c : high;
        n++;
      }
  const char *stem = sluice_path_leaf (g->path);
  g_autofree char *path =
      g_strdup_printf ("%.*s[%u-%u]", (int) low.stem, low.path, low.number, high.number);
  g_autofree char *label = g_strdup_printf ("%.*s%s × %u", (int) (low.stem - (stem - g->path)),
                                            stem, g->gradient && g->parent == 0 ? " ∇" : "", n);
  return (SluiceGroup){ .kind = SLUICE_GROUP_SERIES,
                        .path = sluice_texts_keep (self->texts, path),
                        .path_hash = g_str_hash (path),
                        .label = sluice_texts_keep (self->texts, label),
                        .parent = g->parent,
                        .model_node = SLUICE_NONE,
                        .pair = SLUICE_NONE,
                        .hue = SLUICE_NONE,
                        .device = SLUICE_NONE,
                        .gradient = g->gradient };
}

/* The groups and the series behind them, n in all, become the tree; what is told of groups is told
 * of them where they stand now. */
static void
renumber (SluiceHierarchy *self, guint n, const guint *order)
{
  guint n_old = self->n_groups;
  g_autofree SluiceGroup *old = g_steal_pointer (&self->groups);
  g_autofree guint *draft = g_steal_pointer (&self->draft);
  g_autofree guint8 *is_given = g_steal_pointer (&self->is_given);
  g_autofree guint *origin = sluice_hierarchy_adopt (self, old, n, order);
  g_autofree guint *now = g_new (guint, n);
  self->draft = g_new (guint, n);
  self->is_given = g_new0 (guint8, n);
  for (guint i = 0; i < n; i++)
    {
      gboolean is_series = origin[i] >= n_old;
      now[origin[i]] = i;
      self->draft[i] = is_series ? SLUICE_NONE : draft[origin[i]];
      self->is_given[i] = !is_series && is_given[origin[i]];
      /* From now on it only counts that they have one. */
      if (self->groups[i].pair != SLUICE_NONE)
        self->groups[i].pair = SLUICE_OUTSIDE;
    }
  for (guint i = 0; i < self->n_lifted; i++)
    {
      SluiceLifted *edge = &self->lifted[i];
      edge->from = now[edge->from];
      edge->to = now[edge->to];
      guint a = self->groups[edge->from].parent, b = self->groups[edge->to].parent;
      if (a == b)
        continue;
      if (self->groups[a].kind == SLUICE_GROUP_SERIES)
        edge->from = a;
      if (self->groups[b].kind == SLUICE_GROUP_SERIES)
        edge->to = b;
    }
}

/* The old tree with series groups between: each stands where its first member stood. */
static void
rebuild (SluiceHierarchy *self, const guint *series, guint n_series)
{
  guint n_old = self->n_groups, n = n_old, n_ordered = 0;
  g_autofree guint *series_at = g_new0 (guint, n_series + 1);
  g_autofree guint *order = g_new (guint, n_old + n_series);
  self->groups = g_renew (SluiceGroup, self->groups, n_old + n_series);
  for (guint i = 0; i < n_old; i++)
    {
      if (series[i] > 0)
        {
          guint *at = &series_at[series[i]];
          if (*at == 0)
            {
              *at = order[n_ordered++] = n++;
              self->groups[*at] = make_series (self, series, i);
            }
          self->groups[i].parent = *at;
        }
      order[n_ordered++] = i;
    }
  renumber (self, n, order);
}

gboolean
sluice_hierarchy_insert_series (SluiceHierarchy *self)
{
  g_autofree guint *series = g_new0 (guint, self->n_groups);
  guint n_series = 0;
  gboolean any = FALSE;

  for (guint i = 0; i < self->n_groups; i++)
    {
      const SluiceGroup *g = &self->groups[i];
      guint before = n_series;
      if (g->n_children < MIN_SIBLINGS || visible_children (self, g) < MIN_SIBLINGS)
        continue;
      n_series = mark_gradients (self, i, series, mark_runs (self, i, series, n_series));
      if (n_series > before)
        sluice_hierarchy_find_hubs_in (self, i);
      while (n_series > before && dissolve_cyclic (self, i, series, before, n_series))
        ;
    }
  for (guint i = 0; i < self->n_groups && !any; i++)
    any = series[i] > 0;
  if (any)
    rebuild (self, series, n_series);
  return any;
}
