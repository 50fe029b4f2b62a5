/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-private.h"

#include <string.h>

/* Hubs: what serves the model rather than being part of it stands aside. A part of the model never
 * does, however much is tied to it. */

/* Whether what @edge leads from may be there for what it leads to alone. That a group of targets
 * waits for it says nothing. */
static gboolean
is_use (const SluiceModelNode *nodes, const SluiceModelEdge *edge)
{
  return edge->kind != SLUICE_EDGE_REFERENCE
         && nodes[edge->to].node_class != SLUICE_NODE_CLASS_CONTROL;
}

static gboolean
may_serve (const SluiceModelNode *node)
{
  return node->node_class == SLUICE_NODE_CLASS_OP || node->node_class == SLUICE_NODE_CLASS_CONSTANT;
}

/* What depends on whether there is a value, until it is kept. Edges lead most often to later nodes.
 */
static void
find_answers (SluiceHierarchy *self, guint *queue, guint *n_done)
{
  guint n_edges;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (self->model, &n_edges);
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (self->model, &n_edges);
  g_autofree guint8 *answers = g_new0 (guint8, sluice_graph_model_get_n_nodes (self->model) + 1);
  gboolean grown = TRUE;
  for (guint pass = 0; grown && pass < 16; pass++)
    {
      grown = FALSE;
      for (guint e = 0; e < n_edges; e++)
        {
          guint from = edges[e].from, to = edges[e].to;
          if (edges[e].kind != SLUICE_EDGE_DATA || answers[to] || self->service[to]
              || (nodes[from].service != SLUICE_SERVICE_ASK && !answers[from])
              || nodes[to].node_class != SLUICE_NODE_CLASS_OP)
            continue;
          grown = answers[to] = self->service[to] = TRUE;
          queue[(*n_done)++] = to;
        }
    }
}

/* What nobody reads, waits for something to be kept and computes nothing from the model tells that
 * it was: a saver's name of its file, a variable's new value. */
static void
find_receipts (SluiceHierarchy *self,
               const guint *readers,
               const guint *start,
               const guint *from,
               guint *queue,
               guint *n_done)
{
  guint n;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (self->model, &n);
  for (guint i = 0; i < n; i++)
    {
      gboolean waits = FALSE, serves = readers[i] == 0 && may_serve (&nodes[i]);
      for (guint e = start[i]; e < start[i + 1] && serves; e++)
        {
          gboolean keeps = nodes[from[e]].service == SLUICE_SERVICE_KEEP;
          waits |= keeps;
          serves = keeps || nodes[from[e]].node_class == SLUICE_NODE_CLASS_CONSTANT
                   || nodes[from[e]].node_class == SLUICE_NODE_CLASS_VARIABLE;
        }
      if (!serves || !waits || self->service[i])
        continue;
      self->service[i] = TRUE;
      queue[(*n_done)++] = i;
    }
}

/* What nobody reads serves whom it is made from. */
static void
find_ends (SluiceHierarchy *self, const guint *readers, const guint *start, const guint *from)
{
  guint n;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (self->model, &n);
  for (guint i = 0; i < n; i++)
    {
      gboolean serves = readers[i] == 0 && may_serve (&nodes[i]) && start[i] < start[i + 1];
      for (guint e = start[i]; e < start[i + 1] && serves; e++)
        serves = self->service[from[e]];
      self->service[i] |= serves;
    }
}

/* Summaries and what they are called tell of the model; what they are made from is part of it. */
static void
find_summaries (SluiceHierarchy *self)
{
  guint n, n_edges;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (self->model, &n);
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (self->model, &n_edges);
  g_autofree guint8 *is_read = g_new0 (guint8, n + 1); /* 1: by summaries, 2: by others */
  for (guint e = 0; e < n_edges; e++)
    is_read[edges[e].from] |= nodes[edges[e].to].node_class == SLUICE_NODE_CLASS_SUMMARY ? 1 : 2;
  for (guint i = 0; i < n; i++)
    self->service[i] |= nodes[i].node_class == SLUICE_NODE_CLASS_SUMMARY
                        || (nodes[i].node_class == SLUICE_NODE_CLASS_CONSTANT && is_read[i] == 1);
}

/* What only ops that keep values read is computed for them: initial values, what a value is
 * replaced by when it is not there, averages. */
void
sluice_hierarchy_find_services (SluiceHierarchy *self)
{
  guint n, n_edges, n_done = 0;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (self->model, &n);
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (self->model, &n_edges);
  g_autofree guint *readers = g_new0 (guint, n + 1); /* that may yet be part of the model */
  g_autofree guint *start = g_new0 (guint, n + 2);   /* edges by where they lead */
  g_autofree guint *from = g_new (guint, n_edges + 1);
  g_autofree guint *queue = g_new (guint, n + 1);
  self->service = g_new0 (guint8, n + 1);
  for (guint e = 0; e < n_edges; e++)
    {
      readers[edges[e].from] += edges[e].kind != SLUICE_EDGE_REFERENCE;
      start[edges[e].to + 2] += is_use (nodes, &edges[e]);
    }
  for (guint i = 0; i < n; i++)
    start[i + 2] += start[i + 1];
  for (guint e = 0; e < n_edges; e++)
    if (is_use (nodes, &edges[e]))
      from[start[edges[e].to + 1]++] = edges[e].from;
  for (guint i = 0; i < n; i++)
    if (nodes[i].service != SLUICE_SERVICE_NONE || nodes[i].node_class == SLUICE_NODE_CLASS_CONTROL)
      {
        self->service[i] = TRUE;
        queue[n_done++] = i;
      }
  find_receipts (self, readers, start, from, queue, &n_done);
  find_answers (self, queue, &n_done);
  for (guint k = 0; k < n_done; k++)
    for (guint e = start[queue[k]]; e < start[queue[k] + 1]; e++)
      {
        guint i = from[e];
        if (--readers[i] > 0 || self->service[i] || !may_serve (&nodes[i]))
          continue;
        self->service[i] = TRUE;
        queue[n_done++] = i;
      }
  find_ends (self, readers, start, from);
  find_summaries (self);
}

/* Of a series as well, whose path is "save[0-6]". */
static gboolean
is_service_name (const char *leaf)
{
  static const char *const names[] = { "init", "save", "report_uninitialized_variables", "saver" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (leaf, names[i]))
      {
        const char *tail = leaf + strlen (names[i]);
        if (*tail == '\0' || *tail == '['
            || (*tail == '_' && tail[1 + strspn (tail + 1, "0123456789")] == '\0'))
          return TRUE;
      }
  return FALSE;
}

/* Neighbours over data of the children of one scope: all that they read, and what of the model
 * reads them. */
typedef struct
{
  guint *in, *out;
  guint8 *is_told;   /* reads something of the model */
  guint8 *serves;    /* something reads it that is no part of the model */
  gboolean is_model; /* one of them computes something of the model */
} Degrees;

static gboolean
is_hub (const SluiceHierarchy *self, guint child, const Degrees *d)
{
  const SluiceGroup *g = &self->groups[child];
  guint i = child - self->groups[g->parent].first_child;
  if (g->kind == SLUICE_GROUP_OP && g->node_class == SLUICE_NODE_CLASS_CONTROL)
    return TRUE;
  if (g->n_model == 0 && g->pair == SLUICE_NONE
      && (g->node_class == SLUICE_NODE_CLASS_OP || g->node_class == SLUICE_NODE_CLASS_CONTROL
          || (g->node_class == SLUICE_NODE_CLASS_CONSTANT && g->kind == SLUICE_GROUP_SCOPE))
      && self->groups[g->parent].n_model > 0
      && self->groups[g->parent].node_class != SLUICE_NODE_CLASS_VARIABLE)
    return TRUE;
  if (g->node_class == SLUICE_NODE_CLASS_SUMMARY && (d->in[i] > 1 || !d->is_told[i]))
    return TRUE;
  if (g->parent == 0 && is_service_name (g->path))
    return TRUE;
  /* The name of a file; what is kept of a training that is not in this graph, unless nothing but
   * that is. */
  if (g->parent == 0 && d->serves[i] && d->out[i] == 0
      && ((g->node_class == SLUICE_NODE_CLASS_PLACEHOLDER && self->groups[0].n_model > 0)
          || (g->node_class == SLUICE_NODE_CLASS_VARIABLE && d->is_model)))
    return TRUE;
  /* A counter or a rate: one number that nothing is computed from in one place. A table that many
   * read is part of the model, also where it is not trained here. */
  return g->parent == 0 && g->node_class == SLUICE_NODE_CLASS_VARIABLE && g->params == 0
         && (d->out[i] == 0 || (d->out[i] > 1 && g->held <= 1));
}

void
sluice_hierarchy_find_hubs_in (SluiceHierarchy *self, guint scope)
{
  const SluiceGroup *g = &self->groups[scope];
  guint n = g->n_children;
  g_autofree guint *block = g_new0 (guint, 2 * (gsize) n);
  g_autofree guint8 *flags = g_new0 (guint8, 2 * (gsize) n + 1);
  Degrees d = { block, block + n, flags, flags + n, FALSE };

  for (guint i = 0; i < n && !d.is_model; i++)
    d.is_model = self->groups[g->first_child + i].n_model > 0
                 && self->groups[g->first_child + i].node_class == SLUICE_NODE_CLASS_OP;
  for (guint b = self->bundle_start[scope]; b < self->bundle_start[scope + 1]; b++)
    {
      const SluiceEdgeBundle *bundle = &self->bundles[b];
      if (bundle->kind != SLUICE_EDGE_DATA)
        continue;
      const SluiceGroup *to = &self->groups[bundle->to];
      gboolean serves = to->n_model == 0 || (scope == 0 && is_service_name (to->path));
      d.out[bundle->from - g->first_child] += !serves;
      d.serves[bundle->from - g->first_child] |= serves;
      d.in[bundle->to - g->first_child]++;
      d.is_told[bundle->to - g->first_child] |= self->groups[bundle->from].n_model > 0;
    }
  for (guint i = 0; i < n; i++)
    self->groups[g->first_child + i].hub = is_hub (self, g->first_child + i, &d);
}

void
sluice_hierarchy_find_hubs (SluiceHierarchy *self)
{
  for (guint i = 0; i < self->n_groups; i++)
    if (self->groups[i].n_children > 0)
      sluice_hierarchy_find_hubs_in (self, i);
}
