/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* kernels/state/update.c with the changes of kernels/state/change-cuda.cu. */
#include "kernels/cuda/reuse.h"
#define sluice_change_func sluice_cuda_change_func
#include "kernels/state/update.c"
