/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/runs/run-set.h"
#include "app/runs/seed-groups.h"
#include "ui/chart/mean-source.h"

/* How runs that differ by their seed alone are drawn. */
typedef enum
{
  SLUICE_SEEDS_EACH,
  SLUICE_SEEDS_DEVIATION, /* their mean, and one standard deviation round it */
  SLUICE_SEEDS_RANGE,     /* their mean, and all that lies between the least and the greatest */
  SLUICE_N_SEEDS_MODES
} SluiceSeedsMode;
const char *sluice_seeds_mode_get_name (SluiceSeedsMode mode);  /* "each", "deviation", "range" */
SluiceSeedsMode sluice_seeds_mode_from_name (const char *name); /* of another name: EACH */

/* What somebody has chosen for all charts of a page. */
typedef struct
{
  char *x_tag; /* (nullable): whose values are the horizontal axis */
  SluiceSeedsMode seeds;
  gboolean front_leads; /* the run in front decides what the axes show */
  GPtrArray *groups;    /* (nullable) (element-type SluiceSeedGroup): what is drawn as a mean */
} SluiceChartChoice;

void sluice_chart_choice_clear (SluiceChartChoice *self);

/**
 * sluice_chart_choice_update:
 * @groups: (out) (optional) (nullable) (transfer full): what @groups of the choice has to become
 *
 * Looks which runs are a group now. Only steps and the time since their begin can be compared
 * between runs. Returns: %FALSE where nothing changes.
 */
gboolean sluice_chart_choice_update (const SluiceChartChoice *self,
                                     GListModel *runs,
                                     SluiceXAxis axis,
                                     GPtrArray **groups);

/* The values that are the axis are read, of all runs that are shown. */
void sluice_chart_choice_want_axis (const SluiceChartChoice *self, SluiceWorkspace *workspace);
