/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/event.h"
#include "engine/train/flight-file.h"

/* What happened to a run, beside the name of its kind, in the user's language. (transfer full)
 * (nullable): the kind says it all */
char *sluice_event_words (const SluiceEvent *event);
/* Why what ran in some steps was kept: (transfer full) */
char *sluice_flight_words (const SluiceFlight *flight);
