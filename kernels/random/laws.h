/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/device/random.h"

/*
 * How a tensor is filled with independent numbers of one law. Which op asks, and where its stream
 * begins, is the op's business: seeds of a node, seeds or a key as an input, or a variable.
 */
typedef enum
{
  SLUICE_LAW_UNIFORM,   /* [0, 1): half, bfloat16, float, double */
  SLUICE_LAW_NORMAL,    /* standard; the same dtypes */
  SLUICE_LAW_TRUNCATED, /* standard normal, less than 2 in magnitude; the same dtypes */
  SLUICE_LAW_BOUNDED,   /* integers of SluiceBounds: int32, int64 */
  SLUICE_LAW_FULL,      /* all integers there are: int32, uint32, int64, uint64 */
  SLUICE_N_LAWS
} SluiceLaw;

#define SLUICE_LAW_FULL_TYPES                                                                      \
  (SLUICE_SET_INDEX | SLUICE_SET (SLUICE_UINT32) | SLUICE_SET (SLUICE_UINT64))

/* [low, low + range) of SLUICE_LAW_BOUNDED. */
typedef struct
{
  guint64 low, range;
} SluiceBounds;

/**
 * sluice_call_fill_random:
 * @bounds: (nullable): only %SLUICE_LAW_BOUNDED looks at them
 *
 * Fills @out, whose dtype must be one of the law's. The bits depend on law, dtype, bounds and
 * @start only. FALSE: cancelled
 */
gboolean sluice_call_fill_random (SluiceKernelCall *call,
                                  SluiceLaw law,
                                  const SluiceBounds *bounds,
                                  const SluicePhilox *start,
                                  SluiceTensor *out);

/* Reads minval and maxval, the scalars at inputs i and i + 1. FALSE: call->error is set */
gboolean sluice_call_read_bounds (SluiceKernelCall *call, guint i, SluiceBounds *bounds);

/* The law of a kernel whose `data` it is. */
#define SLUICE_LAW_DATA(law) GUINT_TO_POINTER (law)
static inline SluiceLaw
sluice_call_get_law (const SluiceKernelCall *call)
{
  return (SluiceLaw) GPOINTER_TO_UINT (call->kernel->data);
}
