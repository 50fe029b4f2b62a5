/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/image/codecs.h"

/* A code of LZW has at least 3 bits and stands for at most 4096 pixels: a picture with more of them
 * than so many a byte that is left ends early, and is not made room for. */
#define PIXELS_PER_BYTE (4096 * 8 / 3 + 1)
/* Bytes of all frames together. */
#define LARGEST G_MAXINT32

typedef struct
{
  const guint8 *at;
  gsize left;
  GifFileType *file;
  GArray *transparent; /* int: the colour that leaves a frame's pixel as it was, or -1 */
  const _Atomic int *cancelled;
} Reader;

static int
read_bytes (GifFileType *file, GifByteType *to, int n)
{
  Reader *r = file->UserData;
  n = (int) MIN ((gsize) MAX (n, 0), r->left);
  memcpy (to, r->at, n);
  r->at += n;
  r->left -= n;
  return n;
}

static gboolean
read_lines (Reader *r, SavedImage *image)
{
  static const int starts[] = { 0, 4, 2, 1 }, steps[] = { 8, 8, 4, 2 };
  const GifImageDesc *d = &image->ImageDesc;
  if (!d->Interlace)
    {
      for (int y = 0; y < d->Height; y++)
        if ((r->cancelled && *r->cancelled)
            || DGifGetLine (r->file, image->RasterBits + (gsize) y * d->Width, d->Width) != GIF_OK)
          return FALSE;
      return TRUE;
    }
  for (int pass = 0; pass < 4; pass++)
    for (int y = starts[pass]; y < d->Height; y += steps[pass])
      if ((r->cancelled && *r->cancelled)
          || DGifGetLine (r->file, image->RasterBits + (gsize) y * d->Width, d->Width) != GIF_OK)
        return FALSE;
  return TRUE;
}

/* Reads one frame; a frame that ends early is dropped. */
static gboolean
read_frame (Reader *r, int transparent)
{
  GifFileType *file = r->file;
  int n = file->ImageCount;
  if (DGifGetImageDesc (file) != GIF_OK)
    return FALSE;
  SavedImage *image = &file->SavedImages[n];
  gsize pixels = (gsize) image->ImageDesc.Width * image->ImageDesc.Height;
  gboolean ok = pixels > 0 && pixels / PIXELS_PER_BYTE <= r->left;
  /* giflib frees it. */
  image->RasterBits = ok ? malloc (pixels) : NULL;
  ok = image->RasterBits != NULL && read_lines (r, image);
  if (ok)
    g_array_append_val (r->transparent, transparent);
  return ok;
}

/* What stands before a frame; of this only its transparent colour matters. */
static gboolean
read_extension (Reader *r, int *transparent)
{
  int code;
  GifByteType *block;
  if (DGifGetExtension (r->file, &code, &block) != GIF_OK)
    return FALSE;
  GraphicsControlBlock control;
  if (code == GRAPHICS_EXT_FUNC_CODE && block
      && DGifExtensionToGCB (block[0], block + 1, &control) == GIF_OK)
    *transparent = control.TransparentColor;
  while (block)
    if (DGifGetExtensionNext (r->file, &block) != GIF_OK)
      return FALSE;
  return TRUE;
}

/* Frames until the end, or until the bytes make no sense any more. */
static void
read_frames (Reader *r)
{
  GifRecordType type;
  int transparent = NO_TRANSPARENT_COLOR;
  while (DGifGetRecordType (r->file, &type) == GIF_OK && type != TERMINATE_RECORD_TYPE)
    if (type == IMAGE_DESC_RECORD_TYPE)
      {
        if (!read_frame (r, transparent))
          return;
        transparent = NO_TRANSPARENT_COLOR;
      }
    else if (type == EXTENSION_RECORD_TYPE && !read_extension (r, &transparent))
      return;
}

/* Paints frame k over what the frame before it left; FALSE on a colour that is not in its table. */
static gboolean
paint (const Reader *r, guint k, const SluicePictureSize *size, guint8 *pixels)
{
  const SavedImage *image = &r->file->SavedImages[k];
  const GifImageDesc *d = &image->ImageDesc;
  const ColorMapObject *colors = d->ColorMap ? d->ColorMap : r->file->SColorMap;
  gsize bytes = (gsize) size->height * size->width * 3;
  guint8 *frame = pixels + k * bytes;
  if (k > 0)
    memcpy (frame, frame - bytes, bytes);
  else
    memset (frame, 0, bytes);
  if (colors == NULL)
    return FALSE;
  gint64 bottom = MIN ((gint64) d->Top + d->Height, size->height);
  gint64 right = MIN ((gint64) d->Left + d->Width, size->width);
  for (gint64 y = d->Top; y < bottom; y++)
    for (gint64 x = d->Left; x < right; x++)
      {
        int color = image->RasterBits[(y - d->Top) * d->Width + (x - d->Left)];
        if (color == g_array_index (r->transparent, int, k))
          continue;
        if (color >= colors->ColorCount)
          return FALSE;
        guint8 *to = frame + (y * size->width + x) * 3;
        to[0] = colors->Colors[color].Red;
        to[1] = colors->Colors[color].Green;
        to[2] = colors->Colors[color].Blue;
      }
  return TRUE;
}

static gboolean
decode (Reader *r, SluicePictureAllocate allocate, gpointer user_data, GError **error)
{
  SluicePictureSize size = { .channels = 3 };
  read_frames (r);
  size.frames = r->transparent->len;
  if (size.frames == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the GIF holds no whole frame");
  for (gint64 k = 0; k < size.frames; k++)
    {
      size.height = MAX (size.height, r->file->SavedImages[k].ImageDesc.Height);
      size.width = MAX (size.width, r->file->SavedImages[k].ImageDesc.Width);
    }
  if (size.frames > LARGEST / (size.height * size.width * 3))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a GIF of %" G_GINT64_FORMAT " frames of %" G_GINT64_FORMAT
                        " x %" G_GINT64_FORMAT " pixels is too large; 2^31 bytes are the limit",
                        size.frames, size.width, size.height);
  guint8 *pixels = allocate (&size, user_data);
  if (pixels == NULL)
    return FALSE;
  for (guint k = 0; k < size.frames; k++)
    if (!paint (r, k, &size, pixels))
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "frame %u of the GIF has a colour that is in no table", k);
  return TRUE;
}

gboolean
sluice_gif_decode (const guint8 *data,
                   gsize length,
                   const SluicePictureOptions *options,
                   SluicePictureAllocate allocate,
                   gpointer user_data,
                   GError **error)
{
  Reader r = { .at = data, .left = length, .cancelled = options->cancelled };
  int code = 0;
  if (options->channels != 0 && options->channels != 3)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "channels must be 0 or 3 for a GIF, not %d", options->channels);
  r.file = DGifOpen (&r, read_bytes, &code);
  if (r.file == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "no GIF that can be read: %s",
                        GifErrorString (code));
  r.transparent = g_array_new (FALSE, FALSE, sizeof (int));
  gboolean ok = decode (&r, allocate, user_data, error);
  g_array_unref (r.transparent);
  DGifCloseFile (r.file, NULL);
  return ok;
}
