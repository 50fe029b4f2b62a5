/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/add.h"
#include "kernels/math/chain.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/wide.h"

typedef void (*AddLoop) (gint64 n, const void *x, const void *y, void *out);

#define ADD_LOOP(fn, s, T, hot)                                                                    \
  hot static void add_##s (gint64 n, const void *x_, const void *y_, void *out_)                   \
  {                                                                                                \
    const T *x = x_, *y = y_;                                                                      \
    T *out = out_;                                                                                 \
    SLUICE_INDEPENDENT                                                                             \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = scalar_add_##s (x[i], y[i]);                                                        \
  }
FOR_RIC (ADD_LOOP, )

static const AddLoop loops[SLUICE_N_DTYPES] = { LOOPS_RIC (add) };

/* Elements that all inputs add before the next ones are looked at: they stay in the first cache. */
#define BLOCK 2048

typedef struct
{
  AddLoop loop;
  SluiceDType dtype;
  gsize size;
  guint n_inputs;
  const char **inputs;
  char *out;
} AddJob;

static void
add_block (const AddJob *job, gint64 n, const char *x, const char *y, char *out)
{
  if (!sluice_dtype_is_half (job->dtype))
    {
      job->loop (n, x, y, out);
      return;
    }
  /* Halves are rounded after each sum, as TensorFlow does. */
  float wide_x[BLOCK], wide_y[BLOCK];
  sluice_widen (job->dtype, x, wide_x, n);
  sluice_widen (job->dtype, y, wide_y, n);
  job->loop (n, wide_x, wide_y, wide_x);
  sluice_narrow (job->dtype, wide_x, out, n);
}

static void
run (gpointer data, gint64 begin, gint64 end)
{
  const AddJob *job = data;
  for (gint64 i = begin; i < end; i += BLOCK)
    {
      gint64 n = MIN (BLOCK, end - i);
      gsize at = i * job->size;
      char *out = job->out + at;
      add_block (job, n, job->inputs[0] + at, job->inputs[1] + at, out);
      for (guint k = 2; k < job->n_inputs; k++)
        add_block (job, n, out, job->inputs[k] + at, out);
    }
}

/* TensorFlow adds AccumulateNV2's inputs in the order in which they come; a sum that is rounded
 * once lies nearest to all orders. */
static void
run_once_rounded (gpointer data, gint64 begin, gint64 end)
{
  const AddJob *job = data;
  double sum[BLOCK];
  for (gint64 i = begin; i < end; i += BLOCK)
    {
      gint64 n = MIN (BLOCK, end - i);
      float *out = (float *) job->out + i;
      for (guint k = 0; k < job->n_inputs; k++)
        {
          const float *x = (const float *) job->inputs[k] + i;
          for (gint64 j = 0; j < n; j++)
            sum[j] = k == 0 ? x[j] : sum[j] + x[j];
        }
      for (gint64 j = 0; j < n; j++)
        out[j] = (float) sum[j];
    }
}

/* The shape that AccumulateNV2 is told. */
static gpointer
prepare_told (const SluiceNode *node, GError **error)
{
  return g_memdup2 (&sluice_node_get_attr (node, "shape")->shape, sizeof (SluiceShape));
}

static gboolean
check_shapes (SluiceKernelCall *call)
{
  const SluiceShape *first = &sluice_call_input (call, 0)->shape, *told = call->state;
  SluiceShape merged;
  char want[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
  if (told != NULL && !sluice_shape_merge (told, first, &merged))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 0 is %s, but attribute shape says %s",
                             sluice_shape_str (first, got), sluice_shape_str (told, want));
  for (guint i = 1; i < call->n_inputs; i++)
    {
      const SluiceShape *shape = &sluice_call_input (call, i)->shape;
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      if (!sluice_shape_equal (first, shape))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "inputs must have one shape, but input 0 is %s and input %u is %s",
                                 sluice_shape_str (first, a), i, sluice_shape_str (shape, b));
    }
  return TRUE;
}

/* Into out, which may be one of the first two. */
static gboolean
add_up (SluiceKernelCall *call,
        SluiceTensor *const *parts,
        guint n_parts,
        SluiceRangeFunc func,
        SluiceTensor *out)
{
  g_autofree const char **inputs = g_new (const char *, n_parts);
  for (guint i = 0; i < n_parts; i++)
    inputs[i] = parts[i]->data;
  AddJob job = { .loop = loops[out->dtype],
                 .dtype = out->dtype,
                 .size = sluice_dtype_size (out->dtype),
                 .n_inputs = n_parts,
                 .inputs = inputs,
                 .out = out->data };
  gint64 n = out->n_elements;
  if (n > 0 && n <= SLUICE_GRAIN)
    func (&job, 0, n);
  return n <= SLUICE_GRAIN
         || sluice_call_parallel_for (call, n, SLUICE_GRAIN, 0.1 * n_parts, func, &job);
}

static gboolean
compute (SluiceKernelCall *call)
{
  if (!check_shapes (call))
    return FALSE;
  if (call->n_inputs == 1)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  /* Later inputs are read after the first sum is written, so only the first two can be reused. */
  SluiceTensor *out = sluice_call_reuse (call, 0, sluice_call_can_reuse (call, 0) ? 0 : 1,
                                         &sluice_call_input (call, 0)->shape);
  if (out == NULL)
    return FALSE;
  g_autofree SluiceTensor **parts = g_new (SluiceTensor *, call->n_inputs);
  for (guint i = 0; i < call->n_inputs; i++)
    parts[i] = sluice_call_input (call, i);
  gboolean once = call->kernel->data && out->dtype == SLUICE_FLOAT;
  return add_up (call, parts, call->n_inputs, once ? run_once_rounded : run, out);
}

SluiceTensor *
sluice_call_add_up (SluiceKernelCall *call, SluiceTensor *const *parts, guint n)
{
  if (n == 1)
    return sluice_tensor_ref (parts[0]);
  if (loops[parts[0]->dtype] == NULL)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s values cannot be added up",
                        sluice_dtype_name (parts[0]->dtype));
      return NULL;
    }
  GError *error = NULL;
  SluiceTensor *sum = sluice_tensor_new_checked (call->device->allocator, parts[0]->dtype,
                                                 &parts[0]->shape, call->owner, &error);
  if (sum == NULL)
    {
      sluice_call_fail (call, error->code, "%s", error->message);
      g_error_free (error);
    }
  else if (!add_up (call, parts, n, run, sum))
    g_clear_pointer (&sum, sluice_tensor_unref);
  return sum;
}

/* One element after the other, in the widest type of its kind. */
static gboolean
compute_reference (SluiceKernelCall *call)
{
  if (!check_shapes (call))
    return FALSE;
  SluiceDType dtype = sluice_call_input (call, 0)->dtype;
  AddLoop one = loops[sluice_wide_dtype (dtype)];
  SluiceTensor *out = sluice_call_output (call, 0, &sluice_call_input (call, 0)->shape);
  if (out == NULL)
    return FALSE;
  for (gint64 i = 0; i < out->n_elements; i++)
    {
      SluiceWide sum = sluice_wide_load (dtype, sluice_call_input (call, 0)->data, i);
      for (guint k = 1; k < call->n_inputs; k++)
        {
          SluiceWide next = sluice_wide_load (dtype, sluice_call_input (call, k)->data, i);
          one (1, &sum, &next, &sum);
        }
      sluice_wide_store (dtype, out->data, i, sum);
    }
  return TRUE;
}

static void
run_strip (const SluiceStrip *strip, gint64 n, const void *const *operands, guint single, void *out)
{
  ((AddLoop) strip->loop) (n, operands[0], operands[1], out);
}

/* Of two inputs it is an addition, but for the shapes that it takes. */
static gboolean
add_strip (const SluiceKernel *kernel, const SluiceNode *node, SluiceStrip *strip)
{
  SluiceDType dtype = sluice_strip_dtype (node);
  *strip = (SluiceStrip){ .run = run_strip,
                          .loop = (void (*) (void)) loops[dtype],
                          .n_operands = 2,
                          .ns = 0.2,
                          .one_shape = TRUE,
                          .chain = sluice_chain_get (dtype),
                          .chain_op = SLUICE_CHAIN_ADD };
  return node->n_inputs == 2 && !sluice_dtype_is_half (dtype);
}

#define REGISTER(op_, rank_, compute_, once, ...)                                                  \
  {                                                                                                \
    .op = op_, .device = "CPU", .where = { { "T", SLUICE_SET_NUMBER } }, .rank = rank_,            \
    .compute = compute_, .data = GINT_TO_POINTER (once), __VA_ARGS__                               \
  }

static const SluiceKernel kernels[] = {
  REGISTER ("AddN", 10, compute, FALSE, .strip = add_strip),
  REGISTER ("AddN", 0, compute_reference, FALSE),
  REGISTER ("AccumulateNV2", 10, compute, TRUE, .prepare = prepare_told, .free_state = g_free),
  REGISTER (
      "AccumulateNV2", 0, compute_reference, FALSE, .prepare = prepare_told, .free_state = g_free),
};

const SluiceKernelModule sluice_module_math_add_n_cpu = { .kernels = kernels,
                                                          .n_kernels = G_N_ELEMENTS (kernels) };
