/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/summary.h"

#include "engine/base/error.h"
#include "engine/train/summary.pb-c.h"

static gboolean
log_histogram (SluiceRunLog *log,
               const char *tag,
               const Sluice__Summary__Histogram *histogram,
               gint64 step,
               double wall,
               GError **error)
{
  if (histogram->n_bucket != histogram->n_bucket_limit)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                        "histogram '%s' has %zu limits for %zu buckets", tag,
                        histogram->n_bucket_limit, histogram->n_bucket);
  gint64 series = sluice_run_log_series (log, tag, SLUICE_SERIES_HISTOGRAM, error);
  if (series < 0)
    return FALSE;
  sluice_run_log_histogram (log, series, step, wall, histogram->min, histogram->max,
                            histogram->bucket_limit, histogram->bucket, histogram->n_bucket);
  return TRUE;
}

static gboolean
log_image (SluiceRunLog *log,
           const char *tag,
           const Sluice__Summary__Image *image,
           gint64 step,
           double wall,
           GError **error)
{
  gint64 series = sluice_run_log_series (log, tag, SLUICE_SERIES_IMAGE, error);
  if (series < 0)
    return FALSE;
  g_autoptr (GBytes) png = g_bytes_new (image->encoded.data, image->encoded.len);
  sluice_run_log_image (log, series, step, wall, image->width, image->height, png);
  return TRUE;
}

static gboolean
log_value (SluiceRunLog *log,
           const Sluice__Summary__Value *value,
           gint64 step,
           double wall,
           GError **error)
{
  switch (value->value_case)
    {
    case SLUICE__SUMMARY__VALUE__VALUE_SIMPLE_VALUE:
      {
        gint64 series = sluice_run_log_series (log, value->tag, SLUICE_SERIES_SCALAR, error);
        if (series < 0)
          return FALSE;
        sluice_run_log_scalar (log, series, step, wall, value->simple_value);
        return TRUE;
      }
    case SLUICE__SUMMARY__VALUE__VALUE_HISTO:
      return log_histogram (log, value->tag, value->histo, step, wall, error);
    case SLUICE__SUMMARY__VALUE__VALUE_IMAGE:
      return log_image (log, value->tag, value->image, step, wall, error);
    default:
      return TRUE; /* audio, tensors: kinds of summary that charts do not show yet */
    }
}

gboolean
sluice_summary_log (
    SluiceRunLog *log, const SluiceTensor *summary, gint64 step, double wall, GError **error)
{
  for (gint64 i = 0; i < summary->n_elements; i++)
    {
      const SluiceString *bytes = (const SluiceString *) summary->data + i;
      Sluice__Summary__Summary *message =
          sluice__summary__summary__unpack (NULL, bytes->length, (const guint8 *) bytes->data);
      if (message == NULL)
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                            "a summary is no serialised Summary message");
      gboolean ok = TRUE;
      for (size_t k = 0; ok && k < message->n_value; k++)
        ok = log_value (log, message->value[k], step, wall, error);
      sluice__summary__summary__free_unpacked (message, NULL);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}
