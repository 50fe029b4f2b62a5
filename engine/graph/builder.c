/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/builder.h"

#include <string.h>

#include "engine/base/error.h"

void
sluice_builder_init (SluiceBuilder *self, SluiceGraph *graph, const char *scope)
{
  *self = (SluiceBuilder){ .graph = graph, .scope = scope };
}

gboolean
sluice_builder_finish (SluiceBuilder *self, GError **error)
{
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

static char *
make_name (SluiceBuilder *self, const char *name)
{
  g_autofree char *full = self->scope != NULL && *self->scope != '\0'
                              ? g_strconcat (self->scope, "/", name, NULL)
                              : g_strdup (name);
  return sluice_graph_unique_name (self->graph, full);
}

SluiceEdge
sluice_builder_add (SluiceBuilder *self,
                    const char *op,
                    const char *name,
                    const SluiceEdge *inputs,
                    guint n_inputs,
                    const SluiceAttr *attrs,
                    guint n_attrs)
{
  if (self->error != NULL)
    return SLUICE_NO_EDGE;
  g_autofree char *full_name = make_name (self, name != NULL ? name : op);
  g_autofree SluiceAttr *all = g_new (SluiceAttr, n_attrs + 1);
  for (guint i = 0; i < n_attrs; i++)
    all[i] = attrs[i];
  g_autofree char *class_name = NULL;
  SluiceAttrValue class_item;
  if (self->colocate_with != NULL)
    {
      class_name = g_strconcat ("loc:@", self->colocate_with->name, NULL);
      class_item = sluice_attr_string ("_class", class_name).value;
      SluiceAttrValue list = { .kind = SLUICE_ATTR_LIST,
                               .list_kind = SLUICE_ATTR_STRING,
                               .list = { &class_item, 1 } };
      all[n_attrs++] = sluice_attr_value ("_class", &list);
    }
  SluiceNodeSpec spec = {
    .name = full_name,
    .op = op,
    .device = self->device,
    .inputs = inputs,
    .n_inputs = n_inputs,
    .control_inputs = self->control_inputs,
    .n_control_inputs = self->n_control_inputs,
    .attrs = all,
    .n_attrs = n_attrs,
  };
  SluiceNode *node = sluice_graph_add (self->graph, &spec, &self->error);
  return node != NULL ? (SluiceEdge){ node, 0 } : SLUICE_NO_EDGE;
}

SluiceEdge
sluice_builder_const (SluiceBuilder *self, SluiceTensor *take)
{
  g_autoptr (SluiceTensor) tensor = take;
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", tensor->dtype),
                         sluice_attr_tensor ("value", tensor) };
  return sluice_builder_add (self, sluice_registry_by_role (SLUICE_ROLE_CONST)->name, NULL, NULL, 0,
                             attrs, G_N_ELEMENTS (attrs));
}

SluiceEdge
sluice_builder_const_int32 (SluiceBuilder *self, gint32 value)
{
  return sluice_builder_const (self, sluice_tensor_new_int32 (value));
}

static void
store_number (SluiceDType dtype, void *to, gint64 i, double value)
{
  switch (dtype)
    {
#define STORE(name, type)                                                                          \
  case name:                                                                                       \
    ((type *) to)[i] = (type) value;                                                               \
    break
      STORE (SLUICE_FLOAT, float);
      STORE (SLUICE_DOUBLE, double);
      STORE (SLUICE_INT8, gint8);
      STORE (SLUICE_INT16, gint16);
      STORE (SLUICE_INT32, gint32);
      STORE (SLUICE_INT64, gint64);
      STORE (SLUICE_UINT8, guint8);
      STORE (SLUICE_UINT16, guint16);
      STORE (SLUICE_UINT32, guint32);
      STORE (SLUICE_UINT64, guint64);
#undef STORE
    case SLUICE_BOOL:
      ((guint8 *) to)[i] = value != 0;
      break;
    case SLUICE_HALF:
      ((guint16 *) to)[i] = sluice_float_to_half ((float) value);
      break;
    case SLUICE_BFLOAT16:
      ((guint16 *) to)[i] = sluice_float_to_bfloat16 ((float) value);
      break;
    case SLUICE_COMPLEX64:
      ((float *) to)[2 * i] = (float) value;
      ((float *) to)[2 * i + 1] = 0;
      break;
    case SLUICE_COMPLEX128:
      ((double *) to)[2 * i] = value;
      ((double *) to)[2 * i + 1] = 0;
      break;
    default:
      g_assert_not_reached ();
    }
}

static gboolean
want_number_dtype (SluiceBuilder *self, SluiceDType dtype)
{
  if (self->error != NULL)
    return FALSE;
  if (dtype == SLUICE_BOOL
      || (dtype > 0 && dtype < SLUICE_N_DTYPES && sluice_dtype_in (dtype, SLUICE_SET_NUMBER)))
    return TRUE;
  return sluice_fail (&self->error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "a constant number cannot be of dtype %s", sluice_dtype_name (dtype));
}

SluiceEdge
sluice_builder_const_ints (SluiceBuilder *self, SluiceDType dtype, const gint64 *values, guint n)
{
  if (!want_number_dtype (self, dtype))
    return SLUICE_NO_EDGE;
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (n));
  for (guint i = 0; i < n; i++)
    if (dtype == SLUICE_INT64) /* a double would round it */
      ((gint64 *) tensor->data)[i] = values[i];
    else
      store_number (dtype, tensor->data, i, (double) values[i]);
  return sluice_builder_const (self, tensor);
}

SluiceEdge
sluice_builder_const_number (SluiceBuilder *self, SluiceDType dtype, double value)
{
  if (!want_number_dtype (self, dtype))
    return SLUICE_NO_EDGE;
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE_SCALAR);
  store_number (dtype, tensor->data, 0, value);
  return sluice_builder_const (self, tensor);
}
