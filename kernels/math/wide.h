/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "kernels/math/scalar-complex.h"

/*
 * Reference kernels compute in the widest type of a kind: double, int64, uint64, complex128. These
 * move one element there and back; integers wrap, floats round to nearest even.
 */
typedef union
{
  double f64;
  gint64 i64;
  guint64 u64;
  SluiceComplex128 c128;
  guint8 b8;
} SluiceWide;

/* The wide type of a dtype: DOUBLE, INT64, UINT64, COMPLEX128 or BOOL; else INVALID. */
SluiceDType sluice_wide_dtype (SluiceDType dtype);
SluiceWide sluice_wide_load (SluiceDType dtype, const void *data, gint64 i);
void sluice_wide_store (SluiceDType dtype, void *data, gint64 i, SluiceWide value);
/* A whole number as the wide type of a dtype. */
SluiceWide sluice_wide_of_number (SluiceDType dtype, gint64 number);
