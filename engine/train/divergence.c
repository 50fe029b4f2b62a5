/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/divergence.h"

#include "engine/graph/lower.h"
#include "engine/graph/role.h"

/* ---- one output ---- */

static void
compared_clear (gpointer data)
{
  SluiceCompared *self = data;
  g_free (self->name);
  g_free (self->mismatch);
  g_free (self->was);
  g_free (self->is);
  g_free (self->place);
}

GArray *
sluice_compared_new_array (void)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (SluiceCompared));
  g_array_set_clear_func (rows, compared_clear);
  return rows;
}

SluiceCompared *
sluice_compared_add (GArray *rows, SluiceEdge edge, const char *name)
{
  SluiceCompared row = { .edge = edge,
                         .name = g_strdup (name),
                         .difference = { .first_beyond = -1 } };
  g_array_append_val (rows, row);
  return &g_array_index (rows, SluiceCompared, rows->len - 1);
}

/* (transfer full) (nullable) */
static char *
dup_place (const SluiceShape *shape, gint64 i)
{
  gint64 at[SLUICE_MAX_RANK];
  if (shape->rank <= 0)
    return NULL;
  for (int d = shape->rank; d-- > 0; i /= shape->dim[d])
    at[d] = i % shape->dim[d];
  GString *text = g_string_new ("[");
  for (int d = 0; d < shape->rank; d++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d > 0 ? "," : "", at[d]);
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

static char *
dup_form (const SluiceTensor *tensor)
{
  char shape[SLUICE_SHAPE_STR];
  return g_strconcat (sluice_dtype_name (tensor->dtype), sluice_shape_str (&tensor->shape, shape),
                      NULL);
}

void
sluice_compared_set (SluiceCompared *self,
                     const SluiceTensor *got,
                     const SluiceTensor *want,
                     const SluiceTolerance *tolerance)
{
  double rtol = tolerance->rtol, atol = tolerance->atol;
  self->is_dead = got == NULL && want == NULL;
  if (self->is_dead)
    return;
  if (got == NULL || want == NULL)
    self->mismatch = g_strdup (got == NULL ? "no value: it lies in a branch that was not taken"
                                           : "a value, want none: a branch that is not taken");
  else if ((self->mismatch = sluice_tensor_dup_mismatch (got, want)) != NULL)
    {
      self->was = dup_form (want);
      self->is = dup_form (got);
    }
  else
    {
      if (tolerance->by_dtype)
        sluice_tensor_get_tolerance (want, &rtol, &atol);
      sluice_tensor_find_difference (got, want, rtol, atol, &self->difference);
    }
  gint64 beyond = self->difference.first_beyond;
  self->diverges = self->mismatch != NULL || self->difference.n_beyond > 0;
  if (beyond < 0)
    return;
  self->was = sluice_tensor_dup_element (want, beyond);
  self->is = sluice_tensor_dup_element (got, beyond);
  self->place = dup_place (&want->shape, beyond);
}

/* ---- what differs because what was read does ---- */

typedef struct
{
  SluiceGraph *graph;
  GHashTable *rows;    /* of Output to SluiceCompared */
  GHashTable *differs; /* a set of Output */
  GHashTable *reached; /* a set of nodes: they read something that differs */
  GPtrArray *stack;    /* of Output, owned by differs */
  gboolean changed;    /* in this round */
} Spread;

typedef struct
{
  SluiceNode *node;
  gint64 port; /* -1: what it left in variables */
} Output;

static guint
output_hash (gconstpointer data)
{
  const Output *self = data;
  return g_direct_hash (self->node) * 31 + (guint) self->port;
}

static gboolean
output_equal (gconstpointer a, gconstpointer b)
{
  const Output *x = a, *y = b;
  return x->node == y->node && x->port == y->port;
}

static void
add_differing (Spread *self, SluiceEdge edge)
{
  Output *output = g_memdup2 (&(Output){ edge.node, edge.port }, sizeof (Output));
  if (g_hash_table_contains (self->differs, output))
    {
      g_free (output);
      return;
    }
  g_hash_table_add (self->differs, output);
  g_ptr_array_add (self->stack, output);
  self->changed = TRUE;
}

/* Does it write or read what is no value on an edge? */
static gboolean
touches_state (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceDType dtype =
          node->inputs[i].node != NULL ? sluice_edge_dtype (node->inputs[i]) : SLUICE_INVALID;
      if (dtype == SLUICE_RESOURCE || sluice_dtype_is_ref (dtype))
        return TRUE;
    }
  return FALSE;
}

static void reach (Spread *self, SluiceNode *node);

/* Who must wait for it sees what it left in a variable. */
static void
reach_waiting (Spread *self, const SluiceNode *node)
{
  guint n;
  if (node->n_outputs > 0 && !touches_state (node))
    return;
  const SluiceUse *uses = sluice_graph_get_uses (self->graph, node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input < 0 && (uses[i].node->n_outputs == 0 || touches_state (uses[i].node)))
      reach (self, uses[i].node);
}

/* What waits for it is reached over the stack: chains may be as long as the graph. */
static void
reach (Spread *self, SluiceNode *node)
{
  if (!g_hash_table_add (self->reached, node))
    return;
  self->changed = TRUE;
  add_differing (self, (SluiceEdge){ node, -1 });
  for (guint k = 0; k < node->n_outputs; k++)
    if (!g_hash_table_contains (self->rows, &(Output){ node, k }))
      add_differing (self, (SluiceEdge){ node, (int) k });
}

static void
spread_from (Spread *self, const Output *output)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (self->graph, output->node, &n);
  reach_waiting (self, output->node);
  for (guint i = 0; i < n && output->port >= 0; i++)
    if (uses[i].input >= 0 && uses[i].port == output->port)
      reach (self, uses[i].node);
}

/* What a call gives is what stands in it where it is written out. */
static void
spread_through_calls (Spread *self)
{
  guint n = sluice_graph_get_n_nodes (self->graph);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->graph, i);
      const SluiceLowered *call = sluice_node_get_lowered (node);
      for (guint k = 0; call != NULL && k < call->n_outputs; k++)
        if (call->outputs[k].node != NULL
            && g_hash_table_contains (self->differs,
                                      &(Output){ call->outputs[k].node, call->outputs[k].port }))
          {
            g_hash_table_add (self->reached, node);
            if (!g_hash_table_contains (self->rows, &(Output){ node, k }))
              add_differing (self, (SluiceEdge){ node, (int) k });
          }
    }
}

static void
spread (Spread *self, const GArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    {
      SluiceCompared *row = &g_array_index (rows, SluiceCompared, i);
      Output output = { row->edge.node, row->edge.port };
      g_hash_table_insert (self->rows, g_memdup2 (&output, sizeof output), row);
    }
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, SluiceCompared, i).diverges)
      add_differing (self, g_array_index (rows, SluiceCompared, i).edge);
  do
    {
      self->changed = FALSE;
      while (self->stack->len > 0)
        spread_from (self, g_ptr_array_steal_index_fast (self->stack, self->stack->len - 1));
      spread_through_calls (self);
    }
  while (self->changed);
}

/* ---- the first ---- */

static char *
dup_edge_name (SluiceEdge edge)
{
  return g_strdup_printf ("%s:%d", edge.node->name, edge.port);
}

/* (nullable) */
static const SluiceNode *
find_variable (const SluiceNode *node)
{
  while (node != NULL && !sluice_node_get_traits (node)->is_state)
    node = node->n_inputs > 0 && touches_state (node) ? node->inputs[0].node : NULL;
  return node;
}

static SluiceDivergence *
divergence_new (const Spread *spread, const SluiceCompared *row)
{
  SluiceDivergence *self = g_new0 (SluiceDivergence, 1);
  const SluiceNode *node = row->edge.node, *variable = find_variable (node);
  self->node = g_strdup (node->name);
  self->op = g_strdup (node->op_name);
  self->tensor = g_strdup (row->name);
  self->mismatch = g_strdup (row->mismatch);
  self->was = g_strdup (row->was);
  self->is = g_strdup (row->is);
  self->place = g_strdup (row->place);
  self->difference = row->difference;
  self->variable = variable != NULL ? g_strdup (variable->name) : NULL;
  self->inputs = g_ptr_array_new_with_free_func (g_free);
  self->unknown = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (edge.node == NULL || sluice_edge_dtype (edge) == SLUICE_RESOURCE)
        continue;
      gboolean known = g_hash_table_contains (spread->rows, &(Output){ edge.node, edge.port });
      g_ptr_array_add (known ? self->inputs : self->unknown, dup_edge_name (edge));
    }
  return self;
}

SluiceDivergence *
sluice_divergence_find (SluiceGraph *graph, const GArray *rows)
{
  Spread self = { .graph = graph,
                  .rows = g_hash_table_new_full (output_hash, output_equal, g_free, NULL),
                  .differs = g_hash_table_new_full (output_hash, output_equal, g_free, NULL),
                  .reached = g_hash_table_new (NULL, NULL),
                  .stack = g_ptr_array_new () };
  g_autoptr (GHashTable) first = g_hash_table_new (NULL, NULL);
  SluiceDivergence *found = NULL;
  spread (&self, rows);
  for (guint i = 0; i < rows->len; i++)
    {
      const SluiceCompared *row = &g_array_index (rows, SluiceCompared, i);
      const SluiceNode *variable = find_variable (row->edge.node);
      if (!row->diverges || g_hash_table_contains (self.reached, row->edge.node)
          || !g_hash_table_add (first, (gpointer) (variable != NULL ? variable : row->edge.node)))
        continue;
      if (found == NULL)
        found = divergence_new (&self, row);
    }
  if (found != NULL)
    found->n_others = g_hash_table_size (first) - 1;
  g_hash_table_unref (self.rows);
  g_hash_table_unref (self.differs);
  g_hash_table_unref (self.reached);
  g_ptr_array_unref (self.stack);
  return found;
}

void
sluice_divergence_free (SluiceDivergence *self)
{
  g_free (self->node);
  g_free (self->op);
  g_free (self->tensor);
  g_free (self->mismatch);
  g_free (self->was);
  g_free (self->is);
  g_free (self->place);
  g_free (self->variable);
  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->unknown);
  g_free (self);
}
