/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* What an edit changed: which nodes, where they stand, and so which scopes. */

/* ---- nodes, and where they stand ---- */

/* Names that came or went, some more than once. */
typedef struct
{
  SluiceTree *tree;
  GPtrArray *scopes; /* see SluiceHierarchy */
  GPtrArray *tops;
} Flips;

static void
add_flip (GPtrArray *flips, const char *name)
{
  if (name != NULL)
    g_ptr_array_add (flips, (char *) name);
}

/* A node of that name comes (1) or goes (-1). */
static void
count_name (Flips *flips, const char *name, int change)
{
  SluiceHierarchy *h = flips->tree->hierarchy;
  const char *part = name, *slash;
  guint hash = SLUICE_NAME_HASH, top_hash = 0;
  for (guint depth = 0; depth < SLUICE_MAX_SCOPES && (slash = strchr (part, '/')) != NULL; depth++)
    {
      hash = sluice_name_hash (hash, part, slash - part);
      top_hash = depth == 0 ? hash : top_hash;
      add_flip (flips->scopes,
                sluice_name_counts_add (&h->scopes, h->texts, name, slash - name, hash, change));
      hash = sluice_name_hash (hash, "/", 1);
      part = slash + 1;
    }
  if (sluice_gradient_prefix (name) > 0)
    return;
  if (part == name)
    top_hash = g_str_hash (name);
  add_flip (flips->tops, sluice_name_counts_add (&h->tops, h->texts, name, strcspn (name, "/"),
                                                 top_hash, change));
}

/* In what groups tell of them; loops are found anew. */
static gboolean
nodes_equal (const SluiceModelNode *a, const SluiceModelNode *b)
{
  return a->op == b->op && a->device == b->device && a->error == b->error
         && a->node_class == b->node_class && a->cost == b->cost && a->bytes == b->bytes
         && a->params == b->params && a->held == b->held;
}

/* The list of devices is in the order of the nodes. Equal texts are one pointer. */
static void
list_device (SluiceHierarchy *self, const char *device)
{
  if (device != NULL && *device != '\0' && !g_ptr_array_find (self->devices, device, NULL))
    g_ptr_array_add (self->devices, (char *) device);
}

static void
match_nodes (Flips *flips)
{
  SluiceTree *self = flips->tree;
  SluiceGraphModel *base = self->before != NULL ? self->before->model : NULL;
  guint n, n_old = 0;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (self->hierarchy->model, &n);
  const SluiceModelNode *old = base != NULL ? sluice_graph_model_get_nodes (base, &n_old) : NULL;
  memset (self->now, 0xff, n_old * sizeof *self->now);
  for (guint i = 0, k = 0; i < n; i++)
    {
      const char *name = nodes[i].name;
      if (i == 0 || nodes[i].device != nodes[i - 1].device)
        list_device (self->hierarchy, nodes[i].device);
      /* Equal texts of one line of models are one pointer. */
      if (k >= n_old || old[k].name != name)
        k = base != NULL ? sluice_graph_model_lookup (base, name) : SLUICE_NONE;
      self->was[i] = k;
      self->stays[i] = k != SLUICE_NONE;
      if (k == SLUICE_NONE)
        {
          count_name (flips, name, 1);
          continue;
        }
      self->differs[i] = !nodes_equal (&nodes[i], &old[k])
                         || self->hierarchy->service[i] != self->before->service[k];
      self->now[k++] = i;
    }
  for (guint k = 0; k < n_old; k++)
    if (self->now[k] == SLUICE_NONE)
      count_name (flips, old[k].name, -1);
}

/* What stands below "@path/" is placed anew. */
static void
forget_below (SluiceTree *self, const char *path, gsize length)
{
  guint n;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (self->hierarchy->model, &n);
  for (guint i = 0; i < n; i++)
    if (strncmp (nodes[i].name, path, length) == 0 && nodes[i].name[length] == '/')
      self->stays[i] = FALSE;
}

/* TRUE where "tower1/gradients/tower1" is the path: a gradient that a scope makes of itself. */
static gboolean
is_own_gradient (const char *path)
{
  const char *rest = path + sluice_gradient_prefix (path);
  gsize length = strcspn (path, "/");
  return rest != path && strncmp (rest, path, length) == 0 && rest[length] == '\0';
}

/* What is gradient of the top-level scope or op @top, which came or went, is placed anew. */
static void
forget_gradients_of (SluiceTree *self, const char *top)
{
  const SluiceNameCounts *scopes = &self->hierarchy->scopes;
  gsize length = strlen (top), bare = sluice_length_without_grad (top, length);
  guint hash = MAX (sluice_name_hash (SLUICE_NAME_HASH, top, length), 1);
  guint bare_hash = MAX (sluice_name_hash (SLUICE_NAME_HASH, top, bare), 1);
  for (guint i = 0; i < scopes->n_slots; i++)
    {
      const SluiceNameCount *scope = &scopes->slots[i];
      if (scope->text == NULL || scope->n == 0
          || (scope->forward != hash && scope->forward != bare_hash))
        continue;
      gsize prefix = sluice_gradient_prefix (scope->text);
      forget_below (self, scope->text,
                    is_own_gradient (scope->text) ? prefix - 1 : strlen (scope->text));
    }
}

/* Where a node stands depends on its name, on whether that names a scope as well, and, of
 * gradients, on which scopes there are at the top and beside them. */
static void
forget_changed (Flips *flips)
{
  SluiceTree *self = flips->tree;
  for (guint i = 0; i < flips->scopes->len; i++)
    {
      const char *scope = flips->scopes->pdata[i];
      guint node = sluice_graph_model_lookup (self->hierarchy->model, scope);
      if (node != SLUICE_NONE)
        self->stays[node] = FALSE;
      if (is_own_gradient (scope))
        forget_below (self, scope, sluice_gradient_prefix (scope) - 1);
    }
  for (guint i = 0; i < flips->tops->len; i++)
    forget_gradients_of (self, flips->tops->pdata[i]);
}

void
sluice_tree_match_nodes (SluiceTree *self)
{
  g_autoptr (GPtrArray) scopes = g_ptr_array_new (), tops = g_ptr_array_new ();
  Flips flips = { self, scopes, tops };
  if (self->before != NULL)
    {
      sluice_name_counts_copy (&self->hierarchy->scopes, &self->before->scopes);
      sluice_name_counts_copy (&self->hierarchy->tops, &self->before->tops);
    }
  match_nodes (&flips);
  if (self->before != NULL)
    forget_changed (&flips);
}

/* ---- scopes that are not as they were ---- */

/* A scope is as it was when the same stands in it, in the same order. */
static void
compare_drafts (SluiceTree *self)
{
  const SluiceHierarchy *before = self->before;
  guint n = self->n_drafts;
  g_autofree guint *last = g_new0 (guint, n); /* of a scope's children: the draft before */
  for (guint d = 1; d < n; d++)
    {
      guint origin = sluice_tree_get_origin (self, d), parent = self->drafts[d].parent;
      if (origin == SLUICE_NONE)
        {
          self->is_changed[d] = sluice_tree_get_group (self, d)->kind == SLUICE_GROUP_SCOPE;
          self->is_changed[parent] = TRUE;
          continue;
        }
      guint outer = sluice_tree_get_kept (self, before->outer[origin]);
      if (outer != parent || before->draft[origin] < last[parent])
        self->is_changed[parent] = TRUE;
      if (outer != parent && outer != SLUICE_NONE)
        self->is_changed[outer] = TRUE;
      last[parent] = MAX (last[parent], before->draft[origin]);
    }
  for (guint g = 1; g < before->n_groups; g++)
    {
      if (before->outer[g] == SLUICE_NONE || sluice_tree_get_kept (self, g) != SLUICE_NONE)
        continue;
      guint outer = sluice_tree_get_kept (self, before->outer[g]);
      if (outer != SLUICE_NONE)
        self->is_changed[outer] = TRUE;
    }
}

/* The scope that holds both ends; edges of a node to itself are not drawn. */
static void
change_around (SluiceTree *self, guint from, guint to)
{
  if (from == to)
    return;
  guint a = self->node_draft[from], b = self->node_draft[to];
  while (a != b)
    if (a > b)
      a = sluice_tree_get_parent (self, a);
    else
      b = sluice_tree_get_parent (self, b);
  self->is_changed[a] = TRUE;
}

/* Edges of before are compared with those of now in both orders, which differ by little: edges
 * stand in the order of the nodes that they lead to. What is taken for gone and come although it is
 * elsewhere is only computed anew. */
static void
compare_edges (SluiceTree *self)
{
  guint n, n_old, e = 0, k = 0;
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (self->hierarchy->model, &n);
  const SluiceModelEdge *old = sluice_graph_model_get_edges (self->before->model, &n_old);
  self->edge_now = g_new (guint, n_old + 1);
  memset (self->edge_now, 0xff, n_old * sizeof *self->edge_now);
  while (e < n || k < n_old)
    {
      const SluiceModelEdge *x = e < n ? &edges[e] : NULL, *y = k < n_old ? &old[k] : NULL;
      guint from = y != NULL ? self->now[y->from] : SLUICE_NONE;
      guint to = y != NULL ? self->now[y->to] : SLUICE_NONE;
      gboolean is_there = from != SLUICE_NONE && to != SLUICE_NONE;
      if (is_there && x != NULL && x->from == from && x->to == to && x->kind == y->kind
          && x->port == y->port && x->bytes == y->bytes)
        {
          self->edge_now[k++] = e++;
          continue;
        }
      gboolean is_gone = y != NULL && (!is_there || x == NULL || to <= x->to);
      if (is_gone)
        {
          if (is_there)
            change_around (self, from, to);
          k++;
        }
      else
        {
          change_around (self, x->from, x->to);
          e++;
        }
    }
}

void
sluice_tree_find_changes (SluiceTree *self)
{
  if (self->before == NULL)
    memset (self->is_changed, TRUE, self->n_drafts);
  else
    {
      for (guint i = 0; i < sluice_graph_model_get_n_nodes (self->hierarchy->model); i++)
        if (self->differs[i])
          self->is_changed[sluice_tree_get_parent (self, self->node_draft[i])] = TRUE;
      compare_drafts (self);
      compare_edges (self);
    }
  for (guint d = self->n_drafts - 1; d > 0; d--)
    if (self->is_changed[d])
      self->is_changed[sluice_tree_get_parent (self, d)] = TRUE;
}
