/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/step/watches.h"

void
sluice_watch_read (SluiceWatch *self, SluiceWatchReport *report)
{
  const guint most = SLUICE_WATCH_STEPS;
  pthread_mutex_lock (&self->lock);
  *report = self->report;
  pthread_mutex_unlock (&self->lock);
  report->n = (guint) MIN (report->n_looks, most);
  const guint first = report->n == most ? (guint) (report->n_looks % most) : 0;
  if (first == 0)
    return;
  g_autofree SluiceWatchLook *tail = g_memdup2 (report->looks, first * sizeof *tail);
  memmove (report->looks, report->looks + first, (most - first) * sizeof *tail);
  memcpy (report->looks + most - first, tail, first * sizeof *tail);
}

void
sluice_watch_keep (SluiceWatch *self, gsize most_bytes)
{
  atomic_store (&self->most_kept, most_bytes);
}

SluiceTensor *
sluice_watch_dup_kept (SluiceWatch *self, guint64 *step)
{
  pthread_mutex_lock (&self->lock);
  SluiceTensor *kept = self->kept != NULL ? sluice_tensor_ref (self->kept) : NULL;
  *step = self->kept_step;
  pthread_mutex_unlock (&self->lock);
  return kept;
}

void
sluice_watch_stop (SluiceWatch *take)
{
  if (take == NULL)
    return;
  SluiceWatches *watches = take->watches;
  pthread_mutex_lock (&watches->lock);
  guint n = atomic_load (&watches->n), i = 0;
  while (watches->list[i] != take)
    i++;
  watches->list[i] = watches->list[n - 1];
  atomic_store (&watches->n, n - 1);
  pthread_mutex_unlock (&watches->lock);
  sluice_watch_unref (take);
}
