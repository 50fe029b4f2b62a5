/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/tensorproto.h"
#include "engine/graph/wire.h"

/* NULL proto: a scalar. */
gboolean
sluice_shape_unpack (const Tensorflow__TensorShapeProto *proto, SluiceShape *shape, GError **error);
Tensorflow__TensorShapeProto *sluice_shape_pack (const SluiceShape *shape, SluiceArena *arena);
/* budget: bytes that compressed values may still unfold to; counted down. */
SluiceTensor *
sluice_tensor_unpack (const Tensorflow__TensorProto *proto, gint64 *budget, GError **error);
/* readable: short tensors as lists of numbers, where that keeps every bit. */
Tensorflow__TensorProto *
sluice_tensor_pack (const SluiceTensor *tensor, SluiceArena *arena, gboolean readable);
