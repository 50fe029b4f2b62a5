/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/comparison.h"

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/grad/control-flow.h"
#include "engine/graph/lower.h"
#include "engine/passes/spread.h"
#include "engine/passes/work.h"
#include "engine/train/reference.h"

typedef struct
{
  SluiceGraph *graph;
  const SluiceComparisonOptions *options;
  GArray *fed;             /* of SluiceEdge */
  guint8 *is_out;          /* by id: not to be compared where nothing is named */
  guint32 *place;          /* by id: position in order + 1; 0: not in it */
  GPtrArray *order;        /* of SluiceNode: what is needed, each after what it needs */
  SluiceControlFlow *flow; /* (nullable): there are no loops */
  GPtrArray *targets;      /* of char, borrowed: nodes that are run beside what is fetched */
} Select;

static gboolean
is_fed (const Select *self, SluiceEdge edge)
{
  for (guint i = 0; i < self->fed->len; i++)
    {
      SluiceEdge fed = g_array_index (self->fed, SluiceEdge, i);
      if (fed.node == edge.node && fed.port == edge.port)
        return TRUE;
    }
  return FALSE;
}

/* ---- the order ---- */

typedef struct
{
  SluiceNode *node;
  guint next;
} Visit;

static guint
count_needed (const SluiceNode *node)
{
  const SluiceLowered *call = sluice_node_get_lowered (node);
  return node->n_inputs + node->n_control_inputs
         + (call != NULL ? call->n_outputs + call->n_effects + 1 : 0);
}

/* Number i of what must have run before the node; NULL: that is fed, or the graph lacks it. */
static SluiceNode *
get_needed (const Select *self, const SluiceNode *node, guint i)
{
  if (i < node->n_inputs)
    return is_fed (self, node->inputs[i]) ? NULL : node->inputs[i].node;
  i -= node->n_inputs;
  if (i < node->n_control_inputs)
    return node->control_inputs[i];
  i -= node->n_control_inputs;
  const SluiceLowered *call = sluice_node_get_lowered (node);
  if (i < call->n_outputs)
    return call->outputs[i].node;
  i -= call->n_outputs;
  return i < call->n_effects ? call->effects[i] : call->done;
}

#define UNDER_WAY G_MAXUINT32

static void
push (Select *self, GArray *stack, SluiceNode *node)
{
  if (node == NULL || self->place[node->id] != 0)
    return;
  self->place[node->id] = UNDER_WAY;
  g_array_append_vals (stack, &(Visit){ node, 0 }, 1);
}

/* Appends the closure of a node. The nodes of a loop have no order among themselves that matters:
 * none of them is compared. */
static void
visit (Select *self, SluiceNode *root)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  push (self, stack, root);
  while (stack->len > 0)
    {
      Visit *top = &g_array_index (stack, Visit, stack->len - 1);
      if (top->next < count_needed (top->node))
        {
          push (self, stack, get_needed (self, top->node, top->next++));
          continue;
        }
      g_ptr_array_add (self->order, top->node);
      self->place[top->node->id] = self->order->len;
      g_array_set_size (stack, stack->len - 1);
    }
}

/* ---- where nothing is named: what may run at all ---- */

/* Leaves a node out, and all that waits for it. */
static void
leave_out (Select *self, SluiceNode *node)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_ptr_array_add (stack, node);
  while (stack->len > 0)
    {
      SluiceNode *from = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      guint n;
      if (self->is_out[from->id])
        continue;
      self->is_out[from->id] = TRUE;
      const SluiceUse *uses = sluice_graph_get_uses (self->graph, from, &n);
      for (guint i = 0; i < n; i++)
        if (uses[i].input < 0 || !is_fed (self, (SluiceEdge){ from, uses[i].port }))
          g_ptr_array_add (stack, uses[i].node);
    }
}

/* Does the node give others the variable that it takes there, or only read it? */
static gboolean
is_writer (const SluiceNode *node)
{
  return !sluice_node_get_traits (node)->moves_value
         && !(node->op != NULL && node->op->def->flags & SLUICE_OP_ONLY_READS);
}

/* Leaves out what writes the variable: who reads it may come before or after. */
static void
leave_out_writers (Select *self, SluiceNode *variable)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (stack, variable);
  while (stack->len > 0)
    {
      SluiceNode *from = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      guint n;
      if (!g_hash_table_add (seen, from))
        continue;
      const SluiceUse *uses = sluice_graph_get_uses (self->graph, from, &n);
      for (guint i = 0; i < n; i++)
        {
          SluiceNode *user = uses[i].node;
          if (uses[i].input < 0 || user->error != NULL
              || (sluice_edge_dtype ((SluiceEdge){ from, uses[i].port }) != SLUICE_RESOURCE
                  && !sluice_node_takes_ref (user, (guint) uses[i].input)))
            continue;
          if (is_writer (user))
            leave_out (self, user);
          else
            g_ptr_array_add (stack, user);
        }
    }
}

static gboolean
has_handle (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL && sluice_edge_dtype (node->inputs[i]) == SLUICE_RESOURCE)
      return TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i].dtype == SLUICE_RESOURCE || sluice_dtype_is_ref (node->outputs[i].dtype))
      return TRUE;
  return FALSE;
}

/* Does it touch what is outside of the graph and its variables? Sources of random numbers, which
 * have a seed, do not. */
static gboolean
touches_world (const SluiceNode *node)
{
  SluiceRole role = sluice_node_get_role (node);
  if (role == SLUICE_ROLE_ENQUEUE || role == SLUICE_ROLE_DEQUEUE)
    return TRUE;
  if (has_handle (node))
    return node->n_outputs == 0;
  return sluice_node_is_stateful (node) && sluice_node_get_attr (node, "seed") == NULL
         && !(node->op != NULL && node->op->def->flags & SLUICE_OP_CHECKS);
}

static void
leave_out_all (Select *self)
{
  guint n = sluice_graph_get_n_nodes (self->graph);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->graph, i);
      SluiceRole role = sluice_node_get_role (node);
      gboolean is_unfed =
          role == SLUICE_ROLE_PLACEHOLDER && !is_fed (self, (SluiceEdge){ node, 0 });
      if (node->error != NULL || is_unfed || touches_world (node))
        leave_out (self, node);
      else if (sluice_node_get_traits (node)->is_state)
        leave_out_writers (self, node);
    }
}

static void
select_all (Select *self)
{
  guint n = sluice_graph_get_n_nodes (self->graph);
  leave_out_all (self);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->graph, i);
      if (!self->is_out[node->id])
        visit (self, node);
    }
}

/* ---- edges ---- */

/* NULL: the output can be fetched and compared; else why not. */
static const char *
why_not (const Select *self, SluiceEdge edge)
{
  SluiceDType dtype = sluice_edge_dtype (edge);
  if (self->flow != NULL && sluice_control_flow_output_frame_of (self->flow, edge.node) != 0)
    return "lies inside a loop";
  if (dtype == SLUICE_INVALID || sluice_dtype_base (dtype) == SLUICE_RESOURCE
      || sluice_dtype_base (dtype) == SLUICE_VARIANT)
    return "is no tensor of numbers or strings";
  /* The handle of a queue, a reader or a table as it was before there were resources. */
  if (dtype == SLUICE_REF + SLUICE_STRING
      && sluice_node_get_role (edge.node) != SLUICE_ROLE_VARIABLE)
    return "is a handle";
  return NULL;
}

static void
add_edge (GArray *edges, SluiceEdge edge, const char *name)
{
  g_autofree char *own =
      name == NULL ? g_strdup_printf ("%s:%d", edge.node->name, edge.port) : NULL;
  sluice_compared_add (edges, edge, name != NULL ? name : own);
}

/* What a name in the reference stands for; of a variable's handle the value, as a node reads it. */
static const char *
find_named (const Select *self, const char *name, SluiceEdge *edge)
{
  guint n;
  if (!sluice_graph_parse_edge (self->graph, name, edge, NULL))
    return "is not in the graph";
  const SluiceUse *uses = sluice_graph_get_uses (self->graph, edge->node, &n);
  if (sluice_edge_dtype (*edge) == SLUICE_RESOURCE)
    for (guint i = 0; i < n; i++)
      if (sluice_node_get_role (uses[i].node) == SLUICE_ROLE_READ_VARIABLE)
        {
          *edge = (SluiceEdge){ uses[i].node, 0 };
          break;
        }
  return why_not (self, *edge);
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const SluiceEdge *x = &((const SluiceCompared *) a)->edge;
  const SluiceEdge *y = &((const SluiceCompared *) b)->edge;
  const Select *self = data;
  guint32 p = self->place[x->node->id], q = self->place[y->node->id];
  return p != q ? (p > q) - (p < q) : x->port - y->port;
}

/* The edges that a reference names, of those that are asked for, and what is fed: it comes first.
 */
static void
select_named (Select *self, SluiceReference *reference, SluiceComparison *into)
{
  GPtrArray *names = sluice_reference_list (reference);
  for (guint i = 0; i < names->len; i++)
    {
      SluiceEdge edge;
      const char *name = names->pdata[i], *why = find_named (self, name, &edge);
      if (why != NULL)
        {
          g_ptr_array_add (into->left_out, g_strdup_printf ("'%s' %s", name, why));
          continue;
        }
      if (self->options->fetches == NULL)
        visit (self, edge.node);
      if (self->place[edge.node->id] != 0 || is_fed (self, edge))
        add_edge (into->edges, edge, name);
    }
  g_array_sort_with_data (into->edges, compare_places, self);
}

static void
select_order (Select *self, SluiceComparison *into)
{
  for (guint i = 0; i < self->order->len; i++)
    {
      SluiceNode *node = self->order->pdata[i];
      for (guint k = 0; k < node->n_outputs; k++)
        if (why_not (self, (SluiceEdge){ node, (int) k }) == NULL)
          add_edge (into->edges, (SluiceEdge){ node, (int) k }, NULL);
    }
}

/* A name with a port is an edge; without one a node, which may have no outputs. */
static gboolean
visit_fetches (Select *self, GError **error)
{
  for (guint i = 0; self->options->fetches[i] != NULL; i++)
    {
      SluiceEdge edge = { sluice_graph_find (self->graph, self->options->fetches[i]), 0 };
      if (edge.node == NULL
          && !sluice_graph_parse_edge (self->graph, self->options->fetches[i], &edge, error))
        return FALSE;
      visit (self, edge.node);
      g_ptr_array_add (self->targets, (char *) edge.node->name);
    }
  return TRUE;
}

/* ---- to begin with ---- */

static Select
select_make (SluiceGraph *graph, const SluiceComparisonOptions *options)
{
  return (Select){ .graph = graph,
                   .options = options,
                   .fed = g_array_new (FALSE, FALSE, sizeof (SluiceEdge)),
                   .order = g_ptr_array_new (),
                   .targets = g_ptr_array_new () };
}

static gboolean
find_fed (Select *self, GError **error)
{
  for (guint i = 0; i < self->options->n_feeds; i++)
    {
      SluiceEdge edge;
      if (!sluice_graph_parse_edge (self->graph, self->options->feeds[i].edge, &edge, error))
        return FALSE;
      g_array_append_val (self->fed, edge);
    }
  return TRUE;
}

/* Calls are written out, so that what lies in them is compared, too. FALSE: a loop is damaged. */
static gboolean
look_at_graph (Select *self, GError **error)
{
  guint n = sluice_graph_get_n_nodes (self->graph);
  g_autofree SluiceNode **nodes = g_new (SluiceNode *, n + 1);
  for (guint i = 0; i < n; i++)
    nodes[i] = sluice_graph_get_node (self->graph, i);
  sluice_graph_lower_closure (self->graph, NULL, 0, nodes, n);
  n = sluice_graph_get_n_nodes (self->graph);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (self->graph, i);
      if (sluice_node_get_role (node) != SLUICE_ROLE_ENTER || node->error == NULL)
        continue;
      g_propagate_error (error, g_error_copy (node->error));
      return FALSE;
    }
  self->flow = sluice_control_flow_new (self->graph, NULL, FALSE);
  self->is_out = g_new0 (guint8, n + 1);
  self->place = g_new0 (guint32, n + 1);
  return TRUE;
}

static gboolean
select_edges (Select *self, SluiceReference *reference, SluiceComparison *into, GError **error)
{
  if (!find_fed (self, error) || !look_at_graph (self, error))
    return FALSE;
  if (self->options->fetches != NULL && !visit_fetches (self, error))
    return FALSE;
  if (reference != NULL)
    select_named (self, reference, into);
  else
    {
      if (self->options->fetches == NULL)
        select_all (self);
      select_order (self, into);
    }
  if (into->edges->len > 0)
    return TRUE;
  const char *first = into->left_out->len > 0 ? into->left_out->pdata[0] : NULL;
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is nothing to compare%s%s",
                      first != NULL ? ": " : "", first != NULL ? first : "");
}

static void
select_clear (Select *self)
{
  g_array_unref (self->fed);
  g_ptr_array_unref (self->order);
  g_ptr_array_unref (self->targets);
  g_clear_pointer (&self->flow, sluice_control_flow_free);
  g_free (self->is_out);
  g_free (self->place);
}

/* ---- the parts of a step ---- */

/* Does it stand for the variable, or hand it on? */
static gboolean
is_variable (const SluiceNode *node)
{
  while (sluice_node_get_traits (node)->moves_value && node->n_inputs > 0
         && node->inputs[0].node != NULL)
    node = node->inputs[0].node;
  return sluice_node_get_traits (node)->is_state;
}

static void
add_parts (Select *self, GPtrArray *edges, GPtrArray *writers)
{
  for (guint i = 0; i < self->order->len; i++)
    {
      SluiceNode *node = self->order->pdata[i];
      if (self->is_out[node->id])
        {
          if (node->n_inputs > 0 && node->inputs[0].node != NULL && is_writer (node)
              && is_variable (node->inputs[0].node))
            g_ptr_array_add (writers, g_strdup (node->name));
          continue;
        }
      for (guint k = 0; k < node->n_outputs && !is_variable (node); k++)
        if (why_not (self, (SluiceEdge){ node, (int) k }) == NULL)
          g_ptr_array_add (edges, g_strdup_printf ("%s:%u", node->name, k));
    }
}

const SluiceNode *
sluice_comparison_find_written (const SluiceNode *writer)
{
  const SluiceNode *node = writer->n_inputs > 0 ? writer->inputs[0].node : NULL;
  while (node != NULL && !sluice_node_get_traits (node)->is_state)
    node = node->n_inputs > 0 ? node->inputs[0].node : NULL;
  return node;
}

gboolean
sluice_comparison_list_parts (SluiceGraph *graph,
                              const SluiceStepNames *names,
                              GPtrArray *edges,
                              GPtrArray *writers,
                              GError **error)
{
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  for (guint i = 0; i < names->n_fetches; i++)
    g_ptr_array_add (roots, (gpointer) names->fetches[i]);
  for (guint i = 0; i < names->n_targets; i++)
    g_ptr_array_add (roots, (gpointer) names->targets[i]);
  g_ptr_array_add (roots, NULL);
  const SluiceComparisonOptions options = { .feeds = names->feeds,
                                            .n_feeds = names->n_feeds,
                                            .fetches = (const char *const *) roots->pdata };
  Select select = select_make (graph, &options);
  gboolean ok = find_fed (&select, error) && look_at_graph (&select, error);
  if (ok)
    leave_out_all (&select);
  ok = ok && visit_fetches (&select, error);
  if (ok)
    add_parts (&select, edges, writers);
  select_clear (&select);
  return ok;
}

/* ---- runs ---- */

static void
unref_value (gpointer tensor)
{
  if (tensor != NULL)
    sluice_tensor_unref (tensor);
}

static GPtrArray *
run_session (const Select *select,
             const SluiceComparison *compared,
             SluiceSession *session,
             GError **error)
{
  const SluiceComparisonOptions *options = select->options;
  for (guint i = 0; options->targets != NULL && options->targets[i] != NULL; i++)
    if (!sluice_session_run (session,
                             &(SluiceStepNames){ .feeds = options->feeds,
                                                 .targets = &options->targets[i],
                                                 .n_feeds = options->n_feeds,
                                                 .n_targets = 1 },
                             NULL, NULL, error))
      return NULL;
  guint n = compared->edges->len;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (unref_value);
  for (guint i = 0; i < n; i++)
    {
      SluiceEdge edge = g_array_index (compared->edges, SluiceCompared, i).edge;
      g_ptr_array_add (names, g_strdup_printf ("%s:%d", edge.node->name, edge.port));
    }
  g_ptr_array_set_size (values, (int) n);
  if (!sluice_session_run (
          session,
          &(SluiceStepNames){ .feeds = options->feeds,
                              .fetches = (const char *const *) names->pdata,
                              .targets = (const char *const *) select->targets->pdata,
                              .n_feeds = options->n_feeds,
                              .n_fetches = n,
                              .n_targets = select->targets->len },
          (SluiceTensor **) values->pdata, &(SluiceRunOptions){ .fetches_dead = TRUE }, error))
    return NULL;
  return g_steal_pointer (&values);
}

/* One value an edge; NULL where a branch was not taken. */
static GPtrArray *
run_way (const Select *select,
         const SluiceComparison *compared,
         const SluiceWay *way,
         GError **error)
{
  SluiceSessionOptions options = { .n_cpus = way->n_cpus,
                                   .seed = select->options->seed,
                                   .files = select->options->files,
                                   .reference_kernels = way->plain,
                                   .no_optimize = way->plain,
                                   .no_fusion = way->plain };
  g_auto (GStrv) cpus = sluice_list_cpus (way->n_cpus);
  if (way->n_cpus > 1)
    sluice_spread_nodes (select->graph, 0, select->options->seed, (const char *const *) cpus,
                         way->n_cpus);
  sluice_pool_set_threads (way->n_threads);
  g_autoptr (SluiceSession) session = sluice_session_new (&options, error);
  if (session == NULL || !sluice_session_extend (session, select->graph, error))
    return NULL;
  return run_session (select, compared, session, error);
}

/* ---- what came out ---- */

static gboolean
compare_with_reference (SluiceComparison *self,
                        const Select *select,
                        SluiceReference *reference,
                        GError **error)
{
  g_autoptr (GPtrArray) got = run_way (select, self, &select->options->way, error);
  for (guint i = 0; got != NULL && i < self->edges->len; i++)
    {
      SluiceCompared *compared = &g_array_index (self->edges, SluiceCompared, i);
      g_autoptr (SluiceTensor) want = sluice_reference_read (reference, compared->name, error);
      if (want == NULL)
        return FALSE;
      sluice_compared_set (compared, got->pdata[i], want, &select->options->tolerance);
    }
  return got != NULL;
}

static gboolean
compare_runs (SluiceComparison *self, const Select *select, GError **error)
{
  g_autoptr (GPtrArray) want = run_way (select, self, &select->options->way, error);
  g_autoptr (GPtrArray) got =
      want != NULL ? run_way (select, self, &select->options->other, error) : NULL;
  for (guint i = 0; got != NULL && i < self->edges->len; i++)
    sluice_compared_set (&g_array_index (self->edges, SluiceCompared, i), got->pdata[i],
                         want->pdata[i], &select->options->tolerance);
  return got != NULL;
}

SluiceComparison *
sluice_compare (SluiceGraph *graph, const SluiceComparisonOptions *options, GError **error)
{
  g_autoptr (SluiceReference) reference =
      options->reference != NULL ? sluice_reference_open (options->reference, error) : NULL;
  if (options->reference != NULL && reference == NULL)
    return NULL;
  g_autoptr (SluiceComparison) self = g_new0 (SluiceComparison, 1);
  self->graph = sluice_graph_ref (graph);
  self->edges = sluice_compared_new_array ();
  self->left_out = g_ptr_array_new_with_free_func (g_free);
  Select select = select_make (graph, options);
  gboolean ok = select_edges (&select, reference, self, error)
                && (reference != NULL ? compare_with_reference (self, &select, reference, error)
                                      : compare_runs (self, &select, error));
  select_clear (&select);
  for (guint i = 0; ok && i < self->edges->len; i++)
    self->n_divergent += g_array_index (self->edges, SluiceCompared, i).diverges;
  if (ok)
    self->first = sluice_divergence_find (graph, self->edges);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
sluice_comparison_free (SluiceComparison *self)
{
  g_array_unref (self->edges);
  g_ptr_array_unref (self->left_out);
  g_clear_pointer (&self->first, sluice_divergence_free);
  sluice_graph_unref (self->graph);
  g_free (self);
}
