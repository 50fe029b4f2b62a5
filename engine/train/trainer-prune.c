/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/train/checkpoint-folder.h"
#include "engine/train/trainer-private.h"

/*
 * Which checkpoints of a run stay: the newest, the best, one every so many steps, those that
 * somebody pinned, and that which the run began with: of step 0, or of where it was forked.
 */

gboolean
sluice_trainer_find_best (SluiceTrainer *self, char **tags, const gint64 *ids, GError **error)
{
  const char *best = self->project->best;
  gsize length = 0;
  gboolean ok = sluice_parse_best (best, &length, &self->best_is_max);
  g_autofree char *name = g_strndup (best, length);
  g_autofree char *what = g_strdup_printf (
      "[train] best=%s: must be a series and what is best of it, as loss:min", best);
  self->best_series = sluice_trainer_find_series (tags, ids, ok ? name : "", what, error);
  return self->best_series != 0;
}

typedef struct
{
  const SluiceCheckpointInfo *info;
  double value; /* of the series at that step; NAN: none */
  gboolean stays;
} Candidate;

static gboolean
read_values (SluiceTrainer *self, Candidate *candidates, guint n, GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  for (guint i = 0; i < n; i++)
    {
      g_array_set_size (points, 0);
      if (!sluice_store_read_points (self->store, self->best_series, candidates[i].info->step, 1,
                                     points, error))
        return FALSE;
      const SluiceScalar *point = points->len > 0 ? &g_array_index (points, SluiceScalar, 0) : NULL;
      candidates[i].value =
          point != NULL && point->step == candidates[i].info->step ? point->value : NAN;
    }
  return TRUE;
}

/* Of those that have a value; of equal ones the newest. */
static void
keep_best (SluiceTrainer *self, Candidate *candidates, guint n)
{
  g_autofree gboolean *taken = g_new0 (gboolean, n);
  for (gint64 k = 0; k < self->now.keep_best; k++)
    {
      int best = -1;
      for (guint i = 0; i < n; i++)
        if (!taken[i] && !isnan (candidates[i].value)
            && (best < 0
                || (self->best_is_max ? candidates[i].value >= candidates[best].value
                                      : candidates[i].value <= candidates[best].value)))
          best = (int) i;
      if (best < 0)
        return;
      taken[best] = candidates[best].stays = TRUE;
    }
}

/* Steps of the checkpoints that go once there is one of this step too; with the values of the steps
 * that are committed. */
static gboolean
find_superfluous (SluiceTrainer *self, gint64 step, GArray *steps, GError **error)
{
  const SluiceSchedule *p = &self->now;
  const SluiceCheckpointInfo new = { .step = step };
  g_autoptr (GPtrArray) all = sluice_store_read_checkpoints (self->store, self->info->id, error);
  if (all == NULL)
    return FALSE;
  guint n = all->len;
  if (n == 0 || ((SluiceCheckpointInfo *) all->pdata[n - 1])->step < step)
    n++;
  if (p->keep_last == 0 || n <= p->keep_last)
    return TRUE;
  g_autofree Candidate *candidates = g_new0 (Candidate, n);
  gint64 begins_at = self->info->parent != 0 ? self->info->parent_step : 0;
  for (guint i = 0; i < n; i++)
    {
      const SluiceCheckpointInfo *info = i < all->len ? all->pdata[i] : &new;
      gboolean stays = n - i <= p->keep_last || info->is_pinned || info->step == 0
                       || info->step == begins_at
                       || (p->keep_every > 0 && info->step % p->keep_every == 0);
      candidates[i] = (Candidate){ info, NAN, stays };
    }
  if (p->keep_best > 0 && !read_values (self, candidates, n, error))
    return FALSE;
  keep_best (self, candidates, n);
  for (guint i = 0; i < n; i++)
    if (!candidates[i].stays)
      g_array_append_val (steps, candidates[i].info->step);
  return TRUE;
}

gboolean
sluice_trainer_publish_checkpoint (SluiceTrainer *self, gint64 step, gsize bytes, GError **error)
{
  g_autofree char *name = sluice_checkpoint_folder_dup_name (step);
  g_autoptr (GArray) superfluous = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!sluice_run_log_flush (self->log, error) || !find_superfluous (self, step, superfluous, error)
      || !sluice_run_log_publish_checkpoint (self->log, step, name, bytes, superfluous, error))
    return FALSE;
  return superfluous->len == 0 || sluice_trainer_remove_strays (self, error);
}

static gboolean
has_step (GPtrArray *checkpoints, gint64 step)
{
  for (guint i = 0; i < checkpoints->len; i++)
    if (((SluiceCheckpointInfo *) checkpoints->pdata[i])->step == step)
      return TRUE;
  return FALSE;
}

gboolean
sluice_trainer_remove_strays (SluiceTrainer *self, GError **error)
{
  g_autoptr (GPtrArray) known = sluice_store_read_checkpoints (self->store, self->info->id, error);
  g_autoptr (GPtrArray) files = sluice_checkpoint_folder_list (self->folder);
  const SluiceCheckpointInfo *newest =
      known != NULL && known->len > 0 ? known->pdata[known->len - 1] : NULL;
  for (guint i = 0; i < files->len; i++)
    {
      const SluiceCheckpointInfo *file = files->pdata[i];
      g_autofree char *path = g_build_filename (self->folder, file->path, NULL);
      if (newest == NULL || file->step > newest->step || has_step (known, file->step)
          || g_unlink (path) == 0 || errno == ENOENT)
        continue;
      g_autofree char *text = g_strdup_printf ("%s: %s", path, g_strerror (errno));
      sluice_run_log_event (self->log, file->step, sluice_trainer_wall_now (), "not-removed", text);
    }
  return known != NULL;
}
