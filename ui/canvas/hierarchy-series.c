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
      if (series[child] > 0 || g->kind == SLUICE_GROUP_SERIES
          || g->node_class == SLUICE_NODE_CLASS_CONSTANT
          || g->node_class == SLUICE_NODE_CLASS_SUMMARY
          || (g->node_class == SLUICE_NODE_CLASS_VARIABLE && g->params > 0))
        continue; /* they stand where they are read or watched */
      c[n] = make_candidate (self, child);
      if (!exact)
        c[n].structure = g->kind == SLUICE_GROUP_OP ? 1 : 0;
      if (g->n_model == 0) /* it may be set aside, and the others not */
        c[n].structure = ~c[n].structure;
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

/* Several losses have gradients of one scope each: they are a series, too. */
static guint
mark_gradients_of_one (SluiceHierarchy *self, guint scope, guint *series, guint n_series)
{
  const SluiceGroup *parent = &self->groups[scope];
  guint end = parent->first_child + parent->n_children;
  g_autofree guint *n_of = g_new0 (guint, parent->n_children + 1); /* of each child */
  g_autofree guint *mark = g_new0 (guint, parent->n_children + 1);
  for (int pass = 0; pass < 2; pass++)
    for (guint i = parent->first_child; i < end; i++)
      {
        const SluiceGroup *g = &self->groups[i];
        if (!g->gradient || g->kind != SLUICE_GROUP_SCOPE || series[i] != 0
            || g->pair < parent->first_child || g->pair >= end || series[g->pair] != 0)
          continue;
        guint forward = g->pair - parent->first_child;
        n_of[forward] += pass == 0;
        if (pass == 0 || n_of[forward] < MIN_SCOPES)
          continue;
        if (mark[forward] == 0)
          mark[forward] = ++n_series;
        series[i] = mark[forward];
      }
  return n_series;
}

typedef struct
{
  guint n; /* contracted nodes of one scope */
  guint *start, *to;
  guint *index, *low, *stack, *call, *next;
  guint *component;
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
              c->component[w] = v;
            }
        }
    }
}

static void
contracted_init (Contracted *c, guint n, guint n_edges)
{
  guint *block = g_new0 (guint, 7 * (gsize) n + 2 + MAX (n_edges, 1));
  guint8 *bytes = g_new0 (guint8, 2 * (gsize) n);
  *c = (Contracted){ .n = n,
                     .start = block,
                     .index = block + n + 2,
                     .low = block + 2 * (gsize) n + 2,
                     .stack = block + 3 * (gsize) n + 2,
                     .call = block + 4 * (gsize) n + 2,
                     .next = block + 5 * (gsize) n + 2,
                     .component = block + 6 * (gsize) n + 2,
                     .to = block + 7 * (gsize) n + 2,
                     .on_stack = bytes,
                     .cyclic = bytes + n };
}

static void
contracted_clear (Contracted *c)
{
  g_free (c->start);
  g_free (c->on_stack);
}

/* Finds the cycles of the children of @scope, of which those with one number in @node, per child,
 * are taken for one. Edges within a component of @before (nullable) do not count. */
static void
find_cycles (
    SluiceHierarchy *self, guint scope, const guint *node, const Contracted *before, Contracted *c)
{
  const SluiceGroup *g = &self->groups[scope];
  guint first = self->bundle_start[scope], end = self->bundle_start[scope + 1];
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint b = first; b < end; b++)
        {
          const SluiceEdgeBundle *bundle = &self->bundles[b];
          guint x = bundle->from - g->first_child, y = bundle->to - g->first_child;
          /* What is set aside, and what only orders or updates, closes no cycle in the drawing. */
          if (bundle->kind != SLUICE_EDGE_DATA || self->groups[bundle->from].hub
              || self->groups[bundle->to].hub || node[x] == node[y]
              || (before != NULL && before->component[x] == before->component[y]))
            continue;
          if (pass == 0)
            c->start[node[x] + 1]++;
          else
            c->to[c->next[node[x]]++] = node[y];
        }
      for (guint v = 0; pass == 0 && v < c->n; v++)
        c->start[v + 1] += c->start[v];
      memcpy (c->next, c->start, c->n * sizeof *c->next);
    }
  mark_cycles (c);
}

/* Dissolves the series of @scope that close a cycle once contracted: conv_1 -> relu_1 -> conv_2 ->
 * relu_2 is no pair of series. */
static gboolean
dissolve_cyclic (
    SluiceHierarchy *self, guint scope, guint *series, guint first_series, guint n_series)
{
  const SluiceGroup *g = &self->groups[scope];
  guint n_edges = self->bundle_start[scope + 1] - self->bundle_start[scope];
  guint n = g->n_children + n_series - first_series;
  g_autofree guint *node = g_new (guint, g->n_children + 1);
  Contracted before, c;
  gboolean dissolved = FALSE;
  contracted_init (&before, g->n_children, n_edges);
  contracted_init (&c, n, n_edges);
  for (guint i = 0; i < g->n_children; i++)
    node[i] = i;
  find_cycles (self, scope, node, NULL, &before);
  for (guint i = 0; i < g->n_children; i++)
    {
      guint number = series[g->first_child + i];
      node[i] = number > first_series ? g->n_children + number - first_series - 1 : i;
    }
  find_cycles (self, scope, node, &before, &c);
  for (guint i = 0; i < g->n_children; i++)
    if (node[i] >= g->n_children && c.cyclic[node[i]])
      {
        series[g->first_child + i] = 0;
        dissolved = TRUE;
      }
  contracted_clear (&before);
  contracted_clear (&c);
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

SluiceGroup
sluice_hierarchy_make_series (SluiceHierarchy *self,
                              guint scope,
                              const char *path,
                              const char *label)
{
  return (SluiceGroup){ .kind = SLUICE_GROUP_SERIES,
                        .path = sluice_texts_keep (self->texts, path),
                        .path_hash = g_str_hash (path),
                        .label = sluice_texts_keep (self->texts, label),
                        .parent = scope,
                        .model_node = SLUICE_NONE,
                        .pair = SLUICE_NONE,
                        .hue = SLUICE_NONE,
                        .device = SLUICE_NONE };
}

static SluiceGroup
make_series (SluiceHierarchy *self, const guint *series, guint first)
{
  const SluiceGroup *g = &self->groups[first];
  Candidate low = make_candidate (self, first), high = low;
  guint end = self->groups[g->parent].first_child + self->groups[g->parent].n_children, n = 0;
  gboolean is_of_one = g->gradient;
  for (guint i = first; i < end; i++)
    if (series[i] == series[first])
      {
        Candidate c = make_candidate (self, i);
        low = c.number < low.number ? c : low;
        high = c.number > high.number ? c : high;
        is_of_one &= self->groups[i].pair == g->pair;
        n++;
      }
  const char *stem = sluice_path_leaf (g->path);
  if (is_of_one) /* then not the end of a name counts them */
    {
      low.stem = strlen (g->path);
      low.number = 1;
      high.number = n;
    }
  g_autofree char *path = g_strdup_printf ("%.*s[%u-%u]", (int) low.stem,
                                           is_of_one ? g->path : low.path, low.number, high.number);
  g_autofree char *label = g_strdup_printf ("%.*s%s × %u", (int) (low.stem - (stem - g->path)),
                                            stem, g->gradient && g->parent == 0 ? " ∇" : "", n);
  SluiceGroup made = sluice_hierarchy_make_series (self, g->parent, path, label);
  made.gradient = g->gradient;
  return made;
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
    }
  for (guint i = 0; i < n; i++)
    if (self->groups[i].pair < SLUICE_OUTSIDE)
      self->groups[i].pair = now[self->groups[i].pair];
  for (guint i = 0; i < self->n_lifted; i++)
    {
      SluiceLifted *edge = &self->lifted[i];
      guint from = now[edge->from], to = now[edge->to];
      while (self->groups[from].parent != self->groups[to].parent)
        if (self->groups[from].depth > self->groups[to].depth)
          from = self->groups[from].parent;
        else if (self->groups[to].depth > self->groups[from].depth)
          to = self->groups[to].parent;
        else
          {
            from = self->groups[from].parent;
            to = self->groups[to].parent;
          }
      edge->from = from;
      edge->to = to;
    }
}

void
sluice_hierarchy_insert_groups (SluiceHierarchy *self,
                                const guint *home,
                                const SluiceGroup *made,
                                const guint *outer,
                                guint n_made)
{
  guint n_old = self->n_groups, n = n_old, n_ordered = 0;
  g_autofree guint *at = g_new0 (guint, n_made + 1); /* number of each one made, once it has one */
  g_autofree guint *order = g_new (guint, n_old + n_made);
  self->groups = g_renew (SluiceGroup, self->groups, n_old + n_made);
  for (guint i = 0; i < n_old; i++)
    {
      guint inner = i; /* what stands in the next one */
      for (guint k = home[i]; k != 0; inner = at[k], k = outer[k - 1])
        {
          gboolean is_new = at[k] == 0;
          if (is_new)
            {
              at[k] = n++;
              self->groups[at[k]] = made[k - 1];
            }
          self->groups[inner].parent = at[k];
          if (!is_new)
            break;
          order[n_ordered++] = at[k];
        }
      order[n_ordered++] = i;
    }
  g_assert (n == n_old + n_made && n_ordered == n);
  renumber (self, n, order);
}

/* The old tree with series groups between: each stands where its first member stood. */
static void
rebuild (SluiceHierarchy *self, const guint *series, guint n_series)
{
  g_autofree SluiceGroup *made = g_new0 (SluiceGroup, n_series + 1);
  g_autofree guint *outer = g_new0 (guint, n_series + 1);
  g_autofree guint *number = g_new0 (guint, n_series + 1); /* of those that have members */
  g_autofree guint *home = g_new0 (guint, self->n_groups);
  guint n = 0;
  for (guint i = 0; i < self->n_groups; i++)
    {
      if (series[i] == 0)
        continue;
      if (number[series[i]] == 0)
        {
          made[n] = make_series (self, series, i);
          number[series[i]] = ++n;
        }
      home[i] = number[series[i]];
    }
  sluice_hierarchy_insert_groups (self, home, made, outer, n);
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
      n_series = mark_gradients_of_one (self, i, series, n_series);
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
