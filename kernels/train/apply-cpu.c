/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "kernels/state/access.h"
#include "kernels/state/rows.h"
#include "kernels/train/apply.h"
#include "kernels/train/steps.h"
#include "kernels/typed.h"

#define DESCENT(T, name)                                                                           \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0];                                                                           \
    const T *grad = o->grad;                                                                       \
    const T alpha = ((const T *) o->scalar)[0];                                                    \
    for (gint64 i = 0; i < n; i++)                                                                 \
      SLUICE_DESCENT_STEP                                                                          \
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
        SLUICE_NESTEROV_STEP (T)                                                                   \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        SLUICE_MOMENTUM_STEP (T)                                                                   \
  }
MOMENTUM (float, momentum_float)
MOMENTUM (double, momentum_double)

#define KERAS_MOMENTUM(T, name)                                                                    \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0], *accum = o->slot[1];                                                      \
    const T *grad = o->grad;                                                                       \
    const T lr = ((const T *) o->scalar)[0], momentum = ((const T *) o->scalar)[1];                \
    const gboolean nesterov = o->flag;                                                             \
    for (gint64 i = 0; i < n; i++)                                                                 \
      SLUICE_KERAS_MOMENTUM_STEP (T)                                                               \
  }
KERAS_MOMENTUM (float, keras_momentum_float)
KERAS_MOMENTUM (double, keras_momentum_double)

#define ADAM(T, name, root)                                                                        \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0], *m = o->slot[1], *v = o->slot[2];                                         \
    const T *grad = o->grad, *s = o->scalar;                                                       \
    const T beta1 = s[3], rest1 = 1 - s[3], rest2 = 1 - s[4], epsilon = s[5];                      \
    const T alpha = s[2] * root (1 - s[1]) / (1 - s[0]);                                           \
    if (o->flag)                                                                                   \
      for (gint64 i = 0; i < n; i++)                                                               \
        SLUICE_NESTEROV_ADAM_STEP (T, root)                                                        \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        SLUICE_ADAM_STEP (T, root)                                                                 \
  }
ADAM (float, adam_float, sqrtf)
ADAM (double, adam_double, sqrt)

#define AMSGRAD(T, name, root)                                                                     \
  SLUICE_HOT static void name (const SluiceRuleOperands *o, gint64 n)                              \
  {                                                                                                \
    T *var = o->slot[0], *m = o->slot[1], *v = o->slot[2], *most = o->slot[3];                     \
    const T *grad = o->grad, *s = o->scalar;                                                       \
    const T rest1 = 1 - s[3], rest2 = 1 - s[4], epsilon = s[5];                                    \
    const T alpha = s[2] * root (1 - s[1]) / (1 - s[0]);                                           \
    for (gint64 i = 0; i < n; i++)                                                                 \
      SLUICE_AMSGRAD_STEP (T, root)                                                                \
  }
AMSGRAD (float, amsgrad_float, sqrtf)
AMSGRAD (double, amsgrad_double, sqrt)

static const SluiceRule descent = { 1, 2, descent_float, descent_double };
static const SluiceRule momentum = { 2, 3, momentum_float, momentum_double };
static const SluiceRule keras_momentum = { 2, 3, keras_momentum_float, keras_momentum_double };
static const SluiceRule adam = { 3, 9, adam_float, adam_double };
static const SluiceRule amsgrad = { 4, 10, amsgrad_float, amsgrad_double };

typedef struct
{
  const SluiceRule *rule;
  SluiceDType dtype;
  SluiceRuleOperands operands;
  const SluiceRows *rows; /* (nullable): sparse */
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

/* n elements of the slots and the gradient, from those elements on. */
static void
apply_at (const Work *work, gint64 slot_at, gint64 grad_at, gint64 n)
{
  gsize size = sluice_dtype_size (work->dtype);
  SluiceRuleOperands at = work->operands;
  for (guint s = 0; s < work->rule->n_slots; s++)
    at.slot[s] = (char *) at.slot[s] + slot_at * size;
  at.grad = (const char *) at.grad + grad_at * size;
  if (work->dtype == SLUICE_FLOAT)
    work->rule->apply_float (&at, n);
  else if (work->dtype == SLUICE_DOUBLE)
    work->rule->apply_double (&at, n);
  else
    apply_half (work, &at, n);
}

static void
apply_range (gpointer data, gint64 begin, gint64 end)
{
  apply_at (data, begin, begin, end - begin);
}

static void
apply_columns (gpointer data, gint64 begin, gint64 end)
{
  const Work *work = data;
  const gint64 *numbers = work->rows->numbers->data;
  gint64 size = work->rows->size;
  for (gint64 k = 0; k < work->rows->n; k++)
    apply_at (work, numbers[k] * size + begin, k * size + begin, end - begin);
}

static gboolean
check_bound (SluiceKernelCall *call, guint input, char bound, double value)
{
  if (bound == '+' ? value > 0 : bound == '-' ? value <= 0 : value >= 0)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s is %g, but must %s",
                           call->node->op->inputs[input].name, value,
                           bound == '+'   ? "be positive"
                           : bound == '-' ? "not be positive"
                                          : "not be negative");
}

static SluiceDType
grad_dtype (SluiceKernelCall *call, const SluiceRule *rule)
{
  return call->producer ? call->producer->dtype
                        : (SluiceDType) sluice_call_input (call, rule->grad)->dtype;
}

/* Reads the scalar inputs as float or double, whatever the type of the variable; they follow the
 * slots, with n_skipped inputs from the gradient on between them. */
static gboolean
read_scalars (SluiceKernelCall *call,
              const SluiceRule *rule,
              guint n_skipped,
              double scalars[SLUICE_RULE_SCALARS])
{
  gboolean is_double = grad_dtype (call, rule) == SLUICE_DOUBLE;
  float *narrow = (float *) scalars;
  guint n = 0;
  for (guint i = rule->n_slots; i < call->n_inputs; i++)
    {
      if (i >= rule->grad && i < rule->grad + n_skipped)
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
      double value = is_double ? scalars[n - 1] : narrow[n - 1];
      if (rule->bounds != NULL && !check_bound (call, i, rule->bounds[n - 1], value))
        return FALSE;
    }
  return TRUE;
}

/* Fails where a slot or the gradient has not the variable's type and shape. */
static gboolean
check_like_variable (SluiceKernelCall *call,
                     const SluiceTensor *variable,
                     SluiceDType dtype,
                     const SluiceShape *shape,
                     guint input)
{
  if (dtype == (SluiceDType) variable->dtype && sluice_shape_equal (shape, &variable->shape))
    return TRUE;
  char have[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT, "%s is %s %s, the variable %s %s; make them equal",
      call->node->op->inputs[input].name, sluice_dtype_name (dtype), sluice_shape_str (shape, got),
      sluice_dtype_name (variable->dtype), sluice_shape_str (&variable->shape, have));
}

/* The gradient's rows are the variable's, and there is one for each index. */
static gboolean
check_rows (SluiceKernelCall *call, const SluiceRule *rule, const SluiceTensor *variable)
{
  const SluiceTensor *grad = sluice_call_input (call, rule->grad);
  const SluiceTensor *indices = sluice_call_input (call, rule->grad + 1);
  SluiceShape want = variable->shape;
  if (want.rank > 0)
    want.dim[0] = indices->n_elements;
  if (indices->shape.rank == 1 && grad->dtype == variable->dtype && want.rank > 0
      && sluice_shape_equal (&grad->shape, &want))
    return TRUE;
  char text[3][SLUICE_SHAPE_STR];
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT,
      "grad is %s %s with indices %s, the variable %s %s; grad must have one of its rows for each "
      "element of a vector of indices",
      sluice_dtype_name (grad->dtype), sluice_shape_str (&grad->shape, text[0]),
      sluice_shape_str (&indices->shape, text[1]), sluice_dtype_name (variable->dtype),
      sluice_shape_str (&variable->shape, text[2]));
}

/* ---- a gradient that comes in parts ---- */

typedef struct
{
  SluiceKernelCall *call;
  const SluiceTensor *variable;
  Work *work;
} Parts;

static gboolean
begin_parts (gpointer data, const SluiceShape *shape, SluiceTensor **room)
{
  const Parts *parts = data;
  return check_like_variable (parts->call, parts->variable, parts->work->dtype, shape,
                              parts->work->rule->grad);
}

static void
take_part (gpointer data, gint64 first, gint64 n, const void *elements)
{
  const Parts *parts = data;
  Work part = *parts->work;
  part.operands.grad = elements;
  apply_at (&part, first, 0, n);
}

static gboolean
apply_parts (SluiceKernelCall *call, const SluiceTensor *variable, Work *work)
{
  Parts parts = { call, variable, work };
  const SluicePartConsumer consumer = { begin_parts, take_part, &parts };
  return call->producer->produce (call->producer, call, &consumer);
}

/* ---- the update ---- */

/* The locks of all slots are held. */
static gboolean
apply_locked (SluiceKernelCall *call, SluiceVariable *const *variables, gboolean sparse, Work *work)
{
  const SluiceRule *rule = work->rule;
  SluiceTensor *tensor[SLUICE_RULE_SLOTS];
  for (guint s = 0; s < rule->n_slots; s++)
    {
      tensor[s] = sluice_call_writable (call, s, variables[s]);
      if (tensor[s] == NULL
          || (s > 0
              && !check_like_variable (call, tensor[0], tensor[s]->dtype, &tensor[s]->shape, s)))
        return FALSE;
      work->operands.slot[s] = tensor[s]->data;
    }
  work->dtype = grad_dtype (call, rule);
  if (call->producer)
    return apply_parts (call, tensor[0], work);
  const SluiceTensor *grad = sluice_call_input (call, rule->grad);
  work->operands.grad = grad->data;
  double ns = 0.5 * rule->n_slots; /* an element */
  if (!sparse)
    return check_like_variable (call, tensor[0], work->dtype, &grad->shape, rule->grad)
           && sluice_call_parallel_for (call, grad->n_elements, 16384, ns, apply_range, work);
  g_auto (SluiceRows) rows = { 0 };
  work->rows = &rows;
  return check_rows (call, rule, tensor[0])
         && sluice_call_rows (call, rule->grad + 1, &tensor[0]->shape, &rows)
         && sluice_call_walk_rows (call, &rows, ns, apply_columns, work);
}

static gboolean
compute (SluiceKernelCall *call, gboolean sparse)
{
  const SluiceRule *rule = call->kernel->data;
  double scalars[SLUICE_RULE_SCALARS];
  SluiceVariable *variables[SLUICE_RULE_SLOTS];
  Work work = { .rule = rule,
                .operands = { .scalar = scalars, .flag = GPOINTER_TO_INT (call->state) } };
  if (!read_scalars (call, rule, sparse ? 2 : 1, scalars))
    return FALSE;
  for (guint s = 0; s < rule->n_slots; s++)
    {
      variables[s] = sluice_call_variable (call, s);
      if (variables[s] == NULL)
        return FALSE;
    }
  sluice_variables_lock (variables, rule->n_slots);
  gboolean ok = apply_locked (call, variables, sparse, &work);
  sluice_variables_unlock (variables, rule->n_slots);
  if (ok && call->n_outputs)
    {
      sluice_resource_ref (&variables[0]->parent);
      call->outputs[0].ref = variables[0];
    }
  return ok;
}

gboolean
sluice_rule_compute (SluiceKernelCall *call)
{
  return compute (call, FALSE);
}

gboolean
sluice_rule_sparse_compute (SluiceKernelCall *call)
{
  return compute (call, TRUE);
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
  SLUICE_RULE_KERNEL ("ResourceApplyGradientDescent", descent, .consumed = 1 + 2),
  SLUICE_RULE_KERNEL ("ApplyMomentum", momentum),
  SLUICE_RULE_KERNEL ("ResourceApplyMomentum", momentum, .consumed = 1 + 3),
  SLUICE_RULE_KERNEL ("ApplyAdam", adam),
  SLUICE_RULE_KERNEL ("ResourceApplyAdam", adam, .consumed = 1 + 9),
  SLUICE_RULE_KERNEL ("ResourceApplyAdamWithAmsgrad", amsgrad, .consumed = 1 + 10),
  SLUICE_RULE_KERNEL ("ResourceApplyKerasMomentum", keras_momentum, .consumed = 1 + 3),
  SLUICE_RULE_SPARSE_KERNEL ("ResourceSparseApplyKerasMomentum", keras_momentum),
  SLUICE_RULE_SPARSE_KERNEL ("SparseApplyMomentum", momentum),
  SLUICE_RULE_SPARSE_KERNEL ("ResourceSparseApplyMomentum", momentum),
};

const SluiceKernelModule sluice_module_train_apply_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };
