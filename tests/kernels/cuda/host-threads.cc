/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where the loops of kernels/cuda/launch.h stand: what a CUDA device knows by these names. */
#include "kernels/cuda/launch.h"

thread_local SluiceDim sluice_block_index, sluice_thread_index, sluice_block_size;
thread_local SluiceDim sluice_grid_size;
