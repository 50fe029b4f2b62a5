/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Makes a graph one that learns: gradients of a loss, an optimizer's updates, the global step, and
 * what gives all variables their first values, under the names that TensorFlow's tf.train gives
 * them. What an optimizer is made of stands in its template.
 */
#include <string.h>

#include "engine/command/expand.h"
#include "engine/grad/grad.h"
#include "engine/graph/edge-text.h"

#define STEP   "global_step"
#define MERGED "summaries/merged"

typedef struct
{
  SluiceCommandCall *call;
  const SluiceTemplate *optimizer;
  SluiceTemplateValues *texts;
  GPtrArray *variables; /* SluiceNode, those that are trained */
  GPtrArray *gradients; /* their names */
} Training;

/* ---- variables ---- */

static gboolean
is_reference (const SluiceNode *node)
{
  return sluice_node_get_role (node) == SLUICE_ROLE_VARIABLE;
}

/* Where it is one. */
static gboolean
describe_variable (const SluiceNode *node, SluiceDType *dtype, SluiceShape *shape)
{
  const SluiceOutput *output = &node->outputs[0];
  gboolean is_handle = sluice_node_get_role (node) == SLUICE_ROLE_RESOURCE_HANDLE;
  if (!is_handle && !is_reference (node))
    return FALSE;
  *dtype = is_handle ? output->handle_dtype : sluice_dtype_base (output->dtype);
  *shape = is_handle ? output->handle_shape : output->shape;
  return *dtype != SLUICE_INVALID;
}

/* What gives it its first value: "NAME/Assign", or the first that assigns to it. (nullable) */
static SluiceNode *
find_initializer (const SluiceNode *variable)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (variable->graph, variable, &n);
  SluiceNode *found = NULL;
  g_autofree char *name = g_strconcat (variable->name, "/Assign", NULL);
  for (guint i = 0; i < n; i++)
    if (uses[i].input == 0 && sluice_node_get_role (uses[i].node) == SLUICE_ROLE_ASSIGN
        && (found == NULL || g_str_equal (uses[i].node->name, name)))
      found = uses[i].node;
  return found;
}

/* All that may be trained: floating, in the scope that was named. */
static gboolean
find_variables (Training *self, GError **error)
{
  SluiceGraph *graph = self->call->graph;
  const char *scope = sluice_command_get_value (self->call, "variables");
  g_autoptr (GPtrArray) below =
      scope != NULL ? sluice_command_collect (self->call, scope, error) : NULL;
  if (scope != NULL && below == NULL)
    return FALSE;
  guint n = below != NULL ? below->len : sluice_graph_get_n_nodes (graph);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = below != NULL ? below->pdata[i] : sluice_graph_get_node (graph, i);
      SluiceDType dtype;
      SluiceShape shape;
      if (describe_variable (node, &dtype, &shape) && sluice_dtype_is_floating (dtype))
        g_ptr_array_add (self->variables, node);
    }
  return self->variables->len > 0
         || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "there is no variable of floating numbers%s%s to train; add one, as a "
                         "dense layer does",
                         scope != NULL ? " below " : "", scope != NULL ? scope : "");
}

/* ---- gradients ---- */

static gboolean
find_loss (SluiceCommandCall *call, SluiceEdge *loss, GError **error)
{
  char shape[SLUICE_SHAPE_STR];
  if (!sluice_command_find_edge (call, call->arguments[0], loss, error))
    return FALSE;
  if (!sluice_dtype_is_floating (sluice_edge_dtype (*loss)))
    return sluice_node_fail (loss->node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "'%s' is of %s; a loss is a floating number", call->arguments[0],
                             sluice_dtype_name (sluice_edge_dtype (*loss)));
  if (sluice_edge_shape (*loss)->rank > 0)
    return sluice_node_fail (loss->node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "'%s' has shape %s; a loss is one number: put a Mean over all "
                             "dimensions behind it",
                             call->arguments[0],
                             sluice_shape_str (sluice_edge_shape (*loss), shape));
  return TRUE;
}

/* "gradients", or "gradients_1" where that scope is there. (transfer full) */
static char *
dup_free_scope (SluiceGraph *graph)
{
  for (guint k = 0;; k++)
    {
      char *scope = k == 0 ? g_strdup ("gradients") : g_strdup_printf ("gradients_%u", k);
      gboolean is_free = TRUE;
      for (guint i = 0; is_free && i < sluice_graph_get_n_nodes (graph); i++)
        is_free = !sluice_command_is_below (sluice_graph_get_node (graph, i)->name, scope);
      if (is_free)
        return scope;
      g_free (scope);
    }
}

/* Variables that the loss does not depend on are trained no more. */
static gboolean
add_gradients (Training *self, SluiceEdge loss, GError **error)
{
  SluiceGraph *graph = self->call->graph;
  guint n = self->variables->len;
  g_autoptr (GPtrArray) all = g_steal_pointer (&self->variables);
  g_autofree SluiceEdge *xs = g_new0 (SluiceEdge, n);
  g_autofree SluiceGrad *dxs = g_new0 (SluiceGrad, n);
  g_autofree char *scope = dup_free_scope (graph);
  SluiceBuilder b;
  self->variables = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    xs[i].node = all->pdata[i];
  if (!sluice_gradients (graph, scope, &loss, 1, NULL, xs, n, dxs, error))
    return FALSE;
  sluice_builder_init (&b, graph, scope);
  for (guint i = 0; i < n; i++)
    if (dxs[i].values.node != NULL)
      {
        SluiceEdge dense = sluice_grad_to_dense (&b, &dxs[i]);
        if (dense.node == NULL)
          break;
        g_ptr_array_add (self->variables, xs[i].node);
        g_ptr_array_add (self->gradients, sluice_edge_to_text (dense));
      }
  if (!sluice_builder_finish (&b, error))
    return FALSE;
  return self->variables->len > 0
         || sluice_node_fail (loss.node, error, SLUICE_ERROR_FAILED_PRECONDITION,
                              "depends on none of the %u variables, so there is nothing to train",
                              n);
}

/* ---- updates ---- */

/* What a template says of a variable. */
static gboolean
set_variable (Training *self, guint i, GError **error)
{
  const SluiceNode *node = self->variables->pdata[i];
  const SluiceNode *first = self->variables->pdata[0], *initializer = find_initializer (node);
  SluiceDType dtype, first_dtype;
  SluiceShape shape, first_shape;
  char text[SLUICE_SHAPE_STR];
  describe_variable (node, &dtype, &shape);
  describe_variable (first, &first_dtype, &first_shape);
  if (initializer == NULL)
    return sluice_node_fail (node, error, SLUICE_ERROR_FAILED_PRECONDITION,
                             "has no initial value; add a node that assigns one, '%s/Assign'",
                             node->name);
  if (sluice_shape_n_elements (&shape) < 0)
    return sluice_node_fail (node, error, SLUICE_ERROR_FAILED_PRECONDITION,
                             "has shape %s; a variable that is trained has a shape that is known",
                             sluice_shape_str (&shape, text));
  if (dtype != first_dtype || is_reference (node) != is_reference (first))
    return sluice_node_fail (
        node, error, SLUICE_ERROR_UNIMPLEMENTED,
        "is %s%s, but '%s' is %s%s; train them one after the other, by "
        "variables=SCOPE",
        is_reference (node) ? "a reference of " : "", sluice_dtype_name (dtype), first->name,
        is_reference (first) ? "a reference of " : "", sluice_dtype_name (first_dtype));
  sluice_template_values_set (self->texts, "variable", node->name);
  sluice_template_values_set (self->texts, "gradient", self->gradients->pdata[i]);
  sluice_template_values_set (self->texts, "dtype", sluice_dtype_enum_name (dtype));
  sluice_template_values_set (self->texts, "shape", sluice_shape_str (&shape, text));
  sluice_template_values_set (self->texts, "assign", initializer->op_name);
  sluice_template_values_set (self->texts, "kind", is_reference (node) ? "reference" : "variable");
  sluice_template_values_set (self->texts, "resource", is_reference (node) ? "" : "Resource");
  sluice_template_values_set (self->texts, "read",
                              is_reference (node) ? "read" : "Read/ReadVariableOp");
  sluice_template_values_set_number (self->texts, "i", i);
  return TRUE;
}

static gboolean
expand_each (Training *self, const SluiceTemplate *template, const char *section, GError **error)
{
  for (guint i = 0; i < self->variables->len; i++)
    if (!set_variable (self, i, error)
        || !sluice_template_expand (template, section, self->texts, self->call, error))
      return FALSE;
  return TRUE;
}

static gboolean
clip (Training *self, GError **error)
{
  const SluiceTemplate *template = sluice_template_find ("part", "clip", error);
  double norm = 0;
  if (template == NULL || !sluice_command_get_number (self->call, "clip", &norm, error))
    return FALSE;
  if (!(norm > 0))
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                        "clip is %g; the largest norm of all gradients must be over 0", norm);
  sluice_template_values_set_number (self->texts, "clip", norm);
  if (!expand_each (self, template, "norm", error)
      || !sluice_template_expand (template, "scale", self->texts, self->call, error)
      || !expand_each (self, template, "clip", error))
    return FALSE;
  for (guint i = 0; i < self->gradients->len; i++)
    {
      g_free (self->gradients->pdata[i]);
      self->gradients->pdata[i] =
          g_strdup_printf ("clip_by_global_norm/clip_by_global_norm/_%u", i);
    }
  return TRUE;
}

/* The global step, made where there is none. */
static gboolean
set_counter (Training *self, GError **error)
{
  const SluiceNode *step = sluice_graph_find (self->call->graph, STEP);
  SluiceDType dtype;
  SluiceShape shape;
  if (step != NULL && (!describe_variable (step, &dtype, &shape) || dtype != SLUICE_INT64))
    return sluice_node_fail (step, error, SLUICE_ERROR_ALREADY_EXISTS,
                             "has the name of the global step, but is no variable of int64; "
                             "rename it");
  sluice_template_values_set (self->texts, "counter",
                              step != NULL && is_reference (step) ? "reference" : "variable");
  if (step != NULL)
    return TRUE;
  static const char *const values[][2] = { { "name", STEP },        { "kind", "variable" },
                                           { "dtype", "DT_INT64" }, { "value", "0" },
                                           { "shape", "[]" },       { "initializer", "zeros" },
                                           { "beside", STEP } };
  const SluiceTemplate *state = sluice_template_find ("part", "state", error);
  g_autoptr (GHashTable) texts = sluice_template_values_new ();
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    sluice_template_values_set (texts, values[i][0], values[i][1]);
  return state != NULL && sluice_template_expand (state, "do", texts, self->call, error);
}

/* ---- init ---- */

/* A node that only waits: made where there is none of that name. (nullable) */
static SluiceNode *
get_no_op (SluiceGraph *graph, const char *name, GError **error)
{
  SluiceNode *node = sluice_graph_find (graph, name);
  SluiceNodeSpec spec = { .name = name, .op = sluice_registry_by_role (SLUICE_ROLE_NO_OP)->name };
  if (node == NULL)
    return sluice_edit_add (graph, &spec, error);
  if (sluice_node_get_role (node) == SLUICE_ROLE_NO_OP)
    return node;
  sluice_node_fail (node, error, SLUICE_ERROR_ALREADY_EXISTS,
                    "has the name of what initialises all variables; rename it");
  return NULL;
}

static gboolean
add_init (SluiceGraph *graph, GError **error)
{
  SluiceNode *init = get_no_op (graph, "init", error);
  for (guint i = 0; init != NULL && i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      SluiceDType dtype;
      SluiceShape shape;
      SluiceNode *initializer = node->n_outputs > 0 && describe_variable (node, &dtype, &shape)
                                    ? find_initializer (node)
                                    : NULL;
      if (initializer != NULL && !sluice_edit_add_control (graph, init, initializer, error))
        return FALSE;
    }
  return init != NULL;
}

/* ---- the command ---- */

static gboolean
update (Training *self, GError **error)
{
  const SluiceTemplate *counter = sluice_template_find ("part", "counter", error);
  SluiceCommandCall *call = self->call;
  if (counter == NULL || !set_variable (self, 0, error)
      || (sluice_command_get_value (call, "clip") != NULL && !clip (self, error))
      || !set_variable (self, 0, error) || !set_counter (self, error)
      || !sluice_template_expand (self->optimizer, "once", self->texts, call, error)
      || !expand_each (self, self->optimizer, "each", error)
      || !sluice_template_expand (self->optimizer, "last", self->texts, call, error))
    return FALSE;
  SluiceNode *all = get_no_op (call->graph, "train/update", error);
  g_auto (GStrv) updates =
      g_strsplit (sluice_template_values_get (self->texts, "updates"), " ", -1);
  for (guint i = 0; all != NULL && updates[i] != NULL; i++)
    {
      SluiceNode *node =
          *updates[i] == '^' ? sluice_graph_find (call->graph, updates[i] + 1) : NULL;
      if (node != NULL && !sluice_edit_add_control (call->graph, all, node, error))
        return FALSE;
    }
  return all != NULL && sluice_template_expand (counter, "do", self->texts, call, error)
         && add_init (call->graph, error);
}

static gboolean
set_up (Training *self, GError **error)
{
  static const char *const own[] = { "optimizer", "learning-rate", "variables", "clip", NULL };
  SluiceCommandCall *call = self->call;
  double rate = 0;
  self->optimizer =
      sluice_template_find ("optimizer", sluice_command_get_value (call, "optimizer"), error);
  if (self->optimizer == NULL || !sluice_command_get_number (call, "learning-rate", &rate, error)
      || !sluice_template_values_set_parameters (self->texts, call, self->optimizer, call->values,
                                                 call->n_values, own, error))
    return FALSE;
  if (sluice_graph_find (call->graph, "train") != NULL)
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "there is a node 'train' already: undo that training, or rename it");
  sluice_template_values_set (self->texts, "learning-rate",
                              sluice_command_get_value (call, "learning-rate"));
  sluice_template_values_set (self->texts, "updates", "");
  sluice_template_values_set (self->texts, "norms", "");
  return TRUE;
}

gboolean
sluice_command_train (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GHashTable) texts = sluice_template_values_new ();
  Training self = { .call = call,
                    .texts = texts,
                    .variables = g_ptr_array_new (),
                    .gradients = g_ptr_array_new_with_free_func (g_free) };
  SluiceEdge loss;
  gboolean ok = set_up (&self, error) && find_loss (call, &loss, error)
                && find_variables (&self, error) && add_gradients (&self, loss, error)
                && update (&self, error);
  g_ptr_array_unref (self.variables);
  g_ptr_array_unref (self.gradients);
  return ok;
}

/* ---- summaries ---- */

/* The tag as part of a node's name. (transfer full) */
static char *
name_of_tag (const char *tag)
{
  g_autofree char *name = g_strconcat ("summaries/", tag, NULL);
  g_strcanon (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-/", '_');
  return g_steal_pointer (&name);
}

/* All summaries in one, which is what a step fetches. */
static gboolean
merge_summary (SluiceGraph *graph, const char *name, GError **error)
{
  SluiceEdge summary = { sluice_graph_find (graph, name), 0 };
  SluiceNode *merged = sluice_graph_find (graph, MERGED);
  const SluiceOp *op = sluice_registry_by_role (SLUICE_ROLE_MERGE_SUMMARY);
  SluiceNodeSpec spec = { .name = MERGED, .op = op->name, .inputs = &summary, .n_inputs = 1 };
  if (merged == NULL)
    return sluice_edit_add (graph, &spec, error) != NULL;
  if (merged->op == op)
    return sluice_command_append_input (graph, merged, summary, error);
  return sluice_node_fail (merged, error, SLUICE_ERROR_ALREADY_EXISTS,
                           "has the name of what joins all summaries; rename it");
}

gboolean
sluice_command_summary (SluiceCommandCall *call, GError **error)
{
  const SluiceTemplate *template = sluice_template_find ("summary", call->arguments[0], error);
  SluiceEdge edge;
  if (template == NULL || !sluice_command_find_edge (call, call->arguments[1], &edge, error))
    return FALSE;
  const char *tag = call->n_arguments > 2 ? call->arguments[2] : edge.node->name;
  g_autofree char *escaped = g_strescape (tag, NULL);
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", escaped);
  g_autofree char *wanted = name_of_tag (tag);
  g_autofree char *name = sluice_graph_unique_name (call->graph, wanted);
  g_autoptr (GHashTable) texts = sluice_template_values_new ();
  sluice_template_values_set (texts, "name", name);
  sluice_template_values_set (texts, "tag", quoted);
  sluice_template_values_set (texts, "edge", call->arguments[1]);
  return sluice_template_expand (template, "do", texts, call, error)
         && merge_summary (call->graph, name, error);
}
