/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/array/array.h"

/*
 * Sparse tensors travel as three edges: indices int64 [n, rank], values [n], dense shape [rank].
 * The rank is data here and may exceed that of tensors.
 */
typedef struct
{
  gint64 n, rank;
  const gint64 *indices;
  const SluiceTensor *values;
  const gint64 *shape;
} SluiceSparse;

/* Reads three inputs and checks them against each other. Indices may still lie outside. */
gboolean sluice_call_sparse (
    SluiceKernelCall *call, guint indices, guint values, guint shape, SluiceSparse *self);
/* Every index must lie inside of the shape: INVALID_ARGUMENT names the first that does not. */
gboolean sluice_call_sparse_inside (SluiceKernelCall *call, const SluiceSparse *self);

static inline const gint64 *
sluice_sparse_index (const SluiceSparse *self, gint64 i)
{
  return self->indices + i * self->rank;
}

/* Row-major order of two indices. */
static inline int
sluice_index_compare (const gint64 *a, const gint64 *b, gint64 rank)
{
  for (gint64 d = 0; d < rank; d++)
    if (a[d] != b[d])
      return a[d] < b[d] ? -1 : 1;
  return 0;
}

/**
 * sluice_call_sparse_order:
 *
 * Returns: (transfer full) (nullable): int64 [n]: the numbers of n indices in row-major order,
 * equal ones as they come; NULL: call->error is set
 */
SluiceTensor *
sluice_call_sparse_order (SluiceKernelCall *call, const gint64 *indices, gint64 n, gint64 rank);

/* A new sparse tensor in outputs `first` and the two after it. */
typedef struct
{
  gint64 *indices;
  SluiceTensor *values;
  gint64 *shape;
} SluiceSparseOutput;

gboolean sluice_call_sparse_output (SluiceKernelCall *call,
                                    const guint outputs[3],
                                    gint64 n,
                                    gint64 rank,
                                    SluiceSparseOutput *self);

/* Value `from` of a tensor becomes value `to` of another of the same dtype. */
static inline void
sluice_value_copy (SluiceTensor *to, gint64 to_at, const SluiceTensor *from, gint64 from_at)
{
  gsize size = sluice_dtype_size (to->dtype);
  sluice_elements_copy (to->dtype, (char *) to->data + to_at * size,
                        (const char *) from->data + from_at * size, 1);
}

/* For shape rules: checks ranks and that the three fit; n and rank are -1 where not known. Any of
 * the inputs may be absent: -1. */
gboolean sluice_shape_sparse (SluiceShapeContext *c,
                              int indices,
                              int values,
                              int shape,
                              gint64 *n,
                              gint64 *rank,
                              GError **error);
/* Sets outputs `first` to `first` + 2 to a sparse tensor of n values. */
void sluice_shape_set_sparse (SluiceShapeContext *c, guint first, gint64 n, gint64 rank);
