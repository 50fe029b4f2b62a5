/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/attrproto.h"
#include "engine/graph/edit-log.h"
#include "engine/graph/graphdef-private.h"
#include "engine/graph/lower-private.h"
#include "engine/graph/lower.h"

#include <string.h>

#include "engine/graph/edit.h"
#include "engine/graph/function.h"
#include "engine/graph/role.h"

/* Written out, calls multiply: f calls g twice, g calls h twice … */
#define MAX_NODES (1u << 22)

static GHashTable *lowerings; /* interned op name → SluiceLowerFunc; set at start-up */
static GHashTable *called;    /* interned op name → name of an attribute; set at start-up */

void
sluice_lowering_register (const char *op, SluiceLowerFunc func)
{
  if (lowerings == NULL)
    lowerings = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (lowerings, (gpointer) sluice_intern (op), (gpointer) func);
}

void
sluice_lowering_set_called (const char *op, const char *attr)
{
  if (called == NULL)
    called = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (called, (gpointer) sluice_intern (op), (gpointer) attr);
}

gboolean
sluice_lowering_exists (const char *op)
{
  return lowerings != NULL && g_hash_table_contains (lowerings, sluice_intern (op));
}

gboolean
sluice_graph_has_functions (const SluiceGraph *self)
{
  return self->library != NULL;
}

void
sluice_graph_share_functions (SluiceGraph *self, const SluiceGraph *from)
{
  if (self->library == NULL && from->library != NULL)
    self->library = sluice_library_ref (from->library);
}

gboolean
sluice_graph_has_functions_of (const SluiceGraph *self, const SluiceGraph *other)
{
  return self->library == other->library;
}

/* ---- what was written out ---- */

void
sluice_lowered_free (SluiceLowered *self)
{
  g_free (self->outputs);
  g_free (self->effects);
  g_free (self);
}

SluiceLowered *
sluice_lowered_copy (const SluiceLowered *self)
{
  SluiceLowered *copy = g_memdup2 (self, sizeof *self);
  copy->outputs = g_memdup2 (self->outputs, self->n_outputs * sizeof *self->outputs);
  copy->effects = g_memdup2 (self->effects, self->n_effects * sizeof *self->effects);
  return copy;
}

const SluiceLowered *
sluice_node_get_lowered (const SluiceNode *self)
{
  return sluice_node_record (self)->lowered;
}

SluiceEdge
sluice_edge_resolve (SluiceEdge edge)
{
  const SluiceLowered *lowered;
  while (edge.node != NULL && (lowered = sluice_node_record (edge.node)->lowered) != NULL)
    edge = lowered->outputs[edge.port];
  return edge;
}

/* ---- gradients of functions ---- */

const char *
sluice_graph_get_function_gradient (const SluiceGraph *self, const char *function)
{
  return sluice_library_find_gradient (self->library, function);
}

/* The function that a node calls, as a call of its own. FALSE: none. */
static gboolean
find_called (const SluiceNode *node, SluiceFuncValue *func)
{
  if (node->op == NULL)
    {
      *func = (SluiceFuncValue){ (char *) node->op_name, node->attrs, node->n_attrs };
      return sluice_library_find (node->graph->library, node->op_name) != NULL;
    }
  const char *attr = called != NULL ? g_hash_table_lookup (called, node->op_name) : NULL;
  const SluiceAttrValue *value = attr != NULL ? sluice_node_get_attr (node, attr) : NULL;
  if (value == NULL || value->kind != SLUICE_ATTR_FUNC)
    return FALSE;
  *func = *value->func;
  return TRUE;
}

const char *
sluice_node_get_function_gradient (const SluiceNode *self)
{
  SluiceFuncValue func;
  if (self->graph == NULL || self->graph->library == NULL || !find_called (self, &func))
    return NULL;
  return sluice_library_find_gradient (self->graph->library, func.name);
}

SluiceEdge
sluice_edge_resolve_for_gradient (SluiceEdge edge)
{
  const SluiceLowered *lowered;
  while (edge.node != NULL && (lowered = sluice_node_record (edge.node)->lowered) != NULL
         && sluice_node_get_function_gradient (edge.node) == NULL)
    edge = lowered->outputs[edge.port];
  return edge;
}

static gboolean
check_gradient_call (const SluiceNode *call, const SluiceNode *of, GError **error)
{
  gboolean ok = call->error == NULL && call->n_outputs == of->n_inputs;
  for (guint i = 0; ok && i < of->n_inputs; i++)
    {
      SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (of->inputs[i]));
      ok = dtype == SLUICE_RESOURCE || call->outputs[i].dtype == dtype;
    }
  if (ok)
    return TRUE;
  return sluice_node_fail (of, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "the library names '%s' as its gradient, which must give one tensor "
                           "of the dtype of each of its %u inputs%s%s",
                           call->op_name, of->n_inputs, call->error != NULL ? ": " : "",
                           call->error != NULL ? call->error->message : "");
}

/* The call as a NodeDef, in an arena. */
static Tensorflow__NodeDef *
gradient_call_def (SluiceArena *arena,
                   const SluiceBuilder *b,
                   const SluiceFuncValue *func,
                   const SluiceEdge *inputs,
                   guint n_inputs)
{
  Tensorflow__NodeDef *def = sluice_wire_new (arena, &tensorflow__node_def__descriptor);
  def->device = (char *) b->device;
  def->input = sluice_arena_new (arena, char *, n_inputs + b->n_control_inputs + 1);
  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *text = g_strdup_printf ("%s:%d", inputs[i].node->name, inputs[i].port);
      def->input[def->n_input++] = sluice_arena_strdup (arena, text);
    }
  for (guint i = 0; i < b->n_control_inputs; i++)
    {
      g_autofree char *text = g_strconcat ("^", b->control_inputs[i]->name, NULL);
      def->input[def->n_input++] = sluice_arena_strdup (arena, text);
    }
  def->attr = sluice_arena_new (arena, Tensorflow__AttrEntry *, func->n_attrs + 1);
  for (guint i = 0; i < func->n_attrs; i++)
    {
      Tensorflow__AttrEntry *entry = sluice_wire_new (arena, &tensorflow__attr_entry__descriptor);
      entry->key = (char *) func->attrs[i].name;
      entry->value = sluice_attr_pack (&func->attrs[i].value, arena, FALSE);
      def->attr[def->n_attr++] = entry;
    }
  return def;
}

SluiceNode *
sluice_builder_add_gradient_call (SluiceBuilder *b,
                                  const SluiceNode *of,
                                  const SluiceEdge *inputs,
                                  guint n_inputs,
                                  GError **error)
{
  SluiceFuncValue func;
  const char *gradient = sluice_node_get_function_gradient (of);
  g_return_val_if_fail (gradient != NULL && find_called (of, &func), NULL);
  if (sluice_library_find (b->graph->library, gradient) == NULL)
    {
      sluice_node_fail (of, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the library names '%s' as its gradient, and has no such function",
                        gradient);
      return NULL;
    }
  SluiceArena arena;
  sluice_arena_init (&arena);
  g_autofree char *wanted = g_strconcat (b->scope, "/", gradient, NULL);
  g_autofree char *name = sluice_graph_unique_name (b->graph, wanted);
  Tensorflow__GraphDef *graph = sluice_wire_new (&arena, &tensorflow__graph_def__descriptor);
  Tensorflow__NodeDef *def = gradient_call_def (&arena, b, &func, inputs, n_inputs);
  def->name = name;
  def->op = (char *) gradient;
  graph->node = &def;
  graph->n_node = 1;
  gboolean added = sluice_graph_add_defs (b->graph, graph, error);
  sluice_arena_clear (&arena);
  SluiceNode *call = added ? sluice_graph_find (b->graph, name) : NULL;
  return call != NULL && check_gradient_call (call, of, error) ? call : NULL;
}

void
sluice_graph_copy_lowered (SluiceGraph *self, const SluiceGraph *from, SluiceNode *const *copies)
{
  for (guint i = 0; from->library != NULL && i < from->nodes->len; i++)
    {
      const SluiceNodeRecord *record = g_ptr_array_index (from->nodes, i);
      if (record->lowered == NULL || copies[i] == NULL
          || sluice_node_record (copies[i])->lowered != NULL)
        continue;
      const SluiceLowered *old = record->lowered;
      SluiceLowered *copy = sluice_lowered_copy (old);
      for (guint k = 0; k < old->n_outputs; k++)
        copy->outputs[k].node = copies[old->outputs[k].node->id - 1];
      for (guint k = 0; k < old->n_effects; k++)
        copy->effects[k] = copies[old->effects[k]->id - 1];
      copy->done = copies[old->done->id - 1];
      sluice_node_record (copies[i])->lowered = copy;
    }
}

/* ---- paths ---- */

SluiceCallPath *
sluice_call_path_ref (SluiceCallPath *self)
{
  if (self != NULL)
    atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_call_path_unref (SluiceCallPath *self)
{
  while (self != NULL && atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    {
      SluiceCallPath *parent = self->parent;
      g_free (self);
      self = parent;
    }
}

static gboolean
check_recursion (const SluiceNode *node, const char *function, GError **error)
{
  g_autoptr (GString) path = g_string_new (function);
  for (const SluiceCallPath *at = sluice_node_record (node)->path; at != NULL; at = at->parent)
    {
      g_string_prepend (path, " → ");
      g_string_prepend (path, at->function);
      if (g_str_equal (at->function, function))
        return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "function '%s' calls itself (%s); functions are written out "
                                 "before a run, so they cannot be recursive: use a loop",
                                 function, path->str);
    }
  return TRUE;
}

/* That a node may call, once more. (nullable) */
static const Tensorflow__FunctionDef *
find_function (const SluiceGraph *graph, const SluiceNode *node, const char *name, GError **error)
{
  const Tensorflow__FunctionDef *def = sluice_library_find (graph->library, name);
  if (def == NULL)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_NOT_FOUND, "the graph has no function '%s'",
                        name);
      return NULL;
    }
  if (!check_recursion (node, name, error))
    return NULL;
  if (graph->nodes->len + def->n_node_def <= MAX_NODES)
    return def;
  sluice_node_fail (node, error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                    "written out, the calls of functions are more than %u nodes", MAX_NODES);
  return NULL;
}

/* ---- one call ---- */

/* Nodes behind a Switch or in a loop of the body may be dead, or run many times. */
static void
mark_conditional (SluiceGraph *graph, guint first, gboolean *conditional)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  for (guint i = first; i < graph->nodes->len; i++)
    {
      SluiceNode *node = g_ptr_array_index (graph->nodes, i);
      SluiceRole role = sluice_node_get_role (node);
      if (role != SLUICE_ROLE_SWITCH && role != SLUICE_ROLE_ENTER)
        continue;
      conditional[i - first] = TRUE;
      g_ptr_array_add (todo, node);
    }
  while (todo->len > 0)
    {
      SluiceNodeRecord *record = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      for (guint i = 0; i < record->n_uses; i++)
        {
          SluiceNode *user = record->uses[i].node;
          if (user->id - 1 < first || conditional[user->id - 1 - first])
            continue;
          conditional[user->id - 1 - first] = TRUE;
          g_ptr_array_add (todo, user);
        }
    }
}

static gboolean
has_effect (const SluiceNode *node)
{
  return sluice_node_is_stateful (node) && !sluice_node_get_traits (node)->is_state;
}

/* What of a body runs in any case goes to always, what may not to the others. */
static void
gather_effects (SluiceGraph *graph, guint first, GPtrArray *always, GPtrArray *others)
{
  guint n = graph->nodes->len - first;
  g_autofree gboolean *conditional = g_new0 (gboolean, n + 1);
  mark_conditional (graph, first, conditional);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = g_ptr_array_index (graph->nodes, first + i);
      if (has_effect (node))
        g_ptr_array_add (conditional[i] ? others : always, node);
    }
}

static void
set_paths (SluiceGraph *graph, guint first, const SluiceNode *caller, const char *function)
{
  SluiceCallPath *path = g_new (SluiceCallPath, 1);
  *path = (SluiceCallPath){ 1, sluice_call_path_ref (sluice_node_record (caller)->path),
                            sluice_intern (function) };
  for (guint i = first; i < graph->nodes->len; i++)
    {
      SluiceNodeRecord *record = g_ptr_array_index (graph->nodes, i);
      sluice_call_path_unref (record->path);
      record->path = sluice_call_path_ref (path);
    }
  sluice_call_path_unref (path);
}

/* The outputs come after what the body does besides computing them. */
static SluiceNode *
finish_call (
    SluiceLowering *l, const char *scope, GPtrArray *always, SluiceEdge *outputs, guint n_outputs)
{
  SluiceBuilder b;
  sluice_builder_init (&b, l->b.graph, scope);
  b.device = l->b.device;
  b.control_inputs = (SluiceNode *const *) always->pdata;
  b.n_control_inputs = always->len;
  for (guint i = 0; always->len > 0 && i < n_outputs; i++)
    outputs[i] = sluice_builder_add (&b, sluice_registry_by_role (SLUICE_ROLE_IDENTITY)->name,
                                     "_output", &outputs[i], 1, NULL, 0);
  for (guint i = 0; b.error == NULL && i < n_outputs; i++)
    g_ptr_array_add (always, outputs[i].node);
  b.control_inputs = (SluiceNode *const *) always->pdata;
  b.n_control_inputs = always->len;
  SluiceNodeSpec spec = { .op = sluice_registry_by_role (SLUICE_ROLE_NO_OP)->name,
                          .device = b.device,
                          .control_inputs = b.control_inputs,
                          .n_control_inputs = b.n_control_inputs };
  g_autofree char *wanted = g_strconcat (scope, "/_done", NULL);
  g_autofree char *name = sluice_graph_unique_name (b.graph, wanted);
  spec.name = name;
  SluiceNode *done = b.error == NULL ? sluice_graph_add (b.graph, &spec, &b.error) : NULL;
  if (b.error != NULL && l->b.error == NULL)
    l->b.error = g_steal_pointer (&b.error);
  g_clear_error (&b.error);
  return done;
}

gboolean
sluice_lowering_call (SluiceLowering *l,
                      const SluiceFuncValue *func,
                      const char *scope,
                      const SluiceEdge *inputs,
                      guint n_inputs,
                      SluiceNode *pivot,
                      SluiceEdge *outputs,
                      guint n_outputs,
                      SluiceNode **done,
                      GError **error)
{
  SluiceGraph *graph = l->b.graph;
  const SluiceNode *node = l->node;
  if (l->b.error != NULL)
    return sluice_builder_finish (&l->b, error);
  const Tensorflow__FunctionDef *def = find_function (graph, node, func->name, error);
  if (def == NULL)
    return FALSE;
  g_autofree char *wanted = g_strconcat (l->b.scope, "/", scope, NULL);
  g_autofree char *full = sluice_graph_unique_name (graph, wanted);
  SluiceInline how = { .attrs = func->attrs,
                       .n_attrs = func->n_attrs,
                       .scope = full,
                       .device = l->b.device,
                       .inputs = inputs,
                       .n_inputs = n_inputs,
                       .controls = pivot == NULL ? node->control_inputs : NULL,
                       .n_controls = pivot == NULL ? node->n_control_inputs : 0,
                       .pivot = pivot != NULL ? pivot->name : NULL };
  g_autoptr (GPtrArray) always = g_ptr_array_new ();
  guint first = graph->nodes->len;
  if (!sluice_function_inline (def, graph, &how, outputs, n_outputs, always, error))
    {
      g_prefix_error (error, "%s '%s': ", node->op_name, node->name);
      return sluice_node_sign_error (node, error);
    }
  gather_effects (graph, first, always, l->effects);
  if (pivot != NULL)
    g_ptr_array_add (always, pivot);
  SluiceNode *end = finish_call (l, full, always, outputs, n_outputs);
  set_paths (graph, first, node, func->name);
  if (done != NULL)
    *done = end;
  return l->b.error == NULL || sluice_builder_finish (&l->b, error);
}

/* A node whose op is a function. */
static gboolean
lower_named (SluiceLowering *l, GError **error)
{
  SluiceFuncValue func = { (char *) l->node->op_name, l->node->attrs, l->node->n_attrs };
  return sluice_lowering_call (l, &func, "f", l->node->inputs, l->node->n_inputs, NULL, l->outputs,
                               l->node->n_outputs, &l->done, error);
}

/* ---- bodies that stand by themselves ---- */

/* What the arguments of a body are fed to. */
static gboolean
add_inputs (SluiceBody *self,
            SluiceGraph *graph,
            const SluiceNode *caller,
            const char *scope,
            const SluiceDType *types,
            GError **error)
{
  SluiceBuilder b;
  g_autofree char *full = g_strconcat (scope, "/in", NULL);
  const SluiceOp *op = sluice_registry_by_role (SLUICE_ROLE_PLACEHOLDER);
  sluice_builder_init (&b, graph, full);
  b.device = caller->device;
  for (guint i = 0; i < self->n_inputs; i++)
    {
      SluiceAttr attrs[] = { sluice_attr_type ("dtype", types[i]),
                             sluice_attr_shape ("shape", &SLUICE_SHAPE_UNKNOWN) };
      self->inputs[i] =
          sluice_builder_add (&b, op->name, "arg", NULL, 0, attrs, G_N_ELEMENTS (attrs));
    }
  return sluice_builder_finish (&b, error);
}

gboolean
sluice_graph_add_body (
    SluiceGraph *self, SluiceNode *caller, const char *attr, SluiceBody *body, GError **error)
{
  const SluiceFuncValue *func = sluice_node_get_attr (caller, attr)->func;
  *body = (SluiceBody){ .effects = g_ptr_array_new () };
  const Tensorflow__FunctionDef *def = find_function (self, caller, func->name, error);
  if (def == NULL)
    return FALSE;
  g_autofree char *wanted = g_strconcat (caller->name, "/_call/", attr, NULL);
  g_autofree char *scope = sluice_graph_unique_name (self, wanted);
  g_autofree SluiceDType *types =
      sluice_function_dup_types (def, FALSE, func->attrs, func->n_attrs, &body->n_inputs);
  body->n_outputs = (guint) def->signature->n_output_arg;
  body->inputs = g_new0 (SluiceEdge, body->n_inputs + 1);
  body->outputs = g_new0 (SluiceEdge, body->n_outputs + 1);
  if (!add_inputs (body, self, caller, scope, types, error))
    return FALSE;
  SluiceInline how = { .attrs = func->attrs,
                       .n_attrs = func->n_attrs,
                       .scope = scope,
                       .device = caller->device,
                       .inputs = body->inputs,
                       .n_inputs = body->n_inputs };
  guint first = self->nodes->len;
  if (!sluice_function_inline (def, self, &how, body->outputs, body->n_outputs, body->effects,
                               error))
    {
      g_prefix_error (error, "%s '%s': ", caller->op_name, caller->name);
      return sluice_node_sign_error (caller, error);
    }
  gather_effects (self, first, body->effects, body->effects);
  set_paths (self, first, caller, func->name);
  return TRUE;
}

void
sluice_body_clear (SluiceBody *self)
{
  g_free (self->inputs);
  g_free (self->outputs);
  g_ptr_array_unref (self->effects);
}

/* ---- shapes ---- */

/* Bodies within bodies, and all of them for one call; a function that calls itself would go on for
 * ever. */
#define MAX_SHAPE_DEPTH  16
#define MAX_SHAPE_BODIES 256
/* Constants that shapes may be computed from. */
#define MAX_SHAPE_CONSTANT 64

/* What stands for an input of the call in a graph with the body alone. */
static SluiceEdge
stand_in (SluiceBuilder *b, const SluiceShapeContext *c, guint input)
{
  SluiceEdge edge = c->node->inputs[input];
  const SluiceTensor *constant = edge.node != NULL ? sluice_edge_constant (edge) : NULL;
  if (edge.node == NULL)
    return SLUICE_NO_EDGE;
  if (constant != NULL && constant->n_elements <= MAX_SHAPE_CONSTANT)
    return sluice_builder_const (b, sluice_tensor_ref ((SluiceTensor *) constant));
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype),
                         sluice_attr_shape ("shape", &c->inputs[input]) };
  const SluiceOp *op = sluice_registry_by_role (SLUICE_ROLE_PLACEHOLDER);
  SluiceEdge made = sluice_builder_add (b, op->name, NULL, NULL, 0, attrs, G_N_ELEMENTS (attrs));
  if (made.node != NULL)
    {
      made.node->outputs[0].handle_dtype = edge.node->outputs[edge.port].handle_dtype;
      made.node->outputs[0].handle_shape = edge.node->outputs[edge.port].handle_shape;
    }
  return made;
}

static void
infer_body (SluiceShapeContext *c,
            const SluiceFuncValue *func,
            const Tensorflow__FunctionDef *def,
            guint first_input)
{
  guint n = c->n_inputs - first_input;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, n + 1);
  g_autofree SluiceEdge *outputs = g_new0 (SluiceEdge, c->n_outputs + 1);
  g_autoptr (GPtrArray) named = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  SluiceBuilder b;
  sluice_graph_share_functions (graph, c->node->graph);
  sluice_builder_init (&b, graph, "in");
  for (guint i = 0; i < n; i++)
    {
      inputs[i] = stand_in (&b, c, first_input + i);
      if (inputs[i].node == NULL)
        break;
    }
  SluiceInline how = { .attrs = func->attrs,
                       .n_attrs = func->n_attrs,
                       .scope = "f",
                       .device = "",
                       .inputs = inputs,
                       .n_inputs = n };
  gboolean ok = sluice_builder_finish (&b, NULL) && (n == 0 || inputs[n - 1].node != NULL)
                && sluice_function_inline (def, graph, &how, outputs, c->n_outputs, named, &error);
  for (guint i = 0; ok && i < c->n_outputs; i++)
    {
      const SluiceOutput *output = &outputs[i].node->outputs[outputs[i].port];
      c->outputs[i].shape = output->shape;
      c->outputs[i].handle_dtype = output->handle_dtype;
      c->outputs[i].handle_shape = output->handle_shape;
    }
}

void
sluice_shape_context_call (SluiceShapeContext *self, const SluiceFuncValue *func, guint first_input)
{
  static _Thread_local guint depth, n_bodies;
  const SluiceGraph *graph = self->node->graph;
  const Tensorflow__FunctionDef *def =
      graph != NULL ? sluice_library_find (graph->library, func->name) : NULL;
  if (depth == 0)
    n_bodies = 0;
  if (def == NULL || depth == MAX_SHAPE_DEPTH || n_bodies == MAX_SHAPE_BODIES
      || first_input > self->n_inputs)
    return;
  depth++;
  n_bodies++;
  infer_body (self, func, def, first_input);
  depth--;
}

static SluiceLowerFunc
find_lowering (const SluiceNode *node)
{
  if (node->op == NULL)
    return sluice_library_find (node->graph->library, node->op_name) != NULL ? lower_named : NULL;
  return lowerings != NULL ? (SluiceLowerFunc) g_hash_table_lookup (lowerings, node->op_name)
                           : NULL;
}

/* ---- closures ---- */

static gboolean
check_outputs (SluiceLowering *l, GError **error)
{
  const SluiceNode *node = l->node;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      SluiceDType want = node->outputs[i].dtype;
      SluiceDType got =
          l->outputs[i].node != NULL ? sluice_edge_dtype (l->outputs[i]) : SLUICE_INVALID;
      if (want != SLUICE_INVALID && got != want)
        return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "output %u should be %s, and what is called gives %s", i,
                                 sluice_dtype_name (want), sluice_dtype_name (got));
    }
  return TRUE;
}

static gboolean
has_all_inputs (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node == NULL)
      return FALSE;
  return TRUE;
}

/* New nodes that have no inputs run where the call stands, which may be in a loop; and a call among
 * them is one more of those that led here, so that recursion ends. */
static void
settle_new (SluiceGraph *graph, const SluiceNode *call, guint first)
{
  SluiceCallPath *path = NULL;
  for (guint i = first; i < graph->nodes->len && path == NULL; i++)
    path = ((SluiceNodeRecord *) g_ptr_array_index (graph->nodes, i))->path;
  for (guint i = first; i < graph->nodes->len; i++)
    {
      SluiceNodeRecord *record = g_ptr_array_index (graph->nodes, i);
      SluiceNode *node = &record->node;
      if (record->path == NULL)
        record->path = sluice_call_path_ref (path);
      if (node->n_inputs > 0 || node->n_control_inputs > 0)
        continue;
      if (call->n_inputs > 0)
        sluice_graph_add_control_input (graph, node, call->inputs[0].node);
      else if (call->n_control_inputs > 0)
        sluice_graph_add_control_input (graph, node, call->control_inputs[0]);
    }
}

/* TRUE: nodes were added. */
static gboolean
lower_node (SluiceGraph *graph, SluiceNode *node)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  SluiceLowerFunc func = record->lowered == NULL && node->error == NULL && has_all_inputs (node)
                             ? find_lowering (node)
                             : NULL;
  if (func == NULL)
    return FALSE;
  g_autofree char *scope = g_strconcat (node->name, "/_call", NULL);
  SluiceLowering l = { .node = node,
                       .outputs = g_new0 (SluiceEdge, node->n_outputs + 1),
                       .effects = g_ptr_array_new () };
  GError *error = NULL;
  sluice_builder_init (&l.b, graph, scope);
  l.b.device = node->device;
  sluice_graph_touch (graph, node);
  guint first = graph->nodes->len;
  gboolean ok = func (&l, &error);
  settle_new (graph, node, first);
  if (!ok)
    g_clear_error (&l.b.error);
  ok = ok && sluice_builder_finish (&l.b, &error) && check_outputs (&l, &error);
  if (ok)
    {
      record->lowered = g_new (SluiceLowered, 1);
      *record->lowered =
          (SluiceLowered){ l.outputs, node->n_outputs, l.done,
                           (SluiceNode **) g_memdup2 (l.effects->pdata,
                                                      l.effects->len * sizeof (SluiceNode *)),
                           l.effects->len };
    }
  else
    {
      node->error = error;
      g_free (l.outputs);
    }
  g_ptr_array_unref (l.effects);
  return TRUE;
}

typedef struct
{
  SluiceGraph *graph;
  GByteArray *seen; /* by node index */
  GPtrArray *todo;
} Closure;

static void
need (Closure *c, SluiceNode *node)
{
  if (node->id > c->seen->len)
    {
      guint n = c->seen->len;
      g_byte_array_set_size (c->seen, c->graph->nodes->len);
      memset (c->seen->data + n, 0, c->seen->len - n);
    }
  if (c->seen->data[node->id - 1])
    return;
  c->seen->data[node->id - 1] = TRUE;
  g_ptr_array_add (c->todo, node);
}

static void
need_behind (Closure *c, const SluiceNode *node)
{
  const SluiceLowered *lowered = sluice_node_get_lowered (node);
  if (lowered != NULL)
    {
      for (guint i = 0; i < lowered->n_outputs; i++)
        need (c, lowered->outputs[i].node);
      for (guint i = 0; i < lowered->n_effects; i++)
        need (c, lowered->effects[i]);
      need (c, lowered->done);
      return;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL)
      need (c, node->inputs[i].node);
  for (guint i = 0; i < node->n_control_inputs; i++)
    need (c, node->control_inputs[i]);
}

gboolean
sluice_graph_lower_closure (SluiceGraph *self,
                            const SluiceEdge *edges,
                            guint n_edges,
                            SluiceNode *const *nodes,
                            guint n_nodes)
{
  if (self->library == NULL)
    return FALSE;
  gboolean added = FALSE;
  sluice_graph_hold (self);
  Closure c = { self, g_byte_array_new (), g_ptr_array_new () };
  for (guint i = 0; i < n_edges; i++)
    need (&c, edges[i].node);
  for (guint i = 0; i < n_nodes; i++)
    need (&c, nodes[i]);
  while (c.todo->len > 0)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (c.todo, c.todo->len - 1);
      added |= lower_node (self, node);
      need_behind (&c, node);
    }
  g_byte_array_unref (c.seen);
  g_ptr_array_unref (c.todo);
  sluice_graph_release (self);
  return added;
}

gboolean
sluice_graph_lower_all (SluiceGraph *self)
{
  guint n = sluice_graph_get_n_nodes (self);
  g_autofree SluiceNode **nodes = g_new (SluiceNode *, n + 1);
  for (guint i = 0; i < n; i++)
    nodes[i] = sluice_graph_get_node (self, i);
  return sluice_graph_lower_closure (self, NULL, 0, nodes, n);
}
