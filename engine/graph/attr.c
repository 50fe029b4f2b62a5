/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/attr.h"

#include <string.h>

static SluiceAttr
make (const char *name, SluiceAttrKind kind)
{
  return (SluiceAttr){ .name = sluice_intern (name), .value.kind = kind };
}

SluiceAttr
sluice_attr_string (const char *name, const char *value)
{
  SluiceAttr attr = make (name, SLUICE_ATTR_STRING);
  attr.value.s = (SluiceString){ (char *) value, strlen (value) };
  return attr;
}

SluiceAttr
sluice_attr_int (const char *name, gint64 value)
{
  SluiceAttr attr = make (name, SLUICE_ATTR_INT);
  attr.value.i = value;
  return attr;
}

SluiceAttr
sluice_attr_float (const char *name, float value)
{
  SluiceAttr attr = make (name, SLUICE_ATTR_FLOAT);
  attr.value.f = value;
  return attr;
}

SluiceAttr
sluice_attr_bool (const char *name, gboolean value)
{
  SluiceAttr attr = make (name, SLUICE_ATTR_BOOL);
  attr.value.b = !!value;
  return attr;
}

SluiceAttr
sluice_attr_type (const char *name, SluiceDType value)
{
  SluiceAttr attr = make (name, SLUICE_ATTR_TYPE);
  attr.value.type = value;
  return attr;
}

SluiceAttr
sluice_attr_shape (const char *name, const SluiceShape *value)
{
  SluiceAttr attr = make (name, SLUICE_ATTR_SHAPE);
  attr.value.shape = *value;
  return attr;
}

SluiceAttr
sluice_attr_tensor (const char *name, SluiceTensor *value)
{
  SluiceAttr attr = make (name, SLUICE_ATTR_TENSOR);
  attr.value.tensor = value;
  return attr;
}

SluiceAttr
sluice_attr_value (const char *name, const SluiceAttrValue *value)
{
  return (SluiceAttr){ .name = sluice_intern (name), .value = *value };
}

static SluiceFuncValue *
func_copy (const SluiceFuncValue *from)
{
  SluiceFuncValue *func = g_new0 (SluiceFuncValue, 1);
  func->name = g_strdup (from->name);
  func->n_attrs = from->n_attrs;
  func->attrs = g_new0 (SluiceAttr, from->n_attrs);
  for (guint i = 0; i < from->n_attrs; i++)
    {
      func->attrs[i].name = from->attrs[i].name;
      sluice_attr_value_copy (&func->attrs[i].value, &from->attrs[i].value);
    }
  return func;
}

static void
func_free (SluiceFuncValue *func)
{
  for (guint i = 0; i < func->n_attrs; i++)
    sluice_attr_value_clear (&func->attrs[i].value);
  g_free (func->attrs);
  g_free (func->name);
  g_free (func);
}

void
sluice_attr_value_copy (SluiceAttrValue *to, const SluiceAttrValue *from)
{
  *to = *from;
  switch (from->kind)
    {
    case SLUICE_ATTR_STRING:
    case SLUICE_ATTR_PLACEHOLDER:
      /* A zero behind it, for those who know that it is text. */
      to->s.data = g_malloc (from->s.length + 1);
      if (from->s.length > 0)
        memcpy (to->s.data, from->s.data, from->s.length);
      to->s.data[from->s.length] = '\0';
      break;
    case SLUICE_ATTR_TENSOR:
      sluice_tensor_ref (to->tensor);
      break;
    case SLUICE_ATTR_FUNC:
      to->func = func_copy (from->func);
      break;
    case SLUICE_ATTR_LIST:
      to->list.items = g_new0 (SluiceAttrValue, from->list.n);
      for (guint i = 0; i < from->list.n; i++)
        sluice_attr_value_copy (&to->list.items[i], &from->list.items[i]);
      break;
    default:
      break;
    }
}

void
sluice_attr_value_clear (SluiceAttrValue *self)
{
  switch (self->kind)
    {
    case SLUICE_ATTR_STRING:
    case SLUICE_ATTR_PLACEHOLDER:
      g_free (self->s.data);
      break;
    case SLUICE_ATTR_TENSOR:
      g_clear_pointer (&self->tensor, sluice_tensor_unref);
      break;
    case SLUICE_ATTR_FUNC:
      g_clear_pointer (&self->func, func_free);
      break;
    case SLUICE_ATTR_LIST:
      for (guint i = 0; i < self->list.n; i++)
        sluice_attr_value_clear (&self->list.items[i]);
      g_free (self->list.items);
      break;
    default:
      break;
    }
  *self = (SluiceAttrValue){ 0 };
}

static gboolean
func_equal (const SluiceFuncValue *a, const SluiceFuncValue *b)
{
  if (strcmp (a->name, b->name) != 0 || a->n_attrs != b->n_attrs)
    return FALSE;
  for (guint i = 0; i < a->n_attrs; i++)
    if (a->attrs[i].name != b->attrs[i].name
        || !sluice_attr_value_equal (&a->attrs[i].value, &b->attrs[i].value))
      return FALSE;
  return TRUE;
}

static gboolean
list_equal (const SluiceAttrValue *a, const SluiceAttrValue *b)
{
  if (a->list.n != b->list.n)
    return FALSE;
  for (guint i = 0; i < a->list.n; i++)
    if (!sluice_attr_value_equal (&a->list.items[i], &b->list.items[i]))
      return FALSE;
  return TRUE;
}

gboolean
sluice_attr_value_equal (const SluiceAttrValue *a, const SluiceAttrValue *b)
{
  if (a->kind != b->kind)
    return FALSE;
  switch (a->kind)
    {
    case SLUICE_ATTR_STRING:
    case SLUICE_ATTR_PLACEHOLDER:
      return a->s.length == b->s.length
             && (a->s.length == 0 || memcmp (a->s.data, b->s.data, a->s.length) == 0);
    case SLUICE_ATTR_INT:
      return a->i == b->i;
    case SLUICE_ATTR_FLOAT: /* the same bits: a NaN equals itself */
      return memcmp (&a->f, &b->f, sizeof a->f) == 0;
    case SLUICE_ATTR_BOOL:
      return !a->b == !b->b;
    case SLUICE_ATTR_TYPE:
      return a->type == b->type;
    case SLUICE_ATTR_SHAPE:
      return sluice_shape_equal (&a->shape, &b->shape);
    case SLUICE_ATTR_TENSOR:
      return a->tensor == b->tensor || sluice_tensor_identical (a->tensor, b->tensor);
    case SLUICE_ATTR_FUNC:
      return func_equal (a->func, b->func);
    case SLUICE_ATTR_LIST:
      return list_equal (a, b);
    default:
      return TRUE;
    }
}

static guint
hash_bytes (guint hash, const void *bytes, gsize length)
{
  const guchar *p = bytes;
  for (gsize i = 0; i < length; i++)
    hash = (hash ^ p[i]) * 16777619u;
  return hash;
}

static guint
hash_tensor (guint hash, const SluiceTensor *tensor)
{
  hash = hash_bytes (hash, &tensor->dtype, sizeof tensor->dtype);
  hash = hash_bytes (hash, tensor->shape.dim, sizeof (gint64) * tensor->shape.rank);
  if (tensor->dtype == SLUICE_STRING)
    for (gint64 i = 0; i < tensor->n_elements; i++)
      {
        const SluiceString *s = (const SluiceString *) tensor->data + i;
        hash = hash_bytes (hash, s->data, s->length);
      }
  else if (!sluice_dtype_is_managed (tensor->dtype))
    hash = hash_bytes (hash, tensor->data, sluice_tensor_bytes (tensor));
  return hash;
}

guint
sluice_attr_value_hash (const SluiceAttrValue *self)
{
  guint hash = hash_bytes (2166136261u, &self->kind, sizeof self->kind);
  switch (self->kind)
    {
    case SLUICE_ATTR_STRING:
    case SLUICE_ATTR_PLACEHOLDER:
      return hash_bytes (hash, self->s.data, self->s.length);
    case SLUICE_ATTR_INT:
      return hash_bytes (hash, &self->i, sizeof self->i);
    case SLUICE_ATTR_FLOAT:
      return hash_bytes (hash, &self->f, sizeof self->f);
    case SLUICE_ATTR_BOOL:
      return hash + !!self->b;
    case SLUICE_ATTR_TYPE:
      return hash_bytes (hash, &self->type, sizeof self->type);
    case SLUICE_ATTR_SHAPE:
      hash = hash_bytes (hash, &self->shape.rank, sizeof self->shape.rank);
      return hash_bytes (hash, self->shape.dim, sizeof (gint64) * MAX (self->shape.rank, 0));
    case SLUICE_ATTR_TENSOR:
      return hash_tensor (hash, self->tensor);
    case SLUICE_ATTR_FUNC:
      return hash ^ g_str_hash (self->func->name);
    case SLUICE_ATTR_LIST:
      for (guint i = 0; i < self->list.n; i++)
        hash = hash * 16777619u + sluice_attr_value_hash (&self->list.items[i]);
      return hash;
    default:
      return hash;
    }
}

static void
append_string (GString *text, const SluiceString *s)
{
  const gsize longest = 64;
  g_autofree char *head = g_strndup (s->length ? s->data : "", MIN (s->length, longest));
  g_autofree char *escaped = g_strescape (head, NULL);
  g_string_append_printf (text, "\"%s\"%s", escaped, s->length > longest ? "…" : "");
}

static void
append_value (GString *text, const SluiceAttrValue *self)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE + SLUICE_SHAPE_STR];
  switch (self->kind)
    {
    case SLUICE_ATTR_STRING:
    case SLUICE_ATTR_PLACEHOLDER:
      append_string (text, &self->s);
      break;
    case SLUICE_ATTR_INT:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, self->i);
      break;
    case SLUICE_ATTR_FLOAT:
      g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, "%.7g", self->f));
      break;
    case SLUICE_ATTR_BOOL:
      g_string_append (text, self->b ? "true" : "false");
      break;
    case SLUICE_ATTR_TYPE:
      g_string_append (text, sluice_dtype_enum_name (self->type));
      break;
    case SLUICE_ATTR_SHAPE:
      g_string_append (text, sluice_shape_str (&self->shape, buffer));
      break;
    case SLUICE_ATTR_TENSOR:
      {
        g_autofree char *tensor = sluice_tensor_to_string (self->tensor, 8);
        g_string_append (text, tensor);
        break;
      }
    case SLUICE_ATTR_FUNC:
      g_string_append (text, self->func->name);
      break;
    case SLUICE_ATTR_LIST:
      g_string_append_c (text, '[');
      for (guint i = 0; i < self->list.n; i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          if (i == 16)
            {
              g_string_append_printf (text, "… %u more", self->list.n - i);
              break;
            }
          append_value (text, &self->list.items[i]);
        }
      g_string_append_c (text, ']');
      break;
    default:
      g_string_append (text, "none");
      break;
    }
}

char *
sluice_attr_value_to_string (const SluiceAttrValue *self)
{
  GString *text = g_string_new (NULL);
  append_value (text, self);
  return g_string_free (text, FALSE);
}
