/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/engine/store/sample.h"

#include <math.h>
#include <string.h>

#include "engine/base/wire.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/audio.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/graph.h"
#include "engine/store/kinds/histogram.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/kinds/image.h"
#include "engine/store/kinds/pr-curve.h"
#include "engine/store/kinds/run-metadata.h"
#include "engine/store/kinds/scalar.h"
#include "engine/store/kinds/text.h"

static GBytes *
sample_bytes (gint64 step)
{
  guint8 bytes[40];
  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) (i * 7 + (step / 2)); /* two steps share a blob */
  return g_bytes_new (bytes, sizeof bytes);
}

static SluiceTensor *
sample_strings (gint64 step)
{
  const SluiceShape shape = SLUICE_SHAPE (2, 2);
  if (step % 2 == 0)
    return sluice_tensor_new_string ("plain \"text\", a comma and \xc3\xa9", -1);
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_STRING, &shape);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *text = g_strdup_printf ("cell %u\nof %d", i, (int) step);
      sluice_string_set ((SluiceString *) tensor->data + i, text, strlen (text));
    }
  return tensor;
}

static SluiceRecord *
sample_histogram (gint64 step)
{
  const double limits[] = { -1, 0.5, step + 2. }, counts[] = { 3, 0, step };
  SluiceHistogram *self =
      sluice_histogram_new (step, SAMPLE_WALL, -4, step + 1.5, limits, counts, 3);
  self->count = step + 3;
  self->sum = 0.1;
  self->sum_squares = step == 3 ? INFINITY : 2;
  return &self->base;
}

static SluiceRecord *
sample_tensor (gint64 step)
{
  const gint64 values[] = { step, -1, G_MAXINT64 };
  const float floats[] = { 0.5f, -INFINITY, NAN };
  const SluiceShape shape = SLUICE_SHAPE (1, 3);
  g_autoptr (SluiceTensor) tensor = step % 2 == 0
                                        ? sluice_tensor_new_from (SLUICE_INT64, &shape, values)
                                        : sluice_tensor_new_from (SLUICE_FLOAT, &shape, floats);
  return &sluice_tensor_record_new (step, SAMPLE_WALL, tensor)->base;
}

static SluiceRecord *
sample_pr_curve (gint64 step)
{
  double values[SLUICE_PR_ROWS * 5];
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = i * 0.25 + (double) step;
  return &sluice_pr_curve_new (step, SAMPLE_WALL, values, 5)->base;
}

static void
put_hparam (GByteArray *start, const char *name, GByteArray *value)
{
  g_autoptr (GByteArray) entry = g_byte_array_new ();
  sluice_wire_put_text (entry, 1, name);
  sluice_wire_put_message (entry, 2, value);
  sluice_wire_put_message (start, 1, entry);
}

static SluiceRecord *
sample_hparams (gint64 step)
{
  g_autoptr (GByteArray) value = g_byte_array_new ();
  g_autoptr (GByteArray) start = g_byte_array_new ();
  g_autoptr (GByteArray) content = g_byte_array_new ();
  sluice_wire_put_double (value, 2, 0.03);
  put_hparam (start, "learning-rate", value);
  sluice_wire_put_text (value, 3, "adam");
  put_hparam (start, "optimizer", value);
  sluice_wire_put_text (start, 4, "group");
  sluice_wire_put_double (start, 5, SAMPLE_WALL + (double) step);
  sluice_wire_put_message (content, 3, start);
  g_autoptr (GBytes) bytes = g_bytes_new (content->data, content->len);
  return &sluice_hparams_new (step, SAMPLE_WALL, bytes)->base;
}

SluiceRecord *
sample_new (const SluiceKind *kind, gint64 step)
{
  g_autoptr (GBytes) bytes = sample_bytes (step);
  g_autoptr (SluiceTensor) strings = sample_strings (step);
  switch (kind->number)
    {
    case SLUICE_SERIES_SCALAR:
      return &sluice_scalar_record_new (step, SAMPLE_WALL, step == 3 ? NAN : 0.125 * (double) step)
                  ->base;
    case SLUICE_SERIES_HISTOGRAM:
      return sample_histogram (step);
    case SLUICE_SERIES_IMAGE:
      return &sluice_stored_image_new (step, SAMPLE_WALL, 4, 5, 3, bytes)->base;
    case SLUICE_SERIES_AUDIO:
      return &sluice_audio_new (step, SAMPLE_WALL, 44100, 2, 1000 + step, "audio/wav", bytes)->base;
    case SLUICE_SERIES_TEXT:
      return &sluice_text_new (step, SAMPLE_WALL, strings)->base;
    case SLUICE_SERIES_TENSOR:
      return sample_tensor (step);
    case SLUICE_SERIES_PR_CURVE:
      return sample_pr_curve (step);
    case SLUICE_SERIES_HPARAMS:
      return sample_hparams (step);
    case SLUICE_SERIES_GRAPH:
      return &sluice_graph_record_new (step, SAMPLE_WALL, bytes)->base;
    case SLUICE_SERIES_RUN_METADATA:
      return &sluice_run_metadata_new (step, SAMPLE_WALL, bytes)->base;
    case SLUICE_SERIES_EVENT:
      return &sluice_event_new (step, SAMPLE_WALL, "kind-event",
                                step % 2 == 0 ? NULL : "why, \"so\"")
                  ->base;
    }
  g_assert_not_reached ();
}

gboolean
sample_log (SluiceRunLog *log, gint64 run, SluiceRecord *take_record, GError **error)
{
  g_autoptr (SluiceRecord) record = take_record;
  const SluiceKind *kind = record->kind;
  g_autofree char *tag = g_strdup_printf ("kind-%s", kind->name);
  gint64 series = run, step = record->step;
  if (kind->number != SLUICE_SERIES_EVENT)
    series = sluice_run_log_series (log, tag, kind->number, error);
  if (series < 0)
    return FALSE;
  if (kind->number == SLUICE_SERIES_SCALAR)
    sluice_run_log_scalar (log, series, step, SAMPLE_WALL, ((SluiceScalarRecord *) record)->value);
  else if (kind->number == SLUICE_SERIES_EVENT)
    {
      const SluiceEvent *event = (const SluiceEvent *) record;
      sluice_run_log_event (log, step, SAMPLE_WALL, event->kind, event->text);
    }
  else
    sluice_run_log_record (log, series, g_steal_pointer (&record));
  return TRUE;
}
