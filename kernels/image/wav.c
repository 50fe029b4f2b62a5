/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/image/wav.h"

#include <math.h>
#include <string.h>

/* Bytes before the samples of a file as it is written here: RIFF, format and data headers. */
#define HEADER_BYTES 44

/* ---- reading ---- */

typedef struct
{
  const guint8 *at;
  gsize left;
  gboolean ended; /* more was wanted than there is */
} Reader;

static const guint8 *
take (Reader *r, gsize n)
{
  const guint8 *at = r->at;
  r->ended |= n > r->left;
  if (r->ended)
    return NULL;
  r->at += n;
  r->left -= n;
  return at;
}

/* A little-endian number of n bytes; 0 at the end. */
static guint32
take_number (Reader *r, int n)
{
  const guint8 *at = take (r, n);
  guint32 value = 0;
  for (int i = 0; at && i < n; i++)
    value |= (guint32) at[i] << (8 * i);
  return value;
}

/* The four letters that name a part of the file; "" at the end. */
static const char *
take_name (Reader *r, char name[5])
{
  const guint8 *at = take (r, 4);
  memset (name, 0, 5);
  if (at)
    memcpy (name, at, 4);
  return name;
}

/* Parts that may stand before the format. */
static const char *const others[] = {
  "JUNK", "bext", "iXML", "qlty", "mext", "levl", "link", "axml"
};

static gboolean
is_other (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (strcmp (others[i], name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
fail_ended (GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the WAV ends early");
}

static gboolean
read_format (Reader *r, SluiceWav *wav, GError **error)
{
  guint32 size = take_number (r, 4), code = take_number (r, 2);
  wav->n_channels = (int) take_number (r, 2);
  wav->rate = take_number (r, 4);
  guint32 bytes_a_second = take_number (r, 4), bytes_a_frame = take_number (r, 2);
  guint32 bits = take_number (r, 2);
  if (r->ended)
    return fail_ended (error);
  if ((size != 16 && size != 18) || code != 1 || bits != 16 || wav->n_channels < 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a WAV must hold plain numbers (code 1) of 16 bits, not code %u, %u bits, "
                        "%d channels, a header of %u bytes",
                        code, bits, wav->n_channels, size);
  if (bytes_a_frame != 2u * (guint) wav->n_channels || bytes_a_second != bytes_a_frame * wav->rate)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the WAV says %u bytes a moment and %u a second, which its %d channels and "
                        "rate of %u do not give",
                        bytes_a_frame, bytes_a_second, wav->n_channels, wav->rate);
  if (size == 18 && r->left >= 2)
    take (r, 2);
  return TRUE;
}

static gboolean
read_data (Reader *r, SluiceWav *wav, GError **error)
{
  char name[5];
  while (r->left > 0)
    {
      take_name (r, name);
      guint32 size = take_number (r, 4);
      if (r->ended)
        return fail_ended (error);
      if (size > G_MAXINT32)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "a part of the WAV says that it has %u bytes; 2^31 are the limit",
                            size);
      if (strcmp (name, "data") != 0)
        take (r, MIN (size, r->left));
      else if (wav->frames)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the WAV holds two sounds");
      else
        {
          gsize frame = 2 * (gsize) wav->n_channels;
          wav->n_frames = size / frame;
          wav->frames = take (r, wav->n_frames * frame);
          if (r->ended)
            return fail_ended (error);
        }
    }
  return wav->frames
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the WAV holds no sound");
}

gboolean
sluice_wav_parse (const guint8 *data, gsize length, SluiceWav *wav, GError **error)
{
  Reader r = { data, length, FALSE };
  char name[5];
  *wav = (SluiceWav){ 0 };
  gboolean is_riff = strcmp (take_name (&r, name), "RIFF") == 0;
  take_number (&r, 4);
  if (!is_riff || strcmp (take_name (&r, name), "WAVE") != 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the bytes do not begin as a WAV does");
  while (strcmp (take_name (&r, name), "fmt ") != 0)
    {
      if (r.ended)
        return fail_ended (error);
      if (!is_other (name))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "a WAV has its format before other parts");
      take (&r, take_number (&r, 4));
    }
  return read_format (&r, wav, error) && read_data (&r, wav, error);
}

/* ---- writing ---- */

static void
put_number (guint8 **at, guint64 value, int n)
{
  for (int i = 0; i < n; i++)
    *(*at)++ = (guint8) (value >> (8 * i));
}

static void
put_name (guint8 **at, const char *name)
{
  memcpy (*at, name, 4);
  *at += 4;
}

static gint16
to_16_bits (float sample)
{
  float value = roundf (sample * 32768);
  return isnan (value) ? 0 : (gint16) CLAMP (value, -32768.0f, 32767.0f);
}

gboolean
sluice_wav_encode (const float *samples,
                   gint64 n_frames,
                   gint64 n_channels,
                   gint64 rate,
                   GByteArray *out,
                   GError **error)
{
  if (rate <= 0 || rate > G_MAXUINT32)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the sample rate must be in (0, 2^32), not %" G_GINT64_FORMAT, rate);
  if (n_channels <= 0 || n_channels > G_MAXUINT16)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a WAV has 1 to 65535 channels, not %" G_GINT64_FORMAT, n_channels);
  if (n_frames > (G_MAXUINT32 - HEADER_BYTES) / 2 / n_channels)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%" G_GINT64_FORMAT " moments of %" G_GINT64_FORMAT
                        " channels are too long for a WAV",
                        n_frames, n_channels);
  gint64 n = n_frames * n_channels;
  guint old = out->len;
  g_byte_array_set_size (out, (guint) (old + HEADER_BYTES + 2 * n));
  guint8 *at = out->data + old;
  put_name (&at, "RIFF");
  put_number (&at, HEADER_BYTES - 8 + 2 * n, 4);
  put_name (&at, "WAVE");
  put_name (&at, "fmt ");
  put_number (&at, 16, 4);
  put_number (&at, 1, 2);
  put_number (&at, n_channels, 2);
  put_number (&at, rate, 4);
  put_number (&at, rate * 2 * n_channels, 4);
  put_number (&at, 2 * n_channels, 2);
  put_number (&at, 16, 2);
  put_name (&at, "data");
  put_number (&at, 2 * n, 4);
  for (gint64 i = 0; i < n; i++)
    put_number (&at, (guint16) to_16_bits (samples[i]), 2);
  return TRUE;
}
