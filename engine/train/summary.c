/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/summary.h"

#include "engine/base/error.h"
#include "engine/store/kinds/scalar.h"
#include "engine/store/summary-value.h"

/* A record finds its series by tag; a point takes the way of points. */
static gboolean
log_record (SluiceRecord *take, const char *tag, gpointer data, GError **error)
{
  SluiceRunLog *log = data;
  SluiceSeriesKind kind = sluice_kind_get_number (take->kind);
  gint64 series = sluice_run_log_series (log, tag, kind, error);
  if (series >= 0 && kind != SLUICE_SERIES_SCALAR)
    {
      sluice_run_log_record (log, series, take);
      return TRUE;
    }
  if (series >= 0)
    sluice_run_log_scalar (log, series, take->step, take->wall,
                           ((SluiceScalarRecord *) take)->value);
  sluice_record_free (take);
  return series >= 0;
}

gboolean
sluice_summary_log (
    SluiceRunLog *log, const SluiceTensor *summary, gint64 step, double wall, GError **error)
{
  for (gint64 i = 0; i < summary->n_elements; i++)
    {
      const SluiceString *bytes = (const SluiceString *) summary->data + i;
      Sluice__Event__Summary *message =
          sluice__event__summary__unpack (NULL, bytes->length, (const guint8 *) bytes->data);
      if (message == NULL)
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                            "a summary is no serialised Summary message");
      gboolean ok = TRUE;
      for (size_t k = 0; ok && k < message->n_value; k++)
        {
          const SluiceValueIn in = {
            message->value[k], message->value[k]->metadata, step, wall, log_record, log
          };
          ok = sluice_summary_value_take (&in, error);
        }
      sluice__event__summary__free_unpacked (message, NULL);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}
