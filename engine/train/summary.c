/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/summary.h"

#include "engine/base/error.h"
#include "engine/base/protobuf.h"
#include "engine/store/kinds/scalar.h"
#include "engine/store/summary-value.h"

typedef struct
{
  SluiceRunLog *log;
  const Sluice__Event__SummaryMetadata *metadata; /* (nullable) */
} Target;

/* What a record does not say itself: names, descriptions, whose plugin's tensor it is. */
static gboolean
keep_metadata (const Target *target, gint64 series, SluiceSeriesKind kind, GError **error)
{
  const Sluice__Event__SummaryMetadata *metadata = target->metadata;
  if (metadata == NULL
      || (kind != SLUICE_SERIES_TENSOR && *metadata->display_name == '\0'
          && *metadata->summary_description == '\0'))
    return TRUE;
  gsize length = sluice__event__summary_metadata__get_packed_size (metadata);
  guint8 *packed = g_malloc (length);
  sluice__event__summary_metadata__pack (metadata, packed);
  g_autoptr (GBytes) bytes = g_bytes_new_take (packed, length);
  return sluice_run_log_set_metadata (target->log, series, bytes, error);
}

/* A record finds its series by tag; a point takes the way of points. */
static gboolean
log_record (SluiceRecord *take, const char *tag, gpointer data, GError **error)
{
  const Target *target = data;
  SluiceSeriesKind kind = sluice_kind_get_number (take->kind);
  gint64 series = sluice_run_log_series (target->log, tag, kind, error);
  gboolean ok = series >= 0 && keep_metadata (target, series, kind, error);
  if (ok && kind != SLUICE_SERIES_SCALAR)
    {
      sluice_run_log_record (target->log, series, take);
      return TRUE;
    }
  if (ok)
    sluice_run_log_scalar (target->log, series, take->step, take->wall,
                           ((SluiceScalarRecord *) take)->value);
  sluice_record_free (take);
  return ok;
}

typedef gboolean (*ValueFunc) (const Sluice__Event__Value *value, gpointer data, GError **error);

static gboolean
each_value (const SluiceTensor *summary, ValueFunc func, gpointer data, GError **error)
{
  for (gint64 i = 0; i < summary->n_elements; i++)
    {
      const SluiceString *bytes = (const SluiceString *) summary->data + i;
      Sluice__Event__Summary *message = sluice_protobuf_unpack (&sluice__event__summary__descriptor,
                                                                bytes->data, bytes->length, error);
      if (message == NULL)
        return FALSE;
      gboolean ok = TRUE;
      for (size_t k = 0; ok && k < message->n_value; k++)
        ok = func (message->value[k], data, error);
      sluice__event__summary__free_unpacked (message, NULL);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  SluiceRunLog *log;
  gint64 step;
  double wall;
} Moment;

static gboolean
log_value (const Sluice__Event__Value *value, gpointer data, GError **error)
{
  const Moment *moment = data;
  Target target = { moment->log, value->metadata };
  const SluiceValueIn in = {
    value, target.metadata, moment->step, moment->wall, log_record, &target
  };
  return sluice_summary_value_take (&in, error);
}

gboolean
sluice_summary_log (
    SluiceRunLog *log, const SluiceTensor *summary, gint64 step, double wall, GError **error)
{
  Moment moment = { log, step, wall };
  return each_value (summary, log_value, &moment, error);
}

typedef struct
{
  gint64 step;
  SluiceRecordSink sink;
  gpointer data;
} Reader;

static gboolean
read_value (const Sluice__Event__Value *value, gpointer data, GError **error)
{
  const Reader *reader = data;
  const SluiceValueIn in = { value, value->metadata, reader->step, 0, reader->sink, reader->data };
  return sluice_summary_value_take (&in, error);
}

gboolean
sluice_summary_read (
    const SluiceTensor *summary, gint64 step, SluiceRecordSink sink, gpointer data, GError **error)
{
  Reader reader = { step, sink, data };
  return each_value (summary, read_value, &reader, error);
}
