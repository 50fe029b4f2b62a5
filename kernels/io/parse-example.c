/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ParseExample and ParseSingleExample: serialized Examples to one tensor a feature, dense or
 * sparse.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/* What the dense outputs are, from output `first` on, behind a prefix. */
static void
set_dense (SluiceShapeContext *c, guint first, const SluiceShape *prefix)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (c->node, "dense_shapes");
  for (guint i = 0; i < shapes->list.n && first + i < c->n_outputs; i++)
    {
      const SluiceShape *shape = &shapes->list.items[i].shape;
      SluiceShape whole = *prefix;
      if (shape->rank < 0 || whole.rank + shape->rank > SLUICE_MAX_RANK)
        continue;
      for (int d = 0; d < shape->rank; d++)
        whole.dim[whole.rank++] = shape->dim[d];
      sluice_shape_context_set (c, first + i, &whole);
    }
}

/* n each of indices, values and shapes, for coordinates of that rank. */
static void
set_sparse (SluiceShapeContext *c, guint n, int rank)
{
  for (guint i = 0; i < n; i++)
    {
      sluice_shape_context_set (c, i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM, rank));
      sluice_shape_context_set (c, n + i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
      sluice_shape_context_set (c, 2 * n + i, &SLUICE_SHAPE (rank));
    }
}

static gboolean
example_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  guint n_sparse = sluice_node_get_attr (c->node, "sparse_types")->list.n;
  gint64 n = c->inputs[0].rank == 1 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM;
  if (3 * n_sparse > c->n_outputs)
    return TRUE;
  set_sparse (c, n_sparse, 2);
  set_dense (c, 3 * n_sparse, &SLUICE_SHAPE (n));
  return TRUE;
}

static gboolean
single_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  guint n_sparse = sluice_node_get_attr (c->node, "sparse_types")->list.n;
  if (3 * n_sparse > c->n_outputs)
    return TRUE;
  set_sparse (c, n_sparse, 1);
  set_dense (c, 3 * n_sparse, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

/* { a: int64 [5, 6] } as bytes. */
#define TWO_INTS "\x0a\x0d\x0a\x0b\x0a\x01\x61\x12\x06\x1a\x04\x0a\x02\x05\x06"

static const SluiceSample example_samples[] = {
  { "Nsparse=1; Ndense=1; sparse_types=[int64]; Tdense=[float]; dense_shapes=[[2]]",
    "string[2]={'" TWO_INTS "',''}; string[0]={}; string[]='a'; string[]='b'; float[2]={7,8}" },
  { "Nsparse=0; Ndense=1; sparse_types=[]; Tdense=[int64]; dense_shapes=[[-1]]",
    "string[2]={'" TWO_INTS "',''}; string[0]={}; string[]='a'; int64[1]={9}" },
};
static const SluiceRecipe example_recipe = { .samples = example_samples,
                                             .n_samples = G_N_ELEMENTS (example_samples) };

static const SluiceSample single_samples[] = {
  { "num_sparse=1; sparse_keys=['a']; dense_keys=['a']; sparse_types=[int64]; Tdense=[int64]; "
    "dense_shapes=[[2]]",
    "string[]='" TWO_INTS "'; int64[0]={}" },
};
static const SluiceRecipe single_recipe = { .samples = single_samples,
                                            .n_samples = G_N_ELEMENTS (single_samples) };

static const SluiceOpDef example_op = {
  .name = "ParseExample",
  .signature = "serialized: string, names: string, sparse_keys: Nsparse * string, "
               "dense_keys: Ndense * string, dense_defaults: Tdense -> "
               "sparse_indices: Nsparse * int64, sparse_values: sparse_types, "
               "sparse_shapes: Nsparse * int64, dense_values: Tdense",
  .attrs = "Nsparse: int >= 0; Ndense: int >= 0; "
           "sparse_types: list({float, int64, string}) >= 0; "
           "Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0",
  .summary = N_ ("Features out of serialized Examples"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = example_shape,
  .recipe = &example_recipe,
};

static const SluiceOpDef single_op = {
  .name = "ParseSingleExample",
  .signature = "serialized: string, dense_defaults: Tdense -> "
               "sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
               "sparse_shapes: num_sparse * int64, dense_values: Tdense",
  .attrs = "num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; "
           "sparse_types: list({float, int64, string}) >= 0; "
           "Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0",
  .summary = N_ ("Features out of a serialized Example"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = single_shape,
  .recipe = &single_recipe,
};

static const SluiceOpDef *const ops[] = { &example_op, &single_op };

const SluiceKernelModule sluice_module_io_parse_example = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };
