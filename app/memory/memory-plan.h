/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/fit.h"
#include "engine/trace/memory-view.h"
#include "engine/train/trainer.h"

/*
 * What can be done about the peak of a step, by the simulator: values that are computed again or
 * leave meanwhile, each alone and several together. What it predicts stands on what was measured:
 * the difference between the two without any is added.
 */
typedef struct _SluiceMemoryPlan SluiceMemoryPlan;

/* For one holder at the peak: the best of what can be done alone. */
typedef struct
{
  char *node; /* the holder's */
  char *name; /* "relu:0" */
  SluiceFitDecision decision;
  double bytes, us; /* by which the peak is lower, and the step longer */
} SluiceMemoryChoice;

/* In a worker. view: of a step of that trainer. (transfer full) (nullable): there is nothing that
 * could be said */
SluiceMemoryPlan *sluice_memory_plan_new (SluiceTrainer *trainer, const SluiceMemoryView *view);
void sluice_memory_plan_free (SluiceMemoryPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMemoryPlan, sluice_memory_plan_free)

/* In a worker: what would have made a step fit into so many bytes of each device. (transfer full)
 * (nullable): that is not known */
char *sluice_memory_plan_dup_rescue (SluiceTrainer *trainer, gsize limit);

/* (nullable): of the holder of that name */
const SluiceMemoryChoice *sluice_memory_plan_find (const SluiceMemoryPlan *self, const char *node);
/* What a step holds at the most, and takes, with those choices: (array length=n) */
void sluice_memory_plan_predict (SluiceMemoryPlan *self,
                                 const SluiceMemoryChoice *const *choices,
                                 guint n,
                                 double *bytes,
                                 double *us);
/* Measured less predicted, without any: SluiceSessionOptions.fit_slack. */
gint64 sluice_memory_plan_get_slack (const SluiceMemoryPlan *self);
/* Of the step without any: as predicted. */
double sluice_memory_plan_get_natural_us (const SluiceMemoryPlan *self);
