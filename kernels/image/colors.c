/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Colours: red, green and blue as hue, saturation and value, and back; contrast, hue and saturation
 * of pictures.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/image/shapes.h"
#include "kernels/math/gradients.h"

/* ---- shapes ---- */

static gboolean
color_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error))
    return FALSE;
  gint64 channels = sluice_input_dim (c, 0, -1);
  if (channels >= 0 && channels != 3)
    return sluice_shape_context_fail (c, error, "a colour has 3 channels, not %" G_GINT64_FORMAT,
                                      channels);
  if (shape.rank > 0)
    shape.dim[shape.rank - 1] = 3;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
adjust_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank_at_least (c, 0, 3, error)
         && sluice_shape_unchanged (c, error);
}

/* ---- gradient of RGBToHSV, piece by piece of the colour wheel as TensorFlow has it ---- */

typedef struct
{
  SluiceGradContext *g;
  SluiceDType dtype;
  SluiceEdge x[3];        /* red, green, blue */
  SluiceEdge biggest[3];  /* 1 where the channel is the largest, else 0 */
  SluiceEdge smallest[3]; /* … the smallest */
  SluiceEdge positive[3]; /* 1 where the channel is above 0 */
} Wheel;

#define OP(op, ...) sluice_op (&w->g->b, op, __VA_ARGS__)

static SluiceEdge
channel_of (SluiceGradContext *g, SluiceEdge pixels, gint64 k)
{
  SluiceEdge begin = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 0, k }, 2);
  SluiceEdge end = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 0, k + 1 }, 2);
  SluiceEdge step = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 1, 1 }, 2);
  return sluice_op_with (
      &g->b, "StridedSlice",
      SLUICE_ATTRS (sluice_attr_int ("ellipsis_mask", 1), sluice_attr_int ("shrink_axis_mask", 2)),
      pixels, begin, end, step);
}

static SluiceEdge
as_number (const Wheel *w, SluiceEdge truth)
{
  return sluice_op_with (&w->g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", w->dtype)),
                         truth);
}

static SluiceEdge
both (const Wheel *w, const char *first, SluiceEdge a, const char *second, SluiceEdge b, int k)
{
  return as_number (w, OP ("LogicalAnd", OP (first, w->x[k], a), OP (second, w->x[k], b)));
}

static SluiceEdge
inverse (const Wheel *w, SluiceEdge e)
{
  return OP ("DivNoNan", sluice_builder_const_number (&w->g->b, w->dtype, 1), e);
}

/* Of equal channels the first is the largest, the last the smallest. */
static void
turn_wheel (Wheel *w)
{
  static const char *const above[3][3] = { { "", "GreaterEqual", "GreaterEqual" },
                                           { "Greater", "", "GreaterEqual" },
                                           { "Greater", "Greater", "" } };
  static const char *const below[3][3] = { { "", "Less", "Less" },
                                           { "LessEqual", "", "Less" },
                                           { "LessEqual", "LessEqual", "" } };
  SluiceEdge zero = sluice_builder_const_number (&w->g->b, w->dtype, 0);
  for (int k = 0; k < 3; k++)
    w->x[k] = channel_of (w->g, sluice_grad_input (w->g, 0), k);
  for (int k = 0; k < 3; k++)
    {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      w->biggest[k] = both (w, above[k][a], w->x[a], above[k][b], w->x[b], k);
      w->smallest[k] = both (w, below[k][a], w->x[a], below[k][b], w->x[b], k);
      w->positive[k] = as_number (w, OP ("Greater", w->x[k], zero));
    }
}

/* d saturation / d channel k: saturation is 1 - smallest / biggest. */
static SluiceEdge
saturation_by (const Wheel *w, int k)
{
  int a = (k + 1) % 3, b = (k + 2) % 3;
  SluiceEdge least =
      OP ("AddV2", OP ("Mul", w->smallest[a], w->x[a]), OP ("Mul", w->smallest[b], w->x[b]));
  SluiceEdge most =
      OP ("AddV2", OP ("Mul", w->biggest[a], w->x[a]), OP ("Mul", w->biggest[b], w->x[b]));
  SluiceEdge as_biggest =
      OP ("Mul", OP ("Mul", w->biggest[k], least), inverse (w, OP ("Square", w->x[k])));
  SluiceEdge as_smallest = OP ("Mul", w->smallest[k], inverse (w, most));
  return OP ("Mul", w->positive[k], OP ("Sub", as_biggest, as_smallest));
}

/* d hue / d channel k, in sixths of the wheel: hue is the difference of two channels over the range
 * from the smallest to the biggest. */
static SluiceEdge
hue_by (const Wheel *w, int k)
{
  int others[] = { (k + 1) % 3, (k + 2) % 3 };
  SluiceEdge ahead = w->x[others[0]], behind = w->x[others[1]];
  SluiceEdge saturation = channel_of (w->g, sluice_grad_output (w->g, 0), 1);
  SluiceEdge value = channel_of (w->g, sluice_grad_output (w->g, 0), 2);
  SluiceEdge range = inverse (w, OP ("Square", OP ("Mul", saturation, value)));
  SluiceEdge sum = OP ("Mul", OP ("Mul", w->positive[k], w->biggest[k]),
                       OP ("Mul", OP ("Sub", behind, ahead), range));
  for (int i = 0; i < 2; i++)
    {
      int max = others[i], min = others[1 - i];
      SluiceEdge is_max = OP ("Mul", w->positive[max], w->biggest[max]);
      SluiceEdge k_is_min = OP ("Mul", OP ("Mul", w->smallest[k], OP ("Sub", behind, ahead)),
                                inverse (w, OP ("Square", OP ("Sub", w->x[max], w->x[k]))));
      SluiceEdge k_is_between =
          OP ("Mul", w->smallest[min], inverse (w, OP ("Sub", behind, ahead)));
      /* Ahead of k the hue falls as k grows, which the sign of the range says already where k is
       * the smallest. */
      sum = OP ("AddV2", sum, OP ("Mul", is_max, OP ("AddV2", k_is_min, k_is_between)));
    }
  return sum;
}

static gboolean
hsv_gradient (SluiceGradContext *g, GError **error)
{
  Wheel wheel = { .g = g, .dtype = sluice_node_get_type (g->node, "T") }, *w = &wheel;
  SluiceEdge dy = sluice_grad_dy (g, 0), parts[3];
  SluiceEdge sixth = sluice_builder_const_number (&g->b, w->dtype, 1.0 / 6);
  turn_wheel (w);
  for (int k = 0; k < 3; k++)
    {
      SluiceEdge by_hue = OP ("Mul", channel_of (g, dy, 0), OP ("Mul", hue_by (w, k), sixth));
      SluiceEdge by_saturation = OP ("Mul", channel_of (g, dy, 1), saturation_by (w, k));
      SluiceEdge by_value = OP ("Mul", channel_of (g, dy, 2), w->biggest[k]);
      parts[k] = OP ("AddV2", OP ("AddV2", by_value, by_saturation), by_hue);
    }
  sluice_grad_set (
      g, 0,
      sluice_builder_add (&g->b, "Pack", NULL, parts, 3,
                          SLUICE_ATTRS (sluice_attr_int ("N", 3), sluice_attr_int ("axis", -1))));
  return TRUE;
}

/* ---- recipes ---- */

static const SluiceSample color_samples[] = {
  { "", "float[5,3] in (0.1,1)", 1e-5, 1e-6 },
  { "", "float[2,2,3] in (0,1)", 1e-5, 1e-6, TRUE },
  { "", "float[0,3]", 0, 0, TRUE },
};
static const SluiceRecipe color_recipe = { .samples = color_samples,
                                           .n_samples = G_N_ELEMENTS (color_samples),
                                           .dtypes = SLUICE_SET_FLOATS };

#define HALF_OR_FLOAT (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_HALF))
static const SluiceSample adjust_samples[] = {
  { "", "float[2,3,4,3] in (0,1); float[]=0.3", 1e-4, 1e-5, TRUE },
  { "", "float[5,1,3] in (0,1); float[]=-0.4", 1e-4, 1e-5, TRUE },
  { "", "float[0,2,3]; float[]=2", 0, 0, TRUE },
};
static const SluiceRecipe adjust_recipe = { .samples = adjust_samples,
                                            .n_samples = G_N_ELEMENTS (adjust_samples),
                                            .dtypes = HALF_OR_FLOAT };

static const SluiceSample contrast_samples[] = {
  { "", "float[2,3,4,3]; float[]=0.5; float[]=0; float[]=9", 1e-5, 1e-5, TRUE },
  { "", "float[3,4,2]; float[]=2; float[]=-1; float[]=1", 1e-5, 1e-5, TRUE },
};
static const SluiceRecipe contrast_recipe = {
  .samples = contrast_samples,
  .n_samples = G_N_ELEMENTS (contrast_samples),
  .dtypes = SLUICE_SET_SIGNED | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_FLOAT)
            | SLUICE_SET (SLUICE_DOUBLE),
};

/* ---- definitions ---- */

static const SluiceOpDef to_hsv_op = {
  .name = "RGBToHSV",
  .signature = "images: T -> output: T",
  .attrs = "T: {half, bfloat16, float, double} = float",
  .summary = N_ ("Red, green and blue as hue, saturation and value"),
  .shape = color_shape,
  .gradient = hsv_gradient,
  .recipe = &color_recipe,
};

static const SluiceSample to_rgb_samples[] = {
  { "", "float[5,3] in (0,1)", 1e-5, 1e-6, TRUE },
  { "", "float[2,1,3] in (0,1)", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe to_rgb_recipe = { .samples = to_rgb_samples,
                                            .n_samples = G_N_ELEMENTS (to_rgb_samples),
                                            .dtypes = SLUICE_SET_FLOATS };

static const SluiceOpDef to_rgb_op = {
  .name = "HSVToRGB",
  .signature = "images: T -> output: T",
  .attrs = "T: {half, bfloat16, float, double} = float",
  .summary = N_ ("Hue, saturation and value as red, green and blue"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = color_shape,
  .recipe = &to_rgb_recipe,
};

static const SluiceOpDef contrast_v1_op = {
  .name = "AdjustContrast",
  .signature = "images: T, contrast_factor: float, min_value: float, max_value: float -> "
               "output: float",
  .attrs = "T: {uint8, int8, int16, int32, int64, float, double}",
  .summary = N_ ("Scales the distance of each pixel from the mean, within limits"),
  .shape = adjust_shape,
  .recipe = &contrast_recipe,
};

#define ADJUST(id, op_name, factor, text)                                                          \
  SLUICE_OP_DEF (id, op_name, "images: T, " factor ": float -> output: T",                         \
                 "T: {half, float} = float", 0, adjust_shape, &adjust_recipe, text)
ADJUST (contrast_op,
        "AdjustContrastv2",
        "contrast_factor",
        N_ ("Scales the distance of each pixel from the mean"));
ADJUST (hue_op, "AdjustHue", "delta", N_ ("Turns the colours round the wheel"));
ADJUST (saturation_op, "AdjustSaturation", "scale", N_ ("Makes colours stronger or weaker"));

static const SluiceOpDef *const ops[] = {
  &to_hsv_op, &to_rgb_op, &contrast_v1_op, &contrast_op, &hue_op, &saturation_op,
};

const SluiceKernelModule sluice_module_image_colors = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
