/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

typedef struct
{
  guint parent, depth;
} Place;

/* The two children of the lowest common scope; FALSE for an edge of a node to itself. */
static gboolean
lift (const Place *places, guint a, guint b, SluiceLifted *out)
{
  if (a == b)
    return FALSE;
  while (places[a].depth > places[b].depth)
    a = places[a].parent;
  while (places[b].depth > places[a].depth)
    b = places[b].parent;
  while (places[a].parent != places[b].parent)
    {
      a = places[a].parent;
      b = places[b].parent;
    }
  out->from = a;
  out->to = b;
  return TRUE;
}

void
sluice_hierarchy_lift_edges (SluiceHierarchy *self)
{
  guint n_edges, n = 0;
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (self->model, &n_edges);
  g_autofree Place *places = g_new (Place, self->n_groups);
  for (guint i = 0; i < self->n_groups; i++)
    places[i] = (Place){ self->groups[i].parent, self->groups[i].depth };
  self->lifted = g_new (SluiceLifted, n_edges + 1);
  for (guint e = 0; e < n_edges; e++)
    {
      self->has_loops |= edges[e].kind == SLUICE_EDGE_BACK;
      self->lifted[n].edge = e;
      n += lift (places, self->op_group[edges[e].from], self->op_group[edges[e].to],
                 &self->lifted[n]);
    }
  self->n_lifted = n;
}

/* Stable counting sort by one end. */
static void
sort_by (const SluiceLifted *in, SluiceLifted *out, guint n, guint n_groups, gboolean by_from)
{
  g_autofree guint *start = g_new0 (guint, n_groups + 1);
  for (guint i = 0; i < n; i++)
    start[(by_from ? in[i].from : in[i].to) + 1]++;
  for (guint g = 0; g < n_groups; g++)
    start[g + 1] += start[g];
  for (guint i = 0; i < n; i++)
    out[start[by_from ? in[i].from : in[i].to]++] = in[i];
}

/* A set of tensors, by the edges that were the first of them. */
typedef struct
{
  const SluiceModelEdge *edges;
  guint *slots; /* an edge + 1, or 0 */
  guint mask;
} Tensors;

/* FALSE: it is there. */
static gboolean
tensors_add (Tensors *self, guint edge)
{
  const SluiceModelEdge *e = &self->edges[edge];
  for (guint i = (e->from * 2654435761u + e->port) & self->mask;; i = (i + 1) & self->mask)
    {
      guint other = self->slots[i];
      if (other == 0)
        {
          self->slots[i] = edge + 1;
          return TRUE;
        }
      if (self->edges[other - 1].from == e->from && self->edges[other - 1].port == e->port)
        return FALSE;
    }
}

/* Bytes of the distinct tensors: one that feeds three readers in the same box crosses once. */
static guint64
count_bytes (const SluiceModelEdge *edges, const guint *bundled, guint n)
{
  guint64 bytes = 0;
  guint few[64] = { 0 }, n_slots = G_N_ELEMENTS (few);
  if (n == 1)
    return edges[*bundled].kind == SLUICE_EDGE_DATA ? edges[*bundled].bytes : 0;
  while (n_slots / 2 < n)
    n_slots *= 2;
  g_autofree guint *many = n_slots > G_N_ELEMENTS (few) ? g_new0 (guint, n_slots) : NULL;
  Tensors tensors = { edges, many != NULL ? many : few, n_slots - 1 };
  for (guint i = 0; i < n; i++)
    if (edges[bundled[i]].kind == SLUICE_EDGE_DATA && tensors_add (&tensors, bundled[i]))
      bytes += edges[bundled[i]].bytes;
  return bytes;
}

static void
finish_bundle (SluiceHierarchy *self,
               SluiceEdgeBundle *bundle,
               const SluiceModelEdge *edges,
               gboolean with_bytes)
{
  const guint *bundled = &self->bundled[bundle->first_edge];
  bundle->serves = TRUE;
  for (guint i = 0; i < bundle->n_edges; i++)
    {
      bundle->serves &= self->service[edges[bundled[i]].from];
      SluiceEdgeKind kind = edges[bundled[i]].kind;
      bundle->n_control += kind == SLUICE_EDGE_CONTROL;
      bundle->n_reference += kind == SLUICE_EDGE_REFERENCE;
      bundle->n_back += kind == SLUICE_EDGE_BACK;
    }
  if (bundle->n_control + bundle->n_reference + bundle->n_back < bundle->n_edges)
    bundle->kind = SLUICE_EDGE_DATA;
  else if (bundle->n_back > 0)
    bundle->kind = SLUICE_EDGE_BACK;
  else
    bundle->kind = bundle->n_reference > 0 ? SLUICE_EDGE_REFERENCE : SLUICE_EDGE_CONTROL;
  bundle->bytes = with_bytes ? count_bytes (edges, bundled, bundle->n_edges) : 0;
}

void
sluice_hierarchy_build_bundles (SluiceHierarchy *self, gboolean with_bytes)
{
  guint n = self->n_lifted, n_edges;
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (self->model, &n_edges);
  g_autofree SluiceLifted *lifted = g_new (SluiceLifted, n + 1);
  g_autofree SluiceLifted *scratch = g_new (SluiceLifted, n + 1);

  sort_by (self->lifted, scratch, n, self->n_groups, FALSE);
  sort_by (scratch, lifted, n, self->n_groups, TRUE);

  g_free (self->bundles);
  g_free (self->bundled);
  g_free (self->bundle_start);
  self->bundles = g_new0 (SluiceEdgeBundle, n + 1);
  self->bundled = g_new (guint, n + 1);
  self->bundle_start = g_new0 (guint, self->n_groups + 1);
  self->n_bundles = 0;
  for (guint i = 0; i < n; i++)
    {
      SluiceEdgeBundle *b = &self->bundles[self->n_bundles];
      self->bundled[i] = lifted[i].edge;
      if (i > 0 && lifted[i].from == lifted[i - 1].from && lifted[i].to == lifted[i - 1].to)
        b = &self->bundles[self->n_bundles - 1];
      else
        {
          /* Siblings are numbered consecutively and scopes breadth first, so `from` sorts by scope
           * too. */
          b->group = self->groups[lifted[i].from].parent;
          b->from = lifted[i].from;
          b->to = lifted[i].to;
          b->first_edge = i;
          self->bundle_start[b->group + 1]++;
          self->n_bundles++;
        }
      b->n_edges++;
    }
  for (guint g = 0; g < self->n_groups; g++)
    self->bundle_start[g + 1] += self->bundle_start[g];
  for (guint i = 0; i < self->n_bundles; i++)
    finish_bundle (self, &self->bundles[i], edges, with_bytes);
}
