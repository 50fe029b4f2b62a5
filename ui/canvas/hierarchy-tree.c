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
  GHashTable *scopes; /* set of prefixes, without the slash */
  GHashTable *tops;   /* set of first parts of names outside of gradients */
  GHashTable *drafts; /* path -> index + 1 */
  guint *host;        /* per model node: the hoisted scope it stands in; SLUICE_NONE for others */
  SluiceDraft draft;
} Builder;

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
collect_prefixes (Builder *b, const char *name)
{
  const char *slash = last_scope_end (name);
  /* From the longest prefix on: when it is known, so are the shorter ones. */
  while (slash != NULL)
    {
      g_autofree char *prefix = g_strndup (name, slash - name);
      if (!g_hash_table_add (b->scopes, g_strdup (prefix)))
        break;
      slash = g_strrstr_len (name, slash - name, "/");
    }
  if (sluice_gradient_prefix (name) == 0)
    g_hash_table_add (b->tops, g_strndup (name, strcspn (name, "/")));
}

static guint
add_draft (Builder *b,
           guint parent,
           SluiceGroupKind kind,
           const char *path,
           const char *label,
           guint model_node)
{
  SluiceGroup group = { .kind = kind,
                        .path = g_string_chunk_insert (b->self->strings, path),
                        .label = g_string_chunk_insert_const (b->self->strings, label),
                        .parent = parent,
                        .model_node = model_node,
                        .pair = SLUICE_NONE,
                        .hue = SLUICE_NONE,
                        .device = SLUICE_NONE };
  group.gradient = parent != SLUICE_NONE
                   && (sluice_gradient_prefix (path) > 0
                       || is_gradients_part (sluice_path_leaf (path), path + strlen (path)));
  g_array_append_val (b->draft.groups, group);
  g_hash_table_insert (b->drafts, (char *) group.path, GUINT_TO_POINTER (b->draft.groups->len));
  return b->draft.groups->len - 1;
}

static guint
find_draft (Builder *b, const char *path)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (b->drafts, path)) - 1;
}

static guint
hoist (Builder *b, const char *path, const char *forward)
{
  guint found = find_draft (b, path);
  if (found != SLUICE_NONE)
    return found;
  g_autofree char *label = g_strdup_printf ("%s ∇", forward);
  return add_draft (b, 0, SLUICE_GROUP_SCOPE, path, label, SLUICE_NONE);
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
  if (!g_hash_table_contains (b->scopes, path) || !g_hash_table_contains (b->tops, scope))
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
  if (!g_hash_table_contains (b->tops, forward))
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
  while ((last != NULL && rest <= last && (slash = strchr (rest, '/')) != NULL)
         || (slash = NULL, whole && *rest != '\0'))
    {
      gsize length = slash == NULL ? strlen (name) : (gsize) (slash - name);
      g_autofree char *path = g_strndup (name, length);
      guint found = find_draft (b, path);
      if (found == SLUICE_NONE)
        {
          g_autofree char *label = g_strndup (rest, length - (rest - name));
          found = add_draft (b, parent, SLUICE_GROUP_SCOPE, path, label, SLUICE_NONE);
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
  if (parent == SLUICE_NONE && (parent = b->host[index]) != SLUICE_NONE)
    rest = name + sluice_gradient_prefix (name);
  b->host[index] = parent;
  gboolean scope_too = g_hash_table_contains (b->scopes, name);

  if (parent == SLUICE_NONE)
    parent = 0;
  parent = open_scopes (b, name, parent, rest, scope_too);
  const char *leaf = sluice_path_leaf (name);
  g_autofree char *own = scope_too ? g_strdup_printf ("%s/(%s)", name, leaf) : NULL;
  if (scope_too)
    g_array_index (b->draft.groups, SluiceGroup, parent).model_node = index;
  add_draft (b, parent, SLUICE_GROUP_OP, own != NULL ? own : name, leaf, index);
}

/* The gradient scope that stands for the forward node @index, SLUICE_NONE when there is none under
 * @prefix. */
static guint
gradient_of (Builder *b, guint index, const char *name, gsize prefix)
{
  const char *forward = sluice_graph_model_get_node (b->self->model, index)->name;
  g_autofree char *path =
      g_strdup_printf ("%.*s%.*s", (int) prefix, name, (int) strcspn (forward, "/"), forward);
  return find_draft (b, path);
}

/* Gives loose @to the host of its neighbour @from, or, with @by_name, the gradient of forward
 * @from; TRUE when it found one. */
static gboolean
settle (Builder *b, const guint8 *loose, guint from, guint to, gboolean by_name)
{
  if (!loose[to] || b->host[to] != SLUICE_NONE)
    return FALSE;
  if (by_name)
    {
      const char *name = sluice_graph_model_get_node (b->self->model, to)->name;
      b->host[to] = gradient_of (b, from, name, sluice_gradient_prefix (name));
    }
  else
    b->host[to] = b->host[from];
  return b->host[to] != SLUICE_NONE;
}

/* Loose gradients join the gradient that computes their input, else the one that reads them, else
 * that of their forward input. */
static void
settle_loose_gradients (Builder *b, const guint8 *loose)
{
  SluiceGraphModel *model = b->self->model;
  guint n_edges = sluice_graph_model_get_n_edges (model);
  for (guint stage = 0; stage < 3; stage++)
    {
      gboolean moved = TRUE;
      for (guint pass = 0; moved && pass < 16; pass++)
        {
          moved = FALSE;
          for (guint e = 0; e < n_edges; e++)
            {
              const SluiceModelEdge *edge = sluice_graph_model_get_edge (model, e);
              if (edge->kind == SLUICE_EDGE_DATA || edge->kind == SLUICE_EDGE_BACK)
                moved |= stage == 1 ? settle (b, loose, edge->to, edge->from, FALSE)
                                    : settle (b, loose, edge->from, edge->to, stage == 2);
            }
        }
    }
}

void
sluice_hierarchy_adopt (SluiceHierarchy *self, SluiceDraft *draft)
{
  guint n = draft->groups->len, filled = 1;
  SluiceGroup *old = (SluiceGroup *) draft->groups->data;
  g_autofree guint *start = g_new0 (guint, n + 2);
  g_autofree guint *list = g_new (guint, n);
  g_autofree guint *origin = g_new (guint, n); /* draft index per new index */

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
  g_hash_table_remove_all (self->paths);
  for (guint i = 0; i < n; i++)
    {
      SluiceGroup *group = &self->groups[i];
      g_hash_table_insert (self->paths, (char *) group->path, GUINT_TO_POINTER (i + 1));
      if (group->kind == SLUICE_GROUP_OP)
        self->op_group[group->model_node] = i;
    }
}

void
sluice_hierarchy_build_tree (SluiceHierarchy *self)
{
  guint n = sluice_graph_model_get_n_nodes (self->model);
  Builder b = { .self = self,
                .scopes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                .tops = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                .drafts = g_hash_table_new (g_str_hash, g_str_equal),
                .host = g_new (guint, n + 1),
                .draft = { g_array_new (FALSE, FALSE, sizeof (SluiceGroup)) } };
  g_autofree guint8 *loose = g_new0 (guint8, n + 1);

  for (guint i = 0; i < n; i++)
    collect_prefixes (&b, sluice_graph_model_get_node (self->model, i)->name);
  add_draft (&b, SLUICE_NONE, SLUICE_GROUP_ROOT, "", "", SLUICE_NONE);
  for (guint i = 0; i < n; i++)
    b.host[i] = SLUICE_NONE;
  for (guint i = 0; i < n; i++)
    if ((loose[i] = is_loose_gradient (&b, i)) == FALSE)
      place_node (&b, i);
  settle_loose_gradients (&b, loose);
  for (guint i = 0; i < n; i++)
    if (loose[i])
      place_node (&b, i);
  sluice_hierarchy_adopt (self, &b.draft);
  g_array_unref (b.draft.groups);
  g_hash_table_unref (b.scopes);
  g_hash_table_unref (b.tops);
  g_hash_table_unref (b.drafts);
  g_free (b.host);
}
