/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A step within so many bytes a device. The simulator decides what is made again behind the peak
 * and what leaves for the host's memory (engine/cost/fit.h), when all is fused: what is within a
 * region is in no memory. Each device then keeps to the order that this was found for, or nobody
 * would know what lies in memory together: a node waits for the one before it. Kernels are as many
 * threads wide as ever.
 */
#include "engine/passes/fit.h"

#include <glib/gi18n-lib.h>

#include "engine/passes/pass.h"

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  g_autoptr (SluiceFitStudy) study = sluice_fit_study_new (
      work, FALSE, &(SluiceFitSizes){ .sized = options->sized, .dim = options->dim });
  guint n = sluice_fit_study_get_n_devices (study);
  g_autofree double *limits = g_new0 (double, n + 1);
  for (guint d = 0; d < n; d++)
    limits[d] = options->fit;
  g_autoptr (SluiceFit) fit = sluice_fit_study_run (study, limits);
  g_clear_pointer (&work->fit, sluice_fit_report_free);
  work->fit = sluice_fit_study_report (study, fit, limits);
  sluice_fit_study_apply (study, fit);
  return TRUE;
}

const SluicePass sluice_pass_fit = {
  .name = "fit",
  .summary = N_ ("What makes the step fit into a number of bytes, in an order that is kept to"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT | SLUICE_PASS_FIT,
  .requires = SLUICE_FACT_SCHEDULED | SLUICE_FACT_FRAMED,
  .run = run,
};
