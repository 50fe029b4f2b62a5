/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "kernels/train/apply.h"
#include "kernels/typed.h"

/*
 * Rules beyond the three of apply-cpu.c; apply.c has their formulas. Each is written once for float
 * and double: T is the type, ROOT, POWER, EXP and ABS its functions of libm; g is the gradient's
 * element and s the scalars.
 */
#define RULE(T, name, ROOT, POWER, EXP, ABS, BODY)                                                 \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0], *a = o->slot[1], *b = o->slot[2], *c = o->slot[3];                        \
    const T *grad = o->grad, *s = o->scalar;                                                       \
    (void) a, (void) b, (void) c;                                                                  \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const T g = grad[i];                                                                       \
        BODY (T, ROOT, POWER, EXP, ABS)                                                            \
      }                                                                                            \
  }
#define BOUND_RULES(name, n_slots, grad, BODY, bounds)                                             \
  RULE (float, name##_float, sqrtf, powf, expf, fabsf, BODY)                                       \
  RULE (double, name##_double, sqrt, pow, exp, fabs, BODY)                                         \
  static const SluiceRule name = { n_slots, grad, name##_float, name##_double, bounds };
#define RULES(name, n_slots, grad, BODY) BOUND_RULES (name, n_slots, grad, BODY, NULL)

#define SIGN(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : 0)

/* a = ms, b = mom; s = lr rho momentum epsilon */
#define RMSPROP(T, ROOT, POWER, EXP, ABS)                                                          \
  a[i] += (g * g - a[i]) * (1 - s[1]);                                                             \
  b[i] = b[i] * s[2] + g * s[0] / ROOT (a[i] + s[3]);                                              \
  var[i] -= b[i];
RULES (rmsprop, 3, 7, RMSPROP)

/* a = mg, b = ms, c = mom; s = lr rho momentum epsilon */
#define CENTERED(T, ROOT, POWER, EXP, ABS)                                                         \
  b[i] += (g * g - b[i]) * (1 - s[1]);                                                             \
  a[i] += (g - a[i]) * (1 - s[1]);                                                                 \
  c[i] = c[i] * s[2] + s[0] * g / ROOT (b[i] - a[i] * a[i] + s[3]);                                \
  var[i] -= c[i];
RULES (centered, 4, 8, CENTERED)

/* a = accum; s = lr */
#define ADAGRAD(T, ROOT, POWER, EXP, ABS)                                                          \
  if (o->flag)                                                                                     \
    a[i] += g * g;                                                                                 \
  var[i] -= g * s[0] / ROOT (a[i]);
RULES (adagrad, 2, 3, ADAGRAD)

/* s = lr epsilon */
#define ADAGRAD_V2(T, ROOT, POWER, EXP, ABS)                                                       \
  if (o->flag)                                                                                     \
    a[i] += g * g;                                                                                 \
  var[i] -= g * s[0] / (ROOT (a[i]) + s[1]);
RULES (adagrad_v2, 2, 4, ADAGRAD_V2)

/* a = accum, b = accum_update; s = lr rho epsilon */
#define ADADELTA(T, ROOT, POWER, EXP, ABS)                                                         \
  a[i] = a[i] * s[1] + g * g * (1 - s[1]);                                                         \
  const T update = ROOT (b[i] + s[2]) / ROOT (a[i] + s[2]) * g;                                    \
  var[i] -= update * s[0];                                                                         \
  b[i] = b[i] * s[1] + update * update * (1 - s[1]);
RULES (adadelta, 3, 6, ADADELTA)

/* a = accum, b = linear; shrunk: the gradient with l2 shrinkage; p = -lr_power */
#define FTRL_STEP(T, POWER, ABS, shrunk, lr, l1, l2, p)                                            \
  const T grown = a[i] + g * g;                                                                    \
  const T difference = POWER (grown, p) - POWER (a[i], p);                                         \
  const T scale = o->flag ? 1 : lr, bound = o->flag ? l1 * lr : l1;                                \
  b[i] += (o->flag ? (shrunk) *lr : (shrunk)) - difference / scale * var[i];                       \
  const T slope = POWER (grown, p) / scale + 2 * l2 * (o->flag ? lr : 1);                          \
  var[i] = ABS (b[i]) > bound ? (bound * SIGN (b[i]) - b[i]) / slope : 0;                          \
  a[i] = grown;
/* s = lr l1 l2 lr_power */
#define FTRL(T, ROOT, POWER, EXP, ABS) FTRL_STEP (T, POWER, ABS, g, s[0], s[1], s[2], -s[3])
RULES (ftrl, 3, 3, FTRL)
/* s = lr l1 l2 l2_shrinkage lr_power */
#define FTRL_V2(T, ROOT, POWER, EXP, ABS)                                                          \
  FTRL_STEP (T, POWER, ABS, g + 2 * s[3] * var[i], s[0], s[1], s[2], -s[4])
RULES (ftrl_v2, 3, 3, FTRL_V2)

/* a = m, b = v; s = beta1_power lr beta1 beta2 epsilon */
#define ADAMAX(T, ROOT, POWER, EXP, ABS)                                                           \
  a[i] += (g - a[i]) * (1 - s[2]);                                                                 \
  b[i] = b[i] * s[3] > ABS (g) ? b[i] * s[3] : ABS (g);                                            \
  var[i] -= s[1] / (1 - s[0]) * (a[i] / (b[i] + s[4]));
RULES (adamax, 3, 8, ADAMAX)

/* a = sum of gradients, b = of their squares; s = lr l1 l2 global_step */
#define ADAGRAD_DA(T, ROOT, POWER, EXP, ABS)                                                       \
  a[i] += g;                                                                                       \
  b[i] += g * g;                                                                                   \
  const T rest = ABS (a[i]) - s[1] * s[3];                                                         \
  const T drive = s[1] > 0 ? SIGN (a[i]) * (rest > 0 ? rest : 0) : a[i];                           \
  var[i] = -s[0] * drive / (s[2] * s[3] * s[0] + ROOT (b[i]));
RULES (adagrad_da, 3, 3, ADAGRAD_DA)

/* a = m; s = lr alpha sign_decay beta */
#define ADD_SIGN(T, ROOT, POWER, EXP, ABS)                                                         \
  a[i] = a[i] * s[3] + g * (1 - s[3]);                                                             \
  var[i] -= s[0] * (s[1] + s[2] * SIGN (g) * SIGN (a[i])) * g;
RULES (add_sign, 2, 6, ADD_SIGN)

/* a = m; s = lr logbase sign_decay beta */
#define POWER_SIGN(T, ROOT, POWER, EXP, ABS)                                                       \
  a[i] = a[i] * s[3] + g * (1 - s[3]);                                                             \
  var[i] -= s[0] * EXP (s[1] * s[2] * SIGN (g) * SIGN (a[i])) * g;
RULES (power_sign, 2, 6, POWER_SIGN)

/* Soft threshold of where plain descent at rate r would go. */
#define PROXIMAL_STEP(T, ABS, r, l1, l2)                                                           \
  const T to = var[i] - g * (r), rest = ABS (to) - (r) *l1;                                        \
  var[i] = (l1 > 0 ? SIGN (to) * (rest > 0 ? rest : 0) : to) / (1 + l2 * (r));
/* s = alpha l1 l2 */
#define PROXIMAL(T, ROOT, POWER, EXP, ABS) PROXIMAL_STEP (T, ABS, s[0], s[1], s[2])
RULES (proximal, 1, 4, PROXIMAL)
/* a = accum; s = lr l1 l2 */
#define PROXIMAL_ADAGRAD(T, ROOT, POWER, EXP, ABS)                                                 \
  a[i] += g * g;                                                                                   \
  const T rate = s[0] / ROOT (a[i]);                                                               \
  PROXIMAL_STEP (T, ABS, rate, s[1], s[2])
BOUND_RULES (proximal_adagrad, 2, 5, PROXIMAL_ADAGRAD, "+00")

/* TensorFlow asks more of the scalars where rows are sparse. */
static const SluiceRule sparse_ftrl = { 3, 3, ftrl_float, ftrl_double, "+00-" };
static const SluiceRule sparse_ftrl_v2 = { 3, 3, ftrl_v2_float, ftrl_v2_double, "+000-" };

#define BOTH(name, rule)                                                                           \
  SLUICE_RULE_KERNEL ("Apply" name, rule), SLUICE_RULE_KERNEL ("ResourceApply" name, rule)

#define BOTH_SPARSE(name, rule)                                                                    \
  SLUICE_RULE_SPARSE_KERNEL ("SparseApply" name, rule),                                            \
      SLUICE_RULE_SPARSE_KERNEL ("ResourceSparseApply" name, rule)

static const SluiceKernel kernels[] = {
  BOTH ("RMSProp", rmsprop),
  BOTH ("CenteredRMSProp", centered),
  BOTH ("Adagrad", adagrad),
  BOTH ("AdagradV2", adagrad_v2),
  BOTH ("Adadelta", adadelta),
  BOTH ("Ftrl", ftrl),
  BOTH ("FtrlV2", ftrl_v2),
  BOTH ("AdaMax", adamax),
  BOTH ("AdagradDA", adagrad_da),
  BOTH ("AddSign", add_sign),
  BOTH ("PowerSign", power_sign),
  BOTH ("ProximalGradientDescent", proximal),
  BOTH ("ProximalAdagrad", proximal_adagrad),
  BOTH_SPARSE ("RMSProp", rmsprop),
  BOTH_SPARSE ("CenteredRMSProp", centered),
  BOTH_SPARSE ("Adagrad", adagrad),
  BOTH_SPARSE ("AdagradV2", adagrad_v2),
  BOTH_SPARSE ("Adadelta", adadelta),
  BOTH_SPARSE ("Ftrl", sparse_ftrl),
  BOTH_SPARSE ("FtrlV2", sparse_ftrl_v2),
  BOTH_SPARSE ("AdagradDA", adagrad_da),
  BOTH_SPARSE ("ProximalGradientDescent", proximal),
  BOTH_SPARSE ("ProximalAdagrad", proximal_adagrad),
};

const SluiceKernelModule sluice_module_train_adaptive_cpu = { .kernels = kernels,
                                                              .n_kernels = G_N_ELEMENTS (kernels) };
