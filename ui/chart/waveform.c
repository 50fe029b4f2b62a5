/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/waveform.h"

#include "ui/common/paint.h"

#include <math.h>
#include <string.h>

#define MOST_PARTS 1000

struct _SluiceWaveform
{
  guint n;
  float low[MOST_PARTS], high[MOST_PARTS];
};

/* RIFF: chunks of a name of four letters, a length and so many bytes, padded to an even number. */
enum
{
  HEADER = 12,
  CHUNK = 8,
  FORMAT_LEAST = 16,
  WAVE_PCM = 1,
  WAVE_FLOAT = 3,
};

typedef struct
{
  guint16 format, channels, bytes; /* bytes of a sample */
  const guint8 *data;
  gsize length;
} Wave;

static guint32
get_le (const guint8 *at, guint n)
{
  guint32 value = 0;

  for (guint i = n; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

static gboolean
parse (const guint8 *bytes, gsize length, Wave *wave)
{
  *wave = (Wave){ 0 };
  if (length < HEADER || memcmp (bytes, "RIFF", 4) != 0 || memcmp (bytes + 8, "WAVE", 4) != 0)
    return FALSE;
  for (gsize at = HEADER; length - at >= CHUNK;)
    {
      gsize rest = length - at - CHUNK;
      gsize size = MIN (get_le (bytes + at + 4, 4), rest); /* a torn file ends early */

      if (memcmp (bytes + at, "fmt ", 4) == 0 && size >= FORMAT_LEAST)
        {
          wave->format = (guint16) get_le (bytes + at + CHUNK, 2);
          wave->channels = (guint16) get_le (bytes + at + CHUNK + 2, 2);
          wave->bytes = (guint16) (get_le (bytes + at + CHUNK + 14, 2) / 8);
        }
      else if (memcmp (bytes + at, "data", 4) == 0)
        {
          wave->data = bytes + at + CHUNK;
          wave->length = size;
          break;
        }
      at += CHUNK + MIN (size + (size & 1), rest);
    }
  if (wave->data == NULL || wave->channels == 0)
    return FALSE;
  return wave->format == WAVE_FLOAT
             ? wave->bytes == 4
             : wave->format == WAVE_PCM && wave->bytes >= 1 && wave->bytes <= 4;
}

/* -1 to 1. */
static float
get_sample (const Wave *wave, gsize i)
{
  const guint8 *at = wave->data + i * wave->bytes;
  guint32 value = get_le (at, wave->bytes);
  float number;

  if (wave->format == WAVE_FLOAT)
    {
      memcpy (&number, &value, sizeof number);
      return isfinite (number) ? CLAMP (number, -1, 1) : 0;
    }
  if (wave->bytes == 1)
    return ((float) value - 128) / 128; /* eight bits have no sign */
  return (float) ((gint32) (value << (32 - 8 * wave->bytes)) / 2147483648.0);
}

SluiceWaveform *
sluice_waveform_new (GBytes *clip)
{
  SluiceWaveform *self;
  gsize length;
  const guint8 *bytes = g_bytes_get_data (clip, &length);
  gsize n_frames;
  Wave wave;

  if (!parse (bytes, length, &wave))
    return NULL;
  n_frames = wave.length / ((gsize) wave.bytes * wave.channels);
  if (n_frames == 0)
    return NULL;
  self = g_new0 (SluiceWaveform, 1);
  self->n = (guint) MIN (n_frames, MOST_PARTS);
  for (guint part = 0; part < self->n; part++)
    {
      gsize first = n_frames * part / self->n * wave.channels;
      gsize end = n_frames * (part + 1) / self->n * wave.channels;
      float low = INFINITY;
      float high = -INFINITY;

      for (gsize i = first; i < end; i++)
        {
          float sample = get_sample (&wave, i);

          low = MIN (low, sample);
          high = MAX (high, sample);
        }
      self->low[part] = low;
      self->high[part] = high;
    }
  return self;
}

void
sluice_waveform_free (SluiceWaveform *self)
{
  g_free (self);
}

double
sluice_waveform_get_peak (const SluiceWaveform *self)
{
  double peak = 0;

  for (guint i = 0; i < self->n; i++)
    peak = MAX (peak, MAX (fabs (self->low[i]), fabs (self->high[i])));
  return peak;
}

/* As high as its loudest part: what is quiet is to be seen too. */
void
sluice_waveform_draw (
    const SluiceWaveform *self, cairo_t *cr, double width, double height, const SluiceTheme *theme)
{
  double peak = MAX (sluice_waveform_get_peak (self), 1e-6);
  double middle = height / 2;
  double zoom = (middle - 1) / peak;

  cairo_set_line_width (cr, 1);
  sluice_cairo_set_color (cr, theme->grid);
  cairo_move_to (cr, 0, floor (middle) + 0.5);
  cairo_line_to (cr, width, floor (middle) + 0.5);
  cairo_stroke (cr);
  cairo_new_path (cr);
  for (guint i = 0; i < self->n; i++)
    cairo_line_to (cr, width * (i + 0.5) / self->n, middle - zoom * self->high[i] - 0.5);
  for (guint i = self->n; i-- > 0;)
    cairo_line_to (cr, width * (i + 0.5) / self->n, middle - zoom * self->low[i] + 0.5);
  cairo_close_path (cr);
  sluice_cairo_set_color (cr, theme->accent);
  cairo_fill (cr);
}
