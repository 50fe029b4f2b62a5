/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/event.h"

/* What happened to a run, beside the name of its kind, in the user's language. (transfer full)
 * (nullable): the kind says it all */
char *sluice_event_words (const SluiceEvent *event);
