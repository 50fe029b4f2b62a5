/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/store/kind.h"

/* Any tensor: what a plugin that Sluice does not know wrote. Kind text has the same struct. */
typedef struct
{
  SluiceRecord base;
  SluiceTensor *tensor;
} SluiceTensorRecord;

/* (transfer full): takes a reference of tensor. */
SluiceTensorRecord *sluice_tensor_record_new (gint64 step, double wall, SluiceTensor *tensor);
