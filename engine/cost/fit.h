/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/simulate.h"

/*
 * Fits a step into less memory than it would take: which values are computed again for readers
 * behind the peak, which leave for the host's memory until then, and how late nodes run that may
 * wait. White paper, section 5.2; Chen et al., Training deep nets with sublinear memory cost, 2016.
 *
 * A device runs its nodes one after the other in the order that is given: only then is it known
 * what lies in memory together. A decision takes one gap between two readers of a value: those
 * behind it read another copy, which is made, or comes back, just before the first of them. A set
 * of decisions is a program: steps, and which step each of them reads from. What a program takes is
 * told by the simulator, as a workload like any other.
 */
typedef enum
{
  SLUICE_FIT_RECOMPUTE,
  SLUICE_FIT_SWAP
} SluiceFitKind;

typedef struct
{
  SluiceFitKind kind;
  guint output;     /* number in the workload: one with memory of its own */
  guint position;   /* in the order: of the first reader behind the gap */
  gboolean is_deep; /* RECOMPUTE: also what it is made of, where nobody else keeps that */
  guint n_again;    /* nodes that run again for it */
  double bytes;     /* what the highest peak would be above that of all decisions without it */
  double us;        /* what the step takes longer for it */
} SluiceFitDecision;

/* All borrowed, for the fitter's life. */
typedef struct
{
  const SluiceWorkload *workload;
  const guint *devices; /* by node: as that, what is made there is */
  const guint *order;   /* of nodes: a topological one */
  const double *held;   /* (nullable) by device: bytes that lie there all the time */
  const guint *roots;   /* (nullable) by output: the one in whose memory it lies, or itself */
  const guint *again; /* by node: the node from which on it no longer gives the same again; itself:
                         never; G_MAXUINT: it always does */
  const guint8 *leaves;   /* (nullable) by output: may be in the host's memory meanwhile */
  const guint8 *in_place; /* (nullable) by node: its first output lies where an input of that size
                             lay that nobody reads any more */
  const guint8 *stays;    /* (nullable) by output: is held to the end */
  const guint8 *waits;    /* (nullable) by node: may run later than the order says */
  const guint8 *fixed;    /* (nullable) by node: reads no copies */
  const guint *branches;  /* (nullable) by node: reads copies made for nodes of its own alone */
  guint host;             /* device that things leave for; G_MAXUINT: none */
} SluiceFitTask;

/* A node, the same again, or a value that comes back. */
typedef struct
{
  guint node;
  guint back;  /* the output that comes back; G_MAXUINT: it runs the node */
  guint after; /* of one that comes back: the step behind which it sets off */
  gboolean is_again;
  guint branch;      /* whose readers get what it makes */
  guint first_maker; /* in makers: for each read of the node, or for the one that comes back */
} SluiceFitStep;

typedef struct
{
  GArray *decisions; /* of SluiceFitDecision */
  GArray *steps;     /* of SluiceFitStep, in order */
  GArray *makers;    /* of guint: the step that made what a step reads */
  gboolean fits;
  double natural_us, us;
  double *natural_bytes, *bytes; /* by device: peaks, with what is held */
  double *least_bytes;           /* by device: of the smallest set that was found */
  guint64 n_tried;               /* sets that were looked at */
  guint n_devices;
} SluiceFit;

void sluice_fit_free (SluiceFit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFit, sluice_fit_free)

/* What one task is looked at with again and again. */
typedef struct _SluiceFitter SluiceFitter;

SluiceFitter *sluice_fitter_new (const SluiceFitTask *task);
void sluice_fitter_free (SluiceFitter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFitter, sluice_fitter_free)

/* Each gap of each value that may be made again or leave. (transfer full) (element-type
 * SluiceFitDecision) */
GArray *sluice_fitter_dup_candidates (SluiceFitter *self);

/**
 * sluice_fitter_try:
 * @limits: (nullable) (array length=n_devices): what waits for room waits, where that helps
 * @bytes: (out caller-allocates) (array length=n_devices): peaks, with what is held
 * @schedule: (out) (nullable) (transfer full): as the simulator has it
 * @workload: (out) (nullable) (transfer full): of which that is one
 *
 * Returns: what the step takes with just these decisions; INFINITY: a gap is taken twice, or what
 * has to run again may not
 */
double sluice_fitter_try (SluiceFitter *self,
                          const SluiceFitDecision *decisions,
                          guint n,
                          const double *limits,
                          double *bytes,
                          SluiceSimulation **schedule,
                          SluiceWorkload **workload);

/**
 * sluice_fitter_run:
 * @limits: (array length=n_devices): bytes; INFINITY: none
 *
 * The cheapest set of decisions that was found: one decision after the other, that which gains most
 * for its time, then without those that have become needless, and with cheaper ones instead. All
 * sets are looked at where they are few.
 *
 * Returns: (transfer full): with fits unset where no set was found that keeps the limits; it is the
 * smallest then
 */
SluiceFit *sluice_fitter_run (SluiceFitter *self, const double *limits);
