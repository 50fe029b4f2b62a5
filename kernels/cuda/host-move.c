/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The CPU's mover under other names, for what kernels/array/move-cuda.cu leaves to the host. */
#define sluice_move_run   sluice_host_move_run
#define sluice_move_block sluice_host_move_block
#define sluice_move_fill  sluice_host_move_fill
#include "kernels/array/move.c"
