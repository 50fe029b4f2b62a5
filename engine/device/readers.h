/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* In SluiceKernelCall.output_dtypes, beside a dtype or a reference to it. */
#define SLUICE_OUTPUT_UNREAD 0x80
G_STATIC_ASSERT (SLUICE_REF + SLUICE_N_DTYPES <= SLUICE_OUTPUT_UNREAD);

/**
 * sluice_call_is_read:
 * @i: an output
 *
 * Whether a node of the plan or a fetch takes the output. If not, a kernel may leave it unset and
 * save the work and the memory; control edges do not count. The gradient of an LSTM makes eight
 * tensors in one node, of which a training step reads two.
 */
static inline gboolean
sluice_call_is_read (const SluiceKernelCall *call, guint i)
{
  return call->output_dtypes == NULL || !(call->output_dtypes[i] & SLUICE_OUTPUT_UNREAD);
}
