/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/ticks.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define MINUS "\xe2\x88\x92"
/* Between a number and its unit, so that a label is never broken there. */
#define UNIT_SPACE "\xe2\x80\xaf"
#define MOST_WHOLE 1e15 /* whole numbers up to here are written out */

double
sluice_nice_step (double range, guint target)
{
  double raw = range / MAX (target, 1);
  double decade = pow (10, floor (log10 (raw)));
  double m = raw / decade;

  /* The limits are the geometric means of neighbours: the count comes out nearest to the target. */
  if (m < 1.41)
    return decade;
  if (m < 2.24)
    return 2 * decade;
  if (m < 3.54)
    return 2.5 * decade;
  if (m < 7.07)
    return 5 * decade;
  return 10 * decade;
}

static double
nice_time_step (double range, guint target)
{
  static const double steps[] = { 1,   2,   5,    10,   15,   30,    60,    120,   300,
                                  600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
  double raw = range / MAX (target, 1);
  const double day = 86400;

  if (raw < 1)
    return sluice_nice_step (range, target);
  for (guint i = 0; i + 1 < G_N_ELEMENTS (steps); i++)
    if (raw < sqrt (steps[i] * steps[i + 1]))
      return steps[i];
  return MAX (day, sluice_nice_step (range / day, target) * day);
}

static void
linear_ticks (SluiceTicks *ticks, double lo, double hi, double step, double offset)
{
  double first = ceil ((lo + offset) / step - 1e-9);
  double last = floor ((hi + offset) / step + 1e-9);

  ticks->step = step;
  for (double k = first; k <= last && ticks->n < SLUICE_TICKS_MAX; k++)
    {
      double v = k * step - offset;

      ticks->values[ticks->n++] = CLAMP (v, lo, hi);
      if (k + 1 == k) /* the range is beyond the precision of a double */
        break;
    }
}

static void
log_ticks (SluiceTicks *ticks, double lo, double hi, guint target)
{
  static const double mantissas[] = { 1, 2, 5 };
  double decades = log10 (hi) - log10 (lo);
  int first = (int) floor (log10 (lo));
  int last = (int) ceil (log10 (hi));
  gboolean dense = decades < target / 2.0;
  int every = MAX (1, (int) ceil (decades / MAX (target, 1)));

  if (decades < 0.7) /* less than 1, 2, 5 can cut: an ordinary axis reads better */
    {
      linear_ticks (ticks, lo, hi, sluice_nice_step (hi - lo, target), 0);
      return;
    }
  ticks->step = dense ? 0 : every;
  for (int e = first; e <= last; e++)
    for (guint m = 0; m < (dense ? G_N_ELEMENTS (mantissas) : 1); m++)
      {
        double v = mantissas[m] * pow (10, e);

        if (v >= lo * (1 - 1e-12) && v <= hi * (1 + 1e-12) && (dense || e % every == 0)
            && ticks->n < SLUICE_TICKS_MAX)
          ticks->values[ticks->n++] = v;
      }
}

/* The nearest nice step may give a count that is off by two; a neighbour often does better. */
static void
decimal_ticks (SluiceTicks *ticks, double lo, double hi, guint target, double least_step)
{
  const guint targets[] = { target, target + 1, MAX (target, 2) - 1, target };

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      double step = sluice_nice_step (hi - lo, targets[i]);

      /* Between two steps of training there is nothing: 2.5 becomes 2, and 0.5 becomes 1. */
      if (least_step > 0)
        step = MAX (least_step, step == floor (step) ? step : 2 * floor (step / 2));
      ticks->n = 0;
      linear_ticks (ticks, lo, hi, step, 0);
      if (ticks->n + 1 >= target && ticks->n <= target + 1)
        return;
    }
}

/* Local midnight is a round time; UTC's rarely is. */
static double
utc_offset (double time)
{
  g_autoptr (GDateTime) date = NULL;

  if (!(fabs (time) < 1e11))
    return 0;
  date = g_date_time_new_from_unix_local ((gint64) time);
  return date == NULL ? 0 : (double) g_date_time_get_utc_offset (date) / G_TIME_SPAN_SECOND;
}

void
sluice_ticks (SluiceTicks *ticks, double lo, double hi, guint target, SluiceUnit unit, gboolean log)
{
  g_return_if_fail (ticks != NULL);

  ticks->n = 0;
  ticks->step = 0;
  if (!(lo < hi) || !isfinite (hi - lo))
    return;
  target = CLAMP (target, 1, SLUICE_TICKS_MAX / 2);
  if (log)
    log_ticks (ticks, lo, hi, target);
  else if (unit == SLUICE_UNIT_TIME)
    linear_ticks (ticks, lo, hi, nice_time_step (hi - lo, target), utc_offset (lo));
  else if (unit == SLUICE_UNIT_SECONDS)
    linear_ticks (ticks, lo, hi, nice_time_step (hi - lo, target), 0);
  else
    decimal_ticks (ticks, lo, hi, target, unit == SLUICE_UNIT_STEPS ? 1 : 0);
}

char *
sluice_format_fixed (double value, int decimals)
{
  char buffer[400];
  char format[8];

  g_snprintf (format, sizeof format, "%%.%df", CLAMP (decimals, 0, 20));
  g_ascii_formatd (buffer, sizeof buffer, format, value);
  if (buffer[0] == '-' && strspn (buffer + 1, "0.") == strlen (buffer + 1))
    return sluice_group_digits (buffer + 1); /* no minus before a zero */
  return sluice_group_digits (buffer);
}

static char *
format_exponent (double value, int digits)
{
  char buffer[64];
  char format[8];
  char *e;
  int exponent;
  g_autofree char *mantissa = NULL;

  g_snprintf (format, sizeof format, "%%.%de", CLAMP (digits - 1, 0, 16));
  g_ascii_formatd (buffer, sizeof buffer, format, value);
  e = strchr (buffer, 'e');
  exponent = (int) g_ascii_strtoll (e + 1, NULL, 10);
  *e = '\0';
  if (strchr (buffer, '.') != NULL)
    while (buffer[strlen (buffer) - 1] == '0' || buffer[strlen (buffer) - 1] == '.')
      {
        gboolean dot = buffer[strlen (buffer) - 1] == '.';

        buffer[strlen (buffer) - 1] = '\0';
        if (dot)
          break;
      }
  mantissa = sluice_group_digits (buffer);
  return g_strdup_printf ("%se%s%d", mantissa, exponent < 0 ? MINUS : "", ABS (exponent));
}

static int
decimals_of_step (double step)
{
  double v = fabs (step);
  int decimals = 0;

  while (decimals < 15 && fabs (v - round (v)) > 1e-6 * MAX (v, 1e-300))
    {
      v *= 10;
      decimals++;
    }
  return decimals;
}

static char *
format_number_tick (double value, double step)
{
  double magnitude = MAX (fabs (value), step);

  if (value == 0)
    return g_strdup ("0");
  if (step <= 0) /* a logarithmic axis: 1, 2 or 5 times a power of ten */
    return fabs (value) >= 1e-4 && fabs (value) < 1e6
               ? sluice_format_fixed (value, decimals_of_step (value))
               : format_exponent (value, 3);
  if (magnitude >= 1e7 || step < 1e-5)
    {
      int digits = (int) floor (log10 (fabs (value))) - (int) floor (log10 (step)) + 2;

      return format_exponent (value, CLAMP (digits, 1, 15));
    }
  return sluice_format_fixed (value, decimals_of_step (step));
}

static const char *
byte_prefix (double magnitude, double *divisor)
{
  static const char *const prefixes[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
  guint i = 0;

  *divisor = 1;
  while (i + 1 < G_N_ELEMENTS (prefixes) && magnitude >= 1000 * *divisor)
    {
      *divisor *= 1000;
      i++;
    }
  return prefixes[i];
}

static char *
format_bytes (double value, int decimals)
{
  double divisor;
  const char *prefix = byte_prefix (fabs (value), &divisor);
  g_autofree char *number = sluice_format_fixed (value / divisor, divisor == 1 ? 0 : decimals);

  return g_strdup_printf ("%s" UNIT_SPACE "%s", number, prefix);
}

static char *
format_duration (double value, double step)
{
  double s = fabs (value);
  const char *sign = value < 0 ? MINUS : "";
  g_autofree char *number = NULL;

  if (s < 60 || (step > 0 && step < 1))
    {
      number =
          step > 0 ? format_number_tick (value, step) : sluice_format_fixed (value, s < 10 ? 2 : 1);
      return g_strdup_printf (_ ("%s s"), number);
    }
  if (s < 3600)
    {
      int min = (int) (s / 60);
      int sec = (int) (s - 60.0 * min);

      return sec == 0 && step > 0 ? g_strdup_printf (_ ("%s%d min"), sign, min)
                                  : g_strdup_printf (_ ("%s%d min %d s"), sign, min, sec);
    }
  if (s < 86400)
    {
      int h = (int) (s / 3600);
      int min = (int) ((s - 3600.0 * h) / 60);

      return min == 0 && step > 0 ? g_strdup_printf (_ ("%s%d h"), sign, h)
                                  : g_strdup_printf (_ ("%s%d h %d min"), sign, h, min);
    }
  number = sluice_format_fixed (s / 86400, step > 0 && step < 86400 ? 2 : step > 0 ? 0 : 1);
  return g_strdup_printf (_ ("%s%s d"), sign, number);
}

static char *
format_time (double value, double step)
{
  g_autoptr (GDateTime) date = NULL;

  if (!(fabs (value) < 1e11))
    return format_exponent (value, 4);
  date = g_date_time_new_from_unix_local ((gint64) floor (value + 1e-6));
  if (date == NULL)
    return format_exponent (value, 4);
  if (step <= 0)
    return g_date_time_format (date, "%Y-%m-%d %H:%M:%S");
  if (step >= 86400)
    return g_date_time_format (date, "%e %b");
  return g_date_time_format (date, step >= 60 ? "%H:%M" : "%H:%M:%S");
}

char *
sluice_format_tick (double value, double step, SluiceUnit unit)
{
  g_autofree char *number = NULL;

  switch (unit)
    {
    case SLUICE_UNIT_PERCENT:
      number = format_number_tick (value * 100, step * 100);
      return g_strdup_printf ("%s" UNIT_SPACE "%%", number);
    case SLUICE_UNIT_BYTES:
      {
        double divisor;

        byte_prefix (fabs (value), &divisor);
        return format_bytes (value, decimals_of_step (step / divisor));
      }
    case SLUICE_UNIT_SECONDS:
      return format_duration (value, step);
    case SLUICE_UNIT_TIME:
      return format_time (value, step);
    case SLUICE_UNIT_STEPS:
      /* They are counted: "10 000 000" beside "5 000 000". */
      if (step >= 1 && fabs (value) < 1e10)
        return sluice_format_fixed (value, 0);
      return format_number_tick (value, step);
    case SLUICE_UNIT_NONE:
    default:
      return format_number_tick (value, step);
    }
}

/* -1: it is written with an exponent. */
static int
decimals_of_value (double value, int digits)
{
  double magnitude = fabs (value);

  if (magnitude != 0 && (magnitude >= 1e7 || magnitude < 1e-4))
    return -1;
  if (value == floor (value))
    return 0;
  return CLAMP (digits - 1 - (int) floor (log10 (magnitude)), 0, 7);
}

static char *
format_significant (double value, int digits)
{
  int decimals = decimals_of_value (value, digits);

  return decimals < 0 ? format_exponent (value, digits) : sluice_format_fixed (value, decimals);
}

char *
sluice_format_value (double value, SluiceUnit unit)
{
  g_autofree char *number = NULL;

  if (isnan (value))
    return g_strdup ("NaN");
  if (isinf (value))
    return g_strdup (value > 0 ? "∞" : MINUS "∞");
  switch (unit)
    {
    case SLUICE_UNIT_PERCENT:
      number = sluice_format_fixed (value * 100, fabs (value) < 0.1 ? 2 : 1);
      return g_strdup_printf ("%s" UNIT_SPACE "%%", number);
    case SLUICE_UNIT_BYTES:
      return format_bytes (value, fabs (value) < 1e4 ? 0 : 1);
    case SLUICE_UNIT_SECONDS:
      return format_duration (value, 0);
    case SLUICE_UNIT_TIME:
      return format_time (value, 0);
    case SLUICE_UNIT_NONE:
    case SLUICE_UNIT_STEPS:
    default:
      return format_significant (value, 4);
    }
}

char *
sluice_format_spread (double value, double spread, SluiceUnit unit)
{
  g_autofree char *of_value = sluice_format_value (value, unit);
  g_autofree char *of_spread = sluice_format_value (spread, unit);
  int decimals = unit == SLUICE_UNIT_NONE && isfinite (value) && value != floor (value)
                     ? decimals_of_value (value, 4)
                     : -1;

  if (decimals >= 0 && isfinite (spread) && spread >= 0.5 * pow (10, -decimals))
    {
      g_free (of_spread);
      of_spread = sluice_format_fixed (spread, decimals);
    }
  return g_strdup_printf ("%s ± %s", of_value, of_spread);
}

char *
sluice_format_exact (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  /* What is a float has the digits of one: 0.1, not 0.100000001490116. */
  gboolean is_float = (double) (float) value == value;

  if (!isfinite (value))
    return sluice_format_value (value, SLUICE_UNIT_NONE);
  if (value == floor (value) && fabs (value) < MOST_WHOLE)
    return sluice_format_fixed (value, 0);
  int digits = is_float ? 6 : 15;
  for (gboolean again = TRUE; again; digits += again)
    {
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      double back = g_ascii_strtod (g_ascii_formatd (text, sizeof text, format, value), NULL);
      again = is_float ? (float) back != (float) value : back != value;
    }
  return strchr (text, 'e') != NULL ? format_exponent (value, digits) : sluice_group_digits (text);
}
