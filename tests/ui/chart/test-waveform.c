/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/waveform.h"

#include <math.h>
#include <string.h>

static void
put (GByteArray *out, guint32 value, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint8 byte = (guint8) (value >> (8 * i));

      g_byte_array_append (out, &byte, 1);
    }
}

/* A chunk that nobody knows stands before the samples, of an odd length. */
static GBytes *
wave (guint format, guint channels, guint bits, const void *samples, guint length)
{
  GByteArray *out = g_byte_array_new ();

  g_byte_array_append (out, (const guint8 *) "RIFF\0\0\0\0WAVEfmt ", 16);
  put (out, 16, 4);
  put (out, format, 2);
  put (out, channels, 2);
  put (out, 8000, 4);
  put (out, 8000 * channels * bits / 8, 4);
  put (out, channels * bits / 8, 2);
  put (out, bits, 2);
  g_byte_array_append (out, (const guint8 *) "LIST\3\0\0\0abc\0data", 16);
  put (out, length, 4);
  g_byte_array_append (out, samples, length);
  return g_byte_array_free_to_bytes (out);
}

static double
peak_of (guint format, guint channels, guint bits, const void *samples, guint length)
{
  g_autoptr (GBytes) clip = wave (format, channels, bits, samples, length);
  g_autoptr (SluiceWaveform) waveform = sluice_waveform_new (clip);

  return waveform != NULL ? sluice_waveform_get_peak (waveform) : NAN;
}

static void
test_formats (void)
{
  const guint8 eight[] = { 128, 64, 128, 160 };
  const gint16 sixteen[] = { 0, 16384, -8192, 0 };
  const guint8 twenty_four[] = { 0, 0, 0xc0 }; /* -0.5 */
  const gint32 thirty_two[] = { 0, -1610612736 };
  const float floats[] = { 0.25f, -0.75f, NAN };

  g_assert_cmpfloat (peak_of (1, 1, 8, eight, sizeof eight), ==, 0.5);
  g_assert_cmpfloat (peak_of (1, 2, 16, sixteen, sizeof sixteen), ==, 0.5);
  g_assert_cmpfloat (peak_of (1, 1, 24, twenty_four, sizeof twenty_four), ==, 0.5);
  g_assert_cmpfloat (peak_of (1, 1, 32, thirty_two, sizeof thirty_two), ==, 0.75);
  g_assert_cmpfloat (peak_of (3, 1, 32, floats, sizeof floats), ==, 0.75);
}

static void
test_bad_input (void)
{
  const gint16 samples[] = { 1, 2, 3, 4 };
  g_autoptr (GBytes) whole = wave (1, 1, 16, samples, sizeof samples);

  g_assert_true (isnan (peak_of (2, 1, 16, samples, sizeof samples))); /* a codec */
  g_assert_true (isnan (peak_of (1, 0, 16, samples, sizeof samples)));
  g_assert_true (isnan (peak_of (1, 1, 0, samples, sizeof samples)));
  g_assert_true (isnan (peak_of (1, 1, 64, samples, sizeof samples)));
  g_assert_true (isnan (peak_of (1, 1, 16, samples, 0)));
  /* Torn at every byte. */
  for (gsize n = 0; n < g_bytes_get_size (whole); n++)
    {
      g_autoptr (GBytes) torn = g_bytes_new_from_bytes (whole, 0, n);

      g_clear_pointer (&(SluiceWaveform *){ sluice_waveform_new (torn) }, sluice_waveform_free);
    }
}

/* More samples than parts, and silence. */
static void
test_draw (void)
{
  g_autofree gint16 *silence = g_new0 (gint16, 5000);
  g_autoptr (GBytes) clip = wave (1, 1, 16, silence, 10000);
  g_autoptr (SluiceWaveform) waveform = sluice_waveform_new (clip);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 200, 50);
  cairo_t *cr = cairo_create (surface);

  sluice_waveform_draw (waveform, cr, 200, 50, sluice_theme_get (SLUICE_THEME_DARK));
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chart/waveform/formats", test_formats);
  g_test_add_func ("/chart/waveform/bad-input", test_bad_input);
  g_test_add_func ("/chart/waveform/draw", test_draw);
  return g_test_run ();
}
