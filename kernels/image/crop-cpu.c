/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/image/resize.h"
#include "kernels/image/rows.h"
#include "kernels/typed.h"

/* Boxes over pictures, and crops [n, height, width, channels] of them. */
typedef struct
{
  gboolean nearest;
  float outside; /* what a crop holds where it reaches over the picture's edge */
  SluiceDType dtype;
  gsize size;
  gint64 n, batch, channels;
  gint64 picture[2], crop[2]; /* height, width */
  const float *boxes;         /* y1, x1, y2, x2 from 0 to 1 */
  const gint32 *numbers;      /* the picture of each box */
  const void *image;
  const float *grads;
  void *out;
  SluiceTaps *taps; /* scratch: those of each box's rows, then those of its columns */
} Crop;

/* Where row (axis 0) or column (axis 1) i of box b lies; FALSE: outside. */
static gboolean
place (const Crop *c, gint64 b, int axis, gint64 i, float *in)
{
  float from = c->boxes[4 * b + axis], to = c->boxes[4 * b + 2 + axis];
  float last = (float) (c->picture[axis] - 1);
  if (c->crop[axis] > 1)
    *in = from * last + (float) i * ((to - from) * last / (float) (c->crop[axis] - 1));
  else
    *in = (float) (0.5 * (from + to) * last);
  return *in >= 0 && *in <= last;
}

/* index[0] is -1 where the row or column lies outside. */
static void
make_taps (const Crop *c, gint64 b, int axis, SluiceTaps *taps)
{
  for (gint64 i = 0; i < c->crop[axis]; i++)
    {
      float in;
      taps[i] = (SluiceTaps){ .index = { -1, -1 } };
      if (!place (c, b, axis, i, &in))
        continue;
      float below = floorf (in);
      gint64 last = c->picture[axis] - 1; /* which as float may be more */
      taps[i].index[0] = MIN ((gint64) (c->nearest ? roundf (in) : below), last);
      taps[i].index[1] = MIN ((gint64) (c->nearest ? roundf (in) : ceilf (in)), last);
      taps[i].weight[1] = c->nearest ? 0 : in - below;
      taps[i].weight[0] = 1 - taps[i].weight[1];
    }
}

static gint64
taps_per_box (const Crop *c)
{
  return c->crop[0] + c->crop[1];
}

static void
crop_boxes (gpointer data, gint64 begin, gint64 end)
{
  const Crop *c = data;
  gint64 row = c->crop[1] * c->channels;
  gint64 in_row = c->picture[1] * c->channels * (gint64) c->size;
  for (gint64 b = begin; b < end; b++)
    {
      SluiceTaps *rows = c->taps + b * taps_per_box (c), *columns = rows + c->crop[0];
      const guint8 *picture = (const guint8 *) c->image + c->numbers[b] * c->picture[0] * in_row;
      SluiceRowPlan plan = { columns, c->crop[1], c->channels, c->picture[1] };
      float *out = (float *) c->out + b * c->crop[0] * row;
      make_taps (c, b, 0, rows);
      make_taps (c, b, 1, columns);
      for (gint64 y = 0; y < c->crop[0]; y++, out += row)
        if (rows[y].index[0] < 0)
          for (gint64 i = 0; i < row; i++)
            out[i] = c->outside;
        else if (c->nearest)
          sluice_row_pick (c->dtype, picture + rows[y].index[0] * in_row, &plan, c->outside, out);
        else
          sluice_row_blend (c->dtype, picture + rows[y].index[0] * in_row,
                            picture + rows[y].index[1] * in_row, rows[y].weight[1], &plan,
                            c->outside, out);
    }
}

/* ---- gradients; one box after the other, as they may give to the same pixels ---- */

#define GIVE(T, suffix)                                                                            \
  static void give_##suffix (const Crop *c, gint64 b)                                              \
  {                                                                                                \
    const SluiceTaps *rows = c->taps, *columns = rows + c->crop[0];                                \
    const gint64 channels = c->channels, in_row = c->picture[1] * channels;                        \
    const float *from = c->grads + b * c->crop[0] * c->crop[1] * channels;                         \
    T *to = (T *) c->out + c->numbers[b] * c->picture[0] * in_row;                                 \
    for (gint64 i = 0; i < c->crop[0] * c->crop[1]; i++, from += channels)                         \
      {                                                                                            \
        const SluiceTaps *y = rows + i / c->crop[1], *x = columns + i % c->crop[1];                \
        if (y->index[0] < 0 || x->index[0] < 0)                                                    \
          continue;                                                                                \
        for (int k = 0; k < (c->nearest ? 1 : 4); k++)                                             \
          {                                                                                        \
            T *pixel = to + y->index[k / 2] * in_row + x->index[k % 2] * channels;                 \
            for (gint64 d = 0; d < channels; d++)                                                  \
              pixel[d] += (T) (x->weight[k % 2] * (y->weight[k / 2] * from[d]));                   \
          }                                                                                        \
      }                                                                                            \
  }
GIVE (float, float)
GIVE (double, double)

/* How the crop at (y, x) changes with each edge of the box. */
static void
give_to_box (const Crop *c, gint64 b)
{
  const SluiceTaps *rows = c->taps, *columns = rows + c->crop[0];
  const gint64 channels = c->channels, in_row = c->picture[1] * channels;
  const float *from = c->grads + b * c->crop[0] * c->crop[1] * channels;
  const float *picture = (const float *) c->image + c->numbers[b] * c->picture[0] * in_row;
  double sums[4] = { 0 }; /* in the order of the box */
  for (gint64 i = 0; i < c->crop[0] * c->crop[1]; i++, from += channels)
    {
      gint64 at[2] = { i / c->crop[1], i % c->crop[1] };
      const SluiceTaps *y = rows + at[0], *x = columns + at[1];
      if (y->index[0] < 0 || x->index[0] < 0)
        continue;
      const float *top = picture + y->index[0] * in_row, *bottom = picture + y->index[1] * in_row;
      gint64 left = x->index[0] * channels, right = x->index[1] * channels;
      double slope[2] = { 0 };
      for (gint64 d = 0; d < channels; d++)
        {
          float tl = top[left + d], tr = top[right + d];
          float bl = bottom[left + d], br = bottom[right + d];
          slope[0] += from[d] * (x->weight[0] * (bl - tl) + x->weight[1] * (br - tr));
          slope[1] += from[d] * (y->weight[0] * (tr - tl) + y->weight[1] * (br - bl));
        }
      for (int axis = 0; axis < 2; axis++)
        {
          double last = (double) (c->picture[axis] - 1);
          double share = c->crop[axis] > 1 ? (double) at[axis] / (double) (c->crop[axis] - 1) : 0.5;
          sums[axis] += slope[axis] * last * (1 - share);
          sums[2 + axis] += slope[axis] * last * share;
        }
    }
  for (int k = 0; k < 4; k++)
    ((float *) c->out)[4 * b + k] = (float) sums[k];
}

/* ---- what comes in ---- */

static gboolean
fail_shape (SluiceKernelCall *call, guint input, const char *want)
{
  char text[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s must %s, not have shape %s",
                           call->node->op->inputs[input].name, want,
                           sluice_shape_str (&sluice_call_input (call, input)->shape, text));
}

static gboolean
read_boxes (SluiceKernelCall *call, Crop *c, guint boxes_input)
{
  SluiceTensor *boxes = sluice_call_input (call, boxes_input);
  SluiceTensor *numbers = sluice_call_input (call, boxes_input + 1);
  if (boxes->shape.rank != 2 || boxes->shape.dim[1] != 4)
    return fail_shape (call, boxes_input, "have 4 numbers for each box");
  if (numbers->shape.rank != 1 || numbers->n_elements != boxes->shape.dim[0])
    return fail_shape (call, boxes_input + 1, "have one number for each box");
  c->n = boxes->shape.dim[0];
  c->boxes = boxes->data;
  c->numbers = numbers->data;
  return TRUE;
}

/* Their numbers lie in the batch. */
static gboolean
check_boxes (SluiceKernelCall *call, const Crop *c)
{
  for (gint64 b = 0; b < c->n; b++)
    if (c->numbers[b] < 0 || c->numbers[b] >= c->batch)
      return sluice_call_fail (call, SLUICE_ERROR_OUT_OF_RANGE,
                               "box_ind[%" G_GINT64_FORMAT
                               "] is %d, but there are %" G_GINT64_FORMAT " pictures",
                               b, c->numbers[b], c->batch);
  return TRUE;
}

static void
set_picture (Crop *c, const SluiceShape *shape)
{
  c->batch = shape->dim[0];
  c->picture[0] = shape->dim[1];
  c->picture[1] = shape->dim[2];
  c->channels = shape->dim[3];
}

static gboolean
is_picture (const SluiceShape *shape)
{
  return shape->rank == 4 && shape->dim[1] > 0 && shape->dim[2] > 0 && shape->dim[1] < G_MAXINT32
         && shape->dim[2] < G_MAXINT32;
}

typedef struct
{
  gboolean nearest;
  float outside;
} CropState;

static gpointer
crop_prepare (const SluiceNode *node, GError **error)
{
  CropState *state = g_new0 (CropState, 1);
  state->nearest = sluice_node_string_is (node, "method", "nearest");
  if (sluice_op_find_attr (node->op, sluice_intern ("extrapolation_value")))
    state->outside = sluice_node_get_float (node, "extrapolation_value");
  return state;
}

static gboolean
make_shape (SluiceKernelCall *call, SluiceShape *shape, const gint64 *dims)
{
  g_autoptr (GError) error = NULL;
  return sluice_shape_make (shape, dims, 4, &error)
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
}

static gboolean
crop_compute (SluiceKernelCall *call)
{
  const CropState *state = call->state;
  Crop c = { .nearest = state->nearest, .outside = state->outside };
  SluiceTensor *image = sluice_call_input (call, 0);
  SluiceShape shape;
  if (!is_picture (&image->shape))
    return fail_shape (call, 0, "be [batch, height, width, channels], of positive sizes");
  set_picture (&c, &image->shape);
  if (!read_boxes (call, &c, 1) || !sluice_resize_read_size (call, 3, c.crop)
      || !make_shape (call, &shape, (gint64[]){ c.n, c.crop[0], c.crop[1], c.channels })
      || !check_boxes (call, &c))
    return FALSE;
  for (gint64 i = 0; i < 4 * c.n; i++)
    if (!isfinite (c.boxes[i]))
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT,
          "boxes must be finite, but those of box %" G_GINT64_FORMAT " are not", i / 4);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  g_autoptr (SluiceTensor) wide = sluice_dtype_is_half (image->dtype)
                                      ? sluice_call_widen_input (call, 0)
                                      : sluice_tensor_ref (image);
  g_autoptr (SluiceTensor) taps =
      sluice_resize_scratch (call, c.n, taps_per_box (&c) * sizeof (SluiceTaps));
  if (wide == NULL || taps == NULL)
    return FALSE;
  c.dtype = wide->dtype;
  c.size = sluice_dtype_size (c.dtype);
  c.image = wide->data;
  c.taps = taps->data;
  c.out = out->data;
  double box_ns = 2 * (double) (c.crop[0] * c.crop[1] * c.channels);
  return sluice_call_parallel_for (call, c.n, 1, box_ns, crop_boxes, &c);
}

/* grads of crops, for each box in turn. */
static gboolean
read_grads (SluiceKernelCall *call, Crop *c)
{
  SluiceTensor *grads = sluice_call_input (call, 0);
  if (!is_picture (&grads->shape))
    return fail_shape (call, 0, "be [boxes, height, width, channels], of positive sizes");
  c->crop[0] = grads->shape.dim[1];
  c->crop[1] = grads->shape.dim[2];
  c->grads = grads->data;
  if (grads->shape.dim[3] != c->channels)
    return fail_shape (call, 0, "have as many channels as the picture");
  if (grads->shape.dim[0] != c->n)
    return fail_shape (call, 0, "have one crop for each box");
  return TRUE;
}

static gboolean
for_each_box (SluiceKernelCall *call, Crop *c, void (*give) (const Crop *c, gint64 b))
{
  g_autoptr (SluiceTensor) taps =
      sluice_resize_scratch (call, taps_per_box (c), sizeof (SluiceTaps));
  if (taps == NULL)
    return FALSE;
  c->taps = taps->data;
  for (gint64 b = 0; b < c->n; b++)
    {
      if (call->cancelled && *call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "cancelled");
      make_taps (c, b, 0, c->taps);
      make_taps (c, b, 1, c->taps + c->crop[0]);
      give (c, b);
    }
  return TRUE;
}

static gboolean
image_gradient_compute (SluiceKernelCall *call)
{
  const CropState *state = call->state;
  Crop c = { .nearest = state->nearest };
  SluiceTensor *size = sluice_call_input (call, 3);
  SluiceShape shape;
  gint64 dims[4];
  if (size->shape.rank != 1 || size->n_elements != 4)
    return fail_shape (call, 3, "hold 4 sizes");
  for (int i = 0; i < 4; i++)
    {
      dims[i] = sluice_tensor_get_int (size, i);
      if (dims[i] < (i == 1 || i == 2))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "image_size[%d] is %" G_GINT64_FORMAT "; it must be positive", i,
                                 dims[i]);
    }
  if (!make_shape (call, &shape, dims))
    return FALSE;
  set_picture (&c, &shape);
  if (!read_boxes (call, &c, 1) || !read_grads (call, &c) || !check_boxes (call, &c))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  gboolean half = sluice_dtype_is_half (out->dtype);
  g_autoptr (SluiceTensor) wide =
      half ? sluice_call_scratch (call, SLUICE_FLOAT, &shape) : sluice_tensor_ref (out);
  if (wide == NULL)
    return FALSE;
  memset (wide->data, 0, sluice_tensor_bytes (wide));
  c.out = wide->data;
  if (!for_each_box (call, &c, wide->dtype == SLUICE_DOUBLE ? give_double : give_float))
    return FALSE;
  if (half)
    sluice_narrow (out->dtype, wide->data, out->data, out->n_elements);
  return TRUE;
}

/* The pictures as float. (transfer full) */
static SluiceTensor *
image_as_float (SluiceKernelCall *call, guint i)
{
  SluiceTensor *image = sluice_call_input (call, i);
  if (image->dtype == SLUICE_FLOAT || sluice_dtype_is_half (image->dtype))
    return sluice_call_widen_input (call, i);
  SluiceTensor *wide = sluice_call_scratch (call, SLUICE_FLOAT, &image->shape);
  SluiceTaps tap = { { 0 }, { 0 } };
  SluiceRowPlan all = { .columns = &tap, .n = 1, .channels = image->n_elements, .limit = 1 };
  if (wide)
    sluice_row_pick (image->dtype, image->data, &all, 0, wide->data);
  return wide;
}

static gboolean
boxes_gradient_compute (SluiceKernelCall *call)
{
  Crop c = { 0 };
  SluiceTensor *image = sluice_call_input (call, 1);
  if (!is_picture (&image->shape))
    return fail_shape (call, 1, "be [batch, height, width, channels], of positive sizes");
  set_picture (&c, &image->shape);
  if (!read_boxes (call, &c, 2) || !read_grads (call, &c) || !check_boxes (call, &c))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (c.n, 4));
  g_autoptr (SluiceTensor) wide = out ? image_as_float (call, 1) : NULL;
  if (wide == NULL)
    return FALSE;
  c.image = wide->data;
  c.out = out->data;
  return for_each_box (call, &c, give_to_box);
}

#define PICTURES (SLUICE_SET_ROWS | SLUICE_SET (SLUICE_HALF))
#define FLOATS   (SLUICE_SET (SLUICE_HALF) | SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define KERNEL(name, types, function, ...)                                                         \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .prepare = crop_prepare,             \
    .free_state = g_free, .compute = function, __VA_ARGS__                                         \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("CropAndResize", PICTURES, crop_compute, .host_inputs = 8),
  KERNEL ("CropAndResizeGradImage", FLOATS, image_gradient_compute, .host_inputs = 8),
  KERNEL ("CropAndResizeGradBoxes", PICTURES, boxes_gradient_compute),
};

const SluiceKernelModule sluice_module_image_crop_cpu = { .kernels = kernels,
                                                          .n_kernels = G_N_ELEMENTS (kernels) };
