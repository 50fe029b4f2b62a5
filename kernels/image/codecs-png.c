/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <png.h>
#include <string.h>

#include "kernels/image/codecs.h"

/* What libpng's callbacks see. libpng leaves an error by longjmp: this lives outside of the
 * function that it returns to. */
typedef struct
{
  const guint8 *at;
  gsize left;
  GByteArray *out;
  char message[96];
  png_structp png;
  png_infop info;
} Stream;

static void G_GNUC_NORETURN
note_error (png_structp png, png_const_charp text)
{
  Stream *s = png_get_error_ptr (png);
  g_strlcpy (s->message, text, sizeof s->message);
  png_longjmp (png, 1);
}

static void
ignore_warning (png_structp png, png_const_charp text)
{
}

static void
read_bytes (png_structp png, png_bytep to, gsize n)
{
  Stream *s = png_get_io_ptr (png);
  if (n > s->left)
    png_error (png, "the bytes end early");
  memcpy (to, s->at, n);
  s->at += n;
  s->left -= n;
}

static void
write_bytes (png_structp png, png_bytep from, gsize n)
{
  Stream *s = png_get_io_ptr (png);
  g_byte_array_append (s->out, from, (guint) n);
}

static void
flush_bytes (png_structp png)
{
}

/* ---- reading ---- */

typedef struct
{
  Stream stream;
  SluicePictureSize size;
  gboolean synthesize; /* 16 bits are wanted of a picture that has 8 */
  int n_passes;
} Reader;

/* Opacity is asked for by an even number of channels. */
static void
set_opacity (Reader *r, int type, int depth, gboolean has_transparent)
{
  png_structp png = r->stream.png;
  gboolean has_alpha = type & PNG_COLOR_MASK_ALPHA;
  if (r->size.channels % 2 == 0)
    {
      if (!has_alpha && has_transparent)
        png_set_tRNS_to_alpha (png);
      else if (!has_alpha)
        png_set_add_alpha (png, (1u << depth) - 1, PNG_FILLER_AFTER);
    }
  else if (has_alpha || has_transparent)
    png_set_strip_alpha (png);
}

/* Asks libpng for the channels and bits that are wanted, the same way as TensorFlow. */
static void
set_transformations (Reader *r, const SluicePictureOptions *options)
{
  png_structp png = r->stream.png;
  int type = png_get_color_type (png, r->stream.info);
  int depth = png_get_bit_depth (png, r->stream.info);
  gboolean has_transparent = png_get_valid (png, r->stream.info, PNG_INFO_tRNS) != 0;
  gboolean is_palette = type == PNG_COLOR_TYPE_PALETTE;
  gboolean is_grey = !(type & PNG_COLOR_MASK_COLOR);
  r->size.channels = options->channels;
  if (options->channels == 0)
    r->size.channels =
        is_palette ? (has_transparent ? 4 : 3) : png_get_channels (png, r->stream.info);
  set_opacity (r, type, depth, has_transparent);
  if (depth > 8 && !options->wide)
    png_set_strip_16 (png);
  r->synthesize = depth <= 8 && options->wide;
  png_set_packing (png);
  r->n_passes = png_set_interlace_handling (png);
  if (options->wide && G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_swap (png);
  if (is_palette)
    png_set_palette_to_rgb (png);
  if (is_grey && depth < 8)
    png_set_expand_gray_1_2_4_to_8 (png);
  if (r->size.channels < 3 && !is_grey)
    png_set_rgb_to_gray (png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  else if (r->size.channels >= 3 && is_grey)
    png_set_gray_to_rgb (png);
  png_read_update_info (png, r->stream.info);
}

/* FALSE where libpng found an error. */
static gboolean
read_header (Reader *r, const SluicePictureOptions *options)
{
  png_structp png = r->stream.png;
  if (setjmp (png_jmpbuf (png)))
    return FALSE;
  png_set_user_limits (png, 1 << 27, 1 << 27);
  png_set_read_fn (png, &r->stream, read_bytes);
  png_read_info (png, r->stream.info);
  r->size.frames = 1;
  r->size.width = png_get_image_width (png, r->stream.info);
  r->size.height = png_get_image_height (png, r->stream.info);
  set_transformations (r, options);
  gsize pixel = r->size.channels * (options->wide && !r->synthesize ? 2 : 1);
  if (png_get_rowbytes (png, r->stream.info) != pixel * r->size.width)
    png_error (png, "its channels cannot be converted to those wanted");
  return TRUE;
}

static gboolean
read_rows (Reader *r, guint8 *pixels, gsize stride, const _Atomic int *cancelled)
{
  png_structp png = r->stream.png;
  if (setjmp (png_jmpbuf (png)))
    return FALSE;
  for (int pass = 0; pass < r->n_passes; pass++)
    for (gint64 y = 0; y < r->size.height; y++)
      {
        if (cancelled && *cancelled)
          png_error (png, "cancelled");
        png_read_row (png, pixels + y * stride, NULL);
      }
  png_read_end (png, r->stream.info);
  return TRUE;
}

/* Bytes at the start of each row become numbers of 16 bits, v·257. */
static void
synthesize_16 (guint8 *pixels, gsize stride, const SluicePictureSize *size)
{
  gsize n = size->width * size->channels;
  for (gint64 y = 0; y < size->height; y++)
    {
      guint8 *row = pixels + y * stride;
      for (gsize i = n; i-- > 0;)
        ((guint16 *) row)[i] = (guint16) (row[i] * 257);
    }
}

static gboolean
decode (Reader *r,
        const SluicePictureOptions *options,
        SluicePictureAllocate allocate,
        gpointer user_data,
        GError **error)
{
  const SluicePictureSize *size = &r->size;
  if (!read_header (r, options))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "no PNG that can be read: %s",
                        r->stream.message);
  if (size->width >= 1 << 27 || size->height >= 1 << 27 || size->width * size->height >= 1 << 29)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a PNG of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                        " pixels is too large; 2^29 are the limit",
                        size->width, size->height);
  guint8 *pixels = allocate (size, user_data);
  gsize stride = size->width * size->channels * (options->wide ? 2 : 1);
  if (pixels == NULL)
    return FALSE;
  if (!read_rows (r, pixels, stride, options->cancelled))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the PNG is damaged: %s",
                        r->stream.message);
  if (r->synthesize)
    synthesize_16 (pixels, stride, size);
  return TRUE;
}

gboolean
sluice_png_decode (const guint8 *data,
                   gsize length,
                   const SluicePictureOptions *options,
                   SluicePictureAllocate allocate,
                   gpointer user_data,
                   GError **error)
{
  Reader r = { .stream = { .at = data, .left = length } };
  Stream *s = &r.stream;
  s->png = png_create_read_struct (PNG_LIBPNG_VER_STRING, s, note_error, ignore_warning);
  s->info = s->png ? png_create_info_struct (s->png) : NULL;
  gboolean ok = s->info ? decode (&r, options, allocate, user_data, error)
                        : sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for PNG");
  png_destroy_read_struct (&s->png, &s->info, NULL);
  return ok;
}

/* ---- writing ---- */

static gboolean
write_picture (
    Stream *s, const guint8 *pixels, const SluicePictureSize *size, gboolean wide, int level)
{
  static const int types[] = { 0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                               PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
  if (setjmp (png_jmpbuf (s->png)))
    return FALSE;
  png_set_write_fn (s->png, s, write_bytes, flush_bytes);
  png_set_compression_level (s->png, level);
  png_set_compression_mem_level (s->png, 9);
  png_set_IHDR (s->png, s->info, (png_uint_32) size->width, (png_uint_32) size->height,
                wide ? 16 : 8, types[size->channels], PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (s->png, s->info);
  if (wide && G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_swap (s->png);
  gsize stride = size->width * size->channels * (wide ? 2 : 1);
  for (gint64 y = 0; y < size->height; y++)
    png_write_row (s->png, pixels + y * stride);
  png_write_end (s->png, NULL);
  return TRUE;
}

gboolean
sluice_png_encode (const void *pixels,
                   const SluicePictureSize *size,
                   gboolean wide,
                   int level,
                   GByteArray *out,
                   GError **error)
{
  g_assert (size->channels >= 1 && size->channels <= 4);
  if (size->height <= 0 || size->width <= 0 || size->height > G_MAXINT32
      || size->width > G_MAXINT32 / 2 / size->channels)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "no PNG can be made of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " pixels",
                        size->width, size->height);
  Stream s = { .out = out };
  s.png = png_create_write_struct (PNG_LIBPNG_VER_STRING, &s, note_error, ignore_warning);
  s.info = s.png ? png_create_info_struct (s.png) : NULL;
  gboolean ok = s.info && write_picture (&s, pixels, size, wide, level);
  png_destroy_write_struct (&s.png, &s.info);
  return ok ? TRUE
            : sluice_fail (error, SLUICE_ERROR_INTERNAL, "writing a PNG failed: %s", s.message);
}
