/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/passes.h"
#include "engine/runtime/step/step.h"

/* Gives the plan of a partial run what is fed and fetched. needs: of the work graph, copied. */
void sluice_plan_set_partial_run (SluicePlan *plan,
                                  const SluiceSignature *signature,
                                  const guint8 *needs);

/* Of the nodes that bring a feed into a partial run, and that take a fetch out of it. */
extern const SluiceKernel sluice_partial_run_feed_kernel, sluice_partial_run_fetch_kernel;

/* After the end of the step. */
typedef void (*SluicePartialRunEnd) (GObject *session, SluiceStep *step, gpointer data);

/**
 * sluice_partial_run_begin:
 * @session: held until the end
 * @step: of the plan of a partial run; handed to @end, also where this fails
 * @cancellable: (nullable)
 *
 * Starts the step on a thread of its own.
 *
 * Returns: (transfer full) (nullable): or RESOURCE_EXHAUSTED: there is no thread for it
 */
SluicePartialRun *sluice_partial_run_begin (GObject *session,
                                            SluiceStep *step,
                                            const SluiceStepEnv *env,
                                            GCancellable *cancellable,
                                            SluicePartialRunEnd end,
                                            gpointer data,
                                            GError **error);
