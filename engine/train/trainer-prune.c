/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/checkpoints.h"
#include "engine/train/trainer-private.h"

/*
 * Which checkpoints of a run stay: the newest, the best, one every so many steps, those that
 * somebody pinned, and that which the run began with: of step 0, or of where it was forked.
 */

static gboolean
no_such_series (SluiceTrainer *self, char **tags, GError **error)
{
  g_autofree char *all = g_strjoinv (", ", tags);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "[train] best=%s: must be a series and what is best of it, as loss:min; its "
                      "series are %s",
                      self->project->best, all);
}

gboolean
sluice_trainer_find_best (SluiceTrainer *self, char **tags, const gint64 *ids, GError **error)
{
  const char *best = self->project->best, *colon = strrchr (best, ':');
  if (colon == NULL || (strcmp (colon, ":min") != 0 && strcmp (colon, ":max") != 0))
    return no_such_series (self, tags, error);
  self->best_is_max = strcmp (colon, ":max") == 0;
  for (guint i = 0; tags[i] != NULL; i++)
    if (strncmp (tags[i], best, colon - best) == 0 && tags[i][colon - best] == '\0')
      {
        self->best_series = ids[i];
        return TRUE;
      }
  return no_such_series (self, tags, error);
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

/* The row first: a file that nobody knows harms less than a row without its file. */
static gboolean
forget (SluiceTrainer *self, const SluiceCheckpointInfo *info, GError **error)
{
  if (!sluice_store_forget_checkpoint (self->store, self->info->id, info->step, error))
    return FALSE;
  if (g_unlink (info->path) != 0 && errno != ENOENT)
    {
      g_autofree char *text = g_strdup_printf ("%s: %s", info->path, g_strerror (errno));
      sluice_run_log_event (self->log, info->step, sluice_trainer_wall_now (), "not-removed", text);
    }
  return TRUE;
}

gboolean
sluice_trainer_prune (SluiceTrainer *self, GError **error)
{
  const SluiceSchedule *p = &self->now;
  if (p->keep_last == 0)
    return TRUE;
  g_autoptr (GPtrArray) all = sluice_store_read_checkpoints (self->store, self->info->id, error);
  if (all == NULL)
    return FALSE;
  if (all->len <= p->keep_last)
    return TRUE;
  g_autofree Candidate *candidates = g_new0 (Candidate, all->len);
  gint64 begins_at = self->info->parent != 0 ? self->info->parent_step : 0;
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceCheckpointInfo *info = all->pdata[i];
      gboolean stays = all->len - i <= p->keep_last || info->is_pinned || info->step == 0
                       || info->step == begins_at
                       || (p->keep_every > 0 && info->step % p->keep_every == 0);
      candidates[i] = (Candidate){ info, NAN, stays };
    }
  if (p->keep_best > 0 && !read_values (self, candidates, all->len, error))
    return FALSE;
  keep_best (self, candidates, all->len);
  for (guint i = 0; i < all->len; i++)
    if (!candidates[i].stays && !forget (self, candidates[i].info, error))
      return FALSE;
  return TRUE;
}
