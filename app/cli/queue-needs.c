/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/queue-needs.h"

#include "app/cli/run-options.h"
#include "engine/train/queue-needs.h"

char *sluice_cli_needs_memory;

gboolean
sluice_cli_get_needs (SluiceQueueNeeds *needs, GError **error)
{
  needs->devices = sluice_cli_session_options.device;
  needs->threads = sluice_cli_session_options.n_threads;
  if (sluice_cli_needs_memory == NULL
      || sluice_queue_needs_set (needs, "memory", sluice_cli_needs_memory, error))
    return TRUE;
  g_prefix_error (error, "--needs-memory: ");
  return FALSE;
}
