/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "kernels/state/access.h"
#include "kernels/train/rule.h"
#include "kernels/typed.h"

#define DESCENT(T, name)                                                                           \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0];                                                                           \
    const T *grad = o->grad;                                                                       \
    const T alpha = ((const T *) o->scalar)[0];                                                    \
    for (gint64 i = 0; i < n; i++)                                                                 \
      var[i] -= grad[i] * alpha;                                                                   \
  }
DESCENT (float, descent_float)
DESCENT (double, descent_double)

#define MOMENTUM(T, name)                                                                          \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0], *accum = o->slot[1];                                                      \
    const T *grad = o->grad;                                                                       \
    const T lr = ((const T *) o->scalar)[0], momentum = ((const T *) o->scalar)[1];                \
    if (o->flag)                                                                                   \
      for (gint64 i = 0; i < n; i++)                                                               \
        {                                                                                          \
          T g = grad[i], a = accum[i] * momentum + g;                                              \
          accum[i] = a;                                                                            \
          var[i] -= g * lr + a * momentum * lr;                                                    \
        }                                                                                          \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        {                                                                                          \
          T a = accum[i] * momentum + grad[i];                                                     \
          accum[i] = a;                                                                            \
          var[i] -= a * lr;                                                                        \
        }                                                                                          \
  }
MOMENTUM (float, momentum_float)
MOMENTUM (double, momentum_double)

#define ADAM(T, name, root)                                                                        \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0], *m = o->slot[1], *v = o->slot[2];                                         \
    const T *grad = o->grad, *s = o->scalar;                                                       \
    const T beta1 = s[3], rest1 = 1 - s[3], rest2 = 1 - s[4], epsilon = s[5];                      \
    const T alpha = s[2] * root (1 - s[1]) / (1 - s[0]);                                           \
    if (o->flag)                                                                                   \
      for (gint64 i = 0; i < n; i++)                                                               \
        {                                                                                          \
          T g = grad[i], mi = m[i] + (g - m[i]) * rest1, vi = v[i] + (g * g - v[i]) * rest2;       \
          m[i] = mi;                                                                               \
          v[i] = vi;                                                                               \
          var[i] -= (g * rest1 + beta1 * mi) * alpha / (root (vi) + epsilon);                      \
        }                                                                                          \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        {                                                                                          \
          T g = grad[i], mi = m[i] + (g - m[i]) * rest1, vi = v[i] + (g * g - v[i]) * rest2;       \
          m[i] = mi;                                                                               \
          v[i] = vi;                                                                               \
          var[i] -= mi * alpha / (root (vi) + epsilon);                                            \
        }                                                                                          \
  }
ADAM (float, adam_float, sqrtf)
ADAM (double, adam_double, sqrt)

static const SluiceRule descent = { 1, 2, descent_float, descent_double };
static const SluiceRule momentum = { 2, 3, momentum_float, momentum_double };
static const SluiceRule adam = { 3, 9, adam_float, adam_double };

typedef struct
{
  const SluiceRule *rule;
  SluiceDType dtype;
  SluiceRuleOperands operands;
} Work;

/* Half types: blocks are widened, changed and narrowed. */
#define BLOCK 256
static void
apply_half (const Work *work, const SluiceRuleOperands *at, gint64 n)
{
  float slot[SLUICE_RULE_SLOTS][BLOCK], grad[BLOCK];
  for (gint64 done = 0; done < n; done += BLOCK)
    {
      gint64 size = MIN (BLOCK, n - done);
      SluiceRuleOperands block = *at;
      for (guint s = 0; s < work->rule->n_slots; s++)
        {
          sluice_widen (work->dtype, (guint16 *) at->slot[s] + done, slot[s], size);
          block.slot[s] = slot[s];
        }
      sluice_widen (work->dtype, (const guint16 *) at->grad + done, grad, size);
      block.grad = grad;
      work->rule->apply_float (&block, size);
      for (guint s = 0; s < work->rule->n_slots; s++)
        sluice_narrow (work->dtype, slot[s], (guint16 *) at->slot[s] + done, size);
    }
}

static void
apply_range (gpointer data, gint64 begin, gint64 end)
{
  const Work *work = data;
  gsize offset = begin * sluice_dtype_size (work->dtype);
  SluiceRuleOperands at = work->operands;
  for (guint s = 0; s < work->rule->n_slots; s++)
    at.slot[s] = (char *) at.slot[s] + offset;
  at.grad = (const char *) at.grad + offset;
  if (work->dtype == SLUICE_FLOAT)
    work->rule->apply_float (&at, end - begin);
  else if (work->dtype == SLUICE_DOUBLE)
    work->rule->apply_double (&at, end - begin);
  else
    apply_half (work, &at, end - begin);
}

/* Reads the scalar inputs as float or double, whatever the type of the variable. */
static gboolean
read_scalars (SluiceKernelCall *call, const SluiceRule *rule, double scalars[SLUICE_RULE_SCALARS])
{
  gboolean is_double = sluice_call_input (call, rule->grad)->dtype == SLUICE_DOUBLE;
  float *narrow = (float *) scalars;
  guint n = 0;
  for (guint i = rule->n_slots; i < call->n_inputs; i++)
    {
      if (i == rule->grad)
        continue;
      if (!sluice_call_want_scalar (call, i))
        return FALSE;
      SluiceTensor *t = sluice_call_input (call, i);
      if (t->dtype == SLUICE_DOUBLE)
        scalars[n++] = *(const double *) t->data;
      else if (t->dtype == SLUICE_FLOAT)
        narrow[n++] = *(const float *) t->data;
      else if (t->dtype == SLUICE_INT64 && is_double)
        scalars[n++] = sluice_tensor_get_int (t, 0);
      else if (t->dtype == SLUICE_INT64)
        narrow[n++] = sluice_tensor_get_int (t, 0);
      else
        sluice_widen (t->dtype, t->data, &narrow[n++], 1);
    }
  return TRUE;
}

/* Fails where a slot or the gradient has not the variable's type and shape. */
static gboolean
check_like_variable (SluiceKernelCall *call,
                     const SluiceTensor *variable,
                     const SluiceTensor *other,
                     guint input)
{
  if (other->dtype == variable->dtype && sluice_shape_equal (&other->shape, &variable->shape))
    return TRUE;
  char have[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT, "%s is %s %s, the variable %s %s; make them equal",
      call->node->op->inputs[input].name, sluice_dtype_name (other->dtype),
      sluice_shape_str (&other->shape, got), sluice_dtype_name (variable->dtype),
      sluice_shape_str (&variable->shape, have));
}

/* The locks of all slots are held. */
static gboolean
apply_locked (SluiceKernelCall *call, SluiceVariable *const *variables, Work *work)
{
  const SluiceRule *rule = work->rule;
  const SluiceTensor *grad = sluice_call_input (call, rule->grad);
  SluiceTensor *tensor[SLUICE_RULE_SLOTS];
  for (guint s = 0; s < rule->n_slots; s++)
    {
      tensor[s] = sluice_call_writable (call, s, variables[s]);
      if (tensor[s] == NULL || (s > 0 && !check_like_variable (call, tensor[0], tensor[s], s)))
        return FALSE;
      work->operands.slot[s] = tensor[s]->data;
    }
  if (!check_like_variable (call, tensor[0], grad, rule->grad))
    return FALSE;
  work->operands.grad = grad->data;
  work->dtype = grad->dtype;
  return sluice_call_parallel_for (call, grad->n_elements, 16384, 0.5 * rule->n_slots, apply_range,
                                   work);
}

gboolean
sluice_rule_compute (SluiceKernelCall *call)
{
  const SluiceRule *rule = call->kernel->data;
  double scalars[SLUICE_RULE_SCALARS];
  SluiceVariable *variables[SLUICE_RULE_SLOTS];
  Work work = { .rule = rule,
                .operands = { .scalar = scalars, .flag = GPOINTER_TO_INT (call->state) } };
  if (!read_scalars (call, rule, scalars))
    return FALSE;
  for (guint s = 0; s < rule->n_slots; s++)
    {
      variables[s] = sluice_call_variable (call, s);
      if (variables[s] == NULL)
        return FALSE;
    }
  sluice_variables_lock (variables, rule->n_slots);
  gboolean ok = apply_locked (call, variables, &work);
  sluice_variables_unlock (variables, rule->n_slots);
  if (ok && call->n_outputs)
    {
      sluice_resource_ref (&variables[0]->parent);
      call->outputs[0].ref = variables[0];
    }
  return ok;
}

gpointer
sluice_rule_prepare (const SluiceNode *node, GError **error)
{
  static const char *const flags[] = { "use_nesterov", "update_slots", "multiply_linear_by_lr" };
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    if (sluice_node_get_attr (node, flags[i]) != NULL)
      return GINT_TO_POINTER (sluice_node_get_bool (node, flags[i]));
  return GINT_TO_POINTER (FALSE);
}

static const SluiceKernel kernels[] = {
  SLUICE_RULE_KERNEL ("ApplyGradientDescent", descent),
  SLUICE_RULE_KERNEL ("ResourceApplyGradientDescent", descent),
  SLUICE_RULE_KERNEL ("ApplyMomentum", momentum),
  SLUICE_RULE_KERNEL ("ResourceApplyMomentum", momentum),
  SLUICE_RULE_KERNEL ("ApplyAdam", adam),
  SLUICE_RULE_KERNEL ("ResourceApplyAdam", adam),
};

const SluiceKernelModule sluice_module_train_apply_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };
