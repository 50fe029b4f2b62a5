/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* How far the elements of one tensor are from those of another of its dtype and shape. */
typedef struct
{
  gint64 n_differ;         /* elements with other bits; any NaN is like any other */
  gint64 n_beyond;         /* elements further away than the tolerance */
  gint64 first_beyond;     /* -1: none */
  gint64 n_nan;            /* NaN in one of both only */
  gint64 n_infinite;       /* infinite in one of both only, or of another sign */
  double max_abs, max_rel; /* of finite numbers, of complex ones the modulus. Relative to what is
                              wanted: infinite where that is 0 */
  guint64 max_ulp;         /* of floating and complex dtypes: how many representable values from one
                              finite number to the other; of complex ones in the worse part */
} SluiceDifference;

/* An element as a number: exact for every dtype but strings, handles and variants. */
typedef struct
{
  long double re, im;
} SluiceNumber;
SluiceNumber sluice_tensor_get_number (const SluiceTensor *self, gint64 i);
/* With as many digits as tell any two apart; bytes that are no text as \\377. (transfer full) */
char *sluice_tensor_dup_element (const SluiceTensor *self, gint64 i);

/* Other dtype or shape, in words; NULL: both are the same. (transfer full) (nullable) */
char *sluice_tensor_dup_mismatch (const SluiceTensor *got, const SluiceTensor *want);

/**
 * sluice_tensor_find_difference:
 * @got: of the dtype and shape of @want
 *
 * An element is beyond the tolerance unless |got - want| <= atol + rtol |want|; NaN equals NaN, an
 * infinity only itself. With both tolerances 0, and of strings always, those that differ are.
 */
void sluice_tensor_find_difference (const SluiceTensor *got,
                                    const SluiceTensor *want,
                                    double rtol,
                                    double atol,
                                    SluiceDifference *difference);

/**
 * sluice_tensor_get_tolerance:
 * @rtol, @atol: (out): of sluice_tensor_find_difference()
 *
 * How far apart two right programs may be: half 1e-3, bfloat16 1e-2, float 1e-5, double 1e-9, of
 * an element or of the largest finite one, for a sum may come to nearly nothing and is as exact as
 * what was summed. What is no floating number is the same or it is not: 0.
 */
void sluice_tensor_get_tolerance (const SluiceTensor *want, double *rtol, double *atol);
