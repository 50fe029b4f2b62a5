/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/lock.h"
#include "kernels/array/array.h"
#include "kernels/state/access.h"
#include "kernels/state/rows.h"

static gboolean
fail_shapes (SluiceKernelCall *call, const SluiceTensor *variable)
{
  char text[3][SLUICE_SHAPE_STR];
  return sluice_call_fail (
      call, SLUICE_ERROR_INVALID_ARGUMENT,
      "updates of shape %s do not fit a variable of shape %s and indices of shape %s; each index "
      "needs one row",
      sluice_shape_str (&sluice_call_input (call, 2)->shape, text[0]),
      sluice_shape_str (&variable->shape, text[1]),
      sluice_shape_str (&sluice_call_input (call, 1)->shape, text[2]));
}

/* Updates must be shaped as the first `outer` dimensions of the indices and a row: what the
 * variable has behind its first `depth` dimensions. */
static gboolean
check_updates (SluiceKernelCall *call, const SluiceTensor *variable, int outer, int depth)
{
  const SluiceShape *indices = &sluice_call_input (call, 1)->shape;
  const SluiceShape *updates = &sluice_call_input (call, 2)->shape;
  if (updates->rank != outer + variable->shape.rank - depth)
    return fail_shapes (call, variable);
  for (int i = 0; i < updates->rank; i++)
    {
      gint64 want = i < outer ? indices->dim[i] : variable->shape.dim[i - outer + depth];
      if (updates->dim[i] != want)
        return fail_shapes (call, variable);
    }
  return TRUE;
}

typedef gboolean (*ScatterFunc) (SluiceKernelCall *call, SluiceTensor *variable);

static gboolean
scatter_rows (SluiceKernelCall *call, SluiceTensor *variable)
{
  const SluiceTensor *updates = sluice_call_input (call, 2);
  g_auto (SluiceRows) rows = { 0 };
  if (!sluice_call_rows (call, 1, &variable->shape, &rows)
      || (updates->shape.rank > 0
          && !check_updates (call, variable, sluice_call_input (call, 1)->shape.rank, 1)))
    return FALSE;
  return sluice_call_change_rows (call, &rows, GPOINTER_TO_INT (call->kernel->data), variable,
                                  updates);
}

static gboolean
scatter_slices (SluiceKernelCall *call, SluiceTensor *variable)
{
  const SluiceShape *indices = &sluice_call_input (call, 1)->shape;
  g_auto (SluiceRows) rows = { 0 };
  if (!sluice_call_rows_nd (call, 1, &variable->shape, GPOINTER_TO_INT (call->state), &rows)
      || !check_updates (call, variable, indices->rank - 1, (int) indices->dim[indices->rank - 1]))
    return FALSE;
  return sluice_call_change_rows (call, &rows, GPOINTER_TO_INT (call->kernel->data), variable,
                                  sluice_call_input (call, 2));
}

static gboolean
scatter (SluiceKernelCall *call, ScatterFunc func)
{
  SluiceVariable *variable = sluice_call_variable (call, 0);
  if (variable == NULL)
    return FALSE;
  SluiceDType dtype = sluice_call_input (call, 2)->dtype;
  if (variable->dtype != dtype)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "variable '%s' holds %s, the updates are %s", variable->name,
                             sluice_dtype_name (variable->dtype), sluice_dtype_name (dtype));
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  SluiceTensor *tensor = sluice_call_writable (call, 0, variable);
  gboolean ok = tensor != NULL && func (call, tensor);
  pthread_mutex_unlock (&variable->lock);
  if (ok && call->n_outputs)
    sluice_call_forward (call, 0, 0);
  return ok;
}

static gboolean
scatter_compute (SluiceKernelCall *call)
{
  return scatter (call, scatter_rows);
}

static gboolean
scatter_nd_compute (SluiceKernelCall *call)
{
  return scatter (call, scatter_slices);
}

#define KERNEL(name, attr, set, change, ...)                                                       \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { attr, set } }, .data = GINT_TO_POINTER (change),     \
    __VA_ARGS__                                                                                    \
  }
#define SCATTER(name, set, change, ...)                                                            \
  KERNEL ("Scatter" name, "T", set, change, .compute = scatter_compute, __VA_ARGS__),              \
      KERNEL ("ResourceScatter" name, "dtype", set, change, .compute = scatter_compute,            \
              __VA_ARGS__)
#define SCATTER_ND(name, set, change, ...)                                                         \
  KERNEL ("ScatterNd" name, "T", set, change, .compute = scatter_nd_compute,                       \
          .prepare = sluice_bad_indices_prepare, __VA_ARGS__),                                     \
      KERNEL ("ResourceScatterNd" name, "T", set, change, .compute = scatter_nd_compute,           \
              .prepare = sluice_bad_indices_prepare, __VA_ARGS__)
#define KEEPS .flags = SLUICE_KERNEL_KEEPS_DENORMALS
#define SUMS  (SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL))

static const SluiceKernel kernels[] = {
  SCATTER ("Update", SLUICE_SET_ANY, SLUICE_CHANGE_SET, KEEPS),
  SCATTER ("Add", SLUICE_SET_NUMBER, SLUICE_CHANGE_ADD),
  SCATTER ("Sub", SLUICE_SET_NUMBER, SLUICE_CHANGE_SUB),
  SCATTER ("Mul", SLUICE_SET_NUMBER, SLUICE_CHANGE_MUL),
  SCATTER ("Div", SLUICE_SET_NUMBER, SLUICE_CHANGE_DIV),
  SCATTER ("Min", SLUICE_SET_REAL, SLUICE_CHANGE_MIN),
  SCATTER ("Max", SLUICE_SET_REAL, SLUICE_CHANGE_MAX),
  SCATTER_ND ("Update", SLUICE_SET_ANY, SLUICE_CHANGE_SET, KEEPS),
  SCATTER_ND ("Add", SUMS, SLUICE_CHANGE_ADD),
  SCATTER_ND ("Sub", SUMS, SLUICE_CHANGE_SUB),
  SCATTER_ND ("Min", SLUICE_SET_REAL, SLUICE_CHANGE_MIN),
  SCATTER_ND ("Max", SLUICE_SET_REAL, SLUICE_CHANGE_MAX),
};

const SluiceKernelModule sluice_module_state_scatter_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
