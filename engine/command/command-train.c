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
#include "engine/graph/scope.h"

#define STEP   "global_step"
#define MERGED "summaries/merged"

typedef struct
{
  SluiceCommandCall *call;
  const SluiceTemplate *optimizer;
  SluiceTemplateValues *texts;
  const SluiceTemplate *schedule; /* (nullable) */
  GPtrArray *variables;           /* SluiceNode, those that are trained */
  GPtrArray *gradients;           /* their edges */
  GPtrArray *indices;             /* of sparse ones the rows' edges, else NULL */
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
        is_free = !sluice_name_is_of (sluice_graph_get_node (graph, i)->name, scope);
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
  self->variables = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    xs[i].node = all->pdata[i];
  if (!sluice_gradients (graph, scope, &loss, 1, NULL, xs, n, dxs, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (dxs[i].values.node != NULL)
      {
        g_ptr_array_add (self->variables, xs[i].node);
        g_ptr_array_add (self->gradients, sluice_edge_to_text (dxs[i].values));
        g_ptr_array_add (self->indices, sluice_edge_to_text (dxs[i].indices));
      }
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
  sluice_template_values_set (self->texts, "indices",
                              self->indices->pdata[i] != NULL ? self->indices->pdata[i] : "");
  sluice_template_values_set (self->texts, "dtype", sluice_dtype_enum_name (dtype));
  sluice_template_values_set (self->texts, "shape", sluice_shape_str (&shape, text));
  sluice_template_values_set (self->texts, "assign", initializer->op_name);
  sluice_template_values_set (self->texts, "kind", is_reference (node) ? "reference" : "variable");
  sluice_template_values_set (self->texts, "resource", is_reference (node) ? "" : "Resource");
  sluice_template_values_set (self->texts, "read",
                              is_reference (node) ? "read" : "Read/ReadVariableOp");
  sluice_template_values_set_number (self->texts, "i", i);
  return sluice_template_values_set_edge (self->texts, self->call, "gradient",
                                          self->gradients->pdata[i], error);
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

/* The name of what a clipping takes, which is train's key for it. */
static const char *
get_clipping_key (const SluiceTemplate *clipping)
{
  return g_array_index (clipping->parameters, SluiceTemplateParameter, 0).name;
}

/* Puts something behind all gradients: sections collect for each, once, and each, which says what
 * has become of it. */
static gboolean
pass_gradients (Training *self, const SluiceTemplate *template, GError **error)
{
  SluiceCommandCall *call = self->call;
  sluice_template_values_set (self->texts, "collected", "");
  if (!expand_each (self, template, "collect", error)
      || !sluice_template_expand (template, "once", self->texts, call, error))
    return FALSE;
  for (guint i = 0; i < self->variables->len; i++)
    {
      sluice_template_values_set (self->texts, "passed", "");
      if (!set_variable (self, i, error)
          || !sluice_template_expand (template, "each", self->texts, call, error))
        return FALSE;
      g_free (self->gradients->pdata[i]);
      self->gradients->pdata[i] = g_strdup (sluice_template_values_get (self->texts, "passed"));
    }
  return TRUE;
}

/* What reads a reference reads its memory: no variable may change before all gradients are there.
 */
static gboolean
gate (Training *self, GError **error)
{
  const SluiceTemplate *template = sluice_template_find ("part", "gate", error);
  return template != NULL
         && (!is_reference (self->variables->pdata[0]) || pass_gradients (self, template, error));
}

/* By one of the ways at most. */
static gboolean
clip (Training *self, GError **error)
{
  g_autoptr (GPtrArray) all = sluice_template_list ("clipping");
  const SluiceTemplate *wanted = NULL;
  for (guint i = 0; i < all->len; i++)
    {
      const char *key = get_clipping_key (all->pdata[i]);
      if (sluice_command_get_value (self->call, key) == NULL)
        continue;
      if (wanted != NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s and %s are both given; choose one", get_clipping_key (wanted), key);
      wanted = all->pdata[i];
      double most = 0;
      if (!sluice_command_get_number (self->call, key, &most, error))
        return FALSE;
      if (!(most > 0))
        return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE, "%s is %g; it must be over 0", key,
                            most);
    }
  if (wanted == NULL)
    return TRUE;
  const char *key = get_clipping_key (wanted);
  sluice_template_values_set (self->texts, key, sluice_command_get_value (self->call, key));
  return pass_gradients (self, wanted, error);
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

/* A number becomes a node that can be fed; an edge is taken as it is. A schedule changes either. */
static gboolean
set_rate (Training *self, GError **error)
{
  SluiceCommandCall *call = self->call;
  const char *rate = sluice_command_get_value (call, "learning-rate"), *schedule = "train/schedule";
  const SluiceTemplate *constant = sluice_template_find ("part", "learning-rate", error);
  SluiceEdge edge;
  double number = 0;
  if (constant == NULL)
    return FALSE;
  if (sluice_command_get_number (call, "learning-rate", &number, NULL))
    {
      if (!sluice_template_expand (constant, "do", self->texts, call, error))
        return FALSE;
      rate = "train/learning_rate";
    }
  else if (!sluice_command_find_edge (call, rate, &edge, error))
    {
      g_prefix_error (error, "learning-rate is neither a number nor an edge: ");
      return FALSE;
    }
  sluice_template_values_set (self->texts, "rate", rate);
  if (self->schedule == NULL)
    return TRUE;
  sluice_template_values_set (self->texts, "name", schedule);
  if (!sluice_template_expand (self->schedule, "do", self->texts, call, error))
    return FALSE;
  sluice_template_values_set (self->texts, "rate", schedule);
  return TRUE;
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

/* Each variable's slots, and its update by a dense or by a sparse gradient. */
static gboolean
update_each (Training *self, GError **error)
{
  for (guint i = 0; i < self->variables->len; i++)
    if (!set_variable (self, i, error)
        || !sluice_template_expand (self->optimizer, "slots", self->texts, self->call, error)
        || !sluice_template_expand (self->optimizer,
                                    self->indices->pdata[i] != NULL ? "sparse" : "dense",
                                    self->texts, self->call, error))
      return FALSE;
  return TRUE;
}

static gboolean
update (Training *self, GError **error)
{
  const SluiceTemplate *counter = sluice_template_find ("part", "counter", error);
  SluiceCommandCall *call = self->call;
  if (counter == NULL || !set_variable (self, 0, error) || !gate (self, error)
      || !clip (self, error) || !set_variable (self, 0, error) || !set_counter (self, error)
      || !set_rate (self, error)
      || !sluice_template_expand (self->optimizer, "once", self->texts, call, error)
      || !update_each (self, error)
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

/* Parameters of a template, whose names others are to pass over. */
static void
add_parameter_names (GPtrArray *names, const SluiceTemplate *template)
{
  for (guint i = 0; template != NULL && i < template->parameters->len; i++)
    g_ptr_array_add (names, g_array_index (template->parameters, SluiceTemplateParameter, i).name);
}

/* Looks at what is given by what the optimizer and the schedule take. */
static gboolean
set_parameters (Training *self, GError **error)
{
  static const char *const own[] = { "optimizer", "learning-rate", "schedule", "variables" };
  const SluiceTemplate *takers[] = { self->optimizer, self->schedule };
  g_autoptr (GPtrArray) clippings = sluice_template_list ("clipping");
  for (guint k = 0; k < G_N_ELEMENTS (takers); k++)
    {
      g_autoptr (GPtrArray) known = g_ptr_array_new ();
      for (guint i = 0; i < G_N_ELEMENTS (own); i++)
        g_ptr_array_add (known, (gpointer) own[i]);
      for (guint i = 0; i < clippings->len; i++)
        add_parameter_names (known, clippings->pdata[i]);
      add_parameter_names (known, takers[1 - k]);
      g_ptr_array_add (known, NULL);
      if (takers[k] != NULL
          && !sluice_template_values_set_parameters (self->texts, self->call, takers[k],
                                                     self->call->values, self->call->n_values,
                                                     (const char *const *) known->pdata, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
set_up (Training *self, GError **error)
{
  SluiceCommandCall *call = self->call;
  const char *schedule = sluice_command_get_value (call, "schedule");
  self->optimizer =
      sluice_template_find ("optimizer", sluice_command_get_value (call, "optimizer"), error);
  if (self->optimizer == NULL)
    return FALSE;
  if (schedule != NULL
      && (self->schedule = sluice_template_find ("schedule", schedule, error)) == NULL)
    return FALSE;
  if (!set_parameters (self, error))
    return FALSE;
  if (sluice_graph_find (call->graph, "train") != NULL)
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "there is a node 'train' already: undo that training, or rename it");
  sluice_template_values_set (self->texts, "learning-rate",
                              sluice_command_get_value (call, "learning-rate"));
  sluice_template_values_set (self->texts, "updates", "");
  return TRUE;
}

gboolean
sluice_command_train (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GHashTable) texts = sluice_template_values_new ();
  Training self = { .call = call,
                    .texts = texts,
                    .variables = g_ptr_array_new (),
                    .gradients = g_ptr_array_new_with_free_func (g_free),
                    .indices = g_ptr_array_new_with_free_func (g_free) };
  SluiceEdge loss;
  guint n = sluice_graph_get_n_nodes (call->graph);
  gboolean ok = set_up (&self, error) && find_loss (call, &loss, error)
                && find_variables (&self, error) && add_gradients (&self, loss, error)
                && update (&self, error) && sluice_command_remember_training (call, n, error);
  g_ptr_array_unref (self.variables);
  g_ptr_array_unref (self.gradients);
  g_ptr_array_unref (self.indices);
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
