/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "engine/passes/frames.h"
#include "engine/passes/pass.h"

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      if (sluice_work_role (node) != SLUICE_ROLE_STACK_POP || !work->devices[node->device]->swap)
        continue;
      for (guint at = node->frame; at != 0; at = sluice_frame_parent (work, at))
        g_array_index (work->frames, SluiceWorkFrame, at).parallel_iterations = 1;
    }
  return TRUE;
}

/* What is popped early is no longer the swap's, which reads ahead besides, and may be what the
 * present iteration lacks. */
const SluicePass sluice_pass_serialize_loops = {
  .name = "serialize-loops",
  .summary = N_ ("Under a memory limit a loop that pops runs one iteration at a time"),
  .requires = SLUICE_FACT_FRAMED,
  .run = run,
};
