/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/**
 * sluice_kernel_modules:
 *
 * Every operation and kernel that this program was built with, generated from the source lists.
 * Hand it to sluice_registry_init() once, before anything else.
 *
 * Returns: (transfer none): a NULL-terminated array
 */
const SluiceKernelModule *const *sluice_kernel_modules (void);
