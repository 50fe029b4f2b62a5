/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* What stands in a form that was not launched is kept as a run of state draft, whose folder has
 * nothing but draft.ini. No GTK; in a worker. */
typedef struct
{
  char *name;    /* of a new one */
  char *project; /* its name */
  gint64 n_steps;
  char *text; /* of draft.ini */
} SluiceLaunchDraft;
void sluice_launch_draft_free (SluiceLaunchDraft *self);

/* Is that run one? What was taken out of the queue before it began is of that state, too. */
gboolean sluice_launch_draft_exists (SluiceStore *store, const SluiceRunInfo *run);
/* run: (inout): 0, or one that is gone: a new one is made. */
gboolean sluice_launch_draft_save (const SluiceLaunchDraft *self,
                                   SluiceStore *store,
                                   gint64 *run,
                                   GError **error);
/* (transfer full) (nullable) */
GKeyFile *sluice_launch_draft_load (SluiceStore *store, gint64 run, GError **error);
/* It was launched, or has nothing in it any more: no trash keeps it. */
gboolean sluice_launch_draft_discard (SluiceStore *store, gint64 run, GError **error);
