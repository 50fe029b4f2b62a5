/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The texts of an op definition, parsed. The first mistake is kept and the rest of the text is not
 * looked at: whatever is expected next is missed in silence.
 */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graph-private.h"
#include "engine/graph/op-private.h"

typedef struct
{
  const SluiceOpDef *def;
  const char *text; /* the whole */
  const char *at;
  GError *error;
} Cursor;

static void
complain (Cursor *c, const char *what)
{
  if (c->error == NULL)
    sluice_fail (&c->error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "definition of op '%s': %s at \"%s\" in \"%s\"", c->def->name, what, c->at,
                 c->text);
  c->at = "";
}

static void
skip_space (Cursor *c)
{
  while (g_ascii_isspace (*c->at))
    c->at++;
}

static gboolean
accept (Cursor *c, const char *token)
{
  skip_space (c);
  gsize length = strlen (token);
  if (strncmp (c->at, token, length) != 0)
    return FALSE;
  c->at += length;
  return TRUE;
}

static void
expect (Cursor *c, const char *token)
{
  if (!accept (c, token))
    {
      g_autofree char *what = g_strdup_printf ("'%s' expected", token);
      complain (c, what);
    }
}

/* An interned identifier; NULL where there is none. */
static const char *
word (Cursor *c)
{
  skip_space (c);
  const char *begin = c->at;
  while (g_ascii_isalnum (*c->at) || *c->at == '_')
    c->at++;
  if (c->at == begin)
    return NULL;
  g_autofree char *copy = g_strndup (begin, c->at - begin);
  return sluice_intern (copy);
}

static const char *
expect_word (Cursor *c)
{
  const char *name = word (c);
  if (name == NULL)
    complain (c, "name expected");
  return name != NULL ? name : "";
}

/* 'text' or "text" */
static char *
quoted (Cursor *c)
{
  skip_space (c);
  char quote = *c->at;
  const char *end = (quote == '\'' || quote == '"') ? strchr (c->at + 1, quote) : NULL;
  if (end == NULL)
    {
      complain (c, "quoted text expected");
      return g_strdup ("");
    }
  char *text = g_strndup (c->at + 1, end - c->at - 1);
  c->at = end + 1;
  return text;
}

static gint64
expect_int (Cursor *c)
{
  skip_space (c);
  char *end;
  gint64 value = g_ascii_strtoll (c->at, &end, 10);
  if (end == c->at)
    complain (c, "integer expected");
  else
    c->at = end;
  return value;
}

static SluiceDType
expect_dtype (Cursor *c)
{
  SluiceDType dtype = sluice_dtype_from_name (expect_word (c));
  if (dtype == SLUICE_INVALID)
    complain (c, "dtype expected before this");
  return dtype;
}

static const struct
{
  const char *name;
  SluiceDTypeSet set;
} type_classes[] = {
  { "any", 0 },
  { "type", 0 },
  { "number", SLUICE_SET_NUMBER },
  { "numbertype", SLUICE_SET_NUMBER },
  { "real", SLUICE_SET_REAL },
  { "realnumbertype", SLUICE_SET_REAL },
  { "floating", SLUICE_SET_FLOATS },
  { "index", SLUICE_SET_INDEX },
  { "quantizedtype", SLUICE_SET_QUANTIZED },
};

static const struct
{
  const char *name;
  SluiceAttrKind kind;
} plain_kinds[] = {
  { "string", SLUICE_ATTR_STRING }, { "int", SLUICE_ATTR_INT },
  { "float", SLUICE_ATTR_FLOAT },   { "bool", SLUICE_ATTR_BOOL },
  { "shape", SLUICE_ATTR_SHAPE },   { "tensor", SLUICE_ATTR_TENSOR },
  { "func", SLUICE_ATTR_FUNC },
};

/* "{float, double}" or "{'SAME', 'VALID'}", the brace is read. */
static SluiceAttrKind
parse_set (Cursor *c, SluiceAttrDef *attr)
{
  skip_space (c);
  if (*c->at == '\'' || *c->at == '"')
    {
      g_autoptr (GStrvBuilder) strings = g_strv_builder_new ();
      do
        {
          g_autofree char *text = quoted (c);
          g_strv_builder_add (strings, text);
        }
      while (accept (c, ","));
      expect (c, "}");
      attr->allowed_strings = g_strv_builder_end (strings);
      return SLUICE_ATTR_STRING;
    }
  do
    attr->allowed_types |= SLUICE_SET (expect_dtype (c));
  while (accept (c, ","));
  expect (c, "}");
  return SLUICE_ATTR_TYPE;
}

/* One kind with its constraint, but not a list. */
static SluiceAttrKind
parse_item_kind (Cursor *c, SluiceAttrDef *attr)
{
  if (accept (c, "{"))
    return parse_set (c, attr);
  const char *name = expect_word (c);
  for (guint i = 0; i < G_N_ELEMENTS (plain_kinds); i++)
    if (strcmp (name, plain_kinds[i].name) == 0)
      return plain_kinds[i].kind;
  for (guint i = 0; i < G_N_ELEMENTS (type_classes); i++)
    if (strcmp (name, type_classes[i].name) == 0)
      {
        attr->allowed_types = type_classes[i].set;
        return SLUICE_ATTR_TYPE;
      }
  complain (c, "unknown kind before this");
  return SLUICE_ATTR_NONE;
}

static void
parse_kind (Cursor *c, SluiceAttrDef *attr)
{
  if (accept (c, "list("))
    {
      attr->kind = SLUICE_ATTR_LIST;
      attr->list_kind = parse_item_kind (c, attr);
      expect (c, ")");
    }
  else
    attr->kind = parse_item_kind (c, attr);
}

/* "[1,?,3]", "unknown", "<unknown>" */
static SluiceShape
parse_shape (Cursor *c)
{
  if (accept (c, "<unknown>") || accept (c, "unknown") || accept (c, "{unknown_rank: true}")
      || accept (c, "{ unknown_rank: true }"))
    return SLUICE_SHAPE_UNKNOWN;
  expect (c, "[");
  SluiceShape shape = SLUICE_SHAPE_SCALAR;
  if (accept (c, "]"))
    return shape;
  do
    {
      if (shape.rank == SLUICE_MAX_RANK)
        {
          complain (c, "too many dimensions");
          return shape;
        }
      shape.dim[shape.rank++] = accept (c, "?") ? SLUICE_UNKNOWN_DIM : expect_int (c);
    }
  while (accept (c, ","));
  expect (c, "]");
  return shape;
}

/* "uint8[255,0,0,255]": a vector of bytes, the one tensor that TensorFlow's ops have as a default.
 */
static SluiceTensor *
parse_tensor (Cursor *c)
{
  expect (c, "uint8[");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  do
    {
      gint64 value = expect_int (c);
      if (value < 0 || value > 255)
        complain (c, "no byte before this");
      g_byte_array_append (bytes, &(guint8){ (guint8) value }, 1);
    }
  while (accept (c, ","));
  expect (c, "]");
  return sluice_tensor_new_from (SLUICE_UINT8, &SLUICE_SHAPE (bytes->len), bytes->data);
}

static void
parse_default (Cursor *c, SluiceAttrKind kind, SluiceAttrKind list_kind, SluiceAttrValue *value);

static void
parse_default_list (Cursor *c, SluiceAttrKind list_kind, SluiceAttrValue *value)
{
  g_autoptr (GArray) items = g_array_new (FALSE, TRUE, sizeof (SluiceAttrValue));
  expect (c, "[");
  if (!accept (c, "]"))
    {
      do
        {
          SluiceAttrValue item = { 0 };
          parse_default (c, list_kind, SLUICE_ATTR_NONE, &item);
          g_array_append_val (items, item);
        }
      while (accept (c, ","));
      expect (c, "]");
    }
  value->list_kind = list_kind;
  value->list.n = items->len;
  value->list.items = g_memdup2 (items->data, items->len * sizeof (SluiceAttrValue));
}

static void
parse_default (Cursor *c, SluiceAttrKind kind, SluiceAttrKind list_kind, SluiceAttrValue *value)
{
  char *end;
  value->kind = kind;
  switch (kind)
    {
    case SLUICE_ATTR_STRING:
      value->s.data = quoted (c);
      value->s.length = strlen (value->s.data);
      break;
    case SLUICE_ATTR_INT:
      value->i = expect_int (c);
      break;
    case SLUICE_ATTR_FLOAT:
      skip_space (c);
      value->f = (float) g_ascii_strtod (c->at, &end);
      if (end == c->at)
        complain (c, "number expected");
      else
        c->at = end;
      break;
    case SLUICE_ATTR_BOOL:
      value->b = accept (c, "true");
      if (!value->b)
        expect (c, "false");
      break;
    case SLUICE_ATTR_TYPE:
      value->type = expect_dtype (c);
      break;
    case SLUICE_ATTR_SHAPE:
      value->shape = parse_shape (c);
      break;
    case SLUICE_ATTR_TENSOR:
      value->tensor = parse_tensor (c);
      break;
    case SLUICE_ATTR_LIST:
      parse_default_list (c, list_kind, value);
      break;
    default:
      complain (c, "this kind takes no default");
    }
}

static void
parse_attr (Cursor *c, SluiceAttrDef *attr)
{
  attr->name = expect_word (c);
  expect (c, ":");
  parse_kind (c, attr);
  if (accept (c, ">="))
    {
      attr->has_minimum = TRUE;
      attr->minimum = expect_int (c);
      if (attr->kind != SLUICE_ATTR_INT && attr->kind != SLUICE_ATTR_LIST)
        complain (c, "only int and list have a minimum");
    }
  if (accept (c, "="))
    {
      attr->has_default = TRUE;
      parse_default (c, attr->kind, attr->list_kind, &attr->default_value);
    }
}

static void
parse_attrs (SluiceOp *op, Cursor *c)
{
  GArray *attrs = g_array_new (FALSE, TRUE, sizeof (SluiceAttrDef));
  skip_space (c);
  while (*c->at != '\0')
    {
      SluiceAttrDef attr = { 0 };
      parse_attr (c, &attr);
      for (guint i = 0; i < attrs->len; i++)
        if (g_array_index (attrs, SluiceAttrDef, i).name == attr.name)
          complain (c, "second attribute of this name before this");
      g_array_append_val (attrs, attr);
      if (!accept (c, ";") && *c->at != '\0')
        complain (c, "';' expected");
      skip_space (c);
    }
  op->n_attrs = attrs->len;
  op->attrs = (SluiceAttrDef *) g_array_free (attrs, FALSE);
}

/* "T", "float", "Tlist" */
static void
parse_arg_type (Cursor *c, const SluiceOp *op, SluiceArg *arg, const char *name)
{
  const SluiceAttrDef *attr = sluice_op_find_attr (op, name);
  if (attr == NULL)
    {
      arg->type = sluice_dtype_from_name (name);
      if (arg->type == SLUICE_INVALID)
        complain (c, "neither an attribute nor a dtype before this");
    }
  else if (attr->kind == SLUICE_ATTR_TYPE)
    arg->type_attr = attr->name;
  else if (attr->kind == SLUICE_ATTR_LIST && attr->list_kind == SLUICE_ATTR_TYPE)
    arg->list_attr = attr->name;
  else
    complain (c, "an attribute that is no type before this");
}

/* "a: T", "inputs: N * T", "ref: Ref(T)" */
static void
parse_arg (Cursor *c, const SluiceOp *op, SluiceArg *arg)
{
  arg->name = expect_word (c);
  expect (c, ":");
  int open = accept (c, "Ref(");
  const char *name = expect_word (c);
  if (accept (c, "*"))
    {
      const SluiceAttrDef *attr = sluice_op_find_attr (op, name);
      if (attr == NULL || attr->kind != SLUICE_ATTR_INT)
        {
          complain (c, "an int attribute must stand before '*'");
          return;
        }
      arg->number_attr = attr->name;
      open += accept (c, "Ref(");
      name = expect_word (c);
    }
  parse_arg_type (c, op, arg, name);
  if (arg->list_attr != NULL && arg->number_attr != NULL)
    complain (c, "a list of types takes no number");
  arg->is_ref = open > 0;
  for (; open > 0; open--)
    expect (c, ")");
}

static SluiceArg *
parse_args (Cursor *c, const SluiceOp *op, guint *n)
{
  GArray *args = g_array_new (FALSE, TRUE, sizeof (SluiceArg));
  skip_space (c);
  if (*c->at != '\0' && strncmp (c->at, "->", 2) != 0)
    do
      {
        SluiceArg arg = { 0 };
        parse_arg (c, op, &arg);
        g_array_append_val (args, arg);
      }
    while (accept (c, ","));
  *n = args->len;
  return (SluiceArg *) g_array_free (args, FALSE);
}

void
sluice_op_free (SluiceOp *self)
{
  for (guint i = 0; i < self->n_attrs; i++)
    {
      g_strfreev (self->attrs[i].allowed_strings);
      sluice_attr_value_clear (&self->attrs[i].default_value);
    }
  g_free (self->attrs);
  g_free (self->inputs);
  g_free (self->outputs);
  g_free (self);
}

SluiceOp *
sluice_op_parse (const SluiceOpDef *def, GError **error)
{
  SluiceOp *op = g_new0 (SluiceOp, 1);
  op->def = def;
  op->name = sluice_intern (def->name);
  Cursor c = { .def = def };
  if (def->attrs != NULL)
    {
      c.text = c.at = def->attrs;
      parse_attrs (op, &c);
    }
  if (c.error == NULL)
    {
      c.text = c.at = def->signature;
      op->inputs = parse_args (&c, op, &op->n_inputs);
      expect (&c, "->");
      op->outputs = parse_args (&c, op, &op->n_outputs);
      skip_space (&c);
      if (*c.at != '\0')
        complain (&c, "end of the signature expected");
    }
  if (c.error == NULL)
    return op;
  sluice_op_free (op);
  g_propagate_error (error, c.error);
  return NULL;
}

const SluiceAttrDef *
sluice_op_find_attr (const SluiceOp *self, const char *name)
{
  for (guint i = 0; i < self->n_attrs; i++)
    if (self->attrs[i].name == name || strcmp (self->attrs[i].name, name) == 0)
      return &self->attrs[i];
  return NULL;
}

SluiceAttr *
sluice_op_parse_sample (const SluiceOp *self, const char *text, guint *n)
{
  Cursor c = { .def = self->def, .text = text ? text : "", .at = text ? text : "" };
  g_autoptr (GArray) attrs = g_array_new (FALSE, TRUE, sizeof (SluiceAttr));
  for (skip_space (&c); *c.at != '\0'; skip_space (&c))
    {
      SluiceAttr attr = { .name = expect_word (&c) };
      const SluiceAttrDef *def = sluice_op_find_attr (self, attr.name);
      if (def == NULL)
        complain (&c, "no attribute of this op before this");
      expect (&c, "=");
      if (c.error == NULL)
        parse_default (&c, def->kind, def->list_kind, &attr.value);
      g_array_append_val (attrs, attr);
      if (!accept (&c, ";"))
        break;
    }
  skip_space (&c);
  if (*c.at != '\0')
    complain (&c, "';' expected");
  if (c.error != NULL)
    g_error ("%s", c.error->message);
  *n = attrs->len;
  return g_memdup2 (attrs->data, attrs->len * sizeof (SluiceAttr));
}
