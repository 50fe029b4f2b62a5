/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Pictures from the bytes of a JPEG, PNG, GIF or BMP, and bytes of a JPEG or PNG from pictures.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/* ---- shapes ---- */

/* [height, width, channels], of which the last may be asked for. */
static gboolean
decode_shape (SluiceShapeContext *c, GError **error)
{
  gint64 channels = sluice_node_get_int (c->node, "channels");
  if (!sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  if (channels < 0)
    return sluice_shape_context_fail (
        c, error, "channels must not be negative, but is %" G_GINT64_FORMAT, channels);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (-1, -1, channels ? channels : -1));
  return TRUE;
}

static gboolean
decode_gif_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (-1, -1, -1, 3));
  return TRUE;
}

static gboolean
jpeg_shape_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (3));
  return TRUE;
}

/* One text a picture: the dimensions before the last three. */
static gboolean
encode_png_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  if (!sluice_shape_context_want_rank_at_least (c, 0, 3, error))
    return FALSE;
  if (shape.rank >= 0)
    shape.rank -= 3;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
encode_jpeg_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 3, error) && sluice_shape_scalar (c, error);
}

/* ---- recipes ---- */

#define BINARY N_ ("its input is the bytes of a file, which a sample cannot write")
static const SluiceRecipe binary_recipe = { .why_none = BINARY };

static const SluiceSample png_samples[] = {
  { "T=uint8", "uint8[3,4,3]", 0, 0, TRUE },
  { "T=uint8; compression=9", "uint8[5,2,1]", 0, 0, TRUE },
  { "T=uint16; compression=0", "uint16[2,3,4,2]", 0, 0, TRUE },
  { "T=uint8", "uint8[0,3,4,4]", 0, 0, TRUE },
};
static const SluiceRecipe png_recipe = { .samples = png_samples,
                                         .n_samples = G_N_ELEMENTS (png_samples) };

static const SluiceSample jpeg_samples[] = {
  { "", "uint8[9,17,3]", 0, 0, TRUE },
  { "format='grayscale'; quality=40; progressive=true; optimize_size=true", "uint8[8,8,1]", 0, 0,
    TRUE },
  { "chroma_downsampling=false; density_unit='cm'; xmp_metadata='x'", "uint8[1,1,3]", 0, 0, TRUE },
};
static const SluiceRecipe jpeg_recipe = { .samples = jpeg_samples,
                                          .n_samples = G_N_ELEMENTS (jpeg_samples) };

/* ---- definitions ---- */

#define JPEG_ATTRS                                                                                 \
  "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; "                              \
  "try_recover_truncated: bool = false; acceptable_fraction: float = 1; dct_method: string = ''"

static const SluiceOpDef decode_jpeg_op = {
  .name = "DecodeJpeg",
  .signature = "contents: string -> image: uint8",
  .attrs = JPEG_ATTRS,
  .summary = N_ ("A picture from the bytes of a JPEG"),
  .shape = decode_shape,
  .recipe = &binary_recipe,
};

static const SluiceOpDef decode_crop_op = {
  .name = "DecodeAndCropJpeg",
  .signature = "contents: string, crop_window: int32 -> image: uint8",
  .attrs = JPEG_ATTRS,
  .summary = N_ ("A part of a picture from the bytes of a JPEG"),
  .shape = decode_shape,
  .recipe = &binary_recipe,
};

static const SluiceOpDef decode_png_op = {
  .name = "DecodePng",
  .signature = "contents: string -> image: dtype",
  .attrs = "channels: int = 0; dtype: {uint8, uint16} = uint8",
  .summary = N_ ("A picture from the bytes of a PNG"),
  .shape = decode_shape,
  .recipe = &binary_recipe,
};

static const SluiceOpDef decode_gif_op = {
  .name = "DecodeGif",
  .signature = "contents: string -> image: uint8",
  .summary = N_ ("The frames of a GIF from its bytes"),
  .shape = decode_gif_shape,
  .recipe = &binary_recipe,
};

static const SluiceOpDef decode_bmp_op = {
  .name = "DecodeBmp",
  .signature = "contents: string -> image: uint8",
  .attrs = "channels: int = 0",
  .summary = N_ ("A picture from the bytes of a BMP"),
  .shape = decode_shape,
  .recipe = &binary_recipe,
};

static const SluiceOpDef jpeg_shape_op = {
  .name = "ExtractJpegShape",
  .signature = "contents: string -> image_shape: output_type",
  .attrs = "output_type: {int32, int64} = int32",
  .summary = N_ ("Height, width and channels of a JPEG, which is not decoded"),
  .shape = jpeg_shape_shape,
  .recipe = &binary_recipe,
};

static const SluiceOpDef encode_png_op = {
  .name = "EncodePng",
  .signature = "image: T -> contents: string",
  .attrs = "compression: int = -1; T: {uint8, uint16} = uint8",
  .summary = N_ ("Bytes of a PNG from a picture"),
  .shape = encode_png_shape,
  .recipe = &png_recipe,
};

static const SluiceOpDef encode_jpeg_op = {
  .name = "EncodeJpeg",
  .signature = "image: uint8 -> contents: string",
  .attrs = "format: {'', 'grayscale', 'rgb'} = ''; quality: int = 95; progressive: bool = false; "
           "optimize_size: bool = false; chroma_downsampling: bool = true; "
           "density_unit: {'in', 'cm'} = 'in'; x_density: int = 300; y_density: int = 300; "
           "xmp_metadata: string = ''",
  .summary = N_ ("Bytes of a JPEG from a picture"),
  .shape = encode_jpeg_shape,
  .recipe = &jpeg_recipe,
};

static const SluiceOpDef *const ops[] = {
  &decode_jpeg_op, &decode_crop_op, &decode_png_op, &decode_gif_op,
  &decode_bmp_op,  &jpeg_shape_op,  &encode_png_op, &encode_jpeg_op,
};

const SluiceKernelModule sluice_module_image_codecs = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
