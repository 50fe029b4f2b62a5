/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/graph-adapter.h"

#include <string.h>

#include "app/graph/node-words.h"
#include "engine/command/command.h"
#include "engine/graph/variable-kind.h"
#include "engine/graph/cost.h"

#define N_KNOWN 256 /* a power of two */

/* A model that is being filled. Most texts come again and again: those that were met lately are
 * known by the address of what they came from, and shapes by their sizes. */
typedef struct
{
  SluiceGraphModel *model;
  SluiceSession *session; /* (nullable) */
  gboolean has_optimizer;
  struct
  {
    const char *from, *kept;
  } texts[N_KNOWN];
  struct
  {
    SluiceShape shape;
    const char *kept; /* (nullable): also of a rank that is not known */
  } shapes[N_KNOWN];
} Filler;

static Filler *
filler_new (SluiceGraphModel *model, SluiceGraph *graph, SluiceSession *session)
{
  Filler *self = g_new0 (Filler, 1);
  self->model = model;
  self->session = session;
  self->has_optimizer = sluice_graph_has_optimizer (graph);
  for (guint i = 0; i < N_KNOWN; i++)
    self->shapes[i].shape = SLUICE_SHAPE_UNKNOWN;
  return self;
}

/* @text stays where it is while the model is filled. */
static const char *
keep (Filler *self, const char *text)
{
  guint slot = (guint) ((guintptr) text / sizeof (gpointer)) % N_KNOWN;
  if (self->texts[slot].from != text)
    {
      self->texts[slot].from = text;
      self->texts[slot].kept = sluice_graph_model_keep (self->model, text);
    }
  return self->texts[slot].kept;
}

static const char *
keep_shape (Filler *self, const SluiceShape *shape)
{
  guint64 key = (guint64) (shape->rank + 1);
  for (int i = 0; i < shape->rank; i++)
    key = (key + (guint64) shape->dim[i]) * 0x9e3779b97f4a7c15u;
  guint slot = (guint) (key >> 32) % N_KNOWN;
  if (!sluice_shape_equal (&self->shapes[slot].shape, shape))
    {
      g_autofree char *words = sluice_words_shape (shape);
      self->shapes[slot].shape = *shape;
      self->shapes[slot].kept = sluice_graph_model_keep (self->model, words);
    }
  return self->shapes[slot].kept;
}

static SluiceNodeClass
node_class (const SluiceNode *node)
{
  switch (sluice_node_get_role (node))
    {
    case SLUICE_ROLE_CONST:
      return SLUICE_NODE_CLASS_CONSTANT;
    case SLUICE_ROLE_VARIABLE:
    case SLUICE_ROLE_RESOURCE_HANDLE:
      return SLUICE_NODE_CLASS_VARIABLE;
    case SLUICE_ROLE_PLACEHOLDER:
      return SLUICE_NODE_CLASS_PLACEHOLDER;
    case SLUICE_ROLE_SUMMARY:
    case SLUICE_ROLE_MERGE_SUMMARY:
      return SLUICE_NODE_CLASS_SUMMARY;
    case SLUICE_ROLE_NO_OP:
      return SLUICE_NODE_CLASS_CONTROL;
    default:
      return SLUICE_NODE_CLASS_OP;
    }
}

/* What is added to a variable may be what a person wants to know, as a metric is; it is not listed.
 */
static SluiceNodeService
node_service (const SluiceNode *node)
{
  static const struct
  {
    const char *op;
    SluiceNodeService service;
  } services[] = {
    { "AssignSub", SLUICE_SERVICE_KEEP },
    { "AssignSubVariableOp", SLUICE_SERVICE_KEEP },
    { "IsVariableInitialized", SLUICE_SERVICE_ASK },
    { "MergeV2Checkpoints", SLUICE_SERVICE_KEEP },
    { "Restore", SLUICE_SERVICE_KEEP },
    { "RestoreSlice", SLUICE_SERVICE_KEEP },
    { "RestoreV2", SLUICE_SERVICE_KEEP },
    { "Save", SLUICE_SERVICE_KEEP },
    { "SaveSlices", SLUICE_SERVICE_KEEP },
    { "SaveV2", SLUICE_SERVICE_KEEP },
    { "ShardedFilename", SLUICE_SERVICE_KEEP },
    { "VarIsInitializedOp", SLUICE_SERVICE_ASK },
  };
  if (sluice_node_get_role (node) == SLUICE_ROLE_ASSIGN)
    return SLUICE_SERVICE_KEEP;
  for (guint i = 0; i < G_N_ELEMENTS (services); i++)
    if (strcmp (node->op_name, services[i].op) == 0)
      return services[i].service;
  return SLUICE_SERVICE_NONE;
}

static gint64
known_elements (const SluiceShape *shape)
{
  double n = shape->rank >= 0 ? 1 : 0;
  for (int i = 0; i < shape->rank; i++)
    n *= MAX (shape->dim[i], shape->dim[i] < 0 ? 1 : 0);
  return n < 1e18 ? (gint64) n : (gint64) 1e18;
}

static guint64
output_bytes (const SluiceOutput *output)
{
  return known_elements (&output->shape) * sluice_dtype_size (sluice_dtype_base (output->dtype));
}

/* Work by the op's own formula, on shapes whose unknown sizes are taken as one. */
static double
node_cost (const SluiceNode *node)
{
  SluiceCost cost;
  return node->op != NULL && node->op->def->cost != NULL && sluice_node_get_cost (node, 1, &cost)
             ? cost.flops
             : 0;
}

static guint64
get_params (SluiceNode *node, gboolean has_optimizer)
{
  return sluice_variable_get_kind (node->graph, node, has_optimizer) == SLUICE_VARIABLE_TRAINED
             ? (guint64) MIN (sluice_variable_get_elements (node), 1e18)
             : 0;
}

static void
add_node (Filler *filler, SluiceNode *node)
{
  const char *device =
      filler->session != NULL ? sluice_session_get_device_of (filler->session, node) : NULL;
  SluiceModelNode item = { .name = node->name,
                           .op = keep (filler, node->op_name),
                           .device = keep (filler, device != NULL ? device : node->device),
                           .asked = keep (filler, node->device),
                           .loop = sluice_node_get_loop (node),
                           .error = node->error != NULL ? node->error->message : NULL,
                           .node_class = node_class (node),
                           .service = node_service (node),
                           .cost = node_cost (node),
                           .params = get_params (node, filler->has_optimizer),
                           .held = (guint64) MIN (sluice_variable_get_elements (node), 1e18),
                           .is_muted = sluice_node_get_attr (node, SLUICE_MUTED_ATTR) != NULL };
  for (guint i = 0; i < node->n_outputs; i++)
    item.bytes += output_bytes (&node->outputs[i]);
  sluice_graph_model_add_node (filler->model, &item);
}

/* A reference or handle that goes into an op which writes through it is an update of the variable.
 */
static SluiceEdgeKind
edge_kind (const SluiceNode *node, guint input)
{
  SluiceRole role = sluice_node_get_role (node);
  SluiceDType dtype = sluice_edge_dtype (node->inputs[input]);
  if (role == SLUICE_ROLE_MERGE
      && sluice_node_get_role (node->inputs[input].node) == SLUICE_ROLE_NEXT_ITERATION)
    return SLUICE_EDGE_BACK;
  if (sluice_dtype_is_ref (dtype))
    return node->n_outputs > 0 && sluice_dtype_is_ref (node->outputs[0].dtype)
               ? SLUICE_EDGE_REFERENCE
               : SLUICE_EDGE_DATA;
  return dtype == SLUICE_RESOURCE && role != SLUICE_ROLE_READ_VARIABLE && node->n_outputs == 0
             ? SLUICE_EDGE_REFERENCE
             : SLUICE_EDGE_DATA;
}

static void
add_edges (Filler *filler, const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge from = node->inputs[i];
      if (from.node == NULL)
        continue;
      const SluiceOutput *output = &from.node->outputs[from.port];
      sluice_graph_model_add_edge (
          filler->model,
          &(SluiceModelEdge){ .from = from.node->id - 1,
                              .to = node->id - 1,
                              .port = from.port,
                              .slot = i,
                              .kind = edge_kind (node, i),
                              .dtype = keep (filler, sluice_dtype_name (output->dtype)),
                              .shape = keep_shape (filler, &output->shape),
                              .bytes = output_bytes (output) });
    }
  for (guint i = 0; i < node->n_control_inputs; i++)
    sluice_graph_model_add_edge (filler->model,
                                 &(SluiceModelEdge){ .from = node->control_inputs[i]->id - 1,
                                                     .to = node->id - 1,
                                                     .kind = SLUICE_EDGE_CONTROL });
}

SluiceGraphModel *
sluice_graph_model_from_graph (SluiceGraph *graph, SluiceSession *session)
{
  guint n = sluice_graph_get_n_nodes (graph);
  SluiceGraphModel *model = sluice_graph_model_new ();
  g_autofree Filler *filler = filler_new (model, graph, session);
  sluice_graph_model_reserve (model, n, 0);
  for (guint i = 0; i < n; i++)
    add_node (filler, sluice_graph_get_node (graph, i));
  for (guint i = 0; i < n; i++)
    add_edges (filler, sluice_graph_get_node (graph, i));
  return model;
}

void
sluice_graph_model_place (SluiceGraphModel *model, SluiceGraph *graph, SluiceSession *session)
{
  g_autofree Filler *filler = filler_new (model, graph, session);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      const char *device = sluice_session_get_device_of (session, node);
      sluice_graph_model_set_device (model, i,
                                     keep (filler, device != NULL ? device : node->device));
    }
}

/* ---- after an edit ---- */

/* Which nodes of the graph must be looked at, by index: those that came or changed, and what reads
 * outputs that did, for edges tell the shapes that go along them. */
static guint8 *
mark_changed (SluiceGraph *graph, const SluiceGraphDelta *delta)
{
  guint8 *changed = g_new0 (guint8, sluice_graph_get_n_nodes (graph) + 1);
  for (guint i = 0; i < delta->n_added; i++)
    changed[delta->added[i].index] = TRUE;
  for (guint i = 0; i < delta->n_changed; i++)
    {
      const SluiceNode *node = delta->changed[i].node;
      changed[node->id - 1] = TRUE;
      if (!(delta->changed[i].what & SLUICE_CHANGED_OUTPUTS))
        continue;
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
      for (guint k = 0; k < n; k++)
        changed[uses[k].node->id - 1] = TRUE;
    }
  return changed;
}

/* Where the nodes of before stand now, by index; G_MAXUINT: nowhere. */
static guint *
map_indices (guint n_old, const SluiceGraphDelta *delta)
{
  guint *now = g_new (guint, n_old + 1);
  for (guint i = 0, removed = 0, added = 0, at = 0; i < n_old; i++)
    {
      if (removed < delta->n_removed && delta->removed[removed].index == i)
        {
          removed++;
          now[i] = G_MAXUINT;
          continue;
        }
      while (added < delta->n_added && delta->added[added].index == at)
        {
          added++;
          at++;
        }
      now[i] = at++;
    }
  return now;
}

SluiceGraphModel *
sluice_graph_model_after (SluiceGraphModel *base,
                          SluiceGraph *graph,
                          SluiceSession *session,
                          const SluiceGraphDelta *delta)
{
  guint n = sluice_graph_get_n_nodes (graph), n_old = sluice_graph_model_get_n_nodes (base);
  guint n_edges;
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (base, &n_edges);
  SluiceGraphModel *model = sluice_graph_model_new_after (base);
  g_autofree Filler *filler = filler_new (model, graph, session);
  g_autofree guint8 *changed = mark_changed (graph, delta);
  g_autofree guint *now = map_indices (n_old, delta);
  g_autofree guint *before = g_new (guint, n + 1);
  sluice_graph_model_reserve (model, n, n_edges);
  for (guint i = 0; i < n_old; i++)
    if (now[i] != G_MAXUINT)
      before[now[i]] = i;
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      const SluiceModelNode *was =
          changed[i] ? NULL : sluice_graph_model_get_node (base, before[i]);
      /* Whether a variable is trained is told by nodes some way off. Nobody else is looked at:
       * nodes of large graphs lie all over the memory. */
      if (was != NULL && was->node_class == SLUICE_NODE_CLASS_VARIABLE)
        changed[i] = was->params != get_params (node, filler->has_optimizer);
      if (changed[i])
        add_node (filler, node);
      else
        sluice_graph_model_take_node (model, base, before[i]);
    }
  for (guint i = 0, e = 0; i < n; i++)
    {
      if (changed[i])
        {
          add_edges (filler, sluice_graph_get_node (graph, i));
          continue;
        }
      /* Edges stand in the order of the nodes that they lead to. */
      while (e < n_edges && edges[e].to < before[i])
        e++;
      for (; e < n_edges && edges[e].to == before[i]; e++)
        sluice_graph_model_take_edge (model, base, e, now[edges[e].from], i);
    }
  return model;
}
