/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * QuantizeAndDequantize, V2, V3 and V4: numbers rounded to what num_bits can tell apart in their
 * range, of the whole tensor or of each slice along an axis. The gradient passes as if nothing had
 * happened, that of V4 only between the bounds.
 */
#include <glib/gi18n-lib.h>
#include <float.h>
#include <math.h>

#include "kernels/array/array.h"
#include "kernels/typed.h"

static gboolean
quantize_shape (SluiceShapeContext *c, GError **error)
{
  gint64 axis =
      sluice_op_find_attr (c->node->op, "axis") ? sluice_node_get_int (c->node, "axis") : -1;
  if (axis < -1)
    return sluice_shape_context_fail (c, error,
                                      "axis is %" G_GINT64_FORMAT ", but must be -1 or more", axis);
  return sluice_shape_context_want_rank_at_least (c, 0, MIN (axis, SLUICE_MAX_RANK) + 1, error)
         && sluice_shape_unchanged (c, error);
}

/* Bounds at inputs 2 and 3, of whose shape their gradients are. */
static gboolean
quantize_grad_shape (SluiceShapeContext *c, GError **error)
{
  gint64 axis = sluice_node_get_int (c->node, "axis");
  SluiceShape shape, bounds;
  if (axis < -1)
    return sluice_shape_context_fail (c, error,
                                      "axis is %" G_GINT64_FORMAT ", but must be -1 or more", axis);
  if (!sluice_shape_context_want_rank (c, 2, axis == -1 ? 0 : 1, error)
      || !sluice_shape_context_want_rank (c, 3, axis == -1 ? 0 : 1, error)
      || !sluice_shape_context_merge (c, 2, 3, &bounds, error)
      || !sluice_shape_context_merge (c, 0, 1, &shape, error)
      || !sluice_shape_context_want_rank_at_least (c, 0, MIN (axis, SLUICE_MAX_RANK) + 1, error)
      || !sluice_shape_context_want_rank_at_least (c, 1, MIN (axis, SLUICE_MAX_RANK) + 1, error))
    return FALSE;
  if (bounds.rank < 0)
    bounds = sluice_shape_of_rank (axis == -1 ? 0 : 1);
  sluice_shape_context_set (c, 0, &shape);
  sluice_shape_context_set (c, 1, &bounds);
  sluice_shape_context_set (c, 2, &bounds);
  return TRUE;
}

/* ---- kernels ---- */

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

/* ---- definitions ---- */

static gboolean
v4_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge all =
      sluice_op_with (&g->b, "QuantizeAndDequantizeV4Grad",
                      SLUICE_ATTRS (sluice_grad_attr (g, "axis")), sluice_grad_dy (g, 0),
                      sluice_grad_input (g, 0), sluice_grad_input (g, 1), sluice_grad_input (g, 2));
  for (int i = 0; i < 3; i++)
    sluice_grad_set (g, i, sluice_edge_port (all, i));
  return TRUE;
}

/* Of the gradient that passed; the others are zeros. */
static gboolean
v4_grad_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge all =
      sluice_op_with (&g->b, "QuantizeAndDequantizeV4Grad",
                      SLUICE_ATTRS (sluice_grad_attr (g, "axis")), sluice_grad_dy (g, 0),
                      sluice_grad_input (g, 1), sluice_grad_input (g, 2), sluice_grad_input (g, 3));
  sluice_grad_set (g, 0, all);
  return TRUE;
}

/* Rounding has no slope: nothing to compare the gradient with. */
static const SluiceSample v1_samples[] = {
  { "", "float[3,4] in (-2,2)", 1e-5, 1e-6, TRUE },
  { "range_given=true; input_min=-1.0; input_max=1.5; num_bits=4", "float[17]", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe v1_recipe = { v1_samples, G_N_ELEMENTS (v1_samples), SLUICE_SET_FLOATS };

static const SluiceSample v2_samples[] = {
  { "", "float[3,4] in (-2,2); float[]=0; float[]=0", 1e-5, 1e-6, TRUE },
  { "range_given=true; narrow_range=true; round_mode='HALF_UP'; num_bits=5",
    "float[17] in (-2,2); float[]=-1; float[]=1.5", 1e-5, 1e-6, TRUE },
  { "axis=1; signed_input=false", "float[2,3,2]; float[]=0; float[]=0", 1e-5, 1e-6, TRUE },
  { "", "float[0]; float[]=0; float[]=0", 0, 0, TRUE },
};
static const SluiceRecipe v2_recipe = { v2_samples, G_N_ELEMENTS (v2_samples), SLUICE_SET_FLOATS };

static const SluiceSample v3_samples[] = {
  { "", "float[3,4] in (-2,2); float[]=-1; float[]=1; int32[]={6}", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe v3_recipe = { v3_samples, G_N_ELEMENTS (v3_samples), SLUICE_SET_FLOATS };

static const SluiceSample v4_samples[] = {
  { "range_given=true", "float[3,4] in (-2,2); float[]=-1; float[]=1", 1e-5, 1e-6, TRUE },
  { "range_given=true; axis=1; num_bits=3; narrow_range=true",
    "float[2,3,2] in (-2,2); float[3]=-1; float[3]=1.5", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe v4_recipe = { v4_samples, G_N_ELEMENTS (v4_samples), SLUICE_SET_FLOATS };

static const SluiceSample v4_grad_samples[] = {
  { "", "float[3,4]; float[3,4] in (-2,2); float[]=-1; float[]=1", 1e-6, 1e-6, TRUE },
  { "axis=1", "float[2,3,2]; float[2,3,2] in (-2,2); float[3]=-1; float[3]=1", 1e-6, 1e-6, TRUE },
};
static const SluiceRecipe v4_grad_recipe = { v4_grad_samples, G_N_ELEMENTS (v4_grad_samples),
                                             SLUICE_SET_FLOATS };

#define FLOATS "T: {bfloat16, half, float, double}"
#define ROUNDED                                                                                    \
  "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; " FLOATS               \
  "; round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; "                                   \
  "narrow_range: bool = false; axis: int = -1"
#define SUMMARY N_ ("Rounds to what a number of bits can tell apart")

static const SluiceOpDef v1_op = {
  .name = "QuantizeAndDequantize",
  .signature = "input: T -> output: T",
  .attrs = "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; "
           "input_min: float = 0.0; input_max: float = 0.0; " FLOATS,
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = sluice_grad_pass,
  .recipe = &v1_recipe,
};

static const SluiceOpDef v2_op = {
  .name = "QuantizeAndDequantizeV2",
  .signature = "input: T, input_min: T, input_max: T -> output: T",
  .attrs = ROUNDED,
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = sluice_grad_pass,
  .recipe = &v2_recipe,
};

static const SluiceOpDef v3_op = {
  .name = "QuantizeAndDequantizeV3",
  .signature = "input: T, input_min: T, input_max: T, num_bits: int32 -> output: T",
  .attrs = "signed_input: bool = true; range_given: bool = true; " FLOATS
           "; narrow_range: bool = false; axis: int = -1",
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = sluice_grad_pass,
  .recipe = &v3_recipe,
};

static const SluiceOpDef v4_op = {
  .name = "QuantizeAndDequantizeV4",
  .signature = "input: T, input_min: T, input_max: T -> output: T",
  .attrs = ROUNDED,
  .summary = SUMMARY,
  .shape = quantize_shape,
  .gradient = v4_gradient,
  .recipe = &v4_recipe,
};

static const SluiceOpDef v4_grad_op = {
  .name = "QuantizeAndDequantizeV4Grad",
  .signature = "gradients: T, input: T, input_min: T, input_max: T -> input_backprop: T, "
               "input_min_backprop: T, input_max_backprop: T",
  .attrs = FLOATS "; axis: int = -1",
  .summary = N_ ("Gradient of QuantizeAndDequantizeV4: what was within the bounds"),
  .shape = quantize_grad_shape,
  .gradient = v4_grad_gradient,
  .recipe = &v4_grad_recipe,
};

static const SluiceOpDef *const ops[] = { &v1_op, &v2_op, &v3_op, &v4_op, &v4_grad_op };

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

const SluiceKernelModule sluice_module_array_quantize = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
