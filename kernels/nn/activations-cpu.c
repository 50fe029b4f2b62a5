/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "kernels/nn/activations.h"
#include "kernels/typed.h"

/* out[i] = f (x[i]) or f (x[i], y[i]); out may be x or y. alpha: LeakyRelu's slope. */
typedef void (*Formula) (const void *x, const void *y, void *out, gint64 n, float alpha);

/* The formulas of an op by type; half types go through float. */
typedef struct
{
  double ns; /* about how long an element takes */
  Formula by_type[SLUICE_N_DTYPES];
} Activation;

/* The last argument: what stands before the loop. */
#define UNARY(T, name, expression, ...)                                                            \
  SLUICE_HOT static void name (const void *in, const void *unused, void *to, gint64 n,             \
                               float alpha)                                                        \
  {                                                                                                \
    const T *from = in;                                                                            \
    T *out = to;                                                                                   \
    __VA_ARGS__ for (gint64 i = 0; i < n; i++)                                                     \
    {                                                                                              \
      T x = from[i];                                                                               \
      out[i] = expression;                                                                         \
    }                                                                                              \
  }
#define BINARY(T, name, expression, ...)                                                           \
  SLUICE_HOT static void name (const void *in, const void *other, void *to, gint64 n, float alpha) \
  {                                                                                                \
    const T *first = in, *second = other;                                                          \
    T *out = to;                                                                                   \
    __VA_ARGS__ for (gint64 i = 0; i < n; i++)                                                     \
    {                                                                                              \
      T dy = first[i], x = second[i];                                                              \
      out[i] = expression;                                                                         \
    }                                                                                              \
  }

#define ALL_REALS(each)                                                                            \
  each (float, float) each (double, double) each (gint8, i8) each (gint16, i16) each (gint32, i32) \
      each (gint64, i64) each (guint8, u8) each (guint16, u16) each (guint32, u32)                 \
          each (guint64, u64)

#define RELU_FAMILY(T, suffix)                                                                     \
  UNARY (T, relu_##suffix, RELU (x), SLUICE_UNROLL)                                                \
  UNARY (T, relu6_##suffix, RELU6 (x), SLUICE_UNROLL)                                              \
  BINARY (T, relu_grad_##suffix, RELU_GRAD (T), SLUICE_UNROLL)                                     \
  BINARY (T, relu6_grad_##suffix, RELU6_GRAD (T), SLUICE_UNROLL)
ALL_REALS (RELU_FAMILY)
SLUICE_ACTIVATIONS (UNARY, BINARY)

#define FLOATS(name) [SLUICE_FLOAT] = name##_float, [SLUICE_DOUBLE] = name##_double
#define REALS(name)                                                                                \
  FLOATS (name), [SLUICE_INT8] = name##_i8, [SLUICE_INT16] = name##_i16,                           \
                 [SLUICE_INT32] = name##_i32, [SLUICE_INT64] = name##_i64,                         \
                 [SLUICE_UINT8] = name##_u8, [SLUICE_UINT16] = name##_u16,                         \
                 [SLUICE_UINT32] = name##_u32, [SLUICE_UINT64] = name##_u64

static const Activation relu = { 0.2, { REALS (relu) } };
static const Activation relu6 = { 0.2, { REALS (relu6) } };
static const Activation relu_grad = { 0.3, { REALS (relu_grad) } };
static const Activation relu6_grad = { 0.3, { REALS (relu6_grad) } };
static const Activation elu = { 0.7, { FLOATS (elu) } };
static const Activation elu_grad = { 0.3, { FLOATS (elu_grad) } };
static const Activation softplus = { 1.2, { FLOATS (softplus) } };
static const Activation softplus_grad = { 0.7, { FLOATS (softplus_grad) } };
static const Activation selu = { 0.7, { FLOATS (selu) } };
static const Activation selu_grad = { 0.3, { FLOATS (selu_grad) } };
static const Activation softsign = { 0.4, { FLOATS (softsign) } };
static const Activation softsign_grad = { 0.5, { FLOATS (softsign_grad) } };
static const Activation leaky_relu = { 0.2, { FLOATS (leaky_relu) } };
static const Activation leaky_relu_grad = { 0.3, { FLOATS (leaky_relu_grad) } };

typedef struct
{
  const Activation *activation;
  SluiceDType dtype;
  gsize size; /* of an element */
  const char *x, *y;
  char *out;
  float alpha;
} Work;

/* Half types: blocks are widened, computed and narrowed. */
#define BLOCK 512
static void
apply_half (const Work *work, gint64 begin, gint64 end)
{
  float x[BLOCK], y[BLOCK];
  for (gint64 at = begin; at < end; at += BLOCK)
    {
      gint64 n = MIN (BLOCK, end - at);
      sluice_widen (work->dtype, work->x + 2 * at, x, n);
      if (work->y)
        sluice_widen (work->dtype, work->y + 2 * at, y, n);
      work->activation->by_type[SLUICE_FLOAT](x, y, x, n, work->alpha);
      sluice_narrow (work->dtype, x, work->out + 2 * at, n);
    }
}

static void
apply_range (gpointer data, gint64 begin, gint64 end)
{
  const Work *work = data;
  if (sluice_dtype_is_half (work->dtype))
    return apply_half (work, begin, end);
  gsize offset = begin * work->size;
  work->activation->by_type[work->dtype](work->x + offset, work->y ? work->y + offset : NULL,
                                         work->out + offset, end - begin, work->alpha);
}

static gpointer
alpha_prepare (const SluiceNode *node, GError **error)
{
  float *alpha = g_new (float, 1);
  *alpha = sluice_node_get_float (node, "alpha");
  return alpha;
}

/* x: of the gradient. */
static gboolean
check_gradient (SluiceKernelCall *call, const SluiceShape *x)
{
  const SluiceShape *y = &sluice_call_input (call, 1)->shape;
  if (sluice_shape_equal (x, y))
    return TRUE;
  char sx[SLUICE_SHAPE_STR], sy[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "the gradient has shape %s, the features %s; make them equal",
                           sluice_shape_str (x, sx), sluice_shape_str (y, sy));
}

/* ---- a gradient that comes in parts ---- */

typedef struct
{
  SluiceKernelCall *call;
  Work work;
} Parts;

static gboolean
begin_parts (gpointer data, const SluiceShape *shape, SluiceTensor **room)
{
  Parts *parts = data;
  if (!check_gradient (parts->call, shape))
    return FALSE;
  SluiceTensor *out = sluice_call_reuse (parts->call, 0, 1, shape);
  if (out == NULL)
    return FALSE;
  parts->work.y = sluice_call_input (parts->call, 1)->data;
  parts->work.out = out->data;
  return TRUE;
}

static void
take_part (gpointer data, gint64 first, gint64 n, const void *elements)
{
  Work part = ((const Parts *) data)->work;
  part.x = elements;
  part.y += first * part.size;
  part.out += first * part.size;
  apply_range (&part, 0, n);
}

static gboolean
take_parts (SluiceKernelCall *call)
{
  SluiceDType dtype = call->producer->dtype;
  Parts parts = { .call = call,
                  .work = { .activation = call->kernel->data,
                            .dtype = dtype,
                            .size = sluice_dtype_size (dtype),
                            .alpha = call->state ? *(const float *) call->state : 0 } };
  const SluicePartConsumer consumer = { begin_parts, take_part, &parts };
  return call->producer->produce (call->producer, call, &consumer);
}

/* ---- the kernel ---- */

static gboolean
activation_compute (SluiceKernelCall *call)
{
  if (call->producer)
    return take_parts (call);
  SluiceTensor *x = sluice_call_input (call, 0);
  SluiceTensor *y = call->n_inputs > 1 ? sluice_call_input (call, 1) : NULL;
  if (y && !check_gradient (call, &x->shape))
    return FALSE;
  guint from = y && !sluice_call_can_reuse (call, 0) ? 1 : 0;
  SluiceTensor *out = sluice_call_reuse (call, 0, from, &x->shape);
  if (out == NULL)
    return FALSE;
  const Activation *activation = call->kernel->data;
  Work work = { activation, out->dtype, sluice_dtype_size (out->dtype), x->data, y ? y->data : NULL,
                out->data,  0 };
  if (call->state)
    work.alpha = *(const float *) call->state;
  return sluice_call_parallel_for (call, out->n_elements, activation->ns < 1 ? 32768 : 4096,
                                   activation->ns, apply_range, &work);
}

static void
run_strip (const SluiceStrip *strip, gint64 n, const void *const *operands, guint single, void *out)
{
  ((Formula) strip->loop) (operands[0], strip->n_operands > 1 ? operands[1] : NULL, out, n,
                           strip->alpha);
}

static gboolean
activation_strip (const SluiceKernel *kernel, const SluiceNode *node, SluiceStrip *strip)
{
  const Activation *activation = kernel->data;
  SluiceDType dtype = sluice_strip_dtype (node);
  *strip = (SluiceStrip){ .run = run_strip,
                          .loop = (void (*) (void)) activation->by_type[dtype],
                          .n_operands = node->n_inputs,
                          .alpha = kernel->prepare ? sluice_node_get_float (node, "alpha") : 0,
                          .ns = activation->ns,
                          .one_shape = TRUE };
  return !sluice_dtype_is_half (dtype);
}

#define KERNEL(name, types, activation, ...)                                                       \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .compute = activation_compute,       \
    .strip = activation_strip, .data = (gpointer) &activation, __VA_ARGS__                         \
  }
#define LEAKY_KERNEL(name, activation, ...)                                                        \
  KERNEL (name, SLUICE_SET_FLOATS, activation, .prepare = alpha_prepare, .free_state = g_free,     \
          __VA_ARGS__)
/* Of the gradients' kernels: the gradient may come in parts. */
#define CONSUMES_GRADIENT .consumed = 1 + 0

static const SluiceKernel kernels[] = {
  KERNEL ("Relu", SLUICE_SET_REAL, relu),
  KERNEL ("Relu6", SLUICE_SET_REAL, relu6),
  KERNEL ("ReluGrad", SLUICE_SET_REAL, relu_grad, CONSUMES_GRADIENT),
  KERNEL ("Relu6Grad", SLUICE_SET_REAL, relu6_grad, CONSUMES_GRADIENT),
  KERNEL ("Elu", SLUICE_SET_FLOATS, elu),
  KERNEL ("EluGrad", SLUICE_SET_FLOATS, elu_grad, CONSUMES_GRADIENT),
  KERNEL ("Softplus", SLUICE_SET_FLOATS, softplus),
  KERNEL ("SoftplusGrad", SLUICE_SET_FLOATS, softplus_grad, CONSUMES_GRADIENT),
  KERNEL ("Selu", SLUICE_SET_FLOATS, selu),
  KERNEL ("SeluGrad", SLUICE_SET_FLOATS, selu_grad, CONSUMES_GRADIENT),
  KERNEL ("Softsign", SLUICE_SET_FLOATS, softsign),
  KERNEL ("SoftsignGrad", SLUICE_SET_FLOATS, softsign_grad, CONSUMES_GRADIENT),
  LEAKY_KERNEL ("LeakyRelu", leaky_relu),
  LEAKY_KERNEL ("LeakyReluGrad", leaky_relu_grad, CONSUMES_GRADIENT),
};

const SluiceKernelModule sluice_module_nn_activations_cpu = { .kernels = kernels,
                                                              .n_kernels = G_N_ELEMENTS (kernels) };
