/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* "Sluice 0.1, oneDNN 2.7.1, OpenBLAS SkylakeX": what decides which code computes. (transfer full)
 */
char *sluice_program_dup_description (void);
/* "0.1.0" */
const char *sluice_program_get_version (void);
