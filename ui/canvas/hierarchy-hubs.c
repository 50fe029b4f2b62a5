/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <stdlib.h>
#include <string.h>

/* Hubs: siblings that everything is tied to stand aside. */

static int
compare_degrees (const void *a, const void *b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return (x > y) - (x < y);
}

/* The degree above which a box is a hub: far outside of the middle half (as TensorBoard;
 * out-degrees four times as far). */
static guint
outlier (const guint *degrees, guint n, guint times)
{
  g_autofree guint *sorted = g_memdup2 (degrees, n * sizeof *degrees);
  qsort (sorted, n, sizeof *sorted, compare_degrees);
  guint q1 = sorted[n / 4], q3 = sorted[3 * n / 4];
  return MAX (q3 + times * (q3 - q1), 4);
}

static gboolean
is_service_name (const char *leaf)
{
  static const char *const names[] = { "init", "save", "report_uninitialized_variables", "saver" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (leaf, names[i]))
      {
        const char *tail = leaf + strlen (names[i]);
        if (*tail == '\0' || (*tail == '_' && tail[1 + strspn (tail + 1, "0123456789")] == '\0'))
          return TRUE;
      }
  return FALSE;
}

/* In and out neighbours over data, and readers other than hubs, of the children of one scope. */
typedef struct
{
  guint *in, *out, *control;
} Degrees;

static gboolean
is_hub (const SluiceHierarchy *self, guint child, const Degrees *d)
{
  const SluiceGroup *g = &self->groups[child];
  guint i = child - self->groups[g->parent].first_child;
  if (g->kind == SLUICE_GROUP_OP && g->node_class == SLUICE_NODE_CLASS_CONTROL)
    return TRUE;
  if (g->node_class == SLUICE_NODE_CLASS_SUMMARY && d->in[i] > 1)
    return TRUE;
  if (g->parent == 0 && is_service_name (g->path))
    return TRUE;
  /* A counter or a rate: a variable that nothing is computed from in one place. */
  return g->parent == 0 && g->node_class == SLUICE_NODE_CLASS_VARIABLE && d->out[i] != 1;
}

void
sluice_hierarchy_find_hubs_in (SluiceHierarchy *self, guint scope)
{
  const SluiceGroup *g = &self->groups[scope];
  guint n = g->n_children;
  g_autofree guint *block = g_new0 (guint, 3 * (gsize) n);
  gboolean is_small = n < 15 && scope != 0; /* then nobody asks how many leave a child */
  Degrees d = { block, block + n, block + 2 * (gsize) n };

  for (guint b = self->bundle_start[scope]; b < self->bundle_start[scope + 1]; b++)
    {
      const SluiceEdgeBundle *bundle = &self->bundles[b];
      guint from = bundle->from - g->first_child, to = bundle->to - g->first_child;
      if (bundle->kind != SLUICE_EDGE_DATA)
        {
          d.control[from]++;
          d.control[to]++;
          continue;
        }
      d.out[from] += is_small || !is_service_name (self->groups[bundle->to].path);
      d.in[to]++;
    }
  guint in_limit = n < 15 ? G_MAXUINT : outlier (d.in, n, 1);
  guint out_limit = n < 15 ? G_MAXUINT : outlier (d.out, n, 4);
  for (guint i = 0; i < n; i++)
    {
      SluiceGroup *child = &self->groups[g->first_child + i];
      /* Halves of a model are never mere services, however much hangs on them. */
      const SluiceGroup *half =
          child->kind == SLUICE_GROUP_SERIES ? &self->groups[child->first_child] : child;
      gboolean keep = child->node_class == SLUICE_NODE_CLASS_CONSTANT || half->pair != SLUICE_NONE;
      child->hub = is_hub (self, g->first_child + i, &d)
                   || (!keep && (d.in[i] > in_limit || d.out[i] > out_limit));
    }
}

void
sluice_hierarchy_find_hubs (SluiceHierarchy *self)
{
  for (guint i = 0; i < self->n_groups; i++)
    if (self->groups[i].n_children > 0)
      sluice_hierarchy_find_hubs_in (self, i);
}
