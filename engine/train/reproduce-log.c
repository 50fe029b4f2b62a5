/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/store/kinds/event.h"
#include "engine/train/reproduce-private.h"

#define MACHINE "system/" /* series of the machine, which nobody makes again */

static void
points_free (gpointer points)
{
  if (points != NULL)
    g_array_unref (points);
}

SluiceLogged *
sluice_logged_new (SluiceStore *store, gint64 run, gint64 from, GError **error)
{
  g_autoptr (SluiceLogged) self = g_new0 (SluiceLogged, 1);
  self->points = g_ptr_array_new_with_free_func (points_free);
  if ((self->series = sluice_store_dup_series (store, run, error)) == NULL
      || (self->checkpoints = sluice_store_read_checkpoints (store, run, error)) == NULL
      || (self->events = sluice_store_read_events (store, run, error)) == NULL)
    return NULL;
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceSeriesInfo *series = self->series->pdata[i];
      gboolean counts =
          series->kind == SLUICE_SERIES_SCALAR && !g_str_has_prefix (series->tag, MACHINE);
      GArray *points = counts ? g_array_new (FALSE, FALSE, sizeof (SluiceScalar)) : NULL;
      g_ptr_array_add (self->points, points);
      if (counts && !sluice_store_read_points (store, series->id, from, G_MAXSSIZE, points, error))
        return NULL;
    }
  return g_steal_pointer (&self);
}

void
sluice_logged_free (SluiceLogged *self)
{
  g_clear_pointer (&self->series, g_ptr_array_unref);
  g_clear_pointer (&self->points, g_ptr_array_unref);
  g_clear_pointer (&self->checkpoints, g_ptr_array_unref);
  g_clear_pointer (&self->events, g_ptr_array_unref);
  g_free (self);
}

static gint
by_step (gconstpointer a, gconstpointer b)
{
  gint64 x = ((const SluiceScalar *) a)->step, y = ((const SluiceScalar *) b)->step;
  return (x > y) - (x < y);
}

gboolean
sluice_logged_get (const SluiceLogged *self, const char *tag, gint64 step, double *value)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceSeriesInfo *series = self->series->pdata[i];
      GArray *points = self->points->pdata[i];
      const SluiceScalar wanted = { .step = step };
      guint at;
      if (points == NULL || strcmp (series->tag, tag) != 0)
        continue;
      if (!g_array_binary_search (points, &wanted, by_step, &at))
        return FALSE;
      *value = g_array_index (points, SluiceScalar, at).value;
      return TRUE;
    }
  return FALSE;
}

const SluiceSeriesInfo *
sluice_logged_find (const SluiceLogged *self, const char *tag)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceSeriesInfo *series = self->series->pdata[i];
      if (series->kind != SLUICE_SERIES_SCALAR && series->id != 0 && strcmp (series->tag, tag) == 0)
        return series;
    }
  return NULL;
}

gint64
sluice_logged_get_last_step (const SluiceLogged *self)
{
  gint64 last = 0;
  for (guint i = 0; i < self->series->len; i++)
    if (self->points->pdata[i] != NULL)
      last = MAX (last, ((const SluiceSeriesInfo *) self->series->pdata[i])->last_step);
  return last;
}

gboolean
sluice_logged_has_event (const SluiceLogged *self, gint64 step, const char *kind, const char *text)
{
  for (guint i = 0; i < self->events->len; i++)
    {
      const SluiceEvent *event = self->events->pdata[i];
      if (event->base.step == step && strcmp (event->kind, kind) == 0
          && (text == NULL || g_strcmp0 (event->text, text) == 0))
        return TRUE;
    }
  return FALSE;
}

const SluiceCheckpointInfo *
sluice_logged_find_checkpoint (const SluiceLogged *self, gint64 step)
{
  for (guint i = 0; i < self->checkpoints->len; i++)
    {
      const SluiceCheckpointInfo *checkpoint = self->checkpoints->pdata[i];
      if (checkpoint->step == step)
        return checkpoint;
    }
  return NULL;
}
