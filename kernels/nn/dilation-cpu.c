/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <float.h>
#include <string.h>

#include "kernels/nn/sliding-window.h"
#include "kernels/typed.h"

typedef enum
{
  FORWARD,
  BACKPROP_INPUT,
  BACKPROP_FILTER,
} Kind;

typedef struct
{
  SluiceSlidingWindowPlace place;
  gint64 stride[SLUICE_AXES], rate[SLUICE_AXES];
  gint64 channels;
  Kind kind;
  SluiceDType dtype;
  const void *x, *filter, *dy;
  void *to;
} Dilation;

/* The first row or column of the window at `out`; may lie outside. */
static inline gint64
first_of (const Dilation *p, int axis, gint64 out)
{
  return out * p->stride[axis] - p->place.pad[axis][0];
}

#define INSIDE(axis, at) ((at) >= 0 && (at) < p->place.in[axis])
#define FOR_EACH_WINDOW                                                                            \
  for (gint64 oh = 0; oh < p->place.out[1]; oh++)                                                  \
    for (gint64 ow = 0; ow < p->place.out[2]; ow++)
/* Taps (i, j) of the window at (h0, w0) that lie inside, over element (h, w). */
#define FOR_EACH_TAP                                                                               \
  for (gint64 i = 0, h = h0; i < p->place.size[1]; i++, h += p->rate[1])                           \
    if (INSIDE (1, h))                                                                             \
      for (gint64 j = 0, w = w0; j < p->place.size[2]; j++, w += p->rate[2])                       \
        if (INSIDE (2, w))
#define X_AT(h, w) (((h) *p->place.in[2] + (w)) * p->channels)
#define F_AT(i, j) (((i) *p->place.size[2] + (j)) * p->channels)

#define TEMPLATE "kernels/nn/dilation-loops.h"
#include "kernels/each-real.h"

static void (*const images[SLUICE_N_DTYPES]) (const Dilation *, gint64) = {
  [SLUICE_FLOAT] = run_f32,  [SLUICE_DOUBLE] = run_f64, [SLUICE_INT8] = run_i8,
  [SLUICE_INT16] = run_i16,  [SLUICE_INT32] = run_i32,  [SLUICE_INT64] = run_i64,
  [SLUICE_UINT8] = run_u8,   [SLUICE_UINT16] = run_u16, [SLUICE_UINT32] = run_u32,
  [SLUICE_UINT64] = run_u64,
};

static void
image_range (gpointer data, gint64 begin, gint64 end)
{
  const Dilation *p = data;
  for (gint64 n = begin; n < end; n++)
    images[p->dtype](p, n);
}

/* Checks the inputs; out: the shape of the forward op's output. */
static gboolean
place_dilation (SluiceKernelCall *call, Dilation *p, SluiceShape *out)
{
  const SluiceSlidingWindow *window = call->state;
  const SluiceShape *x = &sluice_call_input (call, 0)->shape;
  const SluiceShape *filter = &sluice_call_input (call, 1)->shape;
  char want[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
  g_autoptr (GError) error = NULL;
  if (!sluice_call_want_rank (call, 0, 4) || !sluice_call_want_rank (call, 1, 3))
    return FALSE;
  p->channels = x->dim[3];
  if (filter->dim[2] != p->channels)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the input has %" G_GINT64_FORMAT
                             " channels, the filter %" G_GINT64_FORMAT "; make them equal",
                             p->channels, filter->dim[2]);
  const gint64 in[] = { 1, x->dim[1], x->dim[2] }, size[] = { 1, filter->dim[0], filter->dim[1] };
  if (!sluice_sliding_window_place (window, in, size, &p->place, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  memcpy (p->stride, window->stride, sizeof p->stride);
  memcpy (p->rate, window->dilation, sizeof p->rate);
  *out = sluice_sliding_window_value (window, x->dim[0], p->place.out, p->channels);
  if (p->kind == FORWARD || sluice_shape_equal (out, &sluice_call_input (call, 2)->shape))
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "out_backprop must have shape %s, not %s", sluice_shape_str (out, want),
                           sluice_shape_str (&sluice_call_input (call, 2)->shape, got));
}

/* Input i with a half type widened. (transfer full) */
static SluiceTensor *
wide_input (SluiceKernelCall *call, guint i)
{
  SluiceTensor *input = sluice_call_input (call, i);
  return sluice_dtype_is_half (input->dtype) ? sluice_call_widen_input (call, i)
                                             : sluice_tensor_ref (input);
}

static gboolean
dilation_compute (SluiceKernelCall *call)
{
  Dilation p = { .kind = GPOINTER_TO_INT (call->kernel->data) };
  SluiceShape shape;
  if (!place_dilation (call, &p, &shape))
    return FALSE;
  if (p.kind != FORWARD)
    shape = sluice_call_input (call, p.kind == BACKPROP_INPUT ? 0 : 1)->shape;
  gint64 batch = sluice_call_input (call, 0)->shape.dim[0];
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gboolean half = sluice_dtype_is_half (out->dtype);
  g_autoptr (SluiceTensor) x = wide_input (call, 0);
  g_autoptr (SluiceTensor) filter = wide_input (call, 1);
  g_autoptr (SluiceTensor) dy = p.kind == FORWARD ? NULL : wide_input (call, 2);
  g_autoptr (SluiceTensor) to =
      half ? sluice_call_scratch (call, SLUICE_FLOAT, &shape) : sluice_tensor_ref (out);
  if (x == NULL || filter == NULL || (p.kind != FORWARD && dy == NULL) || to == NULL)
    return FALSE;
  p.dtype = to->dtype;
  p.x = x->data;
  p.filter = filter->data;
  p.dy = dy ? dy->data : NULL;
  p.to = to->data;
  memset (to->data, 0, sluice_tensor_bytes (to));
  double ns = 2 * (double) p.place.out[1] * (double) p.place.out[2] * (double) filter->n_elements;
  /* All images add to the one gradient of the filter, in their order. */
  gint64 grain = p.kind == BACKPROP_FILTER ? MAX (batch, 1) : 1;
  if (!sluice_call_parallel_for (call, batch, grain, ns, image_range, &p))
    return FALSE;
  if (half)
    sluice_narrow (out->dtype, to->data, out->data, out->n_elements);
  return TRUE;
}

#define KERNEL(name, kind)                                                                         \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_REAL } },                            \
    .prepare = sluice_sliding_window_prepare, .free_state = g_free, .compute = dilation_compute,   \
    .data = GINT_TO_POINTER (kind)                                                                 \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Dilation2D", FORWARD),
  KERNEL ("Dilation2DBackpropInput", BACKPROP_INPUT),
  KERNEL ("Dilation2DBackpropFilter", BACKPROP_FILTER),
};

const SluiceKernelModule sluice_module_nn_dilation_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };
