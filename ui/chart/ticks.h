/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/number.h"

G_BEGIN_DECLS

#define SLUICE_TICKS_MAX 16

typedef enum
{
  SLUICE_UNIT_NONE,
  SLUICE_UNIT_PERCENT, /* 1.0 reads "100 %" */
  SLUICE_UNIT_BYTES,   /* powers of 1000: "38 MB" */
  SLUICE_UNIT_SECONDS, /* a length of time: "1 h 20 min" */
  SLUICE_UNIT_TIME,    /* seconds since 1970, shown in local time */
  SLUICE_UNIT_STEPS,   /* whole numbers: no tick between two */
} SluiceUnit;

typedef struct
{
  guint n;
  double step; /* distance of two ticks; for a log axis the distance in decades, or 0 */
  double values[SLUICE_TICKS_MAX];
} SluiceTicks;

/**
 * sluice_ticks:
 * @ticks: (out): the ticks, ascending, all inside [@lo, @hi]
 * @lo: low end of the axis
 * @hi: high end; @lo < @hi
 * @target: how many are wanted; a linear axis with room gets 4 to 6 for 5
 * @unit: decides what is round: decimal, powers of 1024 never, minutes and hours for time
 * @log: a logarithmic axis: powers of ten, or 1, 2, 5 within few decades
 */
void sluice_ticks (
    SluiceTicks *ticks, double lo, double hi, guint target, SluiceUnit unit, gboolean log);

/** sluice_nice_step: 1, 2, 2.5 or 5 times a power of ten that cuts @range into about @target. */
double sluice_nice_step (double range, guint target);

/**
 * sluice_format_tick:
 * @value: a tick's value
 * @step: distance to the next one: decides how many decimals are needed; 0 when unknown
 * @unit: what it measures
 *
 * Returns: (transfer full): the label: thin spaces between thousands, a true minus sign.
 */
char *sluice_format_tick (double value, double step, SluiceUnit unit);

/**
 * sluice_format_value:
 * @value: any double; NaN and infinities have words of their own
 * @unit: what it measures
 *
 * Returns: (transfer full): about four significant digits: what a read-out shows.
 */
char *sluice_format_value (double value, SluiceUnit unit);

/**
 * sluice_format_spread:
 * @spread: how far around @value it may be, or is
 *
 * Returns: (transfer full): "0.2422 ± 0.0354": both with the decimals of the first; with more of
 * its own where it would be 0 with these
 */
char *sluice_format_spread (double value, double spread, SluiceUnit unit);

/**
 * sluice_format_exact:
 *
 * Returns: (transfer full): as somebody has written a number: all of its digits, but no more than
 *   bring it back, whole numbers without an exponent
 */
char *sluice_format_exact (double value);

/**
 * sluice_format_fixed:
 * @decimals: how many follow the locale's decimal sign
 *
 * What every number that people read is written by. Files have their own, in the C locale.
 *
 * Returns: (transfer full): thin spaces between thousands, a true minus sign, none before a zero
 */
char *sluice_format_fixed (double value, int decimals);

G_END_DECLS
