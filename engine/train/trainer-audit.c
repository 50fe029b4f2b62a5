/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <inttypes.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/train/retrace.h"
#include "engine/train/trainer-private.h"

/*
 * Before a run goes on, one step of its past is taken again from a checkpoint, and its loss
 * compared with the one that was logged: whether this build, this machine and these data still make
 * the same bits. It costs a replica, reading a checkpoint and the step.
 */

typedef struct
{
  const char *checkpoint;
  gint64 step; /* that is taken again: the one behind the checkpoint */
  double loss; /* as it was logged */
} Past;

/* The newest checkpoint behind which a step was logged. FALSE: there is none, or error is set. */
static gboolean
find_past (SluiceTrainer *self, GPtrArray *checkpoints, gint64 series, Past *past, GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  for (guint i = checkpoints->len; i-- > 0;)
    {
      const SluiceCheckpointInfo *checkpoint = checkpoints->pdata[i];
      gint64 step = checkpoint->step + 1;
      g_array_set_size (points, 0);
      if (!sluice_store_read_points (self->store, series, step, 1, points, error))
        return FALSE;
      const SluiceScalar *point = points->len > 0 ? &g_array_index (points, SluiceScalar, 0) : NULL;
      if (point == NULL || point->step != step)
        continue;
      *past = (Past){ checkpoint->path, step, point->value };
      return TRUE;
    }
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "run '%s' has no checkpoint with a step behind it that could be taken again; go on "
               "without the audit",
               self->info->name);
  return FALSE;
}

static gint64
find_loss (SluiceTrainer *self)
{
  g_autoptr (GPtrArray) all = sluice_store_dup_series (self->store, self->info->id, NULL);
  gint64 series = 0;
  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      const SluiceSeriesInfo *info = all->pdata[i];
      if (info->kind == SLUICE_SERIES_SCALAR && strcmp (info->tag, "loss") == 0)
        series = info->id;
    }
  return series;
}

/* With the settings that the run had, whatever it goes on with. */
static gboolean
take_again (SluiceTrainer *self, const Past *past, double *loss, GError **error)
{
  g_autoptr (SluiceProject) before = sluice_project_load (self->folder, error);
  SluiceReplica *replica =
      before != NULL ? sluice_replica_new (before, self->examples, self->test,
                                           sluice_session_get_n_devices (self->replica->session),
                                           &self->replica->host, error)
                     : NULL;
  if (replica == NULL)
    return FALSE;
  gboolean ok = sluice_replica_restore (replica, past->checkpoint, error)
                && sluice_replica_begin_input (replica, error)
                && sluice_replica_retrace (replica, past->step, loss, error);
  sluice_replica_end_input (replica);
  sluice_replica_free (replica);
  return ok;
}

gboolean
sluice_trainer_audit (SluiceTrainer *self, GPtrArray *checkpoints, char **said, GError **error)
{
  double since = sluice_trainer_monotonic_now (), loss;
  Past past;
  if (self->replica->n_workers > 1)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run '%s' has several train targets, whose steps do not come again as they "
                        "were; go on without the audit",
                        self->info->name);
  if (!find_past (self, checkpoints, find_loss (self), &past, error)
      || !take_again (self, &past, &loss, error))
    return FALSE;
  if (memcmp (&loss, &past.loss, sizeof loss) != 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "step %" PRId64 " of run '%s' had the loss %.17g, and has %.17g now: the "
                        "program, the machine, its threads or what the graph reads are other ones; "
                        "nothing was changed; go on all the same without the audit",
                        past.step, self->info->name, past.loss, loss);
  *said = g_strdup_printf ("step %" PRId64 " gives its loss %.9g again, bit for bit (%.0f ms)",
                           past.step, loss, (sluice_trainer_monotonic_now () - since) * 1e3);
  return TRUE;
}
