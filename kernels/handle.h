/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * How ops hand on what outlives a step: the newer ones as a resource handle, those of before 2017
 * as a reference to two strings, container and name. Here such a reference also carries the
 * resource itself, so that one kernel serves both.
 */

/* The resource becomes output i, as the op has it. (transfer full) take */
void sluice_call_put_handle (SluiceKernelCall *call, guint i, SluiceResource *take);

/* The same, under names of the caller's choice where the op hands on names: resources of a step. */
void sluice_call_put_named_handle (
    SluiceKernelCall *call, guint i, SluiceResource *take, const char *container, const char *name);

/* What is behind input i, of either kind; checks its type. (transfer none) (nullable): call->error
 * is set */
SluiceResource *
sluice_call_get_handle (SluiceKernelCall *call, guint i, const SluiceResourceType *type);
