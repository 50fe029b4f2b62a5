/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "kernels/random/generator.h"
#include "kernels/typed.h"

/* The generator stands first, where sluice_call_reserve_random() looks for it. */
typedef struct
{
  SluiceRandomNode random;
  float aspect[2], area[2]; /* least and most */
  float covered;
  gint64 attempts;
  gboolean may_take_all;
} State;

static gboolean
read_range (const SluiceNode *node, const char *name, float most, float range[2], GError **error)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  for (guint i = 0; i < 2 && value->list.n == 2; i++)
    range[i] = value->list.items[i].f;
  if (value->list.n == 2 && range[0] > 0 && range[1] > 0 && range[0] <= most && range[1] <= most)
    return TRUE;
  return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "%s must be two numbers in (0, %g]", name, (double) most);
}

static gpointer
sample_prepare (const SluiceNode *node, GError **error)
{
  g_autofree State *state = g_new0 (State, 1);
  if (sluice_op_find_attr (node->op, sluice_intern ("seed")))
    sluice_random_node_init (&state->random, node);
  state->attempts = sluice_node_get_int (node, "max_attempts");
  state->may_take_all = sluice_node_get_bool (node, "use_image_if_no_bounding_boxes");
  if (sluice_op_find_attr (node->op, sluice_intern ("min_object_covered")))
    state->covered = sluice_node_get_float (node, "min_object_covered");
  if (!read_range (node, "aspect_ratio_range", INFINITY, state->aspect, error)
      || !read_range (node, "area_range", 1, state->area, error))
    return NULL;
  if (state->covered < 0 || state->attempts <= 0 || state->attempts > G_MAXINT32 / 4)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "min_object_covered must not be negative, max_attempts positive");
      return NULL;
    }
  return g_steal_pointer (&state);
}

/* In pixels; the end is not inside. */
typedef struct
{
  gint32 x0, y0, x1, y1;
} Rect;

static float
area_of (const Rect *r)
{
  return (float) (((gint64) r->x1 - r->x0) * ((gint64) r->y1 - r->y0));
}

static gboolean
covers_enough (const Rect *crop, float covered, const Rect *boxes, gint64 n)
{
  if (area_of (crop) < 1)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      Rect both = { MAX (crop->x0, boxes[i].x0), MAX (crop->y0, boxes[i].y0),
                    MIN (crop->x1, boxes[i].x1), MIN (crop->y1, boxes[i].y1) };
      float whole = area_of (&boxes[i]);
      float shared = both.x0 > both.x1 || both.y0 > both.y1 ? 0 : area_of (&both);
      if (whole >= 1 && shared / whole >= covered)
        return TRUE;
    }
  return FALSE;
}

/* In [0, n), without a bias to the lower ones: what would give it is thrown again. */
static gint32
draw_below (SluiceWords *words, guint32 n)
{
  if (n == 0)
    return (gint32) (sluice_words_next (words) * n);
  if ((n & (n - 1)) == 0)
    return (gint32) (sluice_words_next (words) & (n - 1));
  guint32 unfair = G_MAXUINT32 % n + 1, word;
  do
    word = sluice_words_next (words);
  while (word < unfair);
  return (gint32) (word % n);
}

static gint64
rounded (float value)
{
  /* Far outside of what an image may have. */
  return lrintf (CLAMP (value, -1.0f, 4294967296.0f));
}

/* A crop of that aspect by lot, as TensorFlow draws it: its height between those of the least and
 * the most area, then its place. FALSE where none fits. */
static gboolean
draw_crop (
    gint64 width, gint64 height, const State *s, float aspect, SluiceWords *words, Rect *crop)
{
  if (width <= 0 || height <= 0 || s->area[0] > s->area[1])
    return FALSE;
  float least = s->area[0] * (float) width * (float) height;
  float most = s->area[1] * (float) width * (float) height;
  gint64 h = rounded (sqrtf (least / aspect)), limit = rounded (sqrtf (most / aspect));
  if (rounded ((float) limit * aspect) > width)
    {
      limit = (gint64) (((double) width + 0.5 - 0.0000001f) / aspect);
      if (rounded ((float) limit * aspect) > width)
        limit--;
    }
  limit = MIN (limit, height);
  h = MIN (h, limit);
  if (h < limit)
    h += draw_below (words, (guint32) (limit - h + 1));
  gint64 w = rounded ((float) h * aspect);
  /* A rounding may have left the area just outside of its limits. */
  if ((float) (w * h) < least)
    w = rounded ((float) ++h * aspect);
  if ((float) (w * h) > most)
    w = rounded ((float) --h * aspect);
  float area = (float) (w * h);
  if (area < least || area > most || w > width || h > height || w <= 0 || h <= 0)
    return FALSE;
  gint32 y = h < height ? draw_below (words, (guint32) (height - h)) : 0;
  gint32 x = w < width ? draw_below (words, (guint32) (width - w)) : 0;
  *crop = (Rect){ x, y, x + (gint32) w, y + (gint32) h };
  return TRUE;
}

static void
write_size (SluiceTensor *t, int i, gint64 value)
{
  switch ((SluiceDType) t->dtype)
    {
    case SLUICE_UINT8:
    case SLUICE_INT8:
      ((guint8 *) t->data)[i] = (guint8) value;
      break;
    case SLUICE_INT16:
      ((gint16 *) t->data)[i] = (gint16) value;
      break;
    case SLUICE_INT32:
      ((gint32 *) t->data)[i] = (gint32) value;
      break;
    default:
      ((gint64 *) t->data)[i] = value;
    }
}

/* The boxes in pixels; the whole image where there are none. NULL: the call's error is set. */
static Rect *
dup_boxes (SluiceKernelCall *call, gint64 height, gint64 width, gint64 *n)
{
  const State *state = call->state;
  SluiceTensor *boxes = sluice_call_input (call, 1);
  char text[SLUICE_SHAPE_STR];
  if (boxes->shape.rank != 3 || boxes->shape.dim[2] != 4)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "bounding_boxes must be [batch, n, 4], not %s",
                        sluice_shape_str (&boxes->shape, text));
      return NULL;
    }
  *n = MAX (boxes->n_elements / 4, 1);
  g_autofree Rect *rects = g_new (Rect, *n);
  rects[0] = (Rect){ 0, 0, (gint32) width, (gint32) height };
  if (boxes->n_elements == 0 && !state->may_take_all)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "there is no bounding box; use_image_if_no_bounding_boxes may be set");
      return NULL;
    }
  const float *edges = boxes->data;
  for (gint64 i = 0; i < boxes->n_elements; i += 4, edges += 4)
    {
      for (int k = 0; k < 4; k++)
        if (!(edges[k] >= 0 && edges[k] <= 1))
          {
            sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "edges of bounding boxes must be in [0, 1], not %g",
                              (double) edges[k]);
            return NULL;
          }
      rects[i / 4] =
          (Rect){ (gint32) (edges[1] * (float) width), (gint32) (edges[0] * (float) height),
                  (gint32) (edges[3] * (float) width), (gint32) (edges[2] * (float) height) };
    }
  return g_steal_pointer (&rects);
}

static gboolean
write_outputs (SluiceKernelCall *call, const Rect *crop, gint64 height, gint64 width)
{
  SluiceTensor *begin = sluice_call_output (call, 0, &SLUICE_SHAPE (3));
  SluiceTensor *size = sluice_call_output (call, 1, &SLUICE_SHAPE (3));
  SluiceTensor *box = sluice_call_output (call, 2, &SLUICE_SHAPE (1, 1, 4));
  if (begin == NULL || size == NULL || box == NULL)
    return FALSE;
  gint64 starts[] = { crop->y0, crop->x0, 0 };
  gint64 sizes[] = { crop->y1 - crop->y0, crop->x1 - crop->x0, -1 };
  float edges[] = { (float) crop->y0 / (float) height, (float) crop->x0 / (float) width,
                    (float) crop->y1 / (float) height, (float) crop->x1 / (float) width };
  for (int i = 0; i < 3; i++)
    {
      write_size (begin, i, starts[i]);
      write_size (size, i, sizes[i]);
    }
  for (int i = 0; i < 4; i++)
    ((float *) box->data)[i] = edges[i];
  return TRUE;
}

/* Height and width of the image. */
static gboolean
read_image_size (SluiceKernelCall *call, gint64 size[2])
{
  SluiceTensor *image = sluice_call_input (call, 0);
  if (image->shape.rank != 1 || image->n_elements != 3)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "image_size must hold height, width and channels");
  for (int i = 0; i < 2; i++)
    {
      size[i] = sluice_tensor_get_int (image, i);
      /* 64: what a float of boxes times a size may be rounded up by. */
      if (size[i] < 0 || size[i] >= G_MAXINT32 - 64)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "height and width must be in [0, 2^31), not %" G_GINT64_FORMAT,
                                 size[i]);
    }
  return TRUE;
}

/* Two seeds are input 3 of the stateless op. */
static gboolean
begin_random (SluiceKernelCall *call, SluicePhilox *start)
{
  const State *s = call->state;
  if (call->n_inputs > 3)
    return sluice_call_stateless_random (call, 3, start);
  return sluice_call_reserve_random (call, (guint64) s->attempts, start);
}

static gboolean
sample_compute (SluiceKernelCall *call)
{
  const State *s = call->state;
  gint64 size[2], n;
  float covered = s->covered;
  if (call->n_inputs > 2)
    {
      if (!sluice_call_want_scalar (call, 2))
        return FALSE;
      covered = *(const float *) sluice_call_input (call, 2)->data;
    }
  if (!(covered >= 0))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "min_object_covered must not be negative, but is %g",
                             (double) covered);
  if (!read_image_size (call, size))
    return FALSE;
  g_autofree Rect *boxes = dup_boxes (call, size[0], size[1], &n);
  SluicePhilox start;
  if (boxes == NULL || !begin_random (call, &start))
    return FALSE;
  SluiceWords words = sluice_words (&start);
  Rect whole = { 0, 0, (gint32) size[1], (gint32) size[0] }, crop = whole;
  gboolean found = FALSE;
  for (gint64 i = 0; i < s->attempts && !found; i++)
    {
      float aspect =
          sluice_words_next_float (&words) * (s->aspect[1] - s->aspect[0]) + s->aspect[0];
      if (call->cancelled && *call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "cancelled");
      found = draw_crop (size[1], size[0], s, aspect, &words, &crop)
              && covers_enough (&crop, covered, boxes, n);
    }
  return write_outputs (call, found ? &crop : &whole, size[0], size[1]);
}

#define SIZES                                                                                      \
  (SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_INT8) | SLUICE_SET (SLUICE_INT16)                \
   | SLUICE_SET_INDEX)
#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SIZES } }, .host_inputs = ~0u,                  \
    .host_outputs = ~0u, .prepare = sample_prepare, .free_state = g_free,                          \
    .compute = sample_compute                                                                      \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("SampleDistortedBoundingBox"),
  KERNEL ("SampleDistortedBoundingBoxV2"),
  KERNEL ("StatelessSampleDistortedBoundingBox"),
};

const SluiceKernelModule sluice_module_image_sample_box_cpu = { .kernels = kernels,
                                                                .n_kernels =
                                                                    G_N_ELEMENTS (kernels) };
