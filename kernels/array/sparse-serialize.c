/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A sparse tensor as three strings (or three variants that hold tensors): indices, values, shape.
 * SerializeManySparse makes one for each row, DeserializeManySparse puts rows together; of shapes
 * that differ the largest sizes count.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/sparse.h"

static gboolean
serialize_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (3));
  return TRUE;
}

static gboolean
serialize_many_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n, rank;
  if (!sluice_shape_sparse (c, 0, 1, 2, &n, &rank, error))
    return FALSE;
  const SluiceTensor *shape = sluice_shape_context_constant (c, 2);
  gint64 rows = shape != NULL && shape->n_elements > 0
                    ? MAX (sluice_tensor_get_int (shape, 0), SLUICE_UNKNOWN_DIM)
                    : SLUICE_UNKNOWN_DIM;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (rows, 3));
  return TRUE;
}

static gboolean
deserialize_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *in = &c->inputs[0];
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error))
    return FALSE;
  if (in->rank > 0 && in->dim[in->rank - 1] >= 0 && in->dim[in->rank - 1] != 3)
    return sluice_shape_context_fail (c, error,
                                      "a serialized sparse tensor has 3 parts, not %" //
                                      G_GINT64_FORMAT,
                                      in->dim[in->rank - 1]);
  sluice_shape_set_sparse (c, 0, SLUICE_UNKNOWN_DIM, SLUICE_UNKNOWN_DIM);
  return TRUE;
}

static gboolean
deserialize_many_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 2, error) && deserialize_shape (c, error);
}

static const SluiceSample serialize_samples[] = {
  { "", "int64[2,2]={0,1,2,0}; float[2]; int64[2]={3,4}", 0, 0 },
  { "", "int64[2,1]={0,2}; string[2]={'ab',''}; int64[1]={3}", 0, 0 },
};
static const SluiceRecipe serialize_recipe = {
  .samples = serialize_samples,
  .n_samples = G_N_ELEMENTS (serialize_samples),
};
static const SluiceSample many_samples[] = {
  { "", "int64[3,2]={0,1,0,3,2,0}; float[3]; int64[2]={3,4}", 0, 0 },
};
static const SluiceRecipe many_recipe = {
  .samples = many_samples,
  .n_samples = G_N_ELEMENTS (many_samples),
};
static const SluiceRecipe deserialize_recipe = {
  .why_none = N_ ("reads what another op wrote: tests/kernels/test-sparse runs both")
};

#define IN_SPARSE  "sparse_indices: int64, sparse_values: T, sparse_shape: int64"
#define OUT_SPARSE "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64"

static const SluiceOpDef serialize_op = {
  .name = "SerializeSparse",
  .signature = IN_SPARSE " -> serialized_sparse: out_type",
  .attrs = "T: type; out_type: {string, variant} = string",
  .summary = N_ ("A sparse tensor as three strings of bytes"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = serialize_shape,
  .recipe = &serialize_recipe,
};

static const SluiceOpDef serialize_many_op = {
  .name = "SerializeManySparse",
  .signature = IN_SPARSE " -> serialized_sparse: out_type",
  .attrs = "T: type; out_type: {string, variant} = string",
  .summary = N_ ("Each row of a sparse tensor as three strings of bytes"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = serialize_many_shape,
  .recipe = &many_recipe,
};

static const SluiceOpDef deserialize_op = {
  .name = "DeserializeSparse",
  .signature = "serialized_sparse: Tserialized -> " OUT_SPARSE,
  .attrs = "dtype: type; Tserialized: {string, variant} = string",
  .summary = N_ ("Serialized sparse tensors put together"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = deserialize_shape,
  .recipe = &deserialize_recipe,
};

static const SluiceOpDef deserialize_many_op = {
  .name = "DeserializeManySparse",
  .signature = "serialized_sparse: string -> " OUT_SPARSE,
  .attrs = "dtype: type",
  .summary = N_ ("Serialized sparse tensors as the rows of one"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = deserialize_many_shape,
  .recipe = &deserialize_recipe,
};

static const SluiceOpDef *const ops[] = { &serialize_op, &serialize_many_op, &deserialize_op,
                                          &deserialize_many_op };

const SluiceKernelModule sluice_module_array_sparse_serialize = { .ops = ops,
                                                                  .n_ops = G_N_ELEMENTS (ops) };
