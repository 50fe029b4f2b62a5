/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/graph-workload.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define NONE G_MAXUINT

typedef struct
{
  SluiceGraph *graph;
  const SluiceMachine *machine;
  SluiceCostModel *costs;
  SluicePlaceable *placeable;
  SluiceWorkload *w;
  GPtrArray *nodes; /* of SluiceNode, in the workload's order */
  guint *position;  /* by node index; NONE: it is not in it, or not yet */
  guint8 *is_open;  /* by node index: the search is within it */
  GArray *reads, *befores, *outputs;
} Builder;

static guint
get_n_makers (const SluiceNode *node)
{
  return node->n_inputs + node->n_control_inputs;
}

/* (nullable): an open input */
static SluiceNode *
get_maker (const SluiceNode *node, guint i)
{
  return i < node->n_inputs ? node->inputs[i].node : node->control_inputs[i - node->n_inputs];
}

/* ---- which nodes, in which order ---- */

typedef struct
{
  SluiceNode *node;
  guint next; /* maker to be looked at */
} Visit;

/* Makers first. What comes from a node that the search is within is a back edge. */
static void
add_with_makers (Builder *self, GArray *stack, SluiceNode *from)
{
  const Visit first = { from, 0 };
  if (self->position[from->id - 1] != NONE)
    return;
  g_array_append_val (stack, first);
  self->is_open[from->id - 1] = 1;
  while (stack->len > 0)
    {
      Visit *visit = &g_array_index (stack, Visit, stack->len - 1);
      SluiceNode *node = visit->node;
      if (visit->next == get_n_makers (node))
        {
          self->position[node->id - 1] = self->nodes->len;
          self->is_open[node->id - 1] = 0;
          g_ptr_array_add (self->nodes, node);
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      SluiceNode *maker = get_maker (node, visit->next++);
      if (maker == NULL || self->position[maker->id - 1] != NONE || self->is_open[maker->id - 1])
        continue;
      const Visit more = { maker, 0 };
      self->is_open[maker->id - 1] = 1;
      g_array_append_val (stack, more);
    }
}

static void
gather_nodes (Builder *self, const SluiceWorkloadScope *scope)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  guint n = sluice_graph_get_n_nodes (self->graph);
  for (guint i = 0; i < scope->n_targets; i++)
    add_with_makers (self, stack, scope->targets[i]);
  for (guint i = 0; i < scope->n_fetches; i++)
    add_with_makers (self, stack, scope->fetches[i].node);
  for (guint i = 0; i < n && scope->n_targets + scope->n_fetches == 0; i++)
    add_with_makers (self, stack, sluice_graph_get_node (self->graph, i));
}

/* ---- what they need ---- */

static gboolean
reads_of (const Builder *self, guint v, guint maker)
{
  const SluiceWorkloadNode *node = &self->w->nodes[v];
  for (guint i = node->first_read; i < node->first_read + node->n_reads; i++)
    if (g_array_index (self->outputs, SluiceWorkloadOutput, g_array_index (self->reads, guint, i))
            .node
        == maker)
      return TRUE;
  return FALSE;
}

static void
add_needs (Builder *self, guint v, const SluiceNode *node)
{
  SluiceWorkloadNode *told = &self->w->nodes[v];
  told->first_read = self->reads->len;
  told->first_before = self->befores->len;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      guint maker = edge.node != NULL ? self->position[edge.node->id - 1] : NONE;
      if (maker != NONE && maker < v && edge.port < (int) edge.node->n_outputs)
        told->n_reads += sluice_workload_add_once (
            self->reads, told->first_read, self->w->nodes[maker].first_output + (guint) edge.port);
    }
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      guint maker = self->position[node->control_inputs[i]->id - 1];
      if (maker < v && !reads_of (self, v, maker))
        told->n_befores += sluice_workload_add_once (self->befores, told->first_before, maker);
    }
}

static void
add_outputs (Builder *self, guint v, const SluiceNode *node)
{
  SluiceWorkloadNode *told = &self->w->nodes[v];
  told->first_output = self->outputs->len;
  told->n_outputs = node->n_outputs;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const SluiceWorkloadOutput output = { v, sluice_cost_model_get_bytes (self->costs, node, i,
                                                                            SLUICE_WORKLOAD_DIM) };
      g_array_append_val (self->outputs, output);
    }
}

/* ---- where they can stand ---- */

/* May it be there at all? On a device that computes nothing only what can stand nowhere else. */
static gboolean
is_allowed (const Builder *self, const guint8 *allowed, guint d)
{
  const SluiceMachine *machine = self->machine;
  gboolean computes = FALSE;
  if (allowed != NULL && !allowed[d])
    return FALSE;
  for (guint i = 0; i < machine->n_devices && !computes; i++)
    computes = (allowed == NULL || allowed[i]) && machine->devices[i].device->klass->computes;
  return !computes || machine->devices[d].device->klass->computes;
}

static gboolean
add_times (Builder *self, guint v, const SluiceNode *node, GError **error)
{
  guint n = self->machine->n_devices;
  const guint8 *allowed = self->placeable->allowed[self->placeable->roots[node->id - 1]];
  const GError *why = self->placeable->errors[node->id - 1];
  gboolean stands = FALSE;
  if (why != NULL)
    {
      g_propagate_error (error, g_error_copy (why));
      return FALSE;
    }
  for (guint d = 0; d < n; d++)
    {
      double *us = &self->w->us[(gsize) v * n + d];
      *us = is_allowed (self, allowed, d)
                ? sluice_cost_model_get (self->costs, node, &self->machine->devices[d],
                                         SLUICE_WORKLOAD_DIM)
                      .us
                : INFINITY;
      stands |= isfinite (*us);
    }
  if (stands)
    return TRUE;
  g_propagate_error (
      error,
      sluice_node_error_new (node, SLUICE_ERROR_FAILED_PRECONDITION,
                             "no device of the machine can have it: where it may stand it has no "
                             "kernel, or the costs name it and have no figure for that device"));
  return FALSE;
}

static gboolean
fill (Builder *self, GError **error)
{
  SluiceWorkload *w = self->w;
  guint n = self->nodes->len;
  g_autofree guint *group_of_root = g_new (guint, self->placeable->n_nodes + 1);
  for (guint i = 0; i < self->placeable->n_nodes; i++)
    group_of_root[i] = NONE;
  w->n_nodes = n;
  w->nodes = g_new0 (SluiceWorkloadNode, n + 1);
  w->us = g_new0 (double, (gsize) n * self->machine->n_devices + 1);
  for (guint v = 0; v < n; v++)
    {
      const SluiceNode *node = self->nodes->pdata[v];
      guint *group = &group_of_root[self->placeable->roots[node->id - 1]];
      if (*group == NONE)
        *group = w->n_groups++;
      w->nodes[v].name = node->name;
      w->nodes[v].group = *group;
      add_outputs (self, v, node);
      add_needs (self, v, node);
      if (!add_times (self, v, node, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- constants ---- */

/* Who alone reads each node; NONE: nobody, or several. */
static guint *
find_only_readers (const SluiceWorkload *w)
{
  g_autofree guint *first = NULL, *readers = NULL;
  guint *only = g_new (guint, w->n_nodes + 1);
  sluice_workload_index_readers (w, &first, &readers);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      const SluiceWorkloadNode *node = &w->nodes[v];
      guint n = first[w->n_outputs + v + 1] - first[w->n_outputs + v];
      only[v] = n == 1 ? readers[first[w->n_outputs + v]] : NONE;
      for (guint o = node->first_output; o < node->first_output + node->n_outputs; o++)
        if ((n += first[o + 1] - first[o]) == 1 && first[o + 1] > first[o])
          only[v] = readers[first[o]];
      if (n != 1)
        only[v] = NONE;
    }
  return only;
}

static gboolean
can_stand_with (const SluiceWorkload *w, guint v, guint other)
{
  for (guint d = 0; d < w->machine->n_devices; d++)
    if (isfinite (sluice_workload_get_us (w, other, d))
        && !isfinite (sluice_workload_get_us (w, v, d)))
      return FALSE;
  return TRUE;
}

/* A constant lies where it is read, from before the first step on; elsewhere it would travel in
 * each of them. */
static void
put_constants (Builder *self)
{
  SluiceWorkload *w = self->w;
  g_autofree guint *only = find_only_readers (w), *number = g_new (guint, w->n_groups + 1);
  guint n_groups = 0;
  for (guint v = w->n_nodes; v-- > 0;)
    if (only[v] != NONE && sluice_workload_get_n_needs (w, v) == 0
        && sluice_node_get_role (self->nodes->pdata[v]) == SLUICE_ROLE_CONST
        && can_stand_with (w, v, only[v]))
      w->nodes[v].group = w->nodes[only[v]].group;
  for (guint group = 0; group < w->n_groups; group++)
    number[group] = NONE;
  for (guint v = 0; v < w->n_nodes; v++)
    {
      guint *own = &number[w->nodes[v].group];
      if (*own == NONE)
        *own = n_groups++;
      w->nodes[v].group = *own;
    }
  w->n_groups = n_groups;
}

SluiceGraphWorkload *
sluice_graph_workload_new (SluiceGraph *graph,
                           const SluiceWorkloadScope *scope,
                           const SluiceMachine *machine,
                           SluiceCostModel *costs,
                           gboolean soft,
                           GError **error)
{
  guint n = sluice_graph_get_n_nodes (graph);
  g_autofree SluiceDevice **devices = g_new (SluiceDevice *, machine->n_devices);
  g_autofree guint *position = g_new (guint, n + 1);
  g_autofree guint8 *is_open = g_new0 (guint8, n + 1);
  g_autoptr (SluiceGraphWorkload) self = g_new0 (SluiceGraphWorkload, 1);
  for (guint d = 0; d < machine->n_devices; d++)
    devices[d] = machine->devices[d].device;
  for (guint i = 0; i < n; i++)
    position[i] = NONE;
  g_autoptr (SluicePlaceable) placeable =
      sluice_placeable_new (graph, devices, machine->n_devices, soft);
  SluiceWorkload *w = self->workload = sluice_workload_new (machine);
  Builder builder = { .graph = graph,
                      .machine = machine,
                      .costs = costs,
                      .placeable = placeable,
                      .w = w,
                      .nodes = g_ptr_array_new (),
                      .position = position,
                      .is_open = is_open,
                      .reads = g_array_new (FALSE, FALSE, sizeof (guint)),
                      .befores = g_array_new (FALSE, FALSE, sizeof (guint)),
                      .outputs = g_array_new (FALSE, FALSE, sizeof (SluiceWorkloadOutput)) };
  gather_nodes (&builder, scope);
  gboolean is_filled = fill (&builder, error);
  w->n_reads = builder.reads->len;
  w->n_befores = builder.befores->len;
  w->n_outputs = builder.outputs->len;
  w->reads = (guint *) g_array_free (builder.reads, FALSE);
  w->befores = (guint *) g_array_free (builder.befores, FALSE);
  w->outputs = (SluiceWorkloadOutput *) g_array_free (builder.outputs, FALSE);
  if (is_filled)
    put_constants (&builder);
  self->nodes = (SluiceNode **) g_ptr_array_free (builder.nodes, FALSE);
  return is_filled ? g_steal_pointer (&self) : NULL;
}

void
sluice_graph_workload_free (SluiceGraphWorkload *self)
{
  g_clear_pointer (&self->workload, sluice_workload_free);
  g_free (self->nodes);
  g_free (self);
}

/* ---- what was chosen ---- */

char *
sluice_graph_workload_dup_time (double us)
{
  if (us < 1000)
    return g_strdup_printf (_ ("%.3g µs"), us);
  return us < 1e6 ? g_strdup_printf (_ ("%.3g ms"), us / 1e3)
                  : g_strdup_printf (_ ("%.3g s"), us / 1e6);
}

static const char *
keep_reason (SluiceGraphPlaceChoice *self, const SluiceDecision *decision)
{
  g_autofree char *text = NULL;
  if (isfinite (decision->margin_us) && decision->margin_us > 0)
    {
      g_autofree char *time = sluice_graph_workload_dup_time (decision->margin_us);
      /* How a node came to its device: by which policy, and how much later it ends elsewhere. */
      text = g_strdup_printf (_ ("%s, by %s"), decision->reason, time);
    }
  return g_string_chunk_insert_const (self->texts, text != NULL ? text : decision->reason);
}

SluiceGraphPlaceChoice *
sluice_graph_place_choice_new (const SluiceGraphWorkload *workload,
                               SluiceGraph *graph,
                               const SluiceChoice *choice)
{
  guint n = sluice_graph_get_n_nodes (graph);
  SluiceGraphPlaceChoice *self = g_new0 (SluiceGraphPlaceChoice, 1);
  self->devices = g_new (int, n + 1);
  self->reasons = g_new0 (const char *, n + 1);
  self->texts = g_string_chunk_new (1024);
  memset (self->devices, 0xff, n * sizeof (int));
  for (guint v = 0; v < choice->n_nodes; v++)
    {
      guint i = workload->nodes[v]->id - 1;
      self->devices[i] = (int) choice->devices[v];
      self->reasons[i] = keep_reason (self, &choice->decisions[v]);
    }
  self->told = (SluicePlaceChoice){ self->devices, self->reasons };
  return self;
}

void
sluice_graph_place_choice_free (SluiceGraphPlaceChoice *self)
{
  g_free (self->devices);
  g_free (self->reasons);
  g_string_chunk_free (self->texts);
  g_free (self);
}

char *
sluice_graph_workload_dup_value_name (const SluiceGraphWorkload *self, guint node, guint output)
{
  const SluiceWorkload *w = self->workload;
  return output == NONE
             ? g_strdup_printf ("^%s", w->nodes[node].name)
             : g_strdup_printf ("%s:%u", w->nodes[node].name, output - w->nodes[node].first_output);
}
