/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/divergence.h"
#include "engine/train/project.h"

/*
 * Two programs, or two runs, side by side with learning turned off: the same batches through both,
 * and no variable written. White paper 6, lesson 3: "Ensure that the objective (loss function)
 * matches between machine learning systems when learning is turned off. Setting the learning rate
 * to be zero helped us identify unexpected behavior in how we had randomly initialized variables in
 * a model."
 */
typedef struct
{
  double first, second;
} SluiceLossPair;

typedef struct
{
  gboolean equal; /* all losses are */
  GArray *losses; /* of SluiceLossPair: a batch each, up to the first that differs and no further */
  guint n_compared;        /* outputs of the first batch, in topological order */
  guint n_only[2];         /* outputs that the other one has not */
  gint64 batch;            /* from 1: of which first is told */
  SluiceDivergence *first; /* (nullable): of the second from the first */
} SluiceLossMatch;

typedef struct
{
  guint n_batches; /* at least 1 */
  SluiceTolerance tolerance;
  const char *init_from; /* (nullable): a checkpoint of whose values both begin with those that they
                            have; else with their own initial ones */
  const SluiceSessionOptions *host; /* (nullable): of whose options those of the machine count */
  GCancellable *cancellable;        /* (nullable) */
} SluiceLossMatchOptions;

/**
 * sluice_loss_match:
 * @first, @second: batches are as large as those of @first, and in its order
 *
 * Any thread. What is random draws from the seeds of either.
 *
 * Returns: (transfer full) (nullable): %NULL where one of both cannot be run, INVALID_ARGUMENT
 * where one takes its batches out of its graph and the other does not, or CANCELLED
 */
SluiceLossMatch *sluice_loss_match (SluiceProject *first,
                                    SluiceProject *second,
                                    const SluiceLossMatchOptions *options,
                                    GError **error);
void sluice_loss_match_free (SluiceLossMatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLossMatch, sluice_loss_match_free)
