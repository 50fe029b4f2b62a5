/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The thinnest device that runs: tensors lie in memory that host and device both reach, as the
 * engine's devices share it for now, and a kernel call waits for the device before it returns. Both
 * end when devices have memory and a queue of their own; then another file has these functions, and
 * kernels stay as they are.
 *
 * The memory is pinned memory of the host, which the device reads and writes over its bus: slow for
 * large values, but always right. With SLUICE_CUDA_MANAGED in the environment large blocks are
 * managed memory that prefers the device, but for their first page: the host writes headers there
 * (engine/base/allocator.c), and a page that both touch would move to and fro, tens of microseconds
 * each time. Never more than half of what is free on the device: one that has to page hangs.
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/error.h"
#include "kernels/cuda/cuda.h"

#define MAX_DEVICES   16
#define LARGE_BYTES   ((gsize) 64 << 10) /* blocks that are allocated one by one */
#define SLAB_BYTES    ((gsize) 2 << 20)  /* of pinned memory that small blocks are cut from */
#define HEADER_BYTES  ((gsize) 4096)     /* the first page of a block: the host's */
#define BLOCK_ALIGNED 64

/* ---- what there is ---- */

static pthread_once_t look_once = PTHREAD_ONCE_INIT;
static int n_devices;
static cudaError_t look_status;

static void
look (void)
{
  look_status = cudaGetDeviceCount (&n_devices);
  if (look_status != cudaSuccess)
    n_devices = 0;
  n_devices = MIN (n_devices, MAX_DEVICES);
}

static guint
count_devices (void)
{
  pthread_once (&look_once, look);
  return (guint) n_devices;
}

static char *
describe_driver (void)
{
  int driver = 0, runtime = 0;
  cudaDriverGetVersion (&driver);
  cudaRuntimeGetVersion (&runtime);
  if (driver == 0)
    return g_strdup_printf ("no driver: install NVIDIA's for CUDA %d.%d or newer (libcuda.so.1)",
                            runtime / 1000, runtime % 1000 / 10);
  g_autofree char *versions =
      g_strdup_printf ("driver for CUDA %d.%d, runtime %d.%d", driver / 1000, driver % 1000 / 10,
                       runtime / 1000, runtime % 1000 / 10);
  if (n_devices > 0)
    return g_steal_pointer (&versions);
  return g_strdup_printf ("%s, but no device: %s", versions,
                          look_status != cudaSuccess ? cudaGetErrorString (look_status)
                                                     : "CUDA_VISIBLE_DEVICES hides them all");
}

static char *
describe (guint index)
{
  struct cudaDeviceProp p;
  if (index >= count_devices ())
    return describe_driver ();
  cudaError_t status = cudaGetDeviceProperties (&p, (int) index);
  if (status != cudaSuccess)
    return g_strdup (cudaGetErrorString (status));
  return g_strdup_printf ("%s, %d multiprocessors, compute capability %d.%d, %.1f GiB", p.name,
                          p.multiProcessorCount, p.major, p.minor,
                          (double) p.totalGlobalMem / (1 << 30));
}

/* ---- memory ---- */

typedef struct
{
  int number;
  gboolean is_open;
  cudaStream_t stream;
  SluiceMemorySource source;
  _Atomic gsize managed_left; /* bytes that may be managed yet */
  pthread_mutex_t lock;       /* guards the rest */
  char *slab;                 /* what is left of the newest one */
  gsize slab_left;
  GHashTable *free; /* bytes → GPtrArray of small blocks of that size */
} Device;

static Device devices[MAX_DEVICES];
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. (nullable) */
static void *
cut_small (Device *self, gsize bytes)
{
  GPtrArray *list = g_hash_table_lookup (self->free, GSIZE_TO_POINTER (bytes));
  if (list != NULL && list->len > 0)
    return g_ptr_array_steal_index_fast (list, list->len - 1);
  if (self->slab_left < bytes)
    {
      void *slab;
      if (cudaHostAlloc (&slab, SLAB_BYTES, cudaHostAllocPortable | cudaHostAllocMapped)
          != cudaSuccess)
        return NULL;
      self->slab = slab; /* the rest of the one before is lost: less than a small block */
      self->slab_left = SLAB_BYTES;
    }
  void *block = self->slab;
  self->slab += bytes;
  self->slab_left -= bytes;
  return block;
}

/* Advice: where the driver does not take it, pages move as they are touched. */
static void
advise (Device *self, char *block, gsize bytes)
{
  const struct cudaMemLocation host = { .type = cudaMemLocationTypeHost };
  const struct cudaMemLocation device = { .type = cudaMemLocationTypeDevice, .id = self->number };
  cudaMemAdvise (block, HEADER_BYTES, cudaMemAdviseSetPreferredLocation, host);
  cudaMemAdvise (block, HEADER_BYTES, cudaMemAdviseSetAccessedBy, device);
  cudaMemAdvise (block + HEADER_BYTES, bytes - HEADER_BYTES, cudaMemAdviseSetPreferredLocation,
                 device);
  cudaGetLastError ();
}

/* (nullable) */
static void *
map_large (Device *self, gsize bytes)
{
  void *block = NULL;
  gsize left = atomic_load (&self->managed_left);
  while (left >= bytes && !atomic_compare_exchange_weak (&self->managed_left, &left, left - bytes))
    ;
  if (left >= bytes && cudaMallocManaged (&block, bytes, cudaMemAttachGlobal) == cudaSuccess)
    {
      advise (self, block, bytes);
      return block;
    }
  if (cudaHostAlloc (&block, bytes, cudaHostAllocPortable | cudaHostAllocMapped) == cudaSuccess)
    return block;
  cudaGetLastError ();
  return NULL;
}

static void
unmap_large (Device *self, void *memory, gsize bytes)
{
  struct cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes (&attributes, memory) == cudaSuccess
      && attributes.type == cudaMemoryTypeManaged)
    {
      atomic_fetch_add (&self->managed_left, bytes);
      cudaFree (memory);
      return;
    }
  cudaFreeHost (memory);
}

static void *
map_memory (gpointer data, gsize bytes)
{
  Device *self = data;
  void *block = NULL;
  cudaSetDevice (self->number);
  if (bytes >= LARGE_BYTES)
    return map_large (self, bytes);
  bytes = (bytes + BLOCK_ALIGNED - 1) & ~(gsize) (BLOCK_ALIGNED - 1);
  pthread_mutex_lock (&self->lock);
  block = cut_small (self, bytes);
  pthread_mutex_unlock (&self->lock);
  return block;
}

static void
unmap_memory (gpointer data, void *memory, gsize bytes)
{
  Device *self = data;
  if (bytes >= LARGE_BYTES)
    {
      unmap_large (self, memory, bytes);
      return;
    }
  bytes = (bytes + BLOCK_ALIGNED - 1) & ~(gsize) (BLOCK_ALIGNED - 1);
  pthread_mutex_lock (&self->lock);
  GPtrArray *list = g_hash_table_lookup (self->free, GSIZE_TO_POINTER (bytes));
  if (list == NULL)
    {
      list = g_ptr_array_new ();
      g_hash_table_insert (self->free, GSIZE_TO_POINTER (bytes), list);
    }
  g_ptr_array_add (list, memory);
  pthread_mutex_unlock (&self->lock);
}

/* What scratch memory is freed stays with the device for the next. */
static void
keep_scratch (int number)
{
  cudaMemPool_t pool;
  guint64 all = G_MAXUINT64;
  if (cudaDeviceGetDefaultMemPool (&pool, number) == cudaSuccess)
    cudaMemPoolSetAttribute (pool, cudaMemPoolAttrReleaseThreshold, &all);
}

/* Host and device must be able to touch it at once. */
static gsize
measure_managed (int number)
{
  int shares = 0;
  size_t available = 0, all;
  if (g_getenv ("SLUICE_CUDA_MANAGED") == NULL)
    return 0;
  cudaDeviceGetAttribute (&shares, cudaDevAttrConcurrentManagedAccess, number);
  cudaMemGetInfo (&available, &all);
  return shares ? available / 2 : 0;
}

static gboolean
open_device (Device *self, int number, GError **error)
{
  cudaError_t status = cudaSetDevice (number);
  if (status == cudaSuccess)
    status = cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking);
  if (status != cudaSuccess)
    return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "CUDA:%d cannot be used: %s", number,
                        cudaGetErrorString (status));
  atomic_store (&self->managed_left, measure_managed (number));
  keep_scratch (number);
  self->number = number;
  self->source = (SluiceMemorySource){ map_memory, unmap_memory, NULL, self, 0, FALSE };
  self->free = g_hash_table_new (NULL, NULL);
  pthread_mutex_init (&self->lock, NULL);
  self->is_open = TRUE;
  return TRUE;
}

static const SluiceMemorySource *
open_index (guint index, const char *options, GError **error)
{
  Device *self = &devices[index];
  pthread_mutex_lock (&open_lock);
  gboolean ok = self->is_open || open_device (self, (int) index, error);
  pthread_mutex_unlock (&open_lock);
  return ok ? &self->source : NULL;
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
  Device *device;
  GArray *copies;     /* of Copy; kept from call to call */
  GPtrArray *scratch; /* of device memory */
  cudaError_t status; /* the first failure */
  const char *what;
} current;

void
sluice_cuda_failed (int code, const char *what)
{
  if (current.status != cudaSuccess)
    return;
  current.status = code;
  current.what = what;
}

gboolean
sluice_cuda_begin (SluiceKernelCall *call)
{
  guint index = call->device->index;
  current.device = &devices[index];
  current.status = cudaSuccess;
  if (current.copies == NULL)
    {
      current.copies = g_array_new (FALSE, FALSE, sizeof (Copy));
      current.scratch = g_ptr_array_new ();
    }
  cudaError_t status = cudaSetDevice ((int) index);
  if (status == cudaSuccess)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_UNAVAILABLE, "%s: %s", call->device->short_name,
                           cudaGetErrorString (status));
}

void *
sluice_cuda_stream (void)
{
  return current.device->stream;
}

void *
sluice_cuda_scratch (gsize bytes)
{
  void *memory = NULL;
  cudaError_t status = cudaMallocAsync (&memory, MAX (bytes, 1), current.device->stream);
  if (status != cudaSuccess)
    {
      sluice_cuda_failed (status, "scratch memory");
      return NULL;
    }
  g_ptr_array_add (current.scratch, memory);
  return memory;
}

void *
sluice_cuda_map (const void *memory, gsize bytes, guint access)
{
  struct cudaPointerAttributes attributes;
  if (bytes == 0)
    return (void *) memory;
  cudaError_t status = cudaPointerGetAttributes (&attributes, memory);
  if (status == cudaSuccess && attributes.type != cudaMemoryTypeUnregistered)
    return (void *) memory;
  cudaGetLastError ();
  Copy copy = { (void *) memory, sluice_cuda_scratch (bytes), bytes, access };
  if (copy.device == NULL)
    return NULL;
  if (access & SLUICE_CUDA_READ)
    status = cudaMemcpyAsync (copy.device, memory, bytes, cudaMemcpyHostToDevice,
                              current.device->stream);
  else
    status = cudaSuccess;
  if (status != cudaSuccess)
    sluice_cuda_failed (status, "a copy to the device");
  g_array_append_val (current.copies, copy);
  return copy.device;
}

static void
copy_back (void)
{
  for (guint i = 0; i < current.copies->len; i++)
    {
      const Copy *copy = &g_array_index (current.copies, Copy, i);
      if (!(copy->access & SLUICE_CUDA_WRITE) || current.status != cudaSuccess)
        continue;
      cudaError_t status = cudaMemcpyAsync (copy->host, copy->device, copy->bytes,
                                            cudaMemcpyDeviceToHost, current.device->stream);
      if (status != cudaSuccess)
        sluice_cuda_failed (status, "a copy from the device");
    }
  g_array_set_size (current.copies, 0);
}

gboolean
sluice_cuda_end (SluiceKernelCall *call)
{
  copy_back ();
  for (guint i = 0; i < current.scratch->len; i++)
    cudaFreeAsync (current.scratch->pdata[i], current.device->stream);
  g_ptr_array_set_size (current.scratch, 0);
  cudaError_t status = cudaStreamSynchronize (current.device->stream);
  if (status != cudaSuccess)
    sluice_cuda_failed (status, "the kernel");
  if (current.status == cudaSuccess)
    return TRUE;
  cudaGetLastError ();
  SluiceError code = current.status == cudaErrorMemoryAllocation ? SLUICE_ERROR_RESOURCE_EXHAUSTED
                                                                 : SLUICE_ERROR_INTERNAL;
  return sluice_call_fail (call, code, "%s failed at %s: %s", call->device->short_name,
                           current.what, cudaGetErrorString (current.status));
}
