/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/**
 * sluice_call_serialize:
 * @packed: strings as one block of bytes, as SerializeSparse has them; else one field a string
 * @to: (out): takes the bytes
 *
 * A tensor as TensorProto, byte for byte as TensorFlow's kernels write it.
 *
 * Returns: %FALSE: call->error is set: over 2 GiB, or a dtype that is more than bytes
 */
gboolean sluice_call_serialize (SluiceKernelCall *call,
                                const SluiceTensor *tensor,
                                gboolean packed,
                                SluiceString *to);
