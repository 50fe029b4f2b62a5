/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "kernels/queue/items.h"

/* Output i becomes an optional: a tuple of tensors, or nothing where it is NULL. (transfer full)
 * take */
void sluice_call_put_optional (SluiceKernelCall *call, guint i, SluiceElements *take);
