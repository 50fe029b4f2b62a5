/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/sketch.h"

#include <math.h>
#include <string.h>

#define CLASSES_AN_OCTAVE 16
#define LAST              (SLUICE_SKETCH_CLASSES - 1)
#define LARGEST           (62 * CLASSES_AN_OCTAVE) /* a century */

static int
class_of (double ns)
{
  double size = CLASSES_AN_OCTAVE * log2 (fmax (ns, 1)); /* of NAN, 0 */
  return (int) fmin (floor (size), LARGEST);
}

/* What leaves at one end counts in the class at that end. */
static void
slide (SluiceSketch *self, gint32 first)
{
  guint32 counts[SLUICE_SKETCH_CLASSES] = { 0 };
  for (int i = 0; i <= LAST; i++)
    counts[CLAMP (self->first + i - first, 0, LAST)] += self->counts[i];
  memcpy (self->counts, counts, sizeof counts);
  self->first = first;
}

/* How many would leave, were the window to begin there. */
static guint32
count_outside (const SluiceSketch *self, gint32 first)
{
  guint32 n = 0;
  for (int i = 0; i <= LAST; i++)
    if (self->first + i < first || self->first + i > first + LAST)
      n += self->counts[i];
  return n;
}

/* Moves the window to a class outside, where fewer leave it than are there: those that come, and
 * those that had to count at that end. */
static void
reach (SluiceSketch *self, int class, guint32 times)
{
  gboolean is_above = class > self->first;
  gint32 first = is_above ? class - LAST : class;
  guint32 outermost = self->counts[is_above ? LAST : 0];
  if (count_outside (self, first) < 2 * (guint64) outermost + times)
    slide (self, first);
}

static void
put (SluiceSketch *self, int class, guint32 times)
{
  if (self->weight == 0)
    self->first = class - SLUICE_SKETCH_CLASSES / 2;
  if (class < self->first || class > self->first + LAST)
    reach (self, class, times);
  self->counts[CLAMP (class - self->first, 0, LAST)] += times;
  self->weight += times;
}

static void
halve (SluiceSketch *self)
{
  self->weight = 0;
  for (int i = 0; i <= LAST; i++)
    self->weight += self->counts[i] /= 2;
}

void
sluice_sketch_add_times (SluiceSketch *self, double ns, guint32 times)
{
  if (times == 0)
    return;
  put (self, class_of (ns), MIN (times, SLUICE_SKETCH_MOST / 2));
  self->n += times;
  if (self->weight >= SLUICE_SKETCH_MOST)
    halve (self);
}

void
sluice_sketch_add (SluiceSketch *self, double ns)
{
  sluice_sketch_add_times (self, ns, 1);
}

/* The heaviest class first: the window then stands where most of the samples are. */
void
sluice_sketch_merge (SluiceSketch *self, const SluiceSketch *other)
{
  guint heaviest = 0;
  guint64 n = self->n + other->n;
  if (other->weight == 0)
    return;
  for (guint i = 1; i <= LAST; i++)
    if (other->counts[i] > other->counts[heaviest])
      heaviest = i;
  put (self, other->first + (int) heaviest, other->counts[heaviest]);
  for (guint i = 0; i <= LAST; i++)
    if (i != heaviest && other->counts[i] > 0)
      put (self, other->first + (int) i, other->counts[i]);
  self->n = n;
  while (self->weight >= SLUICE_SKETCH_MOST)
    halve (self);
}

double
sluice_sketch_get (const SluiceSketch *self, double part)
{
  double rest = part * self->weight;
  int last = 0;
  if (self->weight == 0)
    return NAN;
  for (int i = 0; i <= LAST; i++)
    {
      if (self->counts[i] == 0)
        continue;
      last = i;
      if (rest <= self->counts[i])
        break;
      rest -= self->counts[i];
    }
  double within = CLAMP (rest / self->counts[last], 0, 1);
  return exp2 ((self->first + last + within) / CLASSES_AN_OCTAVE);
}

double
sluice_sketch_get_mean (const SluiceSketch *self, double part)
{
  double rest = part * self->weight, sum = 0, weight = 0;
  for (int i = 0; i <= LAST && rest > 0; i++)
    {
      double n = fmin (self->counts[i], rest);
      sum += n * exp2 ((self->first + i + 0.5) / CLASSES_AN_OCTAVE);
      weight += n;
      rest -= n;
    }
  return weight > 0 ? sum / weight : NAN;
}
