/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* usage: log-records WORKSPACE PROJECT. Writes a run with a record of each kind that Sluice's own
 * trainer does not write. */
#include <math.h>

#include "engine/store/kinds/audio.h"
#include "engine/store/kinds/pr-curve.h"
#include "engine/store/kinds/text.h"
#include "engine/store/store.h"

enum
{
  RATE = 8000, /* samples a second */
  N_FRAMES = 4000,
  N_THRESHOLDS = 21,
  N_TAGS = 12345,
  LONG_TAG = 10000, /* bytes */
};

static void
put (GByteArray *wav, guint64 value, guint bytes)
{
  for (guint i = 0; i < bytes; i++)
    g_byte_array_append (wav, &(guint8){ (guint8) (value >> (8 * i)) }, 1);
}

/* Half a second of 440 Hz, as RIFF. */
static GBytes *
make_wav (void)
{
  GByteArray *wav = g_byte_array_new ();
  g_byte_array_append (wav, (const guint8 *) "RIFF", 4);
  put (wav, 36 + 2 * N_FRAMES, 4);
  g_byte_array_append (wav, (const guint8 *) "WAVEfmt ", 8);
  put (wav, 16, 4);
  put (wav, 1, 2);
  put (wav, 1, 2);
  put (wav, RATE, 4);
  put (wav, 2 * RATE, 4);
  put (wav, 2, 2);
  put (wav, 16, 2);
  g_byte_array_append (wav, (const guint8 *) "data", 4);
  put (wav, 2 * N_FRAMES, 4);
  for (guint i = 0; i < N_FRAMES; i++)
    put (wav, (guint64) (gint64) (8000 * sin (2 * G_PI * 440 * i / RATE)), 2);
  return g_byte_array_free_to_bytes (wav);
}

static void
log_record (SluiceRunLog *log, const char *tag, SluiceSeriesKind kind, gpointer take)
{
  g_autoptr (GError) error = NULL;
  gint64 series = sluice_run_log_series (log, tag, kind, &error);
  g_assert_no_error (error);
  sluice_run_log_record (log, series, take);
}

static void
log_all (SluiceRunLog *log)
{
  double curve[SLUICE_PR_ROWS * N_THRESHOLDS] = { 0 };
  const float elements[] = { 1.5f, -2, 3, 4 };
  const SluiceShape shape = { .rank = 2, .dim = { 2, 2 } };
  g_autoptr (GBytes) wav = make_wav ();
  g_autoptr (SluiceTensor) words = sluice_tensor_new_string ("# Notes\n\nThe **third** try.", -1);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_from (SLUICE_FLOAT, &shape, elements);
  for (guint i = 0; i < N_THRESHOLDS; i++)
    {
      double t = i / (N_THRESHOLDS - 1.0);
      curve[SLUICE_PR_PRECISION * N_THRESHOLDS + i] = 0.5 + 0.5 * t;
      curve[SLUICE_PR_RECALL * N_THRESHOLDS + i] = 1 - t * t;
    }
  log_record (log, "notes", SLUICE_SERIES_TEXT, sluice_text_new (7, 1e9, words));
  log_record (log, "confusion", SLUICE_SERIES_TENSOR, sluice_tensor_record_new (7, 1e9, tensor));
  log_record (log, "speech", SLUICE_SERIES_AUDIO,
              sluice_audio_new (7, 1e9, RATE, 1, N_FRAMES, "audio/wav", wav));
  log_record (log, "detector", SLUICE_SERIES_PR_CURVE,
              sluice_pr_curve_new (7, 1e9, curve, N_THRESHOLDS));
}

static gint64
ensure_scalars (SluiceRunLog *log, const char *tag)
{
  g_autoptr (GError) error = NULL;
  gint64 series = sluice_run_log_series (log, tag, SLUICE_SERIES_SCALAR, &error);
  g_assert_no_error (error);
  return series;
}

/* What a chart may meet: one point, nothing but NaN, steps that go back, a tag of 10 kB with
 * control characters and Hebrew, and a great many tags. */
static void
log_odd (SluiceRunLog *log)
{
  g_autoptr (GString) tag = g_string_new ("long/\x01\x1b\n\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
  gint64 nan = ensure_scalars (log, "odd/nan"), back = ensure_scalars (log, "odd/back");
  while (tag->len < LONG_TAG)
    g_string_append (tag, "-ab");
  sluice_run_log_scalar (log, ensure_scalars (log, "odd/one"), 5, 1e9, 0.5);
  sluice_run_log_scalar (log, ensure_scalars (log, tag->str), 5, 1e9, 0.5);
  for (gint64 i = 0; i < 100; i++)
    {
      sluice_run_log_scalar (log, nan, i, 1e9 + (double) i, NAN);
      sluice_run_log_scalar (log, back, 100 - i, 1e9 + (double) i, (double) i);
    }
  for (guint i = 0; i < N_TAGS; i++)
    {
      g_autofree char *name = g_strdup_printf ("many/%u/value", i);
      sluice_run_log_scalar (log, ensure_scalars (log, name), 1, 1e9, i);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (argc == 3 || argc == 4); /* the fourth: "odd" */
  g_autoptr (SluiceStore) store = sluice_store_open (argv[1], &error);
  g_assert_no_error (error);
  SluiceRunInfo run = { .name = g_strdup ("records"),
                        .project = g_strdup (argv[2]),
                        .state = SLUICE_RUN_RUNNING };
  g_assert_true (sluice_store_add_run (store, &run, &error));
  SluiceRunLog *log = sluice_store_open_log (store, run.id, &error);
  g_assert_no_error (error);
  if (argc == 4)
    log_odd (log);
  else
    log_all (log);
  g_assert_true (sluice_run_log_close (log, &error));
  g_free (run.name);
  g_free (run.project);
  return 0;
}
