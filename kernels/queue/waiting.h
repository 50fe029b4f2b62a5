/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* What kernel calls wait on: a call that is cancelled has nothing but its address. */

/* @on is held until the call is removed. Before done. */
void sluice_waiting_add (SluiceKernelCall *call, SluiceResource *on);
void sluice_waiting_remove (SluiceKernelCall *call);
/* (transfer full) (nullable): the call does not wait, or no more */
SluiceResource *sluice_waiting_dup (SluiceKernelCall *call);
