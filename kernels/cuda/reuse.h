/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * Included before CPU kernels that are compiled once more for CUDA devices: those whose work is all
 * in a function that is replaced there (the mover of kernels/array/move.h, the filler of
 * kernels/random/laws.h, products, rules of optimizers). What they check and how they cut is the
 * same text; only nothing is cut, since the device does it all at once.
 */
#define sluice_call_parallel_for sluice_cuda_call_whole
#define SLUICE_ON_DEVICE         1
