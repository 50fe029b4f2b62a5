/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* What stands in a form that was not launched is kept as a run of state draft, whose folder has
 * nothing but draft.ini. Windows of one workspace may have the same one open. No GTK; in a worker.
 */
typedef struct
{
  char *name;    /* of a new one */
  char *project; /* its name */
  gint64 n_steps;
  char *variety;              /* (nullable): of a sweep, "3 × 2" */
  gint64 parent, parent_step; /* where it begins; 0: anew */
  char *text;                 /* of draft.ini */
  char *before;               /* (nullable): the same as this window has read or written it last */
  gboolean is_empty;          /* nothing in the form is changed: no draft is needed for it */
} SluiceLaunchDraft;
void sluice_launch_draft_free (SluiceLaunchDraft *self);

/* Is that run one? What was taken out of the queue before it began is of that state, too. */
gboolean sluice_launch_draft_exists (SluiceStore *store, const SluiceRunInfo *run);
/**
 * sluice_launch_draft_save:
 * @run: (inout): 0, or one that is gone: a new one is made; 0 after it: there is none
 * @merged: (out) (transfer full) (nullable): what stands there now, where another window has
 *   written since: what was changed in either, and in both as it is here
 *
 * Returns: FALSE with FAILED_PRECONDITION: another window is writing it
 */
gboolean sluice_launch_draft_save (
    const SluiceLaunchDraft *self, SluiceStore *store, gint64 *run, char **merged, GError **error);
/* (transfer full) (nullable) */
GKeyFile *sluice_launch_draft_load (SluiceStore *store, gint64 run, GError **error);
/* A setting, with all that is said of it, is a group. */
gboolean sluice_launch_draft_is_same (GKeyFile *a, GKeyFile *b, const char *group);
