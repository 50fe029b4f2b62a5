/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * Elements of lists that may leave the memory of a device with a limit: what a loop by functions
 * keeps for its gradient lies in a list, as what the older loops keep lies on a stack. One value
 * may be in several lists. Counted; any thread.
 */
typedef struct _SluiceAway SluiceAway;

/* (nullable): the device keeps all in memory, or the value is not worth the way, or there is no
 * memory for a header. (transfer none) value */
SluiceAway *sluice_away_new (SluiceKernelCall *call, SluiceTensor *value);
SluiceAway *sluice_away_ref (SluiceAway *self);
void sluice_away_unref (SluiceAway *self);

/* The value, for which this waits. (transfer full) (nullable): call->error is set */
SluiceTensor *sluice_away_get (SluiceAway *self, SluiceKernelCall *call);

/* Does nobody else hold it? */
gboolean sluice_away_is_alone (const SluiceAway *self);
/* The value where it is in memory. (transfer full) (nullable) */
SluiceTensor *sluice_away_try (SluiceAway *self, SluiceKernelCall *call);
/* The value when it has been read, of what nobody else holds: as sluice_swapped_take(). (transfer
 * full) self */
void sluice_away_take (SluiceAway *self, SluiceSwapReady ready, gpointer data);
