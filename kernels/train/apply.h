/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* An optimizer as a rule over elements; locks, checks, threads and half types are done once for
 * all. */
enum
{
  SLUICE_RULE_SLOTS = 4,
  SLUICE_RULE_SCALARS = 6,
};

/* What a rule sees: n elements of the variable and its slots, the gradient, and the scalars in the
 * order of the op's inputs. All of one type, float or double. */
typedef struct
{
  void *slot[SLUICE_RULE_SLOTS];
  const void *grad;
  const void *scalar;
  gboolean flag; /* the op's one boolean: use_nesterov, update_slots, multiply_linear_by_lr */
} SluiceRuleOperands;

typedef struct
{
  guint n_slots; /* the variable and what goes with it: the first inputs */
  guint grad;    /* which input is the gradient; the others are scalars */
  void (*apply_float) (const SluiceRuleOperands *o, gint64 n);
  void (*apply_double) (const SluiceRuleOperands *o, gint64 n);
  /* (nullable): what TensorFlow asks of each scalar: '+' above 0, '0' not below, '-' not above */
  const char *bounds;
} SluiceRule;

gboolean sluice_rule_compute (SluiceKernelCall *call);
/* The same rule on the rows that the input behind the gradient names, in order. */
gboolean sluice_rule_sparse_compute (SluiceKernelCall *call);
gpointer sluice_rule_prepare (const SluiceNode *node, GError **error);

#define SLUICE_RULE_KERNEL(name, rule, ...)                                                        \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_FLOATS } },                          \
    .prepare = sluice_rule_prepare, .compute = sluice_rule_compute, .data = (gpointer) &rule,      \
    __VA_ARGS__                                                                                    \
  }
#define SLUICE_RULE_SPARSE_KERNEL(name, rule)                                                      \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_FLOATS } },                          \
    .prepare = sluice_rule_prepare, .compute = sluice_rule_sparse_compute,                         \
    .data = (gpointer) &rule                                                                       \
  }
