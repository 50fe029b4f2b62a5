/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* Structure: two scopes are equal when their ops, and how these are wired, are. Constants and
 * summaries do not count: a layer that is watched is still the same layer. */

static guint64
hash_text (const char *text)
{
  guint64 h = 0xcbf29ce484222325u;
  for (; *text != '\0'; text++)
    h = (h ^ (guchar) *text) * 0x100000001b3u;
  return sluice_mix_hashes (h, 1);
}

static gboolean
counts (const SluiceGroup *group)
{
  return group->node_class != SLUICE_NODE_CLASS_CONSTANT
         && group->node_class != SLUICE_NODE_CLASS_SUMMARY;
}

/* Two rounds of colour refinement over the children of @group, then an order-free sum. @next and
 * @sum are scratch of the size of all groups. */
static guint64
hash_scope (SluiceHierarchy *self, guint group, guint64 *next, guint64 *sum)
{
  const SluiceGroup *g = &self->groups[group];
  guint first = g->first_child, last = first + g->n_children;
  guint64 total = 0, n = 0;

  for (guint c = first; c < last; c++)
    next[c] = self->groups[c].structure;
  for (int round = 0; round < 2; round++)
    {
      memset (sum + first, 0, g->n_children * sizeof *sum);
      for (guint b = self->bundle_start[group]; b < self->bundle_start[group + 1]; b++)
        {
          const SluiceEdgeBundle *bundle = &self->bundles[b];
          if (!counts (&self->groups[bundle->from]) || !counts (&self->groups[bundle->to]))
            continue;
          sum[bundle->from] += sluice_mix_hashes (next[bundle->to], 2 + bundle->kind);
          sum[bundle->to] += sluice_mix_hashes (next[bundle->from], 7 + bundle->kind);
        }
      for (guint c = first; c < last; c++)
        next[c] = sluice_mix_hashes (next[c], sum[c]);
    }
  for (guint c = first; c < last; c++)
    if (counts (&self->groups[c]))
      {
        total += sluice_mix_hashes (next[c], 3);
        n++;
      }
  return sluice_mix_hashes (total, sluice_mix_hashes (n, g->kind));
}

void
sluice_hierarchy_hash_structures (SluiceHierarchy *self, gboolean series_only)
{
  g_autofree guint64 *next = g_new (guint64, self->n_groups);
  g_autofree guint64 *sum = g_new (guint64, self->n_groups);
  for (guint i = self->n_groups; i-- > 0;)
    {
      SluiceGroup *g = &self->groups[i];
      if (self->is_given[i] || (series_only && g->kind != SLUICE_GROUP_SERIES))
        continue;
      g->structure = g->kind == SLUICE_GROUP_OP
                         ? hash_text (sluice_graph_model_get_node (self->model, g->model_node)->op)
                         : hash_scope (self, i, next, sum);
    }
}

static void
add_to_parent (const SluiceGroup *g, SluiceGroup *parent, gboolean first)
{
  parent->n_ops += g->n_ops;
  parent->n_model += g->n_model;
  parent->n_errors += g->n_errors;
  parent->cost += g->cost;
  parent->bytes += g->bytes;
  parent->params += g->params;
  parent->held += g->held;
  if (first)
    {
      parent->device = g->device;
      parent->node_class = g->node_class;
    }
  if (parent->device != g->device)
    parent->device = SLUICE_NONE;
  if (parent->node_class != g->node_class)
    parent->node_class = SLUICE_NODE_CLASS_OP;
}

void
sluice_hierarchy_sum_up (SluiceHierarchy *self)
{
  g_autofree guint8 *begun = g_new0 (guint8, self->n_groups);
  const char *device = NULL;  /* the last one, */
  guint number = SLUICE_NONE; /* and which it is */
  for (guint i = 0; i < self->n_groups; i++)
    {
      SluiceGroup *g = &self->groups[i];
      if (self->is_given[i])
        continue;
      g->n_ops = g->n_model = g->n_errors = 0;
      g->cost = 0;
      g->bytes = g->params = g->held = 0;
      g->node_class = SLUICE_NODE_CLASS_OP;
      g->device = SLUICE_NONE;
      if (g->kind != SLUICE_GROUP_OP)
        continue;
      const SluiceModelNode *node = sluice_graph_model_get_node (self->model, g->model_node);
      g->n_ops = 1;
      g->n_model = !self->service[g->model_node];
      g->n_errors = node->error != NULL;
      g->cost = node->cost;
      g->bytes = node->bytes;
      g->params = node->params;
      g->held = node->held;
      g->node_class = node->node_class;
      if (node->device != device
          && !g_ptr_array_find (self->devices, device = node->device, &number))
        number = SLUICE_NONE;
      g->device = number;
    }
  for (guint i = self->n_groups; i-- > 1;)
    {
      SluiceGroup *g = &self->groups[i];
      /* A scope named after a variable is that variable, whatever else it holds. */
      if (g->kind == SLUICE_GROUP_SCOPE && g->model_node != SLUICE_NONE)
        g->node_class = sluice_graph_model_get_node (self->model, g->model_node)->node_class;
      add_to_parent (g, &self->groups[g->parent], !begun[g->parent]);
      begun[g->parent] = 1;
    }
}

void
sluice_hierarchy_find_carries (SluiceHierarchy *self)
{
  for (guint k = 1; k < self->inner->len; k++)
    {
      guint i = g_array_index (self->inner, guint, k), n_on[2] = { 0 }, n = 0;
      SluiceGroup *g = &self->groups[i];
      for (guint c = 0; c < g->n_children; c++)
        n += self->groups[g->first_child + c].node_class == SLUICE_NODE_CLASS_OP;
      for (guint b = self->bundle_start[i];
           b < self->bundle_start[i + 1] && g->kind == SLUICE_GROUP_SERIES; b++)
        if (self->bundles[b].kind == SLUICE_EDGE_DATA)
          {
            n_on[0] += self->bundles[b].to == self->bundles[b].from + 1;
            n_on[1] += self->bundles[b].from == self->bundles[b].to + 1;
          }
      /* The first member, and one that is made otherwise, may begin anew. */
      g->carries =
          g->kind == SLUICE_GROUP_SERIES && !g->section && n > 2 && MAX (n_on[0], n_on[1]) + 2 >= n;
    }
}

/* The deepest scope that holds more than half of @heads; the root: there is none. */
static guint
find_loop_scope (SluiceHierarchy *self, const GArray *heads, guint *votes)
{
  guint best = 0;
  for (guint i = 0; i < heads->len; i++)
    for (guint g = self->groups[g_array_index (heads, guint, i)].parent; g != 0;
         g = self->groups[g].parent)
      if (2 * ++votes[g] > heads->len && self->groups[g].depth > self->groups[best].depth
          && self->groups[g].kind == SLUICE_GROUP_SCOPE)
        best = g;
  for (guint i = 0; i < heads->len; i++)
    for (guint g = g_array_index (heads, guint, i); g != 0; g = self->groups[g].parent)
      votes[g] = 0;
  return best;
}

void
sluice_hierarchy_find_loops (SluiceHierarchy *self)
{
  g_autoptr (GHashTable) heads_of =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_array_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree guint *votes = NULL;
  guint n_edges;
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (self->model, &n_edges);
  for (guint e = 0; self->has_loops && e < n_edges; e++)
    {
      if (edges[e].kind != SLUICE_EDGE_BACK)
        continue;
      const char *loop = sluice_graph_model_get_node (self->model, edges[e].to)->loop;
      if (loop == NULL)
        continue;
      GArray *heads = g_hash_table_lookup (heads_of, loop);
      if (heads == NULL)
        {
          heads = g_array_new (FALSE, FALSE, sizeof (guint));
          g_hash_table_insert (heads_of, (char *) loop, heads);
          g_ptr_array_add (names, (char *) loop);
        }
      g_array_append_val (heads, self->op_group[edges[e].to]);
    }
  if (names->len > 0)
    votes = g_new0 (guint, self->n_groups);
  for (guint i = 0; i < names->len; i++)
    {
      guint scope = find_loop_scope (self, g_hash_table_lookup (heads_of, names->pdata[i]), votes);
      /* Of two loops in one scope the first, which is the outer one. */
      if (scope == 0 || self->groups[scope].loop != NULL)
        continue;
      self->groups[scope].loop = names->pdata[i];
      for (guint g = self->groups[scope].parent; g != 0; g = self->groups[g].parent)
        if (self->groups[g].inner_loop == NULL)
          self->groups[g].inner_loop = names->pdata[i];
    }
}

/* A scope that only brings data in: it learns nothing and nothing is fed to it. */
static gboolean
is_input (const SluiceHierarchy *self, guint index)
{
  guint parent = self->groups[index].parent;
  if (self->groups[index].params > 0)
    return FALSE;
  for (guint b = self->bundle_start[parent]; b < self->bundle_start[parent + 1]; b++)
    if (self->bundles[b].to == index && self->bundles[b].kind == SLUICE_EDGE_DATA)
      return FALSE;
  return TRUE;
}

typedef struct
{
  guint64 structure;
  guint uses; /* 0: free */
  guint hue;
} Paint;

/* By structure, of scopes. */
typedef struct
{
  Paint *paints;
  guint n, next;
} Palette;

static Paint *
find_paint (const Palette *self, guint64 structure)
{
  guint k = (guint) structure & (self->n - 1);
  while (self->paints[k].uses != 0 && self->paints[k].structure != structure)
    k = (k + 1) & (self->n - 1);
  return &self->paints[k];
}

/* Top-level scopes have colours of their own; deeper ones only when the structure repeats, else the
 * colour around them. */
static guint
hue_for (SluiceHierarchy *self, guint index, const guint *hues, Palette *palette)
{
  const SluiceGroup *g = &self->groups[index], *like = g;
  if (g->gradient && g->pair != SLUICE_NONE && g->parent == 0)
    return hues[g->pair];
  if (g->parent == 0 && is_input (self, index))
    return SLUICE_NONE;
  if (g->kind == SLUICE_GROUP_SERIES && self->groups[g->first_child].kind == SLUICE_GROUP_SCOPE)
    like = &self->groups[g->first_child];
  guint around = hues[g->parent]; /* the root has none */
  if (like->kind != SLUICE_GROUP_SCOPE || like->node_class != SLUICE_NODE_CLASS_OP
      || like->n_ops < 2)
    return around;
  Paint *paint = find_paint (palette, like->structure);
  if (g->parent != 0 && paint->uses < 2)
    return around;
  if (paint->hue == SLUICE_NONE)
    paint->hue = palette->next++;
  return paint->hue;
}

/* Ops have the hue of what is around them. */
static void
set_hue (SluiceHierarchy *self, guint index, guint hue)
{
  SluiceGroup *g = &self->groups[index];
  if (g->hue == hue)
    return;
  g->hue = hue;
  for (guint c = g->first_child; c < g->first_child + g->n_children; c++)
    if (self->groups[c].kind == SLUICE_GROUP_OP)
      self->groups[c].hue = hue;
}

void
sluice_hierarchy_choose_hues (SluiceHierarchy *self)
{
  const guint *inner = (const guint *) self->inner->data;
  guint n = self->inner->len, n_paints = 64;
  while (n_paints / 2 < n)
    n_paints *= 2;
  g_autofree Paint *paints = g_new0 (Paint, n_paints);
  g_autofree guint *hues = g_new (guint, self->n_groups);
  Palette palette = { paints, n_paints, 0 };
  memset (hues, 0xff, self->n_groups * sizeof *hues);
  for (guint k = 1; k < n; k++)
    {
      const SluiceGroup *g = &self->groups[inner[k]];
      Paint *paint = g->kind == SLUICE_GROUP_SCOPE ? find_paint (&palette, g->structure) : NULL;
      if (paint != NULL)
        *paint = (Paint){ g->structure, paint->uses + 1, SLUICE_NONE };
    }
  /* Forward halves first: a gradient wears the colour of what it is the gradient of. */
  for (guint pass = 0; pass < 2; pass++)
    for (guint k = 1; k < n; k++)
      if (self->groups[inner[k]].gradient == (pass == 1))
        hues[inner[k]] = hue_for (self, inner[k], hues, &palette);
  for (guint k = 1; k < n; k++)
    set_hue (self, inner[k], hues[inner[k]]);
}
