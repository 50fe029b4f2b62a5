/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes the decoders of pictures and sound. The first byte says which decoder, the second how: so
 * one format's seeds also meet the other decoders. */
#include <string.h>

#include "kernels/image/codecs.h"
#include "kernels/image/wav.h"
#include "tests/fuzz/fuzz-driver.h"

/* Larger pictures are refused before they are made: a fuzzer looks for errors, not for patience. */
#define LARGEST (1 << 24)

static const SluicePictureDecode decoders[] = {
  sluice_png_decode,
  sluice_jpeg_decode,
  sluice_gif_decode,
  sluice_bmp_decode,
};

void
fuzz_init (void)
{
}

typedef struct
{
  gboolean wide;
  guint8 *pixels;
  gsize bytes;
} Picture;

static void *
allocate (const SluicePictureSize *size, gpointer data)
{
  Picture *picture = data;
  g_assert_cmpint (size->frames, >, 0);
  g_assert_cmpint (size->height, >, 0);
  g_assert_cmpint (size->width, >, 0);
  g_assert_cmpint (size->channels, >, 0);
  g_assert_cmpint (size->channels, <=, 4);
  if (size->height > LARGEST / size->width || size->frames > LARGEST / (size->height * size->width))
    return NULL;
  picture->bytes =
      size->frames * size->height * size->width * size->channels * (picture->wide ? 2 : 1);
  picture->pixels = g_malloc (picture->bytes);
  return picture->pixels;
}

/* Every byte of a picture that came out has been written: MemorySanitizer and valgrind see it. */
static guint
sum (const guint8 *bytes, gsize n)
{
  guint total = 0;
  for (gsize i = 0; i < n; i++)
    total += bytes[i];
  return total;
}

static void
decode_picture (guint kind, guint8 how, const guint8 *data, gsize size)
{
  static const int channels[] = { 0, 1, 3, 4 }, ratios[] = { 1, 2, 4, 8 };
  static const gint64 crop[] = { 1, 2, 3, 4 };
  Picture picture = { .wide = kind == 0 && (how & 0x40) };
  SluicePictureOptions options = {
    .channels = channels[how & 3],
    .wide = picture.wide,
    .ratio = ratios[how >> 2 & 3],
    .plain_chroma = how >> 4 & 1,
    .accurate = how >> 5 & 1,
    .recover = how >> 6 & 1,
    .acceptable = how & 0x20 ? 0.25f : 1.0f,
    .crop = kind == 1 && (how & 0x80) ? crop : NULL,
  };
  GError *error = NULL;
  /* A small part of a large picture still takes the memory of the whole. */
  SluicePictureSize whole;
  if (options.crop
      && (!sluice_jpeg_size (data, size, &whole, NULL) || whole.height > LARGEST / whole.width))
    options.crop = NULL;
  gboolean ok = decoders[kind](data, size, &options, allocate, &picture, &error);
  g_assert_true (!ok || error == NULL);
  g_assert_true (ok || error != NULL || picture.pixels == NULL);
  if (ok)
    g_assert_cmpuint (sum (picture.pixels, picture.bytes), <=, 255 * picture.bytes);
  g_clear_error (&error);
  g_free (picture.pixels);
}

static void
decode_sound (const guint8 *data, gsize size)
{
  SluiceWav wav;
  GError *error = NULL;
  gboolean ok = sluice_wav_parse (data, size, &wav, &error);
  g_assert_true (ok == (error == NULL));
  for (gint64 i = 0; ok && i < wav.n_frames * wav.n_channels; i++)
    g_assert_cmpfloat (sluice_wav_sample (&wav, i), <, 1);
  g_clear_error (&error);
}

static void
read_size (const guint8 *data, gsize length)
{
  SluicePictureSize size;
  GError *error = NULL;
  gboolean ok = sluice_jpeg_size (data, length, &size, &error);
  g_assert_true (ok == (error == NULL));
  g_clear_error (&error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size < 2)
    return 0;
  guint kind = data[0] % (G_N_ELEMENTS (decoders) + 2);
  if (kind < G_N_ELEMENTS (decoders))
    decode_picture (kind, data[1], data + 2, size - 2);
  else if (kind == G_N_ELEMENTS (decoders))
    decode_sound (data + 2, size - 2);
  else
    read_size (data + 2, size - 2);
  return 0;
}

/* ---- seeds ---- */

static void
add_seed (GPtrArray *seeds, guint8 kind, guint8 how, const void *data, gsize size)
{
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (guint8[]){ kind, how }, 2);
  g_byte_array_append (bytes, data, (guint) size);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (bytes));
}

static void
add_pictures (GPtrArray *seeds, const guint8 *pixels)
{
  for (int channels = 1; channels <= 4; channels++)
    for (int wide = 0; wide < 2; wide++)
      {
        SluicePictureSize size = { 1, 5, 7, channels };
        g_autoptr (GByteArray) png = g_byte_array_new ();
        g_assert_true (sluice_png_encode (pixels, &size, wide, 6, png, NULL));
        add_seed (seeds, 0, wide ? 0x40 : 0, png->data, png->len);
        add_seed (seeds, 0, 1, png->data, png->len);
      }
  for (int k = 0; k < 4; k++)
    {
      SluicePictureSize size = { 1, 9, 17, k & 1 ? 1 : 3 };
      SluiceJpegOptions options = { .quality = 80, .progressive = k >= 2, .optimize = k >= 2 };
      g_autoptr (GByteArray) jpeg = g_byte_array_new ();
      g_assert_true (sluice_jpeg_encode (pixels, &size, &options, jpeg, NULL));
      add_seed (seeds, 1, 0, jpeg->data, jpeg->len);
      add_seed (seeds, 1, 0xe4, jpeg->data, jpeg->len * 3 / 4);
      add_seed (seeds, 5, 0, jpeg->data, jpeg->len);
    }
}

/* 24 bits a pixel, 3 x 2, the last row first. */
static void
add_bitmap (GPtrArray *seeds)
{
  guint8 bmp[54 + 24] = { 'B', 'M', sizeof bmp, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40 };
  bmp[18] = 3;
  bmp[22] = 2;
  bmp[26] = 1;
  bmp[28] = 24;
  for (guint i = 54; i < sizeof bmp; i++)
    bmp[i] = (guint8) (7 * i);
  add_seed (seeds, 3, 0, bmp, sizeof bmp);
  add_seed (seeds, 3, 3, bmp, sizeof bmp);
}

GPtrArray *
fuzz_seeds (void)
{
  /* One pixel; and two frames of 2 x 2, the second interlaced, transparent and smaller. */
  static const guint8 gif[] = "GIF89a\1\0\1\0\x80\0\0\0\xff\0\xff\xff\xff!\xf9\4\0\0\0\0\0,\0\0\0\0"
                              "\1\0\1\0\0\2\2D\1\0;";
  static const guint8 moving[] =
      "GIF89a\2\0\2\0\x80\0\0\0\xff\0\xff\xff\xff,\0\0\0\0\2\0\2\0\0\2\3D\2\5\0!\xf9\4\1\0\0\1\0,"
      "\1\0\1\0\1\0\1\0\x40\2\2L\1\0;";
  guint8 pixels[640];
  float sound[12];
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < sizeof pixels; i++)
    pixels[i] = (guint8) (i * i / 3);
  for (guint i = 0; i < G_N_ELEMENTS (sound); i++)
    sound[i] = (float) i / 10 - 0.5f;
  add_pictures (seeds, pixels);
  add_bitmap (seeds);
  add_seed (seeds, 2, 0, gif, sizeof gif - 1);
  add_seed (seeds, 2, 2, moving, sizeof moving - 1);
  for (int channels = 1; channels <= 2; channels++)
    {
      g_autoptr (GByteArray) wav = g_byte_array_new ();
      g_assert_true (sluice_wav_encode (sound, 6, channels, 8000, wav, NULL));
      add_seed (seeds, 4, 0, wav->data, wav->len);
    }
  return seeds;
}
