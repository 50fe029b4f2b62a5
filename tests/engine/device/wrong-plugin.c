/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A plugin with one mistake: WRONG says which; 0: it exports nothing. */
#include <gmodule.h>

#include "engine/device/plugin.h"

#define ABI    1
#define SYNTAX 2
#define NAME   3
#define KERNEL 4
#define EMPTY  5

#if WRONG
static const SluiceOpDef op = { .name = WRONG == NAME ? "Add" : "Wrong",
                                .signature = WRONG == SYNTAX ? "x: T ->" : "x: float -> y: float",
                                .summary = "Nothing" };
static const SluiceOpDef *const ops[] = { &op };
static const SluiceKernel kernels[] = { { .op = "Wrong", .device = "CPU" } };
static const SluiceKernelModule module = {
  .ops = ops, .n_ops = 1, .kernels = kernels, .n_kernels = WRONG == KERNEL
};
static const SluiceKernelModule *const modules[] = { &module, NULL };
G_MODULE_EXPORT const SluicePlugin sluice_plugin;
const SluicePlugin sluice_plugin = { WRONG == ABI ? SLUICE_PLUGIN_ABI + 1 : SLUICE_PLUGIN_ABI,
                                     "wrong", WRONG == EMPTY ? NULL : modules };
#endif
