/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* Names become scopes here. "a/b/c" is op c in scope a/b. A name that is also a prefix of others
 * ("w" beside "w/read") is a scope, and the op stands in it as "w/(w)". What stands under a
 * `gradients` scope and is named after something at the top level is hoisted there, so that the
 * backward half can be drawn beside the forward half. */

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

gsize
sluice_length_without_grad (const char *part, gsize length)
{
  static const char tail[] = "_grad";
  gsize n = sizeof tail - 1;
  return length > n && strncmp (part + length - n, tail, n) == 0 ? length - n : length;
}

guint
sluice_forward_hash (const char *path)
{
  const char *part = path + sluice_gradient_prefix (path);
  if (part == path || *part == '\0' || strchr (part, '/') != NULL)
    return 0;
  gsize length = sluice_length_without_grad (part, strlen (part));
  return MAX (sluice_name_hash (SLUICE_NAME_HASH, part, length), 1);
}

/* The slash after the deepest scope of @name: deeper ones stay part of the op's name, so that a
 * name of a million slashes costs no more than others. */
static const char *
last_scope_end (const char *name)
{
  const char *end = NULL, *slash = name;
  for (guint depth = 0; depth < SLUICE_MAX_SCOPES && (slash = strchr (slash, '/')) != NULL; depth++)
    end = slash++;
  return end;
}

static gboolean
is_scope (const SluiceHierarchy *self, const char *path)
{
  return sluice_name_counts_has (&self->scopes, path, strlen (path), g_str_hash (path));
}

static gboolean
is_top (const SluiceHierarchy *self, const char *part)
{
  return sluice_name_counts_has (&self->tops, part, strlen (part), g_str_hash (part));
}

/* ---- drafts ---- */

static guint
add_draft (SluiceTree *self, guint parent, guint origin)
{
  if (self->n_drafts == self->capacity)
    {
      self->capacity *= 2;
      self->drafts = g_renew (SluiceDraft, self->drafts, self->capacity);
    }
  self->drafts[self->n_drafts] = (SluiceDraft){ parent, origin };
  return self->n_drafts++;
}

/* @path and @label are kept by the model's texts. */
static guint
make_draft (SluiceTree *self,
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
                        .model_node = model_node,
                        .pair = SLUICE_NONE,
                        .hue = SLUICE_NONE,
                        .device = SLUICE_NONE };
  group.gradient = parent != SLUICE_NONE
                   && (sluice_gradient_prefix (path) > 0
                       || is_gradients_part (sluice_path_leaf (path), path + strlen (path)));
  guint draft = add_draft (self, parent, self->n_before + self->made->len);
  g_array_append_val (self->made, group);
  g_array_append_val (self->made_drafts, draft);
  sluice_path_table_insert (&self->fresh, (SluiceGroup *) self->made->data, self->made->len - 1);
  return draft;
}

static guint
find_before (const SluiceTree *self, const char *path, gsize length, guint hash)
{
  const SluiceHierarchy *before = self->before;
  return before == NULL
             ? SLUICE_NONE
             : sluice_path_table_lookup (&before->paths, before->groups, path, length, hash);
}

guint
sluice_tree_lookup (const SluiceTree *self, const char *path, gsize length, guint hash)
{
  const SluiceGroup *made = (const SluiceGroup *) self->made->data;
  guint fresh = sluice_path_table_lookup (&self->fresh, made, path, length, hash);
  guint before = find_before (self, path, length, hash);
  guint kept = before == SLUICE_NONE ? SLUICE_NONE : sluice_tree_get_kept (self, before);
  if (kept != SLUICE_NONE
      && (fresh == SLUICE_NONE || self->before->groups[before].kind == SLUICE_GROUP_SCOPE))
    return kept;
  return fresh == SLUICE_NONE ? SLUICE_NONE : g_array_index (self->made_drafts, guint, fresh);
}

/* The draft of the scope of that path, or SLUICE_NONE. */
static guint
find_scope (const SluiceTree *self, const char *path, gsize length, guint hash)
{
  guint found = sluice_tree_lookup (self, path, length, hash);
  return found != SLUICE_NONE && sluice_tree_get_group (self, found)->kind != SLUICE_GROUP_OP
             ? found
             : SLUICE_NONE;
}

/* Where it stood before it is what it was. */
static guint
add_scope (SluiceTree *self, guint parent, const char *path, const char *label)
{
  SluiceTexts *texts = self->hierarchy->texts;
  guint hash = g_str_hash (path), before = find_before (self, path, strlen (path), hash), draft;
  if (before != SLUICE_NONE && self->before->groups[before].kind != SLUICE_GROUP_SCOPE)
    before = SLUICE_NONE;
  if (before != SLUICE_NONE && sluice_tree_get_kept (self, self->before->outer[before]) == parent)
    draft = add_draft (self, parent, before);
  else
    draft = make_draft (self, parent, SLUICE_GROUP_SCOPE, sluice_texts_keep (texts, path), hash,
                        sluice_texts_keep (texts, label), SLUICE_NONE);
  if (before != SLUICE_NONE)
    self->successor[before] = draft;
  return draft;
}

/* ---- from names ---- */

static guint
hoist (SluiceTree *self, const char *path, const char *forward)
{
  guint found = find_scope (self, path, strlen (path), g_str_hash (path));
  if (found != SLUICE_NONE)
    return found;
  g_autofree char *label = g_strdup_printf ("%s ∇", forward);
  return add_scope (self, 0, path, label);
}

/* Gradients that a scope makes of itself ("tower1/gradients/tower1/…", a copy of a model among
 * others) are its backward half with all that stands beside them, sums and the gradients of what it
 * shares with its like. SLUICE_NONE where that is not so. */
static guint
own_gradient (SluiceTree *self, const char *name, gsize prefix, const char **rest)
{
  gsize length = strcspn (name, "/");
  g_autofree char *scope = g_strndup (name, length);
  g_autofree char *path = g_strdup_printf ("%.*s%s", (int) prefix, name, scope);
  if (!is_scope (self->hierarchy, path) || !is_top (self->hierarchy, scope))
    return SLUICE_NONE;
  *rest = name + prefix;
  if (strncmp (*rest, scope, length) == 0 && (*rest)[length] == '/')
    *rest += length + 1;
  return hoist (self, path, scope);
}

/* The hoisted scope of a gradient name ("gradients/conv1" for gradients/conv1/Relu_grad/ReluGrad),
 * or SLUICE_NONE. *@rest: where the name goes on below it. */
static guint
hoisted_scope (SluiceTree *self, const char *name, const char **rest)
{
  gsize prefix = sluice_gradient_prefix (name);
  if (prefix == 0)
    return SLUICE_NONE;
  const char *part = name + prefix, *slash = strchr (part, '/');
  guint own = own_gradient (self, name, prefix, rest);
  if (own != SLUICE_NONE)
    return own;
  if (slash == NULL)
    return SLUICE_NONE;
  g_autofree char *forward = g_strndup (part, sluice_length_without_grad (part, slash - part));
  if (!is_top (self->hierarchy, forward))
    return SLUICE_NONE;
  g_autofree char *path = g_strdup_printf ("%.*s%s", (int) prefix, name, forward);
  *rest = slash + 1;
  return hoist (self, path, forward);
}

/* The scope that ends before @end of @name, below @parent whose part ends before @rest. */
static guint
open_scopes (SluiceTree *self, const char *name, guint parent, const char *rest, gboolean whole)
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
      guint found = find_scope (self, name, length, hash);
      if (found == SLUICE_NONE)
        {
          g_autofree char *path = g_strndup (name, length);
          g_autofree char *label = g_strndup (rest, length - (rest - name));
          found = add_scope (self, parent, path, label);
        }
      parent = found;
      if (slash == NULL)
        break;
      rest = slash + 1;
    }
  return parent;
}

/* ---- nodes ---- */

static const char *
get_name (const SluiceTree *self, guint index)
{
  return sluice_graph_model_get_node (self->hierarchy->model, index)->name;
}

/* Gradients without a forward half of their own ("gradients/AddN_3", "gradients/Fill"): sums and
 * seeds. */
static gboolean
is_loose_gradient (SluiceTree *self, guint index)
{
  const char *name = get_name (self, index), *rest;
  return sluice_gradient_prefix (name) > 0 && hoisted_scope (self, name, &rest) == SLUICE_NONE;
}

static guint
add_op (
    SluiceTree *self, guint parent, guint index, const char *path, guint hash, const char *label)
{
  guint was = self->was[index];
  guint before = was != SLUICE_NONE ? self->before->op_group[was] : SLUICE_NONE;
  if (before == SLUICE_NONE || self->before->groups[before].path != path)
    return make_draft (self, parent, SLUICE_GROUP_OP, path, hash, label, index);
  return self->successor[before] = add_draft (self, parent, before);
}

/* host: that a loose gradient joins, or SLUICE_NONE. */
static void
place_node (SluiceTree *self, guint index, guint host)
{
  const char *name = get_name (self, index), *rest = name, *leaf = sluice_path_leaf (name);
  guint parent = hoisted_scope (self, name, &rest);
  if (parent == SLUICE_NONE && host != SLUICE_NONE)
    {
      parent = host;
      rest = name + sluice_gradient_prefix (name);
    }
  gboolean scope_too = is_scope (self->hierarchy, name);
  parent = open_scopes (self, name, parent == SLUICE_NONE ? 0 : parent, rest, scope_too);
  if (!scope_too)
    {
      guint hash = sluice_graph_model_get_name_hash (self->hierarchy->model, index);
      self->node_draft[index] = add_op (self, parent, index, name, hash, leaf);
      return;
    }
  g_autofree char *own = g_strdup_printf ("%s/(%s)", name, leaf);
  self->node_draft[index] = add_op (
      self, parent, index, sluice_texts_keep (self->hierarchy->texts, own), g_str_hash (own), leaf);
}

static guint
take_scope (SluiceTree *self, guint group)
{
  if (self->successor[group] == SLUICE_NONE)
    {
      guint parent = take_scope (self, self->before->outer[group]);
      self->successor[group] = add_draft (self, parent, group);
    }
  return self->successor[group];
}

/* Where it stood before. */
static void
take_node (SluiceTree *self, guint index)
{
  guint group = self->before->op_group[self->was[index]];
  guint parent = take_scope (self, self->before->outer[group]);
  self->node_draft[index] = self->successor[group] = add_draft (self, parent, group);
}

/* ---- loose gradients ---- */

/* The gradient scope that stands for the forward node @index, SLUICE_NONE when there is none under
 * @prefix. */
static guint
gradient_of (SluiceTree *self, guint index, const char *name, gsize prefix)
{
  const char *forward = get_name (self, index);
  g_autofree char *path =
      g_strdup_printf ("%.*s%.*s", (int) prefix, name, (int) strcspn (forward, "/"), forward);
  return find_scope (self, path, strlen (path), g_str_hash (path));
}

/* The hoisted scope that a node stands in, or joins. */
static guint
host_of (SluiceTree *self, guint index, const guint *host)
{
  if (self->hierarchy->loose[index])
    return host[index];
  if (sluice_gradient_prefix (get_name (self, index)) == 0)
    return SLUICE_NONE;
  guint draft = self->node_draft[index];
  while (sluice_tree_get_parent (self, draft) != 0)
    draft = sluice_tree_get_parent (self, draft);
  return draft;
}

/* Gives loose @to the host of its neighbour @from, or, with @by_name, the gradient of forward
 * @from; TRUE when it found one. */
static gboolean
settle (SluiceTree *self, guint *host, guint from, guint to, gboolean by_name)
{
  if (!self->hierarchy->loose[to] || host[to] != SLUICE_NONE)
    return FALSE;
  const char *name = get_name (self, to);
  host[to] = by_name ? gradient_of (self, from, name, sluice_gradient_prefix (name))
                     : host_of (self, from, host);
  return host[to] != SLUICE_NONE;
}

/* Edges of values that begin or end at a loose gradient. */
static GArray *
collect_loose_edges (SluiceHierarchy *self)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (const SluiceModelEdge *));
  guint n;
  const SluiceModelEdge *all = sluice_graph_model_get_edges (self->model, &n);
  for (guint e = 0; e < n; e++)
    {
      const SluiceModelEdge *edge = &all[e];
      if ((self->loose[edge->from] || self->loose[edge->to])
          && (edge->kind == SLUICE_EDGE_DATA || edge->kind == SLUICE_EDGE_BACK))
        g_array_append_val (edges, edge);
    }
  return edges;
}

/* Loose gradients join the gradient that computes their input, else the one that reads them, else
 * that of their forward input. */
static void
settle_loose_gradients (SluiceTree *self, guint *host)
{
  g_autoptr (GArray) edges = collect_loose_edges (self->hierarchy);
  for (guint stage = 0; stage < 3; stage++)
    {
      gboolean moved = TRUE;
      for (guint pass = 0; moved && pass < 16; pass++)
        {
          moved = FALSE;
          for (guint e = 0; e < edges->len; e++)
            {
              const SluiceModelEdge *edge = g_array_index (edges, const SluiceModelEdge *, e);
              moved |= stage == 1 ? settle (self, host, edge->to, edge->from, FALSE)
                                  : settle (self, host, edge->from, edge->to, stage == 2);
            }
        }
    }
}

/* ---- all of it ---- */

static void
place_nodes (SluiceTree *self)
{
  SluiceHierarchy *hierarchy = self->hierarchy;
  guint n = sluice_graph_model_get_n_nodes (hierarchy->model);
  g_autofree guint *host = g_new (guint, n + 1);
  memset (host, 0xff, n * sizeof *host);
  for (guint i = 0; i < n; i++)
    {
      hierarchy->loose[i] =
          self->stays[i] ? self->before->loose[self->was[i]] : is_loose_gradient (self, i);
      if (hierarchy->loose[i])
        continue;
      if (self->stays[i])
        take_node (self, i);
      else
        place_node (self, i, SLUICE_NONE);
    }
  settle_loose_gradients (self, host);
  for (guint i = 0; i < n; i++)
    if (hierarchy->loose[i])
      place_node (self, i, host[i]);
}

void
sluice_tree_init (SluiceTree *self, SluiceHierarchy *hierarchy, const SluiceHierarchy *before)
{
  guint n = sluice_graph_model_get_n_nodes (hierarchy->model);
  guint n_old = before != NULL ? sluice_graph_model_get_n_nodes (before->model) : 0;
  guint n_drafts = before != NULL ? before->n_groups + 64 : n + 1;
  *self = (SluiceTree){
    .hierarchy = hierarchy,
    .before = before,
    .n_before = before != NULL ? before->n_groups : 0,
    .drafts = g_new (SluiceDraft, n_drafts),
    .capacity = n_drafts,
    .made = g_array_sized_new (FALSE, FALSE, sizeof (SluiceGroup), before == NULL ? n + n / 2 : 64),
    .made_drafts = g_array_new (FALSE, FALSE, sizeof (guint)),
    .node_draft = g_new (guint, n + 1),
    .was = g_new (guint, n + 1),
    .now = g_new (guint, n_old + 1),
    .stays = g_new0 (guint8, n + 1),
    .differs = g_new0 (guint8, n + 1),
  };
  hierarchy->loose = g_new0 (guint8, n + 1);
  self->successor = g_new (guint, self->n_before + 1);
  memset (self->successor, 0xff, self->n_before * sizeof *self->successor);
  if (before == NULL)
    sluice_path_table_reserve (&self->fresh, n + n / 2);
  sluice_tree_match_nodes (self);
  if (before != NULL)
    self->successor[0] = add_draft (self, SLUICE_NONE, 0);
  else
    make_draft (self, SLUICE_NONE, SLUICE_GROUP_ROOT, "", SLUICE_NAME_HASH, "", SLUICE_NONE);
  place_nodes (self);
  self->is_changed = g_new0 (guint8, self->n_drafts);
  self->is_paired = g_new0 (guint8, self->n_drafts);
  self->forward = g_new0 (guint, self->n_drafts);
  self->pair = g_new (guint, self->n_drafts);
  memset (self->pair, 0xff, self->n_drafts * sizeof *self->pair);
}

void
sluice_tree_clear (SluiceTree *self)
{
  g_free (self->drafts);
  g_clear_pointer (&self->made, g_array_unref);
  g_array_unref (self->made_drafts);
  sluice_path_table_clear (&self->fresh);
  g_free (self->successor);
  g_free (self->node_draft);
  g_free (self->was);
  g_free (self->now);
  g_free (self->edge_now);
  g_free (self->stays);
  g_free (self->differs);
  g_free (self->is_changed);
  g_free (self->is_paired);
  g_free (self->forward);
  g_free (self->pair);
}
