/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/step/step.h"

/* The driver's work, until there is nothing that it can do, or the step has ended. */
void sluice_executor_drive (SluiceStep *step);

/* Runs nodes until the step has ended. The caller's thread. */
void sluice_executor_run (SluiceStep *step);

/* A thread's part of a step: the caller's until the end, a helper's as long as there is work. */
void sluice_executor_work (SluiceStep *step, gboolean is_caller);
