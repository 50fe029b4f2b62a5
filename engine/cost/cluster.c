/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/cluster.h"

#include <math.h>

/* A cluster takes at most so many times its share of all the time. */
#define MOST_SHARES 2

/* Between two groups. */
typedef struct
{
  guint a, b;
  double bytes;
} Tie;

typedef struct
{
  const SluicePolicyGroups *groups;
  guint *parent;  /* by group: union-find */
  double *us;     /* by root: on its fastest devices */
  guint n, most;  /* clusters there are, and may be in the end */
  double most_us; /* of one */
  GArray *ties;   /* of Tie */
} Clustering;

static guint
find_root (Clustering *self, guint group)
{
  while (self->parent[group] != group)
    group = self->parent[group] = self->parent[self->parent[group]];
  return group;
}

static void
unite (Clustering *self, guint a, guint b, double most_us)
{
  a = find_root (self, a);
  b = find_root (self, b);
  if (a == b || self->us[a] + self->us[b] > most_us || self->n <= self->most)
    return;
  self->parent[MAX (a, b)] = MIN (a, b);
  self->us[MIN (a, b)] = self->us[a] + self->us[b];
  self->n--;
}

static int
compare_heaviest_first (gconstpointer a, gconstpointer b)
{
  const Tie *x = a, *y = b;
  if (x->bytes > y->bytes || x->bytes < y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  return (x->b > y->b) - (x->b < y->b);
}

static void
find_ties (Clustering *self, const SluiceWorkload *w)
{
  self->ties = g_array_new (FALSE, FALSE, sizeof (Tie));
  for (guint v = 0; v < w->n_nodes; v++)
    for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
      {
        guint maker, value = sluice_workload_get_need (w, v, i, &maker);
        const Tie tie = { w->nodes[maker].group, w->nodes[v].group,
                          sluice_workload_get_bytes (w, value) };
        if (tie.a != tie.b)
          g_array_append_val (self->ties, tie);
      }
  g_array_sort (self->ties, compare_heaviest_first);
}

/* What nothing ties, or what would have become too large: whatever comes next in the order. */
static void
unite_rest (Clustering *self)
{
  for (double most_us = self->most_us; self->n > self->most; most_us *= 2)
    {
      guint before = 0;
      for (guint group = 1; group < self->groups->n; group++)
        {
          unite (self, before, group, most_us);
          if (find_root (self, group) != find_root (self, before))
            before = group;
        }
    }
}

static SluiceClusters *
number (Clustering *self)
{
  SluiceClusters *clusters = g_new0 (SluiceClusters, 1);
  guint n = self->groups->n;
  g_autofree guint *numbers = g_new (guint, n + 1);
  for (guint group = 0; group < n; group++) /* a root is the first of its cluster */
    numbers[group] =
        find_root (self, group) == group ? clusters->n++ : numbers[find_root (self, group)];
  clusters->first_member = g_new0 (guint, clusters->n + 2);
  clusters->members = g_new (guint, n + 1);
  for (guint group = 0; group < n; group++)
    clusters->first_member[numbers[group] + 2]++;
  for (guint i = 2; i < clusters->n + 2; i++)
    clusters->first_member[i] += clusters->first_member[i - 1];
  for (guint group = 0; group < n; group++)
    clusters->members[clusters->first_member[numbers[group] + 1]++] = group;
  return clusters;
}

SluiceClusters *
sluice_clusters_new (const SluiceWorkload *w, const SluicePolicyGroups *groups, guint most)
{
  Clustering self = { .groups = groups,
                      .parent = g_new (guint, groups->n + 1),
                      .us = g_new (double, groups->n + 1),
                      .n = groups->n,
                      .most = MAX (most, 1) };
  double all_us = 0;
  for (guint group = 0; group < groups->n; group++)
    {
      self.parent[group] = group;
      self.us[group] = sluice_policy_groups_get_us (
          groups, group, sluice_policy_groups_get_fastest (groups, group));
      all_us += self.us[group];
    }
  self.most_us = fmax (MOST_SHARES * all_us / self.most, 1e-9);
  find_ties (&self, w);
  for (guint i = 0; i < self.ties->len; i++)
    {
      const Tie *tie = &g_array_index (self.ties, Tie, i);
      unite (&self, tie->a, tie->b, self.most_us);
    }
  unite_rest (&self);
  SluiceClusters *clusters = number (&self);
  g_array_unref (self.ties);
  g_free (self.parent);
  g_free (self.us);
  return clusters;
}

void
sluice_clusters_free (SluiceClusters *self)
{
  g_free (self->first_member);
  g_free (self->members);
  g_free (self);
}
