/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/preflight.h"
#include "engine/train/project-changes.h"
#include "engine/train/replica.h"
#include "engine/train/run-forecast.h"

typedef struct
{
  SluiceProject *project;
  const SluicePreflightOptions *options;
  SluicePreflight *card;
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  SluiceRunForecast *forecast; /* (nullable) */
  SluiceSchedule schedule;     /* at the end */
  guint n_classes;             /* 0: labels are no classes */
  double entropy;              /* of the labels, in nats */
} SluiceChecker;

/* The mean, which is what a long run comes to, with all that disturbs it now and then; and how far
 * that of many more would be from it: twice the standard error, or what it differs by from the
 * first half to the second. times: (element-type double): in order. margin: (out) */
double sluice_preflight_sum_up (const GArray *times, double *margin);
/* What a trainer does between steps: points are queued, progress is told (µs, measured on a server
 * of 2023; half of it is uncertain). */
#define SLUICE_TRAINER_US 12.0
/* Of the room; beyond it something else on the machine may be in the way. */
#define SLUICE_PREFLIGHT_FULL 0.8
/* The setting of a batch that there is room for on a device, by what it takes now; held: of the
 * bytes, whatever the batch is. (transfer full) (nullable): there is none */
char *sluice_checker_dup_batch (
    const SluiceChecker *self, guint device, double held, double bytes, double room);
/* An item, to be told more of. text: (transfer full) */
SluicePreflightItem *sluice_preflight_add (SluicePreflight *self,
                                           const char *what,
                                           const char *name,
                                           SluicePreflightLevel level,
                                           char *take_text);

/* Settings that nobody reads, nodes that nothing reaches, variables that never change. */
void sluice_checker_look_at_graph (SluiceChecker *self);
/* What the plan of a step says of its memory and time. */
void sluice_checker_look_at_plan (SluiceChecker *self);
/* How long steps took of a run that was trained as this one would be. */
void sluice_checker_look_at_runs (SluiceChecker *self);
/* No step could be measured: what else is known stands for it. */
void sluice_checker_fall_back (SluiceChecker *self);
/* Bytes that a device is allowed, or that are left of the machine's memory. */
double sluice_checker_get_room (const SluiceChecker *self);
/* Labels of all examples. */
void sluice_checker_look_at_labels (SluiceChecker *self);
/* What the first batch holds: feeds of the replica. */
void sluice_checker_look_at_batch (SluiceChecker *self);
/* Steps, an evaluation, a checkpoint: how long, how large. FALSE: cancelled; a step that fails is
 * an item. */
gboolean sluice_checker_try (SluiceChecker *self, GError **error);
