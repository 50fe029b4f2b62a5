/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/attrs.h"
#include "api/flow-private.h"
#include "api/graph-private.h"
#include "api/scope.h"

#include <string.h>

#include "api/scope-private.h"
#include "engine/base/error.h"
#include "engine/grad/grad.h"

G_DEFINE_BOXED_TYPE (SluiceScope, sluice_scope, sluice_scope_ref, sluice_scope_unref)

static void
scope_clear (gpointer data)
{
  SluiceScope *self = data;
  sluice_graph_unref (self->graph);
  g_free (self->prefix);
  g_free (self->device);
  g_ptr_array_unref (self->control_inputs);
  g_clear_pointer (&self->flow, sluice_flow_unref);
}

SluiceScope *
sluice_scope_ref (SluiceScope *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
sluice_scope_unref (SluiceScope *self)
{
  g_atomic_rc_box_release_full (self, scope_clear);
}

SluiceScope *
sluice_scope_copy (SluiceScope *from)
{
  SluiceScope *self = g_atomic_rc_box_new0 (SluiceScope);
  self->graph = sluice_graph_ref (from->graph);
  self->prefix = g_strdup (from->prefix);
  self->device = g_strdup (from->device);
  self->control_inputs = g_ptr_array_copy (from->control_inputs, NULL, NULL);
  self->colocate_with = from->colocate_with;
  self->flow = from->flow != NULL ? sluice_flow_ref (from->flow) : NULL;
  return self;
}

SluiceScope *
sluice_scope_new (SluiceGraph *graph)
{
  SluiceScope *self = g_atomic_rc_box_new0 (SluiceScope);
  self->graph = sluice_graph_ref (graph);
  self->prefix = g_strdup ("");
  self->control_inputs = g_ptr_array_new ();
  return self;
}

SluiceGraph *
sluice_scope_dup_graph (SluiceScope *self)
{
  return sluice_graph_ref (self->graph);
}

const char *
sluice_scope_get_prefix (SluiceScope *self)
{
  return self->prefix;
}

static char *
full_name (SluiceScope *self, const char *name)
{
  return *self->prefix != '\0' ? g_strconcat (self->prefix, "/", name, NULL) : g_strdup (name);
}

char *
sluice_scope_dup_unique_name (SluiceScope *self, const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);
  g_autofree char *wanted = full_name (self, name);
  return sluice_graph_unique_name (self->graph, wanted);
}

SluiceScope *
sluice_scope_with_name (SluiceScope *self, const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);
  SluiceScope *scope = sluice_scope_copy (self);
  g_free (scope->prefix);
  scope->prefix = full_name (self, name);
  return scope;
}

SluiceScope *
sluice_scope_new_below (SluiceScope *self, const char *name, const char *first)
{
  for (guint i = 0;; i++)
    {
      g_autofree char *numbered = i > 0 ? g_strdup_printf ("%s_%u", name, i) : g_strdup (name);
      g_autoptr (SluiceScope) scope = sluice_scope_with_name (self, numbered);
      g_autofree char *node = full_name (scope, first);
      if (sluice_graph_find (self->graph, node) == NULL)
        return g_steal_pointer (&scope);
    }
}

SluiceScope *
sluice_scope_with_device (SluiceScope *self, const char *device)
{
  SluiceScope *scope = sluice_scope_copy (self);
  g_free (scope->device);
  scope->device = g_strdup (device);
  return scope;
}

SluiceScope *
sluice_scope_with_control_inputs (SluiceScope *self, const char *const *nodes, GError **error)
{
  g_autoptr (SluiceScope) scope = sluice_scope_copy (self);
  for (; nodes != NULL && *nodes != NULL; nodes++)
    {
      SluiceNode *node = sluice_api_find_node (self->graph, *nodes, error);
      if (node == NULL)
        {
          g_prefix_error (error, "control input: ");
          return NULL;
        }
      g_ptr_array_add (scope->control_inputs, node);
    }
  return g_steal_pointer (&scope);
}

SluiceScope *
sluice_scope_with_colocation (SluiceScope *self, const char *node, GError **error)
{
  g_autoptr (SluiceScope) scope = sluice_scope_copy (self);
  scope->colocate_with = node != NULL ? sluice_api_find_node (self->graph, node, error) : NULL;
  return node == NULL || scope->colocate_with != NULL ? g_steal_pointer (&scope) : NULL;
}

/* ---- nodes ---- */

/* What a node is made of, while it is read. */
typedef struct
{
  SluiceScope *scope;
  const char *op;
  const char *name;
  GArray *inputs;     /* SluiceEdge */
  GPtrArray *control; /* SluiceNode */
  GArray *attrs;      /* SluiceAttr */
} Parts;

static void
attr_clear (gpointer data)
{
  sluice_attr_value_clear (&((SluiceAttr *) data)->value);
}

/* "MatMul 'dense/MatMul': " before what is wrong with a part of it. */
static gboolean
blame (const Parts *parts, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);
static gboolean
blame (const Parts *parts, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *name = full_name (parts->scope, parts->name);
  g_prefix_error (error, "%s '%s': %s: ", parts->op, name, what);
  return FALSE;
}

static gboolean
read_inputs (Parts *parts, const char *const *inputs, GError **error)
{
  for (guint i = 0; inputs != NULL && inputs[i] != NULL; i++)
    if (*inputs[i] == '^')
      {
        SluiceNode *node = sluice_api_find_node (parts->scope->graph, inputs[i] + 1, error);
        if (node == NULL)
          return blame (parts, error, "control input '%s'", inputs[i]);
        g_ptr_array_add (parts->control, node);
      }
    else
      {
        SluiceEdge edge;
        if (!sluice_graph_parse_edge (parts->scope->graph, inputs[i], &edge, error))
          return blame (parts, error, "input %u '%s'", i, inputs[i]);
        g_array_append_val (parts->inputs, edge);
      }
  return TRUE;
}

static gboolean
read_attrs (Parts *parts, GVariant *attrs, GError **error)
{
  if (attrs == NULL)
    return TRUE;
  if (!g_variant_is_of_type (attrs, G_VARIANT_TYPE_VARDICT))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "attributes of type '%s': a dictionary a{sv} is wanted",
                        g_variant_get_type_string (attrs));
  const SluiceOp *op = sluice_registry_find (parts->op);
  GVariantIter iter;
  const char *name;
  GVariant *boxed;
  g_variant_iter_init (&iter, attrs);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &boxed))
    {
      g_autoptr (GVariant) value = boxed;
      SluiceAttr attr = { .name = sluice_intern (name) };
      const SluiceAttrDef *def = op != NULL ? sluice_op_find_attr (op, name) : NULL;
      if (!sluice_attr_value_from_variant (def, value, &attr.value, error))
        return blame (parts, error, "attribute %s", name);
      g_array_append_val (parts->attrs, attr);
    }
  return TRUE;
}

SluiceBuilder
sluice_scope_builder (SluiceScope *self)
{
  SluiceBuilder b;
  sluice_builder_init (&b, self->graph, self->prefix);
  b.device = self->device;
  b.control_inputs = (SluiceNode *const *) self->control_inputs->pdata;
  b.n_control_inputs = self->control_inputs->len;
  b.colocate_with = self->colocate_with;
  return b;
}

/* What the node is made of as it is seen in the scope's branch or loop. */
static void
import_parts (Parts *parts, SluiceBuilder *b)
{
  Flow *flow = parts->scope->flow;
  for (guint i = 0; i < parts->inputs->len; i++)
    {
      SluiceEdge *edge = &g_array_index (parts->inputs, SluiceEdge, i);
      *edge = sluice_flow_import (flow, b, *edge);
    }
  for (guint i = 0; i < parts->control->len; i++)
    parts->control->pdata[i] = sluice_flow_import_control (flow, b, parts->control->pdata[i]);
}

static SluiceEdge
build (Parts *parts, GError **error)
{
  SluiceGraph *graph = parts->scope->graph;
  SluiceBuilder b = sluice_scope_builder (parts->scope);
  import_parts (parts, &b);
  b.control_inputs = (SluiceNode *const *) parts->control->pdata;
  b.n_control_inputs = parts->control->len;
  guint n_before = sluice_graph_get_n_nodes (graph);
  SluiceEdge edge = sluice_builder_add (
      &b, parts->op, parts->name, (const SluiceEdge *) parts->inputs->data, parts->inputs->len,
      (const SluiceAttr *) parts->attrs->data, parts->attrs->len);
  sluice_flow_settle (parts->scope->flow, graph, n_before);
  return sluice_builder_finish (&b, error) ? edge : SLUICE_NO_EDGE;
}

static SluiceNode *
share (SluiceEdge edge)
{
  return edge.node != NULL ? sluice_node_share (edge.node) : NULL;
}

SluiceEdge
sluice_scope_add_edge (SluiceScope *self,
                       const char *op,
                       const char *name,
                       const SluiceEdge *inputs,
                       guint n_inputs,
                       const SluiceAttr *attrs,
                       guint n_attrs,
                       GError **error)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (SluiceAttr));
  g_autoptr (GPtrArray) control = g_ptr_array_copy (self->control_inputs, NULL, NULL);
  if (n_inputs > 0)
    g_array_append_vals (edges, inputs, n_inputs);
  if (n_attrs > 0)
    g_array_append_vals (values, attrs, n_attrs);
  Parts parts = { self, op, name != NULL ? name : op, edges, control, values };
  return build (&parts, error);
}

SluiceNode *
sluice_scope_add (SluiceScope *self,
                  const char *op,
                  const char *name,
                  const char *const *inputs,
                  GVariant *attrs,
                  GError **error)
{
  g_return_val_if_fail (op != NULL, NULL);
  g_autoptr (GVariant) held = attrs != NULL ? g_variant_ref_sink (attrs) : NULL;
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (SluiceAttr));
  g_autoptr (GPtrArray) control = g_ptr_array_copy (self->control_inputs, NULL, NULL);
  g_array_set_clear_func (values, attr_clear);
  Parts parts = { self, op, name != NULL ? name : op, edges, control, values };
  if (!read_inputs (&parts, inputs, error) || !read_attrs (&parts, held, error))
    return NULL;
  return share (build (&parts, error));
}

SluiceNode *
sluice_scope_add_constant (SluiceScope *self, const char *name, SluiceTensor *value, GError **error)
{
  g_return_val_if_fail (value != NULL, NULL);
  const SluiceOp *op = sluice_registry_by_role (SLUICE_ROLE_CONST);
  const SluiceAttr attrs[] = { sluice_attr_type ("dtype", value->dtype),
                               sluice_attr_tensor ("value", value) };
  return share (
      sluice_scope_add_edge (self, op->name, name, NULL, 0, attrs, G_N_ELEMENTS (attrs), error));
}

/* ---- gradients ---- */

/* (nullable): n edges, as they are seen within `flow` (nullable); where `blank` allows it, "" is
 * none. */
static SluiceEdge *
parse_edges (SluiceScope *self,
             Flow *flow,
             const char *what,
             const char *const *names,
             guint n,
             gboolean blank,
             GError **error)
{
  g_autofree SluiceEdge *edges = g_new0 (SluiceEdge, n + 1);
  SluiceBuilder b = sluice_scope_builder (self);
  for (guint i = 0; i < n; i++)
    if (!(blank && *names[i] == '\0')
        && !sluice_graph_parse_edge (self->graph, names[i], &edges[i], error))
      {
        g_prefix_error (error, "gradients: %s: ", what);
        return NULL;
      }
    else
      edges[i] = sluice_flow_import (flow, &b, edges[i]);
  return sluice_builder_finish (&b, error) ? g_steal_pointer (&edges) : NULL;
}

char *
sluice_api_edge_name (SluiceEdge edge)
{
  return edge.node != NULL ? g_strdup_printf ("%s:%d", edge.node->name, edge.port) : g_strdup ("");
}

/* Values, indices and dense shapes of the gradients, by name. */
static char **
name_gradients (const SluiceGrad *grads, guint n, char ***indices, char ***dense_shapes)
{
  char **values = g_new0 (char *, n + 1);
  *indices = g_new0 (char *, n + 1);
  *dense_shapes = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      values[i] = sluice_api_edge_name (grads[i].values);
      (*indices)[i] = sluice_api_edge_name (grads[i].indices);
      (*dense_shapes)[i] = sluice_api_edge_name (grads[i].dense_shape);
    }
  return values;
}

static guint
count (const char *const *names)
{
  return names != NULL ? g_strv_length ((char **) names) : 0;
}

char **
sluice_scope_add_gradients (SluiceScope *self,
                            const char *const *ys,
                            const char *const *grad_ys,
                            const char *const *xs,
                            char ***indices,
                            char ***dense_shapes,
                            GError **error)
{
  guint n_ys = count (ys), n_xs = count (xs);
  *indices = *dense_shapes = NULL;
  if (grad_ys != NULL && count (grad_ys) != n_ys)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "gradients: %u gradients for %u ys: give one a y", count (grad_ys), n_ys);
      return NULL;
    }
  g_autofree SluiceEdge *y = parse_edges (self, self->flow, "y", ys, n_ys, FALSE, error);
  /* Not taken in: a path from an x may lead outside at first. */
  g_autofree SluiceEdge *x =
      y != NULL ? parse_edges (self, NULL, "x", xs, n_xs, FALSE, error) : NULL;
  g_autofree SluiceEdge *dy =
      x != NULL && grad_ys != NULL
          ? parse_edges (self, self->flow, "grad_y", grad_ys, n_ys, TRUE, error)
          : NULL;
  if (x == NULL || (grad_ys != NULL && dy == NULL))
    return NULL;
  g_autofree char *scope = full_name (self, "gradients");
  g_autofree SluiceGrad *grads = g_new0 (SluiceGrad, n_xs + 1);
  guint n_before = sluice_graph_get_n_nodes (self->graph);
  if (!sluice_gradients_inside (self->graph, sluice_flow_get_pivot (self->flow), scope, y, n_ys, dy,
                                x, n_xs, grads, error))
    return NULL;
  sluice_flow_settle (self->flow, self->graph, n_before);
  return name_gradients (grads, n_xs, indices, dense_shapes);
}
