/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands on a node: what it is, its attributes, where it runs. */
#include <string.h>

#include "engine/base/suggest.h"
#include "engine/command/command-private.h"
#include "engine/device/device.h"
#include "engine/graph/attr-text.h"

/* ---- attributes ---- */

static const SluiceOp *
find_op (const char *name, GError **error)
{
  const SluiceOp *op = sluice_registry_find (name);
  if (op != NULL)
    return op;
  const char *hint = sluice_registry_suggest_name (name);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "no op '%s' is known%s%s%s", name,
               hint != NULL ? "; did you mean " : "; 'sluice ops' lists all",
               hint != NULL ? hint : "", hint != NULL ? "?" : "");
  return NULL;
}

static gboolean
fail_no_attr (const SluiceOp *op, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < op->n_attrs; i++)
    g_ptr_array_add (names, (gpointer) op->attrs[i].name);
  const char *hint = sluice_suggest_name (name, (const char *const *) names->pdata, op->n_attrs);
  g_ptr_array_add (names, NULL);
  g_autofree char *all = g_strjoinv (", ", (char **) names->pdata);
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s has no attribute '%s'; %s%s%s", op->name,
                      name,
                      hint != NULL      ? "did you mean "
                      : op->n_attrs > 0 ? "it has "
                                        : "it has none",
                      hint != NULL ? hint : all, hint != NULL ? "?" : "");
}

/* The dtype that a tensor among the attributes is to have: as is said beside it, or as the node has
 * it. */
static SluiceDType
find_dtype (const SluiceCommandCall *call, const SluiceNode *node)
{
  static const char key[] = "dtype";
  const char *text = sluice_command_get_value (call, key);
  const SluiceAttrValue *known = node != NULL ? sluice_node_get_attr (node, key) : NULL;
  if (text != NULL)
    return sluice_dtype_from_name (text);
  return known != NULL && known->kind == SLUICE_ATTR_TYPE ? known->type : SLUICE_INVALID;
}

/* op: (nullable): of a node whose op is not known */
static gboolean
parse_attr (const SluiceCommandCall *call,
            const SluiceOp *op,
            const SluiceNode *node,
            const SluiceWord *word,
            SluiceAttr *attr,
            GError **error)
{
  const SluiceAttrDef *def = op != NULL ? sluice_op_find_attr (op, word->key) : NULL;
  attr->name = sluice_intern (word->key);
  if (def == NULL && op != NULL && *word->key != '_')
    return fail_no_attr (op, word->key, error);
  if (sluice_attr_parse (def, find_dtype (call, node), word->text, &attr->value, error))
    return TRUE;
  g_prefix_error (error, "attribute %s of %s: ", word->key, op != NULL ? op->name : node->op_name);
  return FALSE;
}

static void
clear_attrs (GArray *attrs)
{
  for (guint i = 0; i < attrs->len; i++)
    sluice_attr_value_clear (&g_array_index (attrs, SluiceAttr, i).value);
  g_array_unref (attrs);
}

/* A constant says its dtype by its value. */
static void
add_dtype_of_value (const SluiceOp *op, GArray *attrs)
{
  for (guint i = 0; i < attrs->len && op->def->role == SLUICE_ROLE_CONST; i++)
    {
      const SluiceAttrValue *value = &g_array_index (attrs, SluiceAttr, i).value;
      if (value->kind != SLUICE_ATTR_TENSOR)
        continue;
      SluiceAttr attr = sluice_attr_type ("dtype", value->tensor->dtype);
      g_array_append_val (attrs, attr);
      return;
    }
}

/* (transfer full) (nullable): to be given to clear_attrs() */
static GArray *
parse_attrs (const SluiceCommandCall *call, const SluiceOp *op, GError **error)
{
  GArray *attrs = g_array_new (FALSE, TRUE, sizeof (SluiceAttr));
  for (guint i = 0; i < call->n_values; i++)
    {
      SluiceAttr attr = { 0 };
      if (!parse_attr (call, op, NULL, call->values[i], &attr, error))
        {
          clear_attrs (attrs);
          return NULL;
        }
      g_array_append_val (attrs, attr);
    }
  if (sluice_command_get_value (call, "dtype") == NULL)
    add_dtype_of_value (op, attrs);
  return attrs;
}

gboolean
sluice_command_set (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[0];
  if (call->n_values == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "nothing is set; write an attribute, as in set %s NAME=VALUE", name);
  if (sluice_graph_find (call->graph, name) == NULL && sluice_command_is_layer (call, name))
    return sluice_command_set_layer (call, error);
  SluiceNode *node = sluice_command_find_node (call, name, error);
  for (guint i = 0; node != NULL && i < call->n_values; i++)
    {
      const SluiceWord *word = call->values[i];
      SluiceAttr attr = { 0 };
      gboolean ok;
      if (*word->text == '\0')
        ok = sluice_edit_remove_attr (call->graph, node, word->key, error);
      else
        {
          ok = parse_attr (call, node->op, node, word, &attr, error)
               && sluice_edit_set_attr (call->graph, node, &attr, error);
          sluice_attr_value_clear (&attr.value);
        }
      if (!ok)
        return FALSE;
    }
  return node != NULL;
}

/* ---- nodes ---- */

/* "EDGE", "^NODE", or nothing in quotes: an open input. */
static gboolean
find_inputs (SluiceCommandCall *call, GArray *inputs, GPtrArray *controls, GError **error)
{
  for (guint i = 2; i < call->n_arguments; i++)
    {
      const char *text = call->arguments[i];
      SluiceEdge edge = SLUICE_NO_EDGE;
      if (*text == '^')
        {
          SluiceNode *before = sluice_command_find_node (call, text + 1, error);
          if (before == NULL)
            return FALSE;
          g_ptr_array_add (controls, before);
          continue;
        }
      if (*text != '\0' && !sluice_command_find_edge (call, text, &edge, error))
        return FALSE;
      g_array_append_val (inputs, edge);
    }
  return TRUE;
}

static SluiceNode *
add_node (SluiceCommandCall *call, const GArray *inputs, const GPtrArray *controls, GError **error)
{
  const SluiceOp *op = find_op (call->arguments[0], error);
  GArray *attrs = op != NULL ? parse_attrs (call, op, error) : NULL;
  if (attrs == NULL)
    return NULL;
  SluiceNodeSpec spec = { .name = call->arguments[1],
                          .op = op->name,
                          .inputs = (const SluiceEdge *) inputs->data,
                          .n_inputs = inputs->len,
                          .control_inputs = (SluiceNode *const *) controls->pdata,
                          .n_control_inputs = controls->len,
                          .attrs = (const SluiceAttr *) attrs->data,
                          .n_attrs = attrs->len };
  SluiceNode *node = sluice_edit_add (call->graph, &spec, error);
  clear_attrs (attrs);
  return node;
}

gboolean
sluice_command_add (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();
  return find_inputs (call, inputs, controls, error)
         && add_node (call, inputs, controls, error) != NULL;
}

static gboolean
lead_readers_over (SluiceCommandCall *call, const SluiceNode *node, SluiceEdge edge, GError **error)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (call->graph, edge.node, &n);
  g_autofree SluiceUse *readers = g_memdup2 (uses, n * sizeof *readers);
  for (guint i = 0; i < n; i++)
    if (readers[i].node != node && readers[i].input >= 0 && readers[i].port == edge.port
        && !sluice_edit_set_input (call->graph, readers[i].node, (guint) readers[i].input,
                                   (SluiceEdge){ (SluiceNode *) node, 0 }, error))
      return FALSE;
  return TRUE;
}

gboolean
sluice_command_insert (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();
  SluiceEdge edge;
  if (!sluice_command_find_edge (call, call->arguments[2], &edge, error)
      || !find_inputs (call, inputs, controls, error))
    return FALSE;
  SluiceNode *node = add_node (call, inputs, controls, error);
  if (node == NULL)
    return FALSE;
  if (node->n_inputs != inputs->len || node->n_outputs != 1)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "has %u inputs and %u outputs; what is inserted into an edge reads it "
                             "as its first input, has its others named behind, and one output",
                             node->n_inputs, node->n_outputs);
  return lead_readers_over (call, node, edge, error);
}

/* ---- where it runs ---- */

gboolean
sluice_command_device (SluiceCommandCall *call, GError **error)
{
  SluiceDeviceSpec spec;
  const char *device = call->arguments[1];
  SluiceNode *node = sluice_command_find_node (call, call->arguments[0], error);
  if (node == NULL || !sluice_device_spec_parse (&spec, device, error))
    return FALSE;
  sluice_device_spec_clear (&spec);
  sluice_edit_set_device (call->graph, node, device);
  return TRUE;
}

gboolean
sluice_command_colocate (SluiceCommandCall *call, GError **error)
{
  SluiceNode *node = sluice_command_find_node (call, call->arguments[0], error);
  SluiceNode *beside =
      node != NULL ? sluice_command_find_node (call, call->arguments[1], error) : NULL;
  if (beside == NULL)
    return FALSE;
  g_autofree char *text = g_strconcat ("loc:@", beside->name, NULL);
  SluiceAttrValue item = sluice_attr_string ("", text).value;
  SluiceAttrValue list = { SLUICE_ATTR_LIST, SLUICE_ATTR_STRING, .list = { &item, 1 } };
  SluiceAttr attr = sluice_attr_value ("_class", &list);
  return sluice_edit_set_attr (call->graph, node, &attr, error);
}
