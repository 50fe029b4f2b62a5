/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Which time a width shows. Times are nanoseconds; an hour and a nanosecond are both within reach,
 * so that places are differences to the begin, never times as doubles.
 */
typedef struct
{
  gint64 from, to; /* from < to */
  double x0, x1;   /* pixels */
} SluiceTimeAxis;

#define SLUICE_TIME_LEAST 20 /* nanoseconds that an axis shows at least */

double sluice_time_axis_to_x (const SluiceTimeAxis *self, gint64 time);
gint64 sluice_time_axis_to_time (const SluiceTimeAxis *self, double x);
/* Nanoseconds a pixel, of which there may be many: at least 1. */
gint64 sluice_time_axis_get_grain (const SluiceTimeAxis *self, double pixels);

/* What lies at @x stays there; @factor: of the time that is shown. All of it stays within [begin,
 * end]. */
void
sluice_time_axis_zoom (SluiceTimeAxis *self, double x, double factor, gint64 begin, gint64 end);
void sluice_time_axis_pan (SluiceTimeAxis *self, double pixels, gint64 begin, gint64 end);
/* That time, as far as it lies within [begin, end]. */
void sluice_time_axis_fit (SluiceTimeAxis *self, gint64 from, gint64 to, gint64 begin, gint64 end);
/* The same time, moved so that @from to @to is in it, as little as that takes. */
void
sluice_time_axis_reveal (SluiceTimeAxis *self, gint64 from, gint64 to, gint64 begin, gint64 end);

#define SLUICE_TIME_TICKS 24

typedef struct
{
  guint n;
  gint64 step;
  gint64 values[SLUICE_TIME_TICKS];
} SluiceTimeTicks;

/* About @target round times within [lo, hi], counted from @zero. */
void sluice_time_ticks (SluiceTimeTicks *ticks, gint64 lo, gint64 hi, gint64 zero, guint target);

/* "1.4 ms", "20 µs", "1 h 20 min": of a tick, by the distance of two and by how much is shown.
 * (transfer full) */
char *sluice_time_format_tick (gint64 time, gint64 step, gint64 shown);

G_END_DECLS
