/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/fit.h"

/* fit.c searches, fit-program.c makes programs of sets and measures them, fit-order.c has orders.
 */
struct _SluiceFitter
{
  SluiceFitTask task;
  SluiceMachine machine; /* the workload's, but for the devices' memory */
  guint n, n_outputs, n_devices;
  guint *order;                 /* the task's, or later where nodes may wait */
  guint *position;              /* by node */
  guint *roots;                 /* by output */
  guint *first_use, *uses;      /* by root: positions of readers, through aliases too */
  guint *first_alias, *aliases; /* by root: other outputs in its memory */
  guint *last_use;              /* by root: position; n: stays */
  guint *last_own_use;          /* by output itself */
  guint64 n_tried;

  /* The program at hand. */
  GArray *steps, *makers;
  guint *version, *original; /* by output, by node: the step that makes it */
  guint *version_branch;     /* by output: of whom the step is read */
  guint *copied_at;          /* by node: position + 1 at which it was last copied */
  guint n_copied;            /* for the decision at hand */
  GArray *first_cell;        /* by step: its outputs are cells */
  GArray *cell_root;         /* by cell: the cell in whose memory it lies */
  GArray *cell_bytes, *cell_last, *cell_device;
  GArray *levels;  /* of double: [step * n_devices + device] */
  double again_us; /* of what runs again, and of links that it waits for at the most */
};

/* Makes the program of a set, which is sorted. FALSE: it is none. */
gboolean
sluice_fitter_build (SluiceFitter *self, const SluiceFitDecision *const *decisions, guint n);
/* What lies in memory in that program, step by step. bytes: (out): peaks. Returns: how much it is
 * above the limits, summed up over the steps. */
double sluice_fitter_measure (SluiceFitter *self, const double *limits, double *bytes);
/* The program as a workload, and where its nodes stand. (transfer full) both */
SluiceWorkload *sluice_fitter_dup_workload (SluiceFitter *self, guint **devices);
int sluice_fitter_compare (const SluiceFitter *self,
                           const SluiceFitDecision *a,
                           const SluiceFitDecision *b);

/* fit-order.c: the order that programs are made of. */
void sluice_fitter_set_order (SluiceFitter *self, const guint *order);
/* Nodes that may wait, and hold more than they free, run as late as does not lengthen the step:
 * receives, too (white paper, section 5.2). FALSE: the order is the task's */
gboolean sluice_fitter_sink (SluiceFitter *self);

static inline const SluiceFitStep *
sluice_fitter_get_step (const SluiceFitter *self, guint i)
{
  return &g_array_index (self->steps, SluiceFitStep, i);
}

static inline double
sluice_fitter_get_held (const SluiceFitter *self, guint device)
{
  return self->task.held != NULL ? self->task.held[device] : 0;
}
