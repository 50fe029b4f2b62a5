/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <complex.h>
#include <glib.h>

/*
 * The discrete Fourier transform of any length, in double precision: y_k = Σ x_t exp (-2πi kt/n).
 * Mixed radix (Stockham's order) where n has small factors only, else Bluestein's convolution of a
 * power of two.
 */
typedef struct _SluiceFourier SluiceFourier;

/* NULL where there is no memory. n at least 1. */
SluiceFourier *sluice_fourier_new (gint64 n);
void sluice_fourier_free (SluiceFourier *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFourier, sluice_fourier_free)

/* Elements of working memory that a transform wants. */
gint64 sluice_fourier_scratch (const SluiceFourier *self);

/* Transforms x in place; the inverse is not divided by n. */
void sluice_fourier_run (const SluiceFourier *self,
                         double complex *x,
                         gboolean inverse,
                         double complex *scratch);
