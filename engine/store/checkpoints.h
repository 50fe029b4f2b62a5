/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* What becomes of a run's checkpoints; sluice_store_read_checkpoints() lists them. */

/* A pinned checkpoint is never removed to make room. It is an event of its step, "pin". NOT_FOUND:
 * there is none of that step. */
gboolean sluice_store_pin_checkpoint (
    SluiceStore *self, gint64 run, gint64 step, gboolean pinned, GError **error);
