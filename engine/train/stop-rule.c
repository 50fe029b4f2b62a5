/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/stop-rule.h"

#include <math.h>
#include <string.h>

gboolean
sluice_parse_best (const char *text, gsize *length, gboolean *is_max)
{
  const char *colon = strrchr (text, ':');
  if (colon == NULL || (strcmp (colon, ":min") != 0 && strcmp (colon, ":max") != 0))
    return FALSE;
  *length = (gsize) (colon - text);
  *is_max = strcmp (colon, ":max") == 0;
  return TRUE;
}

void
sluice_stop_rule_init (SluiceStopRule *self, gboolean is_max)
{
  *self = (SluiceStopRule){ .is_max = is_max, .best = NAN };
}

static gboolean
is_better (const SluiceStopRule *self, double value, double than)
{
  return self->is_max ? value > than : value < than;
}

char *
sluice_stop_rule_take (SluiceStopRule *self,
                       const SluiceProject *project,
                       gint64 step,
                       double value)
{
  const char *metric = project->stop_metric;
  double least =
      self->is_max ? self->best + project->stop_min_delta : self->best - project->stop_min_delta;
  if (project->stop_non_finite && !isfinite (value))
    return g_strdup_printf ("%s is not finite at step %" G_GINT64_FORMAT, metric, step);
  if (isfinite (value) && (isnan (self->best) || is_better (self, value, least)))
    {
      self->best = value;
      self->best_step = step;
      self->n_since = 0;
    }
  else
    self->n_since++;
  if (!isnan (project->stop_target) && isfinite (value)
      && !is_better (self, project->stop_target, value))
    return g_strdup_printf ("%s is %.6g at step %" G_GINT64_FORMAT ", and %.6g was the target",
                            metric, value, step, project->stop_target);
  if (project->stop_patience > 0 && self->n_since >= project->stop_patience)
    return isnan (self->best)
               ? g_strdup_printf ("%s was not finite %" G_GINT64_FORMAT " times", metric,
                                  self->n_since)
               : g_strdup_printf ("%s was not better than %.6g of step %" G_GINT64_FORMAT
                                  " for %" G_GINT64_FORMAT " values",
                                  metric, self->best, self->best_step, self->n_since);
  return NULL;
}
