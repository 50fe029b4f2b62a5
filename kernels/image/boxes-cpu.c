/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/typed.h"

/* ---- drawing ---- */

static const float colors[][4] = {
  { 1, 1, 0, 1 },       { 0, 0, 1, 1 },    { 1, 0, 0, 1 },    { 0, 1, 0, 1 }, { 0.5f, 0, 0.5f, 1 },
  { 0.5f, 0.5f, 0, 1 }, { 0.5f, 0, 0, 1 }, { 0, 0, 0.5f, 1 }, { 0, 1, 1, 1 }, { 1, 0, 1, 1 },
};

typedef struct
{
  SluiceDType dtype;
  gint64 height, width, depth;
  guint8 *pixels; /* of one image */
} Canvas;

static void
set_pixel (const Canvas *c, gint64 y, gint64 x, const float *color)
{
  gint64 at = (y * c->width + x) * c->depth;
  if (c->dtype == SLUICE_FLOAT)
    memcpy ((float *) c->pixels + at, color, c->depth * sizeof *color);
  else
    sluice_narrow (c->dtype, color, (guint16 *) c->pixels + at, c->depth);
}

/* A place from 0 to 1 in pixels, towards 0. What is no number is outside. */
static gint64
to_pixel (float place, gint64 n)
{
  const float far = 4294967296.0f;
  float at = place * (float) (n - 1);
  return isnan (at) ? (gint64) far : (gint64) CLAMP (at, -far, far);
}

/* Those of the four edges that lie inside. */
static void
sluice_draw_box (const Canvas *c, const float box[4], const float *color)
{
  gint64 top = to_pixel (box[0], c->height), bottom = to_pixel (box[2], c->height);
  gint64 left = to_pixel (box[1], c->width), right = to_pixel (box[3], c->width);
  if (top > bottom || left > right || top >= c->height || bottom < 0 || left >= c->width
      || right < 0)
    return;
  for (gint64 x = MAX (left, 0); x <= MIN (right, c->width - 1); x++)
    {
      if (top >= 0)
        set_pixel (c, top, x, color);
      if (bottom < c->height)
        set_pixel (c, bottom, x, color);
    }
  for (gint64 y = MAX (top, 0); y <= MIN (bottom, c->height - 1); y++)
    {
      if (left >= 0)
        set_pixel (c, y, left, color);
      if (right < c->width)
        set_pixel (c, y, right, color);
    }
}

static gboolean
draw_compute (SluiceKernelCall *call)
{
  SluiceTensor *images = sluice_call_input (call, 0), *boxes = sluice_call_input (call, 1);
  const SluiceShape *in = &images->shape, *shape = &boxes->shape;
  gint64 depth = in->rank == 4 ? in->dim[3] : 0;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if ((depth != 1 && depth != 3 && depth != 4) || shape->rank != 3 || shape->dim[0] != in->dim[0]
      || shape->dim[2] != 4)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "images must be [batch, height, width, 1, 3 or 4] and boxes "
                             "[batch, n, 4], not %s and %s",
                             sluice_shape_str (in, a), sluice_shape_str (shape, b));
  SluiceTensor *out = sluice_call_output (call, 0, in);
  if (out == NULL)
    return FALSE;
  sluice_elements_copy (images->dtype, out->data, images->data, images->n_elements);
  Canvas canvas = { images->dtype, in->dim[1], in->dim[2], depth, out->data };
  gsize bytes = canvas.height * canvas.width * depth * sluice_dtype_size (images->dtype);
  for (gint64 i = 0; i < in->dim[0] && bytes > 0; i++, canvas.pixels += bytes)
    for (gint64 k = 0; k < shape->dim[1]; k++)
      {
        float color[4];
        memcpy (color, colors[k % G_N_ELEMENTS (colors)], sizeof color);
        if (depth == 1)
          color[0] = 1;
        sluice_draw_box (&canvas, (const float *) boxes->data + (i * shape->dim[1] + k) * 4, color);
      }
  return TRUE;
}

/* ---- the best of boxes that overlap ---- */

typedef struct
{
  float score;
  gint32 box;
} Candidate;

static int
best_first (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;
  if (x->score != y->score)
    return x->score > y->score ? -1 : 1;
  return x->box < y->box ? -1 : 1;
}

typedef struct
{
  float low[2], high[2], area;
} Box;

/* The corners may be any two that face each other. */
static Box
read_box (const float *corners)
{
  Box b;
  for (int k = 0; k < 2; k++)
    {
      b.low[k] = MIN (corners[k], corners[2 + k]);
      b.high[k] = MAX (corners[k], corners[2 + k]);
    }
  b.area = (b.high[0] - b.low[0]) * (b.high[1] - b.low[1]);
  return b;
}

/* What both cover, as part of what either does. */
static float
overlap (const Box *a, const Box *b)
{
  float shared = 1;
  if (a->area <= 0 || b->area <= 0)
    return 0;
  for (int k = 0; k < 2; k++)
    {
      float length = MIN (a->high[k], b->high[k]) - MAX (a->low[k], b->low[k]);
      shared *= MAX (length, 0);
    }
  return shared / (a->area + b->area - shared);
}

/* Candidates in the order of their scores; those that overlap a better one too much are left out.
 * Returns how many were chosen, -1 where the call was cancelled. */
static gint64
choose (SluiceKernelCall *call,
        const float *boxes,
        const Candidate *candidates,
        gint64 n,
        gint64 limit,
        float threshold,
        gint32 *chosen)
{
  g_autofree Box *taken = g_new (Box, MIN (limit, n) + 1);
  gint64 n_chosen = 0;
  gboolean half = sluice_call_input (call, 0)->dtype == SLUICE_HALF;
  for (gint64 i = 0; i < n && n_chosen < limit; i++)
    {
      Box box = read_box (boxes + 4 * (gint64) candidates[i].box);
      gboolean hidden = FALSE;
      if (call->cancelled && *call->cancelled)
        return -1;
      for (gint64 k = n_chosen - 1; k >= 0 && !hidden; k--)
        {
          float part = overlap (&box, &taken[k]);
          hidden = (half ? sluice_half_to_float (sluice_float_to_half (part)) : part) > threshold;
        }
      if (hidden)
        continue;
      taken[n_chosen] = box;
      chosen[n_chosen++] = candidates[i].box;
    }
  return n_chosen;
}

static float
read_number (SluiceKernelCall *call, guint i)
{
  const SluiceTensor *t = sluice_call_input (call, i);
  return t->dtype == SLUICE_HALF ? sluice_half_to_float (*(const guint16 *) t->data)
                                 : *(const float *) t->data;
}

/* threshold and least score, from the attribute or from inputs 3 and 4. */
static gboolean
read_limits (SluiceKernelCall *call, gint64 *limit, float *threshold, float *least)
{
  SluiceTensor *boxes = sluice_call_input (call, 0), *scores = sluice_call_input (call, 1);
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  for (guint i = 2; i < call->n_inputs; i++)
    if (!sluice_call_want_scalar (call, i))
      return FALSE;
  *limit = sluice_tensor_get_int (sluice_call_input (call, 2), 0);
  *threshold = call->n_inputs > 3 ? read_number (call, 3) : *(const float *) call->state;
  *least = call->n_inputs > 4 ? read_number (call, 4) : -INFINITY;
  /* Without a limit of their own the lowest number is the limit. */
  if (call->n_inputs <= 4)
    *least = boxes->dtype == SLUICE_HALF ? -65504.0f : -G_MAXFLOAT;
  if (!(*threshold >= 0 && *threshold <= 1))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "iou_threshold must be in [0, 1], not %g", (double) *threshold);
  if (boxes->shape.rank != 2 || boxes->shape.dim[1] != 4 || scores->shape.rank != 1
      || scores->n_elements != boxes->shape.dim[0] || scores->n_elements > G_MAXINT32)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "boxes must be [n, 4] and scores [n], not %s and %s",
        sluice_shape_str (&boxes->shape, a), sluice_shape_str (&scores->shape, b));
  if (*limit < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "max_output_size must not be negative, but is %" G_GINT64_FORMAT,
                             *limit);
  return TRUE;
}

static gboolean
choose_compute (SluiceKernelCall *call)
{
  gint64 limit, n = 0;
  float threshold, least;
  if (!read_limits (call, &limit, &threshold, &least))
    return FALSE;
  g_autoptr (SluiceTensor) boxes = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) scores = sluice_call_widen_input (call, 1);
  if (boxes == NULL || scores == NULL)
    return FALSE;
  const float *score = scores->data;
  g_autofree Candidate *candidates = g_new (Candidate, scores->n_elements + 1);
  for (gint64 i = 0; i < scores->n_elements; i++)
    if (score[i] > least)
      candidates[n++] = (Candidate){ score[i], (gint32) i };
  qsort (candidates, n, sizeof *candidates, best_first);
  g_autofree gint32 *chosen = g_new (gint32, MIN (limit, n) + 1);
  n = choose (call, boxes->data, candidates, n, limit, threshold, chosen);
  if (n < 0)
    return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "cancelled");
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (n));
  if (out && n > 0)
    memcpy (out->data, chosen, n * sizeof *chosen);
  return out != NULL;
}

static gpointer
choose_prepare (const SluiceNode *node, GError **error)
{
  float *threshold = g_new (float, 1);
  *threshold = sluice_node_get_float (node, "iou_threshold");
  return threshold;
}

#define HALF_OR_FLOAT (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_HALF))
#define KERNEL(name, function, ...)                                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", HALF_OR_FLOAT } }, .host_inputs = ~3u,          \
    .compute = function, __VA_ARGS__                                                               \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("DrawBoundingBoxes", draw_compute),
  KERNEL ("NonMaxSuppressionV2", choose_compute),
  KERNEL ("NonMaxSuppressionV3", choose_compute),
  { .op = "NonMaxSuppression",
    .device = "CPU",
    .host_inputs = ~3u,
    .prepare = choose_prepare,
    .free_state = g_free,
    .compute = choose_compute },
};

const SluiceKernelModule sluice_module_image_boxes_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };
