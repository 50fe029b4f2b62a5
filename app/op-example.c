/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/op-example.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/stack.h"
#include "engine/graph/builder.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/role.h"
#include "engine/runtime/session/session.h"
#include "examples-resource.h"
#include "kernels/samples.h"

#define FOLDER "/org/sluice/examples"
#define SHOWN  12 /* elements of a value */
#define FEW    4  /* fewer elements show little */
#define SEED   1  /* of what a sample leaves open, and of what the op draws */

void
sluice_op_example_free (SluiceOpExample *self)
{
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_strfreev (self->inputs);
  g_strfreev (self->results);
  g_free (self);
}

/* ---- a sample of the recipe ---- */

/* What a sample leaves open is drawn. A quarter is exact in every dtype, and one can follow it by
 * hand; nothing leaves the range that it was drawn from towards its ends, or becomes 0. */
static void
round_elements (SluiceTensor *tensor)
{
  if (!sluice_dtype_is_floating (tensor->dtype))
    return;
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      double value[2];
      sluice_element_get (tensor, i, value);
      double quarters = fmax (1, floor (fabs (value[0]) * 4));
      if (isfinite (value[0]) && value[0] * 1000 != rint (value[0] * 1000))
        sluice_element_set (tensor, i, copysign (quarters / 4, value[0]));
    }
}

/* How far it is from what shows something and is taken in at a glance: a few elements, none of the
 * inputs empty. */
static gint64
judge (const Use *use)
{
  gint64 n = 0;
  for (guint i = 0; i < use->n_inputs; i++)
    {
      if (use->inputs[i]->n_elements == 0)
        return G_MAXINT64 - 1;
      n += use->inputs[i]->n_elements;
    }
  return n < FEW ? G_MAXINT32 - n : n;
}

/* A constant that is called as what it is for. */
static SluiceEdge
add_const (SluiceBuilder *b, const char *name, SluiceTensor *take)
{
  g_autoptr (SluiceTensor) tensor = take;
  return sluice_builder_add (b, "Const", name, NULL, 0,
                             SLUICE_ATTRS (sluice_attr_type ("dtype", (SluiceDType) tensor->dtype),
                                           sluice_attr_tensor ("value", tensor)));
}

static const char *
get_name (const SluiceArg *args, guint n, guint i)
{
  return n > 0 ? args[MIN (i, n - 1)].name : "";
}

/* dtype: INVALID: as the sample is written */
static void
add_sample (SluiceBuilder *b, const SluiceOp *op, const SluiceSample *sample, SluiceDType dtype)
{
  g_auto (Use) use = { 0 };
  sluice_use_init (&use, op, sample, dtype, SEED);
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, use.n_inputs + 1);
  for (guint i = 0; i < use.n_inputs; i++)
    {
      round_elements (use.inputs[i]);
      inputs[i] =
          add_const (b, get_name (op->inputs, op->n_inputs, i), sluice_tensor_ref (use.inputs[i]));
    }
  sluice_builder_add (b, op->name, NULL, inputs, use.n_inputs, use.attrs, use.n_attrs);
}

/* (nullable) */
static const SluiceSample *
choose_sample (const SluiceOp *op)
{
  const SluiceRecipe *recipe = op->def->recipe;
  const SluiceSample *best = NULL;
  gint64 least = G_MAXINT64;
  for (guint i = 0; recipe != NULL && i < recipe->n_samples; i++)
    {
      g_auto (Use) use = { 0 };
      sluice_use_init (&use, op, &recipe->samples[i], SLUICE_INVALID, SEED);
      gint64 n = judge (&use);
      if (n >= least)
        continue;
      least = n;
      best = &recipe->samples[i];
    }
  return best;
}

/* ---- variables, by the definition ---- */

#define N     4 /* elements of a variable */
#define AFTER "after"

/* What there is to try: how an argument of rows and one of values fit depends on the op. */
typedef struct
{
  SluiceDType dtype;
  gint64 indices[2]; /* shape; 0: no such dimension */
  gint64 updates;    /* elements of what goes into the variable */
} Guess;

static const Guess guesses[] = {
  { SLUICE_FLOAT, { 2, 0 }, N },
  { SLUICE_FLOAT, { 2, 0 }, 2 },
  { SLUICE_FLOAT, { 2, 1 }, 2 },
  { SLUICE_INT32, { 2, 0 }, N },
};

static SluiceEdge
add_numbers (SluiceBuilder *b,
             const char *name,
             SluiceDType dtype,
             const SluiceShape *shape,
             double first,
             double by)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, shape);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    sluice_element_set (tensor, i, first + by * (double) i);
  return add_const (b, name, tensor);
}

static SluiceEdge
add_variable (SluiceBuilder *b, const char *name, const Guess *guess, gboolean is_ref, guint n)
{
  g_autofree char *initial = g_strconcat (name, "/assign", NULL);
  SluiceShape shape = SLUICE_SHAPE (N);
  SluiceEdge inputs[2];
  inputs[0] = sluice_builder_add (
      b, is_ref ? "VariableV2" : "VarHandleOp", name, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", guess->dtype), sluice_attr_shape ("shape", &shape)));
  inputs[1] = add_numbers (b, "initial", guess->dtype, &shape, 1 + n, 1);
  sluice_builder_add (b, is_ref ? "Assign" : "AssignVariableOp", initial, inputs, 2, NULL, 0);
  return inputs[0];
}

static SluiceEdge
add_argument (SluiceBuilder *b, const SluiceArg *arg, const Guess *guess, guint n)
{
  static const char *const rows[] = { "grad", "delta", "updates", "value", "gradient", NULL };
  if (arg->is_ref || arg->type == SLUICE_RESOURCE)
    return add_variable (b, arg->name, guess, arg->is_ref, n);
  if (g_str_equal (arg->name, "indices"))
    {
      SluiceShape shape = SLUICE_SHAPE (guess->indices[0]);
      if (guess->indices[1] != 0)
        shape = SLUICE_SHAPE (guess->indices[0], guess->indices[1]);
      return add_numbers (b, arg->name, SLUICE_INT32, &shape, 0, 2);
    }
  if (g_strv_contains (rows, arg->name))
    return add_numbers (b, arg->name, guess->dtype, &SLUICE_SHAPE (guess->updates), 1, 1);
  SluiceShape scalar = SLUICE_SHAPE_SCALAR;
  if (arg->type != SLUICE_INVALID)
    return add_numbers (b, arg->name, arg->type, &scalar, 2, 0);
  /* Rates, decays and the like lie between 0 and 1; the power of a rate must not be above 0. */
  return add_numbers (b, arg->name, guess->dtype, &scalar,
                      g_str_equal (arg->name, "lr_power") ? -0.5 : 0.1 * (1 + n % 5), 0);
}

static GArray *
guess_attributes (const SluiceOp *op, const Guess *guess)
{
  GArray *attrs = g_array_new (FALSE, FALSE, sizeof (SluiceAttr));
  for (guint i = 0; i < op->n_attrs; i++)
    {
      const SluiceAttrDef *def = &op->attrs[i];
      SluiceAttr attr = sluice_attr_int (def->name, 10);
      if (def->kind == SLUICE_ATTR_TYPE)
        attr = sluice_attr_type (def->name,
                                 g_str_has_prefix (def->name, "T") && !g_str_equal (def->name, "T")
                                     ? SLUICE_INT32
                                     : guess->dtype);
      if (!def->has_default && (def->kind == SLUICE_ATTR_TYPE || def->kind == SLUICE_ATTR_INT))
        g_array_append_val (attrs, attr);
    }
  return attrs;
}

/* Reads the first variable behind the op: an update of it is all that some do. */
static void
add_read (SluiceBuilder *b, const SluiceOp *op, const Guess *guess, SluiceNode *node)
{
  if (op->n_outputs > 0 || op->n_inputs == 0 || op->inputs[0].type != SLUICE_RESOURCE)
    return;
  b->control_inputs = &node;
  b->n_control_inputs = 1;
  sluice_builder_add (b, "ReadVariableOp", AFTER, &node->inputs[0], 1,
                      SLUICE_ATTRS (sluice_attr_type ("dtype", guess->dtype)));
}

static void
add_with_variables (SluiceBuilder *b, const SluiceOp *op, const Guess *guess)
{
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, op->n_inputs + 1);
  for (guint i = 0; i < op->n_inputs; i++)
    inputs[i] = add_argument (b, &op->inputs[i], guess, i);
  g_autoptr (GPtrArray) assigned = g_ptr_array_new ();
  for (guint i = 0; b->error == NULL && i < sluice_graph_get_n_nodes (b->graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (b->graph, i);
      if (g_str_has_suffix (node->name, "/assign"))
        g_ptr_array_add (assigned, node);
    }
  g_autoptr (GArray) attrs = guess_attributes (op, guess);
  b->control_inputs = (SluiceNode *const *) assigned->pdata;
  b->n_control_inputs = assigned->len;
  sluice_builder_add (b, op->name, NULL, inputs, op->n_inputs, (SluiceAttr *) attrs->data,
                      attrs->len);
  guint n = sluice_graph_get_n_nodes (b->graph);
  if (b->error == NULL)
    add_read (b, op, guess, sluice_graph_get_node (b->graph, n - 1));
}

static gboolean
takes_variable (const SluiceOp *op)
{
  gboolean found = FALSE;
  for (guint i = 0; i < op->n_inputs; i++)
    {
      const SluiceArg *arg = &op->inputs[i];
      if (arg->type == SLUICE_STRING || arg->type == SLUICE_VARIANT)
        return FALSE;
      found |= arg->is_ref || arg->type == SLUICE_RESOURCE;
    }
  return found;
}

/* ---- graphs of families ---- */

static const SluiceNode *
find_op (SluiceGraph *graph, const SluiceOp *op)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (sluice_graph_get_node (graph, i)->op == op)
      return sluice_graph_get_node (graph, i);
  return NULL;
}

static GResource *
get_resource (void)
{
  static gsize is_registered;
  if (g_once_init_enter (&is_registered))
    {
      sluice_examples_register_resource ();
      g_once_init_leave (&is_registered, 1);
    }
  return sluice_examples_get_resource ();
}

/* (transfer full) (nullable): NULL without an error: no family has the op */
static SluiceGraph *
load_family (const SluiceOp *op, GError **error)
{
  GResource *resource = get_resource ();
  g_auto (GStrv) files = g_resource_enumerate_children (resource, FOLDER, 0, NULL);
  for (guint i = 0; files != NULL && files[i] != NULL; i++)
    {
      g_autofree char *path = g_build_path ("/", FOLDER, files[i], NULL);
      g_autoptr (GBytes) bytes = g_resource_lookup_data (resource, path, 0, NULL);
      g_autofree char *script =
          g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      g_autofree char *word = g_strdup_printf ("add %s ", op->name);
      if (strstr (script, word) == NULL)
        continue;
      g_autoptr (SluiceGraph) graph = sluice_graph_new ();
      g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
      if (sluice_command_stack_run (stack, script, FALSE, NULL, NULL, error))
        return g_steal_pointer (&graph);
      g_prefix_error (error, "%s: ", files[i]);
      return NULL;
    }
  return NULL;
}

/* ---- to run it ---- */

/* tensor: (nullable): a branch that was not taken */
static char *
tell (const char *name, const SluiceTensor *tensor)
{
  if (tensor == NULL)
    return g_strdup_printf ("%s: %s", name, _ ("no value"));
  g_autofree char *text = sluice_tensor_to_string (tensor, SHOWN);
  return g_strdup_printf ("%s = %s", name, text);
}

/* Values that are no handle or dataset: those are told by their name. */
static gboolean
has_value (SluiceDType dtype)
{
  dtype = sluice_dtype_base (dtype);
  return dtype != SLUICE_RESOURCE && dtype != SLUICE_VARIANT && dtype != SLUICE_INVALID;
}

/* A fetch a value, told behind its name: what the node takes, what it gives, what it left. */
typedef struct
{
  GPtrArray *edges, *names;
  guint n_inputs;
} Fetches;

static void
fetch (Fetches *self, const char *name, SluiceEdge edge)
{
  g_ptr_array_add (self->edges, g_strdup_printf ("%s:%d", edge.node->name, edge.port));
  g_ptr_array_add (self->names, (gpointer) name);
}

/* A family whose nodes have no value outside of a loop says what comes out of it. */
static void
list_fetches (Fetches *self, SluiceGraph *graph, const SluiceNode *node)
{
  const SluiceOp *op = node->op;
  SluiceNode *outcome = sluice_graph_find (graph, "outcome");
  if (outcome != NULL)
    {
      fetch (self, outcome->name, (SluiceEdge){ outcome, 0 });
      return;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    if (has_value (sluice_edge_dtype (node->inputs[i]))
        && !sluice_dtype_is_ref (sluice_edge_dtype (node->inputs[i])))
      fetch (self, get_name (op->inputs, op->n_inputs, i), node->inputs[i]);
  self->n_inputs = self->edges->len;
  for (guint i = 0; i < node->n_outputs && !sluice_node_get_traits (node)->is_state; i++)
    if (has_value (node->outputs[i].dtype))
      fetch (self, get_name (op->outputs, op->n_outputs, i),
             (SluiceEdge){ (SluiceNode *) node, (int) i });
  SluiceNode *after = sluice_graph_find (graph, AFTER);
  if (after != NULL)
    fetch (self, get_name (op->inputs, op->n_inputs, 0), (SluiceEdge){ after, 0 });
}

static gboolean
run (SluiceOpExample *self, GError **error)
{
  SluiceSessionOptions options = { .seed = SEED, .n_cpus = 1 };
  g_autoptr (SluiceSession) session = sluice_session_new (&options, error);
  if (session == NULL || !sluice_session_extend (session, self->graph, error))
    return FALSE;
  g_autoptr (GPtrArray) edges = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  Fetches fetches = { edges, names, 0 };
  list_fetches (&fetches, self->graph, self->node);
  g_autofree SluiceTensor **values = g_new0 (SluiceTensor *, edges->len + 1);
  if (!sluice_session_run (session,
                           &(SluiceStepNames){ .fetches = (const char *const *) edges->pdata,
                                               .n_fetches = edges->len,
                                               .targets = &self->node->name,
                                               .n_targets = edges->len == 0 },
                           values, &(SluiceRunOptions){ .fetches_dead = TRUE }, error))
    return FALSE;
  self->inputs = g_new0 (char *, fetches.n_inputs + 1);
  self->results = g_new0 (char *, edges->len - fetches.n_inputs + 1);
  for (guint i = 0; i < edges->len; i++)
    {
      char **told = i < fetches.n_inputs ? &self->inputs[i] : &self->results[i - fetches.n_inputs];
      *told = tell (names->pdata[i], values[i]);
      g_clear_pointer (&values[i], sluice_tensor_unref);
    }
  return TRUE;
}

/* ---- one of them that runs ---- */

/* take_graph: (nullable). (transfer full) (nullable) */
static SluiceOpExample *
try_graph (const SluiceOp *op, SluiceGraph *take_graph, GError **error)
{
  if (take_graph == NULL)
    return NULL;
  g_autoptr (SluiceOpExample) self = g_new0 (SluiceOpExample, 1);
  self->graph = take_graph;
  self->node = find_op (take_graph, op);
  return self->node != NULL && run (self, error) ? g_steal_pointer (&self) : NULL;
}

static SluiceOpExample *
try_sample (const SluiceOp *op, const SluiceSample *sample, SluiceDType dtype)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  add_sample (&b, op, sample, dtype);
  return sluice_builder_finish (&b, NULL) ? try_graph (op, g_steal_pointer (&graph), NULL) : NULL;
}

/* As it is written, which may be in a dtype that the op does not take, or else in the first that it
 * does. */
static SluiceOpExample *
try_samples (const SluiceOp *op)
{
  const SluiceSample *sample = choose_sample (op);
  if (sample == NULL)
    return NULL;
  SluiceOpExample *found = try_sample (op, sample, SLUICE_INVALID);
  SluiceDType first = sluice_recipe_next_dtype (op->def->recipe, SLUICE_INVALID);
  return found != NULL || first == SLUICE_INVALID ? found : try_sample (op, sample, first);
}

static SluiceOpExample *
try_variables (const SluiceOp *op)
{
  SluiceOpExample *found = NULL;
  for (guint i = 0; found == NULL && takes_variable (op) && i < G_N_ELEMENTS (guesses); i++)
    {
      g_autoptr (SluiceGraph) graph = sluice_graph_new ();
      SluiceBuilder b;
      sluice_builder_init (&b, graph, NULL);
      add_with_variables (&b, op, &guesses[i]);
      if (sluice_builder_finish (&b, NULL))
        found = try_graph (op, g_steal_pointer (&graph), NULL);
    }
  return found;
}

/* What the recipe says to whoever tests the op, without where that is done. */
static char *
dup_reason (const SluiceOp *op)
{
  const SluiceRecipe *recipe = op->def->recipe;
  if (recipe == NULL || recipe->why_none == NULL)
    return g_strdup (_ ("nothing runs with it alone"));
  g_auto (GStrv) parts = g_strsplit (_ (recipe->why_none), ":", 2);
  return g_strdup (parts[0]);
}

SluiceOpExample *
sluice_op_example_new (const SluiceOp *op, GError **error)
{
  g_autoptr (GError) failure = NULL;
  SluiceOpExample *found = try_samples (op);
  if (found == NULL)
    found = try_graph (op, load_family (op, &failure), &failure);
  if (failure != NULL) /* a family's graph that does not run is a mistake to be seen */
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  if (found == NULL)
    found = try_variables (op);
  if (found == NULL)
    {
      g_autofree char *why = dup_reason (op);
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, _ ("%s has no example: %s"), op->name, why);
    }
  return found;
}

/* ---- in words ---- */

char *
sluice_op_example_dup_graph (const SluiceOpExample *self)
{
  g_autoptr (GBytes) bytes =
      sluice_graph_export (self->graph, SLUICE_EXPORT_TEXT | SLUICE_EXPORT_STRIP_DEFAULTS, NULL);
  return bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes))
                       : g_strdup ("");
}

char *
sluice_op_example_dup_text (const SluiceOpExample *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; self->inputs[i] != NULL; i++)
    g_string_append_printf (text, "%s\n", self->inputs[i]);
  for (guint i = 0; self->results[i] != NULL; i++)
    g_string_append_printf (text, "→ %s\n", self->results[i]);
  if (self->results[0] == NULL)
    g_string_append_printf (text, "→ %s\n", _ ("it has run; there is no value to show"));
  return g_string_free (text, FALSE);
}
