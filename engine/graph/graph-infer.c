/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a node's definition makes of it: attributes completed and checked, inputs checked, outputs
 * with their dtypes. */
#include <string.h>

#include "engine/graph/graph-private.h"

/* A node while its attributes are worked out. Only the first error is kept; the work goes on, so
 * that an import has outputs to show. */
typedef struct
{
  SluiceNode *node;
  const SluiceOp *op;
  SluiceAttrValue *values; /* one a definition of op->attrs; kind NONE: not known yet */
  SluiceAttr *others;      /* that the definition does not have */
  guint n_others;
  GError *error;
} Completion;

static void G_GNUC_PRINTF (2, 3) complain (Completion *c, const char *format, ...)
{
  if (c->error != NULL)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  sluice_node_fail (c->node, &c->error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", what);
}

/* Attributes that later TensorFlows added, with the default at which they change nothing. */
static const struct
{
  const char *attr;
  SluiceAttrValue value;
} later_attrs[] = {
  { "identical_element_shapes", { SLUICE_ATTR_BOOL, .b = FALSE } },
  { "explicit_paddings", { SLUICE_ATTR_LIST, .list = { NULL, 0 } } },
  { "Truncate", { SLUICE_ATTR_BOOL, .b = FALSE } },
  { "half_pixel_centers", { SLUICE_ATTR_BOOL, .b = FALSE } },
  { "batch_dims", { SLUICE_ATTR_INT, .i = 0 } },
  { "incompatible_shape_error", { SLUICE_ATTR_BOOL, .b = TRUE } },
  { "bad_indices_policy", { SLUICE_ATTR_STRING, .s = { (char *) "", 0 } } },
  { "shape_type", { SLUICE_ATTR_TYPE, .type = SLUICE_INT32 } },
  { "allowed_devices", { SLUICE_ATTR_LIST, .list = { NULL, 0 } } },
  { "debug_name", { SLUICE_ATTR_STRING, .s = { (char *) "", 0 } } },
  { "validate_shape", { SLUICE_ATTR_BOOL, .b = FALSE } },
};

static gboolean
is_all_ones (const SluiceAttrValue *value)
{
  if (value->kind != SLUICE_ATTR_LIST)
    return FALSE;
  for (guint i = 0; i < value->list.n; i++)
    if (value->list.items[i].kind != SLUICE_ATTR_INT || value->list.items[i].i != 1)
      return FALSE;
  return TRUE;
}

/* May the attribute be ignored although the definition does not have it? */
static gboolean
is_harmless (const SluiceAttr *attr)
{
  if (attr->name[0] == '_')
    return TRUE;
  if (strcmp (attr->name, "dilations") == 0)
    return is_all_ones (&attr->value);
  /* MatMul says of itself that it is the gradient of another: that changes nothing. */
  if (attr->value.kind == SLUICE_ATTR_BOOL && strlen (attr->name) == 6
      && g_str_has_prefix (attr->name, "grad_") && strchr ("abxy", attr->name[5]) != NULL)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (later_attrs); i++)
    if (strcmp (later_attrs[i].attr, attr->name) == 0)
      return sluice_attr_value_equal (&later_attrs[i].value, &attr->value);
  return FALSE;
}

static const char *
kind_name (SluiceAttrKind kind)
{
  static const char *const names[] = { "none",  "string", "int",  "float",       "bool", "type",
                                       "shape", "tensor", "func", "placeholder", "list" };
  return names[kind];
}

static gboolean
has_kind (const SluiceAttrValue *value, const SluiceAttrDef *def)
{
  if (value->kind != def->kind)
    return FALSE;
  if (value->kind != SLUICE_ATTR_LIST)
    return TRUE;
  for (guint i = 0; i < value->list.n; i++)
    if (value->list.items[i].kind != def->list_kind)
      return FALSE;
  return TRUE;
}

static void
place_given (Completion *c, const SluiceAttr *given, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      const SluiceAttrDef *def = sluice_op_find_attr (c->op, given[i].name);
      if (def == NULL)
        {
          c->others[c->n_others++] = given[i];
          if (is_harmless (&given[i]))
            continue;
          g_autofree char *text = sluice_attr_value_to_string (&given[i].value);
          complain (c,
                    "has attribute %s = %s, which this op does not know; a newer program may "
                    "have written it. Take it away or set it to its default there",
                    given[i].name, text);
          continue;
        }
      SluiceAttrValue *value = &c->values[def - c->op->attrs];
      sluice_attr_value_clear (value);
      *value = given[i].value;
      if (value->kind == SLUICE_ATTR_LIST)
        value->list_kind = def->list_kind;
      if (has_kind (value, def))
        continue;
      g_autofree char *text = sluice_attr_value_to_string (value);
      complain (c, "attribute %s must be of kind %s%s%s%s, not %s %s", def->name,
                kind_name (def->kind), def->kind == SLUICE_ATTR_LIST ? "(" : "",
                def->kind == SLUICE_ATTR_LIST ? kind_name (def->list_kind) : "",
                def->kind == SLUICE_ATTR_LIST ? ")" : "", kind_name (value->kind), text);
    }
}

static SluiceAttrValue *
value_of (Completion *c, const char *attr)
{
  return &c->values[sluice_op_find_attr (c->op, attr) - c->op->attrs];
}

/* Where attributes are looked up: in a completion, or in a complete node. */
static const SluiceAttrValue *
find_value (const Completion *c, const SluiceNode *node, const char *attr)
{
  return c != NULL ? &c->values[sluice_op_find_attr (c->op, attr) - c->op->attrs]
                   : sluice_node_get_attr (node, attr);
}

/* How many edges an argument stands for; -1: not known. */
static gint64
arg_length (const Completion *c, const SluiceNode *node, const SluiceArg *arg)
{
  const char *attr = arg->number_attr != NULL ? arg->number_attr : arg->list_attr;
  if (attr == NULL)
    return 1;
  const SluiceAttrValue *value = find_value (c, node, attr);
  if (value == NULL)
    return -1;
  if (arg->number_attr != NULL)
    return value->kind == SLUICE_ATTR_INT && value->i >= 0 ? value->i : -1;
  return value->kind == SLUICE_ATTR_LIST ? (gint64) value->list.n : -1;
}

/* dtype of element i of an argument; INVALID: not known. */
static SluiceDType
arg_dtype (const Completion *c, const SluiceNode *node, const SluiceArg *arg, gint64 i)
{
  if (arg->type != SLUICE_INVALID)
    return arg->type;
  if (arg->type_attr != NULL)
    {
      const SluiceAttrValue *value = find_value (c, node, arg->type_attr);
      return value != NULL && value->kind == SLUICE_ATTR_TYPE ? value->type : SLUICE_INVALID;
    }
  const SluiceAttrValue *value = find_value (c, node, arg->list_attr);
  return value != NULL && value->kind == SLUICE_ATTR_LIST && i < value->list.n
                 && value->list.items[i].kind == SLUICE_ATTR_TYPE
             ? value->list.items[i].type
             : SLUICE_INVALID;
}

static SluiceDType
input_dtype (const SluiceNode *node, guint i)
{
  return node->inputs[i].node != NULL ? sluice_edge_dtype (node->inputs[i]) : SLUICE_INVALID;
}

/* The attribute that says how many edges an argument stands for, where nobody gave it. */
static SluiceAttrValue *
missing_length (Completion *c, const SluiceArg *arg)
{
  const char *attr = arg->number_attr != NULL ? arg->number_attr : arg->list_attr;
  SluiceAttrValue *value = attr != NULL ? value_of (c, attr) : NULL;
  return value != NULL && value->kind == SLUICE_ATTR_NONE ? value : NULL;
}

/* How many inputs each argument of open length takes: what the others leave, in equal parts. -1:
 * cannot be told. */
static gint64
open_length (Completion *c)
{
  gint64 rest = c->node->n_inputs, n_open = 0;
  const char *open = NULL;
  for (guint i = 0; i < c->op->n_inputs; i++)
    {
      const SluiceArg *arg = &c->op->inputs[i];
      gint64 length = arg_length (c, NULL, arg);
      const char *attr = arg->number_attr != NULL ? arg->number_attr : arg->list_attr;
      if (length >= 0)
        rest -= MIN (length, G_MAXINT32);
      else if (missing_length (c, arg) == NULL)
        return -1;
      else if (open == NULL || (open == attr && arg->number_attr != NULL))
        {
          open = attr;
          n_open++;
        }
      else
        return -1;
    }
  return n_open > 0 && rest >= 0 && rest % n_open == 0 ? rest / n_open : -1;
}

static SluiceAttrValue
input_types (Completion *c, guint first, guint n)
{
  SluiceAttrValue value = { .kind = SLUICE_ATTR_LIST, .list_kind = SLUICE_ATTR_TYPE };
  value.list.items = g_new0 (SluiceAttrValue, n);
  value.list.n = n;
  for (guint i = 0; i < n; i++)
    value.list.items[i] =
        (SluiceAttrValue){ SLUICE_ATTR_TYPE,
                           .type = sluice_dtype_base (input_dtype (c->node, first + i)) };
  return value;
}

/* Attributes that the inputs tell: numbers from how many there are, types from their dtypes. */
static void
complete_from_inputs (Completion *c)
{
  gint64 open = open_length (c), at = 0;
  for (guint i = 0; i < c->op->n_inputs; i++)
    {
      const SluiceArg *arg = &c->op->inputs[i];
      gint64 length = arg_length (c, NULL, arg);
      SluiceAttrValue *missing = missing_length (c, arg);
      if (missing != NULL)
        length = open;
      if (length < 0 || length > c->node->n_inputs - at)
        return;
      if (missing != NULL && arg->number_attr != NULL)
        *missing = (SluiceAttrValue){ SLUICE_ATTR_INT, .i = length };
      else if (missing != NULL)
        *missing = input_types (c, at, length);
      SluiceAttrValue *type = arg->type_attr != NULL ? value_of (c, arg->type_attr) : NULL;
      for (gint64 k = at; type != NULL && k < at + length && type->kind == SLUICE_ATTR_NONE; k++)
        if (input_dtype (c->node, k) != SLUICE_INVALID)
          *type = (SluiceAttrValue){ SLUICE_ATTR_TYPE,
                                     .type = sluice_dtype_base (input_dtype (c->node, k)) };
      at += length;
    }
}

static void
complete_from_defaults (Completion *c)
{
  for (guint i = 0; i < c->op->n_attrs; i++)
    {
      const SluiceAttrDef *def = &c->op->attrs[i];
      if (c->values[i].kind != SLUICE_ATTR_NONE)
        continue;
      if (def->has_default)
        sluice_attr_value_copy (&c->values[i], &def->default_value);
      else
        complain (c, "attribute %s (%s) is missing and has no default; give it a value", def->name,
                  kind_name (def->kind));
    }
}

/* "float, double, int32" */
static char *
type_set_text (SluiceDTypeSet set)
{
  GString *text = g_string_new (NULL);
  for (int dtype = 1; dtype < SLUICE_N_DTYPES; dtype++)
    if (sluice_dtype_in (dtype, set))
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", sluice_dtype_name (dtype));
  return g_string_free (text, FALSE);
}

static void
check_type (Completion *c, const SluiceAttrDef *def, SluiceDType type)
{
  if (type <= SLUICE_INVALID || type >= SLUICE_N_DTYPES)
    complain (c, "attribute %s is %s, which is no dtype", def->name, sluice_dtype_enum_name (type));
  else if (def->allowed_types != 0 && !sluice_dtype_in (type, def->allowed_types))
    {
      g_autofree char *allowed = type_set_text (def->allowed_types);
      complain (c, "attribute %s is %s; this op takes %s", def->name, sluice_dtype_name (type),
                allowed);
    }
}

static void
check_string (Completion *c, const SluiceAttrDef *def, const SluiceString *s)
{
  for (char **allowed = def->allowed_strings; *allowed != NULL; allowed++)
    if (strlen (*allowed) == s->length && memcmp (*allowed, s->data, s->length) == 0)
      return;
  g_autofree char *list = g_strjoinv ("', '", def->allowed_strings);
  SluiceAttrValue value = { SLUICE_ATTR_STRING, .s = *s };
  g_autofree char *text = sluice_attr_value_to_string (&value);
  complain (c, "attribute %s is %s; it must be one of '%s'", def->name, text, list);
}

static void
check_item (Completion *c, const SluiceAttrDef *def, const SluiceAttrValue *value)
{
  if (value->kind == SLUICE_ATTR_TYPE)
    check_type (c, def, value->type);
  else if (value->kind == SLUICE_ATTR_STRING && def->allowed_strings != NULL)
    check_string (c, def, &value->s);
}

static void
check_attr (Completion *c, const SluiceAttrDef *def, const SluiceAttrValue *value)
{
  if (!has_kind (value, def))
    return;
  if (value->kind == SLUICE_ATTR_LIST)
    {
      if (def->has_minimum && value->list.n < def->minimum)
        complain (c, "attribute %s is a list of %u; it must have at least %" G_GINT64_FORMAT,
                  def->name, value->list.n, def->minimum);
      for (guint i = 0; i < value->list.n; i++)
        check_item (c, def, &value->list.items[i]);
    }
  else if (value->kind == SLUICE_ATTR_INT && def->has_minimum && value->i < def->minimum)
    complain (c, "attribute %s is %" G_GINT64_FORMAT "; it must be at least %" G_GINT64_FORMAT,
              def->name, value->i, def->minimum);
  else
    check_item (c, def, value);
}

static void
check_constant (Completion *c)
{
  const SluiceAttrValue *value = sluice_node_get_attr (c->node, "value");
  const SluiceAttrValue *dtype = sluice_node_get_attr (c->node, "dtype");
  if (value != NULL && value->kind == SLUICE_ATTR_TENSOR && dtype != NULL
      && dtype->kind == SLUICE_ATTR_TYPE && dtype->type != (SluiceDType) value->tensor->dtype)
    complain (c, "attribute dtype is %s, but the value is of %s; make them equal",
              sluice_dtype_name (dtype->type), sluice_dtype_name (value->tensor->dtype));
}

static void
make_outputs (Completion *c)
{
  guint n = 0;
  for (guint i = 0; i < c->op->n_outputs; i++)
    {
      const SluiceArg *arg = &c->op->outputs[i];
      gint64 length = arg_length (c, NULL, arg);
      if (length > SLUICE_MAX_PORTS - (gint64) n)
        {
          complain (c, "would have over %d outputs; a node may have that many at most",
                    SLUICE_MAX_PORTS);
          return;
        }
      if (length <= 0)
        continue;
      sluice_node_set_n_outputs (c->node, n + length);
      for (gint64 k = 0; k < length; k++)
        {
          SluiceDType dtype = arg_dtype (c, NULL, arg, k);
          c->node->outputs[n++].dtype =
              dtype != SLUICE_INVALID && arg->is_ref ? dtype + SLUICE_REF : dtype;
        }
    }
}

/* Completed values and the rest become the node's attributes. */
static void
store_attrs (Completion *c)
{
  SluiceAttr few[16];
  guint n = 0, most = c->op->n_attrs + c->n_others;
  g_autofree SluiceAttr *many = most > G_N_ELEMENTS (few) ? g_new (SluiceAttr, most) : NULL;
  SluiceAttr *attrs = many != NULL ? many : few;
  for (guint i = 0; i < c->op->n_attrs; i++)
    if (c->values[i].kind != SLUICE_ATTR_NONE)
      attrs[n++] = (SluiceAttr){ c->op->attrs[i].name, c->values[i] };
  for (guint i = 0; i < c->n_others; i++)
    attrs[n++] = c->others[i];
  sluice_node_take_attrs (c->node, attrs, n);
}

gboolean
sluice_node_complete (
    SluiceNode *node, const SluiceAttr *take, guint n, gboolean from_inputs, GError **error)
{
  SluiceAttrValue few_values[12] = { 0 };
  SluiceAttr few_others[8];
  gboolean many_values = node->op->n_attrs > G_N_ELEMENTS (few_values);
  gboolean many_others = n > G_N_ELEMENTS (few_others);
  g_autofree SluiceAttrValue *more_values =
      many_values ? g_new0 (SluiceAttrValue, node->op->n_attrs) : NULL;
  g_autofree SluiceAttr *more_others = many_others ? g_new (SluiceAttr, n) : NULL;
  SluiceAttrValue *values = many_values ? more_values : few_values;
  SluiceAttr *others = many_others ? more_others : few_others;
  Completion c = { .node = node, .op = node->op, .values = values, .others = others };
  place_given (&c, take, n);
  if (from_inputs)
    complete_from_inputs (&c);
  complete_from_defaults (&c);
  for (guint i = 0; i < c.op->n_attrs; i++)
    check_attr (&c, &c.op->attrs[i], &values[i]);
  make_outputs (&c);
  store_attrs (&c);
  if (c.op->def->role == SLUICE_ROLE_CONST)
    check_constant (&c);
  if (c.error == NULL)
    return TRUE;
  g_propagate_error (error, c.error);
  return FALSE;
}

/* ---- inputs ---- */

/* "a, b" or "inputs[N], axis" */
static char *
args_text (const SluiceArg *args, guint n)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      const char *many = args[i].number_attr != NULL ? args[i].number_attr : args[i].list_attr;
      g_string_append_printf (text, "%s%s%s%s%s", i > 0 ? ", " : "", args[i].name, many ? "[" : "",
                              many ? many : "", many ? "]" : "");
    }
  return g_string_free (text, FALSE);
}

static char *
port_name (const SluiceNode *node, const SluiceArg *args, guint n_args, guint port)
{
  gint64 at = 0;
  for (guint i = 0; i < n_args; i++)
    {
      gint64 length = arg_length (NULL, node, &args[i]);
      if (length < 0)
        break;
      if (port < at + length)
        return args[i].number_attr == NULL && args[i].list_attr == NULL
                   ? g_strdup (args[i].name)
                   : g_strdup_printf ("%s[%" G_GINT64_FORMAT "]", args[i].name, port - at);
      at += length;
    }
  return g_strdup_printf ("%u", port);
}

char *
sluice_node_dup_input_name (const SluiceNode *self, guint input)
{
  return port_name (self, self->op ? self->op->inputs : NULL, self->op ? self->op->n_inputs : 0,
                    input);
}

char *
sluice_node_dup_output_name (const SluiceNode *self, guint output)
{
  return port_name (self, self->op ? self->op->outputs : NULL, self->op ? self->op->n_outputs : 0,
                    output);
}

static gboolean
fail_input (
    const SluiceNode *node, guint input, const SluiceArg *arg, SluiceDType want, GError **error)
{
  SluiceEdge edge = node->inputs[input];
  g_autofree char *name = sluice_node_dup_input_name (node, input);
  SluiceDType got = sluice_edge_dtype (edge);
  if (arg->is_ref && sluice_dtype_base (got) == want)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (%s) from '%s:%d' must be a reference to a variable, "
                             "not its value",
                             input, name, edge.node->name, edge.port);
  const char *from = arg->type_attr != NULL ? arg->type_attr : arg->list_attr;
  return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input %u (%s) from '%s:%d' is %s, but must be %s%s%s; Cast it%s%s",
                           input, name, edge.node->name, edge.port, sluice_dtype_name (got),
                           sluice_dtype_name (want), from ? ", as attribute " : "",
                           from ? from : "", from ? " says" : "",
                           from ? ", or change the attribute" : "");
}

gboolean
sluice_node_check_inputs (const SluiceNode *node, GError **error)
{
  gint64 total = 0;
  for (guint i = 0; i < node->op->n_inputs; i++)
    {
      gint64 length = arg_length (NULL, node, &node->op->inputs[i]);
      total += CLAMP (length, 0, G_MAXINT32);
    }
  if (total != node->n_inputs || total > SLUICE_MAX_PORTS)
    {
      g_autofree char *names = args_text (node->op->inputs, node->op->n_inputs);
      return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                               "takes %" G_GINT64_FORMAT " inputs (%s), but %u are connected%s",
                               total, *names ? names : "none", node->n_inputs,
                               total > SLUICE_MAX_PORTS ? "; 65535 are the most a node may have"
                                                        : "");
    }
  guint at = 0;
  for (guint i = 0; i < node->op->n_inputs; i++)
    {
      const SluiceArg *arg = &node->op->inputs[i];
      gint64 length = arg_length (NULL, node, arg);
      for (gint64 k = 0; k < length; k++, at++)
        {
          SluiceDType want = arg_dtype (NULL, node, arg, k), got = input_dtype (node, at);
          if (want != SLUICE_INVALID && got != SLUICE_INVALID
              && (sluice_dtype_base (got) != want || (arg->is_ref && !sluice_dtype_is_ref (got))))
            return fail_input (node, at, arg, want, error);
        }
    }
  return TRUE;
}

void
sluice_node_set_open_error (SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs && node->error == NULL; i++)
    if (node->inputs[i].node == NULL)
      {
        g_autofree char *name = sluice_node_dup_input_name (node, i);
        sluice_node_fail (node, &node->error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "input %u (%s) is open; connect it", i, name);
      }
}
