/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* The first of these that loads; NULL-terminated. (nullable) */
void *sluice_cuda_load_library (const char *const *names);
