/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/nn/pool-loops.h"
#include "kernels/scratch-lanes.h"
#include "kernels/typed.h"

/* ---- kernels ---- */

typedef struct
{
  Pool pool;
  PoolKind kind;
  SluiceDType dtype;
} Work;

#define MAX_CASES(each)                                                                            \
  each (SLUICE_FLOAT, f32) each (SLUICE_DOUBLE, f64) each (SLUICE_INT8, i8)                        \
      each (SLUICE_INT16, i16) each (SLUICE_INT32, i32) each (SLUICE_INT64, i64)                   \
          each (SLUICE_UINT8, u8) each (SLUICE_UINT16, u16) each (SLUICE_UINT32, u32)              \
              each (SLUICE_UINT64, u64)

static void
max_image (const Work *work, gint64 n)
{
#define CASE(dtype, suffix)                                                                        \
  case dtype:                                                                                      \
    if (work->kind == MAX_POOL)                                                                    \
      max_##suffix (&work->pool, n);                                                               \
    else if (work->kind == MAX_POOL_ARG)                                                           \
      max_arg_##suffix (&work->pool, n);                                                           \
    else if (work->kind == MAX_POOL_GRAD_ARG)                                                      \
      max_grad_arg_##suffix (&work->pool, n);                                                      \
    else if (work->kind == MAX_POOL_GRAD_GRAD)                                                     \
      max_grad_grad_##suffix (&work->pool, n);                                                     \
    else if (work->pool.squares)                                                                   \
      max_grad_squares_##suffix (&work->pool, n);                                                  \
    else                                                                                           \
      max_grad_##suffix (&work->pool, n);                                                          \
    break;
  switch (work->dtype)
    {
      MAX_CASES (CASE)
    default:
      g_assert_not_reached ();
    }
#undef CASE
}

static void
image_range (gpointer data, gint64 begin, gint64 end)
{
  const Work *work = data;
#ifdef SLUICE_ON_DEVICE /* all images at once (kernels/cuda/reuse.h) */
  sluice_cuda_pool (&work->pool, work->kind, work->dtype);
  return;
#endif
  gboolean wide = work->dtype == SLUICE_DOUBLE;
  for (gint64 n = begin; n < end; n++)
    if (work->kind == AVG_POOL)
      (wide ? avg_f64 : avg_f32) (&work->pool, n);
    else if (work->kind == AVG_POOL_GRAD)
      (wide ? avg_grad_f64 : avg_grad_f32) (&work->pool, n);
    else if (work->kind == MAX_POOL_DEEP)
      (wide ? max_deep_f64 : max_deep_f32) (&work->pool, n);
    else if (work->kind == MAX_POOL_GRAD_DEEP)
      (wide ? max_grad_deep_f64 : max_grad_deep_f32) (&work->pool, n);
    else
      max_image (work, n);
}

static gboolean
read_window (SluiceKernelCall *call, guint first, SluiceSlidingWindow *window)
{
  gint64 values[2][4];
  *window = *(const SluiceSlidingWindow *) call->state;
  if (call->n_inputs <= first)
    return TRUE;
  for (guint i = 0; i < 2; i++)
    {
      SluiceTensor *tensor = sluice_call_input (call, first + i);
      if (tensor->shape.rank != 1 || tensor->n_elements != 4)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s must hold 4 sizes",
                                 i ? "strides" : "ksize");
      for (int d = 0; d < 4; d++)
        values[i][d] = sluice_tensor_get_int (tensor, d);
    }
  return call->error == NULL
         && sluice_sliding_window_set (window, call->node, values[0], values[1], &call->error);
}

/* Cells of a window are numbered in 32 bits. */
static gboolean
check_cells (SluiceKernelCall *call, const Pool *pool)
{
  gint64 cells = 1;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      cells *= MIN (pool->place.in[axis], pool->place.size[axis]);
      if (cells > G_MAXINT32)
        return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                                 "a window of more than 2^31 cells is not supported");
    }
  return TRUE;
}

/* Elements of an image; of none 0, and no more than can be counted: such an output is refused. */
static gint64
image_size (const Pool *pool, const gint64 sizes[SLUICE_AXES])
{
  gint64 n = pool->images > 0 ? pool->channels : 0;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    if (sizes[axis] == 0)
      return 0;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    if (__builtin_mul_overflow (n, sizes[axis], &n))
      return G_MAXINT64;
  return n;
}

/* Sizes of a pool over a value of shape `in`, and the shape of what comes out. */
static gboolean
place_pool (SluiceKernelCall *call,
            const SluiceSlidingWindow *window,
            const SluiceShape *in,
            Pool *pool,
            SluiceShape *out)
{
  char text[SLUICE_SHAPE_STR];
  gint64 sizes[SLUICE_AXES];
  if (in->rank != sluice_sliding_window_rank (window))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the value must have %d dimensions, not shape %s",
                             sluice_sliding_window_rank (window), sluice_shape_str (in, text));
  gint64 channels = in->dim[sluice_sliding_window_channel_dim (window)];
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    {
      sizes[axis] = sluice_sliding_window_extent (window, in, axis);
      pool->stride[axis] = window->stride[axis];
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_sliding_window_place (window, sizes, window->size, &pool->place, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  if (!check_cells (call, pool))
    return FALSE;
  *out = sluice_sliding_window_value (window, in->dim[0], pool->place.out, channels);
  gboolean empty = sluice_shape_n_elements (in) == 0 && sluice_shape_n_elements (out) == 0;
  pool->channels = window->channels_first ? 1 : channels;
  pool->images = in->dim[0];
  /* More than can be counted are none: such an output is refused. */
  if (empty
      || (window->channels_first && __builtin_mul_overflow (pool->images, channels, &pool->images)))
    pool->images = 0;
  if (window->depth > 1)
    {
      if (window->channels_first || channels % window->depth != 0)
        return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                                 "a pool over channels must divide them evenly, in NHWC");
      gint64 pixels = empty ? 0 : sizes[1] * sizes[2]; /* of images */
      out->dim[3] = channels / window->depth;
      pool->place = (SluiceSlidingWindowPlace){ .in = { 1, 1, pixels * channels },
                                                .size = { 1, 1, window->depth },
                                                .out = { 1, 1, pixels * out->dim[3] } };
      pool->stride[2] = window->depth;
      pool->channels = 1;
    }
  pool->in_image = image_size (pool, pool->place.in);
  pool->out_image = image_size (pool, pool->place.out);
  pool->tiles = TRUE;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    pool->tiles &= pool->stride[axis] == pool->place.size[axis] && pool->place.pad[axis][0] == 0
                   && pool->place.in[axis] == pool->place.out[axis] * pool->place.size[axis];
  const gint64 *size = pool->place.size;
  pool->squares = pool->tiles && size[0] == 1 && size[1] == 2 && size[2] == 2;
  return TRUE;
}

static gboolean
for_images (SluiceKernelCall *call, const Pool *pool, SluiceRangeFunc func, gpointer data)
{
  double cells = (double) pool->out_image;
  for (int axis = 0; axis < SLUICE_AXES; axis++)
    cells *= (double) MIN (pool->place.in[axis], pool->place.size[axis]);
  gint64 grain = MAX (1, (gint64) (16384 / MAX (1, cells)));
  return sluice_call_parallel_for (call, pool->images, grain, 0.3 * cells, func, data);
}

/* Input `i` as float where it is of a half type. (transfer full) */
static SluiceTensor *
input_or_wide (SluiceKernelCall *call, guint i)
{
  SluiceTensor *input = sluice_call_input (call, i);
  return sluice_dtype_is_half (input->dtype) ? sluice_call_widen_input (call, i)
                                             : sluice_tensor_ref (input);
}

/* Input i, or none where i is -1, and its elements. FALSE: call->error is set. */
static gboolean
read_input (SluiceKernelCall *call, int i, SluiceTensor **tensor, const void **data)
{
  if (i < 0)
    return TRUE;
  *tensor = input_or_wide (call, i);
  *data = *tensor ? (*tensor)->data : NULL;
  return *tensor != NULL;
}

/* x, y and dy: which inputs the kind reads; -1: none. */
static gboolean
run_pool (SluiceKernelCall *call, Work *work, int x, int y, int dy, const SluiceShape *shape)
{
  Pool *pool = &work->pool;
  g_autoptr (SluiceTensor) wide_x = NULL;
  g_autoptr (SluiceTensor) wide_y = NULL;
  g_autoptr (SluiceTensor) wide_dy = NULL;
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL || !read_input (call, x, &wide_x, &pool->x)
      || !read_input (call, y, &wide_y, &pool->y) || !read_input (call, dy, &wide_dy, &pool->dy))
    return FALSE;
  gboolean half = sluice_dtype_is_half (out->dtype);
  g_autoptr (SluiceTensor) wide_out =
      half ? sluice_call_scratch (call, SLUICE_FLOAT, shape) : sluice_tensor_ref (out);
  if (wide_out == NULL)
    return FALSE;
  work->dtype = wide_out->dtype;
  pool->out = wide_out->data;
  if (!for_images (call, pool, image_range, work))
    return FALSE;
  if (half)
    sluice_narrow (out->dtype, wide_out->data, out->data, out->n_elements);
  return TRUE;
}

static gboolean
forward_compute (SluiceKernelCall *call)
{
  Work work = { .kind = GPOINTER_TO_INT (call->kernel->data) };
  SluiceSlidingWindow window;
  SluiceShape out;
  if (!read_window (call, 1, &window)
      || !place_pool (call, &window, &sluice_call_input (call, 0)->shape, &work.pool, &out))
    return FALSE;
  if (work.kind == AVG_POOL && window.depth > 1)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "a mean pool cannot reach over channels");
  return run_pool (call, &work, 0, -1, -1, &out);
}

static gboolean
want_shape (SluiceKernelCall *call, guint i, const SluiceShape *want)
{
  const SluiceShape *got = &sluice_call_input (call, i)->shape;
  if (sluice_shape_equal (want, got))
    return TRUE;
  char sw[SLUICE_SHAPE_STR], sg[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s must have shape %s, not %s",
                           call->node->op->inputs[i].name, sluice_shape_str (want, sw),
                           sluice_shape_str (got, sg));
}

/* MaxPoolGrad and MaxPoolGradGrad: values, maxima, gradient. out: of the pool. */
static gboolean
max_backward_begin (SluiceKernelCall *call, Work *work, SluiceShape *out)
{
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  SluiceSlidingWindow window;
  work->kind = GPOINTER_TO_INT (call->kernel->data);
  return read_window (call, 3, &window) && place_pool (call, &window, in, &work->pool, out)
         && want_shape (call, 1, out)
         && want_shape (call, 2, work->kind == MAX_POOL_GRAD_GRAD ? in : out);
}

static gboolean
max_backward_compute (SluiceKernelCall *call)
{
  Work work = { 0 };
  SluiceShape out;
  if (!max_backward_begin (call, &work, &out))
    return FALSE;
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  gboolean second = work.kind == MAX_POOL_GRAD_GRAD;
  return run_pool (call, &work, 0, work.kind == MAX_POOL_GRAD ? -1 : 1, 2, second ? &out : in);
}

/* ---- the gradient in parts: image by image ---- */

typedef struct
{
  const Work *work;
  const SluicePartConsumer *consumer;
  SluiceScratchLanes lanes;
  char *scratch; /* a lane: an image, and one of the half type where that is wanted */
  gsize lane_bytes;
  SluiceDType dtype; /* that is wanted */
} Give;

static void
give_range (gpointer data, gint64 begin, gint64 end)
{
  Give *self = data;
  const Pool *pool = &self->work->pool;
  const gsize size = sluice_dtype_size (self->work->dtype);
  guint lane = sluice_scratch_lanes_take (&self->lanes);
  char *image = self->scratch + lane * self->lane_bytes, *narrow = image + pool->in_image * size;
  for (gint64 n = begin; n < end; n++)
    {
      Work one = *self->work;
      one.pool.x = (const char *) pool->x + n * pool->in_image * size;
      one.pool.dy = (const char *) pool->dy + n * pool->out_image * size;
      one.pool.out = image;
      max_image (&one, 0);
      if (self->dtype != one.dtype)
        sluice_narrow (self->dtype, (const float *) image, (guint16 *) narrow, pool->in_image);
      self->consumer->consume (self->consumer->data, n * pool->in_image, pool->in_image,
                               self->dtype != one.dtype ? narrow : image);
    }
  sluice_scratch_lanes_give (&self->lanes, lane);
}

static gboolean
max_grad_produce (SluiceKernelCall *call, const SluicePartConsumer *consumer)
{
  Work work = { 0 };
  Pool *pool = &work.pool;
  SluiceShape out;
  SluiceTensor *room = NULL; /* an image fits the second cache: a lane is as good */
  g_autoptr (SluiceTensor) x = NULL;
  g_autoptr (SluiceTensor) dy = NULL;
  if (!max_backward_begin (call, &work, &out)
      || !consumer->begin (consumer->data, &sluice_call_input (call, 0)->shape, &room)
      || !read_input (call, 0, &x, &pool->x) || !read_input (call, 2, &dy, &pool->dy))
    return FALSE;
  if (x->n_elements == 0)
    return TRUE;
  work.dtype = x->dtype;
  Give give = { .work = &work, .consumer = consumer, .dtype = sluice_call_input (call, 0)->dtype };
  give.lane_bytes = pool->in_image * (sluice_dtype_size (work.dtype) + 2);
  give.lane_bytes = sluice_round_up ((gint64) give.lane_bytes, 64);
  gint64 n_lanes = sluice_scratch_lanes_init (&give.lanes, pool->images);
  g_autoptr (SluiceTensor) scratch =
      sluice_call_scratch (call, SLUICE_UINT8, &SLUICE_SHAPE (n_lanes, (gint64) give.lane_bytes));
  if (scratch == NULL)
    return FALSE;
  give.scratch = scratch->data;
  return for_images (call, pool, give_range, &give);
}

static gboolean
avg_grad_compute (SluiceKernelCall *call)
{
  Work work = { .kind = AVG_POOL_GRAD };
  SluiceShape in, out;
  if (!sluice_sliding_window_read_sizes (call, call->state, 0, &in)
      || !place_pool (call, call->state, &in, &work.pool, &out) || !want_shape (call, 1, &out))
    return FALSE;
  return run_pool (call, &work, -1, -1, 1, &in);
}

/* ---- with the places of the maxima ---- */

typedef struct
{
  SluiceSlidingWindow window;
  gboolean over_batch;
} ArgState;

static gpointer
arg_prepare (const SluiceNode *node, GError **error)
{
  ArgState *state = g_new0 (ArgState, 1);
  state->over_batch = sluice_node_get_bool (node, "include_batch_in_index");
  if (!sluice_sliding_window_parse (node, &state->window, error))
    g_clear_pointer (&state, g_free);
  else if (state->window.depth > 1)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                        "a pool over channels tells no places");
      g_clear_pointer (&state, g_free);
    }
  return state;
}

static gboolean
max_arg_compute (SluiceKernelCall *call)
{
  const ArgState *state = call->state;
  Work work = { .kind = MAX_POOL_ARG };
  SluiceShape out;
  if (!place_pool (call, &state->window, &sluice_call_input (call, 0)->shape, &work.pool, &out))
    return FALSE;
  if (sluice_call_input (call, 0)->n_elements == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the value must not be empty");
  SluiceTensor *arg = sluice_call_output (call, 1, &out);
  if (arg == NULL)
    return FALSE;
  gboolean wide = arg->dtype == SLUICE_INT64;
  g_autoptr (SluiceTensor) places =
      wide ? sluice_tensor_ref (arg) : sluice_call_scratch (call, SLUICE_INT64, &out);
  if (places == NULL)
    return FALSE;
  work.pool.arg = places->data;
  work.pool.arg_over_batch = state->over_batch;
  if (!run_pool (call, &work, 0, -1, -1, &out))
    return FALSE;
  for (gint64 i = 0; !wide && i < arg->n_elements; i++)
    ((gint32 *) arg->data)[i] = (gint32) work.pool.arg[i];
  return TRUE;
}

/* input, grad, argmax. */
static gboolean
max_grad_arg_compute (SluiceKernelCall *call)
{
  const ArgState *state = call->state;
  const SluiceShape *in = &sluice_call_input (call, 0)->shape;
  const SluiceTensor *arg = sluice_call_input (call, 2);
  Work work = { .kind = MAX_POOL_GRAD_ARG };
  SluiceShape out;
  if (!place_pool (call, &state->window, in, &work.pool, &out) || !want_shape (call, 1, &out)
      || !want_shape (call, 2, &out))
    return FALSE;
  g_autoptr (SluiceTensor) places = sluice_call_scratch (call, SLUICE_INT64, &out);
  if (places == NULL)
    return FALSE;
  work.pool.arg = places->data;
  for (gint64 i = 0; i < arg->n_elements; i++)
    {
      gint64 first = state->over_batch ? i / work.pool.out_image * work.pool.in_image : 0;
      gint64 place = sluice_tensor_get_int (arg, i);
      if (place < first || place - first >= work.pool.in_image)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "argmax[%" G_GINT64_FORMAT "] is %" G_GINT64_FORMAT
                                 ", which is no place in its image",
                                 i, place);
      work.pool.arg[i] = place - first;
    }
  return run_pool (call, &work, -1, -1, 1, in);
}

/* MaxPool3DGrad has its values of another type attribute than its gradients. */
static gboolean
types_are_one (const SluiceNode *node)
{
  return sluice_node_get_type (node, "T") == sluice_node_get_type (node, "TInput");
}

#define KERNEL(name, types, function, kind, ...)                                                   \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } },                                      \
    .prepare = sluice_sliding_window_prepare, .free_state = g_free, .compute = function,           \
    .data = GINT_TO_POINTER (kind), __VA_ARGS__                                                    \
  }
#define ARG_KERNEL(name, function)                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_REAL } }, .prepare = arg_prepare,    \
    .free_state = g_free, .compute = function                                                      \
  }
#define REAL   SLUICE_SET_REAL
#define FLOATS SLUICE_SET_FLOATS

static const SluiceKernel kernels[] = {
  KERNEL ("MaxPool", REAL, forward_compute, MAX_POOL),
  KERNEL ("MaxPoolV2", REAL, forward_compute, MAX_POOL),
  KERNEL ("MaxPoolGrad", REAL, max_backward_compute, MAX_POOL_GRAD, .produce = max_grad_produce),
  KERNEL ("MaxPoolGradV2", REAL, max_backward_compute, MAX_POOL_GRAD, .produce = max_grad_produce),
  KERNEL ("MaxPoolGradGrad", REAL, max_backward_compute, MAX_POOL_GRAD_GRAD),
  KERNEL ("MaxPoolGradGradV2", REAL, max_backward_compute, MAX_POOL_GRAD_GRAD),
  KERNEL ("AvgPool", FLOATS, forward_compute, AVG_POOL),
  KERNEL ("AvgPoolGrad", FLOATS, avg_grad_compute, AVG_POOL_GRAD),
  KERNEL ("MaxPool3D", FLOATS, forward_compute, MAX_POOL_DEEP),
  { .op = "MaxPool3DGrad",
    .device = "CPU",
    .where = { { "T", FLOATS } },
    .accepts = types_are_one,
    .prepare = sluice_sliding_window_prepare,
    .free_state = g_free,
    .compute = max_backward_compute,
    .data = GINT_TO_POINTER (MAX_POOL_GRAD_DEEP) },
  KERNEL ("MaxPool3DGradGrad", REAL, max_backward_compute, MAX_POOL_GRAD_GRAD),
  KERNEL ("AvgPool3D", FLOATS, forward_compute, AVG_POOL),
  KERNEL ("AvgPool3DGrad", FLOATS, avg_grad_compute, AVG_POOL_GRAD),
  ARG_KERNEL ("MaxPoolWithArgmax", max_arg_compute),
  ARG_KERNEL ("MaxPoolGradWithArgmax", max_grad_arg_compute),
};

const SluiceKernelModule sluice_module_nn_pool_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };
