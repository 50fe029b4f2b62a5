/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * What kernels of CUDA devices see of the device. cuda-device.c is the one file that knows how
 * memory and the queue of a device work; for now memory is shared with the host and a kernel call
 * ends when the device has done it. A device with memory and a queue of its own replaces that file.
 *
 * Between begin and end a thread has a kernel call under way; what it launches in between goes to
 * one stream, in order. The host build of the kernels (tests/kernels/cuda) has the same functions.
 */
extern const SluiceDeviceKind sluice_cuda_kind;

typedef enum
{
  SLUICE_CUDA_READ = 1 << 0,
  SLUICE_CUDA_WRITE = 1 << 1,
} SluiceCudaAccess;

/* FALSE: call->error is set, and nothing is under way. */
gboolean sluice_cuda_begin (SluiceKernelCall *call);
/* Waits for all that was launched. FALSE: call->error is set */
gboolean sluice_cuda_end (SluiceKernelCall *call);

/* Where the device finds what the host has at `memory`: there, or in a copy that lasts until end,
 * and is copied back there where it was written. (nullable): end will fail, launch nothing */
void *sluice_cuda_map (const void *memory, gsize bytes, guint access);
/* Of the device, uninitialised, until end. (nullable) as above */
void *sluice_cuda_scratch (gsize bytes);
/* A cudaStream_t, of the call under way. */
void *sluice_cuda_stream (void);
/* Something failed: end will tell. code: a cudaError_t; what: for the message, static */
void sluice_cuda_failed (int code, const char *what);

/* The elements of a tensor. */
static inline void *
sluice_cuda_tensor (const SluiceTensor *tensor, guint access)
{
  return sluice_cuda_map (tensor->data, sluice_tensor_bytes (tensor), access);
}

/* As sluice_call_parallel_for(), in whose place it stands where CPU kernels are compiled for the
 * device (reuse.h): func launches all at once. */
gboolean sluice_cuda_call_whole (SluiceKernelCall *call,
                                 gint64 n,
                                 gint64 grain,
                                 double unit_ns,
                                 SluiceRangeFunc func,
                                 gpointer data);

/* ---- libraries, loaded when they are needed first (cuda-libraries.c) ---- */

/* c [m,n] = a [m,k] b [k,n], row-major, without gaps; strides between matrices of a batch, in
 * elements. float and double; TF32 is off. Pointers of the device. */
typedef struct
{
  SluiceDType dtype;
  gboolean transpose_a, transpose_b, accumulate;
  gint64 m, n, k;
  gint64 n_batches, a_stride, b_stride, c_stride;
  const void *a, *b;
  void *c;
} SluiceCudaGemm;
void sluice_cuda_gemm (const SluiceCudaGemm *gemm);
