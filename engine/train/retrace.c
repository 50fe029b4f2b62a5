/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/retrace.h"

#include "engine/train/project-changes.h"
#include "engine/train/trial.h"

static gboolean
every (gint64 step, gint64 period)
{
  return period > 0 && step % period == 0;
}

static gboolean
evaluate (SluiceReplica *self, double *values, GError **error)
{
  SluiceRunOptions options = { .step = self->n_done };
  const GArray *texts = self->project->texts;
  for (guint i = 0; i < texts->len; i++)
    {
      g_autofree char *text = sluice_replica_read_text (
          self, g_array_index (texts, SluiceNamedEdge, i).target, &options, error);
      if (text == NULL)
        return FALSE;
    }
  return self->evaluate == NULL || sluice_replica_evaluate (self, 0, values, &options, error);
}

static gboolean
take_step (SluiceReplica *self, double *scalars, double *values, GError **error)
{
  SluiceSchedule now;
  sluice_project_get_schedule (self->project, self->n_done, &now);
  gint64 step = self->n_done + 1;
  SluiceRunOptions options = { .step = step };
  g_autoptr (SluiceTensor) summary = NULL;
  return sluice_replica_step (self, scalars, every (step, now.summary_every) ? &summary : NULL,
                              &options, error)
         && ((step != now.n_steps && !every (step, now.evaluate_every)
              && !sluice_trial_is_rung (self->project, step))
             || evaluate (self, values, error));
}

gboolean
sluice_replica_retrace (SluiceReplica *self, gint64 step, double *loss, GError **error)
{
  g_autofree double *scalars = g_new (double, self->n_scalars);
  g_autofree double *values = g_new (double, self->project->evaluate->len + 1);
  self->limit = step;
  while (self->n_done < step)
    if (!take_step (self, scalars, values, error))
      return FALSE;
  if (loss != NULL)
    *loss = scalars[0];
  return TRUE;
}
