/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/image/codecs.h"

/* Bytes of the header that are looked into: as far as the bits a pixel. */
#define HEADER_BYTES 32

/* Uncompressed pixels of 8 bits a channel, which is all that TensorFlow reads as well. */
typedef struct
{
  const guint8 *pixels;
  gint64 row; /* bytes, padded to a multiple of 4 */
  int channels;
  gboolean top_down;
} Bitmap;

static gint32
read_le32 (const guint8 *at)
{
  return (gint32) (at[0] | at[1] << 8 | at[2] << 16 | (guint32) at[3] << 24);
}

static gboolean
read_header (
    const guint8 *data, gsize length, Bitmap *bitmap, SluicePictureSize *size, GError **error)
{
  if (length < HEADER_BYTES)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a BMP has a header of at least %d bytes, not %" G_GSIZE_FORMAT
                        " bytes in all",
                        HEADER_BYTES, length);
  gint64 offset = read_le32 (data + 10), width = read_le32 (data + 18);
  gint64 height = read_le32 (data + 22), bits = (gint16) (data[28] | data[29] << 8);
  bitmap->channels = (int) (bits / 8);
  bitmap->top_down = height < 0;
  height = ABS (height);
  if (bitmap->channels != 1 && bitmap->channels != 3 && bitmap->channels != 4)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a BMP has 8, 24 or 32 bits a pixel, not %" G_GINT64_FORMAT, bits);
  if (offset < 0 || width <= 0 || height == 0 || width * height >= G_MAXINT32 / 8)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a BMP of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                        " pixels at byte %" G_GINT64_FORMAT " cannot be",
                        width, height, offset);
  bitmap->row = (width * bitmap->channels + 3) / 4 * 4;
  gint64 want = offset + bitmap->row * height;
  if ((guint64) want != length)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the BMP should have %" G_GINT64_FORMAT " bytes, not %" G_GSIZE_FORMAT,
                        want, length);
  bitmap->pixels = data + offset;
  *size = (SluicePictureSize){ 1, height, width, bitmap->channels };
  return TRUE;
}

/* From blue, green, red and opacity, or from grey. */
static void
convert_row (const Bitmap *bitmap, const guint8 *from, gint64 width, int channels, guint8 *to)
{
  for (gint64 x = 0; x < width; x++, from += bitmap->channels, to += channels)
    if (bitmap->channels == 1 && channels == 1)
      to[0] = from[0];
    else
      {
        gboolean grey = bitmap->channels == 1;
        to[0] = from[grey ? 0 : 2];
        to[1] = from[grey ? 0 : 1];
        to[2] = from[0];
        if (channels == 4)
          to[3] = bitmap->channels == 4 ? from[3] : G_MAXUINT8;
      }
}

gboolean
sluice_bmp_decode (const guint8 *data,
                   gsize length,
                   const SluicePictureOptions *options,
                   SluicePictureAllocate allocate,
                   gpointer user_data,
                   GError **error)
{
  Bitmap bitmap = { 0 };
  SluicePictureSize size = { 0 };
  if (options->channels == 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "channels must be 0, 3 or 4 for a BMP, not 1");
  if (!read_header (data, length, &bitmap, &size, error))
    return FALSE;
  if (options->channels)
    size.channels = options->channels;
  guint8 *pixels = allocate (&size, user_data);
  if (pixels == NULL)
    return FALSE;
  for (gint64 y = 0; y < size.height; y++)
    convert_row (&bitmap, bitmap.pixels + (bitmap.top_down ? y : size.height - 1 - y) * bitmap.row,
                 size.width, (int) size.channels, pixels + y * size.width * size.channels);
  return TRUE;
}
