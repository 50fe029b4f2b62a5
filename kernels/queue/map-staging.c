/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A staging area whose elements have keys. An element may come in parts, and is there when all of
 * its tensors are; it may leave in parts too. Which element leaves first where no key is asked for
 * is told of the ordered kind only, the one with the least key; here it is so for both.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/queue/stage.h"

/* ---- the area ---- */

typedef struct
{
  gint64 key;
  SluiceElements *elements; /* NULL where a tensor has not come, or has left */
} Entry;

typedef struct
{
  SluiceStage parent;
  GTree *complete, *incomplete; /* of Entry, by its key; under the monitor's lock */
} Area;

static gint
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

static void
entry_free (gpointer data)
{
  Entry *self = data;
  sluice_elements_unref (self->elements);
  g_free (self);
}

static void
area_finalize (SluiceResource *resource)
{
  Area *self = (Area *) resource;
  g_tree_unref (self->complete);
  g_tree_unref (self->incomplete);
  sluice_monitor_clear ((SluiceMonitor *) resource);
  g_free (resource);
}

static const SluiceResourceType area_type = { "staging area with keys", area_finalize };

static SluiceResource *
make_area (gpointer data, GError **error)
{
  Area *self = g_new0 (Area, 1);
  sluice_stage_init (&self->parent, &area_type, data);
  self->complete = g_tree_new_full (compare_keys, NULL, NULL, entry_free);
  self->incomplete = g_tree_new_full (compare_keys, NULL, NULL, entry_free);
  return (SluiceResource *) self;
}

/* (transfer full) (nullable): call->error is set */
static Area *
dup_area (SluiceKernelCall *call)
{
  return (Area *) sluice_call_resource (call, &area_type, make_area, call);
}

/* ---- indices ---- */

/* Input i: as many as there are tensors, each larger than the one before. */
static gboolean
check_indices (SluiceKernelCall *call, guint i, guint n)
{
  const SluiceTensor *indices = sluice_call_input (call, i);
  if (indices->n_elements != n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (indices) has %" G_GINT64_FORMAT
                             " elements, and there are %u tensors",
                             i, indices->n_elements, n);
  for (guint k = 1; k < n; k++)
    if (sluice_tensor_get_int (indices, k) <= sluice_tensor_get_int (indices, k - 1))
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input %u (indices) must grow from one to the next", i);
  return TRUE;
}

static gboolean
check_index (SluiceKernelCall *call, gint64 index, guint n)
{
  if (index >= 0 && index < n)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "index %" G_GINT64_FORMAT " is none of an element of %u tensors", index,
                           n);
}

static gboolean
check_key (SluiceKernelCall *call)
{
  const SluiceTensor *key = sluice_call_input (call, 0);
  char text[SLUICE_SHAPE_STR];
  if (key->n_elements == 1)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 0 (key) must be one number, not of shape %s",
                           sluice_shape_str (&key->shape, text));
}

/* ---- putting in ---- */

/* Inputs 2 … are tensors of the places that input 1 names, of the dtypes that the element has. */
static gboolean
check_values (SluiceKernelCall *call, const SluiceElements *present)
{
  const SluiceAttrValue *types = sluice_node_get_attr (call->node, "dtypes");
  const SluiceTensor *indices = sluice_call_input (call, 1);
  for (guint i = 2; i < call->n_inputs; i++)
    {
      gint64 index = sluice_tensor_get_int (indices, i - 2);
      SluiceDType dtype = (SluiceDType) sluice_call_input (call, i)->dtype;
      if (!check_index (call, index, types->list.n))
        return FALSE;
      if (dtype != types->list.items[index].type)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "tensor %" G_GINT64_FORMAT " of an element is of %s, not %s",
                                 index, sluice_dtype_name (types->list.items[index].type),
                                 sluice_dtype_name (dtype));
      if (present != NULL && present->tensors[index] != NULL)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "tensor %" G_GINT64_FORMAT " of this key is there already", index);
    }
  return TRUE;
}

static gboolean
is_whole (const SluiceElements *elements)
{
  for (guint i = 0; i < elements->n; i++)
    if (elements->tensors[i] == NULL)
      return FALSE;
  return TRUE;
}

/* A second element of one key is dropped, as in TensorFlow. */
static void
complete (Area *self, Entry *entry)
{
  g_tree_steal (self->incomplete, &entry->key);
  if (g_tree_lookup (self->complete, &entry->key) == NULL)
    {
      g_tree_insert (self->complete, &entry->key, entry);
      return;
    }
  self->parent.bytes -= sluice_stage_bytes (entry->elements);
  entry_free (entry);
}

static gboolean
try_stage (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 key)
{
  Area *self = (Area *) monitor;
  guint n = sluice_node_get_attr (call->node, "dtypes")->list.n, n_given = call->n_inputs - 2u;
  gsize bytes = sluice_stage_input_bytes (call, 2);
  Entry *entry = g_tree_lookup (self->incomplete, &key);
  guint n_counted = n_given == n ? (guint) g_tree_nnodes (self->complete) : 0;
  if (!check_values (call, entry != NULL ? entry->elements : NULL)
      || !sluice_stage_check_limit (&self->parent, call, bytes))
    return TRUE;
  /* Parts wait for memory only. */
  if (n_given == n
          ? !sluice_stage_fits (&self->parent, n_counted, bytes)
          : self->parent.memory_limit > 0 && self->parent.bytes + bytes > self->parent.memory_limit)
    return FALSE;
  if (entry == NULL)
    {
      entry = g_new (Entry, 1);
      *entry = (Entry){ key, sluice_elements_new (n) };
      g_tree_insert (self->incomplete, &entry->key, entry);
    }
  for (guint i = 0; i < n_given; i++)
    entry->elements->tensors[sluice_tensor_get_int (sluice_call_input (call, 1), i)] =
        sluice_tensor_ref (sluice_call_input (call, i + 2));
  self->parent.bytes += bytes;
  if (is_whole (entry->elements))
    complete (self, entry);
  return TRUE;
}

/* ---- taking out ---- */

/* Outputs first … are what input `indices` names of the element. */
static gboolean
check_outputs (SluiceKernelCall *call, guint first, guint indices, const SluiceElements *elements)
{
  for (guint i = first; i < call->n_outputs; i++)
    {
      gint64 index = sluice_tensor_get_int (sluice_call_input (call, indices), i - first);
      if (!check_index (call, index, elements->n))
        return FALSE;
      if (elements->tensors[index] == NULL)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "tensor %" G_GINT64_FORMAT " of this key has been taken already",
                                 index);
      if (!sluice_stage_check_type (call, i, elements->tensors[index]))
        return FALSE;
    }
  return TRUE;
}

static void
put_out (Area *self, SluiceKernelCall *call, guint first, guint indices, Entry *entry)
{
  SluiceElements *elements = entry->elements;
  gboolean is_empty = TRUE;
  if (!check_outputs (call, first, indices, elements))
    return;
  for (guint i = first; i < call->n_outputs; i++)
    {
      gint64 index = sluice_tensor_get_int (sluice_call_input (call, indices), i - first);
      self->parent.bytes -= sluice_tensor_bytes (elements->tensors[index]);
      sluice_call_take_output (call, i, g_steal_pointer (&elements->tensors[index]));
    }
  for (guint i = 0; i < elements->n; i++)
    is_empty &= elements->tensors[i] == NULL;
  if (is_empty)
    g_tree_remove (self->complete, &entry->key);
}

static gboolean
try_unstage (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 key)
{
  Area *self = (Area *) monitor;
  Entry *entry = g_tree_lookup (self->complete, &key);
  if (entry == NULL)
    return FALSE;
  put_out (self, call, 0, 1, entry);
  return TRUE;
}

static gboolean
try_unstage_first (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number)
{
  Area *self = (Area *) monitor;
  GTreeNode *node = g_tree_node_first (self->complete);
  if (node == NULL)
    return FALSE;
  Entry *entry = g_tree_node_value (node);
  sluice_call_take_output (call, 0, sluice_tensor_new_int64 (entry->key));
  put_out (self, call, 1, 0, entry);
  return TRUE;
}

static gboolean
try_peek (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 key)
{
  Area *self = (Area *) monitor;
  const Entry *entry = g_tree_lookup (self->complete, &key);
  if (entry == NULL)
    return FALSE;
  if (!check_outputs (call, 0, 1, entry->elements))
    return TRUE;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      gint64 index = sluice_tensor_get_int (sluice_call_input (call, 1), i);
      sluice_call_take_output (call, i, sluice_tensor_ref (entry->elements->tensors[index]));
    }
  return TRUE;
}

/* ---- kernels ---- */

static void
begin (SluiceKernelCall *call, gboolean ok, SluiceAttempt attempt, gint64 key)
{
  Area *self = ok ? dup_area (call) : NULL;
  if (self == NULL)
    {
      call->done (call);
      return;
    }
  sluice_monitor_wait (&self->parent.parent, call, attempt, key);
  sluice_resource_unref (&self->parent.parent.parent);
}

static void
begin_with_key (SluiceKernelCall *call, SluiceAttempt attempt, guint n_tensors)
{
  gboolean ok = check_key (call) && check_indices (call, 1, n_tensors);
  begin (call, ok, attempt, ok ? *(const gint64 *) sluice_call_input (call, 0)->data : 0);
}

static void
stage_start (SluiceKernelCall *call)
{
  begin_with_key (call, try_stage, call->n_inputs - 2u);
}

static void
unstage_start (SluiceKernelCall *call)
{
  begin_with_key (call, try_unstage, call->n_outputs);
}

static void
peek_start (SluiceKernelCall *call)
{
  begin_with_key (call, try_peek, call->n_outputs);
}

static void
unstage_first_start (SluiceKernelCall *call)
{
  begin (call, check_indices (call, 0, call->n_outputs - 1u), try_unstage_first, 0);
}

/* kernel->data: TRUE for what is incomplete. */
static gboolean
size_compute (SluiceKernelCall *call)
{
  Area *self = dup_area (call);
  SluiceTensor *out = self != NULL ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (self == NULL)
    return FALSE;
  sluice_monitor_enter (&self->parent.parent);
  if (out != NULL)
    *(gint32 *) out->data =
        g_tree_nnodes (call->kernel->data != NULL ? self->incomplete : self->complete);
  sluice_monitor_leave (&self->parent.parent);
  sluice_resource_unref (&self->parent.parent.parent);
  return out != NULL;
}

static gboolean
clear_compute (SluiceKernelCall *call)
{
  Area *self = dup_area (call);
  if (self == NULL)
    return FALSE;
  sluice_monitor_enter (&self->parent.parent);
  g_tree_remove_all (self->complete);
  g_tree_remove_all (self->incomplete);
  self->parent.bytes = 0;
  sluice_monitor_leave (&self->parent.parent);
  sluice_resource_unref (&self->parent.parent.parent);
  return TRUE;
}

/* ---- the ops ---- */

static gboolean
no_key_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on a staging area: tests/kernels/test-monitor makes one")
};

#define OPS(id, op_name, op_signature, op_attrs, op_shape, text)                                   \
  SLUICE_STAGE_OP (map_##id, "Map" op_name, op_signature, op_attrs, op_shape, text);               \
  SLUICE_STAGE_OP (ordered_##id, "OrderedMap" op_name, op_signature, op_attrs, op_shape, text)
#define SOME "dtypes: list(type) >= 1"
#define ANY  "dtypes: list(type)"

OPS (stage,
     "Stage",
     "key: int64, indices: int32, values: fake_dtypes ->",
     ANY "; fake_dtypes: list(type) >= 1",
     sluice_shape_none,
     N_ ("Puts tensors into a staging area under a key; waits while it is full"));
OPS (unstage,
     "Unstage",
     "key: int64, indices: int32 -> values: dtypes",
     SOME,
     sluice_shape_none,
     N_ ("Takes the tensors of a key out of a staging area; waits until they are there"));
OPS (unstage_no_key,
     "UnstageNoKey",
     "indices: int32 -> key: int64, values: dtypes",
     SOME,
     no_key_shape,
     N_ ("Takes the tensors of the least key out of a staging area; waits while it is empty"));
OPS (peek,
     "Peek",
     "key: int64, indices: int32 -> values: dtypes",
     SOME,
     sluice_shape_none,
     N_ ("Looks at the tensors of a key in a staging area; waits until they are there"));
OPS (size,
     "Size",
     "-> size: int32",
     ANY,
     sluice_shape_scalar,
     N_ ("How many keys a staging area holds"));
OPS (incomplete_size,
     "IncompleteSize",
     "-> size: int32",
     ANY,
     sluice_shape_scalar,
     N_ ("Of how many keys a staging area has some tensors, and not all"));
OPS (clear, "Clear", "->", ANY, sluice_shape_none, N_ ("Empties a staging area"));

#define BOTH(id) &map_##id, &ordered_##id
static const SluiceOpDef *const ops[] = {
  BOTH (stage), BOTH (unstage),         BOTH (unstage_no_key), BOTH (peek),
  BOTH (size),  BOTH (incomplete_size), BOTH (clear),
};

#define KERNELS(op_name, ...)                                                                      \
  SLUICE_STAGE_KERNEL ("Map" op_name, __VA_ARGS__),                                                \
      SLUICE_STAGE_KERNEL ("OrderedMap" op_name, __VA_ARGS__)

static const SluiceKernel kernels[] = {
  KERNELS ("Stage", SLUICE_STAGE_WAITS (stage_start)),
  KERNELS ("Unstage", SLUICE_STAGE_WAITS (unstage_start)),
  KERNELS ("UnstageNoKey", SLUICE_STAGE_WAITS (unstage_first_start)),
  KERNELS ("Peek", SLUICE_STAGE_WAITS (peek_start)),
  KERNELS ("Size", .compute = size_compute),
  KERNELS ("IncompleteSize", .compute = size_compute, .data = GINT_TO_POINTER (TRUE)),
  KERNELS ("Clear", .compute = clear_compute),
};

const SluiceKernelModule sluice_module_queue_map_staging = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
