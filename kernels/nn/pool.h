/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/nn/sliding-window.h"

/* What a pool is, for the loops of CPUs and the kernels of CUDA devices. */

typedef enum
{
  MAX_POOL,
  MAX_POOL_ARG, /* with the place of each maximum */
  MAX_POOL_GRAD,
  MAX_POOL_DEEP,      /* over three dimensions */
  MAX_POOL_GRAD_DEEP, /* to all that are about as large as the maximum */
  MAX_POOL_GRAD_ARG,  /* to places that are given */
  MAX_POOL_GRAD_GRAD,
  AVG_POOL,
  AVG_POOL_GRAD,
} PoolKind;

/*
 * A pool of known sizes. Channels first is seen as channels last with as many images as there are
 * planes, of one channel; a pool over channels as one row of pixels whose window is `depth` wide.
 */
typedef struct
{
  SluiceSlidingWindowPlace place;
  gint64 stride[SLUICE_AXES];
  gint64 images, channels;
  gint64 in_image, out_image; /* elements */
  const void *x, *y, *dy;     /* of the kind: what it reads */
  gint64 *arg;                /* places of the maxima */
  gboolean arg_over_batch;    /* are places counted from the first image on? */
  gboolean tiles;             /* each cell is in one window */
  gboolean squares;           /* besides, windows are 2 by 2 */
  void *out;
} Pool;

#ifdef SLUICE_ON_DEVICE
/* All images: float and double, MAX_POOL, AVG_POOL and their gradients (pool-cuda.cu). */
void sluice_cuda_pool (const Pool *pool, PoolKind kind, SluiceDType dtype);
#endif
