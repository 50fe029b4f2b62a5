/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* "gradients/conv1" and "gradients/conv1_grad" are the gradients of "conv1", whatever stands before
 * "gradients". */

/* Which hashes there are among new paths: a set that may hold more. */
typedef struct
{
  guint8 bits[1024];
} Filter;

static void
filter_add (Filter *self, guint hash)
{
  self->bits[hash / 8 % sizeof self->bits] |= 1u << hash % 8;
}

static gboolean
filter_has (const Filter *self, guint hash)
{
  return self->bits[hash / 8 % sizeof self->bits] & 1u << hash % 8;
}

/* The draft of the forward half of a gradient scope, or SLUICE_NONE. *hash: what it would be
 * called, without "_grad"; 0: it is no name of a gradient. */
static guint
find_forward (const SluiceTree *self, const char *path, guint *hash)
{
  const char *rest = path + sluice_gradient_prefix (path);
  *hash = 0;
  if (rest == path)
    return SLUICE_NONE;
  gsize length = strlen (rest), bare = sluice_length_without_grad (rest, length);
  *hash = sluice_name_hash (SLUICE_NAME_HASH, rest, bare);
  guint whole = sluice_name_hash (*hash, rest + bare, length - bare);
  guint found = sluice_tree_lookup (self, rest, length, whole);
  if (found == SLUICE_NONE && bare < length)
    found = sluice_tree_lookup (self, rest, bare, *hash);
  return found != SLUICE_NONE && found != 0 && !sluice_tree_get_group (self, found)->gradient
             ? found
             : SLUICE_NONE;
}

static void
change_at (SluiceTree *self, guint draft)
{
  if (draft != SLUICE_NONE)
    self->is_changed[sluice_tree_get_parent (self, draft)] = TRUE;
}

static void
set_pair (SluiceTree *self, guint draft, guint forward, guint hash)
{
  self->forward[draft] = hash;
  self->pair[draft] = forward;
  if (forward != SLUICE_NONE)
    self->is_paired[forward] = TRUE;
}

/* Scopes that are new; their parents are changed anyway. */
static void
pair_made (SluiceTree *self)
{
  for (guint i = 0; i < self->made->len; i++)
    {
      const SluiceGroup *group = &g_array_index (self->made, SluiceGroup, i);
      guint hash;
      if (!group->gradient || group->kind != SLUICE_GROUP_SCOPE)
        continue;
      guint forward = find_forward (self, group->path, &hash);
      set_pair (self, g_array_index (self->made_drafts, guint, i), forward, hash);
      change_at (self, forward);
    }
}

/* What new paths may be the forward half of. */
static void
filter_made (const SluiceTree *self, Filter *filter)
{
  for (guint i = 0; i < self->made->len; i++)
    {
      const SluiceGroup *group = &g_array_index (self->made, SluiceGroup, i);
      gsize length = strlen (group->path), bare = sluice_length_without_grad (group->path, length);
      filter_add (filter, group->path_hash);
      if (bare < length)
        filter_add (filter, sluice_name_hash (SLUICE_NAME_HASH, group->path, bare));
    }
}

/* What was paired before is so still unless the forward half went, or something came that might be
 * one. */
static void
pair_kept (SluiceTree *self)
{
  const SluiceGroup *groups = self->before->groups;
  const GArray *gradients = self->before->gradients;
  Filter filter = { { 0 } };
  filter_made (self, &filter);
  for (guint i = 0; i < gradients->len; i++)
    {
      const SluiceGradient *gradient = &g_array_index (gradients, SluiceGradient, i);
      guint draft = sluice_tree_get_kept (self, gradient->group);
      guint old = groups[gradient->group].pair;
      guint forward = old == SLUICE_NONE ? SLUICE_NONE : sluice_tree_get_kept (self, old);
      if (draft == SLUICE_NONE)
        {
          change_at (self, forward);
          continue;
        }
      gboolean is_lost = old != SLUICE_NONE && forward == SLUICE_NONE;
      guint now = forward, hash;
      if (is_lost || filter_has (&filter, gradient->forward))
        now = find_forward (self, groups[gradient->group].path, &hash);
      if (is_lost || now != forward)
        change_at (self, draft); /* where the halves stand, "x_grad" or "x" came or went */
      set_pair (self, draft, now, gradient->forward);
    }
}

void
sluice_tree_find_pairs (SluiceTree *self)
{
  pair_made (self);
  if (self->before != NULL)
    pair_kept (self);
}

static void
join (SluiceHierarchy *self, guint gradient, guint forward)
{
  self->groups[gradient].pair = forward;
  if (self->groups[forward].pair == SLUICE_NONE)
    self->groups[forward].pair = gradient;
}

/* A fold of gradients is named after the fold that they are of. */
static void
join_fold (SluiceHierarchy *self, guint index)
{
  const char *path = self->groups[index].path;
  if (self->groups[index].kind != SLUICE_GROUP_SERIES
      || !g_str_has_prefix (path, SLUICE_GRADIENTS_OF))
    return;
  guint forward = sluice_hierarchy_lookup (self, path + strlen (SLUICE_GRADIENTS_OF));
  if (forward == SLUICE_NONE)
    return;
  self->groups[index].pair = forward;
  self->groups[forward].pair = index;
}

/* A series of gradients stands for the series that holds the first one's forward half. */
static void
join_series (SluiceHierarchy *self, guint index)
{
  guint member = self->groups[self->groups[index].first_child].pair;
  guint series = member == SLUICE_NONE ? SLUICE_NONE : self->groups[member].parent;
  if (series == SLUICE_NONE || self->groups[series].kind != SLUICE_GROUP_SERIES
      || self->groups[index].section)
    return;
  self->groups[index].pair = series;
  self->groups[series].pair = index;
}

void
sluice_hierarchy_join_pairs (SluiceHierarchy *self, const SluiceTree *tree, const guint *groups)
{
  for (guint i = 0; i < self->gradients->len; i++)
    {
      guint group = g_array_index (self->gradients, SluiceGradient, i).group;
      guint forward = tree->pair[self->draft[group]];
      if (forward != SLUICE_NONE)
        join (self, group, groups[forward]);
    }
  guint last = SLUICE_NONE;
  for (guint i = 0; i < self->gradients->len; i++)
    {
      guint group = g_array_index (self->gradients, SluiceGradient, i).group;
      guint parent = self->groups[group].parent;
      if (parent != last && self->groups[parent].kind == SLUICE_GROUP_SERIES
          && self->groups[parent].gradient)
        join_series (self, parent);
      last = parent;
    }
  for (guint i = 0; i < self->inner->len; i++)
    join_fold (self, g_array_index (self->inner, guint, i));
}
