/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Spectra of stretches of sound. */
#define SLUICE_LARGEST_WINDOW ((gint64) 1 << 30)

/* The power of two that a window is padded to. */
static inline gint64
sluice_spectrum_length (gint64 window)
{
  gint64 length = 1;
  while (length < window)
    length *= 2;
  return length;
}

/* Windows that fit, `stride` after each other. */
static inline gint64
sluice_spectrum_count (gint64 samples, gint64 window, gint64 stride)
{
  return samples < window ? 0 : 1 + (samples - window) / stride;
}
