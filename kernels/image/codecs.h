/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"

/*
 * Pictures as bytes of a file, and back. Decoders believe nothing of what they read: lengths and
 * sizes are checked, and the larger ones refused as TensorFlow refuses them.
 */

typedef struct
{
  gint64 frames; /* 1 of a picture that does not move */
  gint64 height, width, channels;
} SluicePictureSize;

typedef struct
{
  int channels;  /* wanted: 1 grey, 3 colours, 4 colours and opacity; 0: as the picture has them */
  gboolean wide; /* 16 bits a channel; of a PNG */
  /* Of a JPEG: */
  int ratio;                    /* 1, 2, 4, 8: how much smaller */
  gboolean plain_chroma;        /* upsampled without interpolation */
  gboolean accurate;            /* the slower transform */
  gboolean recover;             /* lines that are missing are made up from those above */
  float acceptable;             /* fraction of lines that must be there, else it is an error */
  const gint64 *crop;           /* (nullable): y, x, height, width of the part that is wanted */
  const _Atomic int *cancelled; /* (nullable) */
} SluicePictureOptions;

/* Memory for a picture that was looked into, a row after the other without gaps. NULL: the decoder
 * gives up and returns FALSE without an error. */
typedef void *(*SluicePictureAllocate) (const SluicePictureSize *size, gpointer data);

typedef gboolean SluicePictureDecoder (const guint8 *data,
                                       gsize length,
                                       const SluicePictureOptions *options,
                                       SluicePictureAllocate allocate,
                                       gpointer user_data,
                                       GError **error);
typedef SluicePictureDecoder *SluicePictureDecode;

SluicePictureDecoder sluice_png_decode, sluice_jpeg_decode, sluice_gif_decode, sluice_bmp_decode;

/* Reads no further than the header. */
gboolean
sluice_jpeg_size (const guint8 *data, gsize length, SluicePictureSize *size, GError **error);

/* A picture of 1 to 4 channels, of 8 or 16 bits, appended to `out`. level: zlib's, -1 the default.
 */
gboolean sluice_png_encode (const void *pixels,
                            const SluicePictureSize *size,
                            gboolean wide,
                            int level,
                            GByteArray *out,
                            GError **error);

typedef struct
{
  int quality; /* 0 to 100 */
  gboolean progressive, optimize, full_chroma, per_centimetre;
  int x_density, y_density;
  const char *xmp; /* with what length, or none */
  gsize xmp_length;
} SluiceJpegOptions;

/* 1 or 3 channels. */
gboolean sluice_jpeg_encode (const guint8 *pixels,
                             const SluicePictureSize *size,
                             const SluiceJpegOptions *options,
                             GByteArray *out,
                             GError **error);
