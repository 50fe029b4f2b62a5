/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>

#include "engine/base/error.h"
#include "engine/train/retrace.h"
#include "engine/train/trainer-private.h"

/* A loss that is not finite, and the node that made it. */

static char *
last_checkpoint_path (SluiceTrainer *self)
{
  g_autoptr (GPtrArray) checkpoints =
      sluice_store_read_checkpoints (self->store, self->info->id, NULL);
  if (checkpoints == NULL || checkpoints->len == 0)
    return NULL;
  return g_strdup (((SluiceCheckpointInfo *) checkpoints->pdata[checkpoints->len - 1])->path);
}

/*
 * Steps are reproducible to the bit, so nothing is recorded while all is well: the step is run
 * again on a replica of its own from the newest checkpoint, with the guard on that names the first
 * node to make the value.
 */
static gboolean
find_culprit (SluiceTrainer *self, gint64 step, GError **error)
{
  SluiceRunOptions guarded = { .step = step, .nan_guard = TRUE };
  g_autofree char *path = last_checkpoint_path (self);
  SluiceReplica *replica = sluice_replica_new (
      self->project, self->examples, self->test,
      sluice_session_get_n_devices (self->replica->session), &self->replica->host, error);
  if (replica == NULL)
    return FALSE;
  gboolean ok = path != NULL ? sluice_replica_restore (replica, path, error)
                             : sluice_replica_initialize (replica, error);
  ok = ok && sluice_replica_retrace (replica, step - 1, NULL, error)
       && sluice_replica_replay (replica, 1, &guarded, error);
  sluice_replica_free (replica);
  return ok;
}

gboolean
sluice_trainer_check_loss (SluiceTrainer *self, GError **error)
{
  double loss = self->scalars[0];
  if (isfinite (loss))
    return TRUE;
  self->is_not_finite = TRUE;
  gint64 step = self->replica->n_done;
  g_autoptr (GError) cause = NULL;
  const char *what = isnan (loss) ? "NaN" : "infinite";
  if (self->replica->examples == NULL)
    return sluice_fail (
        error, SLUICE_ERROR_INVALID_ARGUMENT,
        "the loss is %s at step %" G_GINT64_FORMAT
        "; the batch came out of the graph's queues and cannot be run again to find "
        "the node that made it",
        what, step);
  if (self->replica->n_workers > 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the loss is %s at step %" G_GINT64_FORMAT
                        "; train with one of the train targets to learn which node made it",
                        what, step);
  if (find_culprit (self, step, &cause))
    return sluice_fail (
        error, SLUICE_ERROR_INVALID_ARGUMENT,
        "the loss is %s at step %" G_GINT64_FORMAT
        "; no single node made it of finite values, so look at the inputs and labels of that batch",
        what, step);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "the loss is %s at step %" G_GINT64_FORMAT ": %s", what, step, cause->message);
  SluiceErrorPlace place = sluice_error_get_place (cause);
  if (error != NULL)
    sluice_error_set_place (*error, &place);
  return FALSE;
}
