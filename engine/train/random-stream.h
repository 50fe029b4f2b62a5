/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* splitmix64 (Steele, Lea, Flood 2014): a well-mixed stream from any seed, the same on every
 * machine. */
guint64 sluice_random_stream_next (guint64 *state);
/* 0 to n-1, each as likely as the others but for less than n / 2^64. */
guint64 sluice_random_stream_below (guint64 *state, guint64 n);
/* [0, 1), in steps of 2^-53. */
double sluice_random_stream_unit (guint64 *state);
