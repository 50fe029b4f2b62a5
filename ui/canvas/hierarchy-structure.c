/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* Structure: two scopes are equal when their ops, and how these are wired, are. Constants and
 * summaries do not count: a layer that is watched is still the same layer. */

static guint64
mix (guint64 a, guint64 b)
{
  guint64 h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 33);
}

static guint64
hash_text (const char *text)
{
  guint64 h = 0xcbf29ce484222325u;
  for (; *text != '\0'; text++)
    h = (h ^ (guchar) *text) * 0x100000001b3u;
  return mix (h, 1);
}

static gboolean
counts (const SluiceGroup *group)
{
  return group->node_class != SLUICE_NODE_CLASS_CONSTANT
         && group->node_class != SLUICE_NODE_CLASS_SUMMARY;
}

/* Two rounds of colour refinement over the children of @group, then an order-free sum. @hash holds
 * the children's hashes; @next and
 * @sum are scratch of the same size. */
static guint64
hash_scope (SluiceHierarchy *self, guint group, const guint64 *hash, guint64 *next, guint64 *sum)
{
  const SluiceGroup *g = &self->groups[group];
  guint first = g->first_child, last = first + g->n_children;
  guint64 total = 0, n = 0;

  memcpy (next + first, hash + first, g->n_children * sizeof *next);
  for (int round = 0; round < 2; round++)
    {
      memset (sum + first, 0, g->n_children * sizeof *sum);
      for (guint b = self->bundle_start[group]; b < self->bundle_start[group + 1]; b++)
        {
          const SluiceEdgeBundle *bundle = &self->bundles[b];
          if (!counts (&self->groups[bundle->from]) || !counts (&self->groups[bundle->to]))
            continue;
          sum[bundle->from] += mix (next[bundle->to], 2 + bundle->kind);
          sum[bundle->to] += mix (next[bundle->from], 7 + bundle->kind);
        }
      for (guint c = first; c < last; c++)
        next[c] = mix (next[c], sum[c]);
    }
  for (guint c = first; c < last; c++)
    if (counts (&self->groups[c]))
      {
        total += mix (next[c], 3);
        n++;
      }
  return mix (total, mix (n, g->kind));
}

/* Series, and what is around them. */
static guint8 *
mark_around_series (SluiceHierarchy *self)
{
  guint8 *around = g_new0 (guint8, self->n_groups);
  for (guint i = 0; i < self->n_groups; i++)
    if (self->groups[i].kind == SLUICE_GROUP_SERIES)
      for (guint g = i; !around[g]; g = g == 0 ? 0 : self->groups[g].parent)
        around[g] = TRUE;
  return around;
}

void
sluice_hierarchy_hash_structures (SluiceHierarchy *self, gboolean series_only)
{
  guint n = self->n_groups;
  g_autofree guint8 *around = series_only ? mark_around_series (self) : NULL;
  g_autofree guint64 *next = g_new (guint64, n);
  g_autofree guint64 *sum = g_new (guint64, n);
  if (self->hash == NULL)
    self->hash = g_new (guint64, n);
  for (guint i = n; i-- > 0;)
    {
      const SluiceGroup *g = &self->groups[i];
      if (series_only && !around[i])
        continue;
      if (g->kind == SLUICE_GROUP_OP)
        self->hash[i] = hash_text (sluice_graph_model_get_node (self->model, g->model_node)->op);
      else
        self->hash[i] = hash_scope (self, i, self->hash, next, sum);
    }
}

void
sluice_hierarchy_number_structures (SluiceHierarchy *self)
{
  guint n_slots = 64, n_known = 0;
  while (n_slots / 2 < self->n_groups)
    n_slots *= 2;
  /* A group of that hash + 1, or 0. */
  g_autofree guint *slots = g_new0 (guint, n_slots);
  for (guint i = 0; i < self->n_groups; i++)
    {
      guint k = (guint) self->hash[i] & (n_slots - 1);
      while (slots[k] != 0 && self->hash[slots[k] - 1] != self->hash[i])
        k = (k + 1) & (n_slots - 1);
      if (slots[k] == 0)
        slots[k] = i + 1;
      self->groups[i].structure =
          slots[k] == i + 1 ? n_known++ : self->groups[slots[k] - 1].structure;
    }
}

static guint
intern_device (SluiceHierarchy *self, GHashTable *known, const char *device)
{
  if (device == NULL || *device == '\0')
    return SLUICE_NONE;
  gpointer found = g_hash_table_lookup (known, device);
  if (found == NULL)
    {
      g_ptr_array_add (self->devices, (char *) device);
      found = GUINT_TO_POINTER (self->devices->len);
      g_hash_table_insert (known, (char *) device, found);
    }
  return GPOINTER_TO_UINT (found) - 1;
}

static void
add_to_parent (const SluiceGroup *g, SluiceGroup *parent, gboolean first)
{
  parent->n_ops += g->n_ops;
  parent->n_errors += g->n_errors;
  parent->cost += g->cost;
  parent->bytes += g->bytes;
  parent->params += g->params;
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
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL); /* equal texts are one pointer */
  g_autofree guint8 *begun = g_new0 (guint8, self->n_groups);

  g_ptr_array_set_size (self->devices, 0);
  for (guint i = 0; i < self->n_groups; i++)
    {
      SluiceGroup *g = &self->groups[i];
      g->n_ops = g->n_errors = 0;
      g->cost = 0;
      g->bytes = g->params = 0;
      g->node_class = SLUICE_NODE_CLASS_OP;
      if (g->kind != SLUICE_GROUP_OP)
        continue;
      const SluiceModelNode *node = sluice_graph_model_get_node (self->model, g->model_node);
      g->n_ops = 1;
      g->n_errors = node->error != NULL;
      g->cost = node->cost;
      g->bytes = node->bytes;
      g->params = node->params;
      g->node_class = node->node_class;
      g->device = intern_device (self, known, node->device);
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

/* Which loop a back edge closes: (nullable). */
static const char *
closed_loop (SluiceHierarchy *self, guint edge, guint *head)
{
  const SluiceModelEdge *e = sluice_graph_model_get_edge (self->model, edge);
  if (e->kind != SLUICE_EDGE_BACK)
    return NULL;
  *head = self->op_group[e->to];
  return sluice_graph_model_get_node (self->model, e->to)->loop;
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
  g_autofree guint *votes = g_new0 (guint, self->n_groups);
  guint head = 0;
  for (guint e = 0; e < sluice_graph_model_get_n_edges (self->model); e++)
    {
      const char *loop = closed_loop (self, e, &head);
      if (loop == NULL)
        continue;
      GArray *heads = g_hash_table_lookup (heads_of, loop);
      if (heads == NULL)
        {
          heads = g_array_new (FALSE, FALSE, sizeof (guint));
          g_hash_table_insert (heads_of, (char *) loop, heads);
          g_ptr_array_add (names, (char *) loop);
        }
      g_array_append_val (heads, head);
    }
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

/* The forward group that gradient group @i stands for, by name. */
static guint
forward_of (SluiceHierarchy *self, const SluiceGroup *g)
{
  static const char tail[] = "_grad";
  const char *rest = g->path + sluice_gradient_prefix (g->path);
  gsize length = strlen (rest), bare = length;
  if (rest == g->path)
    return SLUICE_NONE;
  if (length >= sizeof tail - 1 && strcmp (rest + length - (sizeof tail - 1), tail) == 0)
    bare -= sizeof tail - 1;
  guint hash = sluice_name_hash (SLUICE_NAME_HASH, rest, bare);
  guint whole = sluice_name_hash (hash, rest + bare, length - bare);
  guint found = sluice_path_table_lookup (&self->paths, self->groups, rest, length, whole);
  if (found == SLUICE_NONE && bare < length)
    found = sluice_path_table_lookup (&self->paths, self->groups, rest, bare, hash);
  return found != SLUICE_NONE && found != 0 && !self->groups[found].gradient ? found : SLUICE_NONE;
}

static void
join_pair (SluiceHierarchy *self, guint gradient, guint forward)
{
  SluiceGroup *g = &self->groups[gradient], *f = &self->groups[forward];
  g->pair = forward;
  if (f->pair == SLUICE_NONE)
    f->pair = gradient;
  if (!g_str_has_suffix (g->label, "∇"))
    {
      g_autofree char *label = g_strdup_printf ("%s ∇", f->label);
      g->label = sluice_texts_keep (self->texts, label);
    }
}

void
sluice_hierarchy_find_pairs (SluiceHierarchy *self)
{
  for (guint i = 1; i < self->n_groups; i++)
    {
      SluiceGroup *g = &self->groups[i];
      guint forward;
      if (g->kind != SLUICE_GROUP_SCOPE || !g->gradient)
        continue;
      forward = forward_of (self, g);
      if (forward != SLUICE_NONE)
        join_pair (self, i, forward);
    }
}

void
sluice_hierarchy_pair_series (SluiceHierarchy *self)
{
  for (guint i = 1; i < self->n_groups; i++)
    if (self->groups[i].gradient && self->groups[i].pair != SLUICE_NONE)
      join_pair (self, i, self->groups[i].pair);
  /* A series of gradients stands for the series that holds the first one's forward half. */
  for (guint i = 1; i < self->n_groups; i++)
    {
      SluiceGroup *g = &self->groups[i];
      if (g->kind != SLUICE_GROUP_SERIES || !g->gradient)
        continue;
      guint member = self->groups[g->first_child].pair;
      guint series = member == SLUICE_NONE ? SLUICE_NONE : self->groups[member].parent;
      if (series != SLUICE_NONE && self->groups[series].kind == SLUICE_GROUP_SERIES)
        {
          g->pair = series;
          self->groups[series].pair = i;
        }
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

/* Top-level scopes have colours of their own; deeper ones only when the structure repeats, else the
 * colour around them. */
static guint
hue_for (SluiceHierarchy *self, guint index, const guint *uses, guint *hue_of, guint *next)
{
  const SluiceGroup *g = &self->groups[index], *like = g;
  if (g->gradient && g->pair != SLUICE_NONE && g->parent == 0)
    return self->groups[g->pair].hue;
  if (g->parent == 0 && is_input (self, index))
    return SLUICE_NONE;
  if (g->kind == SLUICE_GROUP_SERIES && self->groups[g->first_child].kind == SLUICE_GROUP_SCOPE)
    like = &self->groups[g->first_child];
  if (like->kind != SLUICE_GROUP_SCOPE || like->node_class != SLUICE_NODE_CLASS_OP
      || like->n_ops < 2 || (g->parent != 0 && uses[like->structure] < 2))
    return g->parent == 0 ? SLUICE_NONE : self->groups[g->parent].hue;
  if (hue_of[like->structure] == SLUICE_NONE)
    hue_of[like->structure] = (*next)++;
  return hue_of[like->structure];
}

void
sluice_hierarchy_choose_hues (SluiceHierarchy *self)
{
  g_autofree guint *uses = g_new0 (guint, self->n_groups + 1);
  g_autofree guint *hue_of = g_new (guint, self->n_groups + 1);
  guint next = 0;

  for (guint i = 0; i < self->n_groups; i++)
    {
      hue_of[i] = SLUICE_NONE;
      uses[self->groups[i].structure] += self->groups[i].kind == SLUICE_GROUP_SCOPE;
    }
  /* Forward halves first: a gradient wears the colour of what it is the gradient of. */
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 1; i < self->n_groups; i++)
      if (self->groups[i].gradient == (pass == 1))
        self->groups[i].hue = hue_for (self, i, uses, hue_of, &next);
}
