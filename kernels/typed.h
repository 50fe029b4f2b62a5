/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * What kernels that are written once and compiled for several element types share.
 *
 * SLUICE_HOT: the function is compiled for several generations of CPU and the loader picks one.
 * Bits do not depend on the choice: products and sums are never contracted. (x86-64-v3 is AVX2 with
 * FMA.)
 */
#if SLUICE_CLONES && defined(__x86_64__) && !defined(__clang__)
#define SLUICE_HOT __attribute__ ((target_clones ("avx512f", "arch=x86-64-v3", "default")))
#else
#define SLUICE_HOT
#endif

/*
 * Before a loop of a few instructions: four turns become one. Such a loop fits into one line of the
 * instruction cache or does not, by chance of where the linker puts it (-falign-loops does nothing
 * to a clone); across two it runs at 0.6 of its speed.
 */
#define SLUICE_UNROLL _Pragma ("GCC unroll 4")

/* Rounds up to a multiple. */
static inline gint64
sluice_round_up (gint64 value, gint64 multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

static inline gboolean
sluice_dtype_is_half (SluiceDType dtype)
{
  return dtype == SLUICE_HALF || dtype == SLUICE_BFLOAT16;
}

/* n elements of half or bfloat16 as floats, and back with rounding to nearest even. */
void sluice_widen (SluiceDType dtype, const void *from, float *to, gint64 n);
void sluice_narrow (SluiceDType dtype, const float *from, void *to, gint64 n);

/**
 * sluice_call_widen_input:
 *
 * Input i as float: the tensor itself where it is float already, else widened scratch memory.
 *
 * Returns: (transfer full) (nullable): NULL: call->error is set
 */
SluiceTensor *sluice_call_widen_input (SluiceKernelCall *call, guint i);
