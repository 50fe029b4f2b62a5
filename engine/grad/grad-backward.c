/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The gradient of a loop: another loop of as many iterations, whose variables are the gradients of
 * the forward loop's variables, and sums of the gradients of what the loop takes in as constants.
 * What an iteration computed is pushed on a stack and popped in the reverse order, as far as the
 * gradients ask for it; a counter of the forward iterations orders the pushes, the counter that
 * runs back orders the pops. Nested loops ask the loop around them for what they need from outside;
 * their stacks stand outside of all, and the counters let them run one after the other.
 * Paper: Dynamic Control Flow in Large-Scale Machine Learning, 5.1.
 */
#include "engine/grad/grad-private.h"
#include "engine/graph/shape-context.h"

/* Larger forward values that are known before a run are not written out a second time. */
#define MAX_CONSTANT 256

struct _SluiceBackward
{
  Walk *w;
  SluiceLoop *loop;
  SluiceBackward *parent; /* (nullable) */
  char *frame;            /* name of the loop that runs backwards */
  SluiceEdge trips;       /* where the loop stands: how many iterations it made */
  SluiceNode *count;      /* forwards: runs in every iteration that has a body */
  SluiceNode *f_sync;     /* forwards: after all pushes of an iteration */
  SluiceEdge cond;        /* backwards: the predicate */
  SluiceNode *outside;    /* (nullable): outer_pivot() */
  SluiceNode *done;       /* (nullable): outside, after all pops */
  SluiceNode *pivot;      /* backwards: runs in every iteration */
  SluiceNode *b_sync;     /* backwards: after all pops of an iteration */
  GHashTable *values;     /* Key of a forward edge → Value */
  GHashTable *shapes;     /* Key → the forward edge of its shape */
  GHashTable *pivots;     /* SluiceBranch → SluiceNode */
};

typedef struct
{
  SluiceEdge from, to;
} Value;

static guint
hash_value (gconstpointer key)
{
  const Value *value = key;
  return g_direct_hash (value->from.node) * 31 + (guint) value->from.port;
}

static gboolean
equal_values (gconstpointer a, gconstpointer b)
{
  const Value *x = a, *y = b;
  return x->from.node == y->from.node && x->from.port == y->from.port;
}

static GHashTable *
value_table_new (void)
{
  return g_hash_table_new_full (hash_value, equal_values, g_free, NULL);
}

static gboolean
find_value (GHashTable *table, SluiceEdge from, SluiceEdge *to)
{
  const Value *value = g_hash_table_lookup (table, &(Value){ .from = from });
  if (value)
    *to = value->to;
  return value != NULL;
}

static SluiceEdge
keep_value (GHashTable *table, SluiceEdge from, SluiceEdge to)
{
  Value *value = g_new (Value, 1);
  *value = (Value){ from, to };
  g_hash_table_add (table, value);
  return to;
}

/* ---- nodes ---- */

static gboolean
is_ok (const SluiceBuilder *b)
{
  return b->error == NULL;
}

/* The builder of a gradient function makes all nodes after a node of its own: here each node is
 * told what it follows, or nothing (NULL). */
static SluiceBuilder
following (const SluiceBuilder *b, SluiceNode *const *control)
{
  SluiceBuilder other = *b;
  other.control_inputs = control;
  other.n_control_inputs = *control != NULL;
  return other;
}

static SluiceEdge
make (SluiceBuilder *b,
      SluiceRole role,
      SluiceNode *control,
      const SluiceEdge *inputs,
      guint n,
      const SluiceAttr *attrs,
      guint n_attrs)
{
  SluiceBuilder other = following (b, &control);
  SluiceEdge edge = sluice_grad_role_op (&other, role, inputs, n, attrs, n_attrs);
  b->error = other.error;
  return edge;
}

#define MAKE(b, role, control, ...)                                                                \
  make ((b), SLUICE_ROLE_##role, (control), (SluiceEdge[]){ __VA_ARGS__ },                         \
        SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__), NULL, 0)

static SluiceEdge
make_constant (SluiceBuilder *b, SluiceNode *control, SluiceTensor *take)
{
  SluiceBuilder other = following (b, &control);
  SluiceEdge edge = sluice_builder_const (&other, take);
  b->error = other.error;
  return edge;
}

static SluiceEdge
make_int (SluiceBuilder *b, SluiceNode *control, gint32 value)
{
  return make_constant (b, control, sluice_tensor_new_int32 (value));
}

static SluiceEdge
make_zero (SluiceBuilder *b, SluiceNode *control, SluiceDType dtype)
{
  return make_constant (b, control, sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE_SCALAR));
}

SluiceEdge
sluice_grad_enter (SluiceBuilder *b,
                   const SluiceLoop *loop,
                   const char *frame,
                   SluiceEdge value,
                   gboolean is_constant)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", frame),
                         sluice_attr_bool ("is_constant", is_constant),
                         sluice_attr_int ("parallel_iterations", loop->parallel_iterations),
                         sluice_attr_bool ("_swap_memory", TRUE) };
  guint n_attrs = G_N_ELEMENTS (attrs) - !loop->swap_memory;
  return make (b, SLUICE_ROLE_ENTER, NULL, &value, 1, attrs, n_attrs);
}

static SluiceEdge
enter_forward (SluiceBackward *self, SluiceBuilder *b, SluiceEdge value, gboolean is_constant)
{
  return sluice_grad_enter (b, self->loop, self->loop->name, value, is_constant);
}

static SluiceEdge
enter_backward (SluiceBackward *self, SluiceBuilder *b, SluiceEdge value, gboolean is_constant)
{
  return sluice_grad_enter (b, self->loop, self->frame, value, is_constant);
}

static void
add_control (SluiceBuilder *b, SluiceNode *node, SluiceNode *before)
{
  if (is_ok (b))
    sluice_graph_add_control_input (b->graph, node, before);
}

static void
close_loop (SluiceBuilder *b, SluiceEdge merge, SluiceEdge value)
{
  SluiceEdge next = MAKE (b, NEXT_ITERATION, NULL, value);
  if (is_ok (b))
    sluice_graph_set_input (b->graph, merge.node, 1, next, &b->error);
}

/* A variable of a loop: where it begins, what an iteration sees, what is left at the end. */
typedef struct
{
  SluiceEdge merge, value, end;
} Variable;

/* In the loop that runs backwards. */
static Variable
add_variable (SluiceBackward *self, SluiceBuilder *b, SluiceEdge start)
{
  SluiceEdge first = enter_backward (self, b, start, FALSE);
  Variable v = { .merge = MAKE (b, MERGE, NULL, first, first) };
  SluiceEdge turn = MAKE (b, SWITCH, NULL, v.merge, self->cond);
  v.value = MAKE (b, IDENTITY, NULL, sluice_edge_port (turn, 1));
  v.end = MAKE (b, EXIT, NULL, turn);
  return v;
}

/* ---- counters ---- */

/* A node of the frame around the loop that constants there can wait for; NULL outside all loops. It
 * is dead where the loop is: a Switch would not be. */
static SluiceNode *
outer_pivot (SluiceBackward *self, SluiceBuilder *b)
{
  if (!self->loop->parent || !is_ok (b))
    return NULL;
  SluiceEdge entered = ((SluiceNode *) self->loop->enters->pdata[0])->inputs[0];
  if (!self->outside && entered.node)
    self->outside = sluice_node_get_role (entered.node) == SLUICE_ROLE_SWITCH
                        ? MAKE (b, IDENTITY, NULL, entered).node
                        : entered.node;
  return self->outside;
}

/* Forwards: counts iterations. What a loop pushes each time that it runs lies on the same stacks:
 * it does not begin before the loop around it has begun an iteration, nor that another before it
 * ends.
 */
static void
add_forward_counter (SluiceBackward *self, SluiceBuilder *b)
{
  SluiceEdge zero = make_int (b, outer_pivot (self, b), 0);
  if (self->parent)
    add_control (b, zero.node, self->parent->count);
  SluiceEdge first = enter_forward (self, b, zero, FALSE);
  SluiceEdge merge = MAKE (b, MERGE, NULL, first, first);
  SluiceEdge turn = MAKE (b, SWITCH, NULL, merge, ((SluiceEdge){ self->loop->cond, 0 }));
  SluiceEdge count = MAKE (b, IDENTITY, NULL, sluice_edge_port (turn, 1));
  self->count = count.node;
  self->f_sync = make (b, SLUICE_ROLE_CONTROL_TRIGGER, self->count, NULL, 0, NULL, 0).node;
  SluiceEdge one = make_int (b, self->count, 1);
  if (!is_ok (b))
    return;
  SluiceEdge more = MAKE (b, ADD_N, self->f_sync, count, one);
  close_loop (b, merge, more);
  self->trips = MAKE (b, EXIT, NULL, turn);
  if (self->parent)
    add_control (b, self->parent->f_sync, self->trips.node);
}

/* Backwards: counts down, in the same order. */
static void
add_backward_counter (SluiceBackward *self, SluiceBuilder *b)
{
  SluiceEdge trips =
      self->parent ? sluice_backward_value (self->parent, b, self->trips) : self->trips;
  if (is_ok (b) && sluice_walk_gives_kept (self->w, self->loop))
    {
      trips = MAKE (b, IDENTITY, NULL, trips);
      sluice_walk_wait_kept (self->w, self->loop, b, trips.node);
    }
  SluiceEdge first = enter_backward (self, b, trips, FALSE);
  SluiceEdge merge = MAKE (b, MERGE, NULL, first, first);
  SluiceAttr to_bool = sluice_attr_type ("DstT", SLUICE_BOOL);
  SluiceEdge is_left = make (b, SLUICE_ROLE_CAST, NULL, &merge, 1, &to_bool, 1);
  self->cond = MAKE (b, LOOP_COND, NULL, is_left);
  SluiceEdge turn = MAKE (b, SWITCH, NULL, merge, self->cond);
  SluiceEdge count = MAKE (b, IDENTITY, NULL, sluice_edge_port (turn, 1));
  self->pivot = count.node;
  self->b_sync = make (b, SLUICE_ROLE_CONTROL_TRIGGER, self->pivot, NULL, 0, NULL, 0).node;
  SluiceEdge minus_one = make_int (b, self->pivot, -1);
  if (is_ok (b))
    close_loop (b, merge, MAKE (b, ADD_N, self->b_sync, count, minus_one));
  if (self->parent || sluice_walk_takes_kept (self->w, self->loop))
    self->done = MAKE (b, EXIT, NULL, turn).node;
  if (self->parent)
    add_control (b, self->parent->b_sync, self->done);
}

/* ---- forward values ---- */

/* Is the branch part of the loop's body? What is not also runs in the iteration that ends it. */
static gboolean
is_in_body (const SluiceBackward *self, const SluiceBranch *branch)
{
  for (; branch; branch = branch->parent)
    if (branch->pred.node == self->loop->cond && branch->side == 1)
      return TRUE;
  return FALSE;
}

/* The edge that stands for all that have the same value. */
static SluiceEdge
find_original (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge)
{
  SluiceControlFlow *flow = self->w->flow;
  const SluiceBranch *branch = sluice_control_flow_branch_of_edge (flow, edge);
  while (sluice_node_get_role (edge.node) == SLUICE_ROLE_IDENTITY
         && !sluice_dtype_is_ref (sluice_edge_dtype (edge.node->inputs[0]))
         && sluice_control_flow_branch_of_edge (flow, edge.node->inputs[0]) == branch)
    edge = edge.node->inputs[0];
  if (sluice_node_get_role (edge.node) == SLUICE_ROLE_ENTER || is_in_body (self, branch))
    return edge;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (self->w->graph, edge.node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input == 0 && uses[i].port == edge.port
        && sluice_loop_owns_switch (self->loop, uses[i].node))
      return (SluiceEdge){ uses[i].node, 1 };
  SluiceEdge turn = MAKE (b, SWITCH, NULL, edge, ((SluiceEdge){ self->loop->cond, 0 }));
  return sluice_edge_port (turn, 1);
}

/* What comes from outside the outermost of the loops. */
static SluiceEdge
bring_forward (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge)
{
  return enter_forward (self, b, self->parent ? bring_forward (self->parent, b, edge) : edge, TRUE);
}

static SluiceEdge
bring_backward (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge)
{
  return enter_backward (self, b, self->parent ? bring_backward (self->parent, b, edge) : edge,
                         TRUE);
}

/* Outside of all the loops, as TensorFlow has it: its optimizer takes pushes away where a stack's
 * handle goes a way on which it does not see the pops. */
static SluiceEdge
make_stack (SluiceBackward *self, SluiceBuilder *b, SluiceDType dtype)
{
  SluiceBackward *outermost = self;
  while (outermost->parent)
    outermost = outermost->parent;
  SluiceNode *outside = outer_pivot (outermost, b);
  SluiceAttr elem = sluice_attr_type ("elem_type", dtype);
  SluiceEdge no_limit = make_int (b, outside, -1);
  return make (b, SLUICE_ROLE_STACK, outside, &no_limit, 1, &elem, 1);
}

static SluiceEdge
pop_from (
    SluiceBackward *self, SluiceBuilder *b, SluiceEdge stack, SluiceDType dtype, SluiceNode *after)
{
  SluiceAttr elem = sluice_attr_type ("elem_type", dtype);
  SluiceEdge handle = bring_backward (self, b, stack);
  SluiceEdge pop = make (b, SLUICE_ROLE_STACK_POP, after, &handle, 1, &elem, 1);
  add_control (b, self->b_sync, pop.node);
  return pop;
}

static SluiceEdge
save_and_restore (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge, SluiceNode *after)
{
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  const char *device = b->device;
  b->device = edge.node->device;
  SluiceEdge stack = make_stack (self, b, dtype);
  SluiceEdge pushed[] = { bring_forward (self, b, stack), edge };
  SluiceAttr may_leave = sluice_attr_bool ("swap_memory", self->loop->swap_memory);
  SluiceEdge push = make (b, SLUICE_ROLE_STACK_PUSH, self->count, pushed, 2, &may_leave, 1);
  add_control (b, self->f_sync, push.node);
  SluiceEdge pop = pop_from (self, b, stack, dtype, after);
  b->device = device;
  return pop;
}

void
sluice_backward_push (SluiceBackward *self, SluiceBuilder *b, SluiceEdge value, SluiceEdge *stack)
{
  if (!is_ok (b))
    return;
  if (!stack->node)
    *stack = make_stack (self, b, sluice_dtype_base (sluice_edge_dtype (value)));
  SluiceEdge pushed[] = { bring_backward (self, b, *stack), value };
  SluiceAttr may_leave = sluice_attr_bool ("swap_memory", self->loop->swap_memory);
  SluiceEdge push = make (b, SLUICE_ROLE_STACK_PUSH, self->pivot, pushed, 2, &may_leave, 1);
  add_control (b, self->b_sync, push.node);
}

SluiceEdge
sluice_backward_pop (SluiceBackward *self,
                     SluiceBuilder *b,
                     SluiceEdge stack,
                     SluiceDType dtype,
                     const SluiceNode *where)
{
  const SluiceBranch *branch = sluice_control_flow_branch_of (self->w->flow, where);
  SluiceNode *after = sluice_backward_pivot (self, b, branch);
  return is_ok (b) ? pop_from (self, b, stack, dtype, after) : SLUICE_NO_EDGE;
}

SluiceEdge
sluice_backward_value (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge)
{
  SluiceEdge value;
  if (!is_ok (b))
    return SLUICE_NO_EDGE;
  SluiceEdge from = find_original (self, b, edge);
  if (!is_ok (b))
    return SLUICE_NO_EDGE;
  if (find_value (self->values, from, &value))
    return value;
  SluiceControlFlow *flow = self->w->flow;
  if (sluice_node_get_role (from.node) == SLUICE_ROLE_ENTER)
    {
      SluiceEdge outside = from.node->inputs[0];
      if (self->parent)
        outside = sluice_backward_value (self->parent, b, outside);
      value = enter_backward (self, b, outside, TRUE);
      return keep_value (self->values, from, value);
    }
  SluiceNode *after =
      sluice_backward_pivot (self, b, sluice_control_flow_branch_of_edge (flow, from));
  const SluiceTensor *constant = is_ok (b) ? sluice_edge_constant (from) : NULL;
  if (constant && sluice_tensor_bytes (constant) <= MAX_CONSTANT)
    value = make_constant (b, after, sluice_tensor_ref ((SluiceTensor *) constant));
  else
    value = save_and_restore (self, b, from, after);
  return keep_value (self->values, from, value);
}

SluiceNode *
sluice_backward_pivot (SluiceBackward *self, SluiceBuilder *b, const SluiceBranch *branch)
{
  while (branch && branch->pred.node == self->loop->cond)
    branch = branch->parent;
  if (!branch || !is_ok (b))
    return self->pivot;
  SluiceNode *pivot = g_hash_table_lookup (self->pivots, branch);
  if (pivot)
    return pivot;
  SluiceNode *outer = sluice_backward_pivot (self, b, branch->parent);
  SluiceEdge pred = sluice_backward_value (self, b, branch->pred);
  SluiceEdge turn = MAKE (b, SWITCH, outer, pred, pred);
  pivot = MAKE (b, IDENTITY, NULL, sluice_edge_port (turn, branch->side)).node;
  if (pivot)
    g_hash_table_insert (self->pivots, (gpointer) branch, pivot);
  return pivot;
}

/* Only the shape is saved, not the value. */
SluiceEdge
sluice_backward_shape (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge)
{
  if (!is_ok (b))
    return SLUICE_NO_EDGE;
  SluiceNode *after =
      sluice_backward_pivot (self, b, sluice_control_flow_branch_of_edge (self->w->flow, edge));
  const SluiceShape *shape = sluice_edge_shape (edge);
  if (sluice_shape_is_known (shape) && sluice_shape_n_elements (shape) <= G_MAXINT32)
    {
      SluiceTensor *dims = sluice_tensor_new_zeros (SLUICE_INT32, &SLUICE_SHAPE (shape->rank));
      for (int i = 0; i < shape->rank; i++)
        ((gint32 *) dims->data)[i] = (gint32) shape->dim[i];
      return make_constant (b, after, dims);
    }
  SluiceEdge from = find_original (self, b, edge), saved;
  if (!is_ok (b))
    return SLUICE_NO_EDGE;
  if (sluice_node_get_role (from.node) == SLUICE_ROLE_ENTER
      || find_value (self->values, from, &saved))
    return MAKE (b, SHAPE, NULL, sluice_backward_value (self, b, from));
  SluiceEdge forward;
  if (!find_value (self->shapes, from, &forward))
    forward = keep_value (self->shapes, from, MAKE (b, SHAPE, NULL, from));
  return sluice_backward_value (self, b, forward);
}

static SluiceEdge
read_variable (SluiceBuilder *b, SluiceEdge handle)
{
  if (!is_ok (b))
    return SLUICE_NO_EDGE;
  SluiceAttr dtype = sluice_attr_type ("dtype", handle.node->outputs[handle.port].handle_dtype);
  return make (b, SLUICE_ROLE_READ_VARIABLE, NULL, &handle, 1, &dtype, 1);
}

SluiceEdge
sluice_backward_zeros (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge)
{
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  if (!is_ok (b))
    return SLUICE_NO_EDGE;
  if (dtype == SLUICE_VARIANT)
    return MAKE (b, ZEROS_LIKE, NULL, sluice_backward_value (self, b, edge));
  SluiceEdge shape;
  if (dtype == SLUICE_RESOURCE)
    {
      dtype = edge.node->outputs[edge.port].handle_dtype;
      shape = MAKE (b, SHAPE, NULL, read_variable (b, sluice_backward_value (self, b, edge)));
    }
  else
    shape = sluice_backward_shape (self, b, edge);
  SluiceNode *after =
      sluice_backward_pivot (self, b, sluice_control_flow_branch_of_edge (self->w->flow, edge));
  return MAKE (b, FILL, NULL, shape, make_zero (b, after, dtype));
}

gboolean
sluice_backward_owns_switch (const SluiceBackward *self, const SluiceNode *node)
{
  return sluice_loop_owns_switch (self->loop, node);
}

/* ---- the loop ---- */

/* Zeros for a gradient where the loop stands. */
static SluiceEdge
zeros_outside (SluiceBackward *self, SluiceBuilder *b, SluiceEdge edge)
{
  if (self->parent)
    return sluice_backward_zeros (self->parent, b, edge);
  if (sluice_edge_dtype (edge) == SLUICE_RESOURCE)
    edge = read_variable (b, edge);
  return MAKE (b, ZEROS_LIKE, NULL, edge);
}

/* A gradient on its way through the loop: of a variable, by its Merge, or of a constant. */
typedef struct
{
  SluiceNode *node; /* Merge or Enter of the forward loop */
  SluiceNode *enter;
  Variable v;
} Carried;

static SluiceNode *
enter_of_merge (const SluiceNode *merge)
{
  for (guint i = 0; i < merge->n_inputs; i++)
    if (merge->inputs[i].node && sluice_node_get_role (merge->inputs[i].node) == SLUICE_ROLE_ENTER)
      return merge->inputs[i].node;
  return NULL;
}

/* The Exit by which a variable leaves; one is made where the graph has none. */
static SluiceEdge
exit_of_merge (SluiceBackward *self, SluiceBuilder *b, SluiceNode *merge)
{
  guint n, m;
  SluiceEdge turn = SLUICE_NO_EDGE;
  const SluiceUse *uses = sluice_graph_get_uses (b->graph, merge, &n);
  for (guint i = 0; i < n; i++)
    {
      if (uses[i].input != 0 || uses[i].port != 0
          || !sluice_loop_owns_switch (self->loop, uses[i].node))
        continue;
      turn.node = uses[i].node;
      const SluiceUse *ends = sluice_graph_get_uses (b->graph, turn.node, &m);
      for (guint k = 0; k < m; k++)
        if (ends[k].input == 0 && ends[k].port == 0
            && sluice_node_get_role (ends[k].node) == SLUICE_ROLE_EXIT)
          return (SluiceEdge){ ends[k].node, 0 };
    }
  if (!turn.node)
    turn =
        MAKE (b, SWITCH, NULL, ((SluiceEdge){ merge, 0 }), ((SluiceEdge){ self->loop->cond, 0 }));
  return MAKE (b, EXIT, NULL, turn);
}

static gboolean
fail_shape (const SluiceNode *node, GError **error)
{
  return sluice_node_fail (
      node, error, SLUICE_ERROR_UNIMPLEMENTED,
      "the gradient of a loop is built where each variable goes through "
      "Enter, Merge, a Switch on the LoopCond, NextIteration and Exit; this one "
      "does not");
}

/* What reached the Exit of a variable, where it does. */
static SluiceEdge
start_of_merge (SluiceBackward *self, SluiceBuilder *b, SluiceNode *merge)
{
  Walk *w = self->w;
  SluiceEdge exit = exit_of_merge (self, b, merge);
  if (!is_ok (b))
    return SLUICE_NO_EDGE;
  SluiceEdge sum = is_between (w, exit.node) ? sluice_walk_sum (w, b, exit) : SLUICE_NO_EDGE;
  return sum.node ? sum : zeros_outside (self, b, exit);
}

static gboolean
find_carried (SluiceBackward *self, SluiceBuilder *b, GArray *carried, GError **error)
{
  Walk *w = self->w;
  for (guint i = 0; i < self->loop->merges->len; i++)
    {
      SluiceNode *merge = self->loop->merges->pdata[i];
      if (!is_between (w, merge))
        continue;
      Carried c = { .node = merge, .enter = enter_of_merge (merge) };
      if (!c.enter || merge->n_inputs != 2)
        return fail_shape (merge, error);
      c.v = add_variable (self, b, start_of_merge (self, b, merge));
      g_array_append_val (carried, c);
    }
  for (guint i = 0; i < self->loop->enters->len; i++)
    {
      SluiceNode *enter = self->loop->enters->pdata[i];
      if (!is_between (w, enter) || !sluice_node_get_bool (enter, "is_constant"))
        continue;
      Carried c = { .node = enter, .enter = enter };
      c.v = add_variable (self, b, zeros_outside (self, b, enter->inputs[0]));
      g_array_append_val (carried, c);
    }
  return sluice_builder_finish (b, error);
}

/* The walk through the body, from what the next iteration took to what this one began with. */
static gboolean
walk_body (SluiceBackward *self, const GArray *carried, GError **error)
{
  Walk *w = self->w;
  GQueue outside = w->ready;
  w->ready = (GQueue) G_QUEUE_INIT;
  w->backward = self;
  for (guint i = 0; i < carried->len; i++)
    {
      const Carried *c = &g_array_index (carried, Carried, i);
      SluiceNode *next = c->node != c->enter ? sluice_loop_merge_next (c->node) : NULL;
      if (next && is_between (w, next))
        sluice_walk_give (w, next->inputs[0], &(SluiceGrad){ .values = c->v.value });
    }
  for (guint i = 0; i < self->loop->exits->len; i++)
    {
      SluiceNode *exit = self->loop->exits->pdata[i];
      if (is_between (w, exit))
        sluice_walk_give (w, exit->inputs[0], NULL);
    }
  gboolean ok = sluice_walk_give_kept (w, self->loop, error) && sluice_walk_drain (w, error);
  g_queue_clear (&w->ready);
  w->backward = self->parent;
  w->ready = outside;
  for (guint i = 0; ok && i < carried->len; i++)
    {
      const Carried *c = &g_array_index (carried, Carried, i);
      if (state_of (w, c->node)->pending)
        ok = fail_shape (c->node, error);
    }
  return ok;
}

/* What the iteration before begins with. */
static void
close_carried (SluiceBackward *self, SluiceBuilder *b, const Carried *c)
{
  SluiceEdge of = { c->node, 0 };
  SluiceBuilder inside = following (b, &self->pivot);
  SluiceEdge sum = sluice_walk_sum (self->w, &inside, of);
  b->error = inside.error;
  if (c->node == c->enter)
    sum = sum.node ? MAKE (b, ADD_N, NULL, c->v.value, sum) : c->v.value;
  else if (!sum.node)
    sum = sluice_backward_zeros (self, b, of);
  close_loop (b, c->v.merge, sum);
}

static SluiceBackward *
backward_new (Walk *w, SluiceLoop *loop)
{
  SluiceBackward *self = g_new0 (SluiceBackward, 1);
  self->w = w;
  self->loop = loop;
  self->parent = w->backward;
  g_autofree char *wanted = g_strdup_printf ("%s/%s", w->scope, loop->name);
  self->frame = sluice_control_flow_unique_frame (w->flow, wanted);
  self->values = value_table_new ();
  self->shapes = value_table_new ();
  self->pivots = g_hash_table_new (NULL, NULL);
  return self;
}

static void
backward_free (SluiceBackward *self)
{
  g_free (self->frame);
  g_hash_table_unref (self->values);
  g_hash_table_unref (self->shapes);
  g_hash_table_unref (self->pivots);
  g_free (self);
}

static gboolean
build_loop (SluiceBackward *self, SluiceBuilder *b, GArray *carried, GError **error)
{
  add_forward_counter (self, b);
  if (is_ok (b))
    add_backward_counter (self, b);
  if (!is_ok (b))
    return sluice_builder_finish (b, error);
  if (!find_carried (self, b, carried, error) || !walk_body (self, carried, error))
    return FALSE;
  for (guint i = 0; i < carried->len; i++)
    close_carried (self, b, &g_array_index (carried, Carried, i));
  return sluice_builder_finish (b, error);
}

/* What left the loop goes on to what entered it. */
static void
give_outside (Walk *w, SluiceBuilder *b, const GArray *carried)
{
  for (guint i = 0; i < carried->len; i++)
    {
      const Carried *c = &g_array_index (carried, Carried, i);
      if (!is_between (w, c->enter))
        continue;
      if (c->node == c->enter) /* what came in the iterations is part of the sum by now */
        sluice_walk_forget (w, c->enter);
      sluice_walk_add_partial (w, (SluiceEdge){ c->enter, 0 }, &(SluiceGrad){ .values = c->v.end });
    }
  for (guint i = 0; i < carried->len; i++)
    {
      const Carried *c = &g_array_index (carried, Carried, i);
      gboolean is_first = TRUE;
      for (guint k = 0; k < i; k++)
        is_first &= g_array_index (carried, Carried, k).enter != c->enter;
      if (!is_first || !is_between (w, c->enter))
        continue;
      SluiceEdge sum = sluice_walk_sum (w, b, (SluiceEdge){ c->enter, 0 });
      sluice_walk_give (w, c->enter->inputs[0], &(SluiceGrad){ .values = sum });
    }
}

gboolean
sluice_walk_loop (Walk *w, SluiceLoop *loop, GError **error)
{
  if (!loop->cond)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the loop '%s' has no LoopCond, and so no gradient: pass its predicate "
                        "through one",
                        loop->name);
  SluiceBackward *self = backward_new (w, loop);
  g_autoptr (GArray) carried = g_array_new (FALSE, FALSE, sizeof (Carried));
  g_autofree char *scope = g_strdup_printf ("%s/%s_grad", w->scope, loop->cond->name);
  SluiceBuilder b;
  SluiceNode *control;
  sluice_walk_init_builder (w, &b, loop->enters->pdata[0], scope, &control);
  gboolean ok = build_loop (self, &b, carried, error);
  if (ok)
    {
      give_outside (w, &b, carried);
      ok = sluice_builder_finish (&b, error);
    }
  SluiceNode *done = self->done;
  backward_free (self);
  return ok && sluice_walk_end_kept (w, loop, done, error);
}
