/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/cost-key.h"

#include <string.h>

/* Dtypes stand beside the inputs and outputs already; floats are thresholds and rates. */
static gboolean
changes_work (const SluiceAttr *attr)
{
  static const char *const names[] = {
    "allowed_devices", "container", "debug_name", "name", "seed", "seed2", "shared_name"
  };
  SluiceAttrKind kind =
      attr->value.kind == SLUICE_ATTR_LIST ? attr->value.list_kind : attr->value.kind;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (attr->name, names[i]))
      return FALSE;
  return *attr->name != '_'
         && (kind == SLUICE_ATTR_BOOL || kind == SLUICE_ATTR_INT || kind == SLUICE_ATTR_STRING
             || kind == SLUICE_ATTR_FUNC);
}

/* How many nodes are looked at to find out that one is made of constants alone. */
#define MOST_LOOKS 64

static gboolean
is_constant (const SluiceNode *node, guint *n_looks)
{
  if (node->op == NULL || (node->op->def->flags & SLUICE_OP_STATEFUL) != 0
      || (*n_looks)++ >= MOST_LOOKS)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node == NULL || !is_constant (node->inputs[i].node, n_looks))
      return FALSE;
  return node->n_inputs > 0 || node->op->def->role == SLUICE_ROLE_CONST;
}

/* It is computed before the first step, and says nothing of those that are not. */
static gboolean
is_made_of_constants (const SluiceNode *node)
{
  guint n_looks = 0;
  return node->n_inputs > 0 && is_constant (node, &n_looks);
}

static const char *
dtype_name (SluiceDType dtype)
{
  const char *name = sluice_dtype_name (dtype);
  return name != NULL ? name : "?";
}

static void
append_family (GString *text, const SluiceNode *node)
{
  g_string_append_printf (text, "%s ", node->op_name);
  for (guint i = 0; i < node->n_inputs; i++)
    g_string_append_printf (
        text, "%s%s", i > 0 ? "," : "",
        node->inputs[i].node != NULL ? dtype_name (sluice_edge_dtype (node->inputs[i])) : "?");
  g_string_append (text, "->");
  for (guint i = 0; i < node->n_outputs; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", dtype_name (node->outputs[i].dtype));
  for (guint i = 0; i < node->n_attrs; i++)
    if (changes_work (&node->attrs[i]))
      {
        g_autofree char *value = sluice_attr_value_to_string (&node->attrs[i].value);
        g_string_append_printf (text, " %s=%s", node->attrs[i].name, value);
      }
  if (is_made_of_constants (node))
    g_string_append (text, " of constants");
  const char *loop = sluice_node_get_loop ((SluiceNode *) node);
  if (loop != NULL) /* a step runs it as often as that goes round */
    g_string_append_printf (text, " in %s", loop);
}

static void
append_shape (GString *text, const SluiceShape *shape, gint64 unknown_dim)
{
  if (shape->rank < 0)
    {
      g_string_append_c (text, '?');
      return;
    }
  g_string_append_c (text, '[');
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (text, "%s%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                            shape->dim[i] >= 0 ? "" : "?",
                            shape->dim[i] >= 0 ? shape->dim[i] : unknown_dim);
  g_string_append_c (text, ']');
}

static void
append_shapes (GString *text, const SluiceNode *node, gint64 unknown_dim)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_string_append (text, i > 0 ? ";" : "");
      append_shape (text,
                    node->inputs[i].node != NULL ? sluice_edge_shape (node->inputs[i])
                                                 : &SLUICE_SHAPE_UNKNOWN,
                    unknown_dim);
    }
  g_string_append (text, "->");
  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_string_append (text, i > 0 ? ";" : "");
      append_shape (text, &node->outputs[i].shape, unknown_dim);
    }
}

/* One line, without tabs. */
static char *
end_text (GString *text)
{
  for (char *c = text->str; *c != '\0'; c++)
    if ((guchar) *c < ' ')
      *c = ' ';
  return g_string_free (text, FALSE);
}

void
sluice_cost_key_init (SluiceCostKey *self, const SluiceNode *node, gint64 unknown_dim)
{
  GString *family = g_string_new (NULL), *shapes = g_string_new (NULL);
  append_family (family, node);
  append_shapes (shapes, node, unknown_dim);
  *self = (SluiceCostKey){ .family = end_text (family), .shapes = end_text (shapes) };
  if (!sluice_node_get_cost (node, unknown_dim, &self->cost))
    self->cost = (SluiceCost){ 0, 0 };
}

void
sluice_cost_key_clear (SluiceCostKey *self)
{
  g_clear_pointer (&self->family, g_free);
  g_clear_pointer (&self->shapes, g_free);
}
