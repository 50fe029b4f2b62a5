/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/passes.h"
#include "engine/runtime/step/step.h"

/* Gives the plan of a run in parts what is fed and fetched. needs: of the work graph, copied. */
void
sluice_plan_set_parts (SluicePlan *plan, const SluiceSignature *signature, const guint8 *needs);

/* Of the nodes that bring a feed into a run in parts, and that take a fetch out of it. */
extern const SluiceKernel sluice_parts_feed_kernel, sluice_parts_fetch_kernel;

/* After the end of the step. */
typedef void (*SluicePartsEnd) (GObject *session, SluiceStep *step, gpointer data);

/**
 * sluice_parts_begin:
 * @session: held until the end
 * @step: of a plan in parts; handed to @end, also where this fails
 * @cancellable: (nullable)
 *
 * Starts the step on a thread of its own.
 *
 * Returns: (transfer full) (nullable): or RESOURCE_EXHAUSTED: there is no thread for it
 */
SluicePartialRun *sluice_parts_begin (GObject *session,
                                      SluiceStep *step,
                                      const SluiceStepEnv *env,
                                      GCancellable *cancellable,
                                      SluicePartsEnd end,
                                      gpointer data,
                                      GError **error);
