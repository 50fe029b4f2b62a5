/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/queue-work.h"

#include <glib/gi18n-lib.h>
#include <poll.h>
#include <stdio.h>

#include "app/cli/devices.h"
#include "app/cli/files.h"
#include "app/cli/follow.h"
#include "app/cli/run-options.h"
#include "app/signals.h"
#include "engine/base/text.h"
#include "engine/train/queue-work.h"

/* How often those who wait for other programs' runs look again. */
#define LOOK_MS 500

static void
tell (SluiceQueueClaim claim, const char *run, const char *message, gpointer store)
{
  const char *format = claim == SLUICE_QUEUE_SKIPPED   ? _ ("run %s: not trained: %s")
                       : claim == SLUICE_QUEUE_DROPPED ? _ ("run %s: dropped: %s")
                                                       : _ ("run %s: %s");
  g_autofree char *text = g_strdup_printf (format, run, message);
  g_autofree char *safe = sluice_text_escape (text);
  fprintf (stderr, "%s\n", safe);
}

/* Until a signal comes, or it is time to look again. */
static void
wait_for_others (gpointer store)
{
  struct pollfd signals = { .fd = sluice_signals_get_fd (), .events = POLLIN };
  poll (&signals, 1, LOOK_MS);
}

static gboolean
was_interrupted (gpointer store)
{
  return sluice_cli_was_interrupted ();
}

static gboolean
train (SluiceTrainer *trainer, gpointer store, GError **error)
{
  sluice_cli_tell_moved (sluice_trainer_get_session (trainer));
  return sluice_cli_train (trainer, sluice_store_get_workspace (store), TRUE, error);
}

int
sluice_cli_work_queue (
    SluiceStore *store, const char *group, guint jobs, guint *n_failed, GError **error)
{
  const SluiceTrainerOptions options = {
    .begins = sluice_cli_catch_signals,
    .host = &sluice_cli_session_options,
    .allow_files = (const char *const *) sluice_cli_allowed_files,
    .runs_commands = sluice_cli_allow_commands,
  };
  const SluiceQueueWork work = { .group = group,
                                 .jobs = jobs,
                                 .trainer = &options,
                                 .train = train,
                                 .tell = tell,
                                 .is_over = was_interrupted,
                                 .wait = wait_for_others,
                                 .data = store };
  guint n;
  sluice_cli_catch_signals (NULL);
  if (jobs > 1)
    sluice_cli_follow_several ();
  if (!sluice_queue_work (store, &work, &n, error))
    return EXIT_FAILED;
  if (sluice_cli_was_interrupted ())
    return EXIT_INTERRUPTED;
  if (n_failed != NULL)
    *n_failed = n;
  if (n == 0 || n_failed != NULL)
    return EXIT_OK;
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "%u of the runs failed; 'sluice runs --filter state:failed' lists them", n);
  return EXIT_FAILED;
}
