/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/*
 * A sweep: trials of one project that differ in some settings. What the trials are follows from the
 * text of the sweep, its method and its seed alone.
 */

#define SLUICE_SWEEP_MAX_TRIALS 10000

/* The values of one setting: those that are listed, or those of a range. */
typedef struct
{
  char *key;
  GPtrArray *values; /* of char *: of a list */
  double low, high;  /* of a range, where values is empty */
  guint n;           /* points of the range, both bounds among them; 0: any between */
  gboolean is_log;   /* equal factors from point to point, not equal distances */
  gboolean is_whole; /* only whole numbers are values of the setting */
} SluiceSweepAxis;

/**
 * sluice_sweep_axis_parse:
 * @text: "KEY=a,b,c", "KEY=LOW..HIGH", "KEY=LOW..HIGH/N", either with ":log" behind
 *
 * What begins with a number and ".." is a range. A list has each value once.
 *
 * Returns: (transfer full) (nullable): %NULL with INVALID_ARGUMENT, which shows the place
 */
SluiceSweepAxis *sluice_sweep_axis_parse (const char *text, GError **error);
void sluice_sweep_axis_free (SluiceSweepAxis *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSweepAxis, sluice_sweep_axis_free)

/* Are the values such as the setting takes? scratch: a project of the sweep, which is changed.
 * NOT_FOUND names the nearest setting. Finds out whether only whole numbers are. */
gboolean sluice_sweep_axis_check (SluiceSweepAxis *self, SluiceProject *scratch, GError **error);

/* Of a grid; 0: a range without a number of points has none. */
guint64 sluice_sweep_axis_count (const SluiceSweepAxis *self);
/* i below the count. (transfer full) */
char *sluice_sweep_axis_dup_value (const SluiceSweepAxis *self, guint64 i);
/* A point of the grid, a value of the list, or any of the range. (transfer full) */
char *sluice_sweep_axis_draw (const SluiceSweepAxis *self, guint64 *stream);

typedef enum
{
  SLUICE_SWEEP_GRID,
  SLUICE_SWEEP_RANDOM,
} SluiceSweepMethod;

typedef struct
{
  SluiceSweepMethod method;
  guint n_trials; /* 0: of a grid all of them */
  guint64 seed;
} SluiceSweepPlan;

/**
 * sluice_sweep_dup_trials:
 * @axes: (element-type SluiceSweepAxis)
 *
 * Of a grid the last setting changes first; where fewer trials are asked for than it has, as many
 * different ones by lot.
 *
 * Returns: (transfer full) (nullable) (element-type GStrv): of each trial its KEY=VALUE in order of
 * the axes; INVALID_ARGUMENT where a grid has more than SLUICE_SWEEP_MAX_TRIALS and nobody said how
 * many, a setting has no grid, or a random sweep no number
 */
GPtrArray *sluice_sweep_dup_trials (GPtrArray *axes, const SluiceSweepPlan *plan, GError **error);
