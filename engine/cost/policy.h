/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/simulate.h"

/*
 * How devices are chosen. A policy is a file with one const struct and its line in SLUICE_POLICIES;
 * nobody else knows policies.
 */

/* One device that a node could have had, when the policy came to it. */
typedef struct
{
  guint device;
  double ready_us;    /* all that it reads is made, wherever */
  double transfer_us; /* from then until the last of it is there */
  double queue_us;    /* from then until the device is free */
  double compute_us;
  double finish_us;
  double peak_bytes;   /* of the device until then */
  const char *why_not; /* (nullable): it cannot stand there; static or the choice's */
} SluiceCandidate;

typedef struct
{
  guint step;         /* which of the policy's decisions it was, from 0: for scrubbing */
  double margin_us;   /* by which the second best would have finished later; below 0: sooner;
                         INFINITY: no second */
  const char *reason; /* (nullable): the policy's; "only here", "stands with 'x'"; lives as long as
                         the choice */
  GArray *candidates; /* (nullable): of SluiceCandidate, by device; only where asked for */
} SluiceDecision;

typedef struct
{
  guint *devices;             /* by node */
  SluiceSimulation *schedule; /* as the simulator has it */
  SluiceDecision *decisions;  /* by node */
  guint n_nodes;
  const char *policy;   /* that was asked for */
  const char *instead;  /* (nullable): the one that was taken, for it is no worse: "single" */
  const char *why;      /* (nullable): instead, where what was asked for gave no schedule */
  const char *found_by; /* (nullable): of 'learned': "greedy", "reinforce" or "search" */
  double learned_us;    /* of 'learned': by REINFORCE alone; INFINITY: nothing, or another policy */
  double single_us;     /* on the best one device; INFINITY: it fits on none */
  guint64 n_tried;      /* schedules that were looked at */
  double seconds;       /* spent on it */
  GStringChunk *texts;
} SluiceChoice;

void sluice_choice_free (SluiceChoice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceChoice, sluice_choice_free)

typedef struct
{
  guint64 seed;              /* of those that draw lots: same seed, same choice */
  double seconds;            /* that those which search may take; 0: no limit in time */
  guint64 n_steps;           /* and how far; 0: their own limit where there is none in time */
  gboolean explains;         /* what each node could have had instead: candidates and margins */
  GCancellable *cancellable; /* (nullable) */
} SluicePolicyOptions;

typedef struct
{
  const char *name;
  const char *summary; /* N_() */
  /* Fills choice->devices, and what it knows of ->decisions (all 0 before). It leaves ->schedule
   * NULL for the simulator's, or gives one that is at least as good. FALSE: error is set;
   * RESOURCE_EXHAUSTED and FAILED_PRECONDITION: it has found nothing that is possible */
  gboolean (*choose) (const SluiceWorkload *workload,
                      const SluicePolicyOptions *options,
                      SluiceChoice *choice,
                      GError **error);
} SluicePolicy;

#define SLUICE_POLICIES(POLICY)                                                                    \
  POLICY (greedy)                                                                                  \
  POLICY (single)                                                                                  \
  POLICY (round_robin)                                                                             \
  POLICY (best)                                                                                    \
  POLICY (learned)

/* (array length=n) */
const SluicePolicy *const *sluice_policies_list (guint *n);
/* "round-robin". (nullable): NOT_FOUND, which names those that there are */
const SluicePolicy *sluice_policies_find (const char *name, GError **error);

/**
 * sluice_policy_run:
 *
 * What the policy chooses, or what 'single' does where that is no slower by the simulator's count,
 * or the policy has found nothing: the choice says so. Where both find nothing because memories are
 * too small, 'best' looks, where it can.
 *
 * Returns: (transfer full) (nullable): RESOURCE_EXHAUSTED where nothing fits, which says what would
 * do; FAILED_PRECONDITION where links or devices are missing; INVALID_ARGUMENT of what the policy
 * refuses; CANCELLED, DEADLINE_EXCEEDED
 */
SluiceChoice *sluice_policy_run (const SluicePolicy *self,
                                 const SluiceWorkload *workload,
                                 const SluicePolicyOptions *options,
                                 GError **error);

/**
 * sluice_choice_new_given:
 * @devices: (array length=n_nodes): where somebody else has put each node
 * @reason: "as asked": of all of them; lives as long as the choice
 *
 * The schedule of a placement that is there already, and where each node could have stood instead.
 *
 * Returns: (transfer full) (nullable): as sluice_simulator_run()
 */
SluiceChoice *sluice_choice_new_given (const SluiceWorkload *workload,
                                       const guint *devices,
                                       const char *reason,
                                       GError **error);
