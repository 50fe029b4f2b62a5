/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/base/wire.h"

/* What kernels that write summaries share. */

#define AUTO_BYTES g_autoptr (GByteArray)

/* Appends a Summary.Value: its tag, where it has one, and what it holds. */
void sluice_summary_put_value (GByteArray *summary,
                               const char *tag,
                               gsize tag_length,
                               const GByteArray *content);

/* Output 0, a scalar: these bytes. */
gboolean sluice_call_output_bytes (SluiceKernelCall *call, const GByteArray *bytes);
