/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/system-gpu.h"

#include <dlfcn.h>
#include <math.h>

/* What is used of NVML's interface, which has been the same since its versions of 2011 and, of
 * energy, 2018: a function returns 0 where it could. */
typedef struct
{
  unsigned int gpu, memory; /* percent of the last moments in which it was busy */
} Utilization;
typedef struct
{
  unsigned long long total, free, used; /* bytes */
} Memory;

#define SENSOR_GPU 0

typedef struct
{
  int (*init) (void);
  int (*shutdown) (void);
  int (*get_count) (unsigned int *count);
  int (*get_handle) (unsigned int index, void **device);
  int (*get_utilization) (void *device, Utilization *utilization);
  int (*get_memory) (void *device, Memory *memory);
  int (*get_temperature) (void *device, int sensor, unsigned int *degrees);
  int (*get_energy) (void *device, unsigned long long *millijoules);
} Functions;

static const struct
{
  const char *name;
  gsize offset;
  gboolean is_needed;
} symbols[] = {
  { "nvmlInit_v2", offsetof (Functions, init), TRUE },
  { "nvmlShutdown", offsetof (Functions, shutdown), TRUE },
  { "nvmlDeviceGetCount_v2", offsetof (Functions, get_count), TRUE },
  { "nvmlDeviceGetHandleByIndex_v2", offsetof (Functions, get_handle), TRUE },
  { "nvmlDeviceGetUtilizationRates", offsetof (Functions, get_utilization), FALSE },
  { "nvmlDeviceGetMemoryInfo", offsetof (Functions, get_memory), FALSE },
  { "nvmlDeviceGetTemperature", offsetof (Functions, get_temperature), FALSE },
  { "nvmlDeviceGetTotalEnergyConsumption", offsetof (Functions, get_energy), FALSE },
};

struct _SluiceGpuProbe
{
  void *library;
  Functions call;
  GPtrArray *devices;
};

/* ---- values ---- */

double
sluice_gpu_probe_read_load (SluiceGpuProbe *self)
{
  double sum = 0;
  guint n = 0;
  Utilization now;
  for (guint i = 0; self->call.get_utilization != NULL && i < self->devices->len; i++)
    if (self->call.get_utilization (self->devices->pdata[i], &now) == 0)
      {
        sum += now.gpu * 0.01;
        n++;
      }
  return n > 0 ? sum / n : NAN;
}

double
sluice_gpu_probe_read_memory (SluiceGpuProbe *self)
{
  double sum = NAN;
  Memory now;
  for (guint i = 0; self->call.get_memory != NULL && i < self->devices->len; i++)
    if (self->call.get_memory (self->devices->pdata[i], &now) == 0)
      sum = (isnan (sum) ? 0 : sum) + (double) now.used;
  return sum;
}

double
sluice_gpu_probe_read_temperature (SluiceGpuProbe *self)
{
  double hottest = NAN;
  unsigned int now;
  for (guint i = 0; self->call.get_temperature != NULL && i < self->devices->len; i++)
    if (self->call.get_temperature (self->devices->pdata[i], SENSOR_GPU, &now) == 0)
      hottest = fmax (hottest, now);
  return hottest;
}

double
sluice_gpu_probe_read_energy (SluiceGpuProbe *self)
{
  double sum = NAN;
  unsigned long long now;
  for (guint i = 0; self->call.get_energy != NULL && i < self->devices->len; i++)
    if (self->call.get_energy (self->devices->pdata[i], &now) == 0)
      sum = (isnan (sum) ? 0 : sum) + (double) now * 1e-3;
  return sum;
}

/* ---- life ---- */

static gboolean
load (SluiceGpuProbe *self, const char *library)
{
  self->library = dlopen (library, RTLD_NOW | RTLD_LOCAL);
  for (guint i = 0; self->library != NULL && i < G_N_ELEMENTS (symbols); i++)
    {
      void *symbol = dlsym (self->library, symbols[i].name);
      if (symbol == NULL && symbols[i].is_needed)
        return FALSE;
      *(void **) ((char *) &self->call + symbols[i].offset) = symbol;
    }
  return self->library != NULL;
}

static void
find_devices (SluiceGpuProbe *self)
{
  unsigned int n = 0;
  void *device;
  if (self->call.get_count (&n) != 0)
    return;
  for (unsigned int i = 0; i < n; i++)
    if (self->call.get_handle (i, &device) == 0)
      g_ptr_array_add (self->devices, device);
}

SluiceGpuProbe *
sluice_gpu_probe_new (const char *library)
{
  SluiceGpuProbe *self = g_new0 (SluiceGpuProbe, 1);
  self->devices = g_ptr_array_new ();
  gboolean is_there = load (self, library) && self->call.init () == 0;
  if (is_there)
    find_devices (self);
  else
    self->call.shutdown = NULL; /* it has not begun */
  if (self->devices->len > 0)
    return self;
  sluice_gpu_probe_free (self);
  return NULL;
}

void
sluice_gpu_probe_free (SluiceGpuProbe *self)
{
  if (self->call.shutdown != NULL)
    self->call.shutdown ();
  if (self->library != NULL)
    dlclose (self->library);
  g_ptr_array_unref (self->devices);
  g_free (self);
}
