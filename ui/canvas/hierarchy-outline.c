/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* What of the tree has to be worked out anew, and how it becomes the whole again: see
 * hierarchy-private.h. */

/* ---- the outline ---- */

guint *
sluice_hierarchy_adopt (SluiceHierarchy *self, const SluiceGroup *old, guint n, const guint *order)
{
  guint filled = 1;
  g_autofree guint *start = g_new0 (guint, n + 2);
  g_autofree guint *list = g_new (guint, n);
  guint *origin = g_new (guint, n); /* per new index */

  for (guint i = 1; i < n; i++)
    start[old[i].parent + 2]++;
  for (guint i = 0; i < n; i++)
    start[i + 2] += start[i + 1];
  for (guint k = 1; k < n; k++)
    {
      guint i = order != NULL ? order[k] : k;
      list[start[old[i].parent + 1]++] = i;
    }
  self->groups = g_new (SluiceGroup, n);
  self->n_groups = n;
  origin[0] = 0;
  self->groups[0] = old[0];
  for (guint i = 0; i < filled; i++)
    {
      SluiceGroup *group = &self->groups[i];
      guint from = origin[i];
      group->first_child = group->kind == SLUICE_GROUP_OP ? 0 : filled;
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
  return origin;
}

/* By number before: the number of that device now. */
static guint *
map_devices (const SluiceHierarchy *self, const SluiceHierarchy *before)
{
  guint n = before->devices->len;
  guint *now = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    if (!g_ptr_array_find (self->devices, before->devices->pdata[i], &now[i]))
      now[i] = SLUICE_NONE;
  return now;
}

/* What a group of before is by its name and place, and, of a scope whose inside is not looked at,
 * what is in it. */
static SluiceGroup
take_group (const SluiceTree *tree, guint draft, const guint *devices)
{
  const SluiceGroup *old = sluice_tree_get_group (tree, draft);
  SluiceGroup group = *old;
  group.pair = SLUICE_NONE;
  if (tree->is_changed[draft] || group.kind == SLUICE_GROUP_OP)
    group.hue = SLUICE_NONE; /* what stands in a scope that is not changed has the scope's */
  group.loop = group.inner_loop = NULL;
  group.device = old->device == SLUICE_NONE ? SLUICE_NONE : devices[old->device];
  group.model_node = old->model_node == SLUICE_NONE || tree->is_changed[draft]
                         ? SLUICE_NONE
                         : tree->now[old->model_node];
  /* A pair may have given it another one; never a hoisted scope. */
  if (group.kind == SLUICE_GROUP_SCOPE && sluice_tree_get_parent (tree, draft) != 0)
    group.label = sluice_path_leaf (group.path);
  return group;
}

/* Those that are shown, in the order of drafts, with parents that are numbers among them. Sets, per
 * draft, which of them it is or stands in (at), and per group its draft (which). */
static GArray *
choose_groups (const SluiceHierarchy *self, SluiceTree *tree, guint *at, guint *which)
{
  if (tree->before == NULL)
    {
      for (guint d = 0; d < tree->n_drafts; d++)
        {
          g_array_index (tree->made, SluiceGroup, d).parent = sluice_tree_get_parent (tree, d);
          which[d] = at[d] = d;
        }
      return g_array_ref (tree->made);
    }
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (SluiceGroup));
  g_autofree guint *devices = map_devices (self, tree->before);
  for (guint d = 0; d < tree->n_drafts; d++)
    {
      guint parent = sluice_tree_get_parent (tree, d);
      at[d] = d == 0 ? 0 : at[parent];
      if (d != 0 && !tree->is_changed[parent])
        continue;
      SluiceGroup group = sluice_tree_get_origin (tree, d) == SLUICE_NONE
                              ? *sluice_tree_get_group (tree, d)
                              : take_group (tree, d, devices);
      group.parent = d == 0 ? SLUICE_NONE : at[parent];
      at[d] = groups->len;
      which[groups->len] = d;
      g_array_append_val (groups, group);
    }
  return groups;
}

/* An op whose path is not its name, "w/(w)", is what the scope is named after. */
static void
name_scopes (SluiceHierarchy *self)
{
  for (guint i = 1; i < self->n_groups; i++)
    {
      const SluiceGroup *g = &self->groups[i];
      if (g->kind == SLUICE_GROUP_OP
          && g->path != sluice_graph_model_get_node (self->model, g->model_node)->name)
        self->groups[g->parent].model_node = g->model_node;
    }
}

/* As far as both are in the outline; labels of gradients. */
static void
pair_groups (SluiceHierarchy *self, const SluiceTree *tree, const guint *at)
{
  for (guint i = 1; i < self->n_groups; i++)
    {
      SluiceGroup *g = &self->groups[i];
      guint draft = self->draft[i], forward = tree->pair[draft];
      if (tree->is_paired[draft])
        g->pair = SLUICE_OUTSIDE;
      if (forward == SLUICE_NONE)
        continue;
      g->pair = self->draft[at[forward]] == forward ? at[forward] : SLUICE_OUTSIDE;
      if (g_str_has_suffix (g->label, "∇"))
        continue;
      g_autofree char *label =
          g_strdup_printf ("%s ∇", sluice_tree_get_group (tree, forward)->label);
      g->label = sluice_texts_keep (self->texts, label);
    }
}

void
sluice_hierarchy_outline (SluiceHierarchy *self, SluiceTree *tree)
{
  guint n_drafts = tree->n_drafts, n = sluice_graph_model_get_n_nodes (self->model);
  g_autofree guint *at = g_new (guint, n_drafts); /* see choose_groups() */
  g_autofree guint *which = g_new (guint, n_drafts);
  g_autoptr (GArray) groups = choose_groups (self, tree, at, which);
  g_autofree guint *origin =
      sluice_hierarchy_adopt (self, (const SluiceGroup *) groups->data, groups->len, NULL);
  g_autofree guint *place = g_new (guint, self->n_groups); /* of those that were chosen */
  self->draft = g_new (guint, self->n_groups);
  self->is_given = g_new0 (guint8, self->n_groups);
  for (guint i = 0; i < self->n_groups; i++)
    {
      place[origin[i]] = i;
      self->draft[i] = which[origin[i]];
      self->is_given[i] =
          self->groups[i].kind != SLUICE_GROUP_OP && !tree->is_changed[self->draft[i]];
    }
  for (guint d = 0; d < n_drafts; d++)
    at[d] = place[at[d]];
  for (guint i = 0; i < n; i++)
    self->op_group[i] = at[tree->node_draft[i]];
  name_scopes (self);
  pair_groups (self, tree, at);
  g_clear_pointer (&tree->made, g_array_unref); /* it is large where all is new */
}

/* ---- filling in ---- */

typedef struct
{
  SluiceTree *tree;
  const SluiceHierarchy *outline, *before;
  SluiceHierarchy *whole;
  guint *source;    /* per group: that of the outline, or the outline's n_groups + that of before */
  guint *successor; /* per group of before: the group that it is, or SLUICE_NONE */
  guint *draft_group; /* per draft: its group */
  guint *devices;     /* by number before */
} Filling;

/* The group of before whose inside that of group @i is, or SLUICE_NONE. */
static guint
inside_of (const Filling *f, guint i)
{
  guint source = f->source[i], n = f->outline->n_groups;
  if (source >= n)
    return source - n;
  return f->outline->is_given[source] ? sluice_tree_get_origin (f->tree, f->outline->draft[source])
                                      : SLUICE_NONE;
}

/* Group @i, which was copied, stands in group @parent (SLUICE_NONE: it is the root). */
static void
settle_group (Filling *f, guint i, guint parent)
{
  SluiceHierarchy *whole = f->whole;
  SluiceGroup *g = &whole->groups[i];
  guint draft = whole->draft[i];
  const SluiceGroup *around = parent == SLUICE_NONE ? NULL : &whole->groups[parent];
  g->parent = parent;
  g->depth = around == NULL ? 0 : around->depth + 1;
  g->pair = SLUICE_NONE;
  if (g->kind == SLUICE_GROUP_OP)
    whole->op_group[g->model_node] = i;
  else
    g_array_append_val (whole->inner, i);
  whole->outer[i] = SLUICE_NONE;
  if (draft == SLUICE_NONE)
    return;
  f->draft_group[draft] = i;
  for (; around != NULL && whole->groups[parent].kind == SLUICE_GROUP_SERIES;)
    parent = whole->groups[parent].parent;
  whole->outer[i] = parent;
  if (g->kind == SLUICE_GROUP_SCOPE && g->gradient)
    {
      SluiceGradient gradient = { i, f->tree->forward[draft] };
      g_array_append_val (whole->gradients, gradient);
    }
}

static void
copy_from_outline (Filling *f, guint to, guint from)
{
  guint draft = f->outline->draft[from];
  guint origin = draft == SLUICE_NONE ? SLUICE_NONE : sluice_tree_get_origin (f->tree, draft);
  f->whole->groups[to] = f->outline->groups[from];
  f->whole->draft[to] = draft;
  f->source[to] = from;
  if (origin != SLUICE_NONE)
    f->successor[origin] = to;
}

static void
copy_from_before (Filling *f, guint to, guint from)
{
  SluiceGroup *g = &f->whole->groups[to];
  *g = f->before->groups[from];
  g->loop = g->inner_loop = NULL;
  if (g->model_node != SLUICE_NONE)
    g->model_node = f->tree->now[g->model_node];
  if (g->device != SLUICE_NONE)
    g->device = f->devices[g->device];
  f->whole->draft[to] = f->tree->successor[from];
  f->source[to] = f->outline->n_groups + from;
  f->successor[from] = to;
}

static void
fill_groups (Filling *f)
{
  SluiceHierarchy *whole = f->whole;
  guint filled = 1;
  copy_from_outline (f, 0, 0);
  settle_group (f, 0, SLUICE_NONE);
  for (guint k = 0; k < whole->inner->len; k++)
    {
      guint i = g_array_index (whole->inner, guint, k), inside = inside_of (f, i);
      const SluiceGroup *from =
          inside == SLUICE_NONE ? &f->outline->groups[f->source[i]] : &f->before->groups[inside];
      whole->groups[i].first_child = filled;
      whole->groups[i].n_children = from->n_children;
      for (guint c = from->first_child; c < from->first_child + from->n_children; c++)
        {
          if (inside == SLUICE_NONE)
            copy_from_outline (f, filled, c);
          else
            copy_from_before (f, filled, c);
          settle_group (f, filled++, i);
        }
    }
  whole->n_groups = filled;
}

/* Those of one scope. */
static void
fill_bundles (Filling *f, guint i, const SluiceHierarchy *from, guint group, guint *n_edges)
{
  SluiceHierarchy *whole = f->whole;
  guint first = from->bundle_start[group], n = from->bundle_start[group + 1] - first;
  guint moved = whole->groups[i].first_child - from->groups[group].first_child;
  for (guint k = 0; k < n; k++)
    {
      SluiceEdgeBundle *b = &whole->bundles[whole->n_bundles++];
      *b = from->bundles[first + k];
      const guint *edges = &from->bundled[b->first_edge];
      b->group = i;
      b->from += moved;
      b->to += moved;
      b->first_edge = *n_edges;
      for (guint e = 0; e < b->n_edges; e++)
        whole->bundled[(*n_edges)++] = from == f->outline ? edges[e] : f->tree->edge_now[edges[e]];
    }
}

static void
fill_all_bundles (Filling *f)
{
  SluiceHierarchy *whole = f->whole;
  guint n_edges = 0, next = 0, n_bundles = f->outline->n_bundles + f->before->n_bundles;
  whole->bundles = g_new (SluiceEdgeBundle, n_bundles + 1);
  whole->bundled = g_new (guint, sluice_graph_model_get_n_edges (whole->model) + 1);
  whole->bundle_start = g_new (guint, whole->n_groups + 1);
  for (guint k = 0; k < whole->inner->len; k++)
    {
      guint i = g_array_index (whole->inner, guint, k), inside = inside_of (f, i);
      while (next <= i)
        whole->bundle_start[next++] = whole->n_bundles;
      if (inside == SLUICE_NONE)
        fill_bundles (f, i, f->outline, f->source[i], &n_edges);
      else
        fill_bundles (f, i, f->before, inside, &n_edges);
    }
  while (next <= whole->n_groups)
    whole->bundle_start[next++] = whole->n_bundles;
}

/* Of what was made, but where that is known, and of series that were. */
static void
insert_new_paths (Filling *f)
{
  SluiceHierarchy *whole = f->whole;
  const GArray *made = f->tree->made_drafts;
  for (guint i = 0; f->before != NULL && i < made->len; i++)
    sluice_path_table_insert (&whole->paths, whole->groups,
                              f->draft_group[g_array_index (made, guint, i)]);
  for (guint k = 0; k < whole->inner->len; k++)
    {
      guint i = g_array_index (whole->inner, guint, k);
      if (whole->draft[i] == SLUICE_NONE
          && (f->before == NULL || f->source[i] < f->outline->n_groups))
        sluice_path_table_insert (&whole->paths, whole->groups, i);
    }
}

/* The table tells already of what is not new. */
static void
complete_paths (Filling *f)
{
  SluiceHierarchy *whole = f->whole;
  if (!whole->paths.has_twins)
    insert_new_paths (f);
  if (whole->paths.has_twins) /* which of several is found depends on all */
    sluice_path_table_rebuild (&whole->paths, whole->groups, whole->n_groups);
}

static guint
count_series (const SluiceHierarchy *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_groups; i++)
    n += self->draft[i] == SLUICE_NONE;
  return n;
}

static void
fill_in_before (Filling *f)
{
  SluiceHierarchy *self = f->whole, outline = *self;
  guint n = f->tree->n_drafts + count_series (&outline) + count_series (f->before);
  g_autofree guint *source = f->source = g_new (guint, n);
  g_autofree guint *devices = f->devices = map_devices (self, f->before);
  f->outline = &outline;
  self->groups = g_new (SluiceGroup, n);
  self->draft = g_new (guint, n);
  self->outer = g_new (guint, n);
  self->n_bundles = 0;
  fill_groups (f);
  fill_all_bundles (f);
  sluice_path_table_copy_moved (&self->paths, &f->before->paths, f->successor);
  complete_paths (f);
  g_free (outline.groups);
  g_free (outline.draft);
  g_free (outline.bundles);
  g_free (outline.bundled);
  g_free (outline.bundle_start);
}

/* The outline is the whole. */
static void
fill_in_nothing (Filling *f)
{
  SluiceHierarchy *self = f->whole;
  self->outer = g_new (guint, self->n_groups);
  for (guint i = 0; i < self->n_groups; i++)
    settle_group (f, i, self->groups[i].parent);
  self->paths = f->tree->fresh;
  f->tree->fresh = (SluicePathTable){ 0 };
  sluice_path_table_move (&self->paths, f->draft_group);
  complete_paths (f);
}

void
sluice_hierarchy_fill_in (SluiceHierarchy *self, SluiceTree *tree)
{
  Filling f = { .tree = tree, .before = tree->before, .whole = self };
  g_autofree guint *draft_group = f.draft_group = g_new (guint, tree->n_drafts);
  g_autofree guint *successor = f.successor = g_new (guint, tree->n_before + 1);
  memset (successor, 0xff, tree->n_before * sizeof *successor);
  self->inner = g_array_new (FALSE, FALSE, sizeof (guint));
  if (f.before != NULL)
    fill_in_before (&f);
  else
    fill_in_nothing (&f);
  sluice_hierarchy_join_pairs (self, tree, draft_group);
  g_clear_pointer (&self->lifted, g_free);
  g_clear_pointer (&self->is_given, g_free);
}
