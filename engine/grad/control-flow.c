/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/grad/control-flow.h"

#include "engine/graph/lower.h"

#define UNKNOWN G_MAXUINT

typedef struct
{
  guint frame, output_frame;
  const SluiceBranch *branch;
  enum
  {
    NOT_YET,
    ENTERED,
    DONE
  } state; /* of branch */
} Place;

struct _SluiceControlFlow
{
  SluiceGraph *graph;
  GArray *places;       /* of Place, by id - 1 */
  GHashTable *swapping; /* (nullable): names of frames; the caller's */
  GPtrArray *loops;     /* by frame; NULL first */
  GHashTable *branches; /* SluiceBranch → itself */
};

static Place *
place_of (SluiceControlFlow *self, const SluiceNode *node)
{
  return &g_array_index (self->places, Place, node->id - 1);
}

SluiceEdge
sluice_edge_strip (SluiceEdge edge)
{
  while (sluice_node_get_role (edge.node) == SLUICE_ROLE_IDENTITY && edge.node->inputs[0].node
         && !sluice_dtype_is_ref (sluice_edge_dtype (edge.node->inputs[0])))
    edge = edge.node->inputs[0];
  return edge;
}

SluiceNode *
sluice_loop_merge_next (const SluiceNode *merge)
{
  for (guint i = 0; i < merge->n_inputs; i++)
    if (merge->inputs[i].node
        && sluice_node_get_role (merge->inputs[i].node) == SLUICE_ROLE_NEXT_ITERATION)
      return merge->inputs[i].node;
  return NULL;
}

gboolean
sluice_loop_owns_switch (const SluiceLoop *loop, const SluiceNode *node)
{
  return sluice_node_get_role (node) == SLUICE_ROLE_SWITCH && loop->cond
         && sluice_edge_strip (node->inputs[1]).node == loop->cond;
}

SluiceLoop *
sluice_control_flow_get_loop (SluiceControlFlow *self, guint frame)
{
  return self->loops->pdata[frame];
}

/* ---- frames ---- */

static void
loop_free (gpointer data)
{
  SluiceLoop *loop = data;
  if (!loop)
    return;
  g_ptr_array_unref (loop->enters);
  g_ptr_array_unref (loop->exits);
  g_ptr_array_unref (loop->merges);
  g_free (loop->name);
  g_free (loop);
}

static SluiceLoop *
find_loop (SluiceControlFlow *self, const SluiceNode *enter, guint parent)
{
  const SluiceString *text = sluice_node_get_string (enter, "frame_name");
  g_autofree char *name = g_strndup (text->data, text->length);
  for (guint i = self->loops->len; i-- > 1;)
    {
      SluiceLoop *loop = self->loops->pdata[i];
      if (loop->parent == parent && g_str_equal (loop->name, name))
        return loop;
    }
  SluiceLoop *loop = g_new0 (SluiceLoop, 1);
  loop->name = g_steal_pointer (&name);
  loop->frame = self->loops->len;
  loop->parent = parent;
  loop->parallel_iterations = sluice_node_get_int (enter, "parallel_iterations");
  const SluiceAttrValue *swap = sluice_node_get_attr (enter, "_swap_memory");
  loop->swap_memory = (swap && swap->kind == SLUICE_ATTR_BOOL && swap->b)
                      || (self->swapping && g_hash_table_contains (self->swapping, loop->name));
  loop->enters = g_ptr_array_new ();
  loop->exits = g_ptr_array_new ();
  loop->merges = g_ptr_array_new ();
  g_ptr_array_add (self->loops, loop);
  return loop;
}

static void
settle (SluiceControlFlow *self, SluiceNode *node, guint frame)
{
  Place *place = place_of (self, node);
  SluiceLoop *loop = self->loops->pdata[frame];
  place->frame = place->output_frame = frame;
  switch (sluice_node_get_role (node))
    {
    case SLUICE_ROLE_ENTER:
      {
        if (node->error != NULL)
          break; /* it may not even say which loop */
        SluiceLoop *inner = find_loop (self, node, frame);
        place->output_frame = inner->frame;
        g_ptr_array_add (inner->enters, node);
        break;
      }
    case SLUICE_ROLE_EXIT:
      if (!loop)
        break; /* a run would refuse it */
      place->output_frame = loop->parent;
      g_ptr_array_add (loop->exits, node);
      break;
    case SLUICE_ROLE_MERGE:
      if (loop && sluice_loop_merge_next (node))
        g_ptr_array_add (loop->merges, node);
      break;
    case SLUICE_ROLE_LOOP_COND:
      if (loop)
        loop->cond = node;
      break;
    default:
      break;
    }
}

/* Of nodes made after the flow was found. */
static void
settle_new (SluiceControlFlow *self)
{
  guint n = self->places->len;
  g_array_set_size (self->places, sluice_graph_get_n_nodes (self->graph));
  for (guint i = n; i < self->places->len; i++)
    {
      SluiceNode *made = sluice_graph_get_node (self->graph, i);
      guint frame = 0;
      g_array_index (self->places, Place, i) = (Place){ 0, 0, NULL, NOT_YET };
      if (made->n_inputs)
        frame = place_of (self, made->inputs[0].node)->output_frame;
      else if (made->n_control_inputs)
        frame = place_of (self, made->control_inputs[0])->output_frame;
      settle (self, made, frame);
    }
}

guint
sluice_control_flow_frame_of (SluiceControlFlow *self, const SluiceNode *node)
{
  if (node->id > self->places->len)
    settle_new (self);
  return place_of (self, node)->frame;
}

guint
sluice_control_flow_output_frame_of (SluiceControlFlow *self, const SluiceNode *node)
{
  if (node->id > self->places->len)
    settle_new (self);
  return place_of (self, node)->output_frame;
}

static gboolean
has_loop_named (const SluiceControlFlow *self, const char *name)
{
  for (guint i = 1; i < self->loops->len; i++)
    if (g_str_equal (((const SluiceLoop *) self->loops->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

char *
sluice_control_flow_unique_frame (SluiceControlFlow *self, const char *wanted)
{
  char *name = g_strdup (wanted);
  if (sluice_graph_get_n_nodes (self->graph) > self->places->len)
    settle_new (self);
  for (guint i = 1; has_loop_named (self, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s_%u", wanted, i);
    }
  return name;
}

static void
find_frames (SluiceControlFlow *self)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  for (guint i = 0; i < self->places->len; i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->graph, i);
      g_array_index (self->places, Place, i) = (Place){ UNKNOWN, UNKNOWN, NULL, NOT_YET };
      if (node->n_inputs || node->n_control_inputs)
        continue;
      settle (self, node, 0);
      g_ptr_array_add (todo, node);
    }
  while (todo->len)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      guint n, frame = place_of (self, node)->output_frame;
      const SluiceUse *uses = sluice_graph_get_uses (self->graph, node, &n);
      for (guint i = 0; i < n; i++)
        if (place_of (self, uses[i].node)->frame == UNKNOWN)
          {
            settle (self, uses[i].node, frame);
            g_ptr_array_add (todo, uses[i].node);
          }
    }
  for (guint i = 0; i < self->places->len; i++) /* what nothing real reaches runs nowhere */
    if (g_array_index (self->places, Place, i).frame == UNKNOWN)
      g_array_index (self->places, Place, i) = (Place){ 0, 0, NULL, NOT_YET };
}

/* ---- branches ---- */

static guint
hash_branch (gconstpointer key)
{
  const SluiceBranch *branch = key;
  return g_direct_hash (branch->parent) * 31 + g_direct_hash (branch->pred.node) * 7
         + (guint) branch->pred.port * 3 + (guint) branch->side;
}

static gboolean
equal_branches (gconstpointer a, gconstpointer b)
{
  const SluiceBranch *x = a, *y = b;
  return x->parent == y->parent && x->pred.node == y->pred.node && x->pred.port == y->pred.port
         && x->side == y->side;
}

static const SluiceBranch *
deeper (const SluiceBranch *a, const SluiceBranch *b)
{
  return (a ? a->depth : 0) >= (b ? b->depth : 0) ? a : b;
}

static const SluiceBranch *
common_branch (const SluiceBranch *a, const SluiceBranch *b)
{
  while (a != b)
    if (a && (!b || a->depth >= b->depth))
      a = a->parent;
    else
      b = b->parent;
  return a;
}

static const SluiceBranch *
side_of (SluiceControlFlow *self, const SluiceBranch *parent, SluiceEdge pred, int side)
{
  for (const SluiceBranch *branch = parent; branch; branch = branch->parent)
    if (branch->pred.node == pred.node && branch->pred.port == pred.port && branch->side == side)
      return parent;
  SluiceBranch key = { parent, pred, side, parent ? parent->depth + 1 : 1 };
  SluiceBranch *branch = g_hash_table_lookup (self->branches, &key);
  if (!branch)
    {
      branch = g_memdup2 (&key, sizeof key);
      g_hash_table_add (self->branches, branch);
    }
  return branch;
}

/* Of what is there; branches of the nodes before it are known. */
static const SluiceBranch *
known_branch (SluiceControlFlow *self, SluiceEdge edge, guint frame)
{
  const SluiceBranch *branch = place_of (self, edge.node)->branch;
  switch (sluice_node_get_role (edge.node))
    {
    case SLUICE_ROLE_SWITCH:
      return edge.port < 0
                 ? branch
                 : side_of (self, branch, sluice_edge_strip (edge.node->inputs[1]), edge.port);
    case SLUICE_ROLE_ENTER:
    case SLUICE_ROLE_NEXT_ITERATION:
      return NULL;
    case SLUICE_ROLE_EXIT:
      {
        const SluiceLoop *loop = self->loops->pdata[place_of (self, edge.node)->frame];
        branch = NULL;
        for (guint i = 0; loop && i < loop->enters->len; i++)
          branch = deeper (branch, place_of (self, loop->enters->pdata[i])->branch);
        return branch;
      }
    default:
      return branch;
    }
}

/* Input number i of a node, data first; control inputs have port -1. */
static SluiceEdge
nth_input (const SluiceNode *node, guint i)
{
  return i < node->n_inputs ? node->inputs[i]
                            : (SluiceEdge){ node->control_inputs[i - node->n_inputs], -1 };
}

static const SluiceBranch *
branch_from_inputs (SluiceControlFlow *self, const SluiceNode *node)
{
  const SluiceBranch *branch = NULL;
  guint frame = place_of (self, node)->frame;
  gboolean is_merge = sluice_node_get_role (node) == SLUICE_ROLE_MERGE;
  if (is_merge && sluice_loop_merge_next (node))
    return NULL;
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceEdge edge = nth_input (node, i);
      if (!edge.node)
        continue;
      const SluiceBranch *other = known_branch (self, edge, frame);
      if (is_merge && i < node->n_inputs)
        branch = i ? common_branch (branch, other) : other;
      else
        branch = deeper (branch, other);
    }
  return branch;
}

/* Puts what must be known before the node on the stack; FALSE: all of it is. */
static gboolean
push_unknown (SluiceControlFlow *self, GPtrArray *stack, SluiceNode *node)
{
  guint n = stack->len;
  if (sluice_node_get_role (node) == SLUICE_ROLE_MERGE && sluice_loop_merge_next (node))
    return FALSE;
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceNode *before = nth_input (node, i).node;
      SluiceRole role = before ? sluice_node_get_role (before) : SLUICE_ROLE_ENTER;
      if (role == SLUICE_ROLE_ENTER || role == SLUICE_ROLE_NEXT_ITERATION)
        continue;
      if (role != SLUICE_ROLE_EXIT)
        {
          if (place_of (self, before)->state == NOT_YET)
            g_ptr_array_add (stack, before);
          continue;
        }
      const SluiceLoop *loop = self->loops->pdata[place_of (self, before)->frame];
      for (guint k = 0; loop && k < loop->enters->len; k++)
        if (place_of (self, loop->enters->pdata[k])->state == NOT_YET)
          g_ptr_array_add (stack, loop->enters->pdata[k]);
    }
  return stack->len > n;
}

const SluiceBranch *
sluice_control_flow_branch_of (SluiceControlFlow *self, const SluiceNode *of)
{
  sluice_control_flow_frame_of (self, of);
  if (place_of (self, of)->state == DONE)
    return place_of (self, of)->branch;
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_ptr_array_add (stack, (SluiceNode *) of);
  while (stack->len)
    {
      SluiceNode *node = stack->pdata[stack->len - 1];
      Place *place = place_of (self, node);
      if (place->state == NOT_YET)
        {
          place->state = ENTERED;
          if (push_unknown (self, stack, node))
            continue;
        }
      g_ptr_array_set_size (stack, (int) stack->len - 1);
      if (place->state == DONE)
        continue;
      place->branch = branch_from_inputs (self, node);
      place->state = DONE;
    }
  return place_of (self, of)->branch;
}

const SluiceBranch *
sluice_control_flow_branch_of_edge (SluiceControlFlow *self, SluiceEdge edge)
{
  sluice_control_flow_branch_of (self, edge.node);
  if (sluice_node_get_role (edge.node) == SLUICE_ROLE_EXIT)
    {
      const SluiceLoop *loop = self->loops->pdata[place_of (self, edge.node)->frame];
      for (guint i = 0; loop && i < loop->enters->len; i++)
        sluice_control_flow_branch_of (self, loop->enters->pdata[i]);
    }
  return known_branch (self, edge, place_of (self, edge.node)->output_frame);
}

SluiceControlFlow *
sluice_control_flow_new (SluiceGraph *graph, GHashTable *swapping, gboolean always)
{
  gboolean has_flow = always;
  guint n = sluice_graph_get_n_nodes (graph);
  for (guint i = 0; i < n && !has_flow; i++)
    {
      SluiceRole role = sluice_node_get_role (sluice_graph_get_node (graph, i));
      has_flow = role == SLUICE_ROLE_ENTER || role == SLUICE_ROLE_SWITCH;
    }
  if (!has_flow)
    return NULL;
  SluiceControlFlow *self = g_new0 (SluiceControlFlow, 1);
  self->graph = graph;
  self->swapping = swapping;
  self->places = g_array_new (FALSE, TRUE, sizeof (Place));
  g_array_set_size (self->places, n);
  self->loops = g_ptr_array_new_with_free_func (loop_free);
  g_ptr_array_add (self->loops, NULL);
  self->branches = g_hash_table_new_full (hash_branch, equal_branches, g_free, NULL);
  find_frames (self);
  return self;
}

void
sluice_control_flow_free (SluiceControlFlow *self)
{
  if (!self)
    return;
  g_array_unref (self->places);
  g_ptr_array_unref (self->loops);
  g_hash_table_unref (self->branches);
  g_free (self);
}

/* ---- a whole graph ---- */

/* "inside the loop 'while/context'". (transfer full) */
static char *
describe_frame (SluiceControlFlow *self, guint frame)
{
  const SluiceLoop *loop = sluice_control_flow_get_loop (self, frame);
  return loop ? g_strdup_printf ("inside the loop '%s'", loop->name)
              : g_strdup ("outside all loops");
}

/* Two inputs in different loops, in words. (transfer full) (nullable) */
static char *
describe_mixture (SluiceControlFlow *self, const SluiceNode *node)
{
  const SluiceNode *first = NULL;
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      const SluiceNode *before = nth_input (node, i).node;
      if (!before)
        continue;
      first = first ? first : before;
      guint here = sluice_control_flow_output_frame_of (self, first);
      guint there = sluice_control_flow_output_frame_of (self, before);
      if (here == there)
        continue;
      g_autofree char *a = describe_frame (self, here), *b = describe_frame (self, there);
      return g_strdup_printf ("has inputs from different frames: '%s' lies %s, '%s' %s; bring "
                              "values into a loop by Enter and out of it by Exit",
                              first->name, a, before->name, b);
    }
  return NULL;
}

void
sluice_graph_check_flow (SluiceGraph *graph,
                         void (*report) (const SluiceNode *node, const char *what, gpointer data),
                         gpointer data)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    g_ptr_array_add (nodes, sluice_graph_get_node (graph, i));
  sluice_graph_lower_closure (graph, NULL, 0, (SluiceNode *const *) nodes->pdata, nodes->len);
  SluiceControlFlow *flow = sluice_control_flow_new (graph, NULL, FALSE);
  for (guint i = 0; flow && i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      g_autofree char *what = node->error ? NULL : describe_mixture (flow, node);
      if (what)
        report (node, what, data);
    }
  sluice_control_flow_free (flow);
}
