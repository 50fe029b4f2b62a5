/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/fit.h"
#include "engine/train/replica.h"

/* A step of training, to be fitted into a limit, with what is known of this machine. The study is
 * valid while the replica is. (transfer full) (nullable): what a step would fail with */
SluiceFitStudy *sluice_replica_study_fit (SluiceReplica *self, GError **error);

/* Its steps are fitted into so many bytes from now on; 0: no longer. slack: as of
 * SluiceSessionOptions. FALSE: they cannot be planned so */
gboolean sluice_replica_refit (SluiceReplica *self, gsize bytes, gint64 slack, GError **error);

/* What a project's steps hold when they are fitted into bytes, as tried. */
typedef struct _SluiceFitTrial
{
  SluiceFitReport *report; /* as predicted */
  gint64 slack;            /* what steps hold beyond that: SluiceSessionOptions.fit_slack */
  double bytes;            /* at the most on a device, as predicted with that */
  double measured_bytes;   /* of the steps that were tried */
  double natural_bytes, natural_us; /* of steps without a limit: measured */
  double us;                        /* as predicted of that */
  GHashTable *seen;                 /* SluiceSessionOptions.fit_seen */
} SluiceFitTrial;

/**
 * sluice_fit_trial_new:
 * @limit: bytes of each device
 * @n_steps: that are tried each time
 *
 * Steps of replicas of their own, which have all memory that they want, but on devices that can
 * vacate some and so hold the limit: what kernels use besides their values is seen, and decided
 * with. The project's session options are as before then.
 *
 * Returns: (transfer full) (nullable): RESOURCE_EXHAUSTED where no step was found that holds so
 * little, which says what would do
 */
SluiceFitTrial *sluice_fit_trial_new (SluiceProject *project,
                                      const SluiceExamples *examples,
                                      const SluiceExamples *test,
                                      const SluiceSessionOptions *host,
                                      gsize limit,
                                      guint n_steps,
                                      GError **error);
void sluice_fit_trial_free (SluiceFitTrial *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFitTrial, sluice_fit_trial_free)
