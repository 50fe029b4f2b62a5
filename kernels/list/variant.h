/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * Arithmetic of variants, which the gradients of control flow need: zeros of the same structure,
 * and sums of equal structures. Each kind of value in a variant brings its own; kinds nest.
 */
typedef struct
{
  const SluiceResourceType *type;
  /* (transfer full) (nullable): call->error is set. */
  SluiceResource *(*zeros_like) (SluiceKernelCall *call, SluiceResource *value);
  SluiceResource *(*add) (SluiceKernelCall *call, SluiceResource *a, SluiceResource *b);
} SluiceVariantMath;

/* One of each kind that has arithmetic; variant-cpu.c lists them. */
extern const SluiceVariantMath sluice_tensor_list_math, sluice_optional_math;

/* Zeros like any tensor, variant or not. (transfer full) (nullable): call->error is set */
SluiceTensor *sluice_call_zeros_like (SluiceKernelCall *call, SluiceTensor *value);

/* The sum of two tensors of one dtype, variant or not; their shapes must be equal. (transfer full)
 * (nullable): call->error is set */
SluiceTensor *sluice_call_add_values (SluiceKernelCall *call, SluiceTensor *a, SluiceTensor *b);
