/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The memory of single steps, for who asks for it. */
#include <stdatomic.h>

#include "engine/base/error.h"
#include "engine/train/trainer-private.h"

/* What is kept of it: enough steps to see what grows, and in all so many records (72 MiB). */
#define MOST_STEPS   16
#define MOST_RECORDS ((gsize) 1 << 20)

void
sluice_trainer_record_memory (SluiceTrainer *self, guint n)
{
  atomic_store_explicit (&self->memory_wanted, n, memory_order_relaxed);
}

GPtrArray *
sluice_trainer_dup_memory (SluiceTrainer *self)
{
  GPtrArray *tapes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; self->memory != NULL && i < self->memory->len; i++)
    g_ptr_array_add (tapes, sluice_memory_tape_ref (self->memory->pdata[i]));
  pthread_mutex_unlock (&self->lock);
  return tapes;
}

static const SluiceMemoryTape *
tape_at (const GPtrArray *tapes, guint i)
{
  return tapes->pdata[i];
}

/* Steps are kept or dropped whole. */
static void
drop_oldest (GPtrArray *tapes)
{
  gsize n_records = 0;
  guint n_steps = 0, first = tapes->len;
  while (first > 0)
    {
      guint begin = first;
      while (begin > 0 && tape_at (tapes, begin - 1)->step == tape_at (tapes, first - 1)->step)
        n_records += tape_at (tapes, --begin)->log->n_records;
      if (n_steps > 0 && (n_steps == MOST_STEPS || n_records > MOST_RECORDS))
        break;
      n_steps++;
      first = begin;
    }
  if (first > 0)
    g_ptr_array_remove_range (tapes, 0, first);
}

static void
keep (SluiceTrainer *self, GPtrArray *take_tapes)
{
  pthread_mutex_lock (&self->lock);
  if (self->memory == NULL)
    self->memory = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  g_ptr_array_extend_and_steal (self->memory, take_tapes);
  drop_oldest (self->memory);
  pthread_mutex_unlock (&self->lock);
}

/* FALSE: nobody asked for it, or somebody else records. */
static gboolean
begin_recording (SluiceTrainer *self)
{
  guint n = atomic_load_explicit (&self->memory_wanted, memory_order_relaxed);
  if (G_LIKELY (n == 0))
    return FALSE;
  atomic_compare_exchange_strong_explicit (&self->memory_wanted, &n, n - 1, memory_order_relaxed,
                                           memory_order_relaxed);
  if (self->memory_recorder == NULL)
    self->memory_recorder = sluice_memory_recorder_new (self->replica->session);
  return sluice_memory_recorder_begin (self->memory_recorder);
}

SluiceFitStudy *
sluice_trainer_study_fit (SluiceTrainer *self, GError **error)
{
  return sluice_replica_study_fit (self->replica, error);
}

void
sluice_trainer_refit (SluiceTrainer *self, gsize bytes, gint64 slack)
{
  pthread_mutex_lock (&self->lock);
  self->fit_bytes = bytes;
  self->fit_slack = slack;
  pthread_mutex_unlock (&self->lock);
  atomic_store (&self->wants_refit, TRUE);
}

/* What was asked for meanwhile. */
static gboolean
refit (SluiceTrainer *self, GError **error)
{
  if (G_LIKELY (!atomic_exchange (&self->wants_refit, FALSE)))
    return TRUE;
  pthread_mutex_lock (&self->lock);
  gsize bytes = self->fit_bytes;
  gint64 slack = self->fit_slack;
  pthread_mutex_unlock (&self->lock);
  return sluice_replica_refit (self->replica, bytes, slack, error);
}

gboolean
sluice_trainer_run_step (SluiceTrainer *self,
                         SluiceTensor **summary,
                         const SluiceRunOptions *options,
                         GError **error)
{
  GError *local = NULL;
  if (!refit (self, error))
    return FALSE;
  gboolean is_recorded = begin_recording (self);
  gboolean ok = sluice_replica_step (self->replica, self->scalars, summary, options, &local);
  if (is_recorded)
    keep (self, sluice_memory_recorder_end (self->memory_recorder, options->step));
  else if (G_UNLIKELY (g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED)))
    keep (self, sluice_memory_take_shortages (self->replica->session, options->step));
  if (!ok)
    g_propagate_error (error, local);
  return ok;
}

const SluiceFitTrial *
sluice_trainer_get_fit (SluiceTrainer *self)
{
  return self->fit;
}

void
sluice_trainer_end_memory (SluiceTrainer *self)
{
  g_clear_pointer (&self->memory_recorder, sluice_memory_recorder_free);
  g_clear_pointer (&self->memory, g_ptr_array_unref);
}
