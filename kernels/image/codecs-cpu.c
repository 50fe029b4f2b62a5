/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/image/codecs.h"
#include "kernels/typed.h"

/* ---- reading ---- */

typedef struct
{
  const char *name;
  const char *magic;
  gsize magic_length;
  SluicePictureDecode decode;
} Format;

static const Format formats[] = {
  { "JPEG", "\xff\xd8\xff", 3, sluice_jpeg_decode },
  { "PNG", "\x89PNG\r\n\x1a\n", 8, sluice_png_decode },
  { "GIF", "GIF8", 4, sluice_gif_decode },
  { "BMP", "BM", 2, sluice_bmp_decode },
};

/* Which formats an op reads: TensorFlow's decoders of JPEG, PNG and GIF read each other's files. */
enum
{
  JPEG = 1 << 0,
  PNG = 1 << 1,
  GIF = 1 << 2,
  BMP = 1 << 3,
  MOVING = 1 << 4, /* the output has frames */
};

static gboolean
check_channels (const SluiceNode *node, int channels, GError **error)
{
  return channels == 0 || channels == 1 || channels == 3 || channels == 4
         || sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                              "channels must be 0, 1, 3 or 4, not %d", channels);
}

static gboolean
read_jpeg_attributes (const SluiceNode *node, SluicePictureOptions *o, GError **error)
{
  gint64 ratio = sluice_node_get_int (node, "ratio");
  o->plain_chroma = !sluice_node_get_bool (node, "fancy_upscaling");
  o->recover = sluice_node_get_bool (node, "try_recover_truncated");
  o->acceptable = sluice_node_get_float (node, "acceptable_fraction");
  /* TensorFlow's default is the fast transform. */
  o->accurate = sluice_node_string_is (node, "dct_method", "INTEGER_ACCURATE");
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "ratio must be 1, 2, 4 or 8, not %" G_GINT64_FORMAT, ratio);
  if (!o->accurate && !sluice_node_string_is (node, "dct_method", "INTEGER_FAST")
      && !sluice_node_string_is (node, "dct_method", ""))
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dct_method must be '', INTEGER_FAST or INTEGER_ACCURATE");
  o->ratio = (int) ratio;
  return TRUE;
}

static gpointer
decode_prepare (const SluiceNode *node, GError **error)
{
  g_autofree SluicePictureOptions *o = g_new0 (SluicePictureOptions, 1);
  o->ratio = 1;
  o->acceptable = 1;
  if (sluice_op_find_attr (node->op, sluice_intern ("channels")))
    o->channels = (int) CLAMP (sluice_node_get_int (node, "channels"), -1, G_MAXINT);
  else
    o->channels = 3;
  if (sluice_op_find_attr (node->op, sluice_intern ("dtype")))
    o->wide = sluice_node_get_type (node, "dtype") == SLUICE_UINT16;
  if (!check_channels (node, o->channels, error))
    return NULL;
  if (sluice_op_find_attr (node->op, sluice_intern ("ratio"))
      && !read_jpeg_attributes (node, o, error))
    return NULL;
  return g_steal_pointer (&o);
}

typedef struct
{
  SluiceKernelCall *call;
  guint flags;
  gint64 n; /* numbers in the picture */
} Target;

static void *
allocate_output (const SluicePictureSize *size, gpointer data)
{
  Target *target = data;
  gint64 dims[4] = { size->frames, size->height, size->width, size->channels };
  gboolean moving = target->flags & MOVING;
  SluiceShape shape;
  if (!moving && size->frames != 1)
    {
      sluice_call_fail (target->call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the GIF has %" G_GINT64_FORMAT " frames; DecodeGif reads such",
                        size->frames);
      return NULL;
    }
  if (!sluice_shape_make (&shape, moving ? dims : dims + 1, moving ? 4 : 3, NULL))
    {
      sluice_call_fail (target->call, SLUICE_ERROR_INVALID_ARGUMENT, "the picture is too large");
      return NULL;
    }
  SluiceTensor *out = sluice_call_output (target->call, 0, &shape);
  target->n = out ? out->n_elements : 0;
  return out ? out->data : NULL;
}

static gboolean
read_crop (SluiceKernelCall *call, gint64 crop[4])
{
  SluiceTensor *window = sluice_call_input (call, 1);
  if (window->shape.rank != 1 || window->n_elements != 4)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "crop_window must hold y, x, height and width");
  for (int i = 0; i < 4; i++)
    crop[i] = sluice_tensor_get_int (window, i);
  return TRUE;
}

static const Format *
find_format (SluiceKernelCall *call, const SluiceString *bytes, guint flags)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (bytes->length >= formats[i].magic_length
        && memcmp (bytes->data, formats[i].magic, formats[i].magic_length) == 0)
      {
        if (flags & (1u << i))
          return &formats[i];
        sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                          "contents is a %s, which %s does not read", formats[i].name,
                          call->node->op->name);
        return NULL;
      }
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "contents, %" G_GSIZE_FORMAT " bytes, begins as no JPEG, PNG, GIF or BMP does",
                    bytes->length);
  return NULL;
}

/* Bytes at the start of the output become numbers of 16 bits, v·256: as TensorFlow has it for all
 * but PNG. */
static void
widen_bytes (guint16 *data, gint64 n)
{
  const guint8 *bytes = (const guint8 *) data;
  for (gint64 i = n; i-- > 0;)
    data[i] = (guint16) (bytes[i] << 8);
}

static gboolean
decode_compute (SluiceKernelCall *call)
{
  Target target = { .call = call, .flags = GPOINTER_TO_UINT (call->kernel->data) };
  SluicePictureOptions options = *(const SluicePictureOptions *) call->state;
  gint64 crop[4];
  g_autoptr (GError) error = NULL;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  const SluiceString *bytes = sluice_call_input (call, 0)->data;
  const Format *format = find_format (call, bytes, target.flags);
  if (format == NULL || (call->n_inputs > 1 && !read_crop (call, crop)))
    return FALSE;
  options.crop = call->n_inputs > 1 ? crop : NULL;
  options.cancelled = call->cancelled;
  if (!format->decode ((const guint8 *) bytes->data, bytes->length, &options, allocate_output,
                       &target, &error))
    {
      if (call->cancelled && *call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "cancelled");
      return error ? sluice_call_fail (call, error->code, "contents: %s", error->message) : FALSE;
    }
  if (options.wide && format->decode != sluice_png_decode)
    widen_bytes (call->outputs[0].tensor->data, target.n);
  return TRUE;
}

static gboolean
jpeg_shape_compute (SluiceKernelCall *call)
{
  SluicePictureSize size;
  g_autoptr (GError) error = NULL;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  const SluiceString *bytes = sluice_call_input (call, 0)->data;
  if (!sluice_jpeg_size ((const guint8 *) bytes->data, bytes->length, &size, &error))
    return sluice_call_fail (call, error->code, "contents: %s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (3));
  if (out == NULL)
    return FALSE;
  gint64 values[] = { size.height, size.width, size.channels };
  for (int i = 0; i < 3; i++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[i] = values[i];
    else
      ((gint32 *) out->data)[i] = (gint32) values[i];
  return TRUE;
}

/* ---- writing ---- */

static void
set_bytes (SluiceString *to, const GByteArray *bytes)
{
  sluice_string_set (to, (const char *) bytes->data, bytes->len);
}

static gpointer
encode_png_prepare (const SluiceNode *node, GError **error)
{
  gint64 level = sluice_node_get_int (node, "compression");
  if (level >= -1 && level <= 9)
    return GINT_TO_POINTER ((int) level + 2);
  sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                    "compression must be in [-1, 9], not %" G_GINT64_FORMAT, level);
  return NULL;
}

/* Pictures are the last three dimensions; the ones before count them. */
static gboolean
encode_png_compute (SluiceKernelCall *call)
{
  SluiceTensor *image = sluice_call_input (call, 0);
  SluiceShape in = image->shape, outer = in;
  char text[SLUICE_SHAPE_STR];
  if (in.rank < 3 || in.dim[in.rank - 1] < 1 || in.dim[in.rank - 1] > 4)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "image must have shape [height, width, 1 to 4 channels], not %s",
                             sluice_shape_str (&in, text));
  outer.rank = (gint8) (in.rank - 3);
  const gint64 *dims = &in.dim[outer.rank];
  SluicePictureSize size = { 1, dims[0], dims[1], dims[2] };
  SluiceTensor *out = sluice_call_output (call, 0, &outer);
  gboolean wide = image->dtype == SLUICE_UINT16;
  gsize bytes = out && out->n_elements ? sluice_tensor_bytes (image) / out->n_elements : 0;
  int level = GPOINTER_TO_INT (call->state) - 2;
  for (gint64 i = 0; out && i < out->n_elements; i++)
    {
      g_autoptr (GByteArray) png = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      if (call->cancelled && *call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "cancelled");
      if (!sluice_png_encode ((const guint8 *) image->data + i * bytes, &size, wide, level, png,
                              &error))
        return sluice_call_fail (call, error->code, "%s", error->message);
      set_bytes ((SluiceString *) out->data + i, png);
    }
  return out != NULL;
}

typedef struct
{
  SluiceJpegOptions options;
  gint64 channels; /* 0: 1 or 3 */
} JpegState;

static gpointer
encode_jpeg_prepare (const SluiceNode *node, GError **error)
{
  gint64 quality = sluice_node_get_int (node, "quality");
  const SluiceString *xmp = sluice_node_get_string (node, "xmp_metadata");
  if (quality < 0 || quality > 100)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "quality must be in [0, 100], not %" G_GINT64_FORMAT, quality);
      return NULL;
    }
  JpegState *state = g_new0 (JpegState, 1);
  state->options = (SluiceJpegOptions){
    .quality = (int) quality,
    .progressive = sluice_node_get_bool (node, "progressive"),
    .optimize = sluice_node_get_bool (node, "optimize_size"),
    .full_chroma = !sluice_node_get_bool (node, "chroma_downsampling"),
    .per_centimetre = sluice_node_string_is (node, "density_unit", "cm"),
    .x_density = (int) (sluice_node_get_int (node, "x_density") & 0xffff),
    .y_density = (int) (sluice_node_get_int (node, "y_density") & 0xffff),
    .xmp = xmp->data,
    .xmp_length = xmp->length,
  };
  if (!sluice_node_string_is (node, "format", ""))
    state->channels = sluice_node_string_is (node, "format", "rgb") ? 3 : 1;
  return state;
}

static gboolean
encode_jpeg_compute (SluiceKernelCall *call)
{
  const JpegState *state = call->state;
  SluiceTensor *image = sluice_call_input (call, 0);
  const SluiceShape *in = &image->shape;
  gint64 channels = in->rank == 3 ? in->dim[2] : 0;
  if ((channels != 1 && channels != 3) || (state->channels && state->channels != channels))
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "image must have shape [height, width, %s], not %s",
                               state->channels == 0   ? "1 or 3"
                               : state->channels == 1 ? "1"
                                                      : "3",
                               sluice_shape_str (in, text));
    }
  /* Sizes of a JPEG have 16 bits. */
  if (image->n_elements == 0 || in->dim[0] > G_MAXUINT16 || in->dim[1] > G_MAXUINT16)
    return sluice_call_fail (call, SLUICE_ERROR_INTERNAL,
                             "a JPEG has height and width in [1, 65535], not %" G_GINT64_FORMAT
                             " and %" G_GINT64_FORMAT,
                             in->dim[0], in->dim[1]);
  SluicePictureSize size = { 1, in->dim[0], in->dim[1], channels };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  if (!sluice_jpeg_encode (image->data, &size, &state->options, bytes, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out)
    set_bytes (out->data, bytes);
  return out != NULL;
}

#define DECODER(name, flags)                                                                       \
  {                                                                                                \
    .op = name, .device = "CPU", .host_inputs = ~0u, .prepare = decode_prepare,                    \
    .free_state = g_free, .compute = decode_compute, .data = GUINT_TO_POINTER (flags)              \
  }

static const SluiceKernel kernels[] = {
  DECODER ("DecodeJpeg", JPEG | PNG | GIF),
  DECODER ("DecodePng", JPEG | PNG | GIF),
  DECODER ("DecodeGif", JPEG | PNG | GIF | MOVING),
  DECODER ("DecodeBmp", BMP),
  DECODER ("DecodeAndCropJpeg", JPEG),
  { .op = "ExtractJpegShape", .device = "CPU", .host_inputs = ~0u, .compute = jpeg_shape_compute },
  { .op = "EncodePng",
    .device = "CPU",
    .host_inputs = ~0u,
    .host_outputs = 1,
    .prepare = encode_png_prepare,
    .compute = encode_png_compute },
  { .op = "EncodeJpeg",
    .device = "CPU",
    .host_inputs = ~0u,
    .host_outputs = 1,
    .prepare = encode_jpeg_prepare,
    .free_state = g_free,
    .compute = encode_jpeg_compute },
};

const SluiceKernelModule sluice_module_image_codecs_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
