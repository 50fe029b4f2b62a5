/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/*
 * One row of an output picture from rows of an input picture, of any real dtype but the halves
 * (these are widened first). What is computed is float, as in TensorFlow.
 */

/* The types that rows are read in. */
#define SLUICE_SET_ROWS                                                                            \
  (SLUICE_SET_SIGNED | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_UINT16)                      \
   | SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))

/* Input pixels that an output pixel mixes along one axis, and their weights. */
typedef struct
{
  gint64 index[4];
  float weight[4];
} SluiceTaps;

/* A part of an axis: pixels start to end, the first and the last of them with weights. */
typedef struct
{
  gint64 start, end;
  float first, last;
} SluicePixelSpan;

/* The columns of a row; where taps are outside of the picture index[0] is -1. */
typedef struct
{
  const void *columns; /* SluiceTaps or SluicePixelSpan */
  gint64 n;
  gint64 channels;
  gint64 limit; /* columns of the input; spans are clamped to them */
} SluiceRowPlan;

/* top + (bottom - top) · y, each of them left + (right - left) · weight[1]. */
void sluice_row_blend (SluiceDType dtype,
                       const void *top,
                       const void *bottom,
                       float y,
                       const SluiceRowPlan *plan,
                       float outside,
                       float *out);
/* The pixels index[0]. */
void sluice_row_pick (
    SluiceDType dtype, const void *row, const SluiceRowPlan *plan, float outside, float *out);
/* Four rows, four columns. */
void sluice_row_cubic (SluiceDType dtype,
                       const void *const rows[4],
                       const float y[4],
                       const SluiceRowPlan *plan,
                       float *out);
/* Adds y times the sums over the spans. */
void sluice_row_add_spans (
    SluiceDType dtype, const void *row, float y, const SluiceRowPlan *plan, float *out);
