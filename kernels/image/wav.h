/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"

/* Sound as bytes of a WAV file: numbers of 16 bits, the channels of each moment side by side. */

typedef struct
{
  gint64 n_frames; /* moments */
  int n_channels;
  guint32 rate;         /* moments a second */
  const guint8 *frames; /* little-endian, borrowed from what was parsed */
} SluiceWav;

gboolean sluice_wav_parse (const guint8 *data, gsize length, SluiceWav *wav, GError **error);

/* Sample i of all, in [-1, 1). */
static inline float
sluice_wav_sample (const SluiceWav *wav, gint64 i)
{
  gint16 value = (gint16) (wav->frames[2 * i] | wav->frames[2 * i + 1] << 8);
  return (float) value * (1.0f / 32768);
}

/* Appends a file of [n_frames, n_channels] numbers in [-1, 1]; what is beyond is clipped. */
gboolean sluice_wav_encode (const float *samples,
                            gint64 n_frames,
                            gint64 n_channels,
                            gint64 rate,
                            GByteArray *out,
                            GError **error);
