/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * cuBLAS, loaded when the first product is asked for. Results are the same every time: atomics are
 * off, as is TF32, and all work of a device goes through one handle and one stream.
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>

#include "kernels/cuda/cuda.h"

#define MAX_DEVICES 16

static struct
{
  void *library;
  cublasStatus_t (*create) (cublasHandle_t *handle);
  cublasStatus_t (*set_stream) (cublasHandle_t handle, cudaStream_t stream);
  cublasStatus_t (*set_math_mode) (cublasHandle_t handle, cublasMath_t mode);
  cublasStatus_t (*get_version) (cublasHandle_t handle, int *version);
  cublasStatus_t (*sgemm) (cublasHandle_t handle,
                           cublasOperation_t ta,
                           cublasOperation_t tb,
                           int64_t m,
                           int64_t n,
                           int64_t k,
                           const float *alpha,
                           const float *a,
                           int64_t lda,
                           long long stride_a,
                           const float *b,
                           int64_t ldb,
                           long long stride_b,
                           const float *beta,
                           float *c,
                           int64_t ldc,
                           long long stride_c,
                           int64_t n_batches);
  cublasStatus_t (*dgemm) (cublasHandle_t handle,
                           cublasOperation_t ta,
                           cublasOperation_t tb,
                           int64_t m,
                           int64_t n,
                           int64_t k,
                           const double *alpha,
                           const double *a,
                           int64_t lda,
                           long long stride_a,
                           const double *b,
                           int64_t ldb,
                           long long stride_b,
                           const double *beta,
                           double *c,
                           int64_t ldc,
                           long long stride_c,
                           int64_t n_batches);
} blas;
static pthread_once_t blas_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER; /* guards handles and their use */
static cublasHandle_t handles[MAX_DEVICES];

/* The first of these that loads. (nullable) */
static void *
load_library (const char *const *names)
{
  void *library = NULL;
  for (; *names != NULL && library == NULL; names++)
    library = dlopen (*names, RTLD_NOW | RTLD_LOCAL);
  return library;
}

static void
load_blas (void)
{
  static const char *const names[] = { "libcublas.so.13", "libcublas.so", NULL };
  const struct
  {
    const char *name;
    void **function;
  } symbols[] = { { "cublasCreate_v2", (void **) &blas.create },
                  { "cublasSetStream_v2", (void **) &blas.set_stream },
                  { "cublasSetMathMode", (void **) &blas.set_math_mode },
                  { "cublasGetVersion_v2", (void **) &blas.get_version },
                  { "cublasSgemmStridedBatched_64", (void **) &blas.sgemm },
                  { "cublasDgemmStridedBatched_64", (void **) &blas.dgemm } };
  void *library = load_library (names);
  for (guint i = 0; library != NULL && i < G_N_ELEMENTS (symbols); i++)
    {
      *symbols[i].function = dlsym (library, symbols[i].name);
      if (*symbols[i].function == NULL)
        library = NULL;
    }
  blas.library = library;
}

/* Under the lock. (nullable) */
static cublasHandle_t
get_handle (void)
{
  int device = 0;
  cudaGetDevice (&device);
  if (handles[device] != NULL)
    return handles[device];
  cublasHandle_t handle = NULL;
  if (blas.create (&handle) != CUBLAS_STATUS_SUCCESS)
    return NULL;
  blas.set_math_mode (handle, CUBLAS_DEFAULT_MATH);
  blas.set_stream (handle, sluice_cuda_stream ());
  handles[device] = handle;
  return handle;
}

/* cuBLAS has columns where we have rows: c' = b' a'. */
static cublasStatus_t
multiply (cublasHandle_t handle, const SluiceCudaGemm *g)
{
  const float one = 1, zero = 0;
  const double one_d = 1, zero_d = 0;
  cublasOperation_t ta = g->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t tb = g->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  gint64 lda = MAX (1, g->transpose_b ? g->k : g->n), ldb = MAX (1, g->transpose_a ? g->m : g->k);
  if (g->dtype == SLUICE_FLOAT)
    return blas.sgemm (handle, ta, tb, g->n, g->m, g->k, &one, g->b, lda, g->b_stride, g->a, ldb,
                       g->a_stride, g->accumulate ? &one : &zero, g->c, g->n, g->c_stride,
                       g->n_batches);
  return blas.dgemm (handle, ta, tb, g->n, g->m, g->k, &one_d, g->b, lda, g->b_stride, g->a, ldb,
                     g->a_stride, g->accumulate ? &one_d : &zero_d, g->c, g->n, g->c_stride,
                     g->n_batches);
}

void
sluice_cuda_gemm (const SluiceCudaGemm *gemm)
{
  pthread_once (&blas_once, load_blas);
  if (blas.library == NULL)
    {
      sluice_cuda_failed (cudaErrorSharedObjectInitFailed, "cuBLAS (libcublas.so.13 not found)");
      return;
    }
  if (gemm->k == 0)
    {
      cudaMemsetAsync (gemm->c, 0, gemm->m * gemm->n * sluice_dtype_size (gemm->dtype),
                       sluice_cuda_stream ());
      return;
    }
  pthread_mutex_lock (&blas_lock);
  cublasHandle_t handle = get_handle ();
  cublasStatus_t status = handle != NULL ? multiply (handle, gemm) : CUBLAS_STATUS_NOT_INITIALIZED;
  pthread_mutex_unlock (&blas_lock);
  if (status != CUBLAS_STATUS_SUCCESS)
    {
      g_autofree char *what = g_strdup_printf ("cuBLAS, status %d", (int) status);
      sluice_cuda_failed (cudaErrorUnknown, g_intern_string (what));
    }
}
