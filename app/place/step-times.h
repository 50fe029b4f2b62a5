/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/* How long the steps took that a session has traced last. */
typedef struct
{
  guint n;           /* 0: it has traced none that is whole */
  double us;         /* the median */
  double plus_minus; /* nine of ten lie within; INFINITY: of too few */
} SluiceStepTimes;

/* steps: (element-type SluiceTraceStep), of which the last may be under way */
SluiceStepTimes sluice_step_times_sum_up (const GArray *steps);
/* On another thread; the session is the source of the result. */
void sluice_step_times_begin (SluiceSession *session, GAsyncReadyCallback done, gpointer data);
SluiceStepTimes sluice_step_times_finish (GAsyncResult *result);
