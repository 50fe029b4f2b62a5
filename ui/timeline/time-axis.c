/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/time-axis.h"

#include <math.h>

#include "ui/chart/ticks.h"

double
sluice_time_axis_to_x (const SluiceTimeAxis *self, gint64 time)
{
  double share = (double) (time - self->from) / (double) (self->to - self->from);

  return self->x0 + share * (self->x1 - self->x0);
}

gint64
sluice_time_axis_to_time (const SluiceTimeAxis *self, double x)
{
  double share = (x - self->x0) / MAX (self->x1 - self->x0, 1);

  return self->from + (gint64) llround (share * (double) (self->to - self->from));
}

gint64
sluice_time_axis_get_grain (const SluiceTimeAxis *self, double pixels)
{
  double width = MAX (self->x1 - self->x0, 1);

  return MAX (1, (gint64) llround ((double) (self->to - self->from) / width * pixels));
}

/* @length from @from on, moved into [begin, end], which it does not exceed. */
static void
place (SluiceTimeAxis *self, gint64 from, gint64 length, gint64 begin, gint64 end)
{
  length = CLAMP (length, SLUICE_TIME_LEAST, MAX (end - begin, SLUICE_TIME_LEAST));
  from = MIN (from, end - length);
  self->from = MAX (from, begin);
  self->to = self->from + length;
}

void
sluice_time_axis_zoom (SluiceTimeAxis *self, double x, double factor, gint64 begin, gint64 end)
{
  double share = CLAMP ((x - self->x0) / MAX (self->x1 - self->x0, 1), 0, 1);
  double before = (double) (self->to - self->from);
  double most = (double) MAX (end - begin, SLUICE_TIME_LEAST);
  double length = CLAMP (before * factor, SLUICE_TIME_LEAST, most);
  gint64 from = self->from + (gint64) llround (share * (before - length));

  place (self, from, (gint64) llround (length), begin, end);
}

void
sluice_time_axis_pan (SluiceTimeAxis *self, double pixels, gint64 begin, gint64 end)
{
  gint64 length = self->to - self->from;
  double by = pixels / MAX (self->x1 - self->x0, 1) * (double) length;

  place (self, self->from + (gint64) llround (by), length, begin, end);
}

void
sluice_time_axis_fit (SluiceTimeAxis *self, gint64 from, gint64 to, gint64 begin, gint64 end)
{
  place (self, from, to - from, begin, end);
}

void
sluice_time_axis_reveal (SluiceTimeAxis *self, gint64 from, gint64 to, gint64 begin, gint64 end)
{
  gint64 length = self->to - self->from;

  if (to - from >= length)
    place (self, from - (length - (to - from)) / 2, length, begin, end);
  else if (from < self->from)
    place (self, from, length, begin, end);
  else if (to > self->to)
    place (self, to - length, length, begin, end);
}

/* ---- ticks ---- */

#define SECOND (G_USEC_PER_SEC * G_GINT64_CONSTANT (1000))
#define DAY    (86400 * SECOND)

/* 1, 2 or 5 times a power of ten of @unit; the first one from @least on that is below @most. */
static gint64
find_round (gint64 unit, double least, gint64 most)
{
  static const int factors[] = { 1, 2, 5 };

  for (gint64 ten = unit; ten < most; ten *= 10)
    for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
      if ((double) ten * factors[i] >= least)
        return ten * factors[i];
  return 0;
}

/* Between a second and days, what divides minutes, hours and days. */
static gint64
find_step (double least)
{
  static const gint64 seconds[] = { 1,   2,   5,    10,   15,   30,    60,    120,   300,
                                    600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
  gint64 step = find_round (1, least, SECOND);

  for (guint i = 0; i < G_N_ELEMENTS (seconds) && step == 0; i++)
    if ((double) (seconds[i] * SECOND) >= least)
      step = seconds[i] * SECOND;
  return step != 0 ? step : MAX (find_round (DAY, least, G_MAXINT64 / 100), DAY);
}

void
sluice_time_ticks (SluiceTimeTicks *ticks, gint64 lo, gint64 hi, gint64 zero, guint target)
{
  target = CLAMP (target, 1, SLUICE_TIME_TICKS / 2);
  ticks->n = 0;
  ticks->step = find_step ((double) (hi - lo) / target);
  gint64 first = (lo - zero) / ticks->step * ticks->step;

  if (first < lo - zero)
    first += ticks->step;
  for (gint64 at = first; at <= hi - zero && ticks->n < SLUICE_TIME_TICKS; at += ticks->step)
    ticks->values[ticks->n++] = zero + at;
}

char *
sluice_time_format_tick (gint64 time, gint64 step, gint64 shown)
{
  static const struct
  {
    gint64 ns;
    const char *name;
  } units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
  guint i = 0;

  if (step >= 60 * units[0].ns)
    return sluice_format_tick ((double) time / 1e9, (double) step / 1e9, SLUICE_UNIT_SECONDS);
  while (i + 1 < G_N_ELEMENTS (units) && MAX (shown, step) < units[i].ns)
    i++;
  int decimals = 0;
  for (gint64 left = units[i].ns; left > step; left /= 10)
    decimals++;
  g_autofree char *number = sluice_format_fixed ((double) time / (double) units[i].ns, decimals);
  return g_strdup_printf ("%s\u202f%s", number, units[i].name);
}
