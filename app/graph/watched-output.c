/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/watched-output.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/graph/node-words.h"
#include "ui/chart/series-buffer.h"
#include "ui/chart/ticks.h"

#define MOST_KEPT (4 << 20) /* bytes */

struct _SluiceWatchedOutput
{
  SluiceSession *session; /* (nullable) */
  char *name;             /* (nullable) */
  guint port;
  gboolean is_call;
  SluiceWatch *watch;        /* (nullable) */
  char *refusal;             /* (nullable): why there is no watch */
  SluiceWatchReport *report; /* all zero: nothing was read */
  SluiceSeriesBuffer *means; /* of the looks in the report */
};

SluiceWatchedOutput *
sluice_watched_output_new (void)
{
  SluiceWatchedOutput *self = g_new0 (SluiceWatchedOutput, 1);
  self->report = g_new0 (SluiceWatchReport, 1);
  self->means = sluice_series_buffer_new ();
  return self;
}

static void
forget (SluiceWatchedOutput *self)
{
  sluice_watch_stop (g_steal_pointer (&self->watch));
  g_clear_object (&self->session);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->refusal, g_free);
  *self->report = (SluiceWatchReport){ .in_place = -1 };
  sluice_series_buffer_clear (self->means);
}

void
sluice_watched_output_free (SluiceWatchedOutput *self)
{
  forget (self);
  sluice_series_buffer_unref (self->means);
  g_free (self->report);
  g_free (self);
}

void
sluice_watched_output_set (SluiceWatchedOutput *self,
                           SluiceSession *session,
                           const char *name,
                           guint port,
                           gboolean is_call)
{
  self->is_call = is_call;
  if (self->session == session && g_strcmp0 (self->name, name) == 0 && self->port == port)
    return;
  forget (self);
  if (session == NULL || name == NULL)
    return;
  g_autoptr (GError) error = NULL;
  g_autofree char *edge = g_strdup_printf ("%s:%u", name, port);
  self->session = g_object_ref (session);
  self->name = g_strdup (name);
  self->port = port;
  self->watch = sluice_session_watch (session, edge, &error);
  if (self->watch == NULL)
    self->refusal = g_strdup (error->message);
}

void
sluice_watched_output_read (SluiceWatchedOutput *self)
{
  if (self->watch == NULL)
    return;
  guint64 before = self->report->n_looks;
  sluice_watch_read (self->watch, self->report);
  if (self->report->n_looks == before)
    return;
  sluice_series_buffer_clear (self->means);
  for (guint i = 0; i < self->report->n; i++)
    sluice_series_buffer_append (self->means, (gint64) self->report->looks[i].step, 0,
                                 self->report->looks[i].values.mean);
}

/* The newest look, (nullable). */
static const SluiceWatchLook *
newest (SluiceWatchedOutput *self)
{
  return self->report->n > 0 ? &self->report->looks[self->report->n - 1] : NULL;
}

char *
sluice_watched_output_range (SluiceWatchedOutput *self)
{
  const SluiceWatchLook *look = newest (self);
  if (look == NULL)
    return g_strdup ("–");
  if (isnan (look->values.mean))
    return g_strdup (look->values.n_elements > 0 ? _ ("nothing finite") : _ ("empty"));
  g_autofree char *min = sluice_words_number (look->values.min),
                  *mean = sluice_words_number (look->values.mean),
                  *max = sluice_words_number (look->values.max);
  return g_strdup_printf ("%s · %s · %s", min, mean, max);
}

char *
sluice_watched_output_zeros (SluiceWatchedOutput *self)
{
  const SluiceWatchLook *look = newest (self);
  return look != NULL ? sluice_words_share (look->values.n_zeros, look->values.n_elements)
                      : g_strdup ("–");
}

char *
sluice_watched_output_non_finite (SluiceWatchedOutput *self)
{
  const SluiceWatchLook *look = newest (self);
  if (look == NULL)
    return g_strdup ("–");
  if (look->values.n_non_finite == 0)
    return g_strdup (_ ("none"));
  g_autofree char *n = sluice_format_step (look->values.n_non_finite),
                  *all = sluice_format_step (look->values.n_elements);
  return g_strdup_printf (_ ("%s of %s"), n, all);
}

gboolean
sluice_watched_output_is_bad (SluiceWatchedOutput *self)
{
  const SluiceWatchLook *look = newest (self);
  return look != NULL && look->values.n_non_finite > 0;
}

char *
sluice_watched_output_note (SluiceWatchedOutput *self)
{
  if (self->refusal != NULL)
    return g_strdup (self->refusal);
  if (self->watch == NULL)
    return g_strdup (_ ("Values appear here while a run is under way."));
  switch (self->report->status)
    {
    case SLUICE_WATCH_WAITS:
      return g_strdup (_ ("Values appear here with the next step."));
    case SLUICE_WATCH_LEFT_OUT:
      if (self->is_call)
        return g_strdup (
            _ ("A call is written out before it runs, and no node of its function makes this "
               "value: the step does not need it, or it is one of a branch or a loop."));
      return g_strdup (_ ("The step does not compute it: nothing needs it, or another node gives "
                          "the same value."));
    case SLUICE_WATCH_FUSED:
      return g_strdup_printf (_ ("Fused into %s: it has no value of its own."),
                              self->report->fused_into);
    case SLUICE_WATCH_NO_NUMBERS:
      return g_strdup (_ ("Its elements are no numbers."));
    case SLUICE_WATCH_CONSTANT:
      return g_strdup (_ ("Known before the step: the value stays the same."));
    case SLUICE_WATCH_VALUES:
    default:
      return g_strdup ("");
    }
}

char *
sluice_watched_output_caption (SluiceWatchedOutput *self)
{
  const SluiceWatchLook *look = newest (self);
  if (look == NULL || self->report->status != SLUICE_WATCH_VALUES)
    return g_strdup ("");
  g_autofree char *from = sluice_format_step ((gint64) self->report->looks[0].step),
                  *to = sluice_format_step ((gint64) look->step);
  if (look->iteration >= 0)
    {
      g_autofree char *iteration = sluice_format_step (look->iteration);
      return g_strdup_printf (_ ("mean · steps %s to %s · iteration %s, the last"), from, to,
                              iteration);
    }
  return g_strdup_printf (_ ("mean · steps %s to %s"), from, to);
}

char *
sluice_watched_output_memory (SluiceWatchedOutput *self)
{
  const SluiceWatchReport *report = self->report;
  if (report->dtype == SLUICE_INVALID)
    return NULL;
  g_autofree char *shape = sluice_words_shape (&report->shape);
  g_autofree char *bytes = sluice_format_value ((double) report->bytes, SLUICE_UNIT_BYTES);
  return report->in_place >= 0 ? g_strdup_printf (_ ("%s, %s, in place"), shape, bytes)
                               : g_strdup_printf (_ ("%s, %s"), shape, bytes);
}

void
sluice_watched_output_keep (SluiceWatchedOutput *self)
{
  if (self->watch != NULL)
    sluice_watch_keep (self->watch, MOST_KEPT);
}

SluiceTensor *
sluice_watched_output_dup_kept (SluiceWatchedOutput *self, guint64 *step)
{
  return self->watch != NULL ? sluice_watch_dup_kept (self->watch, step) : NULL;
}

SluiceSeriesSource *
sluice_watched_output_get_means (SluiceWatchedOutput *self)
{
  return sluice_series_buffer_as_source (self->means);
}
