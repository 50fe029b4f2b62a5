/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/preflight.h"
#include "engine/train/project-changes.h"
#include "engine/train/replica.h"

typedef struct
{
  SluiceProject *project;
  const SluicePreflightOptions *options;
  SluicePreflight *card;
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  SluiceSchedule schedule; /* at the end */
  guint n_classes;         /* 0: labels are no classes */
  double entropy;          /* of the labels, in nats */
} SluiceChecker;

/* An item, to be told more of. text: (transfer full) */
SluicePreflightItem *sluice_preflight_add (SluicePreflight *self,
                                           const char *what,
                                           const char *name,
                                           SluicePreflightLevel level,
                                           char *take_text);

/* Settings that nobody reads, nodes that nothing reaches, variables that never change. */
void sluice_checker_look_at_graph (SluiceChecker *self);
/* Labels of all examples. */
void sluice_checker_look_at_labels (SluiceChecker *self);
/* What the first batch holds: feeds of the replica. */
void sluice_checker_look_at_batch (SluiceChecker *self);
/* Steps, an evaluation, a checkpoint: how long, how large. FALSE: cancelled; a step that fails is
 * an item. */
gboolean sluice_checker_try (SluiceChecker *self, GError **error);
