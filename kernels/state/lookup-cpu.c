/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/base/lock.h"
#include "kernels/state/lookup.h"
#include "kernels/string/text.h"

static gboolean
fail_with (SluiceKernelCall *call, const GError *error)
{
  return sluice_call_fail (call, error->code, "%s", error->message);
}

/* ---- making a table ---- */

typedef struct
{
  const SluiceNode *node;
  SluiceLookupKind kind;
  SluiceDType key_dtype, value_dtype;
  SluiceShape value_shape;
  gint64 n_buckets; /* DENSE */
  float max_load;
} Maker;

static SluiceLookupKind
kind_of (const SluiceNode *node)
{
  return sluice_op_find_attr (node->op, "max_load_factor") ? SLUICE_LOOKUP_DENSE
         : g_str_has_prefix (node->op_name, "Mutable")     ? SLUICE_LOOKUP_MUTABLE
                                                           : SLUICE_LOOKUP_FIXED;
}

static gboolean
check_dense (const Maker *self, GError **error)
{
  gint64 n = self->n_buckets;
  if (self->value_shape.rank > 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "value_shape must be that of a scalar or a vector");
  if (n < 1 || (n & (n - 1)) != 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "initial_num_buckets must be a power of 2, not %" G_GINT64_FORMAT, n);
  if (!(self->max_load > 0 && self->max_load < 1))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "max_load_factor must be between 0 and 1, not %g", self->max_load);
  return TRUE;
}

static gpointer
maker_prepare (const SluiceNode *node, GError **error)
{
  Maker *self = g_new0 (Maker, 1);
  g_autoptr (GError) reason = NULL;
  self->node = node;
  self->kind = kind_of (node);
  self->key_dtype = sluice_node_get_type (node, "key_dtype");
  self->value_dtype = sluice_node_get_type (node, "value_dtype");
  self->value_shape = SLUICE_SHAPE_SCALAR;
  gboolean has_shape = sluice_op_find_attr (node->op, "value_shape") != NULL;
  if (has_shape)
    self->value_shape = sluice_node_get_attr (node, "value_shape")->shape;
  if (self->kind == SLUICE_LOOKUP_DENSE)
    {
      self->n_buckets = sluice_node_get_int (node, "initial_num_buckets");
      self->max_load = sluice_node_get_float (node, "max_load_factor");
      check_dense (self, &reason);
    }
  if (reason == NULL && !sluice_shape_is_known (&self->value_shape))
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT, "value_shape must be known");
  else if (reason == NULL && has_shape && self->kind == SLUICE_LOOKUP_MUTABLE
           && self->value_shape.rank != 1)
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT, "value_shape must be that of a vector");
  if (reason == NULL)
    return self;
  sluice_node_fail (node, error, reason->code, "%s", reason->message);
  g_free (self);
  return NULL;
}

static char *
dup_attr_or (const SluiceNode *node, const char *name, const char *otherwise)
{
  return sluice_node_get_string (node, name)->length ? sluice_node_dup_text (node, name)
                                                     : g_strdup (otherwise);
}

/* What the ops before V2 hand on: container and name. TensorFlow calls its container that. */
#define DEFAULT_CONTAINER "localhost"

static SluiceVariable *
make_name (const SluiceNode *node)
{
  SluiceVariable *variable = sluice_variable_new (node->name, SLUICE_STRING, &SLUICE_SHAPE (2));
  SluiceTensor *tensor =
      sluice_tensor_new_shared (NULL, SLUICE_STRING, &SLUICE_SHAPE (2), (SluiceOwner){ 0 });
  g_autofree char *container = dup_attr_or (node, "container", DEFAULT_CONTAINER);
  g_autofree char *name = dup_attr_or (node, "shared_name", node->name);
  sluice_string_set (sluice_tensor_get_string (tensor, 0), container, strlen (container));
  sluice_string_set (sluice_tensor_get_string (tensor, 1), name, strlen (name));
  sluice_variable_take_tensor (variable, tensor);
  return variable;
}

static gboolean
set_dense_keys (SluiceLookup *self, SluiceKernelCall *call, GError **error)
{
  SluiceTensor *empty = sluice_call_input (call, 0);
  SluiceTensor *deleted = call->n_inputs > 1 ? sluice_call_input (call, 1) : NULL;
  if (deleted != NULL && !sluice_shape_equal (&empty->shape, &deleted->shape))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "empty_key and deleted_key must have the same shape");
  if (deleted != NULL && sluice_tensor_identical (empty, deleted))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "empty_key and deleted_key must differ");
  self->empty_key = sluice_tensor_ref (empty);
  self->deleted_key = sluice_tensor_ref (deleted ? deleted : empty);
  return TRUE;
}

static SluiceResource *
make_table (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  const Maker *maker = call->state;
  gboolean dense = maker->kind == SLUICE_LOOKUP_DENSE;
  const SluiceShape *key = dense ? &sluice_call_input (call, 0)->shape : &SLUICE_SHAPE_SCALAR;
  if (key->rank > 1 || sluice_shape_n_elements (key) == 0)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "empty_key must be a scalar or a vector with elements");
      return NULL;
    }
  SluiceLookup *self = sluice_lookup_new (maker->kind, maker->key_dtype, key, maker->value_dtype,
                                          &maker->value_shape, dense ? maker->n_buckets : 0, error);
  if (self == NULL)
    return NULL;
  if (dense)
    self->max_load = maker->max_load;
  if (dense && !set_dense_keys (self, call, error))
    {
      sluice_resource_unref (&self->parent);
      return NULL;
    }
  if (sluice_dtype_is_ref (maker->node->outputs[0].dtype))
    self->handle = make_name (maker->node);
  return &self->parent;
}

static gboolean
make_compute (SluiceKernelCall *call)
{
  const Maker *maker = call->state;
  SluiceLookup *self =
      (SluiceLookup *) sluice_call_resource (call, &sluice_lookup_type, make_table, call);
  if (self == NULL)
    return FALSE;
  gboolean by_name = sluice_dtype_is_ref (maker->node->outputs[0].dtype);
  if (self->kind != maker->kind || self->keys.dtype != maker->key_dtype
      || self->values.dtype != maker->value_dtype || (by_name && self->handle == NULL))
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a table of this name is there, of another kind or from %s to %s",
                        sluice_dtype_name (self->keys.dtype),
                        sluice_dtype_name (self->values.dtype));
      sluice_resource_unref (&self->parent);
      return FALSE;
    }
  if (by_name)
    {
      call->outputs[0].ref = (SluiceVariable *) sluice_resource_ref (&self->handle->parent);
      sluice_resource_unref (&self->parent);
    }
  else
    sluice_call_take_output (call, 0, sluice_tensor_new_resource (&self->parent));
  return TRUE;
}

/* ---- finding it again ---- */

static SluiceLookup *
find_by_name (SluiceKernelCall *call, const SluiceTensor *name)
{
  if (name == NULL || name->dtype != SLUICE_STRING || name->n_elements != 2)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "input 0 (table_handle) must hold container and name of a table");
      return NULL;
    }
  const SluiceString *parts = name->data;
  g_autofree char *container = sluice_string_dup_text (&parts[0]);
  g_autofree char *text = sluice_string_dup_text (&parts[1]);
  g_autoptr (GError) error = NULL;
  gboolean is_default = g_str_equal (container, DEFAULT_CONTAINER);
  SluiceLookup *self = (SluiceLookup *) sluice_resources_get (
      call->resources, is_default ? "" : container, text, &sluice_lookup_type, NULL, NULL, &error);
  if (self == NULL)
    fail_with (call, error);
  return self;
}

SluiceLookup *
sluice_call_lookup (SluiceKernelCall *call)
{
  if (sluice_edge_dtype (call->node->inputs[0]) == SLUICE_RESOURCE)
    {
      SluiceResource *resource = sluice_call_handle (call, 0, &sluice_lookup_type);
      return (SluiceLookup *) (resource ? sluice_resource_ref (resource) : NULL);
    }
  g_autoptr (SluiceTensor) name =
      call->inputs[0].ref ? sluice_variable_dup_tensor (call->inputs[0].ref) : NULL;
  return find_by_name (call, name);
}

/* ---- what the inputs must be like ---- */

static gboolean
check_dtype (SluiceKernelCall *call,
             const SluiceLookupSide *side,
             SluiceDType dtype,
             const char *what)
{
  if (dtype == side->dtype)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the table's %s are %s, not %s",
                           what, sluice_dtype_name (side->dtype), sluice_dtype_name (dtype));
}

/* The shape of the values that belong to keys. */
static gboolean
values_shape (SluiceKernelCall *call,
              const SluiceLookup *self,
              const SluiceTensor *keys,
              SluiceShape *shape)
{
  char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
  int key_rank = self->keys.shape.rank, value_rank = self->values.shape.rank;
  *shape = keys->shape;
  gboolean fits = keys->shape.rank >= key_rank;
  for (int i = 0; fits && i < key_rank; i++)
    fits = keys->shape.dim[keys->shape.rank - key_rank + i] == self->keys.shape.dim[i];
  if (fits && self->kind == SLUICE_LOOKUP_DENSE && keys->shape.rank > 0)
    fits = keys->n_elements == keys->shape.dim[0] * self->keys.n;
  if (!fits || shape->rank - key_rank + value_rank > SLUICE_MAX_RANK)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 1 (keys) has shape %s; a list of keys of shape %s is wanted",
                             sluice_shape_str (&keys->shape, got),
                             sluice_shape_str (&self->keys.shape, want));
  shape->rank -= key_rank;
  for (int i = 0; i < value_rank; i++)
    shape->dim[shape->rank++] = self->values.shape.dim[i];
  return TRUE;
}

static gboolean
check_entries (SluiceKernelCall *call, const SluiceLookup *self)
{
  const SluiceTensor *keys = sluice_call_input (call, 1), *values = sluice_call_input (call, 2);
  char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
  SluiceShape shape;
  if (!check_dtype (call, &self->keys, keys->dtype, "keys")
      || !check_dtype (call, &self->values, values->dtype, "values")
      || !values_shape (call, self, keys, &shape))
    return FALSE;
  if (sluice_shape_equal (&shape, &values->shape))
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 2 (values) has shape %s; these keys want %s",
                           sluice_shape_str (&values->shape, got), sluice_shape_str (&shape, want));
}

/* ---- the ops on it ---- */

/* Runs an op under the table's lock. */
typedef gboolean (*LookupFunc) (SluiceKernelCall *call, SluiceLookup *self, GError **error);

static gboolean
table_compute (SluiceKernelCall *call)
{
  SluiceLookup *self = sluice_call_lookup (call);
  if (self == NULL)
    return FALSE;
  g_autoptr (GError) error = NULL;
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gboolean ok = ((LookupFunc) call->kernel->data) (call, self, &error);
  pthread_mutex_unlock (&self->lock);
  sluice_resource_unref (&self->parent);
  return error != NULL ? fail_with (call, error) : ok;
}

static gboolean
fill (SluiceKernelCall *call, SluiceLookup *self, GError **error)
{
  const SluiceTensor *keys = sluice_call_input (call, 1);
  if (self->kind != SLUICE_LOOKUP_FIXED)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the table takes entries at any time and needs no filling");
  if (!sluice_call_want_rank (call, 1, 1) || !check_entries (call, self))
    return FALSE;
  if (keys->n_elements == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 1 (keys) holds no key to fill the table with");
  return sluice_lookup_fill (self, keys, sluice_call_input (call, 2), error);
}

static gboolean
find (SluiceKernelCall *call, SluiceLookup *self, GError **error)
{
  const SluiceTensor *keys = sluice_call_input (call, 1), *defaults = sluice_call_input (call, 2);
  char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
  SluiceShape shape;
  if (!check_dtype (call, &self->keys, keys->dtype, "keys")
      || !check_dtype (call, &self->values, defaults->dtype, "values"))
    return FALSE;
  if (!self->initialized)
    return sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                             "the table is not filled; run its initialiser first");
  if (!values_shape (call, self, keys, &shape))
    return FALSE;
  gboolean own = !sluice_shape_equal (&defaults->shape, &self->values.shape);
  if (own && !sluice_shape_equal (&defaults->shape, &shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 2 (default_value) has shape %s, not that of a value, %s",
                             sluice_shape_str (&defaults->shape, got),
                             sluice_shape_str (&self->values.shape, want));
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  /* A fixed table takes the first of many defaults for all keys, as TensorFlow's does. */
  return out != NULL
         && sluice_lookup_find (self, keys, defaults, own && self->kind != SLUICE_LOOKUP_FIXED, out,
                                error);
}

static gboolean
want_mutable (SluiceKernelCall *call, const SluiceLookup *self)
{
  if (self->kind != SLUICE_LOOKUP_FIXED)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                           "a HashTable does not change once it is filled; MutableHashTable does");
}

static gboolean
insert (SluiceKernelCall *call, SluiceLookup *self, GError **error)
{
  return want_mutable (call, self) && check_entries (call, self)
         && sluice_lookup_insert (self, sluice_call_input (call, 1), sluice_call_input (call, 2),
                                  FALSE, error);
}

static gboolean
drop (SluiceKernelCall *call, SluiceLookup *self, GError **error)
{
  SluiceShape shape;
  const SluiceTensor *keys = sluice_call_input (call, 1);
  return want_mutable (call, self) && check_dtype (call, &self->keys, keys->dtype, "keys")
         && values_shape (call, self, keys, &shape) && sluice_lookup_remove (self, keys, error);
}

static gboolean
import (SluiceKernelCall *call, SluiceLookup *self, GError **error)
{
  const SluiceTensor *keys = sluice_call_input (call, 1), *values = sluice_call_input (call, 2);
  if (self->kind == SLUICE_LOOKUP_FIXED)
    return fill (call, self, error);
  /* What a dense table exports: matrices, also of scalars. */
  gboolean matrices = self->kind == SLUICE_LOOKUP_DENSE && keys->shape.rank == 2
                      && values->shape.rank == 2 && keys->shape.dim[0] == values->shape.dim[0]
                      && keys->shape.dim[1] == self->keys.n
                      && values->shape.dim[1] == self->values.n
                      && check_dtype (call, &self->keys, keys->dtype, "keys")
                      && check_dtype (call, &self->values, values->dtype, "values");
  return call->error == NULL && (matrices || check_entries (call, self))
         && sluice_lookup_import (self, keys, values, error);
}

/* A list of n rows; a dense table has matrices. */
static SluiceShape
exported_shape (const SluiceLookup *self, const SluiceLookupSide *side, gint64 n)
{
  SluiceShape shape = SLUICE_SHAPE (n);
  if (self->kind == SLUICE_LOOKUP_DENSE)
    return SLUICE_SHAPE (n, side->n);
  for (int i = 0; i < side->shape.rank; i++)
    shape.dim[shape.rank++] = side->shape.dim[i];
  return shape;
}

static gboolean export(SluiceKernelCall *call, SluiceLookup *self, GError **error)
{
  if (!check_dtype (call, &self->keys, call->node->outputs[0].dtype, "keys")
      || !check_dtype (call, &self->values, call->node->outputs[1].dtype, "values"))
    return FALSE;
  if (!self->initialized)
    return sluice_call_fail (call, SLUICE_ERROR_ABORTED,
                             "the table is not filled; run its initialiser first");
  gint64 n = sluice_lookup_n_exported (self);
  SluiceShape key = exported_shape (self, &self->keys, n);
  SluiceShape value = exported_shape (self, &self->values, n);
  SluiceTensor *keys = sluice_call_output (call, 0, &key);
  SluiceTensor *values = keys ? sluice_call_output (call, 1, &value) : NULL;
  if (values == NULL)
    return FALSE;
  sluice_lookup_export (self, keys, values);
  return TRUE;
}

static gboolean
size (SluiceKernelCall *call, SluiceLookup *self, GError **error)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out == NULL)
    return FALSE;
  *(gint64 *) out->data = self->n_entries;
  return TRUE;
}

#define MAKE_KERNEL(name)                                                                          \
  {                                                                                                \
    .op = name, .device = "CPU", .prepare = maker_prepare, .free_state = g_free,                   \
    .where = { { "key_dtype", SLUICE_LOOKUP_KEYS }, { "value_dtype", SLUICE_LOOKUP_VALUES } },     \
    .compute = make_compute                                                                        \
  }
#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, .compute = table_compute, \
    .data = (gpointer) function                                                                    \
  }
#define KERNELS(name, function) KERNEL (name, function), KERNEL (name "V2", function)

static const SluiceKernel kernels[] = {
  MAKE_KERNEL ("HashTable"),
  MAKE_KERNEL ("HashTableV2"),
  MAKE_KERNEL ("MutableHashTable"),
  MAKE_KERNEL ("MutableHashTableV2"),
  MAKE_KERNEL ("MutableHashTableOfTensors"),
  MAKE_KERNEL ("MutableHashTableOfTensorsV2"),
  MAKE_KERNEL ("MutableDenseHashTable"),
  MAKE_KERNEL ("MutableDenseHashTableV2"),
  KERNELS ("InitializeTable", fill),
  KERNELS ("LookupTableFind", find),
  KERNELS ("LookupTableInsert", insert),
  KERNELS ("LookupTableImport", import),
  KERNELS ("LookupTableExport", export),
  KERNELS ("LookupTableSize", size),
  KERNEL ("LookupTableRemoveV2", drop),
};

const SluiceKernelModule sluice_module_state_lookup_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
