/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * Ops, kernels and gradients from outside the program (white paper, section 2: both can be added by
 * linking). A plugin is a shared object that exports one
 *
 *   const SluicePlugin sluice_plugin = { SLUICE_PLUGIN_ABI, "name", modules };
 *
 * and finds the engine's functions in the program that loads it. It is code: load what you trust.
 */

/* Grows with every change of a struct that a plugin fills or reads. */
#define SLUICE_PLUGIN_ABI 5

typedef struct
{
  guint abi;
  const char *name;
  const SluiceKernelModule *const *modules; /* NULL-terminated */
} SluicePlugin;

/**
 * sluice_plugin_load:
 * @path: of the shared object
 *
 * Registers what it brings and keeps it until the program ends. At start-up only: after
 * sluice_registry_init(), before there is a graph. Loading one file twice does nothing.
 *
 * Returns: FALSE with NOT_FOUND (no such file, not loadable, no sluice_plugin in it),
 * FAILED_PRECONDITION (made for another version), or an error of sluice_registry_add_modules()
 */
gboolean sluice_plugin_load (const char *path, GError **error);

SLUICE_PUBLIC_END
