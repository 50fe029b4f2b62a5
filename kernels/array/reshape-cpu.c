/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"

static gboolean
fail_reshape (SluiceKernelCall *call, const gint64 *sizes, int n)
{
  SluiceShape wanted = { .rank = n };
  for (int i = 0; i < n; i++)
    wanted.dim[i] = sizes[i];
  char text[2][SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the elements of %s do not fill %s",
                           sluice_shape_str (&sluice_call_input (call, 0)->shape, text[0]),
                           sluice_shape_str (&wanted, text[1]));
}

/*
 * What the size of -1 must be. Where a wanted size is 0, the input's zeros are left out as well, so
 * that [0,3] becomes [0,-1] = [0,3].
 */
static gboolean
find_missing (const SluiceShape *input, const gint64 *sizes, int n, gint64 *missing)
{
  gint64 product = 1, elements = 1;
  gboolean has_zero = FALSE, skipped = FALSE;
  for (int i = 0; i < n; i++)
    if (sizes[i] == 0)
      has_zero = TRUE;
    else if (sizes[i] > 0 && __builtin_mul_overflow (product, sizes[i], &product))
      return FALSE;
  for (int i = 0; i < input->rank; i++)
    if (input->dim[i] == 0 && has_zero)
      skipped = TRUE;
    else
      elements *= input->dim[i];
  *missing = elements / product;
  return skipped || *missing * product == elements;
}

static gboolean
reshape_compute (SluiceKernelCall *call)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  gint64 sizes[SLUICE_MAX_RANK];
  int n, unknown = -1;
  if (!sluice_call_want_rank (call, 1, 1) || !sluice_call_ints (call, 1, sizes, &n))
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      if (sizes[i] < -1)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "size %d is %" G_GINT64_FORMAT "; only -1 has a meaning below 0",
                                 i, sizes[i]);
      if (sizes[i] == -1 && unknown >= 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "sizes %d and %d are both -1; only one can be worked out", unknown,
                                 i);
      if (sizes[i] == -1)
        unknown = i;
    }
  gint64 missing = 0;
  if (unknown >= 0 && !find_missing (&input->shape, sizes, n, &missing))
    return fail_reshape (call, sizes, n);
  if (unknown >= 0)
    sizes[unknown] = missing;

  SluiceShape shape;
  if (!sluice_shape_make (&shape, sizes, n, NULL)
      || sluice_shape_n_elements (&shape) != input->n_elements)
    return fail_reshape (call, sizes, n);
  return sluice_call_forward_view (call, 0, 0, &shape);
}

typedef struct
{
  guint n;
  gint64 dims[SLUICE_MAX_RANK];
} Squeeze;

static gpointer
squeeze_prepare (const SluiceNode *node, GError **error)
{
  Squeeze *state = g_new0 (Squeeze, 1);
  guint n = sluice_node_get_ints (node, "squeeze_dims", state->dims, SLUICE_MAX_RANK);
  state->n = MIN (n, SLUICE_MAX_RANK); /* more cannot be different ones */
  return state;
}

static gboolean
squeeze_compute (SluiceKernelCall *call)
{
  const Squeeze *state = call->state;
  const SluiceShape *input = &sluice_call_input (call, 0)->shape;
  gboolean squeezed[SLUICE_MAX_RANK] = { FALSE };
  for (guint i = 0; i < state->n; i++)
    {
      int axis;
      if (!sluice_call_axis (call, state->dims[i], input->rank, &axis))
        return FALSE;
      if (input->dim[axis] != 1)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d has size %" G_GINT64_FORMAT
                                 "; only a size of 1 can go",
                                 axis, input->dim[axis]);
      squeezed[axis] = TRUE;
    }
  SluiceShape shape = { 0 };
  for (int i = 0; i < input->rank; i++)
    if (state->n > 0 ? !squeezed[i] : input->dim[i] != 1)
      shape.dim[shape.rank++] = input->dim[i];
  return sluice_call_forward_view (call, 0, 0, &shape);
}

static gboolean
expand_dims_compute (SluiceKernelCall *call)
{
  const SluiceShape *input = &sluice_call_input (call, 0)->shape;
  const SluiceTensor *dim = sluice_call_input (call, 1);
  int axis;
  if (dim->n_elements != 1)
    return sluice_call_want_scalar (call, 1);
  if (input->rank == SLUICE_MAX_RANK)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the result would have more than %d dimensions", SLUICE_MAX_RANK);
  if (!sluice_call_axis (call, sluice_tensor_get_int (dim, 0), input->rank + 1, &axis))
    return FALSE;
  SluiceShape shape = { .rank = input->rank + 1 };
  for (int i = 0; i < shape.rank; i++)
    shape.dim[i] = i == axis ? 1 : input->dim[i < axis ? i : i - 1];
  return sluice_call_forward_view (call, 0, 0, &shape);
}

#define CHEAP (SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_KEEPS_DENORMALS)

static const SluiceKernel kernels[] = {
  { .op = "Reshape", .device = "CPU", .flags = CHEAP, .compute = reshape_compute },
  { .op = "Squeeze",
    .device = "CPU",
    .flags = CHEAP,
    .prepare = squeeze_prepare,
    .free_state = g_free,
    .compute = squeeze_compute },
  { .op = "ExpandDims", .device = "CPU", .flags = CHEAP, .compute = expand_dims_compute },
};

const SluiceKernelModule sluice_module_array_reshape_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
