/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/sent.h"
#include "engine/runtime/plan/plan.h"

/**
 * sluice_plan_send_feeds:
 * @feeds: (array length=n_feeds) (nullable elements): nothing is sent of those that are %NULL
 * @sent: of sluice_sent_new()
 * @needs_now: the devices' queues go on once the values are there
 *
 * Copies what is fed to the devices that read it in memory of their own, beside what they compute.
 */
void sluice_plan_send_feeds (const SluicePlan *plan,
                             SluiceDevice *const *devices,
                             SluiceTensor *const *feeds,
                             GArray *sent,
                             gboolean needs_now);
