/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* Names become scopes here. "a/b/c" is op c in scope a/b. A name that is also a prefix of others
 * ("w" beside "w/read") is a scope, and the op stands in it as "w/(w)". What stands under a
 * `gradients` scope and is named after something at the top level is hoisted there, so that the
 * backward half can be drawn beside the forward half. */

#define MAX_DEPTH 64

typedef struct
{
  SluiceHierarchy *self;
  const SluiceHierarchy *before; /* (nullable) */
  guint *was;                    /* per model node: its index before, SLUICE_NONE: not there */
  guint *moved;                  /* per group of before: its draft, or SLUICE_NONE */
  GPtrArray *scope_flips;        /* names of scopes that came or went, some more than once */
  GPtrArray *top_flips;
  guint *at;             /* per model node: its draft */
  guint *host;           /* per loose gradient: the hoisted scope it joins, or SLUICE_NONE */
  SluicePathTable fresh; /* scopes that were not taken over; others are found by before */
  SluiceDraft draft;
} Builder;

static SluiceGroup *
get_draft (Builder *b, guint index)
{
  return &g_array_index (b->draft.groups, SluiceGroup, index);
}

const char *
sluice_path_leaf (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash == NULL ? path : slash + 1;
}

/* "gradients" or "gradients_12" as the whole part that ends at @end. */
static gboolean
is_gradients_part (const char *part, const char *end)
{
  static const char word[] = "gradients";
  gsize n = sizeof word - 1;
  if ((gsize) (end - part) < n || strncmp (part, word, n) != 0)
    return FALSE;
  part += n;
  if (part == end)
    return TRUE;
  if (*part++ != '_' || part == end)
    return FALSE;
  while (part < end && g_ascii_isdigit (*part))
    part++;
  return part == end;
}

gsize
sluice_gradient_prefix (const char *path)
{
  const char *part = path, *slash;
  while ((slash = strchr (part, '/')) != NULL)
    {
      if (is_gradients_part (part, slash))
        return slash + 1 - path;
      part = slash + 1;
    }
  return 0;
}

static char *
without_grad (const char *part, gsize length)
{
  static const char tail[] = "_grad";
  gsize n = sizeof tail - 1;
  if (length > n && strncmp (part + length - n, tail, n) == 0)
    length -= n;
  return g_strndup (part, length);
}

guint
sluice_forward_hash (const char *path)
{
  const char *part = path + sluice_gradient_prefix (path);
  if (part == path || *part == '\0' || strchr (part, '/') != NULL)
    return 0;
  g_autofree char *forward = without_grad (part, strlen (part));
  return MAX (g_str_hash (forward), 1);
}

/* The slash after the deepest scope of @name: deeper ones stay part of the op's name, so that a
 * name of a million slashes costs no more than others. */
static const char *
last_scope_end (const char *name)
{
  const char *end = NULL, *slash = name;
  for (guint depth = 0; depth < MAX_DEPTH && (slash = strchr (slash, '/')) != NULL; depth++)
    end = slash++;
  return end;
}

static void
add_flip (GPtrArray *flips, const char *name)
{
  if (name != NULL)
    g_ptr_array_add (flips, (char *) name);
}

/* A node of that name comes (1) or goes (-1). */
static void
count_name (Builder *b, const char *name, int change)
{
  SluiceHierarchy *self = b->self;
  const char *part = name, *slash;
  guint hash = SLUICE_NAME_HASH, top_hash = 0;
  for (guint depth = 0; depth < MAX_DEPTH && (slash = strchr (part, '/')) != NULL; depth++)
    {
      hash = sluice_name_hash (hash, part, slash - part);
      top_hash = depth == 0 ? hash : top_hash;
      add_flip (b->scope_flips, sluice_name_counts_add (&self->scopes, self->texts, name,
                                                        slash - name, hash, change));
      hash = sluice_name_hash (hash, "/", 1);
      part = slash + 1;
    }
  if (sluice_gradient_prefix (name) > 0)
    return;
  gsize length = strcspn (name, "/");
  if (part == name)
    top_hash = g_str_hash (name);
  add_flip (b->top_flips,
            sluice_name_counts_add (&self->tops, self->texts, name, length, top_hash, change));
}

static gboolean
is_scope (Builder *b, const char *path)
{
  return sluice_name_counts_has (&b->self->scopes, path, strlen (path), g_str_hash (path));
}

static gboolean
is_top (Builder *b, const char *part)
{
  return sluice_name_counts_has (&b->self->tops, part, strlen (part), g_str_hash (part));
}

/* @path and @label are kept by the model's texts. */
static guint
add_draft (Builder *b,
           guint parent,
           SluiceGroupKind kind,
           const char *path,
           guint hash,
           const char *label,
           guint model_node)
{
  SluiceGroup group = { .kind = kind,
                        .path = path,
                        .path_hash = hash,
                        .label = label,
                        .parent = parent,
                        .model_node = model_node,
                        .pair = SLUICE_NONE,
                        .hue = SLUICE_NONE,
                        .device = SLUICE_NONE };
  group.gradient = parent != SLUICE_NONE
                   && (sluice_gradient_prefix (path) > 0
                       || is_gradients_part (sluice_path_leaf (path), path + strlen (path)));
  g_array_append_val (b->draft.groups, group);
  return b->draft.groups->len - 1;
}

static guint
find_before (Builder *b, const char *path, gsize length, guint hash)
{
  const SluiceHierarchy *before = b->before;
  guint found = before == NULL
                    ? SLUICE_NONE
                    : sluice_path_table_lookup (&before->paths, before->groups, path, length, hash);
  return found != SLUICE_NONE && before->groups[found].kind == SLUICE_GROUP_SCOPE ? found
                                                                                  : SLUICE_NONE;
}

/* The draft of the scope that the first @length bytes of @path name, or SLUICE_NONE. */
static guint
find_scope (Builder *b, const char *path, gsize length, guint hash)
{
  guint before = find_before (b, path, length, hash);
  if (before != SLUICE_NONE && b->moved[before] != SLUICE_NONE)
    return b->moved[before];
  return sluice_path_table_lookup (&b->fresh, (SluiceGroup *) b->draft.groups->data, path, length,
                                   hash);
}

static guint
add_scope (Builder *b, guint parent, const char *path, const char *label)
{
  SluiceTexts *texts = b->self->texts;
  guint hash = g_str_hash (path), before = find_before (b, path, strlen (path), hash);
  guint added = add_draft (b, parent, SLUICE_GROUP_SCOPE, sluice_texts_keep (texts, path), hash,
                           sluice_texts_keep (texts, label), SLUICE_NONE);
  if (before != SLUICE_NONE)
    b->moved[before] = added;
  sluice_path_table_insert (&b->fresh, (SluiceGroup *) b->draft.groups->data, added);
  return added;
}

static guint
hoist (Builder *b, const char *path, const char *forward)
{
  guint found = find_scope (b, path, strlen (path), g_str_hash (path));
  if (found != SLUICE_NONE)
    return found;
  g_autofree char *label = g_strdup_printf ("%s ∇", forward);
  return add_scope (b, 0, path, label);
}

/* Gradients that a scope makes of itself ("tower1/gradients/tower1/…", a copy of a model among
 * others) are its backward half with all that stands beside them, sums and the gradients of what it
 * shares with its like. SLUICE_NONE where that is not so. */
static guint
own_gradient (Builder *b, const char *name, gsize prefix, const char **rest)
{
  gsize length = strcspn (name, "/");
  g_autofree char *scope = g_strndup (name, length);
  g_autofree char *path = g_strdup_printf ("%.*s%s", (int) prefix, name, scope);
  if (!is_scope (b, path) || !is_top (b, scope))
    return SLUICE_NONE;
  *rest = name + prefix;
  if (strncmp (*rest, scope, length) == 0 && (*rest)[length] == '/')
    *rest += length + 1;
  return hoist (b, path, scope);
}

/* The hoisted scope of a gradient name ("gradients/conv1" for gradients/conv1/Relu_grad/ReluGrad),
 * or SLUICE_NONE. *@rest: where the name goes on below it. */
static guint
hoisted_scope (Builder *b, const char *name, const char **rest)
{
  gsize prefix = sluice_gradient_prefix (name);
  if (prefix == 0)
    return SLUICE_NONE;
  const char *part = name + prefix, *slash = strchr (part, '/');
  guint own = own_gradient (b, name, prefix, rest);
  if (own != SLUICE_NONE)
    return own;
  if (slash == NULL)
    return SLUICE_NONE;
  g_autofree char *forward = without_grad (part, slash - part);
  if (!is_top (b, forward))
    return SLUICE_NONE;
  g_autofree char *path = g_strdup_printf ("%.*s%s", (int) prefix, name, forward);
  *rest = slash + 1;
  return hoist (b, path, forward);
}

/* The scope that ends before @end of @name, below @parent whose part ends before @rest. */
static guint
open_scopes (Builder *b, const char *name, guint parent, const char *rest, gboolean whole)
{
  const char *slash, *last = last_scope_end (name);
  gsize hashed = 0; /* bytes of the name */
  guint hash = SLUICE_NAME_HASH;
  while ((last != NULL && rest <= last && (slash = strchr (rest, '/')) != NULL)
         || (slash = NULL, whole && *rest != '\0'))
    {
      gsize length = slash == NULL ? strlen (name) : (gsize) (slash - name);
      hash = sluice_name_hash (hash, name + hashed, length - hashed);
      hashed = length;
      guint found = find_scope (b, name, length, hash);
      if (found == SLUICE_NONE)
        {
          g_autofree char *path = g_strndup (name, length);
          g_autofree char *label = g_strndup (rest, length - (rest - name));
          found = add_scope (b, parent, path, label);
        }
      parent = found;
      if (slash == NULL)
        break;
      rest = slash + 1;
    }
  return parent;
}

/* Gradients without a forward half of their own ("gradients/AddN_3", "gradients/Fill"): sums and
 * seeds. */
static gboolean
is_loose_gradient (Builder *b, guint index)
{
  const char *name = sluice_graph_model_get_node (b->self->model, index)->name, *rest;
  return sluice_gradient_prefix (name) > 0 && hoisted_scope (b, name, &rest) == SLUICE_NONE;
}

static void
place_node (Builder *b, guint index)
{
  const char *name = sluice_graph_model_get_node (b->self->model, index)->name;
  const char *rest = name;
  guint parent = hoisted_scope (b, name, &rest);
  if (parent == SLUICE_NONE && b->self->loose[index] && b->host[index] != SLUICE_NONE)
    {
      parent = b->host[index];
      rest = name + sluice_gradient_prefix (name);
    }
  gboolean scope_too = is_scope (b, name);

  if (parent == SLUICE_NONE)
    parent = 0;
  parent = open_scopes (b, name, parent, rest, scope_too);
  const char *leaf = sluice_path_leaf (name);
  g_autofree char *own = scope_too ? g_strdup_printf ("%s/(%s)", name, leaf) : NULL;
  if (scope_too)
    get_draft (b, parent)->model_node = index;
  b->at[index] =
      own == NULL
          ? add_draft (b, parent, SLUICE_GROUP_OP, name,
                       sluice_graph_model_get_name_hash (b->self->model, index), leaf, index)
          : add_draft (b, parent, SLUICE_GROUP_OP, sluice_texts_keep (b->self->texts, own),
                       g_str_hash (own), leaf, index);
}

/* The gradient scope that stands for the forward node @index, SLUICE_NONE when there is none under
 * @prefix. */
static guint
gradient_of (Builder *b, guint index, const char *name, gsize prefix)
{
  const char *forward = sluice_graph_model_get_node (b->self->model, index)->name;
  g_autofree char *path =
      g_strdup_printf ("%.*s%.*s", (int) prefix, name, (int) strcspn (forward, "/"), forward);
  return find_scope (b, path, strlen (path), g_str_hash (path));
}

/* The hoisted scope that a node stands in, or joins. */
static guint
host_of (Builder *b, guint index)
{
  if (b->self->loose[index])
    return b->host[index];
  if (sluice_gradient_prefix (sluice_graph_model_get_node (b->self->model, index)->name) == 0)
    return SLUICE_NONE;
  guint group = b->at[index];
  while (get_draft (b, group)->parent != 0)
    group = get_draft (b, group)->parent;
  return group;
}

/* Gives loose @to the host of its neighbour @from, or, with @by_name, the gradient of forward
 * @from; TRUE when it found one. */
static gboolean
settle (Builder *b, guint from, guint to, gboolean by_name)
{
  if (!b->self->loose[to] || b->host[to] != SLUICE_NONE)
    return FALSE;
  if (by_name)
    {
      const char *name = sluice_graph_model_get_node (b->self->model, to)->name;
      b->host[to] = gradient_of (b, from, name, sluice_gradient_prefix (name));
    }
  else
    b->host[to] = host_of (b, from);
  return b->host[to] != SLUICE_NONE;
}

/* Edges of values that begin or end at a loose gradient. */
static GArray *
collect_loose_edges (SluiceHierarchy *self)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (const SluiceModelEdge *));
  for (guint e = 0; e < sluice_graph_model_get_n_edges (self->model); e++)
    {
      const SluiceModelEdge *edge = sluice_graph_model_get_edge (self->model, e);
      if ((self->loose[edge->from] || self->loose[edge->to])
          && (edge->kind == SLUICE_EDGE_DATA || edge->kind == SLUICE_EDGE_BACK))
        g_array_append_val (edges, edge);
    }
  return edges;
}

/* Loose gradients join the gradient that computes their input, else the one that reads them, else
 * that of their forward input. */
static void
settle_loose_gradients (Builder *b)
{
  g_autoptr (GArray) edges = collect_loose_edges (b->self);
  for (guint stage = 0; stage < 3; stage++)
    {
      gboolean moved = TRUE;
      for (guint pass = 0; moved && pass < 16; pass++)
        {
          moved = FALSE;
          for (guint e = 0; e < edges->len; e++)
            {
              const SluiceModelEdge *edge = g_array_index (edges, const SluiceModelEdge *, e);
              moved |= stage == 1 ? settle (b, edge->to, edge->from, FALSE)
                                  : settle (b, edge->from, edge->to, stage == 2);
            }
        }
    }
}

guint *
sluice_hierarchy_adopt (SluiceHierarchy *self, SluiceDraft *draft)
{
  guint n = draft->groups->len, filled = 1;
  SluiceGroup *old = (SluiceGroup *) draft->groups->data;
  g_autofree guint *start = g_new0 (guint, n + 2);
  g_autofree guint *list = g_new (guint, n);
  guint *origin = g_new (guint, n); /* draft index per new index */

  for (guint i = 1; i < n; i++)
    start[old[i].parent + 2]++;
  for (guint i = 0; i < n; i++)
    start[i + 2] += start[i + 1];
  for (guint i = 1; i < n; i++)
    list[start[old[i].parent + 1]++] = i;
  g_free (self->groups);
  self->groups = g_new0 (SluiceGroup, n);
  self->n_groups = n;
  origin[0] = 0;
  self->groups[0] = old[0];
  for (guint i = 0; i < filled; i++)
    {
      SluiceGroup *group = &self->groups[i];
      guint from = origin[i];
      group->first_child = filled;
      group->n_children = start[from + 1] - start[from];
      for (guint k = start[from]; k < start[from + 1]; k++)
        {
          self->groups[filled] = old[list[k]];
          self->groups[filled].parent = i;
          self->groups[filled].depth = group->depth + 1;
          origin[filled++] = list[k];
        }
    }
  g_assert (filled == n);
  for (guint i = 0; i < n; i++)
    if (self->groups[i].kind == SLUICE_GROUP_OP)
      self->op_group[self->groups[i].model_node] = i;
  return origin;
}

/* ---- after an edit ---- */

/* Where each node stood before, by name; what came or went is counted. */
static void
match_nodes (Builder *b)
{
  SluiceGraphModel *model = b->self->model, *old = b->before->model;
  guint n = sluice_graph_model_get_n_nodes (model), n_old = sluice_graph_model_get_n_nodes (old);
  g_autofree guint8 *stayed = g_new0 (guint8, n_old + 1);
  for (guint i = 0, k = 0; i < n; i++)
    {
      const char *name = sluice_graph_model_get_node (model, i)->name;
      /* Equal texts of one line of models are one pointer. */
      if (k < n_old && sluice_graph_model_get_node (old, k)->name == name)
        b->was[i] = k;
      else
        b->was[i] = sluice_graph_model_lookup (old, name);
      if (b->was[i] == SLUICE_NONE)
        count_name (b, name, 1);
      else
        {
          stayed[b->was[i]] = TRUE;
          k = b->was[i] + 1;
        }
    }
  for (guint k = 0; k < n_old; k++)
    if (!stayed[k])
      count_name (b, sluice_graph_model_get_node (old, k)->name, -1);
}

/* What stands below "@path/" is placed anew. */
static void
forget_below (Builder *b, const char *path, gsize length)
{
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (b->self->model); i++)
    {
      const char *name = sluice_graph_model_get_node (b->self->model, i)->name;
      if (strncmp (name, path, length) == 0 && name[length] == '/')
        b->was[i] = SLUICE_NONE;
    }
}

/* TRUE where "tower1/gradients/tower1" is the path: see own_gradient(). */
static gboolean
is_own_gradient (const char *path)
{
  const char *rest = path + sluice_gradient_prefix (path);
  gsize length = strcspn (path, "/");
  return rest != path && strncmp (rest, path, length) == 0 && rest[length] == '\0';
}

/* What is gradient of the top-level scope or op @top, which came or went, is placed anew. */
static void
forget_gradients_of (Builder *b, const char *top)
{
  const SluiceNameCounts *scopes = &b->self->scopes;
  g_autofree char *bare = without_grad (top, strlen (top));
  guint hash = MAX (g_str_hash (top), 1), own_hash = MAX (g_str_hash (bare), 1);
  for (guint i = 0; i < scopes->n_slots; i++)
    {
      const SluiceNameCount *scope = &scopes->slots[i];
      if (scope->text == NULL || scope->n == 0
          || (scope->forward != hash && scope->forward != own_hash))
        continue;
      if (is_own_gradient (scope->text))
        forget_below (b, scope->text, sluice_gradient_prefix (scope->text) - 1);
      else
        forget_below (b, scope->text, strlen (scope->text));
    }
}

/* Where a node stands depends on its name, on whether that names a scope as well, and, of
 * gradients, on which scopes there are at the top and beside them. */
static void
forget_changed (Builder *b)
{
  for (guint i = 0; i < b->scope_flips->len; i++)
    {
      const char *scope = b->scope_flips->pdata[i];
      guint node = sluice_graph_model_lookup (b->self->model, scope);
      if (node != SLUICE_NONE)
        b->was[node] = SLUICE_NONE;
      if (is_own_gradient (scope))
        forget_below (b, scope, sluice_gradient_prefix (scope) - 1);
    }
  for (guint i = 0; i < b->top_flips->len; i++)
    forget_gradients_of (b, b->top_flips->pdata[i]);
}

/* The draft of a scope of before, whose series are left out. */
static guint
take_scope (Builder *b, guint group)
{
  const SluiceGroup *groups = b->before->groups, *g = &groups[group];
  if (g->kind == SLUICE_GROUP_SERIES)
    g = &groups[group = g->parent];
  /* Where an op has the path of a scope, find_before() does not tell of the scope. */
  if (b->moved[group] == SLUICE_NONE && b->before->paths.has_twins)
    b->moved[group] = sluice_path_table_lookup (&b->fresh, (SluiceGroup *) b->draft.groups->data,
                                                g->path, strlen (g->path), g->path_hash);
  if (b->moved[group] != SLUICE_NONE)
    return b->moved[group];
  guint parent = take_scope (b, g->parent);
  SluiceGroup copy = { .kind = SLUICE_GROUP_SCOPE,
                       .path = g->path,
                       .path_hash = g->path_hash,
                       /* A pair may have given it another one; never a hoisted scope. */
                       .label = parent == 0 ? g->label : sluice_path_leaf (g->path),
                       .parent = parent,
                       .model_node = SLUICE_NONE,
                       .pair = SLUICE_NONE,
                       .hue = SLUICE_NONE,
                       .device = SLUICE_NONE,
                       .gradient = g->gradient };
  b->moved[group] = b->draft.groups->len;
  g_array_append_val (b->draft.groups, copy);
  if (b->before->paths.has_twins)
    sluice_path_table_insert (&b->fresh, (SluiceGroup *) b->draft.groups->data, b->moved[group]);
  return b->moved[group];
}

static void
take_node (Builder *b, guint index)
{
  const SluiceGroup *groups = b->before->groups, *g = &groups[b->before->op_group[b->was[index]]];
  guint parent = take_scope (b, g->parent), host = g->parent;
  if (groups[host].kind == SLUICE_GROUP_SERIES)
    host = groups[host].parent;
  if (groups[host].kind == SLUICE_GROUP_SCOPE && groups[host].model_node == b->was[index])
    get_draft (b, parent)->model_node = index;
  SluiceGroup copy = { .kind = SLUICE_GROUP_OP,
                       .path = g->path,
                       .path_hash = g->path_hash,
                       .label = g->label,
                       .parent = parent,
                       .model_node = index,
                       .pair = SLUICE_NONE,
                       .hue = SLUICE_NONE,
                       .device = SLUICE_NONE,
                       .gradient = g->gradient };
  b->at[index] = b->draft.groups->len;
  g_array_append_val (b->draft.groups, copy);
}

/* Which nodes stand where they stood. */
static void
begin_after (Builder *b)
{
  const SluiceHierarchy *before = b->before;
  b->moved = g_new (guint, before->n_groups);
  memset (b->moved, 0xff, before->n_groups * sizeof *b->moved);
  b->moved[0] = 0;
  sluice_name_counts_copy (&b->self->scopes, &before->scopes);
  sluice_name_counts_copy (&b->self->tops, &before->tops);
  match_nodes (b);
  forget_changed (b);
}

/* ---- all of it ---- */

static void
place_nodes (Builder *b, guint n)
{
  SluiceHierarchy *self = b->self;
  for (guint i = 0; i < n; i++)
    {
      guint was = b->was[i];
      self->loose[i] = was != SLUICE_NONE ? b->before->loose[was] : is_loose_gradient (b, i);
      if (self->loose[i])
        continue;
      if (was != SLUICE_NONE)
        take_node (b, i);
      else
        place_node (b, i);
    }
  settle_loose_gradients (b);
  for (guint i = 0; i < n; i++)
    if (self->loose[i])
      place_node (b, i);
}

void
sluice_hierarchy_build_tree (SluiceHierarchy *self, const SluiceHierarchy *before)
{
  guint n = sluice_graph_model_get_n_nodes (self->model);
  g_autoptr (GPtrArray) scope_flips = g_ptr_array_new (), top_flips = g_ptr_array_new ();
  Builder b = { .self = self,
                .before = before,
                .was = g_new (guint, n + 1),
                .scope_flips = scope_flips,
                .top_flips = top_flips,
                .at = g_new (guint, n + 1),
                .host = g_new (guint, n + 1),
                .draft = { g_array_sized_new (FALSE, FALSE, sizeof (SluiceGroup),
                                              before != NULL ? before->n_groups + 64 : n + 1) } };
  self->loose = g_new0 (guint8, n + 1);
  for (guint i = 0; i < n; i++)
    b.was[i] = b.host[i] = SLUICE_NONE;
  if (before != NULL)
    begin_after (&b);
  else
    for (guint i = 0; i < n; i++)
      count_name (&b, sluice_graph_model_get_node (self->model, i)->name, 1);
  add_draft (&b, SLUICE_NONE, SLUICE_GROUP_ROOT, "", SLUICE_NAME_HASH, "", SLUICE_NONE);
  sluice_path_table_insert (&b.fresh, (SluiceGroup *) b.draft.groups->data, 0);
  place_nodes (&b, n);
  g_free (sluice_hierarchy_adopt (self, &b.draft));
  sluice_path_table_rebuild (&self->paths, self->groups, self->n_groups);
  g_array_unref (b.draft.groups);
  sluice_path_table_clear (&b.fresh);
  g_free (b.moved);
  g_free (b.was);
  g_free (b.at);
  g_free (b.host);
}
