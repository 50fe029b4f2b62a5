/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/chart-choice.h"

#include <string.h>

static const char *const mode_names[SLUICE_N_SEEDS_MODES] = { "each", "deviation", "range" };

const char *
sluice_seeds_mode_get_name (SluiceSeedsMode mode)
{
  return mode_names[mode];
}

SluiceSeedsMode
sluice_seeds_mode_from_name (const char *name)
{
  for (SluiceSeedsMode mode = 0; mode < SLUICE_N_SEEDS_MODES; mode++)
    if (g_strcmp0 (name, mode_names[mode]) == 0)
      return mode;
  return SLUICE_SEEDS_EACH;
}

void
sluice_chart_choice_clear (SluiceChartChoice *self)
{
  g_clear_pointer (&self->x_tag, g_free);
  g_clear_pointer (&self->groups, g_ptr_array_unref);
}

gboolean
sluice_chart_choice_update (const SluiceChartChoice *self,
                            GListModel *runs,
                            SluiceXAxis axis,
                            GPtrArray **groups)
{
  gboolean can = axis == SLUICE_X_STEP || axis == SLUICE_X_RELATIVE;
  *groups = can && self->seeds != SLUICE_SEEDS_EACH ? sluice_seed_groups_new (runs, FALSE) : NULL;
  if (!sluice_seed_groups_equal (self->groups, *groups))
    return TRUE;
  g_clear_pointer (groups, g_ptr_array_unref);
  return FALSE;
}

void
sluice_chart_choice_want_axis (const SluiceChartChoice *self, SluiceWorkspace *workspace)
{
  GListModel *runs = sluice_workspace_get_runs (workspace);
  for (guint i = 0; self->x_tag != NULL && i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      SluiceRunSeries *series = sluice_run_find_series (run, self->x_tag);
      if (series != NULL && sluice_run_get_shown (run))
        sluice_workspace_want (workspace, series, TRUE);
    }
}
