/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/state/change.h"

/*
 * Rows of a tensor by number: what scatters and sparse optimizers change. All numbers are checked
 * before anything changes, so a bad one leaves the tensor as it was.
 */
typedef struct
{
  SluiceTensor *numbers; /* int64 [n]: row k of the updates goes to row numbers[k]; -1: nowhere */
  gint64 n;
  gint64 size; /* elements of a row */
} SluiceRows;

void sluice_rows_clear (SluiceRows *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceRows, sluice_rows_clear)

/**
 * sluice_call_rows:
 * @indices: the input that holds numbers of rows along dimension 0, of any shape
 * @target: the tensor's shape
 *
 * Returns: %FALSE: call->error is set (a number out of range, a target without dimensions)
 */
gboolean sluice_call_rows (SluiceKernelCall *call,
                           guint indices,
                           const SluiceShape *target,
                           SluiceRows *self);

/**
 * sluice_call_rows_nd:
 * @indices: the input whose last dimension holds coordinates of a row along the first dimensions
 * @skip_bad: coordinates out of range name no row, in place of an error
 */
gboolean sluice_call_rows_nd (SluiceKernelCall *call,
                              guint indices,
                              const SluiceShape *target,
                              gboolean skip_bad,
                              SluiceRows *self);

/* func for all columns of all rows: a chunk walks every row in order, over columns [begin, end) of
 * its own. So a number that comes twice is applied twice, in order. */
gboolean sluice_call_walk_rows (SluiceKernelCall *call,
                                const SluiceRows *rows,
                                double element_ns,
                                SluiceRangeFunc func,
                                gpointer data);

/**
 * sluice_call_change_rows:
 * @to: written in place
 * @updates: rows->n rows of rows->size elements, or one element for all (a scalar)
 */
gboolean sluice_call_change_rows (SluiceKernelCall *call,
                                  const SluiceRows *rows,
                                  SluiceChange change,
                                  SluiceTensor *to,
                                  const SluiceTensor *updates);
