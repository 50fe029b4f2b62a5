/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/queue.h"

/* Who works off what waits, and how. Functions are called from any of its threads. */
typedef struct
{
  const char *group; /* (nullable): only its runs */
  guint jobs;        /* so many runs at a time */
  /* Bytes that runs under way may be said to need together; 0: what the machine has left when the
   * first of them begins. One that needs more runs alone. */
  gint64 memory;
  const SluiceTrainerOptions *trainer; /* as sluice_queue_take() has them */
  /* Trains one up to where it ends or is stopped. */
  gboolean (*train) (SluiceTrainer *trainer, gpointer data, GError **error);
  /* (nullable): why a run was not trained (SKIPPED), dropped (DROPPED) or failed (CLAIMED) */
  void (*tell) (SluiceQueueClaim claim, const char *run, const char *message, gpointer data);
  /* Is it to end? Nothing is begun then. */
  gboolean (*is_over) (gpointer data);
  /* Waits some half a second, until what other programs train may have come further, or is_over()
   * may say something else. */
  void (*wait) (gpointer data);
  gpointer data;
} SluiceQueueWork;

/**
 * sluice_queue_work:
 * @n_failed: (out): so many of the runs failed, which is no error
 *
 * Trains what waits until nothing does: what other programs of the workspace train is waited for,
 * and taken over where they are gone. Those that were stopped wait again.
 *
 * Returns: %FALSE with FAILED_PRECONDITION where the queue is paused, or what is left waits for
 * runs that nobody trains; with what makes it useless to begin another run
 */
gboolean sluice_queue_work (SluiceStore *store,
                            const SluiceQueueWork *work,
                            guint *n_failed,
                            GError **error);
