/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/theme.h"

#include <cairo.h>

G_BEGIN_DECLS

/* How loud a sound is over its time: least and greatest sample of each of at most a thousand parts,
 * all channels together. */
typedef struct _SluiceWaveform SluiceWaveform;

/**
 * sluice_waveform_new:
 * @clip: a WAVE file of whole numbers of 8 to 32 bits or of floats of 32
 *
 * Returns: (transfer full) (nullable): %NULL where it is none, or holds no sample.
 */
SluiceWaveform *sluice_waveform_new (GBytes *clip);
void sluice_waveform_free (SluiceWaveform *self);

/** sluice_waveform_get_peak: the greatest absolute sample: 1 is as loud as the format can be. */
double sluice_waveform_get_peak (const SluiceWaveform *self);

/** sluice_waveform_draw: over all of the rectangle at the origin. */
void sluice_waveform_draw (
    const SluiceWaveform *self, cairo_t *cr, double width, double height, const SluiceTheme *theme);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWaveform, sluice_waveform_free)

G_END_DECLS
