/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Shapes of a node's outputs, and of all that stands behind a change: in loops until nothing
 * changes any more. */
#include <string.h>

#include "engine/graph/edit-log.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/node-queue.h"
#include "engine/graph/shape-context-private.h"
#include "engine/graph/shape-context.h"

static SluiceTensor *
input_constant (SluiceShapeContext *context, guint input)
{
  return (SluiceTensor *) sluice_edge_constant (context->node->inputs[input]);
}

static void
forget_shapes (SluiceNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      node->outputs[i].shape = SLUICE_SHAPE_UNKNOWN;
      node->outputs[i].handle_shape = SLUICE_SHAPE_UNKNOWN;
      node->outputs[i].handle_dtype = SLUICE_INVALID;
    }
}

/* What is known behind a value, but for a handle itself, is what was seen on the way to it; a way
 * on which nothing was seen says nothing. */
static void
widen_handle (SluiceOutput *out, const SluiceOutput *in)
{
  if (out->dtype != SLUICE_RESOURCE && in->handle_dtype == SLUICE_INVALID)
    return;
  if (out->dtype != SLUICE_RESOURCE && out->handle_dtype == SLUICE_INVALID)
    {
      out->handle_dtype = in->handle_dtype;
      out->handle_shape = in->handle_shape;
      return;
    }
  sluice_shape_widen (&out->handle_shape, &in->handle_shape);
  if (out->handle_dtype != in->handle_dtype)
    out->handle_dtype = SLUICE_INVALID;
}

/* A Merge hands on any of its inputs. Those not looked at yet are the back edges of loops: they
 * count for nothing at first, and widen the shape when they are known; one that is wrong itself
 * never counts, whenever it is looked at. */
static void
infer_merge (SluiceNode *node)
{
  gboolean first = TRUE;
  SluiceOutput *out = &node->outputs[0];
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (edge.node == NULL || !sluice_node_record (edge.node)->inferred
          || (edge.node->error != NULL && sluice_edge_is_back_edge (edge.node, node)))
        continue;
      const SluiceOutput *in = &edge.node->outputs[edge.port];
      if (first)
        {
          out->shape = in->shape;
          out->handle_shape = in->handle_shape;
          out->handle_dtype = in->handle_dtype;
        }
      else
        {
          sluice_shape_widen (&out->shape, &in->shape);
          widen_handle (out, in);
        }
      first = FALSE;
    }
  for (guint i = 1; i < node->n_outputs; i++)
    node->outputs[i].shape = SLUICE_SHAPE_SCALAR;
}

static gboolean
hands_on_input (SluiceRole role)
{
  return role == SLUICE_ROLE_IDENTITY || role == SLUICE_ROLE_SWITCH || role == SLUICE_ROLE_ENTER
         || role == SLUICE_ROLE_EXIT || role == SLUICE_ROLE_NEXT_ITERATION
         || role == SLUICE_ROLE_STOP_GRADIENT;
}

/* A resource handle keeps telling what it refers to through the ops that hand it on. */
static void
forward_handle (SluiceNode *node)
{
  if (!hands_on_input (node->op->def->role) || node->n_inputs == 0 || node->inputs[0].node == NULL
      || sluice_edge_dtype (node->inputs[0]) != SLUICE_RESOURCE)
    return;
  const SluiceOutput *in = &node->inputs[0].node->outputs[node->inputs[0].port];
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i].dtype == SLUICE_RESOURCE
        && node->outputs[i].handle_dtype == SLUICE_INVALID)
      {
        node->outputs[i].handle_dtype = in->handle_dtype;
        node->outputs[i].handle_shape = in->handle_shape;
      }
}

static gboolean
call_shape_function (SluiceNode *node, GError **error)
{
  SluiceShape few[8];
  g_autofree SluiceShape *many =
      node->n_inputs > G_N_ELEMENTS (few) ? g_new (SluiceShape, node->n_inputs) : NULL;
  SluiceShape *inputs = many != NULL ? many : few;
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] =
        node->inputs[i].node != NULL ? *sluice_edge_shape (node->inputs[i]) : SLUICE_SHAPE_UNKNOWN;
  SluiceShapeContext context = {
    .node = node,
    .inputs = inputs,
    .n_inputs = node->n_inputs,
    .outputs = node->outputs,
    .n_outputs = node->n_outputs,
    .constant = input_constant,
  };
  return node->op->def->shape (&context, error);
}

gboolean
sluice_node_infer_shapes (SluiceNode *node, GError **error)
{
  forget_shapes (node);
  sluice_node_record (node)->inferred = TRUE;
  if (node->op->def->role == SLUICE_ROLE_MERGE && node->n_outputs > 0)
    {
      infer_merge (node);
      return TRUE;
    }
  if (node->op->def->shape != NULL && !call_shape_function (node, error))
    {
      forget_shapes (node);
      return FALSE;
    }
  forward_handle (node);
  return TRUE;
}

/* ---- loops ---- */

/* Widening ends by itself: a dimension becomes unknown once. A shape function that is not monotone
 * could go on for ever; after so many visits of a node its shapes stay unknown. */
#define MAX_VISITS 64

static gboolean
outputs_equal (const SluiceOutput *a, const SluiceOutput *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!sluice_shape_equal (&a[i].shape, &b[i].shape) || a[i].handle_dtype != b[i].handle_dtype
        || !sluice_shape_equal (&a[i].handle_shape, &b[i].handle_shape))
      return FALSE;
  return TRUE;
}

/* Could inference read values of this node? Then they may have changed although its shapes did
 * not: Shape of a widened input is still a vector. No constant comes through a Merge. */
static gboolean
may_hold_shape (const SluiceNode *node)
{
  if (sluice_node_get_role (node) == SLUICE_ROLE_MERGE)
    return FALSE;
  if (sluice_node_record (node)->was_asked)
    return TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    if ((node->outputs[i].dtype == SLUICE_INT32 || node->outputs[i].dtype == SLUICE_INT64)
        && node->outputs[i].shape.rank <= 1)
      return TRUE;
  return FALSE;
}

/* A node whose op is a function of the graph. */
static gboolean
visit_call (SluiceNode *node)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  if (record->visits == MAX_VISITS)
    return FALSE;
  gboolean again = record->visits++ > 0 || record->inferred;
  g_autofree SluiceOutput *old =
      again ? g_memdup2 (node->outputs, node->n_outputs * sizeof (SluiceOutput)) : NULL;
  SluiceFuncValue func = { (char *) node->op_name, node->attrs, node->n_attrs };
  forget_shapes (node);
  record->inferred = TRUE;
  g_autofree SluiceShape *inputs = g_new (SluiceShape, node->n_inputs + 1);
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] =
        node->inputs[i].node != NULL ? *sluice_edge_shape (node->inputs[i]) : SLUICE_SHAPE_UNKNOWN;
  SluiceShapeContext context = { .node = node,
                                 .inputs = inputs,
                                 .n_inputs = node->n_inputs,
                                 .outputs = node->outputs,
                                 .n_outputs = node->n_outputs,
                                 .constant = input_constant };
  if (record->visits < MAX_VISITS)
    sluice_shape_context_call (&context, &func, 0);
  return !again || !outputs_equal (old, node->outputs, node->n_outputs);
}

/* Returns whether users of the node must be looked at. */
static gboolean
visit (SluiceNode *node)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  if (node->op == NULL && node->error == NULL)
    return visit_call (node);
  if (node->op == NULL || (node->error != NULL && !record->shape_error))
    {
      record->inferred = TRUE;
      return FALSE;
    }
  if (record->visits == MAX_VISITS)
    return FALSE;
  gboolean again = record->visits++ > 0 || record->inferred;
  gboolean values = again && may_hold_shape (node);
  g_autofree SluiceOutput *old =
      again ? g_memdup2 (node->outputs, node->n_outputs * sizeof (SluiceOutput)) : NULL;
  sluice_node_forget_constants (node);
  g_clear_error (&node->error);
  record->shape_error = !sluice_node_infer_shapes (node, &node->error);
  if (record->visits == MAX_VISITS)
    forget_shapes (node);
  return !again || values || !outputs_equal (old, node->outputs, node->n_outputs);
}

/* ---- new nodes ---- */

/* Which of new nodes must be looked at, by their positions from `first` on. */
typedef struct
{
  guint32 first;
  guint8 *dirty;
} Sweep;

static void
mark_dirty (SluiceNode *node, gpointer data)
{
  const Sweep *sweep = data;
  sweep->dirty[sluice_node_record (node)->position - sweep->first] = TRUE;
}

static void
mark_users (SluiceNode *node, Sweep *sweep)
{
  const SluiceNodeRecord *record = sluice_node_record (node);
  for (guint i = 0; i < record->n_uses; i++)
    if (record->uses[i].input >= 0)
      mark_dirty (record->uses[i].node, sweep);
  sluice_node_foreach_pop (node, mark_dirty, sweep);
}

static void
visit_dirty (SluiceNode *const *order, Sweep *sweep, guint n)
{
  for (guint8 *next = n > 0 ? memchr (sweep->dirty, TRUE, n) : NULL; next != NULL;)
    {
      guint i = next - sweep->dirty;
      *next = FALSE;
      if (visit (order[i]))
        mark_users (order[i], sweep);
      next = memchr (sweep->dirty + i, TRUE, n - i);
      if (next == NULL)
        next = memchr (sweep->dirty, TRUE, i); /* back edges: another sweep */
    }
}

/* What a rule reads of nodes that are no inputs may have changed behind its back. */
static gboolean
look_afar_again (SluiceNode *node)
{
  if (node->op == NULL || !(node->op->def->flags & SLUICE_OP_LOOKS_AFAR)
      || !sluice_node_record (node)->inferred)
    return FALSE;
  g_autofree SluiceOutput *old = g_memdup2 (node->outputs, node->n_outputs * sizeof (SluiceOutput));
  visit (node);
  return !outputs_equal (old, node->outputs, node->n_outputs);
}

void
sluice_graph_settle_new (SluiceGraph *self, SluiceNode *const *order, guint n)
{
  g_autofree guint8 *dirty = g_malloc (MAX (n, 1));
  Sweep sweep = { self->next_position, dirty };
  memset (dirty, TRUE, n);
  self->next_position += n;
  for (guint i = 0; i < n; i++)
    {
      SluiceNodeRecord *record = sluice_node_record (order[i]);
      record->position = sweep.first + i;
      record->visits = 0;
    }
  gboolean changed;
  do
    {
      visit_dirty (order, &sweep, n);
      changed = FALSE;
      for (guint i = 0; i < n; i++)
        if (look_afar_again (order[i]))
          {
            mark_users (order[i], &sweep);
            changed = TRUE;
          }
    }
  while (changed);
}

/* ---- behind a change ---- */

typedef struct
{
  SluiceGraph *graph;
  SluiceNodeQueue queue;
  GPtrArray *seen;     /* may hold a node several times */
  GHashTable *renewed; /* (nullable): frames whose loops were begun anew; interned */
} Settling;

static void
queue_node (SluiceNode *node, gpointer data)
{
  Settling *s = data;
  sluice_node_queue_push (&s->queue, node);
}

static void
queue_users (Settling *s, SluiceNode *node)
{
  const SluiceNodeRecord *record = sluice_node_record (node);
  for (guint i = 0; i < record->n_uses; i++)
    if (record->uses[i].input >= 0)
      queue_node (record->uses[i].node, s);
  sluice_node_foreach_pop (node, queue_node, s);
}

static gboolean
closes_loop (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL && sluice_edge_is_back_edge (node->inputs[i].node, node))
      return TRUE;
  return FALSE;
}

static void
gather_loop (Settling *s, SluiceNode *node, const char *frame, GHashTable *loop, GPtrArray *todo)
{
  const char *own = node != NULL ? sluice_node_output_frame (node) : "";
  gsize length = strlen (frame);
  if (strncmp (own, frame, length) != 0 || (own[length] != '\0' && own[length] != '\x1f')
      || !g_hash_table_add (loop, node))
    return;
  g_ptr_array_add (todo, node);
}

/* Shapes in a loop have widened to what came round so far. Where what enters it changes, that says
 * nothing any more: all nodes of the frame, and of those in it, are as if nobody had looked. */
static void
renew_loop (Settling *s, SluiceNode *merge)
{
  const char *frame = sluice_node_output_frame (merge);
  g_autoptr (GHashTable) loop = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  if (*frame == '\0' || !g_hash_table_add (s->renewed, (gpointer) frame))
    return;
  gather_loop (s, merge, frame, loop, todo);
  while (todo->len > 0)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      SluiceNodeRecord *record = sluice_node_record (node);
      for (guint i = 0; i < node->n_inputs; i++)
        gather_loop (s, node->inputs[i].node, frame, loop, todo);
      for (guint i = 0; i < record->n_uses; i++)
        gather_loop (s, record->uses[i].node, frame, loop, todo);
      sluice_graph_touch (s->graph, node);
      sluice_node_forget_constants (node);
      record->visits = 0;
      if (node->op != NULL && (node->error == NULL || record->shape_error))
        {
          forget_shapes (node);
          record->inferred = FALSE;
        }
      queue_node (node, s);
    }
}

static void
settle_queue (Settling *s)
{
  for (SluiceNode *node; (node = sluice_node_queue_pop (&s->queue)) != NULL;)
    {
      if (s->renewed != NULL && sluice_node_get_role (node) == SLUICE_ROLE_MERGE
          && closes_loop (node))
        renew_loop (s, node);
      g_ptr_array_add (s->seen, node);
      sluice_graph_touch (s->graph, node);
      if (visit (node))
        queue_users (s, node);
    }
}

void
sluice_graph_settle (SluiceGraph *self, SluiceNode *const *nodes, guint n, gboolean again)
{
  Settling s = { .graph = self, .seen = g_ptr_array_new () };
  sluice_node_queue_init (&s.queue);
  if (again && self->n_enters > 0)
    s.renewed = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n; i++)
    queue_node (nodes[i], &s);
  gboolean changed;
  do
    {
      settle_queue (&s);
      changed = FALSE;
      for (guint i = 0; i < self->afar->len; i++)
        {
          SluiceNode *node = self->afar->pdata[i];
          g_ptr_array_add (s.seen, node);
          sluice_graph_touch (self, node);
          if (!look_afar_again (node))
            continue;
          queue_users (&s, node);
          changed = TRUE;
        }
    }
  while (changed);
  for (guint i = 0; i < s.seen->len; i++)
    sluice_node_record (s.seen->pdata[i])->visits = 0;
  g_ptr_array_unref (s.seen);
  g_clear_pointer (&s.renewed, g_hash_table_unref);
  sluice_node_queue_clear (&s.queue);
}
