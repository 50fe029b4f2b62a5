/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Attributes as GVariant, the value type that bindings of every language have, there and back. */
#include <string.h>

#include "api/attrs.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/tensorproto.h"

/* Of functions that are attributes of functions; GVariant itself cuts off at 32 of them. */
#define MAX_DEPTH 16

static const char *
kind_name (SluiceAttrKind kind)
{
  static const char *const names[] = {
    [SLUICE_ATTR_STRING] = "a string",
    [SLUICE_ATTR_INT] = "an integer",
    [SLUICE_ATTR_FLOAT] = "a number",
    [SLUICE_ATTR_BOOL] = "a boolean",
    [SLUICE_ATTR_TYPE] = "a dtype",
    [SLUICE_ATTR_SHAPE] = "a shape (an array of integers)",
    [SLUICE_ATTR_TENSOR] = "a tensor (bytes of a TensorProto)",
    [SLUICE_ATTR_FUNC] = "a function (its name)",
  };
  return kind < G_N_ELEMENTS (names) && names[kind] != NULL ? names[kind] : "a value";
}

static gboolean
complain (const char *wanted, GVariant *value, GError **error)
{
  g_autofree char *text = g_variant_print (value, FALSE);
  glong n = g_utf8_strlen (text, -1);
  g_autofree char *head = n > 40 ? g_utf8_substring (text, 0, 40) : g_strdup (text);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is wanted, %s%s of type '%s' given",
                      wanted, head, n > 40 ? "…" : "", g_variant_get_type_string (value));
}

static gboolean
read_int (GVariant *value, gint64 *to)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE:
      *to = g_variant_get_byte (value);
      return TRUE;
    case G_VARIANT_CLASS_INT16:
      *to = g_variant_get_int16 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT16:
      *to = g_variant_get_uint16 (value);
      return TRUE;
    case G_VARIANT_CLASS_INT32:
      *to = g_variant_get_int32 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT32:
      *to = g_variant_get_uint32 (value);
      return TRUE;
    case G_VARIANT_CLASS_INT64:
      *to = g_variant_get_int64 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT64:
      *to = (gint64) g_variant_get_uint64 (value);
      return *to >= 0;
    default:
      return FALSE;
    }
}

static gboolean
read_float (GVariant *value, float *to)
{
  gint64 i;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    *to = (float) g_variant_get_double (value);
  else if (read_int (value, &i))
    *to = (float) i;
  else
    return FALSE;
  return TRUE;
}

static gboolean
read_string (GVariant *value, SluiceString *to)
{
  gsize length;
  const char *data;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    data = g_variant_get_string (value, &length);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    data = g_variant_get_fixed_array (value, &length, 1);
  else
    return FALSE;
  /* A zero behind it, as sluice_attr_value_copy() leaves one. */
  to->data = g_malloc (length + 1);
  if (length > 0)
    memcpy (to->data, data, length);
  to->data[length] = '\0';
  to->length = length;
  return TRUE;
}

static gboolean
read_type (GVariant *value, SluiceDType *to)
{
  gint64 number;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    *to = sluice_dtype_from_name (g_variant_get_string (value, NULL));
  else if (read_int (value, &number) && number > 0 && number < SLUICE_REF + SLUICE_N_DTYPES)
    *to = sluice_dtype_from_name (sluice_dtype_enum_name ((SluiceDType) number));
  else
    return FALSE;
  return *to != SLUICE_INVALID;
}

/* Is it "nothing", whatever of? */
static gboolean
is_nothing (GVariant *value)
{
  return g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE) && g_variant_n_children (value) == 0;
}

/* The value in a box, or in a maybe that holds one. (transfer full) */
static GVariant *
unwrap (GVariant *take)
{
  while (g_variant_is_of_type (take, G_VARIANT_TYPE_VARIANT)
         || (g_variant_is_of_type (take, G_VARIANT_TYPE_MAYBE) && g_variant_n_children (take) == 1))
    {
      GVariant *inner = g_variant_get_child_value (take, 0);
      g_variant_unref (take);
      take = inner;
    }
  return take;
}

static GVariant *
nth (GVariant *value, gsize i)
{
  return unwrap (g_variant_get_child_value (value, i));
}

static gboolean
is_sequence (GVariant *value)
{
  return g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY)
         || g_variant_is_of_type (value, G_VARIANT_TYPE_TUPLE);
}

static gboolean
read_shape (GVariant *value, SluiceShape *to, GError **error)
{
  if (is_nothing (value))
    {
      *to = SLUICE_SHAPE_UNKNOWN;
      return TRUE;
    }
  if (!is_sequence (value))
    return complain (kind_name (SLUICE_ATTR_SHAPE), value, error);
  gsize n = g_variant_n_children (value);
  g_autofree gint64 *dims = g_new (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) item = nth (value, i);
      if (is_nothing (item))
        dims[i] = SLUICE_UNKNOWN_DIM;
      else if (!read_int (item, &dims[i]))
        return complain (kind_name (SLUICE_ATTR_SHAPE), value, error);
    }
  return sluice_shape_make (to, dims, n, error);
}

static gboolean
read_tensor (GVariant *value, SluiceTensor **to, GError **error)
{
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    return complain (kind_name (SLUICE_ATTR_TENSOR), value, error);
  gsize length;
  const guint8 *data = g_variant_get_fixed_array (value, &length, 1);
  *to = sluice_tensor_from_proto (data, length, error);
  return *to != NULL;
}

static gboolean read_value (SluiceAttrKind kind,
                            SluiceAttrKind list_kind,
                            GVariant *value,
                            guint depth,
                            SluiceAttrValue *to,
                            GError **error);

static gboolean
read_func (GVariant *value, guint depth, SluiceFuncValue **to, GError **error)
{
  gboolean named = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING);
  if (!named && !g_variant_is_of_type (value, G_VARIANT_TYPE ("(sa{sv})")))
    return complain (kind_name (SLUICE_ATTR_FUNC), value, error);
  if (depth >= MAX_DEPTH)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "functions are nested more than %d deep", MAX_DEPTH);
  SluiceFuncValue *func = *to = g_new0 (SluiceFuncValue, 1);
  if (named)
    {
      func->name = g_variant_dup_string (value, NULL);
      return TRUE;
    }
  g_autoptr (GVariant) attrs = g_variant_get_child_value (value, 1);
  gsize n = g_variant_n_children (attrs);
  g_variant_get_child (value, 0, "s", &func->name);
  func->attrs = g_new0 (SluiceAttr, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      const char *name;
      g_autoptr (GVariant) boxed = NULL;
      g_variant_get_child (attrs, i, "{&s@v}", &name, &boxed);
      g_autoptr (GVariant) item = nth (boxed, 0);
      SluiceAttr *attr = &func->attrs[func->n_attrs++];
      attr->name = sluice_intern (name);
      if (!read_value (SLUICE_ATTR_NONE, SLUICE_ATTR_NONE, item, depth + 1, &attr->value, error))
        return FALSE;
    }
  return TRUE;
}

/* What a value without a definition is. */
static SluiceAttrKind
guess_kind (GVariant *value)
{
  gint64 i;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return SLUICE_ATTR_BOOL;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
      || g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    return SLUICE_ATTR_STRING;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return SLUICE_ATTR_FLOAT;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE ("(sa{sv})")))
    return SLUICE_ATTR_FUNC;
  if (is_sequence (value))
    return SLUICE_ATTR_LIST;
  return read_int (value, &i) ? SLUICE_ATTR_INT : SLUICE_ATTR_NONE;
}

static gboolean
read_list (SluiceAttrKind kind, GVariant *value, guint depth, SluiceAttrValue *to, GError **error)
{
  if (!is_sequence (value))
    {
      g_autofree char *wanted = g_strconcat ("a list, each ", kind_name (kind), ",", NULL);
      return complain (wanted, value, error);
    }
  gsize n = g_variant_n_children (value);
  to->list_kind = kind;
  to->list.items = g_new0 (SluiceAttrValue, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) item = nth (value, i);
      if (to->list_kind == SLUICE_ATTR_NONE)
        to->list_kind = guess_kind (item);
      if (to->list_kind == SLUICE_ATTR_LIST)
        return complain ("a list of single values", value, error);
      SluiceAttrValue *next = &to->list.items[to->list.n++];
      if (!read_value (to->list_kind, SLUICE_ATTR_NONE, item, depth, next, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_value (SluiceAttrKind kind,
            SluiceAttrKind list_kind,
            GVariant *value,
            guint depth,
            SluiceAttrValue *to,
            GError **error)
{
  gboolean ok = FALSE;
  *to = (SluiceAttrValue){ .kind = kind != SLUICE_ATTR_NONE ? kind : guess_kind (value) };
  switch (to->kind)
    {
    case SLUICE_ATTR_STRING:
      ok = read_string (value, &to->s);
      break;
    case SLUICE_ATTR_INT:
      ok = read_int (value, &to->i);
      break;
    case SLUICE_ATTR_FLOAT:
      ok = read_float (value, &to->f);
      break;
    case SLUICE_ATTR_BOOL:
      ok = g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN);
      to->b = ok && g_variant_get_boolean (value);
      break;
    case SLUICE_ATTR_TYPE:
      ok = read_type (value, &to->type);
      break;
    case SLUICE_ATTR_SHAPE:
      return read_shape (value, &to->shape, error);
    case SLUICE_ATTR_TENSOR:
      return read_tensor (value, &to->tensor, error);
    case SLUICE_ATTR_FUNC:
      return read_func (value, depth, &to->func, error);
    case SLUICE_ATTR_LIST:
      return read_list (list_kind, value, depth, to, error);
    case SLUICE_ATTR_NONE:
    case SLUICE_ATTR_PLACEHOLDER:
      break;
    }
  return ok || complain (kind_name (to->kind), value, error);
}

gboolean
sluice_attr_value_from_variant (const SluiceAttrDef *def,
                                GVariant *value,
                                SluiceAttrValue *to,
                                GError **error)
{
  g_autoptr (GVariant) inner = unwrap (g_variant_ref (value));
  SluiceAttrKind kind = def != NULL ? def->kind : SLUICE_ATTR_NONE;
  SluiceAttrKind list_kind = def != NULL ? def->list_kind : SLUICE_ATTR_NONE;
  if (read_value (kind, list_kind, inner, 0, to, error))
    return TRUE;
  sluice_attr_value_clear (to);
  return FALSE;
}

/* ---- back ---- */

/* Text where it is text, else bytes. */
static GVariant *
write_string (const SluiceString *s)
{
  if (g_utf8_validate_len (s->length > 0 ? s->data : "", s->length, NULL))
    {
      g_autofree char *text = g_strndup (s->data, s->length);
      return g_variant_new_string (text);
    }
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, s->data, s->length, 1);
}

static GVariant *
write_shape (const SluiceShape *shape)
{
  if (shape->rank < 0)
    return g_variant_new_maybe (G_VARIANT_TYPE ("ax"), NULL);
  return g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, shape->dim, (gsize) shape->rank,
                                    sizeof (gint64));
}

static GVariant *
write_tensor (SluiceTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) proto = sluice_tensor_to_proto (tensor, &error);
  if (proto == NULL)
    g_error ("%s", error->message); /* as GLib, which makes the rest, where it has no memory */
  return g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, proto, TRUE);
}

static GVariant *
write_func (const SluiceFuncValue *func)
{
  GVariantBuilder attrs;
  g_variant_builder_init (&attrs, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < func->n_attrs; i++)
    g_variant_builder_add (&attrs, "{sv}", func->attrs[i].name,
                           sluice_attr_value_to_variant (&func->attrs[i].value));
  return g_variant_new ("(s@a{sv})", func->name, g_variant_builder_end (&attrs));
}

static GVariant *
write_list (const SluiceAttrValue *list)
{
  GVariantBuilder items;
  g_variant_builder_init (&items, G_VARIANT_TYPE ("av"));
  for (guint i = 0; i < list->list.n; i++)
    g_variant_builder_add (&items, "v", sluice_attr_value_to_variant (&list->list.items[i]));
  return g_variant_builder_end (&items);
}

GVariant *
sluice_attr_value_to_variant (const SluiceAttrValue *value)
{
  switch (value->kind)
    {
    case SLUICE_ATTR_STRING:
    case SLUICE_ATTR_PLACEHOLDER:
      return write_string (&value->s);
    case SLUICE_ATTR_INT:
      return g_variant_new_int64 (value->i);
    case SLUICE_ATTR_FLOAT:
      return g_variant_new_double (value->f);
    case SLUICE_ATTR_BOOL:
      return g_variant_new_boolean (value->b);
    case SLUICE_ATTR_TYPE:
      return g_variant_new_string (sluice_dtype_name (value->type));
    case SLUICE_ATTR_SHAPE:
      return write_shape (&value->shape);
    case SLUICE_ATTR_TENSOR:
      return write_tensor (value->tensor);
    case SLUICE_ATTR_FUNC:
      return write_func (value->func);
    case SLUICE_ATTR_LIST:
      return write_list (value);
    case SLUICE_ATTR_NONE:
      break;
    }
  return g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
}
