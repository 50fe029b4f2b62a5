/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Lookup tables. HashTable is filled once and then read; MutableHashTable and its like take and
 * drop entries at any time. The ops before V2 hand on the table's name instead of a handle.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/state/lookup.h"

static gboolean
is_handle (SluiceShapeContext *c)
{
  return sluice_edge_dtype (c->node->inputs[0]) == SLUICE_RESOURCE;
}

/* A handle is a scalar, the name of a table a vector of container and name. */
static gboolean
check_table (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, is_handle (c) ? 0 : 1, error);
}

/* The node that made the table, where that can be seen. (nullable) */
static const SluiceNode *
maker_of (SluiceShapeContext *c)
{
  const SluiceNode *node = c->node->inputs[0].node;
  return node->op && sluice_op_find_attr (node->op, "key_dtype") ? node : NULL;
}

static SluiceShape
value_shape_of (const SluiceNode *maker)
{
  const SluiceAttrValue *shape = sluice_node_get_attr (maker, "value_shape");
  return shape ? shape->shape : SLUICE_SHAPE_SCALAR;
}

static SluiceShape
key_shape_of (const SluiceNode *maker)
{
  return maker->n_inputs > 0 && maker->inputs[0].node ? *sluice_edge_shape (maker->inputs[0])
                                                      : SLUICE_SHAPE_SCALAR;
}

static gboolean
table_shape (SluiceShapeContext *c, GError **error)
{
  gboolean handle = c->outputs[0].dtype == SLUICE_RESOURCE;
  sluice_shape_context_set (c, 0, handle ? &SLUICE_SHAPE_SCALAR : &SLUICE_SHAPE (2));
  if (handle)
    {
      c->outputs[0].handle_dtype = sluice_node_get_type (c->node, "value_dtype");
      c->outputs[0].handle_shape = value_shape_of (c->node);
    }
  return TRUE;
}

static gboolean
fill_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape n;
  return check_table (c, error) && sluice_shape_context_want_rank (c, 1, 1, error)
         && sluice_shape_context_merge (c, 1, 2, &n, error);
}

static gboolean
file_shape (SluiceShapeContext *c, GError **error)
{
  return check_table (c, error) && sluice_shape_context_want_rank (c, 1, 0, error);
}

/* The keys' shape with the table's shape of a value in place of that of a key. */
static gboolean
find_shape (SluiceShapeContext *c, GError **error)
{
  if (!check_table (c, error))
    return FALSE;
  const SluiceNode *maker = maker_of (c);
  SluiceShape out = c->inputs[1];
  SluiceShape key = maker ? key_shape_of (maker) : SLUICE_SHAPE_UNKNOWN;
  SluiceShape value = maker ? value_shape_of (maker) : SLUICE_SHAPE_UNKNOWN;
  if (out.rank < 0 || key.rank < 0 || value.rank < 0 || out.rank < key.rank
      || out.rank - key.rank + value.rank > SLUICE_MAX_RANK)
    return TRUE;
  out.rank -= key.rank;
  for (int i = 0; i < value.rank; i++)
    out.dim[out.rank++] = value.dim[i];
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
export_shape (SluiceShapeContext *c, GError **error)
{
  if (!check_table (c, error))
    return FALSE;
  const SluiceNode *maker = maker_of (c);
  if (maker == NULL || maker->n_inputs > 0)
    return TRUE; /* a dense table gives matrices */
  SluiceShape value = value_shape_of (maker), out = SLUICE_SHAPE (SLUICE_UNKNOWN_DIM);
  sluice_shape_context_set (c, 0, &out);
  if (value.rank >= 0 && value.rank < SLUICE_MAX_RANK)
    {
      for (int i = 0; i < value.rank; i++)
        out.dim[out.rank++] = value.dim[i];
      sluice_shape_context_set (c, 1, &out);
    }
  return TRUE;
}

static gboolean
size_shape (SluiceShapeContext *c, GError **error)
{
  return check_table (c, error) && sluice_shape_scalar (c, error);
}

static const SluiceRecipe recipe = {
  .why_none =
      N_ ("works on a table that other ops made and filled: tests/kernels/test-lookup does")
};

/* Every op is there twice: with a handle, and as it was before. */
#define TABLE_OP(id, op_name, table, before, after, op_attrs, text, op_flags, op_shape)            \
  SLUICE_OP_DEF (id, op_name, before "table_handle: " table after, op_attrs, op_flags, op_shape,   \
                 &recipe, text)
#define TABLE_OPS(id, op_name, before, after, op_attrs, text, op_shape)                            \
  TABLE_OP (id##_ref, op_name, "Ref(string)", before, after, op_attrs, text,                       \
            SLUICE_OP_NOT_DIFFERENTIABLE, op_shape);                                               \
  TABLE_OP (id##_v2, op_name "V2", "resource", before, after, op_attrs, text,                      \
            SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_STATEFUL, op_shape)

#define NAME_ATTRS                                                                                 \
  "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; "        \
  "key_dtype: type; value_dtype: type"
#define DENSE_ATTRS                                                                                \
  NAME_ATTRS                                                                                       \
  "; value_shape: shape = []; initial_num_buckets: int = 131072; max_load_factor: float = 0.8"

#define MAKES SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE
#define MAKE_OPS(id, op_name, op_attrs, text)                                                      \
  TABLE_OP (id##_ref, op_name, "Ref(string)", "-> ", "", op_attrs, text, MAKES, table_shape);      \
  TABLE_OP (id##_v2, op_name "V2", "resource", "-> ", "", op_attrs, text, MAKES, table_shape)

MAKE_OPS (fixed, "HashTable", NAME_ATTRS, N_ ("Table that is filled once"));
MAKE_OPS (mutable, "MutableHashTable", NAME_ATTRS, N_ ("Table that takes entries at any time"));
MAKE_OPS (tensors,
          "MutableHashTableOfTensors",
          NAME_ATTRS "; value_shape: shape = []",
          N_ ("Table of vectors that takes entries at any time"));
#define DENSE_TEXT N_ ("Table in one block of memory, with a key that stands for nothing")
TABLE_OP (dense_ref,
          "MutableDenseHashTable",
          "Ref(string)",
          "empty_key: key_dtype -> ",
          "",
          DENSE_ATTRS,
          DENSE_TEXT,
          MAKES,
          table_shape);
TABLE_OP (dense_v2,
          "MutableDenseHashTableV2",
          "resource",
          "empty_key: key_dtype, deleted_key: key_dtype -> ",
          "",
          DENSE_ATTRS,
          DENSE_TEXT,
          MAKES,
          table_shape);

#define FILE_ATTRS                                                                                 \
  "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; "                     \
  "delimiter: string = '\t'; offset: int = 0"
TABLE_OPS (fill,
           "InitializeTable",
           "",
           ", keys: Tkey, values: Tval ->",
           "Tkey: type; Tval: type",
           N_ ("Fills a table"),
           fill_shape);
#define FILE_OP(id, op_name, handle, op_flags)                                                     \
  TABLE_OP (id, op_name, handle, "", ", filename: string ->", FILE_ATTRS,                          \
            N_ ("Fills a table with the lines of a file"), op_flags | SLUICE_OP_READS_FILES,       \
            file_shape)
FILE_OP (file_ref, "InitializeTableFromTextFile", "Ref(string)", SLUICE_OP_NOT_DIFFERENTIABLE);
FILE_OP (file_v2,
         "InitializeTableFromTextFileV2",
         "resource",
         SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_STATEFUL);
TABLE_OPS (find,
           "LookupTableFind",
           "",
           ", keys: Tin, default_value: Tout -> values: Tout",
           "Tin: type; Tout: type",
           N_ ("Values of keys in a table"),
           find_shape);
TABLE_OPS (insert,
           "LookupTableInsert",
           "",
           ", keys: Tin, values: Tout ->",
           "Tin: type; Tout: type",
           N_ ("Puts entries into a table"),
           check_table);
TABLE_OPS (import,
           "LookupTableImport",
           "",
           ", keys: Tin, values: Tout ->",
           "Tin: type; Tout: type",
           N_ ("Puts entries into a table in place of what it holds"),
           check_table);
TABLE_OPS (export,
           "LookupTableExport",
           "",
           " -> keys: Tkeys, values: Tvalues",
           "Tkeys: type; Tvalues: type",
           N_ ("All entries of a table"),
           export_shape);
TABLE_OPS (
    size, "LookupTableSize", "", " -> size: int64", NULL, N_ ("Entries of a table"), size_shape);
TABLE_OP (remove_v2,
          "LookupTableRemoveV2",
          "resource",
          "",
          ", keys: Tin ->",
          "Tin: type",
          N_ ("Drops entries of a table"),
          MAKES,
          check_table);

static const SluiceOpDef *const ops[] = {
  &fixed_ref,  &fixed_v2,  &mutable_ref, &mutable_v2, &tensors_ref, &tensors_v2,
  &dense_ref,  &dense_v2,  &fill_ref,    &fill_v2,    &file_ref,    &file_v2,
  &find_ref,   &find_v2,   &insert_ref,  &insert_v2,  &import_ref,  &import_v2,
  &export_ref, &export_v2, &size_ref,    &size_v2,    &remove_v2,
};

const SluiceKernelModule sluice_module_state_lookup = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
