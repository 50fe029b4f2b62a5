/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <float.h>
#include <math.h>

#include "kernels/array/array.h"
#include "kernels/typed.h"

typedef struct
{
  gboolean is_signed, is_narrow, range_given, half_up;
  gint64 bits, axis;
  double min, max; /* of QuantizeAndDequantize, whose range is attributes */
} Quantizer;

static gboolean
has_attr (const SluiceNode *node, const char *name)
{
  return sluice_op_find_attr (node->op, name) != NULL;
}

static gpointer
quantize_prepare (const SluiceNode *node, GError **error)
{
  Quantizer *q = g_new0 (Quantizer, 1);
  q->is_signed = sluice_node_get_bool (node, "signed_input");
  q->range_given = sluice_node_get_bool (node, "range_given");
  q->is_narrow = has_attr (node, "narrow_range") && sluice_node_get_bool (node, "narrow_range");
  q->half_up =
      has_attr (node, "round_mode") && sluice_node_string_is (node, "round_mode", "HALF_UP");
  q->axis = has_attr (node, "axis") ? sluice_node_get_int (node, "axis") : -1;
  if (has_attr (node, "num_bits"))
    q->bits = sluice_node_get_int (node, "num_bits");
  if (has_attr (node, "input_min"))
    {
      q->min = sluice_node_get_float (node, "input_min");
      q->max = sluice_node_get_float (node, "input_max");
    }
  return q;
}

#define T       float
#define LARGEST FLT_MAX
#define MATH(g) g##f
#define NAME(x) x##_f32
#include "kernels/array/quantize-loops.h"

#define T       double
#define LARGEST DBL_MAX
#define MATH(g) g
#define NAME(x) x##_f64
#include "kernels/array/quantize-loops.h"

/* The tensor as it is divided into slices of one range each. */
static gboolean
divide (SluiceKernelCall *call, const Quantizer *q, SluiceAxisSplit *split)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  gint64 most = q->is_signed ? 61 : 62;
  if (q->axis < -1 || q->axis >= x->shape.rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "axis %" G_GINT64_FORMAT " is not -1 or one of the %d dimensions",
                             q->axis, x->shape.rank);
  if (q->bits < 1 || q->bits > most)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "num_bits is %" G_GINT64_FORMAT ", but must be from 1 to %" G_GINT64_FORMAT, q->bits, most);
  *split = q->axis < 0 ? (SluiceAxisSplit){ 1, 1, x->n_elements }
                       : sluice_axis_split (&x->shape, (int) q->axis);
  for (guint i = 1; q->range_given && i < 3 && i < call->n_inputs; i++)
    if (sluice_call_input (call, i)->n_elements != split->size)
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input %u has %" G_GINT64_FORMAT
                               " elements, but there are %" G_GINT64_FORMAT " ranges",
                               i, sluice_call_input (call, i)->n_elements, split->size);
  return TRUE;
}

static gboolean
quantize_floats (SluiceKernelCall *call,
                 const Quantizer *q,
                 const SluiceAxisSplit *split,
                 SluiceTensor *out)
{
  const float own[2] = { (float) q->min, (float) q->max };
  g_autoptr (SluiceTensor) x = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) min = call->n_inputs > 1 ? sluice_call_widen_input (call, 1) : NULL;
  g_autoptr (SluiceTensor) max = call->n_inputs > 1 ? sluice_call_widen_input (call, 2) : NULL;
  if (x == NULL || (call->n_inputs > 1 && (min == NULL || max == NULL)))
    return FALSE;
  const float *lows = min ? min->data : &own[0], *highs = max ? max->data : &own[1];
  if (out->dtype == SLUICE_FLOAT)
    return run_f32 (call, q, *split, lows, highs, x->data, out->data);
  g_autoptr (SluiceTensor) wide = sluice_call_scratch (call, SLUICE_FLOAT, &out->shape);
  if (wide == NULL || !run_f32 (call, q, *split, lows, highs, x->data, wide->data))
    return FALSE;
  sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

static gboolean
quantize_compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  Quantizer q = *(const Quantizer *) call->state;
  SluiceAxisSplit split;
  if (call->n_inputs == 4) /* num_bits is an input */
    {
      if (!sluice_call_want_scalar (call, 3))
        return FALSE;
      q.bits = sluice_tensor_get_int (sluice_call_input (call, 3), 0);
    }
  if (!divide (call, &q, &split))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &x->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (out->dtype != SLUICE_DOUBLE)
    return quantize_floats (call, &q, &split, out);
  const double *min = call->n_inputs > 1 ? sluice_call_input (call, 1)->data : &q.min;
  const double *max = call->n_inputs > 1 ? sluice_call_input (call, 2)->data : &q.max;
  return run_f64 (call, &q, split, min, max, x->data, out->data);
}

/* What lies within the bounds passes; a bound has no gradient. */
#define DEFINE_QUANTIZE_GRAD(T)                                                                    \
  static void quantize_grad_##T (const SluiceAxisSplit *split, const T *dy, const T *x,            \
                                 const T *min, const T *max, T *out)                               \
  {                                                                                                \
    const gint64 n = split->outer * split->size * split->inner;                                    \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const gint64 k = i / split->inner % split->size;                                           \
        out[i] = dy[i] * (T) (x[i] >= min[k] && x[i] <= max[k]);                                   \
      }                                                                                            \
  }

DEFINE_QUANTIZE_GRAD (float)
DEFINE_QUANTIZE_GRAD (double)

static gboolean
check_grad (SluiceKernelCall *call, gint64 axis)
{
  const SluiceShape *x = &sluice_call_input (call, 1)->shape;
  if (axis < -1 || axis >= x->rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "axis %" G_GINT64_FORMAT " is not -1 or one of the %d dimensions",
                             axis, x->rank);
  if (!sluice_shape_equal (x, &sluice_call_input (call, 0)->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the gradient and the input must be of one shape");
  for (guint i = 2; i < 4; i++)
    {
      const SluiceShape *bound = &sluice_call_input (call, i)->shape;
      if (!sluice_call_want_rank (call, i, axis == -1 ? 0 : 1))
        return FALSE;
      if (axis >= 0 && bound->dim[0] != x->dim[axis])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u has %" G_GINT64_FORMAT
                                 " elements, but there are %" G_GINT64_FORMAT " ranges",
                                 i, bound->dim[0], x->dim[axis]);
    }
  return TRUE;
}

static gboolean
quantize_grad_compute (SluiceKernelCall *call)
{
  gint64 axis = *(const gint64 *) call->state;
  if (!check_grad (call, axis))
    return FALSE;
  const SluiceTensor *x = sluice_call_input (call, 1);
  SluiceTensor *out = sluice_call_output (call, 0, &x->shape);
  for (guint i = 1; out != NULL && i < 3; i++)
    {
      SluiceTensor *bound = sluice_call_output (call, i, &sluice_call_input (call, i + 1)->shape);
      if (bound == NULL)
        return FALSE;
      memset (bound->data, 0, bound->n_elements * sluice_dtype_size (bound->dtype));
    }
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  SluiceAxisSplit split = axis < 0 ? (SluiceAxisSplit){ 1, 1, x->n_elements }
                                   : sluice_axis_split (&x->shape, (int) axis);
  if (out->dtype == SLUICE_DOUBLE)
    {
      quantize_grad_double (&split, sluice_call_input (call, 0)->data, x->data,
                            sluice_call_input (call, 2)->data, sluice_call_input (call, 3)->data,
                            out->data);
      return TRUE;
    }
  g_autoptr (SluiceTensor) dy = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) wide = sluice_call_widen_input (call, 1);
  g_autoptr (SluiceTensor) min = sluice_call_widen_input (call, 2);
  g_autoptr (SluiceTensor) max = sluice_call_widen_input (call, 3);
  g_autoptr (SluiceTensor) result = out->dtype == SLUICE_FLOAT
                                        ? sluice_tensor_ref (out)
                                        : sluice_call_scratch (call, SLUICE_FLOAT, &out->shape);
  if (dy == NULL || wide == NULL || min == NULL || max == NULL || result == NULL)
    return FALSE;
  quantize_grad_float (&split, dy->data, wide->data, min->data, max->data, result->data);
  if (out->dtype != SLUICE_FLOAT)
    sluice_narrow (out->dtype, result->data, out->data, out->n_elements);
  return TRUE;
}

static gpointer
quantize_grad_prepare (const SluiceNode *node, GError **error)
{
  gint64 *axis = g_new (gint64, 1);
  *axis = sluice_node_get_int (node, "axis");
  return axis;
}

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .prepare = quantize_prepare, .free_state = g_free,                \
    .compute = quantize_compute                                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("QuantizeAndDequantize"),
  KERNEL ("QuantizeAndDequantizeV2"),
  KERNEL ("QuantizeAndDequantizeV3"),
  KERNEL ("QuantizeAndDequantizeV4"),
  { .op = "QuantizeAndDequantizeV4Grad",
    .device = "CPU",
    .prepare = quantize_grad_prepare,
    .free_state = g_free,
    .compute = quantize_grad_compute },
};

const SluiceKernelModule sluice_module_array_quantize_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
