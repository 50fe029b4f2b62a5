/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/attr-parameter.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/graph/edit.h"

#define MOST_ELEMENTS 64 /* of a list or a constant that people write */

static const char *
find_attr_name (const char *target)
{
  const char *colon = strrchr (target, ':');
  return colon != NULL && !g_ascii_isdigit (colon[1]) && colon[1] != '\0' ? colon + 1 : NULL;
}

gboolean
sluice_parameter_is_attr (const char *target)
{
  return find_attr_name (target) != NULL;
}

/* (nullable): it is gone */
static const SluiceAttr *
find_attr (SluiceGraph *graph, const char *target, SluiceNode **node)
{
  const char *name = find_attr_name (target);
  g_autofree char *of = g_strndup (target, name - 1 - target);
  *node = sluice_graph_find (graph, of);
  for (guint i = 0; *node != NULL && i < (*node)->n_attrs; i++)
    if (strcmp ((*node)->attrs[i].name, name) == 0
        && sluice_attr_is_promotable (*node, &(*node)->attrs[i]))
      return &(*node)->attrs[i];
  return NULL;
}

/* ---- which ---- */

static gboolean
is_number_or_switch (SluiceAttrKind kind)
{
  return kind == SLUICE_ATTR_INT || kind == SLUICE_ATTR_FLOAT || kind == SLUICE_ATTR_BOOL;
}

/* So many inputs or outputs the node has. */
static gboolean
is_count (const SluiceOp *op, const char *attr)
{
  for (guint i = 0; i < op->n_inputs + op->n_outputs; i++)
    {
      const SluiceArg *arg = i < op->n_inputs ? &op->inputs[i] : &op->outputs[i - op->n_inputs];
      if (arg->number_attr == attr)
        return TRUE;
    }
  return FALSE;
}

/* Gradients are named after what they are of, and read more than it does: what comes back to them.
 * "FusedBatchNormGradV3" is of "FusedBatchNormV3", "Conv2DBackpropInput" of "Conv2D". */
static gboolean
is_gradient_of (const SluiceNode *other, const SluiceNode *node)
{
  if (other->op == NULL || node->op == NULL || other->op == node->op
      || other->op->n_inputs <= node->op->n_inputs)
    return FALSE;
  const char *name = node->op->name;
  gsize length = strlen (name), version = length;
  while (version > 0 && g_ascii_isdigit (name[version - 1]))
    version--;
  if (version < length && version > 1 && name[version - 1] == 'V')
    length = version - 1;
  return strncmp (other->op->name, name, length) == 0;
}

/* Those of its readers that are a gradient of @node with the same value of the attribute; of its
 * shape the readers, too. */
static void
add_gradients (const SluiceNode *from,
               const SluiceNode *node,
               const SluiceAttr *attr,
               GPtrArray *gradients)
{
  guint n = 0;
  const SluiceUse *uses = sluice_graph_get_uses (node->graph, from, &n);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *other = uses[i].node;
      const SluiceAttrValue *value = sluice_node_get_attr (other, attr->name);
      if (is_gradient_of (other, node) && value != NULL
          && sluice_attr_value_equal (value, &attr->value)
          && !g_ptr_array_find (gradients, other, NULL))
        g_ptr_array_add (gradients, other);
      else if (sluice_node_get_role (other) == SLUICE_ROLE_SHAPE
               && sluice_node_get_role (from) != SLUICE_ROLE_SHAPE)
        add_gradients (other, node, attr, gradients);
    }
}

/* What computes the gradient of a node has its attributes, too: a run that has one otherwise has
 * it so in both. A gradient reads what its node reads, or the shape of that. (transfer container)
 * (element-type SluiceNode) */
static GPtrArray *
dup_gradients (const SluiceNode *node, const SluiceAttr *attr)
{
  GPtrArray *gradients = g_ptr_array_new ();
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL)
      add_gradients (node->inputs[i].node, node, attr, gradients);
  return gradients;
}

/* Does what reads @from, or is before its shape, have @node for its gradient? */
static gboolean
has_origin (const SluiceNode *from, const SluiceNode *node, const char *attr)
{
  guint n = 0;
  const SluiceUse *uses = sluice_graph_get_uses (node->graph, from, &n);
  for (guint i = 0; i < n; i++)
    if (is_gradient_of (node, uses[i].node) && sluice_node_get_attr (uses[i].node, attr) != NULL)
      return TRUE;
  for (guint i = 0; sluice_node_get_role (from) == SLUICE_ROLE_SHAPE && i < from->n_inputs; i++)
    if (from->inputs[i].node != NULL && has_origin (from->inputs[i].node, node, attr))
      return TRUE;
  return FALSE;
}

/* It has its attributes of the node that it is the gradient of. */
static gboolean
is_of_gradient (const SluiceNode *node, const char *attr)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL && has_origin (node->inputs[i].node, node, attr))
      return TRUE;
  return FALSE;
}

/* A single number is fed, which costs no restart. */
static gboolean
is_promotable_constant (const SluiceTensor *tensor)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_BOOL:
      return tensor->shape.rank <= 1 && tensor->n_elements <= MOST_ELEMENTS;
    case SLUICE_FLOAT:
    case SLUICE_DOUBLE:
    case SLUICE_INT32:
    case SLUICE_INT64:
      return tensor->shape.rank == 1 && tensor->n_elements <= MOST_ELEMENTS;
    default:
      return FALSE;
    }
}

gboolean
sluice_attr_is_promotable (const SluiceNode *node, const SluiceAttr *attr)
{
  const SluiceAttrDef *def = node->op != NULL ? sluice_op_find_attr (node->op, attr->name) : NULL;
  const SluiceAttrValue *value = &attr->value;
  if (def == NULL)
    return FALSE;
  if (value->kind == SLUICE_ATTR_TENSOR)
    return sluice_node_get_role (node) == SLUICE_ROLE_CONST
           && is_promotable_constant (value->tensor);
  if (is_of_gradient (node, attr->name))
    return FALSE;
  if (value->kind == SLUICE_ATTR_STRING)
    return def->allowed_strings != NULL;
  if (value->kind == SLUICE_ATTR_LIST)
    return is_number_or_switch (value->list_kind) && value->list.n <= MOST_ELEMENTS;
  return is_number_or_switch (value->kind) && !is_count (node->op, attr->name);
}

/* ---- values as text ---- */

static char *
dup_plain (const SluiceAttrValue *value)
{
  switch (value->kind)
    {
    case SLUICE_ATTR_STRING:
      return g_strndup (value->s.data, value->s.length);
    case SLUICE_ATTR_INT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, value->i);
    case SLUICE_ATTR_FLOAT:
      return sluice_text_dup_number (value->f, TRUE);
    default:
      return g_strdup (value->b ? "true" : "false");
    }
}

static char *
dup_element (const SluiceTensor *tensor, gint64 i)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_BOOL:
      return g_strdup (((const guint8 *) tensor->data)[i] ? "true" : "false");
    case SLUICE_FLOAT:
      return sluice_text_dup_number (((const float *) tensor->data)[i], TRUE);
    case SLUICE_DOUBLE:
      return sluice_text_dup_number (((const double *) tensor->data)[i], FALSE);
    default:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sluice_tensor_get_int (tensor, i));
    }
}

char *
sluice_graph_dup_attr_parameter (SluiceGraph *graph, const char *target)
{
  SluiceNode *node;
  const SluiceAttr *attr = find_attr (graph, target, &node);
  if (attr == NULL)
    return NULL;
  const SluiceAttrValue *value = &attr->value;
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  if (value->kind == SLUICE_ATTR_TENSOR)
    for (gint64 i = 0; i < value->tensor->n_elements; i++)
      g_ptr_array_add (parts, dup_element (value->tensor, i));
  else if (value->kind == SLUICE_ATTR_LIST)
    for (guint i = 0; i < value->list.n; i++)
      g_ptr_array_add (parts, dup_plain (&value->list.items[i]));
  else
    return dup_plain (value);
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (";", (char **) parts->pdata);
}

const char *const *
sluice_graph_get_attr_choices (SluiceGraph *graph, const char *target)
{
  SluiceNode *node;
  const SluiceAttr *attr = find_attr (graph, target, &node);
  const SluiceAttrDef *def = attr != NULL && attr->value.kind == SLUICE_ATTR_STRING
                                 ? sluice_op_find_attr (node->op, attr->name)
                                 : NULL;
  return def != NULL ? (const char *const *) def->allowed_strings : NULL;
}

const char *
sluice_graph_get_attr_type (SluiceGraph *graph, const char *target)
{
  SluiceNode *node;
  const SluiceAttr *attr = find_attr (graph, target, &node);
  if (attr == NULL)
    return NULL;
  switch (attr->value.kind)
    {
    case SLUICE_ATTR_INT:
      return N_ ("whole number");
    case SLUICE_ATTR_FLOAT:
      return N_ ("number");
    case SLUICE_ATTR_BOOL:
      return N_ ("on or off");
    case SLUICE_ATTR_STRING:
      return N_ ("text");
    default:
      return N_ ("list, as 1;2;2;1");
    }
}

/* ---- text as values ---- */

static gboolean
parse_bool (const char *text, gboolean *value)
{
  *value = strcmp (text, "true") == 0;
  return *value || strcmp (text, "false") == 0;
}

static gboolean
parse_real (const char *text, double *value)
{
  char *end;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*value);
}

/* Of the kind that @value has; its own text is copied. FALSE: it is none. */
static gboolean
parse_plain (const char *text, SluiceAttrValue *value)
{
  double number;
  gboolean flag;
  switch (value->kind)
    {
    case SLUICE_ATTR_INT:
      return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value->i, NULL);
    case SLUICE_ATTR_FLOAT:
      if (!parse_real (text, &number))
        return FALSE;
      value->f = (float) number;
      return TRUE;
    case SLUICE_ATTR_BOOL:
      if (!parse_bool (text, &flag))
        return FALSE;
      value->b = flag;
      return TRUE;
    default:
      value->s = (SluiceString){ g_strdup (text), strlen (text) };
      return TRUE;
    }
}

static gboolean
parse_element (const char *text, SluiceTensor *tensor, guint i)
{
  double number;
  gint64 whole;
  gboolean flag;
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_BOOL:
      if (!parse_bool (text, &flag))
        return FALSE;
      ((guint8 *) tensor->data)[i] = flag != 0;
      return TRUE;
    case SLUICE_FLOAT:
    case SLUICE_DOUBLE:
      if (!parse_real (text, &number))
        return FALSE;
      if (tensor->dtype == SLUICE_FLOAT)
        ((float *) tensor->data)[i] = (float) number;
      else
        ((double *) tensor->data)[i] = number;
      return TRUE;
    case SLUICE_INT32:
      if (!g_ascii_string_to_signed (text, 10, G_MININT32, G_MAXINT32, &whole, NULL))
        return FALSE;
      ((gint32 *) tensor->data)[i] = (gint32) whole;
      return TRUE;
    default:
      return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64,
                                       &((gint64 *) tensor->data)[i], NULL);
    }
}

/* Of as many elements as the constant has: what reads it was made for that shape. */
static gboolean
parse_tensor (char **parts, const SluiceTensor *was, SluiceAttrValue *value)
{
  value->tensor = NULL;
  if ((gint64) g_strv_length (parts) != was->n_elements)
    return FALSE;
  value->tensor =
      sluice_tensor_new (NULL, (SluiceDType) was->dtype, &was->shape, SLUICE_OWNER_NONE);
  for (guint i = 0; value->tensor != NULL && parts[i] != NULL; i++)
    if (!parse_element (parts[i], value->tensor, i))
      return FALSE;
  return value->tensor != NULL;
}

static gboolean
parse_list (char **parts, SluiceAttrValue *value)
{
  guint n = g_strv_length (parts);
  value->list.items = g_new0 (SluiceAttrValue, MAX (1, n));
  value->list.n = n;
  gboolean ok = TRUE;
  for (guint i = 0; i < n; i++)
    {
      value->list.items[i].kind = value->list_kind;
      ok &= parse_plain (parts[i], &value->list.items[i]);
    }
  return ok;
}

static gboolean
parse_value (const char *text, const SluiceAttrValue *was, SluiceAttrValue *value)
{
  value->kind = was->kind;
  value->list_kind = was->list_kind;
  if (was->kind != SLUICE_ATTR_TENSOR && was->kind != SLUICE_ATTR_LIST)
    return parse_plain (text, value);
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    g_strstrip (parts[i]);
  return was->kind == SLUICE_ATTR_TENSOR ? parse_tensor (parts, was->tensor, value)
                                         : parse_list (parts, value);
}

/* ---- into the graph ---- */

static gboolean
set_attr (SluiceGraph *graph, const SluiceOverride *override, GError **error)
{
  SluiceNode *node;
  const SluiceAttr *attr = find_attr (graph, override->edge, &node);
  if (attr == NULL)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "parameter %s is %s, which the graph has no more: take it out of "
                        "[parameters], or name what it is now",
                        override->name, override->edge);
  SluiceAttr now = { attr->name };
  g_autoptr (GPtrArray) gradients = dup_gradients (node, attr);
  gboolean ok = parse_value (override->text, &attr->value, &now.value)
                && sluice_edit_set_attr (graph, node, &now, error);
  for (guint i = 0; ok && i < gradients->len; i++)
    ok = sluice_edit_set_attr (graph, gradients->pdata[i], &now, error);
  if (!ok && (error == NULL || *error == NULL))
    {
      g_autofree char *was = sluice_graph_dup_attr_parameter (graph, override->edge);
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s=%s: %s must be of the kind of %s, which it is in the graph", override->name,
                   override->text, override->edge, was);
    }
  sluice_attr_value_clear (&now.value);
  return ok;
}

gboolean
sluice_project_set_attrs (const SluiceProject *self, SluiceGraph *graph, GError **error)
{
  gboolean ok = TRUE, any = FALSE;
  for (guint i = 0; ok && i < self->overrides->len; i++)
    {
      const SluiceOverride *override = &g_array_index (self->overrides, SluiceOverride, i);
      if (override->text == NULL)
        continue;
      if (!any)
        sluice_edit_begin (graph);
      any = TRUE;
      ok = set_attr (graph, override, error);
    }
  if (!any)
    return TRUE;
  if (!ok)
    {
      sluice_edit_abandon (graph);
      return FALSE;
    }
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (graph, error);
  return edit != NULL;
}
