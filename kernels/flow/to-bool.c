/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The truth of a value, as If and While take it: a scalar that is not zero, a string that is not
 * empty, any other tensor that has elements. */
#include "kernels/flow/flow.h"

static const SluiceSample samples[] = {
  { "", "float[]=0.5" }, { "", "float[]=0" },      { "", "int32[]=-3" }, { "", "bool[]=true" },
  { "", "string[]" },    { "", "float[2]={0,0}" }, { "", "float[0]" },   { "", "complex64[]" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceOpDef to_bool_op = {
  .name = "ToBool",
  .signature = "input: T -> output: bool",
  .attrs = "T: type",
  .summary = N_ ("The truth of a value"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &recipe,
};

static gboolean
is_true (const SluiceTensor *value)
{
  const guint8 *bytes = value->data;
  if (value->shape.rank > 0)
    return value->n_elements > 0;
  switch ((SluiceDType) value->dtype)
    {
    case SLUICE_STRING:
      return ((const SluiceString *) value->data)->length > 0;
    case SLUICE_FLOAT:
      return *(const float *) value->data != 0;
    case SLUICE_DOUBLE:
      return *(const double *) value->data != 0;
    case SLUICE_COMPLEX64:
      return ((const float *) value->data)[0] != 0 || ((const float *) value->data)[1] != 0;
    case SLUICE_COMPLEX128:
      return ((const double *) value->data)[0] != 0 || ((const double *) value->data)[1] != 0;
    case SLUICE_HALF:
    case SLUICE_BFLOAT16:
      return (*(const guint16 *) value->data & 0x7fff) != 0; /* -0.0 is zero as well */
    default:
      for (gsize i = 0; i < sluice_dtype_size (value->dtype); i++)
        if (bytes[i] != 0)
          return TRUE;
      return FALSE;
    }
}

static gboolean
to_bool_compute (SluiceKernelCall *call)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(guint8 *) out->data = is_true (sluice_call_input (call, 0));
  return out != NULL;
}

static const SluiceOpDef *const ops[] = { &to_bool_op };
static const SluiceKernel kernels[] = {
  { .op = "ToBool", .device = "CPU", .flags = SLUICE_KERNEL_CHEAP, .compute = to_bool_compute },
};

const SluiceKernelModule sluice_module_flow_to_bool = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
