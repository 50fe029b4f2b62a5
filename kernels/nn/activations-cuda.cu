/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/nn/activations.h"
}

/* y (nullable): the second operand. Of gradients dy comes first, x second. */
typedef void (*Launch) (gint64 n, const void *x, const void *y, void *out, float alpha);
typedef struct
{
  SluiceDType dtype; /* SLUICE_INVALID: the last */
  Launch launch;
} Entry;

template <typename M, typename F>
static void
launch_unary (gint64 n, const void *x_, const void *unused, void *out_, float alpha)
{
  const M *x = (const M *) x_;
  M *out = (M *) out_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    sluice_put (&out[i], F () (sluice_wide (x[i]), alpha));
  });
}

template <typename M, typename F>
static void
launch_binary (gint64 n, const void *dy_, const void *x_, void *out_, float alpha)
{
  const M *dy = (const M *) dy_, *x = (const M *) x_;
  M *out = (M *) out_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    sluice_put (&out[i], F () (sluice_wide (dy[i]), sluice_wide (x[i]), alpha));
  });
}

#define UNARY(T, name, expression, ...)                                                            \
  struct Activation_##name                                                                         \
  {                                                                                                \
    SLUICE_MEMBER T operator() (T x, float alpha) const { return (T) (expression); }               \
  };
#define BINARY(T, name, expression, ...)                                                           \
  struct Activation_##name                                                                         \
  {                                                                                                \
    SLUICE_MEMBER T operator() (T dy, T x, float alpha) const { return (T) (expression); }         \
  };
#define RELU_FAMILY(T, suffix)                                                                     \
  UNARY (T, relu_##suffix, RELU (x))                                                               \
  UNARY (T, relu6_##suffix, RELU6 (x))                                                             \
  BINARY (T, relu_grad_##suffix, RELU_GRAD (T))                                                    \
  BINARY (T, relu6_grad_##suffix, RELU6_GRAD (T))

RELU_FAMILY (float, float)
RELU_FAMILY (double, double)
RELU_FAMILY (gint8, i8)
RELU_FAMILY (gint16, i16)
RELU_FAMILY (gint32, i32)
RELU_FAMILY (gint64, i64)
RELU_FAMILY (guint8, u8)
RELU_FAMILY (guint16, u16)
RELU_FAMILY (guint32, u32)
RELU_FAMILY (guint64, u64)
SLUICE_ACTIVATIONS (UNARY, BINARY)

#define FLOATS(launch, name)                                                                       \
  { SLUICE_FLOAT, launch<float, Activation_##name##_float> },                                      \
  { SLUICE_DOUBLE, launch<double, Activation_##name##_double> },                                   \
  { SLUICE_HALF, launch<SluiceHalf, Activation_##name##_float> },                                  \
  { SLUICE_BFLOAT16, launch<SluiceBfloat, Activation_##name##_float> },
#define REALS(launch, name)                                                                        \
  FLOATS (launch, name)                                                                            \
  { SLUICE_INT8, launch<gint8, Activation_##name##_i8> },                                          \
  { SLUICE_INT16, launch<gint16, Activation_##name##_i16> },                                       \
  { SLUICE_INT32, launch<gint32, Activation_##name##_i32> },                                       \
  { SLUICE_INT64, launch<gint64, Activation_##name##_i64> },                                       \
  { SLUICE_UINT8, launch<guint8, Activation_##name##_u8> },                                        \
  { SLUICE_UINT16, launch<guint16, Activation_##name##_u16> },                                     \
  { SLUICE_UINT32, launch<guint32, Activation_##name##_u32> },                                     \
  { SLUICE_UINT64, launch<guint64, Activation_##name##_u64> },

#define OF(each, launch, name)                                                                     \
  static const Entry name[] = { each (launch, name){ SLUICE_INVALID, NULL } };
OF (REALS, launch_unary, relu)
OF (REALS, launch_unary, relu6)
OF (REALS, launch_binary, relu_grad)
OF (REALS, launch_binary, relu6_grad)
OF (FLOATS, launch_unary, elu)
OF (FLOATS, launch_binary, elu_grad)
OF (FLOATS, launch_unary, softplus)
OF (FLOATS, launch_binary, softplus_grad)
OF (FLOATS, launch_unary, selu)
OF (FLOATS, launch_binary, selu_grad)
OF (FLOATS, launch_unary, softsign)
OF (FLOATS, launch_binary, softsign_grad)
OF (FLOATS, launch_unary, leaky_relu)
OF (FLOATS, launch_binary, leaky_relu_grad)

static gboolean
check_gradient (SluiceKernelCall *call)
{
  const SluiceShape *x = &sluice_call_input (call, 0)->shape;
  const SluiceShape *y = &sluice_call_input (call, 1)->shape;
  char sx[SLUICE_SHAPE_STR], sy[SLUICE_SHAPE_STR];
  if (sluice_shape_equal (x, y))
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "the gradient has shape %s, the features %s; make them equal",
                           sluice_shape_str (x, sx), sluice_shape_str (y, sy));
}

static gboolean
activation_compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  const SluiceTensor *y = call->n_inputs > 1 ? sluice_call_input (call, 1) : NULL;
  if (y != NULL && !check_gradient (call))
    return FALSE;
  const Entry *entry = (const Entry *) call->kernel->data;
  while ((int) entry->dtype != x->dtype)
    entry++;
  guint from = y != NULL && !sluice_call_can_reuse (call, 0) ? 1 : 0;
  SluiceTensor *out = sluice_call_reuse (call, 0, from, &x->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *at_x = sluice_cuda_tensor (x, SLUICE_CUDA_READ);
  const void *at_y = y != NULL ? sluice_cuda_tensor (y, SLUICE_CUDA_READ) : at_x;
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (at_x != NULL && at_y != NULL && to != NULL)
    entry->launch (out->n_elements, at_x, at_y, to,
                   call->state != NULL ? *(const float *) call->state : 0);
  return sluice_cuda_end (call);
}

static gpointer
alpha_prepare (const SluiceNode *node, GError **error)
{
  float *alpha = g_new (float, 1);
  *alpha = sluice_node_get_float (node, "alpha");
  return alpha;
}

#define KERNEL(name, types, entries)                                                               \
  { .op = name, .device = "CUDA", .where = { { "T", types } }, .compute = activation_compute,      \
    .data = (gpointer) entries },
#define LEAKY(name, entries)                                                                       \
  { .op = name, .device = "CUDA", .where = { { "T", SLUICE_SET_FLOATS } },                         \
    .prepare = alpha_prepare, .free_state = g_free, .compute = activation_compute,                 \
    .data = (gpointer) entries },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  KERNEL ("Relu", SLUICE_SET_REAL, relu)
  KERNEL ("Relu6", SLUICE_SET_REAL, relu6)
  KERNEL ("ReluGrad", SLUICE_SET_REAL, relu_grad)
  KERNEL ("Relu6Grad", SLUICE_SET_REAL, relu6_grad)
  KERNEL ("Elu", SLUICE_SET_FLOATS, elu)
  KERNEL ("EluGrad", SLUICE_SET_FLOATS, elu_grad)
  KERNEL ("Softplus", SLUICE_SET_FLOATS, softplus)
  KERNEL ("SoftplusGrad", SLUICE_SET_FLOATS, softplus_grad)
  KERNEL ("Selu", SLUICE_SET_FLOATS, selu)
  KERNEL ("SeluGrad", SLUICE_SET_FLOATS, selu_grad)
  KERNEL ("Softsign", SLUICE_SET_FLOATS, softsign)
  KERNEL ("SoftsignGrad", SLUICE_SET_FLOATS, softsign_grad)
  LEAKY ("LeakyRelu", leaky_relu)
  LEAKY ("LeakyReluGrad", leaky_relu_grad)
  /* clang-format on */
};

extern "C" const SluiceKernelModule sluice_module_nn_activations_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
