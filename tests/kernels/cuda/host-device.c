/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * In the place of kernels/cuda/cuda-device.c and cuda-libraries.c where kernels are compiled for
 * the host: a device "CUDA" in host memory. What was not mapped is read and written elsewhere, so
 * that a kernel which forgets to map an operand gives other numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/error.h"
#include "kernels/cuda/cuda.h"

static guint
count_devices (void)
{
  return 1;
}

static char *
describe (guint index)
{
  return g_strdup (index == 0 ? "the host in its place, for tests" : "no driver is needed");
}

static void *
map_memory (gpointer data, gsize bytes)
{
  void *memory = NULL;
  return posix_memalign (&memory, 64, bytes) == 0 ? memory : NULL;
}

static void
unmap_memory (gpointer data, void *memory, gsize bytes)
{
  free (memory);
}

static const SluiceMemorySource *
open_index (guint index, const char *options, GError **error)
{
  static const SluiceMemorySource source = { map_memory, unmap_memory, NULL, NULL, 0, FALSE };
  return &source;
}

static const SluiceDeviceClass cuda_class = { .type = "CUDA", .computes = TRUE };
const SluiceDeviceKind sluice_cuda_kind = { &cuda_class, count_devices, describe, open_index };

/* ---- a kernel call under way ---- */

typedef struct
{
  void *host, *device;
  gsize bytes;
  guint access;
} Copy;

static _Thread_local struct
{
  GArray *copies;
  const char *what; /* (nullable): failed */
} current;

void
sluice_cuda_failed (int code, const char *what)
{
  current.what = what;
}

static void
clear_copies (void)
{
  for (guint i = 0; i < current.copies->len; i++)
    g_free (g_array_index (current.copies, Copy, i).device);
  g_clear_pointer (&current.copies, g_array_unref);
}

gboolean
sluice_cuda_begin (SluiceKernelCall *call)
{
  g_assert_null (current.copies);
  current.copies = g_array_new (FALSE, FALSE, sizeof (Copy));
  current.what = NULL;
  return TRUE;
}

void *
sluice_cuda_stream (void)
{
  g_assert_nonnull (current.copies);
  return NULL;
}

void *
sluice_cuda_scratch (gsize bytes)
{
  Copy copy = { .device = g_malloc (MAX (bytes, 1)), .bytes = bytes };
  memset (copy.device, 0xa5, bytes);
  g_array_append_val (current.copies, copy);
  return copy.device;
}

void *
sluice_cuda_map (const void *memory, gsize bytes, guint access)
{
  g_assert_nonnull (current.copies);
  void *device = sluice_cuda_scratch (bytes);
  Copy *copy = &g_array_index (current.copies, Copy, current.copies->len - 1);
  copy->host = (void *) memory;
  copy->access = access;
  if (access & SLUICE_CUDA_READ && bytes > 0)
    memcpy (device, memory, bytes);
  return device;
}

gboolean
sluice_cuda_end (SluiceKernelCall *call)
{
  for (guint i = 0; i < current.copies->len; i++)
    {
      const Copy *copy = &g_array_index (current.copies, Copy, i);
      if (copy->access & SLUICE_CUDA_WRITE && copy->bytes > 0)
        memcpy (copy->host, copy->device, copy->bytes);
    }
  clear_copies ();
  if (current.what == NULL)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INTERNAL, "the device failed at %s", current.what);
}

/* ---- libraries ---- */

#define PRODUCT(T, name)                                                                           \
  static void name (const SluiceCudaGemm *g, const T *a, const T *b, T *c)                         \
  {                                                                                                \
    for (gint64 i = 0; i < g->m; i++)                                                              \
      for (gint64 j = 0; j < g->n; j++)                                                            \
        {                                                                                          \
          T sum = 0;                                                                               \
          for (gint64 p = 0; p < g->k; p++)                                                        \
            sum += (g->transpose_a ? a[p * g->m + i] : a[i * g->k + p])                            \
                   * (g->transpose_b ? b[j * g->k + p] : b[p * g->n + j]);                         \
          c[i * g->n + j] = g->accumulate ? c[i * g->n + j] + sum : sum;                           \
        }                                                                                          \
  }
PRODUCT (float, product_float)
PRODUCT (double, product_double)

void
sluice_cuda_gemm (const SluiceCudaGemm *g)
{
  for (gint64 i = 0; i < g->n_batches; i++)
    if (g->dtype == SLUICE_FLOAT)
      product_float (g, (const float *) g->a + i * g->a_stride,
                     (const float *) g->b + i * g->b_stride, (float *) g->c + i * g->c_stride);
    else
      product_double (g, (const double *) g->a + i * g->a_stride,
                      (const double *) g->b + i * g->b_stride, (double *) g->c + i * g->c_stride);
}
