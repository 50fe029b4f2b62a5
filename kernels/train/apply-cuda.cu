/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Optimizers on a CUDA device: the checks, locks and scalars are those of apply-cpu.c, which is
 * compiled once more for it; the rules are launches. */
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/train/apply.h"
#include "kernels/train/steps.h"
}

template <typename T>
static T *
map_slot (const SluiceRuleOperands *o, guint slot, gint64 n)
{
  return (T *) sluice_cuda_map (o->slot[slot], n * sizeof (T),
                                SLUICE_CUDA_READ | SLUICE_CUDA_WRITE);
}

template <typename T>
static const T *
map_grad (const SluiceRuleOperands *o, gint64 n)
{
  return (const T *) sluice_cuda_map (o->grad, n * sizeof (T), SLUICE_CUDA_READ);
}

SLUICE_DEVICE float
root_of (float x)
{
  return sqrtf (x);
}
SLUICE_DEVICE double
root_of (double x)
{
  return sqrt (x);
}
static inline float
host_root_of (float x)
{
  return sqrtf (x);
}
static inline double
host_root_of (double x)
{
  return sqrt (x);
}

template <typename T>
static void
descent (const SluiceRuleOperands *o, gint64 n)
{
  T *var = map_slot<T> (o, 0, n);
  const T *grad = map_grad<T> (o, n);
  const T alpha = ((const T *) o->scalar)[0];
  if (var != NULL && grad != NULL)
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { SLUICE_DESCENT_STEP });
}

template <typename T>
static void
momentum_rule (const SluiceRuleOperands *o, gint64 n)
{
  T *var = map_slot<T> (o, 0, n), *accum = map_slot<T> (o, 1, n);
  const T *grad = map_grad<T> (o, n);
  const T lr = ((const T *) o->scalar)[0], momentum = ((const T *) o->scalar)[1];
  if (var == NULL || accum == NULL || grad == NULL)
    return;
  if (o->flag)
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { SLUICE_NESTEROV_STEP (T) });
  else
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { SLUICE_MOMENTUM_STEP (T) });
}

template <typename T>
static void
keras_momentum_rule (const SluiceRuleOperands *o, gint64 n)
{
  T *var = map_slot<T> (o, 0, n), *accum = map_slot<T> (o, 1, n);
  const T *grad = map_grad<T> (o, n);
  const T lr = ((const T *) o->scalar)[0], momentum = ((const T *) o->scalar)[1];
  const gboolean nesterov = o->flag;
  if (var != NULL && accum != NULL && grad != NULL)
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { SLUICE_KERAS_MOMENTUM_STEP (T) });
}

template <typename T>
static void
adam_rule (const SluiceRuleOperands *o, gint64 n)
{
  T *var = map_slot<T> (o, 0, n), *m = map_slot<T> (o, 1, n), *v = map_slot<T> (o, 2, n);
  const T *grad = map_grad<T> (o, n), *s = (const T *) o->scalar;
  const T beta1 = s[3], rest1 = 1 - s[3], rest2 = 1 - s[4], epsilon = s[5];
  const T alpha = s[2] * host_root_of (1 - s[1]) / (1 - s[0]);
  if (var == NULL || m == NULL || v == NULL || grad == NULL)
    return;
  if (o->flag)
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { SLUICE_NESTEROV_ADAM_STEP (T, root_of) });
  else
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { SLUICE_ADAM_STEP (T, root_of) });
}

template <typename T>
static void
amsgrad_rule (const SluiceRuleOperands *o, gint64 n)
{
  T *var = map_slot<T> (o, 0, n), *m = map_slot<T> (o, 1, n), *v = map_slot<T> (o, 2, n);
  T *most = map_slot<T> (o, 3, n);
  const T *grad = map_grad<T> (o, n), *s = (const T *) o->scalar;
  const T rest1 = 1 - s[3], rest2 = 1 - s[4], epsilon = s[5];
  const T alpha = s[2] * host_root_of (1 - s[1]) / (1 - s[0]);
  if (var != NULL && m != NULL && v != NULL && most != NULL && grad != NULL)
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { SLUICE_AMSGRAD_STEP (T, root_of) });
}

static const SluiceRule rule_descent = { 1, 2, descent<float>, descent<double>, NULL };
static const SluiceRule rule_momentum = { 2, 3, momentum_rule<float>, momentum_rule<double>, NULL };
static const SluiceRule rule_keras_momentum = { 2, 3, keras_momentum_rule<float>,
                                                keras_momentum_rule<double>, NULL };
static const SluiceRule rule_adam = { 3, 9, adam_rule<float>, adam_rule<double>, NULL };
static const SluiceRule rule_amsgrad = { 4, 10, amsgrad_rule<float>, amsgrad_rule<double>, NULL };

/* Half types are widened in blocks on the host. */
#define KERNEL(name, rule)                                                                         \
  { .op = name, .device = "CUDA",                                                                  \
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) } },                  \
    .prepare = sluice_rule_prepare, .compute = sluice_rule_compute, .data = (gpointer) &rule },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  KERNEL ("ApplyGradientDescent", rule_descent)
  KERNEL ("ResourceApplyGradientDescent", rule_descent)
  KERNEL ("ApplyMomentum", rule_momentum)
  KERNEL ("ResourceApplyMomentum", rule_momentum)
  KERNEL ("ApplyAdam", rule_adam)
  KERNEL ("ResourceApplyAdam", rule_adam)
  KERNEL ("ResourceApplyAdamWithAmsgrad", rule_amsgrad)
  KERNEL ("ResourceApplyKerasMomentum", rule_keras_momentum)
  /* clang-format on */
};

extern "C" const SluiceKernelModule sluice_module_train_apply_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
