/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/retrace.h"

#include "engine/base/error.h"
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

/* The newest whole one that is not after the step; where there is none, the start. */
static gboolean
restore (
    SluiceReplica *self, SluiceStore *store, const SluiceRunInfo *run, gint64 step, GError **error)
{
  g_autoptr (GPtrArray) checkpoints = sluice_store_read_checkpoints (store, run->id, error);
  g_autoptr (GError) first = NULL;
  if (checkpoints == NULL)
    return FALSE;
  for (guint i = checkpoints->len; i-- > 0;)
    {
      const SluiceCheckpointInfo *checkpoint = checkpoints->pdata[i];
      if (checkpoint->step <= step
          && sluice_replica_restore (self, checkpoint->path, first == NULL ? &first : NULL))
        return TRUE;
    }
  if (first != NULL || run->parent != 0)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                        "run '%s' has no whole checkpoint up to step %" G_GINT64_FORMAT "%s%s",
                        run->name, step, first != NULL ? ": " : "",
                        first != NULL ? first->message : "");
  return sluice_replica_initialize (self, error);
}

gboolean
sluice_replica_stand_at (SluiceReplica *self,
                         SluiceStore *store,
                         const SluiceRunInfo *run,
                         gint64 step,
                         SluiceRecomputes recomputes,
                         gpointer data,
                         GError **error)
{
  if (!restore (self, store, run, step, error))
    return FALSE;
  if (self->n_done == step)
    return TRUE;
  if (self->n_workers > 1)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run '%s' has no checkpoint of step %" G_GINT64_FORMAT
                        ", and steps of several train targets do not come again as they were; "
                        "take that of step %" G_GINT64_FORMAT,
                        run->name, step, self->n_done);
  if (recomputes != NULL)
    recomputes (self->n_done, step, data);
  gboolean ok =
      sluice_replica_begin_input (self, error) && sluice_replica_retrace (self, step, NULL, error);
  sluice_replica_end_input (self);
  return ok;
}
