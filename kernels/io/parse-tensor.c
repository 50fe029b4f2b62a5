/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* SerializeTensor writes a tensor as TensorProto, byte for byte as TensorFlow; ParseTensor reads
 * any. */
#include <glib/gi18n-lib.h>

#include "engine/graph/graphdef.h"
#include "engine/graph/shape-context.h"
#include "engine/graph/tensorproto.h"
#include "kernels/io/tensor-proto.h"
#include "kernels/string/text.h"

static gboolean
parse_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 0, error);
}

static gboolean
parse_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  const SluiceString *bytes = sluice_call_input (call, 0)->data;
  g_autofree char *quoted = sluice_string_quote (bytes);
  g_autoptr (GError) error = NULL;
  SluiceTensor *tensor = sluice_tensor_from_proto (
      bytes->length ? (const guint8 *) bytes->data : (const guint8 *) "", bytes->length, &error);
  if (tensor == NULL)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%s of %" G_GSIZE_FORMAT " bytes is no serialized tensor: %s", quoted,
                             bytes->length, error->message);
  SluiceDType want = sluice_dtype_base (call->node->outputs[0].dtype);
  if ((SluiceDType) tensor->dtype == want)
    {
      sluice_call_take_output (call, 0, tensor);
      return TRUE;
    }
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the serialized tensor is of %s, not %s",
                    sluice_dtype_name (tensor->dtype), sluice_dtype_name (want));
  sluice_tensor_unref (tensor);
  return FALSE;
}

static gboolean
serialize_compute (SluiceKernelCall *call)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  return out != NULL && sluice_call_serialize (call, sluice_call_input (call, 0), FALSE, out->data);
}

static const SluiceSample parse_samples[] = {
  { "out_type=string", "string[]='\x08\x07\x12\x04\x12\x02\x08\x02\x42\x01\x61\x42\x01\x62'" },
};
static const SluiceRecipe parse_recipe = { .samples = parse_samples,
                                           .n_samples = G_N_ELEMENTS (parse_samples) };
static const SluiceSample serialize_samples[] = {
  { "T=float", "float[2,3]" },
  { "T=float", "float[]" },
  { "T=float", "float[0,2]" },
  { "T=string", "string[2]={'a','b'}" },
};
static const SluiceRecipe serialize_recipe = { .samples = serialize_samples,
                                               .n_samples = G_N_ELEMENTS (serialize_samples) };

static const SluiceOpDef parse_op = {
  .name = "ParseTensor",
  .signature = "serialized: string -> output: out_type",
  .attrs = "out_type: type",
  .summary = N_ ("A tensor out of its serialized form"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = parse_shape,
  .recipe = &parse_recipe,
};

static const SluiceOpDef serialize_op = {
  .name = "SerializeTensor",
  .signature = "tensor: T -> serialized: string",
  .attrs = "T: type",
  .summary = N_ ("A tensor as a string of bytes"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &serialize_recipe,
};

static const SluiceOpDef *const ops[] = { &parse_op, &serialize_op };

#define KERNEL(name, attr, function)                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .where = { { attr, SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING) } }, .compute = function        \
  }
static const SluiceKernel kernels[] = { KERNEL ("ParseTensor", "out_type", parse_compute),
                                        KERNEL ("SerializeTensor", "T", serialize_compute) };

const SluiceKernelModule sluice_module_io_parse_tensor = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
