/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Which input pixels each output pixel of an axis is made of. All places are computed in float, as
 * TensorFlow does: a rounding decides which pixel is the nearest.
 */
#include <float.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "kernels/image/resize.h"
#include "kernels/image/rows.h"

gpointer
sluice_resize_prepare (const SluiceNode *node, GError **error)
{
  SluiceResizeRule *rule = g_new0 (SluiceResizeRule, 1);
  rule->align_corners = sluice_node_get_bool (node, "align_corners");
  if (sluice_op_find_attr (node->op, sluice_intern ("half_pixel_centers")))
    rule->half_pixel = sluice_node_get_bool (node, "half_pixel_centers");
  return rule;
}

gboolean
sluice_resize_read_size (SluiceKernelCall *call, guint input, gint64 size[2])
{
  SluiceTensor *tensor = sluice_call_input (call, input);
  const char *name = call->node->op->inputs[input].name;
  if (tensor->shape.rank != 1 || tensor->n_elements != 2)
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "%s must hold height and width, not have shape %s", name,
                               sluice_shape_str (&tensor->shape, text));
    }
  for (int i = 0; i < 2; i++)
    {
      size[i] = sluice_tensor_get_int (tensor, i);
      if (size[i] <= 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "%s must be positive, but the %s is %" G_GINT64_FORMAT, name,
                                 i ? "width" : "height", size[i]);
    }
  return TRUE;
}

SluiceTensor *
sluice_resize_scratch (SluiceKernelCall *call, gint64 n, gsize size)
{
  return sluice_call_scratch (call, SLUICE_INT8, &SLUICE_SHAPE (n, (gint64) size));
}

static float
place (const SluiceResizeRule *rule, const SluiceResizeAxis *axis, gint64 i)
{
  return rule->half_pixel ? ((float) i + 0.5f) * axis->scale - 0.5f : (float) i * axis->scale;
}

static gint64
bound (gint64 i, gint64 n)
{
  return CLAMP (i, 0, n - 1);
}

SluiceTensor *
sluice_resize_linear_taps (SluiceKernelCall *call,
                           const SluiceResizeRule *rule,
                           const SluiceResizeAxis *axis)
{
  SluiceTensor *tensor = sluice_resize_scratch (call, axis->out, sizeof (SluiceTaps));
  SluiceTaps *taps = tensor ? tensor->data : NULL;
  for (gint64 i = 0; tensor && i < axis->out; i++)
    {
      float in = place (rule, axis, i), below = floorf (in);
      taps[i].index[0] = bound ((gint64) below, axis->in);
      taps[i].index[1] = bound ((gint64) ceilf (in), axis->in);
      taps[i].weight[1] = in - below;
      taps[i].weight[0] = 1.0f - taps[i].weight[1];
    }
  return tensor;
}

SluiceTensor *
sluice_resize_nearest_taps (SluiceKernelCall *call,
                            const SluiceResizeRule *rule,
                            const SluiceResizeAxis *axis)
{
  SluiceTensor *tensor = sluice_resize_scratch (call, axis->out, sizeof (gint64));
  gint64 *index = tensor ? tensor->data : NULL;
  for (gint64 i = 0; tensor && i < axis->out; i++)
    {
      float in = ((float) i + (rule->half_pixel ? 0.5f : 0.0f)) * axis->scale;
      in = rule->align_corners ? roundf (in) : floorf (in);
      index[i] = bound ((gint64) in, axis->in);
    }
  return tensor;
}

/* ---- cubic ---- */

/* TensorFlow reads the two halves of the cubic from tables of this many steps. */
#define STEPS 1024

typedef struct
{
  float inner[STEPS + 1], outer[STEPS + 1]; /* within one pixel, within two */
} CubicTable;

static void
make_table (CubicTable *table, double a)
{
  for (int i = 0; i <= STEPS; i++)
    {
      float x = (float) i / STEPS;
      table->inner[i] = (float) (((a + 2) * x - (a + 3)) * x * x + 1);
      x += 1.0f;
      table->outer[i] = (float) (((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
    }
}

/* Keys' cubic (a = -1/2) for half-pixel centres, else the older a = -3/4. */
static const CubicTable *
get_table (gboolean keys)
{
  static CubicTable tables[2];
  static gsize made;
  if (g_once_init_enter (&made))
    {
      make_table (&tables[0], -0.75);
      make_table (&tables[1], -0.5);
      g_once_init_leave (&made, 1);
    }
  return &tables[keys];
}

/* Taps outside of the picture weigh nothing; the others are scaled to sum to 1. */
static void
renormalise (SluiceTaps *taps, gint64 first)
{
  float sum = 0;
  for (int k = 0; k < 4; k++)
    {
      if (taps->index[k] != first + k)
        taps->weight[k] = 0;
      sum += taps->weight[k];
    }
  if (fabsf (sum) < 1000 * FLT_MIN)
    return;
  float factor = 1.0f / sum;
  for (int k = 0; k < 4; k++)
    taps->weight[k] *= factor;
}

SluiceTensor *
sluice_resize_cubic_taps (SluiceKernelCall *call,
                          const SluiceResizeRule *rule,
                          const SluiceResizeAxis *axis)
{
  const CubicTable *table = get_table (rule->half_pixel);
  SluiceTensor *tensor = sluice_resize_scratch (call, axis->out, sizeof (SluiceTaps));
  SluiceTaps *taps = tensor ? tensor->data : NULL;
  for (gint64 i = 0; tensor && i < axis->out; i++)
    {
      float in = place (rule, axis, i);
      gint64 at = (gint64) floorf (in);
      long step = lrintf ((in - (float) at) * STEPS);
      taps[i] =
          (SluiceTaps){ .weight = { table->outer[step], table->inner[step],
                                    table->inner[STEPS - step], table->outer[STEPS - step] } };
      for (int k = 0; k < 4; k++)
        taps[i].index[k] = bound (at - 1 + k, axis->in);
      if (rule->half_pixel)
        renormalise (&taps[i], at - 1);
    }
  return tensor;
}
