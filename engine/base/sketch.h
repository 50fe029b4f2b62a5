/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Quantiles of a stream of times in a fixed number of bytes: counts by size, in classes each of
 * which is 1/16 octave wide, so that a quantile is off by 2.2 % at the most. Two of them add up to
 * what one of both streams would be. A plain value; all zero is the empty one.
 *
 * It holds 64 classes, four octaves. What lies outside counts in the outermost class, and the
 * window follows where most of the samples are: a few that were disturbed move no quantile.
 */
#define SLUICE_SKETCH_CLASSES 64
/* Whoever has so many halves them: what was measured lately weighs more than what was before. */
#define SLUICE_SKETCH_MOST 65536

typedef struct
{
  gint32 first;   /* class of counts[0] */
  guint32 weight; /* sum of the counts */
  guint64 n;      /* samples there ever were */
  guint32 counts[SLUICE_SKETCH_CLASSES];
} SluiceSketch;

/* ns: what is under 1 counts as 1 */
void sluice_sketch_add (SluiceSketch *self, double ns);
/* times samples of the same size. */
void sluice_sketch_add_times (SluiceSketch *self, double ns, guint32 times);
void sluice_sketch_merge (SluiceSketch *self, const SluiceSketch *other);
/* part: 0.5 is the median. NAN: there are no samples */
double sluice_sketch_get (const SluiceSketch *self, double part);
/* Mean of all but the largest of them, of which there are 1 - part: what sums of many are made of.
 * NAN: there are no samples */
double sluice_sketch_get_mean (const SluiceSketch *self, double part);
