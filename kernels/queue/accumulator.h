/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/queue/monitor.h"

/*
 * The sum of gradients that several workers compute, for synchronous training with backup workers:
 * gradients of an older step are dropped, and who takes the sum waits until there are enough.
 * White paper 4.4 and figure 7.
 */
typedef struct
{
  SluiceMonitor parent;
  gboolean is_sparse;
  gboolean takes_mean; /* of what was added, of each row where it is sparse; else the sum */
  SluiceDType dtype;
  SluiceShape shape; /* of a gradient; may be partial or unknown */

  /* Under the monitor's lock. */
  gint64 step;       /* older gradients are dropped; one more with each take */
  gint32 n;          /* gradients in the sum */
  SluiceTensor *sum; /* (nullable); of a sparse one its rows */
  GArray *indices;   /* of a sparse one: gint64, of the rows */
  GArray *counts;    /* of a sparse one: gint64, how many were added up in each row */
} SluiceAccumulator;

extern const SluiceResourceType sluice_accumulator_type;

SluiceAccumulator *sluice_accumulator_new (const char *name,
                                           gboolean is_sparse,
                                           SluiceDType dtype,
                                           const SluiceShape *shape,
                                           gboolean takes_mean);

/* Adds input i of the call. Under the lock. FALSE: call->error is set */
gboolean sluice_accumulator_add (SluiceAccumulator *self, SluiceKernelCall *call, guint i);

/* Inputs i … are indices, rows and, where has_shape, the shape of what they are part of. */
gboolean sluice_accumulator_add_rows (SluiceAccumulator *self,
                                      SluiceKernelCall *call,
                                      guint i,
                                      gboolean has_shape);

/* SluiceAttempt: the mean or the sum of at least `number` gradients becomes the call's outputs. */
gboolean sluice_accumulator_take (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number);
