/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * Special functions that libm lacks, in double. Relative errors are about 1e-14 where the result is
 * not near a zero of the function. Outside the domain they give NaN and at poles what TensorFlow
 * gives. DLMF: NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
 */

double sluice_lgamma (double x); /* libm's, without its global variable */
double sluice_digamma (double x);

/* The regularised incomplete gamma functions P (a, x) and Q = 1 - P; dP/da. */
double sluice_igamma (double a, double x);
double sluice_igammac (double a, double x);
double sluice_igamma_grad_a (double a, double x);

/* The regularised incomplete beta function I_x (a, b). */
double sluice_betainc (double a, double b, double x);

/* Σ (k + q)^-s, k = 0, 1, … */
double sluice_zeta (double s, double q);

/* Derivative n of digamma; n is a whole number from 0. */
double sluice_polygamma (double n, double x);
