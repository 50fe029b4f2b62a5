/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What kernels/random/laws-cuda.cu does not replace of the CPU's laws. */
#define sluice_call_fill_random sluice_host_fill_random
#include "kernels/random/laws.c"
