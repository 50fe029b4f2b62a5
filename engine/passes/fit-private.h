/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/fit.h"

/* fit-study.c makes the numbers of a work graph, fit-work.c the work graph of what was decided. */
struct _SluiceFitStudy
{
  SluiceWork *work;
  gboolean owns_work;
  const SluiceFitSizes *sizes;
  SluiceMachine *machine;
  SluiceCostModel *costs;
  GPtrArray *nodes; /* of SluiceWorkNode: those of the schedule, by number in the workload */
  guint *number;    /* by work index; G_MAXUINT: none */
  SluiceWorkload *w;
  guint *devices, *order, *roots, *again, *branches;
  guint8 *in_place, *stays, *waits, *fixed, *leaves;
  double *held;
  SluiceFitter *fitter;
};

/* Of an edge: number of the output in the workload; G_MAXUINT: it is there from the start. */
guint sluice_fit_study_find_output (const SluiceFitStudy *self, SluiceWorkEdge edge);
/* Does the node keep to its place in the order: does it wait for the one before, and may the next
 * wait for it? */
gboolean sluice_fit_study_waits (const SluiceFitStudy *self, SluiceWorkNode *node);
gboolean sluice_fit_study_is_awaited (const SluiceFitStudy *self, const SluiceWorkNode *node);
