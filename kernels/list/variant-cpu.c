/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* ZerosLike and AddN of variants, element by element, by the kind of what is in them. */
#include "kernels/list/pieces.h"
#include "kernels/list/variant.h"
#include "kernels/math/add.h"

static const SluiceVariantMath *const kinds[] = { &sluice_tensor_list_math, &sluice_optional_math };

/* The arithmetic of what is in element k. (nullable): call->error is set */
static const SluiceVariantMath *
find_math (SluiceKernelCall *call, const SluiceTensor *variant, gint64 k)
{
  const SluiceResource *value = ((SluiceResource **) variant->data)[k];
  for (guint i = 0; value != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i]->type == value->type)
      return kinds[i];
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "there are zeros and sums of a TensorList or an optional, not of %s",
                    value != NULL ? value->type->name : "an empty variant");
  return NULL;
}

SluiceTensor *
sluice_call_zeros_like (SluiceKernelCall *call, SluiceTensor *value)
{
  g_autoptr (SluiceTensor) zeros = sluice_call_zeros (call, value->dtype, &value->shape);
  if (zeros == NULL || value->dtype != SLUICE_VARIANT)
    return g_steal_pointer (&zeros);
  for (gint64 k = 0; k < value->n_elements; k++)
    {
      const SluiceVariantMath *math = find_math (call, value, k);
      SluiceResource *made =
          math != NULL ? math->zeros_like (call, ((SluiceResource **) value->data)[k]) : NULL;
      if (made == NULL)
        return NULL;
      ((SluiceResource **) zeros->data)[k] = made;
    }
  return g_steal_pointer (&zeros);
}

static SluiceResource *
add_elements (SluiceKernelCall *call, const SluiceTensor *a, const SluiceTensor *b, gint64 k)
{
  SluiceResource *x = ((SluiceResource **) a->data)[k], *y = ((SluiceResource **) b->data)[k];
  const SluiceVariantMath *math = find_math (call, a, k), *other = find_math (call, b, k);
  if (math == NULL || other == NULL)
    return NULL;
  if (math == other)
    return math->add (call, x, y);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s and %s cannot be added", x->type->name,
                    y->type->name);
  return NULL;
}

SluiceTensor *
sluice_call_add_values (SluiceKernelCall *call, SluiceTensor *a, SluiceTensor *b)
{
  char x[SLUICE_SHAPE_STR], y[SLUICE_SHAPE_STR];
  if (a->dtype != b->dtype || !sluice_shape_equal (&a->shape, &b->shape))
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s%s and %s%s cannot be added",
                        sluice_dtype_name (a->dtype), sluice_shape_str (&a->shape, x),
                        sluice_dtype_name (b->dtype), sluice_shape_str (&b->shape, y));
      return NULL;
    }
  if (a->dtype != SLUICE_VARIANT)
    return sluice_call_add_up (call, (SluiceTensor *[]){ a, b }, 2);
  g_autoptr (SluiceTensor) sum = sluice_call_zeros (call, SLUICE_VARIANT, &a->shape);
  for (gint64 k = 0; sum != NULL && k < a->n_elements; k++)
    {
      SluiceResource *made = add_elements (call, a, b, k);
      if (made == NULL)
        return NULL;
      ((SluiceResource **) sum->data)[k] = made;
    }
  return g_steal_pointer (&sum);
}

static gboolean
add_n_compute (SluiceKernelCall *call)
{
  SluiceTensor *sum = sluice_tensor_ref (sluice_call_input (call, 0));
  for (guint i = 1; sum != NULL && i < call->n_inputs; i++)
    {
      SluiceTensor *next = sluice_call_add_values (call, sum, sluice_call_input (call, i));
      sluice_tensor_unref (sum);
      sum = next;
    }
  sluice_call_take_output (call, 0, sum);
  return sum != NULL;
}

static gboolean
zeros_like_compute (SluiceKernelCall *call)
{
  SluiceTensor *zeros = sluice_call_zeros_like (call, sluice_call_input (call, 0));
  sluice_call_take_output (call, 0, zeros);
  return zeros != NULL;
}

static const SluiceKernel kernels[] = {
  { .op = "AddN",
    .device = "CPU",
    .where = { { "T", SLUICE_SET (SLUICE_VARIANT) } },
    .compute = add_n_compute },
  { .op = "ZerosLike",
    .device = "CPU",
    .where = { { "T", SLUICE_SET (SLUICE_VARIANT) } },
    .compute = zeros_like_compute },
};

const SluiceKernelModule sluice_module_list_variant_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
