/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind.h"

/* Rows of SluicePrCurve.values, as TensorBoard's plugin orders them. */
enum
{
  SLUICE_PR_TRUE_POSITIVES,
  SLUICE_PR_FALSE_POSITIVES,
  SLUICE_PR_TRUE_NEGATIVES,
  SLUICE_PR_FALSE_NEGATIVES,
  SLUICE_PR_PRECISION,
  SLUICE_PR_RECALL,
  SLUICE_PR_ROWS,
};

/* Precision and recall over thresholds that are even from 0 to 1. */
typedef struct
{
  SluiceRecord base;
  guint n;        /* thresholds */
  double *values; /* [SLUICE_PR_ROWS, n] */
} SluicePrCurve;

/* (transfer full): values are copied. */
SluicePrCurve *sluice_pr_curve_new (gint64 step, double wall, const double *values, guint n);
