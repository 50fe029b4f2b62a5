/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* Formulas that the host and a CUDA device compute both: the same text, compiled for either. */
#include "engine/base/dtype.h"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

/* Halves and floats, rounded to nearest even; of bfloat16 dtype.h's own bits. */
SLUICE_SHARED float
sluice_from_half (guint16 bits)
{
#ifdef __CUDA_ARCH__
  return __half2float (__ushort_as_half (bits));
#else
  return sluice_half_to_float (bits);
#endif
}

SLUICE_SHARED guint16
sluice_to_half (float value)
{
#ifdef __CUDA_ARCH__
  return __half_as_ushort (__float2half_rn (value));
#else
  return sluice_float_to_half (value);
#endif
}

SLUICE_SHARED float
sluice_from_bfloat16 (guint16 bits)
{
  guint32 wide = (guint32) bits << 16;
  float value;
  __builtin_memcpy (&value, &wide, sizeof value);
  return value;
}

SLUICE_SHARED guint16
sluice_to_bfloat16 (float value)
{
  guint32 bits;
  __builtin_memcpy (&bits, &value, sizeof bits);
  if (value != value)
    return (guint16) (bits >> 16 | 0x40);
  return (guint16) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
