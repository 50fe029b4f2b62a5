/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"

static gpointer
to_dense_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_bool (node, "validate_indices"));
}

/* Offset of index k in the output, or -1 outside of it. */
static gint64
offset_of (const SluiceTensor *indices, const SluiceShape *shape, gint64 k)
{
  gint64 offset = 0;
  for (int d = 0; d < shape->rank; d++)
    {
      gint64 at = sluice_tensor_get_int (indices, k * shape->rank + d);
      if (at < 0 || at >= shape->dim[d])
        return -1;
      offset = offset * shape->dim[d] + at;
    }
  return offset;
}

/* Checks the inputs against each other; n: how many indices there are. */
static gboolean
check_inputs (SluiceKernelCall *call, const SluiceShape *shape, gint64 *n)
{
  const SluiceShape *indices = &sluice_call_input (call, 0)->shape;
  const SluiceShape *values = &sluice_call_input (call, 2)->shape;
  *n = indices->rank > 0 ? indices->dim[0] : 1;
  char text[2][SLUICE_SHAPE_STR];
  if (indices->rank > 2 || (indices->rank == 2 ? indices->dim[1] : 1) != shape->rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sparse_indices of shape %s must hold %d coordinates an index, as "
                             "output_shape %s has dimensions",
                             sluice_shape_str (indices, text[0]), shape->rank,
                             sluice_shape_str (shape, text[1]));
  if (values->rank > 1 || (values->rank == 1 && values->dim[0] != *n))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sparse_values of shape %s must be a scalar or a vector of %" //
                             G_GINT64_FORMAT ", one for each index",
                             sluice_shape_str (values, text[0]), *n);
  return TRUE;
}

static gboolean
to_dense_compute (SluiceKernelCall *call)
{
  const SluiceTensor *indices = sluice_call_input (call, 0), *values = sluice_call_input (call, 2);
  SluiceShape shape;
  gint64 n, before = -1;
  if (!sluice_call_shape (call, 1, &shape) || !check_inputs (call, &shape, &n)
      || !sluice_call_want_scalar (call, 3))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL
      || !sluice_move_fill (call, out->dtype, out->data, sluice_call_input (call, 3)->data,
                            out->n_elements))
    return FALSE;
  gsize size = sluice_dtype_size (out->dtype);
  for (gint64 k = 0; k < n; k++)
    {
      gint64 offset = offset_of (indices, &shape, k);
      if (offset < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "index %" G_GINT64_FORMAT " of sparse_indices is outside of the "
                                 "output",
                                 k);
      if (call->state != NULL && offset <= before)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "index %" G_GINT64_FORMAT " of sparse_indices %s; sort them, or "
                                 "set validate_indices to false",
                                 k, offset == before ? "comes twice" : "is out of order");
      before = offset;
      sluice_elements_copy (out->dtype, (char *) out->data + offset * size,
                            (const char *) values->data + (values->shape.rank > 0 ? k : 0) * size,
                            1);
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("SparseToDense", .prepare = to_dense_prepare, .compute = to_dense_compute),
};

const SluiceKernelModule sluice_module_array_sparse_to_dense_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
