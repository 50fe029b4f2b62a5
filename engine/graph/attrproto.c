/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* AttrValue, both ways. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/attrproto.h"
#include "engine/graph/graphdef-private.h"
#include "engine/graph/tensorproto-private.h"
#include "engine/graph/wire.h"

typedef struct
{
  gint64 *budget;
  gboolean *lossy;
} Reader;

static gboolean
read_value (Reader *r, const Tensorflow__AttrValue *proto, SluiceAttrValue *value, GError **error);

static void
set_bytes (SluiceAttrValue *value, SluiceAttrKind kind, const void *data, gsize length)
{
  SluiceAttrValue borrowed = { .kind = kind, .s = { (char *) data, length } };
  sluice_attr_value_copy (value, &borrowed);
}

static gboolean
read_shape (Reader *r,
            const Tensorflow__TensorShapeProto *proto,
            SluiceAttrValue *value,
            GError **error)
{
  for (gsize i = 0; i < proto->n_dim; i++)
    *r->lossy |= *proto->dim[i]->name != '\0';
  value->kind = SLUICE_ATTR_SHAPE;
  return sluice_shape_unpack (proto, &value->shape, error);
}

static gboolean
read_tensor (Reader *r,
             const Tensorflow__TensorProto *proto,
             SluiceAttrValue *value,
             GError **error)
{
  SluiceTensor *tensor = sluice_tensor_unpack (proto, r->budget, error);
  if (tensor == NULL)
    return FALSE;
  value->kind = SLUICE_ATTR_TENSOR;
  value->tensor = tensor;
  return TRUE;
}

static int
compare_attrs (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SluiceAttr *) a)->name, ((const SluiceAttr *) b)->name);
}

static gboolean
read_func (Reader *r, const Tensorflow__NameAttrList *proto, SluiceAttrValue *value, GError **error)
{
  SluiceFuncValue *func = g_new0 (SluiceFuncValue, 1);
  value->kind = SLUICE_ATTR_FUNC;
  value->func = func;
  func->name = g_strdup (proto->name);
  func->attrs = g_new0 (SluiceAttr, proto->n_attr);
  for (gsize i = 0; i < proto->n_attr; i++)
    {
      SluiceAttr *attr = &func->attrs[func->n_attrs++];
      attr->name = sluice_intern (proto->attr[i]->key);
      if (proto->attr[i]->value != NULL
          && !read_value (r, proto->attr[i]->value, &attr->value, error))
        {
          sluice_attr_value_clear (value);
          return FALSE;
        }
    }
  if (func->n_attrs > 1)
    qsort (func->attrs, func->n_attrs, sizeof (SluiceAttr), compare_attrs);
  return TRUE;
}

static gboolean
read_list_item (Reader *r,
                const Tensorflow__AttrValue__ListValue *proto,
                SluiceAttrKind kind,
                gsize i,
                SluiceAttrValue *item,
                GError **error)
{
  switch (kind)
    {
    case SLUICE_ATTR_STRING:
      set_bytes (item, kind, proto->s[i].data, proto->s[i].len);
      return TRUE;
    case SLUICE_ATTR_INT:
      item->i = proto->i[i];
      break;
    case SLUICE_ATTR_FLOAT:
      item->f = proto->f[i];
      break;
    case SLUICE_ATTR_BOOL:
      item->b = proto->b[i] != 0;
      break;
    case SLUICE_ATTR_TYPE:
      item->type = (SluiceDType) proto->type[i];
      break;
    case SLUICE_ATTR_SHAPE:
      return read_shape (r, proto->shape[i], item, error);
    case SLUICE_ATTR_TENSOR:
      return read_tensor (r, proto->tensor[i], item, error);
    default:
      return read_func (r, proto->func[i], item, error);
    }
  item->kind = kind;
  return TRUE;
}

static gboolean
read_list (Reader *r,
           const Tensorflow__AttrValue__ListValue *proto,
           SluiceAttrValue *value,
           GError **error)
{
  const struct
  {
    SluiceAttrKind kind;
    gsize n;
  } kinds[] = {
    { SLUICE_ATTR_STRING, proto->n_s },      { SLUICE_ATTR_INT, proto->n_i },
    { SLUICE_ATTR_FLOAT, proto->n_f },       { SLUICE_ATTR_BOOL, proto->n_b },
    { SLUICE_ATTR_TYPE, proto->n_type },     { SLUICE_ATTR_SHAPE, proto->n_shape },
    { SLUICE_ATTR_TENSOR, proto->n_tensor }, { SLUICE_ATTR_FUNC, proto->n_func },
  };
  value->kind = SLUICE_ATTR_LIST;
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      if (kinds[k].n == 0)
        continue;
      if (value->list.n > 0)
        {
          sluice_attr_value_clear (value);
          return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                              "a list holds values of several kinds");
        }
      value->list_kind = kinds[k].kind;
      value->list.items = g_try_new0 (SluiceAttrValue, kinds[k].n);
      if (value->list.items == NULL)
        return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                            "no memory for a list of %zu values", kinds[k].n);
      value->list.n = kinds[k].n;
      for (gsize i = 0; i < kinds[k].n; i++)
        if (!read_list_item (r, proto, kinds[k].kind, i, &value->list.items[i], error))
          {
            sluice_attr_value_clear (value);
            return FALSE;
          }
    }
  return TRUE;
}

static gboolean
read_value (Reader *r, const Tensorflow__AttrValue *proto, SluiceAttrValue *value, GError **error)
{
  *value = (SluiceAttrValue){ 0 };
  *r->lossy |= proto->base.n_unknown_fields > 0;
  switch (proto->value_case)
    {
    case TENSORFLOW__ATTR_VALUE__VALUE_LIST:
      return read_list (r, proto->list, value, error);
    case TENSORFLOW__ATTR_VALUE__VALUE_S:
      set_bytes (value, SLUICE_ATTR_STRING, proto->s.data, proto->s.len);
      return TRUE;
    case TENSORFLOW__ATTR_VALUE__VALUE_I:
      *value = (SluiceAttrValue){ SLUICE_ATTR_INT, .i = proto->i };
      return TRUE;
    case TENSORFLOW__ATTR_VALUE__VALUE_F:
      *value = (SluiceAttrValue){ SLUICE_ATTR_FLOAT, .f = proto->f };
      return TRUE;
    case TENSORFLOW__ATTR_VALUE__VALUE_B:
      *value = (SluiceAttrValue){ SLUICE_ATTR_BOOL, .b = proto->b != 0 };
      return TRUE;
    case TENSORFLOW__ATTR_VALUE__VALUE_TYPE:
      *value = (SluiceAttrValue){ SLUICE_ATTR_TYPE, .type = (SluiceDType) proto->type };
      return TRUE;
    case TENSORFLOW__ATTR_VALUE__VALUE_SHAPE:
      return read_shape (r, proto->shape, value, error);
    case TENSORFLOW__ATTR_VALUE__VALUE_TENSOR:
      return read_tensor (r, proto->tensor, value, error);
    case TENSORFLOW__ATTR_VALUE__VALUE_PLACEHOLDER:
      set_bytes (value, SLUICE_ATTR_PLACEHOLDER, proto->placeholder, strlen (proto->placeholder));
      return TRUE;
    case TENSORFLOW__ATTR_VALUE__VALUE_FUNC:
      return read_func (r, proto->func, value, error);
    default:
      *r->lossy = TRUE; /* no value at all: kind NONE */
      return TRUE;
    }
}

gboolean
sluice_attr_unpack (Tensorflow__AttrValue **proto,
                    SluiceArena *arena,
                    SluiceAttrValue *value,
                    gint64 *budget,
                    gboolean *lossy,
                    GError **error)
{
  if ((*proto)->base.descriptor == NULL)
    {
      const SluiceRawAttr *raw = (const SluiceRawAttr *) *proto;
      if (sluice_raw_read_attr (raw, value))
        return TRUE;
      *proto = sluice_wire_unpack (arena, &tensorflow__attr_value__descriptor, raw->bytes,
                                   raw->length, error);
      if (*proto == NULL)
        return FALSE;
    }
  Reader r = { budget, lossy };
  return read_value (&r, *proto, value, error);
}

/* ---- writing ---- */

static Tensorflow__NameAttrList *
write_func (const SluiceFuncValue *func, SluiceArena *arena, gboolean readable)
{
  Tensorflow__NameAttrList *proto =
      sluice_wire_new (arena, &tensorflow__name_attr_list__descriptor);
  proto->name = func->name;
  proto->n_attr = func->n_attrs;
  proto->attr = sluice_arena_new (arena, Tensorflow__AttrEntry *, func->n_attrs);
  for (guint i = 0; i < func->n_attrs; i++)
    {
      proto->attr[i] = sluice_wire_new (arena, &tensorflow__attr_entry__descriptor);
      proto->attr[i]->key = (char *) func->attrs[i].name;
      proto->attr[i]->value = sluice_attr_pack (&func->attrs[i].value, arena, readable);
    }
  return proto;
}

#define ITEMS(field, expression)                                                                   \
  proto->n_##field = value->list.n;                                                                \
  proto->field = sluice_arena_alloc0 (arena, sizeof (*proto->field) * value->list.n);              \
  for (guint i = 0; i < value->list.n; i++)                                                        \
    {                                                                                              \
      const SluiceAttrValue *item = &value->list.items[i];                                         \
      proto->field[i] = (expression);                                                              \
    }                                                                                              \
  break

static Tensorflow__AttrValue__ListValue *
write_list (const SluiceAttrValue *value, SluiceArena *arena, gboolean readable)
{
  Tensorflow__AttrValue__ListValue *proto =
      sluice_wire_new (arena, &tensorflow__attr_value__list_value__descriptor);
  switch (value->list.n > 0 ? value->list.items[0].kind : SLUICE_ATTR_NONE)
    {
    case SLUICE_ATTR_STRING:
      ITEMS (s, ((ProtobufCBinaryData){ item->s.length, (uint8_t *) item->s.data }));
    case SLUICE_ATTR_INT:
      ITEMS (i, item->i);
    case SLUICE_ATTR_FLOAT:
      ITEMS (f, item->f);
    case SLUICE_ATTR_BOOL:
      ITEMS (b, item->b);
    case SLUICE_ATTR_TYPE:
      ITEMS (type, (Tensorflow__DataType) item->type);
    case SLUICE_ATTR_SHAPE:
      ITEMS (shape, sluice_shape_pack (&item->shape, arena));
    case SLUICE_ATTR_TENSOR:
      ITEMS (tensor, sluice_tensor_pack (item->tensor, arena, readable));
    case SLUICE_ATTR_FUNC:
      ITEMS (func, write_func (item->func, arena, readable));
    default:
      break;
    }
  return proto;
}

Tensorflow__AttrValue *
sluice_attr_pack (const SluiceAttrValue *value, SluiceArena *arena, gboolean readable)
{
  Tensorflow__AttrValue *proto = sluice_wire_new (arena, &tensorflow__attr_value__descriptor);
  switch (value->kind)
    {
    case SLUICE_ATTR_STRING:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_S;
      proto->s = (ProtobufCBinaryData){ value->s.length, (uint8_t *) value->s.data };
      break;
    case SLUICE_ATTR_INT:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_I;
      proto->i = value->i;
      break;
    case SLUICE_ATTR_FLOAT:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_F;
      proto->f = value->f;
      break;
    case SLUICE_ATTR_BOOL:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_B;
      proto->b = value->b;
      break;
    case SLUICE_ATTR_TYPE:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_TYPE;
      proto->type = (Tensorflow__DataType) value->type;
      break;
    case SLUICE_ATTR_SHAPE:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_SHAPE;
      proto->shape = sluice_shape_pack (&value->shape, arena);
      break;
    case SLUICE_ATTR_TENSOR:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_TENSOR;
      proto->tensor = sluice_tensor_pack (value->tensor, arena, readable);
      break;
    case SLUICE_ATTR_FUNC:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_FUNC;
      proto->func = write_func (value->func, arena, readable);
      break;
    case SLUICE_ATTR_PLACEHOLDER:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_PLACEHOLDER;
      proto->placeholder = value->s.data;
      break;
    case SLUICE_ATTR_LIST:
      proto->value_case = TENSORFLOW__ATTR_VALUE__VALUE_LIST;
      proto->list = write_list (value, arena, readable);
      break;
    default:
      break;
    }
  return proto;
}
