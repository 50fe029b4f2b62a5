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
 *   const SluicePlugin sluice_plugin = { SLUICE_PLUGIN_ABI, "name", modules, NULL };
 *
 * and finds the engine's functions in the program that loads it. It is code: load what you trust.
 */

/* Grows with every change of a struct that a plugin fills or reads. */
#define SLUICE_PLUGIN_ABI 9

typedef struct
{
  guint abi;
  const char *name;
  const SluiceKernelModule *const *modules; /* NULL-terminated */
  const SluiceDeviceKind *device_kind;      /* (nullable): devices that it brings */
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

/**
 * sluice_plugin_load_device:
 * @device: "CUDA:0"
 *
 * Loads the module that brings such devices, "sluice-cuda.so", where it is not there yet: out of
 * the folder in the environment's SLUICE_MODULES, that of the program, the one above it, or
 * lib/sluice beside it. At start-up, as sluice_plugin_load().
 *
 * Returns: FALSE with NOT_FOUND, or as sluice_plugin_load()
 */
gboolean sluice_plugin_load_device (const char *device, GError **error);

SLUICE_PUBLIC_END
