/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise-cuda.h"

/* A value seen as [outer, channels, inner]; inner is 1 but for NCHW. */
typedef struct
{
  gint64 outer, channels, inner;
} Layout;

static gpointer
bias_prepare (const SluiceNode *node, GError **error)
{
  gboolean nchw = sluice_node_get_attr (node, "data_format")
                  && sluice_node_string_is (node, "data_format", "NCHW");
  return GINT_TO_POINTER (nchw);
}

static gboolean
read_layout (SluiceKernelCall *call, Layout *layout)
{
  const SluiceShape *shape = &sluice_call_input (call, 0)->shape;
  char text[SLUICE_SHAPE_STR];
  if (shape->rank < 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the value must be a matrix or more, not of shape %s",
                             sluice_shape_str (shape, text));
  int channel = call->state && shape->rank > 2 ? 1 : shape->rank - 1;
  layout->outer = layout->inner = 1;
  layout->channels = shape->dim[channel];
  for (int i = 0; i < channel; i++)
    layout->outer *= shape->dim[i];
  for (int i = channel + 1; i < shape->rank; i++)
    layout->inner *= shape->dim[i];
  return TRUE;
}

template <typename M, typename A>
static void
launch_add (const Layout *layout, const void *value_, const void *bias_, void *out_)
{
  const M *value = (const M *) value_, *bias = (const M *) bias_;
  M *out = (M *) out_;
  gint64 channels = layout->channels, inner = layout->inner;
  sluice_each (layout->outer * channels * inner, [=] SLUICE_LAMBDA (gint64 i) {
    sluice_put (&out[i], (A) (sluice_wide (value[i]) + sluice_wide (bias[i / inner % channels])));
  });
}

template <typename A>
struct Add
{
  static SLUICE_MEMBER A neutral () { return 0; }
  static SLUICE_MEMBER A combine (A a, A b) { return a + b; }
};

template <typename M, typename A>
static void
launch_sum (const Layout *layout, const void *value_, const void *unused, void *out_)
{
  const M *value = (const M *) value_;
  M *out = (M *) out_;
  gint64 channels = layout->channels, inner = layout->inner;
  sluice_reduce<A, Add<A>> (
      channels, layout->outer * inner,
      [=] SLUICE_LAMBDA (gint64 c, gint64 i) -> A {
        return (A) sluice_wide (value[(i / inner * channels + c) * inner + i % inner]);
      },
      [=] SLUICE_LAMBDA (gint64 c, A sum) { sluice_put (&out[c], sum); });
}

typedef struct
{
  SluiceDType dtype;
  void (*add) (const Layout *layout, const void *value, const void *bias, void *out);
  void (*sum) (const Layout *layout, const void *value, const void *unused, void *out);
} Entry;
#define ENTRY(dtype, M, A) { dtype, launch_add<M, A>, launch_sum<M, A> }
/* Integers are unsigned, because overflow wraps. */
static const Entry entries[] = {
  ENTRY (SLUICE_FLOAT, float, float),
  ENTRY (SLUICE_DOUBLE, double, double),
  ENTRY (SLUICE_HALF, SluiceHalf, float),
  ENTRY (SLUICE_BFLOAT16, SluiceBfloat, float),
  ENTRY (SLUICE_INT32, guint32, guint32),
  ENTRY (SLUICE_INT64, guint64, guint64),
};
#define TYPES (SLUICE_SET_FLOATS | SLUICE_SET_INDEX)

static const Entry *
find_entry (const SluiceTensor *value)
{
  const Entry *entry = entries;
  while ((int) entry->dtype != value->dtype)
    entry++;
  return entry;
}

static gboolean
check_bias (SluiceKernelCall *call, const Layout *layout)
{
  const SluiceShape *bias = &sluice_call_input (call, 1)->shape;
  char text[SLUICE_SHAPE_STR];
  if (bias->rank == 1 && bias->dim[0] == layout->channels)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "the bias must be a vector of %" G_GINT64_FORMAT
                           " elements, one for each channel, not of shape %s",
                           layout->channels, sluice_shape_str (bias, text));
}

static gboolean
bias_add_compute (SluiceKernelCall *call)
{
  const SluiceTensor *value = sluice_call_input (call, 0);
  Layout layout;
  if (!read_layout (call, &layout) || !check_bias (call, &layout))
    return FALSE;
  SluiceTensor *out = sluice_call_reuse (call, 0, 0, &value->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *from = sluice_cuda_tensor (value, SLUICE_CUDA_READ);
  const void *bias = sluice_cuda_tensor (sluice_call_input (call, 1), SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (from != NULL && bias != NULL && to != NULL)
    find_entry (value)->add (&layout, from, bias, to);
  return sluice_cuda_end (call);
}

static gboolean
bias_grad_compute (SluiceKernelCall *call)
{
  const SluiceTensor *value = sluice_call_input (call, 0);
  Layout layout;
  if (!read_layout (call, &layout))
    return FALSE;
  SluiceShape shape = { .rank = 1, .dim = { layout.channels } };
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *from = sluice_cuda_tensor (value, SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (to != NULL && (from != NULL || value->n_elements == 0))
    find_entry (value)->sum (&layout, from, NULL, to);
  return sluice_cuda_end (call);
}

#define KERNEL(name, function)                                                                     \
  { .op = name, .device = "CUDA", .where = { { "T", TYPES } }, .prepare = bias_prepare,            \
    .compute = function },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  KERNEL ("BiasAdd", bias_add_compute)
  KERNEL ("BiasAddV1", bias_add_compute)
  KERNEL ("BiasAddGrad", bias_grad_compute)
  /* clang-format on */
};

extern "C" const SluiceKernelModule sluice_module_nn_bias_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
