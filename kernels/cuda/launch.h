/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * What a .cu file of a kernel includes. It holds index arithmetic and launches; formulas come from
 * the headers of the CPU's kernels. The same text is compiled by nvcc, and for the host by any C++
 * compiler: there blocks and threads are loops, and what lies between two barriers is a phase that
 * all threads of a block run through before the next begins.
 */
#include <float.h>
#include <glib-object.h>
#include <glib.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

extern "C"
{
#include "engine/base/error.h"
#include "kernels/cuda/cuda.h"
#include "kernels/half.h"
}

#define SLUICE_CUDA_BLOCK 256 /* threads */

#ifdef __CUDACC__

#define SLUICE_DEVICE static __device__ __forceinline__
#define SLUICE_LAMBDA __device__
#define SLUICE_MEMBER __device__ __forceinline__

#else

#define SLUICE_DEVICE static inline __attribute__ ((always_inline, unused))
#define SLUICE_LAMBDA
#define SLUICE_MEMBER inline
struct SluiceDim
{
  guint x;
};
/* What a device knows by these names. */
#define blockIdx      sluice_block_index
#define threadIdx     sluice_thread_index
#define blockDim      sluice_block_size
#define gridDim       sluice_grid_size
extern thread_local SluiceDim sluice_block_index, sluice_thread_index, sluice_block_size;
extern thread_local SluiceDim sluice_grid_size;

#endif

/* ---- a function of the element's number, for n of them ---- */

#ifdef __CUDACC__
template <typename F>
__global__ void
sluice_each_kernel (gint64 n, F f)
#else
template <typename F>
static void
sluice_each_kernel (gint64 n, F f)
#endif
{
  gint64 step = (gint64) blockDim.x * gridDim.x;
  for (gint64 i = (gint64) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    f (i);
}

static inline guint
sluice_grid_of (gint64 n_blocks)
{
  return (guint) MIN (n_blocks, (gint64) 1 << 20);
}

template <typename F>
static inline void
sluice_each (gint64 n, F f)
{
  if (n <= 0)
    return;
  guint grid = sluice_grid_of ((n + SLUICE_CUDA_BLOCK - 1) / SLUICE_CUDA_BLOCK);
#ifdef __CUDACC__
  cudaStream_t stream = (cudaStream_t) sluice_cuda_stream ();
  /* clang-format off */
  sluice_each_kernel<<<grid, SLUICE_CUDA_BLOCK, 0, stream>>> (n, f);
  /* clang-format on */
  cudaError_t status = cudaGetLastError ();
  if (status != cudaSuccess)
    sluice_cuda_failed (status, "a launch");
#else
  gridDim.x = MIN (grid, 7); /* fewer blocks than elements: each goes round */
  blockDim.x = SLUICE_CUDA_BLOCK;
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
      sluice_each_kernel (n, f);
#endif
}

/* ---- a reduction of `length` values to each of n outputs, by a block ---- */

/*
 * Thread t of a block takes values t, t + SLUICE_CUDA_BLOCK, …; then halves of the block are
 * combined until one is left: a tree that only depends on the length. value (o, i) gives,
 * O::combine (a, b) joins, beginning with O::neutral (), finish (o, a) takes what is left.
 */
#ifdef __CUDACC__
template <typename T, typename O, typename V, typename E>
__global__ void
sluice_reduce_kernel (gint64 n, gint64 length, V value, E finish)
{
  __shared__ __align__ (16) char memory[SLUICE_CUDA_BLOCK * sizeof (T)];
  T *part = (T *) memory;
  for (gint64 o = blockIdx.x; o < n; o += gridDim.x)
    {
      T mine = O::neutral ();
      for (gint64 i = threadIdx.x; i < length; i += SLUICE_CUDA_BLOCK)
        mine = O::combine (mine, value (o, i));
      part[threadIdx.x] = mine;
      __syncthreads ();
      for (guint half = SLUICE_CUDA_BLOCK / 2; half > 0; half /= 2)
        {
          if (threadIdx.x < half)
            part[threadIdx.x] = O::combine (part[threadIdx.x], part[threadIdx.x + half]);
          __syncthreads ();
        }
      if (threadIdx.x == 0)
        finish (o, part[0]);
      __syncthreads ();
    }
}
#else
#define SLUICE_PHASE for (threadIdx.x = 0; threadIdx.x < SLUICE_CUDA_BLOCK; threadIdx.x++)
template <typename T, typename O, typename V, typename E>
static void
sluice_reduce_kernel (gint64 n, gint64 length, V value, E finish)
{
  T part[SLUICE_CUDA_BLOCK];
  for (gint64 o = blockIdx.x; o < n; o += gridDim.x)
    {
      SLUICE_PHASE
      {
        T mine = O::neutral ();
        for (gint64 i = threadIdx.x; i < length; i += SLUICE_CUDA_BLOCK)
          mine = O::combine (mine, value (o, i));
        part[threadIdx.x] = mine;
      }
      for (guint half = SLUICE_CUDA_BLOCK / 2; half > 0; half /= 2)
        SLUICE_PHASE
      if (threadIdx.x < half)
        part[threadIdx.x] = O::combine (part[threadIdx.x], part[threadIdx.x + half]);
      finish (o, part[0]);
    }
}
#endif

template <typename T, typename O, typename V, typename E>
static inline void
sluice_reduce (gint64 n, gint64 length, V value, E finish)
{
  if (n <= 0)
    return;
  guint grid = (guint) MIN (n, (gint64) 1 << 20);
#ifdef __CUDACC__
  cudaStream_t stream = (cudaStream_t) sluice_cuda_stream ();
  /* clang-format off */
  sluice_reduce_kernel<T, O><<<grid, SLUICE_CUDA_BLOCK, 0, stream>>> (n, length, value, finish);
  /* clang-format on */
  cudaError_t status = cudaGetLastError ();
  if (status != cudaSuccess)
    sluice_cuda_failed (status, "a launch");
#else
  gridDim.x = MIN (grid, 7);
  blockDim.x = SLUICE_CUDA_BLOCK;
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
    sluice_reduce_kernel<T, O> (n, length, value, finish);
#endif
}

/* ---- the same in the order of the values ---- */

/*
 * For sums of floats that must be rounded as the CPU rounds them: a block's threads bring values of
 * an output, SLUICE_CUDA_BLOCK at a time, and one of them adds these up, first to last.
 */
#ifdef __CUDACC__
template <typename T, typename O, typename V, typename E>
__global__ void
sluice_fold_kernel (gint64 n, gint64 length, V value, E finish)
{
  __shared__ __align__ (16) char memory[SLUICE_CUDA_BLOCK * sizeof (T)];
  T *part = (T *) memory;
  for (gint64 o = blockIdx.x; o < n; o += gridDim.x)
    {
      T total = O::neutral ();
      for (gint64 first = 0; first < length; first += SLUICE_CUDA_BLOCK)
        {
          gint64 i = first + threadIdx.x;
          part[threadIdx.x] = i < length ? value (o, i) : O::neutral ();
          __syncthreads ();
          if (threadIdx.x == 0)
            for (guint t = 0; t < SLUICE_CUDA_BLOCK; t++)
              total = O::combine (total, part[t]);
          __syncthreads ();
        }
      if (threadIdx.x == 0)
        finish (o, total);
    }
}
#else
template <typename T, typename O, typename V, typename E>
static void
sluice_fold_kernel (gint64 n, gint64 length, V value, E finish)
{
  T part[SLUICE_CUDA_BLOCK];
  for (gint64 o = blockIdx.x; o < n; o += gridDim.x)
    {
      T total = O::neutral ();
      for (gint64 first = 0; first < length; first += SLUICE_CUDA_BLOCK)
        {
          SLUICE_PHASE
          part[threadIdx.x] =
              first + threadIdx.x < length ? value (o, first + threadIdx.x) : O::neutral ();
          for (guint t = 0; t < SLUICE_CUDA_BLOCK; t++)
            total = O::combine (total, part[t]);
        }
      finish (o, total);
    }
}
#endif

template <typename T, typename O, typename V, typename E>
static inline void
sluice_fold (gint64 n, gint64 length, V value, E finish)
{
  if (n <= 0)
    return;
  guint grid = (guint) MIN (n, (gint64) 1 << 20);
#ifdef __CUDACC__
  cudaStream_t stream = (cudaStream_t) sluice_cuda_stream ();
  /* clang-format off */
  sluice_fold_kernel<T, O><<<grid, SLUICE_CUDA_BLOCK, 0, stream>>> (n, length, value, finish);
  /* clang-format on */
  cudaError_t status = cudaGetLastError ();
  if (status != cudaSuccess)
    sluice_cuda_failed (status, "a launch");
#else
  gridDim.x = MIN (grid, 7);
  blockDim.x = SLUICE_CUDA_BLOCK;
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
    sluice_fold_kernel<T, O> (n, length, value, finish);
#endif
}

/* ---- halves: two bytes in memory, float in a formula ---- */

struct SluiceHalf
{
  guint16 bits;
};
struct SluiceBfloat
{
  guint16 bits;
};

template <typename T>
SLUICE_DEVICE T
sluice_wide (T x)
{
  return x;
}
SLUICE_DEVICE float
sluice_wide (SluiceHalf x)
{
  return sluice_from_half (x.bits);
}
SLUICE_DEVICE float
sluice_wide (SluiceBfloat x)
{
  return sluice_from_bfloat16 (x.bits);
}

template <typename T, typename W>
SLUICE_DEVICE void
sluice_put (T *to, W x)
{
  *to = (T) x;
}
SLUICE_DEVICE void
sluice_put (SluiceHalf *to, float x)
{
  to->bits = sluice_to_half (x);
}
SLUICE_DEVICE void
sluice_put (SluiceBfloat *to, float x)
{
  to->bits = sluice_to_bfloat16 (x);
}
