// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sluice authors

/*
 * A plugin whose op hands its input on and, at call number SLUICE_TRAP_AFTER, runs a kernel that
 * traps: what is left of the process's CUDA context is an error that stays
 * (cudaErrorLaunchFailure).
 */
#include <cuda_runtime_api.h>
#include <glib-object.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C"
{
#include "engine/device/plugin.h"
#include "engine/graph/shape-context.h"
}

static int n_calls; /* atomic */

static __global__ void
trap_kernel ()
{
  asm volatile("trap;");
}

static gboolean
compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  SluiceTensor *y = sluice_call_output (call, 0, &x->shape);
  if (y == NULL)
    return FALSE;
  memcpy (y->data, x->data, sluice_tensor_bytes (x));
  if (__atomic_add_fetch (&n_calls, 1, __ATOMIC_RELAXED) != atoi (g_getenv ("SLUICE_TRAP_AFTER")))
    return TRUE;
  /* clang-format off */
  trap_kernel<<<1, 1>>> ();
  /* clang-format on */
  cudaError_t status = cudaDeviceSynchronize ();
  printf ("trap: %s\n", cudaGetErrorName (status));
  return TRUE; /* what comes next meets the error */
}

static const SluiceOpDef op = [] {
  SluiceOpDef def = {};
  def.name = "Trap";
  def.signature = "x: float -> y: float";
  def.summary = "x, and a kernel that traps";
  def.shape = sluice_shape_unchanged;
  return def;
}();
static const SluiceOpDef *const ops[] = { &op };
static const SluiceKernel kernel = [] {
  SluiceKernel k = {};
  k.op = "Trap";
  k.device = "CUDA";
  k.compute = compute;
  return k;
}();
static const SluiceKernelModule module = { ops, 1, &kernel, 1, NULL };
static const SluiceKernelModule *const modules[] = { &module, NULL };

extern "C" __attribute__ ((visibility ("default")))
const SluicePlugin sluice_plugin = { SLUICE_PLUGIN_ABI, "trap", modules, NULL };
