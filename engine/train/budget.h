/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/graph/graph.h"
#include "engine/runtime/session/session.h"

/*
 * What a graph that is being made would take, by its plan and the definitions of its ops, as the
 * card before a launch says it of a project: nothing runs. Any thread.
 */
typedef struct
{
  char *name;   /* "CPU:0" */
  double bytes; /* at the most */
  double limit; /* NAN: none is known */
} SluiceBudgetDevice;

typedef struct
{
  double parameters;          /* numbers in variables that are trained, or could be */
  double flops;               /* of a step, an example */
  double step_us, plus_minus; /* of a step, modelled; NAN: not known */
  gint64 batch;               /* examples a step */
  gboolean is_training;       /* optimizers are part of the step */
  GArray *devices;            /* of SluiceBudgetDevice: the first, and those that anything is on */
} SluiceBudget;
void sluice_budget_free (SluiceBudget *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceBudget, sluice_budget_free)

/**
 * sluice_budget_new:
 * @where: (nullable): devices and their memory, as of a project; %NULL: the CPU
 * @batch: stands for each dimension that is not known
 * @folder: (nullable): where the machine's speed is kept, as of sluice_calibration_get()
 *
 * Of a step that updates what optimizers update, and computes what nobody reads: losses, outcomes.
 *
 * Returns: (transfer full) (nullable): %NULL with what keeps the graph from running
 */
SluiceBudget *sluice_budget_new (SluiceGraph *graph,
                                 const SluiceSessionOptions *where,
                                 gint64 batch,
                                 const char *folder,
                                 GCancellable *cancellable,
                                 GError **error);
