/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* One tensor as TensorProto bytes and back, for checkpoints of state and summaries. */
SluiceTensor *sluice_tensor_from_proto (const guint8 *bytes, gsize length, GError **error);
/* (nullable): RESOURCE_EXHAUSTED */
GBytes *sluice_tensor_to_proto (const SluiceTensor *self, GError **error);

SLUICE_PUBLIC_END
