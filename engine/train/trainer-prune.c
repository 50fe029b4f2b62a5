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

/* forget() may be cut short behind the row. A file that is newer than all rows may be of a database
 * that was put back, and is left. */
void
sluice_trainer_sweep (SluiceTrainer *self, GPtrArray *checkpoints)
{
  if (checkpoints->len == 0)
    return;
  const SluiceCheckpointInfo *newest = checkpoints->pdata[checkpoints->len - 1];
  g_autofree char *folder = g_build_filename (self->folder, "checkpoints", NULL);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < checkpoints->len; i++)
    g_hash_table_add (known,
                      g_path_get_basename (((SluiceCheckpointInfo *) checkpoints->pdata[i])->path));
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      gint64 step = g_ascii_strtoll (name + strcspn (name, "0123456789"), NULL, 10);
      g_autofree char *own = sluice_trainer_dup_checkpoint_name (step);
      g_autofree char *base = g_path_get_basename (own);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (strcmp (base, name) == 0 && step < newest->step && !g_hash_table_contains (known, name))
        g_unlink (path);
    }
}
